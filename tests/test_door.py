"""What a person types first: a dealt table, actions in words, views by a seat's letter, and sentences
for whatever is no table, no seat, no seed."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hpenv
from hpenv.cards import NO_CARD
from hpenv.double_dummy import solve_tables
from hpenv.errors import IllegalAction
from hpenv.notation import RecordError, deal_from, parse_record, record_of, record_text
from hpenv.rulebook import Phase
from hpenv.seats import NOBODY
from hpenv.table import TABLE, new_tables
from hpenv.view import VIEW, view_of
from table_talk import RED, mixed, red, say


def test_a_session() -> None:
    """A deal is played in words; the same seed deals the same cards, as in a batch."""
    table = hpenv.deal("standard", seed=1, dealer="South")
    assert table.legal_actions()[:3] == ["pass", "bid 1", "bid 2"]
    for word in ("bid 3", "pass", "bid 6", "trump H"):
        table.step(word)
    assert (table.to_act, table.maker, table.phase) == (1, 1, Phase.DISCARD)
    assert not table.is_over
    while not table.is_over:
        table.step(table.legal_actions()[-1])
    assert table.legal_actions() == []
    assert table.points.tolist() in ([0, int(table.points[1])], [int(table.points[0]), 0])
    assert hpenv.deal(seed=1).hands.tolist() == hpenv.Batch(3, seed=1).tables[0].hands.tolist()


def test_without_a_seed_each_deal_is_another() -> None:
    assert len({hpenv.deal().hands.tobytes() for _ in range(5)}) == 5


@pytest.mark.parametrize("south", [2, "S", "south", "South", np.int8(2), np.uint64(2)])
def test_a_seat_by_number_letter_or_name(south: Any) -> None:
    table = hpenv.deal(seed=3, dealer=south)
    assert (table.dealer, table.to_act) == (2, 3)
    assert view_of(table, south).seat == 2


@pytest.mark.parametrize("action", [28, np.int8(28), np.uint64(28), "bid 3", " BID  3 "])
def test_an_action_by_number_or_words(action: Any) -> None:
    table = red("standard", "W")
    table.step(action)
    assert table.bid == 3


def test_rules_as_a_preset_options_or_rules() -> None:
    wanted = hpenv.Rules(bidding="pepper")
    for rules in ("pepper", {"bidding": "pepper"}, wanted):
        assert hpenv.deal(rules, seed=1).legal_actions()[-1] == "big pepper"
    tables = new_tables(2, ["pepper", {"target": 5}])
    assert (tables["pepper"].tolist(), tables["target"].tolist()) == ([1, 0], [10, 5])


def test_a_table_that_was_never_dealt_says_so_and_cannot_be_played() -> None:
    table = new_tables(1, "standard")[0]
    assert str(table) == str(view_of(table, 0)) == "nothing is dealt yet"
    assert (table.legal_actions(), table.is_over, table.is_game_over) == ([], True, False)
    before = table.tobytes()
    for action in ("pass", 25, "TH"):
        with pytest.raises(IllegalAction, match="nothing is dealt yet"):
            table.step(action)
    with pytest.raises(ValueError, match="nothing is dealt yet"):
        table.next_deal()
    assert table.tobytes() == before
    assert (table.to_act, table.dealer, table.winner, table.maker) == (NOBODY,) * 4
    assert (table.widow, table.discard) == (NO_CARD, NO_CARD)


def test_from_deal_to_deal_until_a_side_has_won() -> None:
    """The deal moves one seat left, thrown-in ones included (R3); the target ends the game (R18)."""
    table = hpenv.deal({"target": 1}, seed=5, dealer="E", score=(-3, 0))
    with pytest.raises(ValueError, match=r"begins when this one is over \(R3\)"):
        table.next_deal()
    say(table, "pass, pass, pass, pass")
    table.next_deal()
    assert (table.dealer, table.deals_played, table.score.tolist()) == (2, 1, [-3, 0])
    say(table, "bid 1, pass, pass, pass")  # by West
    while not table.is_over:
        table.step(table.legal_actions()[-1])
    makers_won = table.tricks[1] >= 1
    assert (table.winner == 1) == table.is_game_over == makers_won
    if makers_won:
        before = table.tobytes()
        with pytest.raises(ValueError, match=r"EW have won the game \(R18\)"):
            table.next_deal()
        assert table.tobytes() == before
    table.new_game("N")
    assert (table.dealer, table.score.tolist(), table.winner) == (0, [0, 0], NOBODY)


def test_the_cap_of_deals_ends_a_game() -> None:
    table = hpenv.deal({"max_deals": 2}, seed=5)
    say(table, "pass, pass, pass, pass")
    assert not table.is_game_over
    table.next_deal()
    say(table, "pass, pass, pass, pass")
    assert table.is_game_over
    with pytest.raises(ValueError, match=r"ends after 2 deals \(R19\)"):
        table.next_deal()


def test_the_bid_of_all_tricks_has_one_name_where_people_read() -> None:
    """In pepper form it is little pepper (R7): in the table's text, in a view's, and in errors."""
    table = red("pepper", "W", "pass, bid 6")
    for text in (str(table), str(view_of(table, 0))):
        assert "E little pepper" in text
        assert "bid 6" not in text
    with pytest.raises(IllegalAction, match=r"the standing little pepper \(R5\), tried little pepper"):
        table.step("bid 6")
    table.step("pass")
    table.step("pass")
    assert "contract: E little pepper" in str(table)
    assert "contract: N bid 6" in str(red("standard", "W", "bid 6"))


@pytest.mark.parametrize(
    ("ask", "kind", "sentence"),
    [
        (lambda: hpenv.deal("foo"), ValueError, "no preset 'foo'"),
        (lambda: hpenv.deal(3), TypeError, "rules: 3 is neither"),
        (lambda: hpenv.deal(seed="x"), TypeError, "seed='x' is not a whole number"),
        (lambda: hpenv.deal(seed=1.0), TypeError, "seed=1.0 is not a whole number"),
        (lambda: hpenv.deal(seed=True), TypeError, "seed=True is not a whole number"),
        (
            lambda: hpenv.deal(dealer=4),
            ValueError,
            r"dealer 4 is neither 0 to 3 nor N, E, S or W \(R1\)",
        ),
        (lambda: hpenv.deal(dealer="SS"), ValueError, "dealer 'SS' is neither"),
        (lambda: hpenv.deal(dealer=True), TypeError, "dealer True is neither"),
        (lambda: hpenv.deal(score=(0, 10)), ValueError, "below the target of 10"),
        (lambda: hpenv.deal(score=3), TypeError, "score=3 is not two whole numbers"),
        (lambda: new_tables(2, seed=None), TypeError, "seed=None is not a whole number"),
        (lambda: new_tables(2, ["pepper"]), ValueError, "rules: 1 given for 2 tables"),
        (
            lambda: new_tables(2, first_index=2**63),
            ValueError,
            "first_index=9223372036854775808 is not",
        ),
        (lambda: new_tables(2, first_index=-1), ValueError, "first_index=-1 is not"),
        (lambda: new_tables("2"), TypeError, "n='2' is not a whole number"),
        (lambda: new_tables(-1), ValueError, "n=-1 is not a whole number"),
        (
            lambda: view_of(new_tables(2), 0),
            TypeError,
            r"not from an array of shape \(2,\).*tables\[0\]",
        ),
        (lambda: view_of(None, 0), TypeError, "made from a Table, not from a NoneType"),
        (lambda: view_of(view_of(red("standard", "W"), 0), 0), TypeError, "not from a View"),
        (lambda: view_of(red("standard", "W"), 4), ValueError, "seat 4 is neither"),
        (lambda: view_of(red("standard", "W"), -1), ValueError, "seat -1 is neither"),
        (lambda: view_of(red("standard", "W"), 0.0), TypeError, "seat 0.0 is neither"),
        (lambda: hpenv.solve(None), TypeError, "made from a Table, not from a NoneType"),
        (lambda: hpenv.solve(view_of(red("standard", "W"), 0)), TypeError, "not from a View"),
        (lambda: hpenv.solve(red("standard", "W")), ValueError, "no card is to be played"),
        (lambda: solve_tables([red("standard", "W")]), TypeError, "an array of TABLE .* not a list"),
        (lambda: solve_tables(np.zeros(2, VIEW)), TypeError, "an array of TABLE"),
        (lambda: hpenv.replay("x"), TypeError, "a Record is replayed, not a str"),
        (lambda: red("standard", "W").step(True), IllegalAction, "no such action: True"),
        (lambda: red("standard", "W").step("bid 7"), IllegalAction, r"bids go from one to six \(R5\)"),
        (
            lambda: red("standard", "W").step("little pepper"),
            IllegalAction,
            r"no little pepper .*\(R7\)",
        ),
        (lambda: red("standard", "W").step("trump X"), IllegalAction, r"C, D, H or S \(R8\)"),
    ],
)
def test_odd_arguments_end_in_a_sentence(ask: Callable[[], Any], kind: Any, sentence: str) -> None:
    with pytest.raises(kind, match=sentence) as caught:
        ask()
    assert len(str(caught.value)) < 200


def test_numbers_of_numpy_are_numbers() -> None:
    """Seeds, counts and options of any width; what comes of them can be written as JSON."""
    for kind in (np.int8, np.uint8, np.int32, np.int64, np.uint64):
        five = kind(5)
        tables = new_tables(kind(2), {"target": five, "alone": np.True_}, seed=five, first_index=five)
        assert tables.tobytes() == new_tables(2, {"target": 5}, seed=5, first_index=5).tobytes()
        rules = hpenv.Rules(target=five, max_deals=five, hand_size=five)
        assert json.dumps(rules.name()) == '{"target": 5, "max_deals": 5, "hand_size": 5}'
    same = {
        new_tables(1, seed=seed).tobytes()
        for seed in (2**64 - 5, -5, np.uint64(2**64 - 5), np.int8(-5))
    }
    assert len(same) == 1
    given = parse_record(
        {"rules": "standard", "dealer": "W", "hands": RED, "widow": "TS", "actions": []}
    )
    odd = hpenv.Record(
        given.rules,
        np.int8(given.dealer),
        tuple(np.array(given.score)),
        tuple(tuple(np.array(hand, np.int8)) for hand in given.hands),
        np.int64(given.widow),
        tuple(np.array([25, 28], np.uint8)),
    )
    assert record_text(odd) == record_text(hpenv.Record(*list(vars(given).values())[:5], (25, 28)))


COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda one: pickle.loads(pickle.dumps(one)),
    "its own copy": lambda one: one.copy(),
    "out of an array": lambda one: np.array([one], one.dtype)[0],
}


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_plays_on_exactly_and_apart(way: str) -> None:
    """To the end of the deal and through the deals after it, and the original does not move."""
    table = hpenv.deal("house", seed=7)
    table.step(table.legal_actions()[1])
    before, twin = table.tobytes(), COPIES[way](table)
    assert isinstance(twin, hpenv.Table)
    ends = []
    for played in (twin, table):
        for _ in range(3):
            while not played.is_over:
                played.step(played.legal_actions()[0])
            if not played.is_game_over:
                played.next_deal()
        ends.append(played.tobytes())
        assert played is table or table.tobytes() == before
    assert ends[0] == ends[1]


@pytest.mark.parametrize("way", COPIES)
def test_a_copied_view_is_the_same_view(way: str) -> None:
    view = view_of(mixed("standard", "W", "bid 3, pass, pass, pass, trump H, 9C, with partner"), 0)
    twin = COPIES[way](view)
    assert isinstance(twin, hpenv.View)
    assert (str(twin), twin.tobytes(), twin.dtype) == (str(view), view.tobytes(), VIEW)


@pytest.mark.parametrize("way", ["copy", "deepcopy", "pickle"])
def test_copied_rules_records_and_errors(way: str) -> None:
    table = red("pepper", "W", "pass, bid 3")
    record = record_of(table)
    assert COPIES[way](record) == record
    assert COPIES[way](record.rules) == record.rules
    assert deal_from(COPIES[way](record)).tobytes() == deal_from(record).tobytes()
    for error in (IllegalAction("R5", "said"), RecordError("R5", "said", 3, 4)):
        twin = COPIES[way](error)
        assert (str(twin), vars(twin)) == (str(error), vars(error))
    tables = COPIES[way](new_tables(2, "pepper"))
    assert (tables.dtype, type(tables[0])) == (TABLE, hpenv.Table)
