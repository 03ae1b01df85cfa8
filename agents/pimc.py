"""`pimc`: worlds that the view allows, each solved exactly; the action with the best mean points.

Perfect information Monte Carlo. A world is one full deal that the view allows, what the literature
calls a determinization. In the play of the cards each world is solved with all hands open
(`hpenv.double_dummy`, for points, so that the rules in force count). Before it, everything is decided
alike, bids, trump, discard and going alone: in each world the action is done, `rule_based` makes the
calls that follow for all seats, each from its own view, and the play is solved. So the value of a bid
includes that it may be overcalled, and the value of a pass what the others bid after it.

The worlds are sampled as likely as they are given what the others have done (agents/beliefs.py), by
what `rule_based` would have done or by the probabilities of the network. Of equal cards the agent plays
that of `rule_based`. A call differs from that of `rule_based` only if it is better by CAUTION standard
errors of the difference, since the points of a call vary so much. The search is in pimc_search.py.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpenv.actions import N_ACTIONS
from hpenv.agents.agent import Actions, Agent, Streams, Views, check_asked
from hpenv.agents.beliefs import Policy, weigh
from hpenv.agents.opinion import Opinion, PerAction, call_text
from hpenv.agents.options import Choice, Option, Whole, read_options
from hpenv.agents.pimc_search import (
    BELIEFS,
    BIDDING,
    BY_NETWORK,
    BY_RULES,
    TIE,
    act_by_worlds,
    best_action,
    draw_worlds,
    evaluate_worlds,
    gain_over,
    keep_by_weight,
    new_scratch,
    write_points,
)
from hpenv.agents.rule_based.choice import choice
from hpenv.compiled import lowest_bit
from hpenv.rulebook import PLAY
from hpenv.view import View
from hpenv.worlds import NO_DEAL


class Pimc:
    """Decides by worlds of each view. worlds: how many. bidding, belief: see `make`. policy: whose
    probabilities weigh the worlds if the belief is `learned`; agents: the one whose policy that is."""

    deals_in_lockstep = 32

    def __init__(
        self,
        worlds: int = 100,
        bidding: str = "ev",
        belief: str = "rule_based",
        name: str = "pimc",
        policy: Policy | None = None,
        agents: Sequence[Agent] = (),
    ) -> None:
        self.name = name
        self.policy = policy
        self.agents = agents
        self.settings = (BIDDING.index(bidding), BELIEFS.index(belief))
        self.scratch = new_scratch(worlds)

    def act(self, views: Views, streams: Streams) -> Actions:
        check_asked(self, views, streams)
        return self.act_shown(views, np.zeros(len(views), np.int64), streams)

    def act_shown(self, views: Views, shown: NDArray[np.int64], streams: Streams) -> Actions:
        """As `act`, where a seat may know its partner's cards: sets (B,), empty where it does not."""
        actions = np.zeros(len(views), np.int64)
        if self.settings[1] == BY_NETWORK:
            for i, view in enumerate(views):
                actions[i] = self._act_by_network(view, shown[i], streams[i : i + 1])
        elif act_by_worlds(views, shown, streams, *self.settings, self.scratch, actions) >= 0:
            raise ValueError(NO_DEAL)
        return actions

    def _act_by_network(self, view: View, shown: np.int64, stream: Streams) -> int:
        """The action for one view, its stream (1,) moved on: as `act_by_worlds` chooses it."""
        legal = np.int64(view.legal)
        if legal & (legal - 1) == 0:
            return int(lowest_bit(legal))
        if self.settings[0] == BY_RULES and view.phase != PLAY:
            return int(choice(view))
        stream[0], n, sampled = self._evaluate(view, shown, stream[0])
        return self._best(view, n, sampled)

    def _best(self, view: View, n: int, sampled: bool) -> int:
        """The choice from the n worlds just evaluated."""
        calls = view.phase != PLAY
        if calls and self.settings[0] == BY_RULES:
            return int(choice(view))
        cautious = sampled and calls
        return int(best_action(np.int64(view.legal), choice(view), n, cautious, self.scratch))

    def _evaluate(self, view: View, shown: np.int64, stream: np.uint64) -> tuple[np.uint64, int, bool]:
        """`evaluate_worlds` by any belief. Raises ValueError if no deal allows the view."""
        bidding, belief = self.settings
        if self.policy is None:
            stream, n, sampled = evaluate_worlds(view, shown, stream, bidding, belief, self.scratch)
        else:
            stream, n, sampled = draw_worlds(view, shown, stream, belief, self.scratch)
            hands, discards, widows, weights = (part[:n] for part in self.scratch[:4])
            if n and view.history_length:
                weights[:] = weigh(view, hands, discards, widows, self.policy)
            stream, n, sampled = keep_by_weight(np.uint64(stream), n, sampled, self.scratch)
            write_points(view, n, bidding, self.scratch)
        if n == 0:
            raise ValueError(NO_DEAL)
        return np.uint64(stream), int(n), bool(sampled)

    def opinion(self, view: View, stream: np.uint64) -> Opinion:
        """The points of each action, mean and standard deviation over the worlds; the probability is
        all its choice's. Where caution kept the call of `rule_based` though another had the better
        mean, the note says so. See `hpenv.agents.opinion`."""
        _, n, sampled = self._evaluate(view, np.int64(0), np.uint64(stream))
        action = self._best(view, n, sampled)
        sure = np.zeros(N_ACTIONS)
        sure[action] = 1.0
        share = self.scratch.weights[:n] / self.scratch.weights[:n].sum()
        points = self.scratch.points[:n]
        mean = share @ points
        spread = np.sqrt(share @ (points - mean) ** 2)
        mean[barred_actions(view)] = spread[barred_actions(view)] = np.nan
        return Opinion(action, sure, mean, spread, n, self._note(view, action, mean, n))

    def _note(self, view: View, action: int, mean: PerAction, n: int) -> str:
        """Why the choice is not the action with the best mean, where it is not."""
        best = int(np.nanargmax(mean))
        if mean[best] <= mean[action] + TIE:
            return ""
        if self.settings[0] == BY_RULES and view.phase != PLAY:
            return "calls without a search, as rule_based does"
        gain, error = gain_over(best, action, n, self.scratch)
        return (
            f"too close to call, keeps the call of rule_based: {call_text(view, best)} is ahead by "
            f"{gain:.2f} points, standard error {error:.2f}"
        )


def barred_actions(view: View) -> NDArray[np.bool_]:
    """Whether each action is illegal, shape (39,)."""
    barred: NDArray[np.bool_] = (int(view.legal) >> np.arange(N_ACTIONS) & 1) == 0
    return barred


OPTIONS: dict[str, Option] = {
    "worlds": Whole(100, 1, 10_000),
    "bidding": Choice("ev", BIDDING),
    "belief": Choice("rule_based", BELIEFS),
}


def make(spec: str, options: dict[str, str]) -> Pimc:
    """`pimc`, or with some of `worlds=100`, `bidding=ev`, `belief=rule_based`.

    bidding: how bids, trump, discard and going alone are chosen: `ev` by expected points as described
    above, `played` with the cards played out by `rule_based` instead of solved, `rule_based` without a
    search. belief: what worlds are weighed by: what `rule_based` would have done in them, the
    probabilities of the network of `learned`, or nothing (`uniform`).
    """
    return Pimc(**with_policy(read_options(spec, options, OPTIONS)), name=spec)


def with_policy(chosen: dict[str, Any]) -> dict[str, Any]:
    """The options chosen, and the policy that they need."""
    if chosen["belief"] != "learned":
        return chosen
    from hpenv.agents.search_blueprint import load_blueprint  # noqa: PLC0415  (torch takes a second)

    blueprint = load_blueprint()
    return chosen | {"policy": blueprint.probabilities, "agents": (blueprint.learned,)}
