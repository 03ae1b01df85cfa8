"""Deal records parsed, printed and replayed; cards, actions and tables as text."""

import json
import random
from typing import Any

import numpy as np
import pytest

from hpenv.actions import ACTION_TEXT, BID, BIG_PEPPER, N_ACTIONS, parse_action
from hpenv.cards import CARD_TEXT, NO_CARD, card_set, parse_card, set_cards
from hpenv.notation import (
    Record,
    deal_from,
    parse_record,
    positions,
    record_of,
    record_text,
    replay,
    replay_lines,
)
from hpenv.rulebook import AUCTION, DEAL_OVER, is_truncated, legal_actions, new_game, next_deal
from hpenv.rules import PRESETS, Rules
from hpenv.seats import NOBODY
from hpenv.table import PUBLIC, Table, new_tables
from hpenv.view import view_of
from places import HANDS
from table_talk import RED, red, say

RED_RECORD: dict[str, Any] = {
    "rules": "standard",
    "dealer": "W",
    "score": [0, 0],
    "hands": RED,
    "widow": "TS",
    "actions": ["bid 3", "pass"],
    "points": None,
}
GAME = [
    Rules(max_deals=3),
    *PRESETS.values(),
    Rules(bidding="pepper", hand_size=4, alone=False, target=5),
    Rules(all_pass="dealer_bids", alone_factor=2, hand_size=1),
]


def game_positions(rules: Rules, seed: int) -> list[Table]:
    """Every position of a random game, at most three deals long."""
    rng = random.Random(seed)
    table = new_tables(1, rules, seed)[0]
    new_game(table, NOBODY, 0, 0)
    found = [table.copy()]
    while True:
        choices = legal_actions(table)
        table.step(rng.choice([a for a in range(N_ACTIONS) if choices >> a & 1]))
        found.append(table.copy())
        if table.phase == DEAL_OVER:
            if table.winner != NOBODY or is_truncated(table) or table.deals_played == 3:
                return found
            next_deal(table)
            found.append(table.copy())


# ---- there and back ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(len(GAME)))
def test_every_position_of_a_game_there_and_back(seed: int) -> None:
    """Printed, parsed and printed again it is the same line, and the same table when replayed."""
    for table in game_positions(GAME[seed], seed):
        before = table.tobytes()
        record = record_of(table)
        line = record_text(record)
        assert table.tobytes() == before
        assert parse_record(line) == record
        assert record_text(parse_record(line)) == line
        assert "\n" not in line
        again = replay(record).table
        differ = [f for f, *_ in PUBLIC if not np.array_equal(again[f], table[f])]
        assert set(differ) <= {"deals_played"}, line  # a record is one deal and does not know which
        for secret in ("hands", "widow", "discard"):
            assert np.array_equal(again[secret], table[secret]), line


@pytest.mark.parametrize("seed", range(4))
def test_a_record_has_the_cards_as_dealt(seed: int) -> None:
    """What a seat was dealt is what it holds and has played, less the widow and with the discard."""
    for table in game_positions(GAME[seed], seed):
        record = record_of(table)
        taken = table.maker != NOBODY and table.phase != AUCTION
        for seat in range(4):
            cards = int(table.hands[seat]) | int(table.played[seat])
            if seat == table.maker and taken:
                cards |= 0 if table.discard == NO_CARD else 1 << int(table.discard)
                cards &= ~(1 << int(table.widow))
            assert card_set(record.hands[seat]) == cards
        assert record.widow == table.widow


def test_the_line_of_a_record() -> None:
    """The words and their order, written out."""
    start = "bid 3, pass, pass, pass, trump H, TS, with partner, Jo"
    assert record_text(record_of(red("set_bid", "W", start))) == (
        '{"rules": "set_bid", "dealer": "W", "score": [0, 0], "hands": '
        '{"N": "AC JH KH AH AS Jo", "E": "9C TC KD TH QH 9S", "S": "QC KC JD QD AD 9H", '
        '"W": "JC 9D TD JS QS KS"}, "widow": "TS", "actions": ["bid 3", "pass", "pass", "pass", '
        '"trump H", "TS", "with partner", "Jo"], "points": null}'
    )


def test_the_points_and_the_score_before_the_deal() -> None:
    """A finished deal's record has its points, and the score as it was before them."""
    table = red("standard", "W", "pass, pass, pass, pass", score=(7, -3))
    assert json.loads(record_text(record_of(table)))["points"] == [0, 0]
    for line in (HANDS / "scoring.jsonl").read_text(encoding="utf-8").splitlines():
        written = json.loads(line)
        record = record_of(replay(parse_record(line)).table)
        assert list(record.score) == written["score"]
        assert list(record.points or ()) == written["points"]


@pytest.mark.parametrize("options", [{}, {"target": 5}, {"bidding": "pepper", "hand_size": 2}])
def test_rules_are_printed_by_name_or_by_what_differs(options: dict[str, Any]) -> None:
    """A preset by its name, anything else as the options that differ from the default."""
    rules = Rules(**options)
    table = new_tables(1, rules)[0]
    new_game(table, 0, 0, 0)
    printed = json.loads(record_text(record_of(table)))["rules"]
    assert printed == (options or "standard")
    for name, preset in PRESETS.items():
        table = new_tables(1, preset)[0]
        new_game(table, 0, 0, 0)
        assert json.loads(record_text(record_of(table)))["rules"] == name


def test_a_record_is_not_made_from_a_view() -> None:
    """A view hides cards; only a whole table has a record."""
    table = red("standard", "W", "bid 3")
    for wrong in (view_of(table, 0), "9C", None):
        with pytest.raises(TypeError, match="whole Table"):
            record_of(wrong)  # type: ignore[arg-type]


def test_a_table_where_nothing_is_dealt_has_no_record() -> None:
    """Its pack is empty."""
    with pytest.raises(ValueError, match="nothing is dealt yet"):
        record_of(new_tables(1, Rules())[0])


# ---- what is taken ----------------------------------------------------------------------------


def test_tens_little_pepper_and_any_letter_case() -> None:
    """`10H` is TH and `little pepper` the bid of all the tricks; both print in full."""
    loose = {
        "rules": "pepper",
        "dealer": "N",
        "hands": {
            "N": "jo jh ah KH ac AS",
            "E": "qh 10H 9c 10C kd 9S",
            "S": "jD 9h qc kC qd ad",
            "W": "JC 10d 9D js QS ks",
        },
        "widow": "10s",
        "actions": ["Little  Pepper", "PASS", "pass", "Pass", "Trump h", "10S", "With Partner", "10h"],
    }
    record = parse_record(loose)
    strict = json.loads(record_text(record))
    calls = ["bid 6", "pass", "pass", "pass", "trump H", "TS", "with partner", "TH"]
    assert strict["actions"] == calls
    assert strict["widow"] == "TS"
    assert strict["score"] == [0, 0]
    assert strict["hands"]["E"] == "9C TC KD TH QH 9S"
    assert parse_record(strict) == record
    assert replay(record).turns == ["E", "S", "W", "N", "E", "E", "E", "E"]
    small = {"rules": {"bidding": "pepper", "hand_size": 2}, "actions": ["little pepper"]}
    hands = {"N": "Jo AC", "E": "JH AH", "S": "JD AD", "W": "JS AS"}
    short = parse_record(RED_RECORD | small | {"hands": hands, "widow": "JC"})
    assert short.actions == (BID + 2,)


def test_other_keys_are_passed_over_and_the_object_is_left_alone() -> None:
    """A name and a reason are for readers."""
    written = {**RED_RECORD, "name": "a deal", "why": "R5", "tricks": [9, 9]}
    before = json.dumps(written)
    assert parse_record(written) == parse_record(RED_RECORD) == parse_record(before)
    assert json.dumps(written) == before


@pytest.mark.parametrize("text", CARD_TEXT)
def test_every_card_there_and_back(text: str) -> None:
    """In any letter case, and a ten in full."""
    number = CARD_TEXT.index(text)
    spellings = {text, text.lower(), text.upper(), f" {text} ", text.replace("T", "10")}
    assert {parse_card(spelling) for spelling in spellings} == {number}
    assert {parse_action(spelling) for spelling in spellings} == {number}


@pytest.mark.parametrize("action", range(N_ACTIONS))
def test_every_action_there_and_back(action: int) -> None:
    """In any letter case and spacing."""
    text = ACTION_TEXT[action]
    for spelling in (text, text.upper(), text.lower(), f"  {text.replace(' ', '  ')} "):
        assert parse_action(spelling) == action


@pytest.mark.parametrize(
    "word",
    ["", " ", "1H", "10", "T", "JoJo", "TT", "1010H", "8C", "HT", "Joker", "J", "TH TH", "11H", "TX"],
)
def test_words_that_are_no_card_and_no_action(word: str) -> None:
    """Each is refused in a sentence that shows it."""
    for parse in (parse_card, parse_action):
        with pytest.raises(ValueError, match="no such") as caught:
            parse(word)
        assert repr(word) in str(caught.value)


def test_sets_of_cards() -> None:
    """Cards to bits and back, lowest number first."""
    assert set_cards(card_set([24, 3, 3, 17])) == [3, 17, 24]
    assert set_cards(0) == []
    assert parse_action("big pepper") == BIG_PEPPER


# ---- replayed ---------------------------------------------------------------------------------


def test_positions_are_copies_of_their_own() -> None:
    """One more than the actions, and changing one changes no other."""
    record = parse_record(RED_RECORD)
    before, after_bid, after_pass = positions(record)
    assert [int(t.history_length) for t in (before, after_bid, after_pass)] == [0, 1, 2]
    assert before.tobytes() == deal_from(record).tobytes()
    say(before, "bid 6")
    assert after_bid.bid == 3
    assert replay(record).table.tobytes() == after_pass.tobytes()


def test_replay_tells_turns_legal_actions_leaders_tricks_and_points() -> None:
    """One trick of a deal, written out."""
    calls = ["bid 5", "bid 6", "trump D", "QH", "with partner", "Jo", "KD", "AD"]
    played = replay(parse_record({**RED_RECORD, "actions": calls}))
    assert played.turns == ["N", "E", "E", "E", "E", "N", "E", "S"]
    assert played.legal == [
        ["pass", "bid 1", "bid 2", "bid 3", "bid 4", "bid 5", "bid 6"],
        ["pass", "bid 6"],
        ["trump C", "trump D", "trump H", "trump S"],
        ["9C", "TC", "KD", "TH", "QH", "9S", "TS"],
        ["alone", "with partner"],
        ["AC", "JH", "KH", "AH", "AS", "Jo"],
        ["KD"],
        ["JD", "QD", "AD"],
    ]
    assert (played.leaders, played.tricks, played.points) == (["N"], (0, 0), None)
    more = replay(parse_record({**RED_RECORD, "actions": [*calls, "9D", "AC", "9C"]}))
    assert (more.leaders, more.tricks, more.turns[-2:]) == (["N", "N"], (1, 0), ["N", "E"])


def test_replay_lines_of_the_hand_written_deals() -> None:
    """What `hpenv replay --json` prints has these keys, and only plain numbers, lists and texts."""
    for name in ("auction", "alone", "scoring", "small_games", "bowers_and_joker"):
        lines = (HANDS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        found = list(replay_lines(lines))
        assert len(found) == len(lines)
        for line, replayed in zip(lines, found, strict=True):
            written = json.loads(line)
            assert list(replayed) == ["points", "tricks", "leaders", "turns", "legal"]
            assert json.loads(json.dumps(replayed)) == replayed
            for key in ("points", "tricks", "leaders"):
                assert replayed[key] == written[key]
            assert len(replayed["turns"]) == len(replayed["legal"]) == len(written["actions"])
            for action, legal in zip(written["actions"], replayed["legal"], strict=True):
                size = len(written["hands"]["N"].split())
                assert action.replace("little pepper", f"bid {size}") in legal


@pytest.mark.parametrize("seed", range(len(GAME)))
def test_a_replay_is_written_as_json_writes_it(seed: int) -> None:
    """Byte for byte, at every position."""
    for table in game_positions(GAME[seed], seed):
        played = replay(record_of(table))
        assert played.json_text() == json.dumps(played.as_json())


def test_replay_lines_counts_empty_lines_and_reads_as_it_goes() -> None:
    """An empty line is passed over, an unfinished deal has no points, and nothing is read ahead."""

    def lines() -> Any:
        yield "\n"
        yield json.dumps(RED_RECORD) + "\n"
        raise AssertionError("read ahead")

    replayed = next(replay_lines(lines()))
    assert (replayed["points"], replayed["tricks"], replayed["leaders"]) == (None, [0, 0], [])
    assert replayed["turns"] == ["N", "E"]
    assert replayed["legal"][1] == ["pass", "bid 4", "bid 5", "bid 6"]


def test_a_deal_from_a_record_goes_on_as_a_game() -> None:
    """The record's table is as good as any: it can be played to its end and dealt again."""
    record = parse_record({**RED_RECORD, "score": [4, 9], "actions": []})
    table = deal_from(record)
    assert (table.winner, table.deals_played, table.dealer) == (NOBODY, 0, 3)
    assert table.score.tolist() == [4, 9]
    say(table, "pass, pass, pass, pass")
    next_deal(table)
    assert table.dealer == 0
    assert record_of(table).score == (4, 9)


def test_a_record_built_by_hand() -> None:
    """A record is a plain value: equal if all its parts are, and usable as a key."""
    table = red("standard", "W")
    record = record_of(table)
    same = Record(record.rules, 3, (0, 0), record.hands, record.widow)
    assert same == record
    assert {same: 1}[record] == 1


# ---- tables as text ---------------------------------------------------------------------------


def test_a_table_as_text() -> None:
    """A finished line for each thing that has happened, and what everybody holds."""
    start = "bid 4, pass, pass, pass, trump S, 9D, with partner, JC, AS, 9S, QC, JS"
    assert str(red("standard", "S", start, score=(3, -2))) == (
        "deal 1, dealer S, score NS 3 EW -2, play, N to act\n"
        "auction: W bid 4, N pass, E pass, S pass\n"
        "contract: W bid 4, spades trump\n"
        "trick 1: W JC, N AS, E 9S, S QC\n"
        "trick 2: W JS\n"
        "tricks won: NS 0 EW 1; void: S spades\n"
        "N holds AC JH KH AH Jo\n"
        "E holds 9C TC KD TH QH\n"
        "S holds KC JD QD AD 9H\n"
        "W holds TD TS QS KS, took TS, discarded 9D"
    )
    assert str(red("standard", "S", "bid 4, pass")) == (
        "deal 1, dealer S, score NS 0 EW 0, auction, E to act\n"
        "auction: W bid 4, N pass\n"
        "N holds AC JH KH AH AS Jo\n"
        "E holds 9C TC KD TH QH 9S\n"
        "S holds QC KC JD QD AD 9H\n"
        "W holds JC 9D TD JS QS KS\n"
        "widow TS"
    )


def test_the_end_of_a_deal_as_text() -> None:
    """The deal keeps its number, and its points and the winner are told."""
    thrown_in = str(red("standard", "S", "pass, pass, pass, pass"))
    assert thrown_in.startswith("deal 1, dealer S, score NS 0 EW 0, deal over\n")
    assert "\npoints: NS 0 EW 0\n" in thrown_in
    assert thrown_in.endswith("widow TS")
    line = (HANDS / "scoring.jsonl").read_text(encoding="utf-8")
    (won,) = [x for x in line.splitlines() if json.loads(x)["name"] == "eight and two is ten"]
    assert "\npoints: NS 2 EW 0, NS win the game\n" in str(replay(parse_record(won)).table)


@pytest.mark.parametrize("seat", range(4))
def test_a_view_as_text_has_no_card_of_another_hand(seat: int) -> None:
    """Before a card is played the text has the seat's own cards and no others, the discard included."""
    table = red("standard", "W", "bid 3, pass, pass, pass, trump H, TS, alone, with partner")
    words = str(view_of(table, seat)).replace(",", " ").split()
    own = set(RED["NESW"[seat]].split()) | ({"TS"} if seat == 0 else set())
    assert {word for word in words if word in CARD_TEXT} == own
    assert "alone: N" in str(view_of(table, seat))
