"""`pimc`: worlds that the view allows, each solved exactly; the action with the best mean points.

Perfect information Monte Carlo. In the play of the cards each world is solved with all hands open
(`hpenv.double_dummy`, for points, so that the rules in force count). Before it, everything is decided
alike, bids, trump, discard and going alone: in each world the action is done, `rule_based` makes the
calls that follow for all seats, each from its own view, and the play is solved. So a bid is worth what
becomes of it, contract or overcalled, against what the others make of a pass.

The worlds are drawn as likely as they are given what the others have done (agents/beliefs.py). Of equal
cards the agent plays that of `rule_based`; and a call is another than that of `rule_based` only if the
worlds tell the two apart by more than chance might, since what a call comes to varies so much.
"""

from typing import Any, NamedTuple

import numpy as np

from hpenv.actions import N_ACTIONS
from hpenv.agents.beliefs import resample, weigh_by_rules
from hpenv.agents.opinion import Opinion
from hpenv.agents.rule_based import choice
from hpenv.cards import MAX_HAND_SIZE, N_CARDS
from hpenv.compiled import Int, kernel, lowest_bit, mix, next_state
from hpenv.double_dummy import card_values_at, value_at
from hpenv.double_dummy_search import new_memory
from hpenv.rulebook import DEAL_OVER, PLAY, do, legal_actions
from hpenv.seats import N_SEATS
from hpenv.table import TABLE
from hpenv.view import VIEW, View, see
from hpenv.worlds import NO_DEAL, lay_worlds, set_world

MOST_WORLDS = 10_000
TRIED = 8  # worlds drawn evenly for each one kept by its weight
CAUTION = 1.5  # standard errors by which a call must beat that of rule_based
LEVEL = 1e-9  # points that do not count as a difference
BIDDING = ("ev", "played", "rule_based")
BELIEFS = ("rule_based", "uniform")
EV, PLAYED, BY_RULES = range(len(BIDDING))
UNIFORM = BELIEFS.index("uniform")


class Space(NamedTuple):
    """Room to work in for W worlds, 8 W of them before they are weighed.

    hands (8 W, 4), discards, widows and weights (8 W,); points (W, 39), of each action in each world,
    its side's minus the other's; tables (2,) and views (1,); and what the solver needs.
    """

    hands: Any
    discards: Any
    widows: Any
    weights: Any
    points: Any
    tables: Any
    views: Any
    payoffs: Any
    places: Any
    memory: Any


def new_space(worlds: int) -> Space:
    """Room for so many worlds."""
    drawn = TRIED * worlds
    return Space(
        np.zeros((drawn, N_SEATS), np.int64),
        np.zeros(drawn, np.int8),
        np.zeros(drawn, np.int8),
        np.zeros(drawn),
        np.zeros((worlds, N_ACTIONS)),
        np.zeros(2, TABLE),
        np.zeros(1, VIEW),
        np.zeros(MAX_HAND_SIZE + 1, np.int64),
        np.zeros(N_CARDS, np.int64),
        new_memory(),
    )


class Pimc:
    """Decides by worlds of each view. worlds: how many. bidding, belief: see `make`."""

    at_once = 32  # deals it plays in lockstep in matches

    def __init__(
        self, worlds: int = 100, bidding: str = "ev", belief: str = "rule_based", name: str = "pimc"
    ) -> None:
        self.name = name
        self.manner = (BIDDING.index(bidding), BELIEFS.index(belief))
        self.space = new_space(worlds)

    def act(self, views: Any, streams: Any) -> Any:
        return self.act_shown(views, np.zeros(len(views), np.int64), streams)

    def act_shown(self, views: Any, shown: Any, streams: Any) -> Any:
        """As `act`, for seats whose partners have shown them the cards they hold: sets (B,), empty for
        a partner who has not."""
        actions = np.zeros(len(views), np.int64)
        if act_by_worlds(views, shown, streams, *self.manner, self.space, actions) >= 0:
            raise ValueError(NO_DEAL)
        return actions

    def opinion(self, view: View, stream: Any) -> Opinion:
        """The points of each action, mean and standard deviation over the worlds; the probability is
        all its choice's. See `hpenv.agents.opinion`."""
        views, streams = np.zeros(1, VIEW), np.array([stream], np.uint64)
        views[0] = view
        action = int(self.act(views, streams)[0])
        sure = np.zeros(N_ACTIONS)
        sure[action] = 1.0
        _, n, _ = look(view, np.int64(0), np.uint64(stream), *self.manner, self.space)
        if n == 0:
            raise ValueError(NO_DEAL)
        share = self.space.weights[:n] / self.space.weights[:n].sum()
        points = self.space.points[:n]
        mean = share @ points
        spread = np.sqrt(share @ (points - mean) ** 2)
        mean[barred_actions(view)] = spread[barred_actions(view)] = np.nan
        return Opinion(action, sure, mean, spread, int(n))


def barred_actions(view: View) -> Any:
    """Whether each action is illegal, shape (39,)."""
    return (int(view.legal) >> np.arange(N_ACTIONS) & 1) == 0


@kernel
def act_by_worlds(
    views: Any, shown: Any, streams: Any, bidding: Int, belief: Int, space: Space, actions: Any
) -> Int:
    """Write the action for each view (B,); returns the first index whose view no deal allows, where it
    stops, or -1."""
    for i in range(len(views)):
        view = views[i]
        legal = np.int64(view.legal)
        if legal & (legal - 1) == 0:
            actions[i] = lowest_bit(legal)
        elif bidding == BY_RULES and view.phase != PLAY:
            actions[i] = choice(view)
        else:
            streams[i], n, drawn = look(view, shown[i], streams[i], bidding, belief, space)
            if n == 0:
                return i
            cautious = drawn and view.phase != PLAY
            actions[i] = best_action(legal, choice(view), n, cautious, space)
    return -1


@kernel
def look(
    view: View, shown: Int, stream: Any, bidding: Int, belief: Int, space: Space
) -> tuple[Any, Int, bool]:
    """Draw worlds of a view and write what each action comes to in each of them, with the worlds'
    weights. Returns the stream, the number of worlds, and whether they are a sample of more."""
    wanted, drawn = len(space.points), len(space.hands)
    if belief == UNIFORM or view.history_length == 0:
        drawn = wanted
    hands, discards, widows = space.hands[:drawn], space.discards[:drawn], space.widows[:drawn]
    stream, n, sampled = lay_worlds(view, shown, stream, hands, discards, widows)
    space.weights[:n] = 1.0
    if drawn > wanted:
        weigh_by_rules(view, hands[:n], discards, widows, space.weights)
        if n > wanted:
            stream = next_state(stream)
            n = resample(space.weights[:n], wanted, mix(stream), hands, discards, widows)
            space.weights[:n] = 1.0
            sampled = True
    write_points(view, n, bidding, space)
    return stream, n, sampled


@kernel
def write_points(view: View, n: Int, bidding: Int, space: Space) -> None:
    """Write what each action comes to in each of the first n worlds."""
    for w in range(n):
        discard, widow = np.int64(space.discards[w]), np.int64(space.widows[w])
        table, points = space.tables[0], space.points[w]
        set_world(table, view, space.hands[w], discard, widow, np.uint64(0))
        if view.phase == PLAY:
            card_values_at(table, True, points, space.payoffs, space.places, space.memory)
        else:
            write_call_points(space, points, bidding == PLAYED)


@kernel
def write_call_points(space: Space, points: Any, played: bool) -> None:
    """Write what each legal action before the play comes to at tables[0]: `rule_based` calls on for all
    seats, and the play is solved or, if `played`, played out by it."""
    tables, seen = space.tables, space.views[0]
    side = np.int64(tables[0].to_act) & 1
    left = legal_actions(tables[0])
    while left:
        action = lowest_bit(left)
        left &= left - 1
        tables[1] = tables[0]
        table = tables[1]
        do(table, action)
        while table.phase != DEAL_OVER and (played or table.phase != PLAY):
            see(table, np.int64(table.to_act), seen)
            do(table, choice(seen))
        if table.phase == DEAL_OVER:
            points[action] = table.points[side] - table.points[1 - side]
        else:
            value = value_at(table, True, space.payoffs, space.places, space.memory)
            points[action] = value if (np.int64(table.to_act) & 1) == side else -value


@kernel
def best_action(legal: Int, default: Int, n: Int, cautious: bool, space: Space) -> Int:
    """The legal action with the best mean points, the default one of equals. If cautious, the default
    one unless it is worse by more than CAUTION standard errors of the difference."""
    best, best_mean = default, mean_points(default, n, space) + LEVEL
    left = legal
    while left:
        action = lowest_bit(left)
        left &= left - 1
        mean = mean_points(action, n, space)
        if mean > best_mean:
            best, best_mean = action, mean
    if best == default or not cautious:
        return best
    gain = squares = 0.0
    for w in range(n):
        more = space.points[w, best] - space.points[w, default]
        gain += more
        squares += more * more
    gain /= n
    error = np.sqrt(max(squares / n - gain * gain, 0.0) / n)
    return best if gain > CAUTION * error else default


@kernel
def mean_points(action: Int, n: Int, space: Space) -> Any:
    """The weighted mean of an action's points over the worlds."""
    total = weight = 0.0
    for w in range(n):
        total += space.weights[w] * space.points[w, action]
        weight += space.weights[w]
    return total / weight


def make(spec: str, options: dict[str, str]) -> Pimc:
    """`pimc`, or with some of `worlds=100`, `bidding=ev`, `belief=rule_based`.

    bidding: how bids, trump, discard and going alone are chosen: `ev` by expected points as told above,
    `played` with the cards played out by `rule_based` instead of solved, `rule_based` without a search.
    belief: whether worlds are weighed by what `rule_based` would have done in them, or `uniform`.
    """
    return Pimc(**settings(spec, options), name=spec)


def settings(spec: str, options: dict[str, str]) -> dict[str, Any]:
    """The options of an agent of this kind, checked."""
    chosen: dict[str, Any] = {"worlds": "100", "bidding": "ev", "belief": "rule_based"}
    for key, value in options.items():
        if key not in chosen:
            raise ValueError(
                f"agent {spec!r}: there is no option {key!r} (there are {', '.join(chosen)})"
            )
        chosen[key] = value
    worlds = chosen["worlds"]
    is_number = worlds.isascii() and worlds.isdigit() and len(worlds) <= len(str(MOST_WORLDS))
    if not is_number or not 1 <= int(worlds) <= MOST_WORLDS:
        raise ValueError(
            f"agent {spec!r}: worlds={worlds!r} is not a whole number from 1 to {MOST_WORLDS:,}"
        )
    for key, names in (("bidding", BIDDING), ("belief", BELIEFS)):
        if chosen[key] not in names:
            raise ValueError(f"agent {spec!r}: {key}={chosen[key]!r} is not one of {', '.join(names)}")
    return chosen | {"worlds": int(worlds)}
