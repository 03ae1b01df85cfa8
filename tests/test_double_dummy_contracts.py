"""The worth of contracts and their best discards, against an oracle that tries everything and against
the symmetries of the game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import minimax
from hpenv.actions import ACTION_TEXT, BID, BIG
from hpenv.cards import N_CARDS, set_cards
from hpenv.double_dummy import best_contracts, solve_tables
from hpenv.rulebook import DISCARD, PLAY, new_game
from hpenv.rules import get_rules
from hpenv.seats import NOBODY
from hpenv.suits import ORDERS, relabel_cards
from hpenv.table import TABLE, new_tables
from minimax import for_side
from random_deals import RULES, copy_of

SMALL: dict[str, Any] = {
    "house 3": {**get_rules("house").differences(), "hand_size": 3},
    "standard 4": {"hand_size": 4},
}


def contract(table: Any, maker: int, trump: int, bid: int, alone: bool) -> Iterator[tuple[int, Any]]:
    """Each discard of a maker with each table at the opening lead that comes of it."""
    for card in set_cards(int(table.hands[maker]) | 1 << int(table.widow)):
        after = copy_of(table)
        after.maker, after.bid, after.to_act, after.trump = maker, bid, maker, trump
        after.hands[maker] |= 1 << int(table.widow)
        after.phase = DISCARD
        after.step(card)
        for answer in ("alone", "with partner", "with partner") if alone else ("with partner",):
            if after.phase != PLAY:
                after.step(ACTION_TEXT.index(answer))
        yield card, after


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("name", ["mini2", "mini3", "one card", "house 3", "standard 4"])
def test_contracts_against_trying_everything(name: str, alone: bool) -> None:
    """Every maker, trump and discard of small deals, in tricks and in points of every bid."""
    rules = get_rules({**RULES, **SMALL}[name])
    tables = new_tables(2, rules, seed=7)
    bids = [*range(rules.hand_size + 1), *([BIG] if rules.bidding == "pepper" else [])]
    for table in tables:
        new_game(table, NOBODY, 0, 0)
    for bid in bids:
        contracts = best_contracts(tables, bid, alone)
        every = best_contracts(tables, bid, alone, each_discard=True)
        np.testing.assert_array_equal(every.values, contracts.values)
        np.testing.assert_array_equal(every.discards, contracts.discards)
        assert contracts.each_discard is None
        for i, table in enumerate(tables):
            for maker in range(4):
                for trump in range(4):
                    check_contract(every, i, table, maker, trump, bid, alone)


def check_contract(
    contracts: Any, i: int, table: Any, maker: int, trump: int, bid: int, alone: bool
) -> None:
    """The best of all discards is worth what is said, and the discard named is a best one."""
    objective = "points" if bid else "tricks"
    worth = {}
    for card, after in contract(table, maker, trump, max(bid, 1), alone):
        value = minimax.value(after, minimax.payoffs(after, objective))
        worth[card] = for_side(after, maker, objective, value)
    where = f"{table}\nmaker {maker} {ACTION_TEXT[BID + max(bid, 1)]} trump {trump}"
    assert contracts.values[i, maker, trump] == max(worth.values()), where
    assert worth[int(contracts.discards[i, maker, trump])] == max(worth.values()), where
    row = contracts.each_discard[i, maker, trump]
    assert {c: row[c] for c in np.flatnonzero(~np.isnan(row)).tolist()} == worth, where


def test_contracts_of_whole_deals() -> None:
    """With six cards, against solving the play after each of the seven discards."""
    tables = new_tables(3, get_rules("standard"), seed=8)
    for table in tables:
        new_game(table, NOBODY, 0, 0)
    for bid in (0, 2, 5):
        contracts = best_contracts(tables, bid)
        for i, table in enumerate(tables):
            for maker in range(4):
                for trump in range(4):
                    cards, after = zip(*contract(table, maker, trump, max(bid, 1), False), strict=True)
                    objective = "points" if bid else "tricks"
                    values = solve_tables(np.array(list(after), TABLE), objective)
                    apart = maker ^ int(after[0].to_act)  # values are of the side that leads
                    worth = [for_side(after[0], apart, objective, int(v)) for v in values]
                    assert contracts.values[i, maker, trump] == max(worth)
                    named = cards.index(int(contracts.discards[i, maker, trump]))
                    assert worth[named] == max(worth)


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("bid", [0, 4, BIG])
def test_contracts_with_seats_turned_and_suits_renamed(bid: int, alone: bool) -> None:
    """The makers and the trumps change places, and nothing else."""
    tables = new_tables(8, get_rules("house"), seed=13)
    for table in tables:
        new_game(table, NOBODY, 0, 0)
    assert len(set(tables["dealer"].tolist())) > 2
    found = best_contracts(tables, bid, alone, each_discard=True)
    for by in (1, 2, 3):
        moved = tables.copy()
        moved["hands"] = np.roll(tables["hands"], by, axis=1)
        moved["dealer"] = (tables["dealer"] + by) % 4
        same = best_contracts(moved, bid, alone, each_discard=True)
        np.testing.assert_array_equal(same.values, np.roll(found.values, by, axis=1))
        np.testing.assert_array_equal(same.each_discard, np.roll(found.each_discard, by, axis=1))
    for order in range(1, 8):
        moved = tables.copy()
        for table in moved:
            table.hands[:] = [relabel_cards(int(hand), order) for hand in table.hands]
            table.widow = set_cards(relabel_cards(1 << int(table.widow), order))[0]
        same = best_contracts(moved, bid, alone, each_discard=True)
        trumps = [int(trump) for trump in ORDERS[order]]
        new_number = [set_cards(relabel_cards(1 << c, order))[0] for c in range(N_CARDS)]
        np.testing.assert_array_equal(same.values[:, :, trumps], found.values)
        renamed = same.each_discard[:, :, trumps][..., new_number]
        np.testing.assert_array_equal(renamed, found.each_discard)
