"""The solver against an oracle that tries everything, and against the symmetries of the game."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import minimax
import naive_rules
from hpenv.actions import ACTION_TEXT, ALONE, BID, BIG_PEPPER, PASS, TRUMP, WITH_PARTNER
from hpenv.cards import CARD_TEXT, N_CARDS, NO_CARD, card_set, parse_card, set_cards
from hpenv.double_dummy import best_contracts, solve, solve_all_cards, solve_tables
from hpenv.double_dummy_search import new_memory
from hpenv.notation import record_of
from hpenv.rulebook import AUCTION, DEAL_OVER, PLAY, legal_actions, new_game
from hpenv.rules import PRESETS, get_rules
from hpenv.seats import NOBODY
from hpenv.suits import ORDERS, relabel_cards
from hpenv.table import TABLE, new_tables
from minimax import for_side
from places import SOLVED, TESTS
from plain_python import said_compiled_and_plain
from random_deals import RULES, copy_of, positions

OBJECTIVES = ("tricks", "points")


def in_play(name: str, seed: int, deals: int, left: Any) -> Any:
    """The positions of some random deals in which so many tricks are left, as an array of tables."""
    found = [
        copy_of(table)
        for table in positions(name, seed, deals)
        if table.phase == PLAY and table.hand_size - table.tricks_played in left
    ]
    return np.array(found, TABLE)


def tried(table: Any, objective: str) -> dict[int, int]:
    """Each legal card's value for the seat to act, by trying everything after it."""
    payoffs, seat = minimax.payoffs(table, objective), int(table.to_act)
    found = {}
    for card in set_cards(legal_actions(table)):
        after = copy_of(table)
        after.step(card)
        value = payoffs[after.tricks[0]] if after.phase == DEAL_OVER else minimax.value(after, payoffs)
        found[card] = for_side(table, seat, objective, value)
    return found


def check_all_cards(tables: Any, objective: str) -> None:
    """The solver's value of each table and of each card there is the oracle's."""
    values, cards = solve_tables(tables, objective), solve_all_cards(tables, objective)
    for table, value, row in zip(tables, values, cards, strict=True):
        expected = tried(table, objective)
        assert {c: row[c] for c in np.flatnonzero(~np.isnan(row)).tolist()} == expected, str(table)
        assert value == max(expected.values()), str(table)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", RULES)
def test_endings_against_trying_everything(name: str, objective: str) -> None:
    """Every card of every position with one to four tricks left, loners and mid-trick included."""
    tables = in_play(name, 1, 150, (1, 2, 3, 4))
    assert len(tables) > 100
    check_all_cards(tables, objective)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", ["standard", "house", "five cards", "set_bid"])
def test_longer_endings_against_trying_everything(name: str, objective: str) -> None:
    """The same with five tricks left."""
    check_all_cards(in_play(name, 2, 60, (5,)), objective)


def test_every_kind_of_trick_is_met() -> None:
    """Those endings have tricks of four, three and two cards, and two absent seats side by side."""
    tables = np.concatenate([in_play(name, 1, 150, (3, 4)) for name in ("standard", "house")])
    absent = set(tables["sitting_out"].tolist())
    assert {0, 1, 2, 4, 8} <= absent
    assert absent & {0b0011, 0b0110, 0b1100, 0b1001}
    assert set(tables["cards_in_trick"].tolist()) == {0, 1, 2, 3}
    assert set(tables["trump"].tolist()) == {0, 1, 2, 3}


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_oracle_itself_plays_by_the_naive_rules(objective: str) -> None:
    """Cutting off and bit sets apart, it finds what the naive deal finds when really played out."""
    for name in ("standard", "house"):
        for table in in_play(name, 3, 12, (1, 2)):
            deal = naive_rules.NaiveDeal(
                get_rules(RULES[name]).differences(),
                "NESW"[table.dealer],
                {
                    "NESW"[seat]: [CARD_TEXT[c] for c in hand]
                    for seat, hand in enumerate(record_of(table).hands)
                },
                CARD_TEXT[table.widow],
            )
            for action in record_of(table).actions:
                deal.do(ACTION_TEXT[action])
            value = played_out(deal, objective, deal.tricks[0])
            assert minimax.value(table, minimax.payoffs(table, objective)) == value, str(table)


def played_out(deal: Any, objective: str, already: int) -> int:
    """What North-South get of a naive deal, every way of playing on looked at."""
    if deal.points is not None:
        won = deal.tricks[0] - already
        return won if objective == "tricks" else deal.points[0] - deal.points[1]
    values = []
    for card in deal.legal():
        after = copy.deepcopy(deal)
        after.do(card)
        values.append(played_out(after, objective, already))
    return max(values) if deal.turn in "NS" else min(values)


def test_solved_deals() -> None:
    """Whole deals with all their answers: each trump, each leader."""
    lines = SOLVED.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 100
    for line in lines:
        cards, answers = line.split(" = ")
        hands = [card_set(parse_card(card) for card in hand.split()) for hand in cards.split("/")]
        tables = np.array([opening(hands, t, leader) for t in range(4) for leader in range(4)], TABLE)
        values = solve_tables(tables)
        values[1::2] = 6 - values[1::2]  # East and West lead
        assert "".join(map(str, values)) == answers.replace(" ", ""), line


def opening(hands: list[int], trump: int, leader: int) -> Any:
    """A table at the opening lead with these hands."""
    table = new_tables(1, get_rules("standard"))[0]
    new_game(table, (leader + 3) % 4, 0, 0)
    table.hands[:] = hands
    table.maker, table.bid, table.trump, table.phase = 0, 3, trump, PLAY
    table.leader = table.to_act = leader
    return table


def dealt(k: int, seed: int, loners: str) -> Any:
    """A random deal of k cards each at the opening lead, with partner or with one or two loners, under
    rules where everything doubles; every other one loses its bid when set (R15)."""
    penalty = ("tricks_won", "bid")[seed % 2]
    rules = {**get_rules("house").differences(), "hand_size": k, "set_penalty": penalty}
    table = new_tables(1, get_rules(rules), seed)[0]
    new_game(table, NOBODY, 0, 0)
    rng = random.Random(f"{k} {seed}")
    for action in [PASS] * rng.randrange(4) + [rng.choice([*range(BID + 1, BID + k + 1), BIG_PEPPER])]:
        if legal_actions(table) >> action & 1:
            table.step(action)
    while table.phase == AUCTION:
        table.step(PASS)
    table.step(TRUMP + rng.randrange(4))
    table.step(rng.choice(set_cards(legal_actions(table))))
    table.step(WITH_PARTNER if loners == "none" else ALONE)
    asked_second = rng.random() < 0.5
    while table.phase != PLAY:
        last = table.to_act == (table.maker + 3) % 4
        table.step(ALONE if loners == "two" and last >= asked_second else WITH_PARTNER)
    return table


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("loners", ["none", "one", "two"])
@pytest.mark.parametrize("k", range(1, 7))
def test_whole_deals_of_every_size_against_trying_everything(
    k: int, loners: str, objective: str
) -> None:
    """Every opening lead of one to six cards each."""
    tables = np.array([dealt(k, seed, loners) for seed in range(12 if k == 6 else 24)], TABLE)
    assert {bin(alone).count("1") for alone in tables["alone"]} == {
        {"none": 0, "one": 1, "two": 2}[loners]
    }
    check_all_cards(tables, objective)


def whole_deals(name: str, seed: int, n: int) -> Iterator[Any]:
    """Tables at the opening lead."""
    found = 0
    for table in positions(name, seed, 1000):
        if table.phase == PLAY and table.tricks_played == table.cards_in_trick == 0:
            yield copy_of(table)
            found += 1
            if found == n:
                return


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", PRESETS)
def test_a_best_card_keeps_the_value_to_the_end(name: str, objective: str) -> None:
    """Along a line of best cards nothing is gained or lost, a worse card loses what it is said to lose,
    and at the end the table's own count agrees."""
    rng = random.Random(name)
    memory = new_memory()
    for table in whole_deals(name, 4, 40):
        while table.phase == PLAY:
            seat, won = int(table.to_act), int(table.tricks[table.to_act & 1])
            values = solve_all_cards(np.array([table], TABLE), objective, memory)[0]
            assert solve_tables(np.array([table], TABLE), objective)[0] == np.nanmax(values)
            careless = rng.random() < 0.3
            wanted = (
                rng.choice(set_cards(legal_actions(table))) if careless else int(np.nanargmax(values))
            )
            before = str(table)
            table.step(wanted)
            if table.phase == DEAL_OVER:
                came = int(table.points[seat & 1] - table.points[1 - (seat & 1)])
                if objective == "tricks":
                    came = int(table.tricks[seat & 1]) - won
            else:
                came = int(solve_tables(np.array([table], TABLE), objective, memory)[0])
                if (int(table.to_act) ^ seat) & 1:
                    left = int(table.hand_size - table.tricks_played)
                    came = left - came if objective == "tricks" else -came
                if objective == "tricks":
                    came += int(table.tricks[seat & 1]) - won
            assert came == values[wanted], f"{before}\n{CARD_TEXT[wanted]}"


def turned(table: Any, by: int) -> Any:
    """The same position with every seat moved on."""
    other = copy_of(table)
    for field in ("hands", "trick"):
        other[field] = np.roll(table[field], by)
    for field in ("to_act", "leader", "maker", "winning_seat"):
        if table[field] != NOBODY:
            other[field] = (int(table[field]) + by) % 4
    for field in ("alone", "sitting_out"):
        seats = int(table[field]) << by
        other[field] = (seats | seats >> 4) & 15
    other.tricks[:] = np.roll(table.tricks, by)
    return other


def relabelled(table: Any, order: int) -> Any:
    """The same position with its suits renamed."""
    other = copy_of(table)
    for seat in range(4):
        other.hands[seat] = relabel_cards(int(table.hands[seat]), order)
        if table.trick[seat] != NO_CARD:
            other.trick[seat] = set_cards(relabel_cards(1 << int(table.trick[seat]), order))[0]
    other.trump = ORDERS[order][table.trump]
    if table.led_suit < 4:
        other.led_suit = ORDERS[order][table.led_suit]
    return other


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", ["standard", "house", "five cards", "mini3", "mini2", "one card"])
def test_seats_turned_and_suits_renamed(name: str, objective: str) -> None:
    """Nothing depends on who sits where or on what the suits of a colour are called."""
    tables = in_play(name, 5, 25, range(1, 7))
    cards = solve_all_cards(tables, objective)
    for by in (1, 2, 3):
        same = solve_all_cards(np.array([turned(t, by) for t in tables], TABLE), objective)
        np.testing.assert_array_equal(same, cards)
    for order in range(1, 8):
        same = solve_all_cards(np.array([relabelled(t, order) for t in tables], TABLE), objective)
        new_number = [set_cards(relabel_cards(1 << c, order))[0] for c in range(N_CARDS)]
        np.testing.assert_array_equal(same[:, new_number], cards)


def test_one_table_told_in_full() -> None:
    """`solve` gives what the questions about many tables give, and the tricks of both sides."""
    for table in in_play("house", 12, 6, range(1, 7)):
        solution, one = solve(table), np.array([table], TABLE)
        side = int(table.to_act) & 1
        assert solution.seat == table.to_act
        assert solution.tricks.sum() == table.hand_size - table.tricks_played
        assert solution.tricks[side] == solve_tables(one, "tricks")[0]
        assert solution.points == solve_tables(one, "points")[0]
        np.testing.assert_array_equal(solution.card_tricks, solve_all_cards(one, "tricks")[0])
        np.testing.assert_array_equal(solution.card_points, solve_all_cards(one, "points")[0])


def test_a_memory_serves_any_deals() -> None:
    """Kept from rules to rules, deal to deal and objective to objective it never changes an answer."""
    memory = new_memory()
    groups = [in_play(name, 6, 10, range(1, 7)) for name in RULES]
    for tables in groups * 2:
        for objective in OBJECTIVES:
            np.testing.assert_array_equal(
                solve_tables(tables, objective, memory), solve_tables(tables, objective)
            )


# ---- bad arguments, plain Python --------------------------------------------------------------


def test_what_cannot_be_solved_is_refused() -> None:
    """No card to be played, an unknown objective, a bid that does not exist, a discard already made."""
    tables = new_tables(1, get_rules("mini3"))
    new_game(tables[0], 0, 0, 0)
    for ask in (solve_tables, solve_all_cards):
        with pytest.raises(ValueError, match="no card is to be played"):
            ask(tables)
    playing = in_play("mini3", 9, 1, (3,))
    with pytest.raises(ValueError, match="objective='win'"):
        solve_tables(playing, "win")
    with pytest.raises(ValueError, match="bid=4"):
        best_contracts(tables, 4)
    with pytest.raises(ValueError, match="discard"):
        best_contracts(playing)


CODE = """
import sys
import numpy as np
sys.path.insert(0, {tests!r})
from test_double_dummy import in_play
from hpenv.double_dummy import best_contracts, solve_all_cards
from hpenv.rulebook import new_game
from hpenv.rules import get_rules
from hpenv.table import new_tables
for name in ("standard", "house"):
    tables = in_play(name, 10, 3, (1, 2, 3, 4))
    print(*(solve_all_cards(tables, wanted).tolist() for wanted in ("tricks", "points")))
tables = new_tables(1, get_rules("mini3"), 11)
new_game(tables[0], 0, 0, 0)
print(best_contracts(tables, 2).values.tolist())
"""


def test_plain_python_gives_the_same() -> None:
    """With the JIT off."""
    compiled, plain = said_compiled_and_plain(CODE.format(tests=str(TESTS)))
    assert plain == compiled
    assert len(compiled) > 1000
