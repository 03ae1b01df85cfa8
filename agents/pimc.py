"""`pimc`: worlds that the view allows, each solved exactly; the action with the best mean points.

Perfect information Monte Carlo. A world is one full deal that the view allows, what the literature
calls a determinization. In the play of the cards each world is solved with all hands open
(`hpenv.double_dummy`, for points, so that the rules in force count). Before it, everything is decided
alike, bids, trump, discard and going alone: in each world the action is done, `rule_based` makes the
calls that follow for all seats, each from its own view, and the play is solved. So the value of a bid
includes that it may be overcalled, and the value of a pass what the others bid after it.

The worlds are sampled as likely as they are given what the others have done (agents/beliefs.py). Of
equal cards the agent plays that of `rule_based`. A call differs from that of `rule_based` only if it is
better by CAUTION standard errors of the difference, since the points of a call vary so much. The
search is in pimc_search.py.
"""

import numpy as np
from numpy.typing import NDArray

from hpenv.actions import N_ACTIONS
from hpenv.agents.agent import Actions, Streams, Views, check_asked
from hpenv.agents.opinion import Opinion, PerAction, call_text
from hpenv.agents.options import Choice, Option, Whole, read_options
from hpenv.agents.pimc_search import (
    BELIEFS,
    BIDDING,
    BY_RULES,
    TIE,
    act_by_worlds,
    evaluate_worlds,
    gain_over,
    new_scratch,
)
from hpenv.rulebook import PLAY
from hpenv.view import VIEW, View
from hpenv.worlds import NO_DEAL


class Pimc:
    """Decides by worlds of each view. worlds: how many. bidding, belief: see `make`."""

    deals_in_lockstep = 32

    def __init__(
        self, worlds: int = 100, bidding: str = "ev", belief: str = "rule_based", name: str = "pimc"
    ) -> None:
        self.name = name
        self.settings = (BIDDING.index(bidding), BELIEFS.index(belief))
        self.scratch = new_scratch(worlds)

    def act(self, views: Views, streams: Streams) -> Actions:
        check_asked(self, views, streams)
        return self.act_shown(views, np.zeros(len(views), np.int64), streams)

    def act_shown(self, views: Views, shown: NDArray[np.int64], streams: Streams) -> Actions:
        """As `act`, where a seat may know its partner's cards: sets (B,), empty where it does not."""
        actions = np.zeros(len(views), np.int64)
        if act_by_worlds(views, shown, streams, *self.settings, self.scratch, actions) >= 0:
            raise ValueError(NO_DEAL)
        return actions

    def opinion(self, view: View, stream: np.uint64) -> Opinion:
        """The points of each action, mean and standard deviation over the worlds; the probability is
        all its choice's. Where caution kept the call of `rule_based` though another had the better
        mean, the note says so. See `hpenv.agents.opinion`."""
        views, streams = np.zeros(1, VIEW), np.array([stream], np.uint64)
        views[0] = view
        action = int(self.act(views, streams)[0])
        sure = np.zeros(N_ACTIONS)
        sure[action] = 1.0
        _, n, _ = evaluate_worlds(view, np.int64(0), np.uint64(stream), *self.settings, self.scratch)
        if n == 0:
            raise ValueError(NO_DEAL)
        share = self.scratch.weights[:n] / self.scratch.weights[:n].sum()
        points = self.scratch.points[:n]
        mean = share @ points
        spread = np.sqrt(share @ (points - mean) ** 2)
        mean[barred_actions(view)] = spread[barred_actions(view)] = np.nan
        return Opinion(action, sure, mean, spread, int(n), self._note(view, action, mean, int(n)))

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
    search. belief: whether worlds are weighed by what `rule_based` would have done in them, or
    `uniform`.
    """
    return Pimc(**read_options(spec, options, OPTIONS), name=spec)
