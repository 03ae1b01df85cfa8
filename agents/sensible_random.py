"""`sensible_random`: bids the tricks it can count, then discards and plays any legal card.

A uniformly random agent bids ever higher until somebody reaches the top bid, so that beating it says
nothing about bidding. This agent bids reasonably and plays its cards at random.
"""

from typing import Any

import numpy as np

from hpenv.actions import BID, PASS, TRUMP, WITH_PARTNER
from hpenv.agents.agent import Actions, Streams, Views, check_asked
from hpenv.agents.options import read_options
from hpenv.cards import FOLLOWERS, JOKER, N_SUITS, RANKS, card_set, left_bower, right_bower
from hpenv.compiled import Int, count_bits, kernel, lowest_bit
from hpenv.rulebook import AUCTION, NAME_TRUMP, random_member

TOP_TRUMPS = np.array(
    [card_set([JOKER, right_bower(trump), left_bower(trump)]) for trump in range(N_SUITS)], np.int64
)
ACES = card_set(6 * suit + RANKS.index("A") for suit in range(N_SUITS))


class SensibleRandom:
    """Bids the tricks it can count and plays its cards at random."""

    def __init__(self, name: str = "sensible_random") -> None:
        self.name = name

    def act(self, views: Views, streams: Streams) -> Actions:
        check_asked(self, views, streams)
        actions = np.zeros(len(views), np.int64)
        act_sensibly(views, streams, actions)
        return actions


@kernel
def half_tricks(hand: Int, trump: Int) -> Int:
    """Likely tricks, in halves: Joker and bowers one each, other trumps and side aces half a trick."""
    trumps = hand & FOLLOWERS[trump, trump]
    return (
        count_bits(trumps) + count_bits(trumps & TOP_TRUMPS[trump]) + count_bits(hand & ACES & ~trumps)
    )


@kernel
def best_trump(hand: Int) -> Int:
    """The suit in which the hand counts most tricks; the first of equals."""
    best = np.int64(0)
    for suit in range(1, N_SUITS):
        if half_tricks(hand, suit) > half_tricks(hand, best):
            best = np.int64(suit)
    return best


@kernel
def sober_bid(view: Any) -> Int:
    """The likely tricks in the best suit, if that beats the standing bid; else pass, or the lowest bid
    where the dealer may not pass (R6)."""
    hand = np.int64(view.hand)
    tricks = min(half_tricks(hand, best_trump(hand)) // 2, np.int64(view.hand_size))
    if tricks > view.bid:
        return BID + tricks
    if (view.legal >> PASS) & 1:
        return np.int64(PASS)
    return lowest_bit(view.legal)


@kernel
def act_sensibly(views: Any, streams: Any, actions: Any) -> None:
    """Write an action for each view; never alone."""
    for i in range(len(views)):
        view = views[i]
        if view.phase == AUCTION:
            actions[i] = sober_bid(view)
        elif view.phase == NAME_TRUMP:
            actions[i] = TRUMP + best_trump(np.int64(view.hand))
        elif (view.legal >> WITH_PARTNER) & 1:
            actions[i] = WITH_PARTNER
        else:
            actions[i], streams[i] = random_member(view.legal, streams[i])


def make(spec: str, options: dict[str, str]) -> SensibleRandom:
    read_options(spec, options, {})
    return SensibleRandom(spec)
