"""Worlds laid out for an average over them, and those in which a partner's hand is shown."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import reduce
from typing import Any

import numpy as np
import pytest

from hpenv.cards import CARD_TEXT, set_cards
from hpenv.rulebook import AUCTION, DEAL_OVER, DISCARD, NAME_TRUMP, PLAY
from hpenv.seats import NOBODY
from hpenv.view import view_of
from hpenv.worlds import count_worlds, lay_worlds, numbered_worlds
from random_deals import copy_of, positions
from table_talk import mixed
from world_counts import World, as_worlds, cards, deals_by_suits, even_positions, naive_suit, surprise


def laid(view: Any, shown: int, most: int, stream: int) -> tuple[list[World], bool]:
    """The worlds laid for an average, at most so many, and whether there are more ways."""
    hands, (discards, widows) = np.zeros((most, 4), np.int64), np.zeros((2, most), np.int8)
    _, n, are_more = lay_worlds(view, np.int64(shown), np.uint64(stream), hands, discards, widows)
    return as_worlds(hands[:n], discards[:n], widows[:n]), bool(are_more)


def worlds_with(view: Any, shown: int) -> list[World]:
    """All worlds of a view in which the partner holds what it has shown, if anything."""
    found = as_worlds(*numbered_worlds(view, np.arange(count_worlds(view))))
    return [world for world in found if shown in (0, world[(int(view.seat) + 2) % 4])]


def shown_positions() -> Iterator[tuple[Any, int, int]]:
    """Small and late positions, each as it is and with the partner's hand shown: table, seat, shown."""
    for number, (table, seat) in enumerate(even_positions()):
        if table.phase != DEAL_OVER and count_worlds(view_of(table, seat)) <= 2000:
            yield table, seat, 0
            yield table, seat, int(table.hands[(seat + 2) % 4])
            if number % 3 == 0 and table.phase in (NAME_TRUMP, DISCARD):
                yield table, (int(table.maker) + 2) % 4, int(table.hands[table.maker])


def test_each_way_once_where_there_is_room() -> None:
    """No way missing, none twice, none that belies what the partner has shown, the true one among them
    but for the widow; and the first way too many makes it a sample of as many as there is room for."""
    met, shrunk = set(), 0
    for number, (table, seat, shown) in enumerate(shown_positions()):
        view, where = view_of(table, seat), f"seat {seat}, shown {shown}\n{table}"
        possible = worlds_with(view, shown)
        ways = {world[:5] for world in possible}
        for room in (len(ways), len(ways) + 3):
            found, are_more = laid(view, shown, room, number)
            assert not are_more, where
            assert len(found) == len(ways), where
            assert {world[:5] for world in found} == ways, where
            assert set(found) <= set(possible), where
        assert (*table.hands.tolist(), int(table.discard)) in ways
        if len(ways) > 1:
            found, are_more = laid(view, shown, len(ways) - 1, number)
            assert are_more, where
            assert len(found) == len(ways) - 1
            assert set(found) <= set(possible), where
        shrunk += 0 < len(possible) < count_worlds(view)
        met.add((int(table.phase), shown != 0, table.maker == (seat + 2) % 4))
    assert shrunk > 30
    assert met >= {(phase, True, True) for phase in (NAME_TRUMP, DISCARD, PLAY)}
    assert met >= {(phase, True, False) for phase in (AUCTION, NAME_TRUMP, DISCARD, PLAY)}


def test_a_sample_is_even_and_so_is_the_widow() -> None:
    """Half as many as there are ways, drawn many times: every world as likely as any other; and where
    each way comes once, each widow as often as any other."""
    samples, widows = [], []
    for number, (table, seat, shown) in enumerate(shown_positions()):
        view = view_of(table, seat)
        possible = worlds_with(view, shown)
        ways = len({world[:5] for world in possible})
        if not 20 <= len(possible) <= 700 or ways < 2 or number % 2:
            continue
        times = range(40 * len(possible) // ways + 1)
        drawn = [laid(view, shown, ways // 2, (number << 16) + i)[0] for i in times]
        samples.append(surprise(list(itertools.chain(*drawn)), len(possible)))
        if len(possible) > ways:
            drawn = [laid(view, shown, ways, (number << 16) + i)[0] for i in range(1000)]
            first = [worlds[0][5:] for worlds in drawn]
            widows.append(surprise(first, len(possible) // ways))
    assert len(samples) > 30
    assert len(widows) > 10
    for found in (samples, widows):
        assert max(found) < 5
        assert abs(np.mean(found)) < 0.6


@pytest.mark.parametrize("name", ["standard", "house", "five cards"])
def test_a_shown_hand_in_deals_of_many_cards(name: str) -> None:
    """In every phase, for every seat: the worlds are the seat's worlds, its partner's hand is in all of
    them, and they are as many as a count in another way finds."""
    for number, table in enumerate(positions(name, 16, 3)):
        seat = number % 4
        partner, view = (seat + 2) % 4, view_of(table, seat)
        shown = int(table.hands[partner])
        worlds, are_more = laid(view, shown, 20, number)
        open_table = copy_of(table)
        # The seat's own hand, and its partner's as if it had been played: nothing else is unseen.
        unseen = [s for s in range(4) if s not in (seat, partner)]
        left = [len(set_cards(table.hands[s])) for s in unseen]
        assert worlds
        assert are_more == (ways_shown(open_table, seat, partner) > 20)
        for world in worlds:
            assert world[partner] == shown
            assert world[seat] == view.hand
            assert [len(set_cards(world[s])) for s in unseen] == left
            others = reduce(int.__or__, world[:4])
            assert others.bit_count() == sum(len(set_cards(hand)) for hand in table.hands)
            for s in range(4):
                for card in set_cards(world[s]):
                    suit = "CDHS".find(
                        naive_suit(CARD_TEXT[card], "CDHS"[table.trump] if table.trump < 4 else "none")
                    )
                    assert suit < 0 or s == seat or not int(table.voids) >> (4 * s + suit) & 1


def ways_shown(table: Any, seat: int, partner: int) -> int:
    """Ways to lay what neither of two partners holds: those of `deals_by_suits` when the partner's
    cards are played already, but for the widow."""
    taken = table.maker != NOBODY and table.phase != AUCTION
    gone = copy_of(table)
    gone.hands[partner] = 0
    n = deals_by_suits(gone, seat)
    return n // (int(table.hand_size) + 1 if taken and table.maker != seat else 1)


def test_what_cannot_have_been_shown_makes_no_world() -> None:
    """A card of one's own, one that has been played, a card too many; and a view of no deal."""
    done = "bid 3, pass, pass, pass, trump H, 9C, with partner, 9H, KH, JD, QC"
    table = mixed("standard", "W", done)
    view, true = view_of(table, 2), int(table.hands[0])
    lowest = true & -true
    assert laid(view, true, 5, 1)[0]
    for other in ("", "AD", "9H"):
        assert laid(view, true ^ lowest | cards(other), 5, 1) == ([], False)
    assert laid(view, true | cards("KC"), 5, 1) == ([], False)
    view.hand &= view.hand - 1
    assert laid(view, 0, 5, 1) == ([], False)
