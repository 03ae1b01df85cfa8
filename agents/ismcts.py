"""`ismcts`: information set Monte Carlo tree search, the classic search to compare others with.

Every decision is made alike, from the first bid to the last card: by the points of deals played in
worlds that the view allows. The tree is in ismcts_tree.py.
"""

from typing import Any

import numpy as np

from hpenv.actions import N_ACTIONS
from hpenv.agents.ismcts_tree import (
    CALLS,
    NO_NODE,
    ROLLOUTS,
    ROOT,
    Manner,
    act_by_search,
    most_visited,
    new_space,
    search,
)
from hpenv.agents.opinion import Opinion
from hpenv.view import View
from hpenv.worlds import NO_DEAL

MOST_ITERATIONS = 1_000_000
MOST_EXPLORATION = 100.0
# The strongest of those tried at equal time. From 0.3 to 0.7 the exploration hardly matters.
DEFAULTS = {"iterations": "1000", "rollout": "rule_based", "exploration": "0.5", "calls": "rollout"}


class Ismcts:
    """Searches each view anew; all its chance is the stream's."""

    at_once = 32  # deals it plays in lockstep in matches

    def __init__(self, manner: Manner, name: str = "ismcts") -> None:
        self.manner = manner
        self.name = name

    def act(self, views: Any, streams: Any) -> Any:
        actions = np.zeros(len(views), np.int64)
        space = new_space(self.manner.iterations)
        if act_by_search(views, streams, self.manner, space, actions) >= 0:
            raise ValueError(NO_DEAL)
        return actions

    def opinion(self, view: View, stream: Any) -> Opinion:
        """How often the search chose each action, and what the deals were worth that it then played:
        mean and standard deviation, nan for an action it never tried. See `hpenv.agents.opinion`."""
        space = new_space(self.manner.iterations)
        if not search(view, np.uint64(stream), self.manner, space)[1]:
            raise ValueError(NO_DEAL)
        shares = np.zeros(N_ACTIONS)
        points, spread = np.full(N_ACTIONS, np.nan), np.full(N_ACTIONS, np.nan)
        row = int(space.tree[ROOT].first_child)
        while row != NO_NODE:
            node = space.tree[row]
            mean = float(node.points / node.visits)
            shares[node.action] = node.visits / self.manner.iterations
            points[node.action] = -mean if view.seat & 1 else mean
            spread[node.action] = max(0.0, float(node.squares / node.visits) - mean * mean) ** 0.5
            row = int(node.next_sibling)
        action = int(most_visited(space.tree))
        return Opinion(action, shares, points, spread, self.manner.iterations)


def make(spec: str, options: dict[str, str]) -> Ismcts:
    """`ismcts`, or with some of `iterations=200`, `rollout=uniform`, `exploration=0.7`, `calls=tree`.

    iterations: worlds drawn and deals played for each decision. rollout: who plays a deal out below the
    tree. exploration: the constant of UCB1 for points between -1 and 1 a trick. calls: what the other
    seats say before the play is chosen in the tree, as the method was published, or by the rollout.
    """
    unknown = [key for key in options if key not in DEFAULTS]
    if unknown:
        there_are = ", ".join(DEFAULTS)
        raise ValueError(f"agent {spec!r}: there is no option {unknown[0]!r} (there are {there_are})")
    chosen = DEFAULTS | options
    for key, names in (("rollout", ROLLOUTS), ("calls", CALLS)):
        if chosen[key] not in names:
            raise ValueError(f"agent {spec!r}: {key}={chosen[key]!r} is not one of {', '.join(names)}")
    manner = Manner(
        _iterations(spec, chosen["iterations"]),
        _exploration(spec, chosen["exploration"]),
        ROLLOUTS.index(chosen["rollout"]),
        CALLS.index(chosen["calls"]),
    )
    return Ismcts(manner, spec)


def _iterations(spec: str, text: str) -> int:
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(MOST_ITERATIONS))
    if not is_number or not 1 <= int(text) <= MOST_ITERATIONS:
        raise ValueError(
            f"agent {spec!r}: iterations={text!r} is not a whole number from 1 to {MOST_ITERATIONS:,}"
        )
    return int(text)


def _exploration(spec: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0.0 <= number <= MOST_EXPLORATION:  # nan is refused, too
        raise ValueError(
            f"agent {spec!r}: exploration={text!r} is not a number from 0 to {MOST_EXPLORATION:g}"
        )
    return number
