"""What the rule-based agent knows of hands before it sees the play: how many tricks they win.

The numbers are averages of deals that the agent played against itself, one row for each hand size.
`COUNTS` estimates the tricks a side wins when one of its hands is the maker's: a sum over the cards
kept, over its voids and so on. `LOSER_COUNTS` estimates how many tricks a hand wins against its will
when its owner goes alone and tries to lose them all.
"""

from typing import Any

import numpy as np

from hpenv.cards import N_CARDS, N_SUITS, RANKS, trump_order

Real = Any  # a number with a fraction in a kernel: float64 where compiled

# The entries of a row: the eight trumps from the Joker down (R12), side cards from the ace down, then
N_KINDS = 14
ANY_HAND = 14  # what every hand starts from
VOID = 15  # each side suit it has none of, holding a trump
SINGLE = 16  # each side suit it has one card of, holding a trump
LONG = 17  # each trump after the third
SHORT = 18  # fewer than two trumps


def _kinds() -> Any:
    """The entry of each card: [trump, card]."""
    kinds = np.zeros((N_SUITS, N_CARDS), np.int64)
    for trump in range(N_SUITS):
        for card in range(N_CARDS):
            order = trump_order(trump)
            kinds[trump, card] = order.index(card) if card in order else N_KINDS - 1 - card % len(RANKS)
    return kinds


KIND = _kinds()

COUNTS = np.array(
    [
        [0.0] * 19,
        # 1 card each
        [
            *(0.47, -0.20, -0.19, 0.00, 0.00, 0.00, 0.00, 0.00),
            *(0.00, 0.00, 0.00, 0.00, 0.00, 0.00),
            *(0.33, 0.06, 0.00, 0.00, 0.00),
        ],
        # 2 cards each
        [
            *(0.62, 0.16, -0.05, -0.15, 0.00, 0.00, 0.00, 0.00),
            *(0.04, 0.00, 0.00, 0.00, 0.00, 0.00),
            *(0.71, 0.17, -0.15, 0.00, -0.16),
        ],
        # 3 cards each
        [
            *(1.24, 0.82, 0.61, 0.51, 0.47, 0.00, 0.00, 0.00),
            *(0.13, 0.01, 0.00, 0.00, 0.00, 0.00),
            *(0.80, -0.15, -0.10, 0.00, -0.03),
        ],
        # 4 cards each
        [
            *(1.50, 1.03, 0.85, 0.78, 0.73, 0.70, 0.00, 0.00),
            *(0.26, 0.02, 0.02, 0.00, 0.00, 0.00),
            *(0.85, -0.27, -0.20, -0.13, 0.09),
        ],
        # 5 cards each
        [
            *(1.58, 1.15, 0.95, 0.83, 0.79, 0.76, 0.75, 0.00),
            *(0.39, 0.04, 0.02, 0.01, 0.00, 0.00),
            *(0.88, -0.25, -0.25, -0.08, 0.15),
        ],
        # 6 cards each
        [
            *(1.42, 1.10, 0.84, 0.69, 0.66, 0.62, 0.61, 0.59),
            *(0.48, 0.07, 0.03, 0.01, 0.00, 0.00),
            *(0.87, 0.11, -0.10, -0.01, 0.24),
        ],
    ]
)
LOSER_COUNTS = np.array(
    [
        [0.0] * 19,
        # 1 card each
        [
            *(0.32, 0.33, -0.35, 0.00, 0.00, 0.00, 0.00, 0.00),
            *(0.00, 0.00, 0.00, 0.00, 0.00, 0.00),
            *(0.00, 0.22, 0.00, 0.00, 0.00),
        ],
        # 2 cards each
        [
            *(0.58, 0.59, 0.09, -0.23, 0.00, 0.00, 0.00, 0.00),
            *(0.04, 0.00, 0.00, 0.00, 0.00, 0.00),
            *(0.29, 0.34, -0.30, 0.00, -0.31),
        ],
        # 3 cards each
        [
            *(1.93, 1.97, 1.52, 1.23, 1.04, 0.00, 0.00, 0.00),
            *(0.17, 0.04, 0.00, 0.00, 0.00, 0.00),
            *(-0.43, -0.47, -0.17, 0.00, 0.30),
        ],
        # 4 cards each
        [
            *(1.71, 1.68, 1.31, 1.04, 0.79, 0.64, 0.00, 0.00),
            *(0.33, 0.17, 0.08, 0.00, 0.00, 0.00),
            *(-0.43, -0.35, -0.10, 0.52, 0.06),
        ],
        # 5 cards each
        [
            *(1.62, 1.61, 1.24, 0.99, 0.81, 0.57, 0.48, 0.00),
            *(0.44, 0.30, 0.19, 0.08, 0.00, 0.00),
            *(-0.60, -0.31, -0.06, 0.58, -0.04),
        ],
        # 6 cards each
        [
            *(1.69, 1.65, 1.33, 1.09, 0.92, 0.75, 0.56, 0.48),
            *(0.55, 0.42, 0.34, 0.24, 0.13, 0.00),
            *(-1.12, -0.34, -0.06, 0.51, -0.02),
        ],
    ]
)

# By hand size: the tricks of a hand once it has the widow are a + b * those it counts without it.
WIDOW_TRICKS = np.array(
    [[0, 0], [0.25, 0.75], [0.57, 0.71], [0.67, 0.79], [0.78, 0.82], [0.86, 0.86], [0.86, 0.89]]
)
# The tricks a hand wins when its owner goes alone are a + b * those it counts with its partner.
ALONE_TRICKS = np.array(
    [[0, 0], [-0.50, 1.50], [-0.32, 1.20], [-0.90, 1.37], [-1.39, 1.40], [-1.92, 1.43], [-2.36, 1.43]]
)
# The part of a hand's losers that is left when it has taken the widow and discarded.
WIDOW_LOSERS = np.array([0, 0, 0.08, 0.19, 0.30, 0.41, 0.51])
# The tricks an average hand counts with the widow.
AVERAGE_TRICKS = np.array([0, 0.60, 1.39, 2.08, 2.76, 3.42, 4.02])
# How far the tricks won stray from the count: their standard deviation.
SPREAD = np.array([0.30, 0.44, 0.58, 0.72, 0.86, 1.00, 1.14])
