"""Worlds as sets of cards, positions with few of them, and how many there are, counted suit by suit."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

import naive_rules
from hpenv.cards import CARD_TEXT, NO_CARD, card_set, parse_card, set_cards
from hpenv.rulebook import AUCTION, DEAL_OVER
from hpenv.seats import NOBODY
from random_deals import choose, copy_of, positions
from table_talk import mixed, say

World = tuple[int, ...]  # the four hands as sets, the discard, the widow


def as_worlds(hands: Any, discards: Any, widows: Any) -> list[World]:
    """The worlds of three arrays, one after the other."""
    rows = np.column_stack([hands, discards, widows]).tolist()
    return [tuple(row) for row in rows]


def cards(text: str) -> int:
    """A set of cards written in notation."""
    return card_set(parse_card(word) for word in text.split())


def named(text: str) -> set[str]:
    """The texts of cards written in notation."""
    return set(text.split())


def late_positions(seed: int) -> Iterator[Any]:
    """The last trick and the end of a deal of six cards whose maker, East, has put away the Joker."""
    rng = random.Random(f"late {seed}")
    table = mixed("pepper", "N", "bid 3, pass, pass, pass, trump H, Jo")
    say(table, rng.choice(["alone", "with partner"]))
    while table.phase != DEAL_OVER:
        table.step(choose(table, rng))
        if table.tricks_played >= 5:
            yield copy_of(table)


def deals_by_suits(table: Any, seat: int) -> int:
    """How many deals the seat must think possible: the hands are filled one after another, each with
    so many cards of each suit, and what is left lies face down."""
    taken = table.maker != NOBODY and table.phase != AUCTION
    mine = taken and table.maker == seat
    hidden = [set_cards(table.hands[s]) for s in range(4) if s != seat]
    sizes = [len(hand) for hand in hidden]
    barred = [int(table.voids) >> 4 * s & 15 for s in range(4) if s != seat]
    unseen = list(itertools.chain(*hidden))
    down = int(table.discard if taken else table.widow)
    if not mine and down != NO_CARD:
        unseen.append(down)
    trump = "CDHS"[table.trump] if table.trump < 4 else "none"
    suits = ["CDHS".find(naive_suit(CARD_TEXT[card], trump)) for card in unseen]
    amounts = tuple(suits.count(suit) for suit in range(-1, 4))  # the Joker alone before trump is named
    factor = int(table.hand_size) + 1 if taken and not mine else 1
    return factor * fillings(amounts, tuple(sizes), tuple(barred))


def naive_suit(card: str, trump: str) -> str:
    """The suit the oracle counts a card to, `o` for the Joker before there is a trump."""
    return card[1] if trump == "none" else naive_rules.suit_followed(card, trump)


@cache
def fillings(amounts: tuple[int, ...], sizes: tuple[int, ...], barred: tuple[int, ...]) -> int:
    """Ways to fill the hands in turn from so many cards of each suit, the first being suitless."""
    if not sizes:
        return 1
    total = 0
    free = [0 if suit and barred[0] >> (suit - 1) & 1 else n for suit, n in enumerate(amounts)]
    for taken in itertools.product(*(range(min(n, sizes[0]) + 1) for n in free)):
        if sum(taken) == sizes[0]:
            ways = math.prod(math.comb(n, t) for n, t in zip(amounts, taken, strict=True))
            left = tuple(n - t for n, t in zip(amounts, taken, strict=True))
            total += ways * fillings(left, sizes[1:], barred[1:])
    return total


def surprise(found: list[World], n: int) -> float:
    """How many standard deviations the chi-square of worlds drawn lies from what even chances give."""
    counts = np.unique(np.array(found), axis=0, return_counts=True)[1]
    expected = len(found) / n
    square = ((counts - expected) ** 2).sum() / expected + (n - len(counts)) * expected
    return float((square - (n - 1)) / math.sqrt(2 * (n - 1)))


def even_positions() -> Iterator[tuple[Any, int]]:
    """Positions of all phases with some tens to some thousands of worlds, and a seat."""
    for name, seed, deals in (("mini2", 8, 4), ("one card", 8, 6)):
        for number, table in enumerate(positions(name, seed, deals)):
            yield copy_of(table), number % 4
    for table in late_positions(2):
        for seat in range(4):
            yield table, seat
