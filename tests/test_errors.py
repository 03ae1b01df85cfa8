"""What is refused, under which rule and in what words; and that a refusal changes nothing."""

import json
import random
import re
from typing import Any

import numpy as np
import pytest

from hpenv.actions import ACTION_TEXT, FACE_DOWN, N_ACTIONS, PASS
from hpenv.errors import IllegalAction
from hpenv.notation import Record, RecordError, deal_from, parse_record, record_of, replay, replay_lines
from hpenv.rulebook import DEAL_OVER, legal_actions, new_game
from hpenv.rules import PRESETS, Rules
from hpenv.seats import NOBODY
from hpenv.table import new_tables
from places import HANDS
from table_talk import RED, red

REFUSED = [
    json.loads(line) for line in (HANDS / "refused.jsonl").read_text(encoding="utf-8").splitlines()
]
SOUND: dict[str, Any] = {
    "rules": "standard",
    "dealer": "W",
    "score": [0, 0],
    "hands": RED,
    "widow": "TS",
    "actions": ["bid 3"],
    "points": None,
}


# ---- records ----------------------------------------------------------------------------------


@pytest.mark.parametrize("written", REFUSED, ids=lambda written: written["name"])
def test_refused_record(written: dict[str, Any]) -> None:
    """The rule and the place are those written beside the record, and the sentence names both."""
    with pytest.raises(RecordError) as caught:
        replay(parse_record(written))
    fault = caught.value
    assert (fault.rule, fault.at, fault.line) == (written["breaks"], written["at"], None)
    sentence = str(fault)
    assert fault.rule in sentence
    assert "\n" not in sentence
    if fault.at is not None:
        size = len(written["hands"]["N"].split())
        word = written["actions"][fault.at]
        number = word.replace("little pepper", f"bid {size}") if fault.rule == "R5" else word
        assert sentence.startswith(f"action {fault.at + 1}, {number!r}: ")


@pytest.mark.parametrize("written", REFUSED, ids=lambda written: written["name"])
def test_refused_line(written: dict[str, Any]) -> None:
    """In a file the sentence begins with the line; what comes before it is replayed."""
    lines = [json.dumps(SOUND), "", json.dumps(written)]
    replayed = replay_lines(lines)
    assert next(replayed)["turns"] == ["N"]
    with pytest.raises(RecordError, match=r"^line 3: ") as caught:
        next(replayed)
    fault = caught.value
    assert (fault.rule, fault.at, fault.line) == (written["breaks"], written["at"], 3)


def test_the_sound_record_is_sound() -> None:
    """The faults below are put into this one."""
    assert replay(parse_record(SOUND)).turns == ["N"]


@pytest.mark.parametrize(
    ("fault", "rule", "words"),
    [
        ({"rules": 5}, "rules", "5 is neither"),
        ({"rules": {"hand_size": True}}, "rules", "hand_size=True"),
        ({"widow": None}, "widow", "no widow"),
        ({"widow": ["TS"]}, "widow", "no widow"),
        ({"widow": ""}, "pack", "'' is no card"),
        ({"widow": "AS"}, "pack", "AS is dealt twice"),
        ({"dealer": 3}, "dealer", "the dealer is 3"),
        ({"dealer": "NE"}, "dealer", "'NE'"),
        ({"dealer": ""}, "dealer", "''"),
        ({"dealer": ["N"]}, "dealer", "'N'"),
        ({"score": None}, "score", "None is not two whole numbers"),
        ({"score": [0, True]}, "score", "whole numbers"),
        ({"score": [0, 0.5]}, "score", "whole numbers"),
        ({"score": [0, 0, 0]}, "score", "whole numbers"),
        ({"score": {"N": 0, "E": 0}}, "score", "whole numbers"),
        ({"score": [10, 0]}, "score", r"below the target of 10 \(R18\)"),
        ({"score": [0, -(10**12)]}, "score", "at least -1000000"),
        ({"hands": None}, "hand sizes", "each of N E S W"),
        ({"hands": [*RED.values()]}, "hand sizes", "each of N E S W"),
        ({"hands": {**RED, "X": ""}}, "hand sizes", "each of N E S W"),
        ({"hands": {**RED, "N": ["Jo"]}}, "notation", "cards in one text"),
        ({"hands": {**RED, "N": "Jo JH AH KH AC ZZ"}}, "pack", "'ZZ' is no card"),
        ({"hands": {**RED, "N": "Jo JH AH KH AC"}}, "hand sizes", r"N has 5 cards, not 6 \(R4, R20\)"),
        ({"hands": {**RED, "N": ""}}, "hand sizes", "N has 0 cards"),
        ({"actions": None}, "notation", "actions is not a list"),
        ({"actions": "pass"}, "notation", "actions is not a list"),
        ({"points": [0, 0]}, "points", "the deal is not over"),
        ({"points": "0 0"}, "points", "whole numbers"),
        ({"points": [1.0, 0]}, "points", "whole numbers"),
        ({"actions": ["pass"] * 4, "points": [0, 1]}, "points", r"come to \[0, 0\]"),
    ],
)
def test_faulty_parts(fault: dict[str, Any], rule: str, words: str) -> None:
    """A record is checked whole, and nothing else than a RecordError comes out of it."""
    with pytest.raises(RecordError, match=words) as caught:
        replay(parse_record({**SOUND, **fault}))
    assert (caught.value.rule, caught.value.at) == (rule, None)
    assert rule in str(caught.value)


@pytest.mark.parametrize(
    ("word", "rule"),
    [
        (5, "notation"),
        (None, "notation"),
        ("", "notation"),
        (["pass"], "notation"),
        ("bid", "notation"),
        ("trump", "notation"),
        ("face down", "notation"),
        ("bid seven", "R5"),
        ("bid -1", "R5"),
        ("trump Hearts", "R8"),
        ("little pepper", "R7"),
        ("LITTLE PEPPER", "R7"),
    ],
)
def test_faulty_actions(word: Any, rule: str) -> None:
    """The action's place and its own spelling are named."""
    with pytest.raises(RecordError, match=re.escape(f"action 2, {word!r}: ")) as caught:
        replay(parse_record({**SOUND, "actions": ["bid 3", word]}))
    assert (caught.value.rule, caught.value.at) == (rule, 1)
    assert rule in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "5",
        '"pass"',
        "{",
        '{"rules": "standard"',
        "{}{}",
        "NaN",
        "[" * 100_000,
        "1" * 9999,
    ],
)
def test_text_that_is_no_record(text: str) -> None:
    """Whatever the text, a RecordError says that a record is one JSON object."""
    with pytest.raises(RecordError, match="one JSON object") as caught:
        parse_record(text)
    assert caught.value.rule == "notation"


def test_a_key_given_twice() -> None:
    """Nobody can tell which of two widows was meant."""
    line = json.dumps(SOUND)
    twice = line[:-1] + ', "widow": "AS"}'
    with pytest.raises(RecordError, match="a key is given twice"):
        parse_record(twice)


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"dealer": 4}, "dealer"),
        ({"dealer": -1}, "dealer"),
        ({"score": (10, 0)}, "score"),
        ({"widow": 25}, "pack"),
        ({"widow": -1}, "pack"),
        ({"widow": 0}, "pack"),
        ({"hands": ((0, 1, 2, 3, 4, 5),) * 3}, "hand sizes"),
        ({"actions": (39,)}, "notation"),
        ({"actions": (-1,)}, "notation"),
    ],
)
def test_no_faulty_record_can_be_built(changes: dict[str, Any], rule: str) -> None:
    """The same checks meet whoever builds a record in Python."""
    sound = parse_record(SOUND)
    parts = {name: getattr(sound, name) for name in ("rules", "dealer", "score", "hands", "widow")}
    assert deal_from(Record(**parts)).hands.tolist() == deal_from(sound).hands.tolist()
    with pytest.raises(RecordError) as caught:
        Record(**{**parts, **changes})
    assert caught.value.rule == rule


# ---- at the table -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "dealer", "actions", "tried", "sentence"),
    [
        (
            "standard",
            "W",
            "bid 3, pass, pass, pass, trump H, TS, with partner, JH, QH",
            "AD",
            "South must follow hearts (R11): holds JD 9H, tried AD",
        ),
        (
            "standard",
            "W",
            "bid 3, pass, pass, pass, trump H, TS, with partner",
            "9D",
            "North can play only a card in hand (R11): holds AC JH KH AH AS Jo, tried 9D",
        ),
        (
            "standard",
            "W",
            "bid 3",
            "bid 3",
            "East must bid more than the standing bid 3 (R5), tried bid 3",
        ),
        (
            "standard",
            "W",
            "bid 6",
            "pass",
            "North must name a trump suit: the auction is over (R5), tried pass",
        ),
        (
            "house",
            "W",
            "pass, pass, pass",
            "pass",
            "West is the dealer after three passes and must bid (R6), tried pass",
        ),
        (
            "standard",
            "W",
            "",
            "big pepper",
            "North cannot bid big pepper where bids are numbers (R7), tried big pepper",
        ),
        (
            "standard",
            "W",
            "bid 6, trump H",
            "9C",
            "North must discard one of the 7 cards held (R8): AC JH KH AH TS AS Jo, tried 9C",
        ),
        (
            "standard",
            "W",
            "bid 6, trump H",
            "trump S",
            "North must discard a card: trump has been named (R8), tried trump S",
        ),
        (
            {"alone": False},
            "W",
            "bid 6, trump H, TS",
            "alone",
            "North must play a card: nobody may play alone at this table (R9), tried alone",
        ),
        (
            "standard",
            "W",
            "bid 6, trump H, TS",
            "Jo",
            "North must say alone or with partner before the first lead (R9), tried Jo",
        ),
        (
            "standard",
            "W",
            "pass, pass, pass, pass",
            "pass",
            "the deal is over: nobody acts, tried pass",
        ),
    ],
)
def test_sentences(rules: Any, dealer: str, actions: str, tried: str, sentence: str) -> None:
    """Who, what is due, the rule, the cards, and what was tried."""
    table = red(rules, dealer, actions)
    with pytest.raises(IllegalAction) as caught:
        table.step(ACTION_TEXT.index(tried))
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    "action", [-1, 39, FACE_DOWN, 63, 64, 10**30, "fold", "", None, 25.0, np.float64(25), [25], b"pass"]
)
def test_what_is_no_action(action: Any) -> None:
    """Refused by name like any other, not with an error of Python's own."""
    table = red("standard", "W")
    before = table.tobytes()
    with pytest.raises(IllegalAction, match="no such action: ") as caught:
        table.step(action)
    assert caught.value.rule == "action"
    assert table.tobytes() == before


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.int64, np.uint64, int])
def test_an_action_may_be_any_whole_number(kind: Any) -> None:
    """Numbers out of numpy arrays are as good as Python's own."""
    table = red("standard", "W")
    for action in (28, 25, 25, 25, 35, 19, 38, 24):
        table.step(kind(action))
    assert (
        table.tobytes()
        == red("standard", "W", "bid 3, pass, pass, pass, trump H, TS, with partner, Jo").tobytes()
    )


RULE_OF = re.compile(r"\((R\d+)\)")
EVERYBODY = [*PRESETS.values(), Rules(alone=False), Rules(all_pass="dealer_bids", hand_size=3)]


@pytest.mark.parametrize("seed", range(len(EVERYBODY)))
def test_every_illegal_action_at_every_decision(seed: int) -> None:
    """Refused in one sentence with a rule, who, and what was tried; not a byte of the table changes."""
    rng = random.Random(seed)
    table = new_tables(1, EVERYBODY[seed], seed)[0]
    new_game(table, NOBODY, 0, 0)
    while True:
        before, choices = table.tobytes(), legal_actions(table)
        where = record_of(table)
        for action in range(N_ACTIONS):
            if choices >> action & 1:
                continue
            with pytest.raises(IllegalAction) as caught:
                table.step(action)
            sentence = str(caught.value)
            is_little = table.pepper and action == PASS + table.hand_size
            tried = "little pepper" if is_little else ACTION_TEXT[action]
            assert sentence.endswith(f", tried {tried}"), where
            if table.phase == DEAL_OVER:
                assert caught.value.rule == "over"
            else:
                assert sentence.startswith(("North ", "East ", "South ", "West ")[table.to_act])
                assert RULE_OF.findall(sentence) == [caught.value.rule], sentence
        assert table.tobytes() == before
        if table.phase == DEAL_OVER:
            return
        table.step(rng.choice([a for a in range(N_ACTIONS) if choices >> a & 1]))


def test_the_discard_is_named_to_nobody() -> None:
    """With the Joker discarded no refusal of another seat's action shows it, unless it was tried."""
    table = red("standard", "W", "bid 3, pass, pass, pass, trump H, Jo, with partner")
    table.step(ACTION_TEXT.index("JH"))
    for action in range(N_ACTIONS):
        if legal_actions(table) >> action & 1 or ACTION_TEXT[action] == "Jo":
            continue
        with pytest.raises(IllegalAction) as caught:
            table.copy().step(action)
        assert "Jo" not in str(caught.value)
