"""`ismcts`: information set Monte Carlo tree search, the classic search to compare others with.

Every decision is made alike, from the first bid to the last card: each iteration samples a world that
the view allows (a determinization) and simulates it to the end of the deal. The tree is in
ismcts_tree.py.
"""

import numpy as np

from hpenv.actions import N_ACTIONS
from hpenv.agents.agent import Actions, Streams, Views, check_asked
from hpenv.agents.ismcts_tree import (
    CALLS,
    NO_NODE,
    ROLLOUTS,
    ROOT,
    Settings,
    act_by_search,
    most_visited,
    new_scratch,
    search,
)
from hpenv.agents.opinion import Opinion
from hpenv.agents.options import Choice, Number, Option, Whole, read_options
from hpenv.seats import side_of
from hpenv.view import View
from hpenv.worlds import NO_DEAL


class Ismcts:
    """Grows a new tree for each view; all its randomness is the stream's."""

    deals_in_lockstep = 32

    def __init__(self, settings: Settings, name: str = "ismcts") -> None:
        self.settings = settings
        self.name = name

    def act(self, views: Views, streams: Streams) -> Actions:
        check_asked(self, views, streams)
        actions = np.zeros(len(views), np.int64)
        scratch = new_scratch(self.settings.iterations)
        if act_by_search(views, streams, self.settings, scratch, actions) >= 0:
            raise ValueError(NO_DEAL)
        return actions

    def opinion(self, view: View, stream: np.uint64) -> Opinion:
        """The share of the root's visits that each action got, and the points of the simulations that
        began with it: mean and standard deviation, nan for an action without a visit. See
        `hpenv.agents.opinion`."""
        scratch = new_scratch(self.settings.iterations)
        if not search(view, np.uint64(stream), self.settings, scratch)[1]:
            raise ValueError(NO_DEAL)
        shares = np.zeros(N_ACTIONS)
        points, spread = np.full(N_ACTIONS, np.nan), np.full(N_ACTIONS, np.nan)
        row = int(scratch.tree[ROOT].first_child)
        while row != NO_NODE:
            node = scratch.tree[row]
            mean = float(node.points / node.visits)
            shares[node.action] = node.visits / self.settings.iterations
            points[node.action] = -mean if side_of(int(view.seat)) else mean
            spread[node.action] = max(0.0, float(node.squares / node.visits) - mean * mean) ** 0.5
            row = int(node.next_sibling)
        action = int(most_visited(scratch.tree))
        return Opinion(action, shares, points, spread, self.settings.iterations)


# The strongest of those tried at equal time. From 0.3 to 0.7 the exploration hardly matters.
OPTIONS: dict[str, Option] = {
    "iterations": Whole(1000, 1, 1_000_000),
    "rollout": Choice("rule_based", ROLLOUTS),
    "exploration": Number(0.5, 0.0, 100.0),
    "calls": Choice("rollout", CALLS),
}


def make(spec: str, options: dict[str, str]) -> Ismcts:
    """`ismcts`, or with some of `iterations=200`, `rollout=uniform`, `exploration=0.7`, `calls=tree`.

    iterations: simulations for each decision, each in a world of its own. rollout: the policy that
    plays a deal out below the tree. exploration: the constant of UCB1 for points scaled to -1 to 1 per
    trick. calls: whether what the other seats call before the play is chosen in the tree, as the method
    was published, or by the rollout policy.
    """
    chosen = read_options(spec, options, OPTIONS)
    settings = Settings(
        chosen["iterations"],
        chosen["exploration"],
        ROLLOUTS.index(chosen["rollout"]),
        CALLS.index(chosen["calls"]),
    )
    return Ismcts(settings, spec)
