"""Every deal of a small game, or one for each family that differs only in the names of suits."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from hpenv.cards import N_CARDS, pack
from hpenv.rulebook import deal
from hpenv.rules import Rules
from hpenv.seats import N_SEATS, NORTH
from hpenv.suits import ORDERS, RELABEL
from hpenv.table import Tables, new_tables

LARGEST = 2  # cards each: with three each there are 4.8 million deals with 200,000 ways to play each


def all_deals(rules: Rules, by_families: bool = True) -> tuple[Tables, NDArray[np.float64]]:
    """Tables (D,) with one deal each, North the dealer and the auction about to begin, and how likely
    each is, (D,).

    by_families: one deal stands for its family, the up to eight that differ only in the names of suits,
    colours kept together; else each stands for itself. Raises ValueError where there are too many.
    """
    check_size(rules)
    size = rules.hand_size
    cards = np.array(_ways_to_deal(frozenset(pack(size)), size, N_SEATS))
    orders = range(len(ORDERS) if by_families else 1)
    alike = np.min([_number(RELABEL[order][cards], size) for order in orders], axis=0)
    _, first, counts = np.unique(alike, return_index=True, return_counts=True)
    tables = new_tables(len(first), rules)
    tables["pack"][:, : cards.shape[1]] = cards[first]
    tables["dealer"] = NORTH
    for table in tables:
        deal(table)
    return tables, counts / counts.sum()


def check_size(rules: Rules) -> None:
    """Raise ValueError unless the game is small enough."""
    if rules.hand_size > LARGEST:
        raise ValueError(
            f"hand_size={rules.hand_size}: small games are solved with at most {LARGEST} cards each "
            f"(R20), as in the preset mini{LARGEST}"
        )


def _ways_to_deal(cards: frozenset[int], size: int, hands: int) -> list[tuple[int, ...]]:
    """The cards in the order of the hands, each hand sorted, and then the widow."""
    if not hands:
        return [tuple(cards)]
    return [
        (*hand, *rest)
        for hand in combinations(sorted(cards), size)
        for rest in _ways_to_deal(cards - set(hand), size, hands - 1)
    ]


def _number(cards: NDArray[np.uint8], size: int) -> NDArray[np.int64]:
    """One number (D,) for each deal in `cards` (D, 4 size + 1), the order within a hand left out."""
    hands = np.sort(cards[:, :-1].reshape(-1, N_SEATS, size), axis=2).reshape(len(cards), -1)
    number: NDArray[np.int64] = hands.astype(np.int64) @ N_CARDS ** np.arange(hands.shape[1])
    return number
