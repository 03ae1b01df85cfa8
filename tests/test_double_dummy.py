"""The open-hand solver against an oracle that tries everything, against the symmetries of the game, and
against endings worked out by hand."""

from __future__ import annotations

import copy
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import minimax
import naive_rules
from hpenv.actions import ACTION_TEXT, ALONE, BID, BIG, BIG_PEPPER, PASS, TRUMP, WITH_PARTNER
from hpenv.cards import CARD_TEXT, N_CARDS, NO_CARD, card_set, parse_card, set_cards
from hpenv.double_dummy import best_contracts, solve, solve_all_cards, solve_tables
from hpenv.double_dummy_search import new_memory
from hpenv.notation import record_of
from hpenv.rulebook import AUCTION, DEAL_OVER, DISCARD, PLAY, legal_actions, new_game
from hpenv.rules import PRESETS, get_rules
from hpenv.seats import NOBODY
from hpenv.suits import ORDERS, relabel_cards
from hpenv.table import TABLE, new_tables
from places import SOLVED, TESTS
from random_deals import RULES, copy_of, positions

OBJECTIVES = ("tricks", "points")
SMALL: dict[str, Any] = {
    "house 3": {**get_rules("house").differences(), "hand_size": 3},
    "standard 4": {"hand_size": 4},
}


def in_play(name: str, seed: int, deals: int, left: Any) -> Any:
    """The positions of some random deals in which so many tricks are left, as an array of tables."""
    found = [
        copy_of(table)
        for table in positions(name, seed, deals)
        if table.phase == PLAY and table.hand_size - table.tricks_played in left
    ]
    return np.array(found, TABLE)


def for_side(table: Any, seat: int, objective: str, value: int) -> int:
    """What North-South get, as the side of a seat sees it."""
    if seat % 2 == 0:
        return value
    return int(table.hand_size - table.tricks_played) - value if objective == "tricks" else -value


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


def shown(table: Any) -> str:
    """A deal in notation, for the message of a failing test."""
    return f"{table}"


def check_all_cards(tables: Any, objective: str) -> None:
    """The solver's value of each table and of each card there is the oracle's."""
    values, cards = solve_tables(tables, objective), solve_all_cards(tables, objective)
    for table, value, row in zip(tables, values, cards, strict=True):
        expected = tried(table, objective)
        assert {c: row[c] for c in np.flatnonzero(~np.isnan(row)).tolist()} == expected, shown(table)
        assert value == max(expected.values()), shown(table)


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
            assert minimax.value(table, minimax.payoffs(table, objective)) == value, shown(table)


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
            before = shown(table)
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


# ---- endings worked out by hand -----------------------------------------------------------------


def ending(trump: str, lead: str, hands: dict[str, str], laid: str = "", **fields: Any) -> Any:
    """A table with few cards left, North the maker of a bid of six: `laid` lies on the table, the first
    card of it led by the seat `lead`; the makers have taken all tricks before unless said otherwise."""
    rules = get_rules(fields.pop("rules", "standard"))
    table = new_tables(1, rules)[0]
    new_game(table, 0, 0, 0)
    sets = {seat: card_set(parse_card(card) for card in cards.split()) for seat, cards in hands.items()}
    table.hands[:] = [sets.get(seat, 0) for seat in "NESW"]
    table.maker, table.bid, table.trump, table.phase = 0, 6, "CDHS".index(trump), PLAY
    table.leader = table.to_act = "NESW".index(lead)
    table.tricks_played = 6 - max(len(set_cards(cards)) for cards in sets.values())
    table.tricks[:] = fields.pop("tricks", (table.tricks_played, 0))
    for field, value in fields.items():
        table[field] = value
    for card in laid.split():
        table.step(parse_card(card))
    return table


def tricks(table: Any) -> dict[str, int]:
    """The tricks each card brings its side."""
    values = solve(table).card_tricks
    return {CARD_TEXT[c]: int(values[c]) for c in np.flatnonzero(~np.isnan(values))}


def test_finesse() -> None:
    """North leads a club to South's ace-queen, no trumps left. The king before the queen (East) is
    caught: whichever of K and J East plays, South plays just above it and the other falls later. The
    king behind (West) makes a trick: it takes the queen, or waits for it under the ace."""
    caught = ending("H", "N", {"N": "TC 9C", "E": "KC JC", "S": "AC QC", "W": "9S TS"})
    assert tricks(caught) == {"TC": 2, "9C": 2}
    behind = ending("H", "N", {"N": "TC 9C", "E": "9S TS", "S": "AC QC", "W": "KC JC"})
    assert tricks(behind) == {"TC": 1, "9C": 1}


def test_throw_in() -> None:
    """South holds AC QC over nothing and cannot lead clubs without losing the queen to West's guarded
    king. Led the 9D, West must take it with its only diamond, the ace, and lead a club into AC QC."""
    table = ending("H", "S", {"N": "TS 9S TD", "E": "QS JS KS", "S": "AC QC 9D", "W": "KC JC AD"})
    assert tricks(table) == {"9D": 2, "AC": 1, "QC": 1}


def test_overruff() -> None:
    """Hearts are trumps, North has led KC and East has no club. If East ruffs with the 9H South ruffs
    over it, but the lead is then South's and East's AD takes the last trick. If East keeps its trump
    and throws AD away, KC holds, and North's spade lets South ruff over the 9H after all."""
    table = ending("H", "N", {"N": "KC 9S", "E": "9H AD", "S": "TH 9D", "W": "9C QD"}, laid="KC")
    assert tricks(table) == {"9H": 1, "AD": 0}


def test_left_bower_is_drawn() -> None:
    """Hearts are trumps, so West's JD is one: it must fall on the Joker, and the QH takes the other
    trick. If North leads the QH first, JD beats it, and only the Joker is left to win."""
    table = ending("H", "N", {"N": "Jo QH", "E": "9C TC", "S": "9S TS", "W": "JD 9D"})
    assert tricks(table) == {"Jo": 2, "QH": 1}


def test_makers_who_must_fail_throw_tricks_away() -> None:
    """The makers have bid six and lost a trick. Leading AC brings two more, as East's only club falls
    on it: minus five if a failed bid costs the tricks won (R15). Leading 9C brings none: East takes
    it and its KD takes the last trick, so they lose three. Where a failed bid costs the bid both
    cards lose six."""
    hands = {"N": "AC 9C", "E": "TC KD", "S": "9S TS", "W": "9D TD"}
    for rules, points in (("standard", {"AC": -5, "9C": -3}), ("set_bid", {"AC": -6, "9C": -6})):
        table = ending("H", "N", hands, rules=rules, tricks=(3, 1))
        solution = solve(table)
        assert tricks(table) == {"AC": 2, "9C": 0}
        assert {c: solution.card_points[parse_card(c)] for c in points} == points
        assert solution.points == max(points.values())
        assert solution.tricks.tolist() == [2, 0]
        assert solution.seat == 0


def test_two_partners_next_to_each_other_sit_out() -> None:
    """North and East play alone; South and West sit out, their trumps and aces with them. If East leads
    its trump the AH takes it and North's last card wins too. If East leads the 9D, North may ruff it,
    and then East ruffs the 9C; or throw the 9C away, and then has the last trick only."""
    hands = {"N": "AH 9C", "E": "KH 9D", "S": "Jo JH", "W": "JD AC"}
    table = ending("H", "E", hands, alone=0b0011, sitting_out=0b1100)
    assert tricks(table) == {"KH": 0, "9D": 1}


# ---- contracts ----------------------------------------------------------------------------------


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
    small = {
        "house 3": {**get_rules("house").differences(), "hand_size": 3},
        "standard 4": {"hand_size": 4},
    }
    rules = get_rules({**RULES, **small}[name])
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
    where = f"{shown(table)}\nmaker {maker} {ACTION_TEXT[BID + max(bid, 1)]} trump {trump}"
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


# ---- faces --------------------------------------------------------------------------------------


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
    """With the JIT off, and loaded afresh from what numba keeps on disk."""
    root = TESTS
    said = [
        subprocess.run(
            [sys.executable, "-c", CODE.format(tests=str(root))],
            cwd=root.parent,
            env={**os.environ, "NUMBA_DISABLE_JIT": off},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for off in ("0", "1")
    ]
    assert said[0] == said[1]
    assert len(said[0]) > 1000
