"""Beliefs: how likely each world of a view is, given what was called and played in it.

All worlds that a view allows are equally likely before anybody acts. A world's weight is the likelihood
of what the other seats did, if each of them followed a policy in that world: the product of the
policy's probabilities. The weights are relative: they do not add up to 1.

The compiled weights take `rule_based` for the policy, which is deterministic: wherever a seat did
something else the weight is multiplied by a factor below 1 and not by 0, so that no world is ruled out
because a seat plays differently. `weigh` takes any policy that returns probabilities.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hpenv.actions import FACE_DOWN, PASS
from hpenv.agents.rule_based.choice import choice
from hpenv.cards import N_CARDS
from hpenv.compiled import Int, kernel
from hpenv.rulebook import AUCTION, DISCARD, PLAY, deal, do, unit
from hpenv.seats import N_SEATS
from hpenv.table import TABLE
from hpenv.view import VIEW, View, see, see_each
from hpenv.worlds import set_world

# Factors for each action that the policy would not have done.
OTHER_CALL = 0.05
OTHER_BID = 0.22  # it would have bid, too, but another number
OTHER_CARD = 0.3
LEAST = 1e-3  # below which `weigh` takes no probability of an action that was done


# From views (B,) to the probabilities of their actions (B, 39).
Policy = Callable[[NDArray[np.void]], NDArray[np.float64]]
Weights: TypeAlias = NDArray[np.float64]  # shape (W,)


# ---- what rule_based would have done ------------------------------------------------------------


@kernel
def weigh_by_rules(view: View, hands: Any, discards: Any, widows: Any, weights: Any) -> None:
    """Write the weights (W,) of worlds, hands (W, 4), discards and widows (W,), when the other seats
    play as `rule_based` does."""
    tables, seen = np.zeros(1, TABLE), np.zeros(1, VIEW)
    for w in range(len(hands)):
        weights[w] = weight_by_rules(
            view, hands[w], np.int64(discards[w]), np.int64(widows[w]), tables[0], seen[0]
        )


@kernel
def weight_by_rules(view: View, hands: Any, discard: Int, widow: Int, table: Any, seen: Any) -> Any:
    """The weight of one world; table and seen are scratch memory."""
    set_world(table, view, hands, discard, widow, np.uint64(0))
    deal(table)
    weight = 1.0
    for k in range(view.history_length):
        action = np.int64(view.history[k])
        if action == FACE_DOWN:
            action = discard
        seat = np.int64(table.to_act)
        if seat != view.seat:
            see(table, seat, seen)
            likely = choice(seen)
            if likely != action:
                weight *= factor(table.phase, likely, action)
        do(table, action)
    return weight


@kernel
def factor(phase: Int, likely: Int, action: Int) -> Any:
    """What the weight is multiplied by for an action other than the policy's."""
    if phase in (PLAY, DISCARD):
        return OTHER_CARD
    if phase == AUCTION and PASS not in (likely, action):
        return OTHER_BID
    return OTHER_CALL


# ---- what any policy would have done ------------------------------------------------------------


def weigh(
    view: View,
    hands: NDArray[np.int64],
    discards: NDArray[np.int8],
    widows: NDArray[np.int8],
    policy: Policy,
) -> Weights:
    """The weights of worlds when the other seats play by `policy`, float64 of shape (W,), the greatest
    of them 1. hands (W, 4), discards and widows (W,) are as `hpenv.worlds.sample_worlds` gives them."""
    tables, seen = np.zeros(len(hands), TABLE), np.zeros(len(hands), VIEW)
    start_worlds(view, hands, discards, widows, tables)
    logs = np.zeros(len(hands))
    for k in range(view.history_length):
        seat, action = int(view.history_seat[k]), int(view.history[k])
        actions = discards.astype(np.int64) if action == FACE_DOWN else np.full(len(hands), action)
        if seat != view.seat:
            see_each(tables, np.full(len(hands), seat), seen)
            likely = policy(seen)[np.arange(len(hands)), actions]
            logs += np.log(np.maximum(likely, LEAST))
        do_each(tables, actions)
    weights: Weights = np.exp(logs - logs.max())
    return weights


@kernel
def start_worlds(view: View, hands: Any, discards: Any, widows: Any, tables: Any) -> None:
    """Make the tables (W,) of worlds as they stood before the first call."""
    for w in range(len(tables)):
        discard, widow = np.int64(discards[w]), np.int64(widows[w])
        set_world(tables[w], view, hands[w], discard, widow, np.uint64(0))
        deal(tables[w])


@kernel
def do_each(tables: Any, actions: Any) -> None:
    """Do an action at each table."""
    for w in range(len(tables)):
        do(tables[w], np.int64(actions[w]))


# ---- worlds with weights ------------------------------------------------------------------------


def whereabouts(
    hands: NDArray[np.int64], face_down: NDArray[np.int8], weights: Weights
) -> NDArray[np.float64]:
    """How likely each card is in each seat's hand, and last face down: shape (25, 5). A card that has
    been played is nowhere. hands (W, 4), face_down (W,), a card or NO_CARD, and weights (W,)."""
    share = np.asarray(weights, np.float64) / np.sum(weights)
    places = np.zeros((N_CARDS, N_SEATS + 1))
    for card in range(N_CARDS):
        places[card, :N_SEATS] = share @ (hands >> card & 1)
        places[card, N_SEATS] = share @ (face_down == card)
    return places


@kernel
def resample(weights: Any, wanted: Int, word: Any, hands: Any, discards: Any, widows: Any) -> Int:
    """Move `wanted` of the worlds (W,) to the front, each as often as its weight says to within one:
    systematic resampling, shifted by the random word. Returns how many there are now."""
    total, last = 0.0, 0
    for w in range(len(weights)):
        total += weights[w]
        if weights[w] > 0.0:
            last = w
    step = total / wanted
    mark = step * unit(word)
    passed, n = 0.0, np.int64(0)
    old_hands, old_discards, old_widows = hands.copy(), discards.copy(), widows.copy()
    for w in range(len(weights)):
        passed += weights[w]
        while n < wanted and (mark < passed or w == last):  # whatever is lost in adding up
            hands[n] = old_hands[w]
            discards[n] = old_discards[w]
            widows[n] = old_widows[w]
            n += 1
            mark += step
    return n
