"""Suits relabelled: the game looks the same under any relabelling that keeps colours together.

A network that always sees trumps as suit 0 has a quarter to an eighth as much to learn. `suit_order`
chooses the relabelling for a view; the `relabel` functions carry cards and actions over.
"""

from typing import Any

import numpy as np

from hpenv.actions import ALONE, FACE_DOWN, TRUMP
from hpenv.cards import ALL_CARDS, FOLLOWERS, N_CARDS, N_SUITS, NO_SUIT
from hpenv.compiled import Int, count_bits, kernel
from hpenv.seats import N_SEATS
from hpenv.view import Own, Public, View


# The eight orders that keep colours together: ORDERS[o, suit] is the new label, and order 0 changes
# nothing. Bit 0 of o swaps the two black suits, bit 1 the two red ones, and then bit 2 the colours.
def _new_label(order: int, suit: int) -> int:
    red = suit in (1, 2)
    suit = 3 - suit if order >> red & 1 else suit
    return (1, 0, 3, 2)[suit] if order >> 2 else suit


ORDERS = np.array([[_new_label(o, s) for s in range(N_SUITS)] for o in range(8)], np.int8)


def _relabelled(order: Any, action: int) -> int:
    if action < N_CARDS - 1:
        return int(6 * order[action // 6] + action % 6)
    if TRUMP <= action < ALONE:
        return int(TRUMP + order[action - TRUMP])
    return action


# RELABEL[o, action] is the action with its suits relabelled by order o, UNLABEL the way back.
RELABEL = np.array([[_relabelled(o, a) for a in range(FACE_DOWN + 1)] for o in ORDERS], np.uint8)
UNLABEL = np.argsort(RELABEL, axis=1).astype(np.uint8)


@kernel
def suit_order(view: View) -> Int:
    """The number of the order that gives suit 0 to trumps, or before trump is named to the suit the
    hand would be strongest in, and then suit 1 to the stronger suit of the other colour.

    Between suits that the hand holds alike all else that the seat knows of them decides. Where even
    that is alike the view looks the same either way. So two deals that differ only in the names of
    their suits, colours kept together, always give the same relabelled observation.
    """
    return order_known(view, view)


@kernel
def order_known(public: Public, own: View | Own) -> Int:
    """`suit_order` from a table's public part and what the seat knows besides."""
    best = np.int64(public.trump)
    if best == NO_SUIT:
        best = strongest_suit(public, own)
    one, two = (1, 2) if best in (0, 3) else (0, 3)
    worth_one, worth_two = (own.hand >> (6 * one)) & 63, (own.hand >> (6 * two)) & 63
    if worth_one == worth_two:
        worth_one, worth_two = suit_facts(public, own, one), suit_facts(public, own, two)
    other = one if worth_one >= worth_two else two
    black, red = (best, other) if best in (0, 3) else (other, best)
    order = (1 if black == 3 else 0) | (2 if red == 2 else 0)
    return order | (4 if best in (1, 2) else 0)


@kernel
def strongest_suit(public: Public, own: View | Own) -> Int:
    """The suit in which the hand holds most trumps; then with the right bower, the Joker and the left
    bower, the higher cards; then the one with the stronger suit of its colour beside it."""
    hand = own.hand
    best, best_worth = 0, -1
    for suit in range(N_SUITS):
        trumps = hand & FOLLOWERS[suit, suit]
        worth = (count_bits(trumps) << 9) + (((trumps >> (6 * suit + 2)) & 1) << 8)
        worth += (count_bits(trumps & ~(63 << (6 * suit))) << 6) + ((hand >> (6 * suit)) & 63)
        if worth < best_worth:
            continue
        if worth == best_worth:
            facts, best_facts = suit_facts(public, own, suit), suit_facts(public, own, best)
            if facts == best_facts:
                facts, best_facts = suit_facts(public, own, 3 - suit), suit_facts(public, own, 3 - best)
            if facts < best_facts:
                continue
        best, best_worth = suit, worth
    return best


@kernel
def suit_facts(public: Public, own: View | Own, suit: Int) -> Int:
    """All that the seat knows of the cards printed in one suit, as one number: which it holds, took
    and discarded, which the other seats played, who is void, and the trick each was played in."""
    me, low = np.int64(own.seat), 6 * suit
    facts = (own.hand >> low) & 63
    facts = (facts << 6) | ((one_bit(own.widow) >> low) & 63)
    facts = (facts << 6) | ((one_bit(own.discard) >> low) & 63)
    for r in range(1, N_SEATS):
        seat = (me + r) & 3
        facts = (facts << 6) | ((public.played[seat] >> low) & 63)
        facts = (facts << 1) | ((public.voids >> (N_SUITS * seat + suit)) & 1)
    facts = (facts << 1) | ((public.voids >> (N_SUITS * me + suit)) & 1)
    for rank in range(6):
        facts = (facts << 3) | np.int64(public.played_in[low + rank])
    return facts


# SUIT_SETS[o, suits] is a set of suits relabelled by order o.
SUIT_SETS = np.array(
    [[sum(1 << o[s] for s in range(N_SUITS) if m >> s & 1) for m in range(16)] for o in ORDERS],
    np.int64,
)


# SWAPS[o] are the cards that change places with those 18, 6 and 6 numbers above them, one swap after
# the other: black suits, red suits, colours. They stand twice, so that two sets can be swapped at once.
_TWO_SETS = 1 | 1 << N_CARDS
SWAPS = np.array(
    [
        [
            63 * _TWO_SETS * (o & 1),
            (63 << 6) * _TWO_SETS * (o >> 1 & 1),
            (63 | 63 << 12) * _TWO_SETS * (o >> 2),
        ]
        for o in range(8)
    ],
    np.int64,
)


@kernel
def relabel_cards(cards: Int, order: Int) -> Int:
    """A set of cards, or two side by side, with its suits relabelled."""
    if order == 0:
        return cards
    moved = (cards ^ (cards >> 18)) & SWAPS[order, 0]
    cards = cards ^ moved ^ (moved << 18)
    moved = (cards ^ (cards >> 6)) & SWAPS[order, 1]
    cards = cards ^ moved ^ (moved << 6)
    moved = (cards ^ (cards >> 6)) & SWAPS[order, 2]
    return cards ^ moved ^ (moved << 6)


@kernel
def relabel_actions(actions: Int, order: Int) -> Int:
    """A set of actions with its suits relabelled."""
    if order == 0:
        return actions
    calls = actions & ~(ALL_CARDS | (15 << TRUMP))
    trumps = SUIT_SETS[order, (actions >> TRUMP) & 15] << TRUMP
    return calls | trumps | relabel_cards(actions & ALL_CARDS, order)


@kernel
def one_bit(n: Int) -> Int:
    """The set of one member, or of none if n is -1 (nobody, no card)."""
    return (1 << (np.int64(n) + 1)) >> 1
