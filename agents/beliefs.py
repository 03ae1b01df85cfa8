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
from hpenv.rulebook import AUCTION, DISCARD, PLAY, deal, do, legal_actions, unit
from hpenv.seats import N_SEATS
from hpenv.table import TABLE
from hpenv.view import VIEW, View, see
from hpenv.worlds import lay_worlds, set_world

# Factors for each action that the policy would not have done.
OTHER_CALL = 0.05
OTHER_BID = 0.22  # it would have bid, too, but another number
OTHER_CARD = 0.3
LEAST = 1e-3  # below which `weigh` takes no probability of an action that was done
HOPELESS = -12.0  # logarithm of a weight, the best being 0, below which a search makes it nothing


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
    views = np.zeros(1, VIEW)
    views[0] = view
    owners = np.zeros(len(hands), np.int64)
    return weigh_each(views, owners, hands, discards, widows, policy, hopeless=-np.inf)


def weigh_each(
    views: NDArray[np.void],
    owners: NDArray[np.int64],
    hands: NDArray[np.int64],
    discards: NDArray[np.int8],
    widows: NDArray[np.int8],
    policy: Policy,
    hopeless: float = HOPELESS,
) -> Weights:
    """As `weigh`, for worlds (W,) of several views (B,): world w is one of views[owners[w]], and the
    greatest weight of each view's worlds is 1. The policy is asked once for each action of the history,
    about all the worlds together in which a seat other than the view's had a choice. A world whose
    logarithm falls below `hopeless` gets the weight 0, and nothing more is asked about it."""
    tables, seen = np.zeros(len(hands), TABLE), np.zeros(len(hands), VIEW)
    rows, actions = np.zeros(len(hands), np.int64), np.zeros(len(hands), np.int64)
    start_worlds(views, owners, hands, discards, widows, tables)
    logs = np.zeros(len(hands))  # behind the best of the same view
    for k in range(int(views["history_length"].max(initial=0))):
        n = go_on(tables, views, owners, discards, logs, k, rows, actions, seen)
        if n:
            likely = policy(seen[:n])[np.arange(n), actions[:n]]
            logs[rows[:n]] += np.log(np.maximum(likely, LEAST))
            tops = np.full(len(views), -np.inf)
            np.maximum.at(tops, owners, logs)
            logs -= tops[owners]
            logs[logs < hopeless] = -np.inf
    weights: Weights = np.exp(logs)
    return weights


@kernel
def start_worlds(views: Any, owners: Any, hands: Any, discards: Any, widows: Any, tables: Any) -> None:
    """Make the tables (W,) of worlds as they stood before the first call."""
    for w in range(len(tables)):
        discard, widow = np.int64(discards[w]), np.int64(widows[w])
        set_world(tables[w], views[owners[w]], hands[w], discard, widow, np.uint64(0))
        deal(tables[w])


@kernel
def go_on(
    tables: Any,
    views: Any,
    owners: Any,
    discards: Any,
    logs: Any,
    k: Int,
    rows: Any,
    actions: Any,
    seen: Any,
) -> Int:
    """Do the action number k of each world's history at its table (W,). Where a seat other than the
    view's did it and had a choice, write the row of the world, that action, and the seat's view before
    it. Worlds that have lost all their weight (`logs` (W,) has the logarithms) are left as they are.
    Returns how many were written."""
    n = np.int64(0)
    for w in range(len(tables)):
        table, view = tables[w], views[owners[w]]
        if k >= view.history_length or logs[w] == -np.inf:
            continue
        action = np.int64(view.history[k])
        if action == FACE_DOWN:
            action = np.int64(discards[w])
        seat, legal = np.int64(table.to_act), legal_actions(table)
        if seat != view.seat and legal & (legal - 1):
            rows[n], actions[n] = w, action
            see(table, seat, seen[n])
            n += 1
        do(table, action)
    return n


@kernel
def lay_each_view(
    views: Any, streams: Any, hands: Any, discards: Any, widows: Any, counts: Any, are_more: Any
) -> Int:
    """`hpenv.worlds.lay_worlds` for each of B views: hands (B, W, 4), discards and widows (B, W), how
    many worlds were laid and whether there are more (B,). Returns the first index whose view no deal
    allows, where it stops, or -1."""
    for i in range(len(views)):
        streams[i], counts[i], are_more[i] = lay_worlds(
            views[i], np.int64(0), streams[i], hands[i], discards[i], widows[i]
        )
        if counts[i] == 0:
            return i
    return -1


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
    """Move `wanted` of the worlds (W,) to the front, each as often as `pick` picks it. Returns how many
    there are now."""
    often = np.zeros(len(weights), np.int64)
    pick(weights, wanted, word, often)
    n = np.int64(0)
    old_hands, old_discards, old_widows = hands.copy(), discards.copy(), widows.copy()
    for w in range(len(weights)):
        for _ in range(often[w]):
            hands[n] = old_hands[w]
            discards[n] = old_discards[w]
            widows[n] = old_widows[w]
            n += 1
    return n


@kernel
def pick(weights: Any, wanted: Int, word: Any, often: Any) -> None:
    """Pick `wanted` of the worlds (W,), each as often as its weight says to within one: systematic
    resampling, shifted by the random word. Writes how often each was picked, (W,)."""
    total, last = 0.0, 0
    for w in range(len(weights)):
        total += weights[w]
        if weights[w] > 0.0:
            last = w
    step = total / wanted
    mark = step * unit(word)
    passed, n = 0.0, np.int64(0)
    for w in range(len(weights)):
        passed += weights[w]
        often[w] = 0
        while n < wanted and (mark < passed or w == last):  # whatever is lost in adding up
            often[w] += 1
            n += 1
            mark += step
