"""The observation keeps the symmetries of the game: seats turned, suits renamed."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from hpenv.actions import ACTION_TEXT, FACE_DOWN, N_ACTIONS
from hpenv.cards import NO_CARD, NO_SUIT, SUITS, card_set, parse_card, set_cards
from hpenv.decoder import turn
from hpenv.observation import (
    HIDDEN_SIZE,
    LAYOUT,
    OBSERVATION_SIZE,
    PIECES,
    observe,
    observe_each,
    write_hidden,
    write_history,
    write_mask,
    write_observation,
)
from hpenv.rulebook import deal
from hpenv.rules import get_rules
from hpenv.seats import NOBODY
from hpenv.suits import ORDERS, RELABEL, UNLABEL, suit_order
from hpenv.table import HISTORY, TABLE, new_tables
from hpenv.view import VIEW, see_each, view_of
from random_deals import RULES, positions


def test_all_the_ways_to_write_agree() -> None:
    """float32 equals int8, many equal one, whatever stood in the array before."""
    views = np.zeros(4, VIEW)
    for table in positions("house", 3, 5):
        see_each(np.array([table] * 4, TABLE), np.arange(4), views)
        for relabelled in (False, True):
            for dtype in (np.int8, np.float32):
                out = np.full((4, OBSERVATION_SIZE), 7, dtype)
                masks, orders = np.full((4, N_ACTIONS), 7, np.int8), np.full(4, 7)
                observe_each(views, relabelled, out, masks, orders)
                for view, row, mask, order in zip(views, out, masks, orders, strict=True):
                    assert order == (suit_order(view) if relabelled else 0)
                    assert [row.tolist(), mask.tolist()] == relabelled_by(view, order)[:2]
                    if not relabelled:
                        assert observe(view, dtype).tolist() == row.tolist()


def relabelled_by(view: Any, order: int) -> list[list[int]]:
    """Observation, mask and tokens with the suits relabelled by an order."""
    out, mask = np.zeros(OBSERVATION_SIZE, np.int8), np.zeros(N_ACTIONS, np.int8)
    tokens = np.full(HISTORY, 9, np.uint8)
    write_observation(view, order, out)
    legal = write_mask(view, order, mask)
    write_history(view, order, tokens)
    assert set_cards(legal) == np.flatnonzero(mask).tolist()
    return [out.tolist(), mask.tolist(), tokens.tolist()]


NAMINGS = ["".join(p) for p in itertools.permutations(SUITS) if {p[0], p[3]} in ({*"CS"}, {*"DH"})]


def renamed(action: int, suits: str) -> int:
    """An action with clubs, diamonds, hearts, spades called by the four letters of `suits`."""
    text = ACTION_TEXT[action]
    return ACTION_TEXT.index(text.translate(str.maketrans(SUITS, suits)) if text[-1] in SUITS else text)


def replayed(name: str, seed: int, deals: int, k: int, suits: str) -> Iterator[tuple[Any, Any]]:
    """A table through some deals, and beside it one where the same is dealt and done k seats further
    on, with the suits called by the letters of `suits`."""
    other = new_tables(1, get_rules(RULES[name]))[0]
    for table in positions(name, seed, deals):
        if table.history_length == 0:
            n = int(table.hand_size)
            cards = [renamed(card, suits) for card in table.pack[: 4 * n + 1].tolist()]
            other.pack[: 4 * n + 1] = [*np.roll(cards[:-1], k * n), cards[-1]]
            other.dealer = (table.dealer + k) % 4
            other.score = np.roll(table.score, k)
            other.deals_played, other.winner = table.deals_played, NOBODY
            deal(other)
        else:
            last = int(table.history[table.history_length - 1])
            other.step(renamed(int(table.discard) if last == FACE_DOWN else last, suits))
        yield table, other


def hidden_from(table: Any, seat: int, order: int) -> list[int]:
    """The hidden part of a seat."""
    out = np.zeros(HIDDEN_SIZE, np.int8)
    write_hidden(table, seat, order, out)
    return out.tolist()


@pytest.mark.parametrize("name", RULES)
def test_turning_the_table_changes_no_observation(name: str) -> None:
    """Cards, dealer and score moved k seats on: seat s + k sees what seat s saw."""
    for k in (1, 2, 3):
        for table, turned in replayed(name, 6 + k, 3, k, SUITS):
            for seat in range(4):
                view, same = view_of(table, seat), view_of(turned, (seat + k) % 4)
                assert turn(view, k).tobytes() == same.tobytes(), f"{view}\n{same}"
                order = suit_order(view)
                assert order == suit_order(same)
                assert relabelled_by(view, 0) == relabelled_by(same, 0)
                assert hidden_from(table, seat, order) == hidden_from(turned, (seat + k) % 4, order)


def test_the_eight_orders_are_the_namings_that_keep_colours_together() -> None:
    """Order 0 changes nothing, RELABEL renames all actions as the letters say, UNLABEL goes back."""
    found = ["".join(SUITS[new] for new in order) for order in ORDERS]
    assert found[0] == SUITS
    assert sorted(found) == sorted(NAMINGS)
    assert len(NAMINGS) == 8
    for o, suits in enumerate(found):
        assert RELABEL[o].tolist() == [*(renamed(a, suits) for a in range(N_ACTIONS)), FACE_DOWN]
        assert UNLABEL[o][RELABEL[o]].tolist() == list(range(N_ACTIONS + 1))


def places_by(order: int) -> list[int]:
    """Where each place of the observation goes when cards are relabelled and suits are too."""
    places = []
    for name, size, _ in PIECES:
        start = LAYOUT[name].start
        if name in ("trump", "led_suit", "voids"):
            places += [start + i - i % 4 + int(ORDERS[order, i % 4]) for i in range(size)]
        elif size % 25 == 0:
            places += [start + i - i % 25 + int(RELABEL[order, i % 25]) for i in range(size)]
        else:
            places += range(start, start + size)
    return places


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("order", range(8))
def test_renaming_the_suits_permutes_the_numbers_and_no_more(name: str, order: int) -> None:
    """Written in any order, a deal is the renamed deal as dealt, and the same numbers elsewhere. In its
    own `suit_order` every renaming of it comes out the same."""
    suits, places = "".join(SUITS[new] for new in ORDERS[order]), places_by(order)
    for table, other in replayed(name, 10 + order, 3, 0, suits):
        for seat in range(4):
            view, same = view_of(table, seat), view_of(other, seat)
            dealt_so, relabelled = relabelled_by(same, 0), relabelled_by(view, order)
            assert dealt_so == relabelled, f"{view}\n{same}"
            assert np.take(dealt_so[0], places).tolist() == relabelled_by(view, 0)[0]
            assert np.take(dealt_so[1], RELABEL[order, :-1]).tolist() == relabelled_by(view, 0)[1]
            assert hidden_from(other, seat, 0) == hidden_from(table, seat, order)
            seen = relabelled_by(view, suit_order(view))
            assert seen == relabelled_by(same, suit_order(same)), f"{view}\n{same}"
            if view.trump != NO_SUIT:
                assert seen[0][LAYOUT["trump"]] == [1, 0, 0, 0]


def best_suits(hand: str, trump: str = "") -> str:
    """Which suits the order of a hand calls suit 0 and suit 1."""
    view: Any = np.zeros(1, VIEW)[0]
    view.hand = card_set(parse_card(card) for card in hand.split())
    view.trump = SUITS.index(trump) if trump else NO_SUIT
    view.widow = view.discard = NO_CARD
    order = ORDERS[suit_order(view)].tolist()
    return SUITS[order.index(0)] + SUITS[order.index(1)]


def test_suit_order_puts_trumps_first_and_then_the_stronger_suit() -> None:
    """By hand: length, right bower, left bower, high cards; then the other colour's better suit."""
    assert best_suits("9C TC QC AH KH AS") == "CH"
    assert best_suits("9C TC QC AH KH AS", trump="H") == "HS"
    assert best_suits("9C TC QC AH KH AS", trump="D") == "DS"
    assert best_suits("9C TC QC AD KD AS", trump="C") == "CD"
    assert best_suits("JC JS AH KH QD TD") == "SH"  # two bowers each way: the spade jack is higher
    assert best_suits("JD 9D AS KS 9H") == "DS"  # the left bower makes hearts two as well
    assert best_suits("JC 9C AH KH") == "CH"  # two each: the right bower decides
    assert best_suits("AC KC AH QH") == "CH"  # the higher second card


def test_between_suits_held_alike_what_has_been_seen_decides() -> None:
    """Where the hand holds the two other suits alike but the table has shown more of one, suit 1 is now
    the one and now the other: the test above is not empty there."""
    counts: Counter[bool] = Counter()
    for name in ("standard", "mini2", "mini3"):
        for table in positions(name, 20, 40):
            for seat in range(4):
                view = view_of(table, seat)
                if view.trump == NO_SUIT or table.history_length % 5:
                    continue
                one, two = (1, 2) if view.trump in (0, 3) else (0, 3)
                alike = (view.hand >> 6 * one) & 63 == (view.hand >> 6 * two) & 63
                swapped = ORDERS.tolist().index(
                    [{one: two, two: one}.get(suit, suit) for suit in range(4)]
                )
                symmetric = relabelled_by(view, swapped) == relabelled_by(view, 0)
                if alike and not symmetric:
                    counts[bool(ORDERS[suit_order(view), one] == 1)] += 1
    assert counts[True] > 20
    assert counts[False] > 20
