"""The 25 cards as numbers, sets of cards as bits, and what trump does to them.

A card is 6 * suit + rank with suits C D H S = 0..3 and ranks 9 T J Q K A = 0..5; the Joker is 24 (R2).
A set of cards is an integer whose bit `c` says whether card `c` is in it. Two suits `s` and `3 - s`
have one colour. Tables are indexed by trump first; `NO_SUIT` stands for "no trump named yet" and for
"no suit led yet".
"""

from collections.abc import Iterable

import numpy as np

from hpenv.compiled import count_bits, lowest_bit

N_CARDS = 25
N_SUITS = 4
MAX_HAND_SIZE = 6
JOKER = 24
NO_CARD = -1
NO_SUIT = 4

RANKS = "9TJQKA"
SUITS = "CDHS"
SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades", "no suit")
JACK = RANKS.index("J")
BEST_RANKS_FIRST = "JAKQT9"  # the order in which small games keep ranks (R20)

ALL_CARDS = (1 << N_CARDS) - 1


def right_bower(trump: int) -> int:
    """The jack of trumps (R12)."""
    return 6 * trump + JACK


def left_bower(trump: int) -> int:
    """The other jack of the trump suit's colour (R12)."""
    return 6 * (3 - trump) + JACK


def trump_order(trump: int) -> list[int]:
    """The trumps, best first (R12): Joker, right bower, left bower, A K Q 10 9."""
    plain = [6 * trump + RANKS.index(rank) for rank in "AKQT9"]
    return [JOKER, right_bower(trump), left_bower(trump), *plain]


def pack(hand_size: int = MAX_HAND_SIZE) -> list[int]:
    """The 4k + 1 cards of the game with hands of k: the k best of J A K Q 10 9 in each suit (R20)."""
    kept = sorted(RANKS.index(rank) for rank in BEST_RANKS_FIRST[:hand_size])
    return [6 * suit + rank for suit in range(N_SUITS) for rank in kept] + [JOKER]


def _suit_followed(trump: int, card: int) -> int:
    if trump != NO_SUIT and card in trump_order(trump):
        return trump
    return NO_SUIT if card == JOKER else card // 6


def _strength(trump: int, led: int, card: int) -> int:
    if trump != NO_SUIT and card in trump_order(trump):
        return 15 - trump_order(trump).index(card)
    return 1 + card % 6 if _suit_followed(trump, card) == led else 0


_SUITS_AND_NONE = range(N_SUITS + 1)

# The suit a card belongs to for leading and following: [trump, card] (R12).
SUIT_FOLLOWED = np.array(
    [[_suit_followed(t, c) for c in range(N_CARDS)] for t in _SUITS_AND_NONE], np.int8
)
# The set of cards that follow a suit: [trump, suit]. Nothing follows NO_SUIT.
FOLLOWERS = np.array(
    [
        [
            sum(1 << c for c in range(N_CARDS) if _suit_followed(t, c) == s and s != NO_SUIT)
            for s in _SUITS_AND_NONE
        ]
        for t in _SUITS_AND_NONE
    ],
    np.int64,
)
# What a card is worth in a trick, higher wins, 0 cannot win: [trump, suit led, card] (R13).
STRENGTH = np.array(
    [
        [[_strength(t, led, c) for c in range(N_CARDS)] for led in _SUITS_AND_NONE]
        for t in _SUITS_AND_NONE
    ],
    np.int8,
)
# The pack of each hand size, padded with NO_CARD: [hand size, position] (R20).
PACKS = np.array(
    [
        (pack(k) + [NO_CARD] * N_CARDS)[:N_CARDS] if k else [NO_CARD] * N_CARDS
        for k in range(MAX_HAND_SIZE + 1)
    ],
    np.int8,
)

CARD_TEXT = [rank + suit for suit in SUITS for rank in RANKS] + ["Jo"]
_CARD_NUMBER = {text: card for card, text in enumerate(CARD_TEXT)}


def card_text(card: int) -> str:
    """`TH`, `AS`, `Jo`."""
    return CARD_TEXT[card]


def parse_card(text: str) -> int:
    """The number of a card written rank then suit; `10H` is taken for `TH`, letters of any case.

    Raises ValueError for anything else.
    """
    card = _CARD_NUMBER.get(text)
    if card is not None:
        return card
    word = text.strip()
    card = _CARD_NUMBER.get(word.upper().replace("10", "T").replace("JO", "Jo"))
    if card is None:
        raise ValueError(f"no such card: {text!r} (write rank then suit, as in TH or AS, or Jo)")
    return card


def card_set(cards: Iterable[int]) -> int:
    """Cards as a set of bits.

    >>> set_text(card_set([24, 0, 8]))
    '9C JD Jo'
    """
    return sum(1 << card for card in set(cards))


def set_cards(cards: int) -> list[int]:
    """The cards of a set, lowest number first."""
    cards = int(cards)
    found = []
    for _ in range(count_bits(cards)):
        found.append(int(lowest_bit(cards)))
        cards &= cards - 1
    return found


def set_text(cards: int) -> str:
    """The cards of a set in notation, as in `9C JH Jo`; `-` for none."""
    return " ".join(card_text(card) for card in set_cards(cards)) or "-"


# The pack of each hand size as a set of cards; empty for 0.
PACK_SETS = np.array([card_set(pack(k)) if k else 0 for k in range(MAX_HAND_SIZE + 1)], np.int64)
