"""The search of `pimc`, compiled: worlds of a view, what each action comes to in them, the choice."""

from typing import Any, NamedTuple

import numpy as np

from hpenv.actions import N_ACTIONS
from hpenv.agents.beliefs import resample, weigh_by_rules
from hpenv.agents.rule_based.choice import choice
from hpenv.agents.rule_based.counts import Real
from hpenv.cards import MAX_HAND_SIZE, N_CARDS
from hpenv.compiled import Int, kernel, lowest_bit, mix, next_state
from hpenv.double_dummy import card_values_at, value_at
from hpenv.double_dummy_search import new_memory
from hpenv.rulebook import DEAL_OVER, PLAY, do, legal_actions
from hpenv.seats import N_SEATS, side_of
from hpenv.table import TABLE
from hpenv.view import VIEW, View, see
from hpenv.worlds import lay_worlds, set_world

PROPOSED = 8  # worlds drawn uniformly for each one that resampling by weight keeps
CAUTION = 1.5  # standard errors by which a call must beat that of rule_based
TIE = 1e-9  # points that do not count as a difference
BIDDING = ("ev", "played", "rule_based")
BELIEFS = ("rule_based", "uniform", "learned")
EV, PLAYED, BY_RULES = range(len(BIDDING))
UNIFORM, BY_NETWORK = BELIEFS.index("uniform"), BELIEFS.index("learned")


class Scratch(NamedTuple):
    """Scratch memory for W worlds, 8 W of them before they are weighed.

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


def new_scratch(worlds: int) -> Scratch:
    """Scratch memory for so many worlds."""
    drawn = PROPOSED * worlds
    return Scratch(
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


@kernel
def act_by_worlds(
    views: Any, shown: Any, streams: Any, bidding: Int, belief: Int, scratch: Scratch, actions: Any
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
            streams[i], n, drawn = evaluate_worlds(view, shown[i], streams[i], bidding, belief, scratch)
            if n == 0:
                return i
            cautious = drawn and view.phase != PLAY
            actions[i] = best_action(legal, choice(view), n, cautious, scratch)
    return -1


@kernel
def evaluate_worlds(
    view: View, shown: Int, stream: Any, bidding: Int, belief: Int, scratch: Scratch
) -> tuple[Any, Int, bool]:
    """Draw worlds of a view and write what each action comes to in each of them, with the worlds'
    weights, by `rule_based` or all alike. Returns the stream, the number of worlds, and whether they
    are a sample of more."""
    stream, n, sampled = draw_worlds(view, shown, stream, belief, scratch)
    if belief != UNIFORM and view.history_length > 0:
        weigh_by_rules(view, scratch.hands[:n], scratch.discards, scratch.widows, scratch.weights)
    stream, n, sampled = keep_by_weight(stream, n, sampled, scratch)
    write_points(view, n, bidding, scratch)
    return stream, n, sampled


@kernel
def draw_worlds(
    view: View, shown: Int, stream: Any, belief: Int, scratch: Scratch
) -> tuple[Any, Int, bool]:
    """Draw worlds of a view, all with the same weight: more than are wanted if they are to be weighed.
    Returns the stream, the number of worlds, and whether they are a sample of more."""
    drawn = len(scratch.hands)
    if belief == UNIFORM or view.history_length == 0:
        drawn = len(scratch.points)
    hands, discards, widows = scratch.hands[:drawn], scratch.discards[:drawn], scratch.widows[:drawn]
    stream, n, sampled = lay_worlds(view, shown, stream, hands, discards, widows)
    scratch.weights[:n] = 1.0
    return stream, n, sampled


@kernel
def keep_by_weight(stream: Any, n: Int, sampled: bool, scratch: Scratch) -> tuple[Any, Int, bool]:
    """Of n worlds keep as many as are wanted, each as often as its weight says, if they are more.
    Returns the stream, the number of worlds, and whether they are a sample of more."""
    wanted = len(scratch.points)
    if n <= wanted:
        return stream, n, sampled
    stream = next_state(stream)
    n = resample(
        scratch.weights[:n], wanted, mix(stream), scratch.hands, scratch.discards, scratch.widows
    )
    scratch.weights[:n] = 1.0
    return stream, n, True


@kernel
def write_points(view: View, n: Int, bidding: Int, scratch: Scratch) -> None:
    """Write what each action comes to in each of the first n worlds."""
    for w in range(n):
        discard, widow = np.int64(scratch.discards[w]), np.int64(scratch.widows[w])
        table, points = scratch.tables[0], scratch.points[w]
        set_world(table, view, scratch.hands[w], discard, widow, np.uint64(0))
        if view.phase == PLAY:
            card_values_at(table, True, points, scratch.payoffs, scratch.places, scratch.memory)
        else:
            write_call_points(scratch, points, bidding == PLAYED)


@kernel
def write_call_points(scratch: Scratch, points: Any, played: bool) -> None:
    """Write what each legal action before the play comes to at tables[0]: `rule_based` calls on for all
    seats, and the play is solved or, if `played`, played out by it."""
    tables, seen = scratch.tables, scratch.views[0]
    side = side_of(np.int64(tables[0].to_act))
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
            value = value_at(table, True, scratch.payoffs, scratch.places, scratch.memory)
            points[action] = value if side_of(np.int64(table.to_act)) == side else -value


@kernel
def best_action(legal: Int, default: Int, n: Int, cautious: bool, scratch: Scratch) -> Int:
    """The legal action with the best mean points, the default one of equals. If cautious, the default
    one unless it is worse by more than CAUTION standard errors of the difference."""
    best, best_mean = default, mean_points(default, n, scratch) + TIE
    left = legal
    while left:
        action = lowest_bit(left)
        left &= left - 1
        mean = mean_points(action, n, scratch)
        if mean > best_mean:
            best, best_mean = action, mean
    if best == default or not cautious:
        return best
    gain, error = gain_over(best, default, n, scratch)
    return best if gain > CAUTION * error else default


@kernel
def gain_over(action: Int, default: Int, n: Int, scratch: Scratch) -> tuple[Real, Real]:
    """The mean over the worlds, all with the same weight, of what an action is worth more than the
    default one, and the standard error of it."""
    gain = squares = 0.0
    for w in range(n):
        more = scratch.points[w, action] - scratch.points[w, default]
        gain += more
        squares += more * more
    gain /= n
    return gain, np.sqrt(max(squares / n - gain * gain, 0.0) / n)


@kernel
def mean_points(action: Int, n: Int, scratch: Scratch) -> Any:
    """The weighted mean of an action's points over the worlds."""
    total = weight = 0.0
    for w in range(n):
        total += scratch.weights[w] * scratch.points[w, action]
        weight += scratch.weights[w]
    return total / weight
