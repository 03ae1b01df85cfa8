"""`hpenv solve`: what it prints of every kind of position, for reading and as JSON."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hand_solved import TWO_TRICKS, finished_deals, up_to
from hpenv.actions import ACTION_TEXT, BIG
from hpenv.cards import N_CARDS
from hpenv.double_dummy import best_contracts
from hpenv.notation import deal_from, record_of, record_text
from hpenv.rulebook import PLAY
from hpenv.training.cli.main import main
from places import SOLVED
from random_deals import positions

Printed = pytest.CaptureFixture[str]

KEYS = [
    *("line", "rules", "phase", "seat", "tricks_won", "bid"),
    *("contracts", "actions", "losses", "lost"),
]
CONTRACT = ["maker", "alone", "trump", "tricks", "discard", "points", "points_discard"]
ACTION = ["action", "tricks", "points", "best_for_tricks", "best_for_points"]
LOSS = [
    *("at", "trick", "seat", "action"),
    *("tricks", "best_tricks", "tricks_lost", "best_for_tricks"),
    *("points", "best_points", "points_lost", "best_for_points"),
]


def no_nan(word: str) -> None:
    raise AssertionError(f"{word} is not JSON")


def found_by(capsys: Printed, *words: str) -> list[dict[str, Any]]:
    """What `hpenv solve --json` prints; every key is there in every line."""
    assert main(["solve", *words, "--json"]) == 0
    out = capsys.readouterr().out
    found = [json.loads(line, parse_constant=no_nan) for line in out.splitlines()]
    for facts in found:
        assert list(facts) == KEYS
        assert all(list(contract) == CONTRACT for contract in facts["contracts"] or [])
        assert all(list(action) == ACTION for action in facts["actions"] or [])
        assert all(list(loss) == LOSS for loss in facts["losses"] or [])
        assert (facts["losses"] is None) == (facts["lost"] is None)
    return found


def file_of(tmp_path: Path, *records: dict[str, Any]) -> str:
    file = tmp_path / "deals.jsonl"
    file.write_text("\n\n".join(json.dumps(record) for record in records) + "\n", encoding="utf-8")
    return str(file)


def test_each_position_is_told_what_it_can_be(tmp_path: Path, capsys: Printed) -> None:
    """Contracts until the discard, choices from the naming of trump on, losses of a finished deal; with
    --all contracts and losses at any time. Empty lines count as lines."""
    cuts = {0: "auction", 1: "naming trump", 2: "discarding", 3: "alone or with partner", 4: "play"}
    records = [up_to(TWO_TRICKS, n) for n in cuts]
    file = file_of(tmp_path, *records, TWO_TRICKS, up_to(TWO_TRICKS, 0) | {"actions": ["pass"] * 4})
    found = found_by(capsys, file)
    assert [facts["line"] for facts in found] == [1, 3, 5, 7, 9, 11, 13]
    assert [facts["phase"] for facts in found] == [*cuts.values(), "deal over", "deal over"]
    assert [facts["seat"] for facts in found] == [*"NNNNN", None, None]
    told = [[facts[key] is not None for key in KEYS[-4:-1]] for facts in found]
    assert told == [
        [True, False, False],
        [True, True, False],
        [True, True, False],
        [False, True, False],
        [False, True, False],
        [False, False, True],
        [True, False, True],  # thrown in: what it might have been
    ]
    assert [facts["bid"] for facts in found] == [None, *["bid 2"] * 5, None]
    assert found[-1]["losses"] == []
    for facts in found_by(capsys, file, "--all"):
        assert facts["contracts"] is not None
        assert facts["losses"] is not None
    assert found_by(capsys, file, "--every-card") == found_by(capsys, file, "--all")


def test_the_cards_of_the_two_tricks(capsys: Printed) -> None:
    """The record given as JSON, at the lead: the Joker brings both tricks, AC one."""
    (found,) = found_by(capsys, json.dumps(up_to(TWO_TRICKS, 4)))
    assert found["actions"] == [
        dict(zip(ACTION, ("Jo", 2, 2, True, True), strict=True)),
        dict(zip(ACTION, ("AC", 1, -2, False, False), strict=True)),
    ]


def test_the_losses_of_the_two_tricks(capsys: Printed) -> None:
    (found,) = found_by(capsys, json.dumps(TWO_TRICKS))
    lead = {"at": 4, "trick": 1, "seat": "N", "action": "AC"}
    tricks = {"tricks": 1, "best_tricks": 2, "tricks_lost": 1, "best_for_tricks": ["Jo"]}
    points = {"points": -2, "best_points": 2, "points_lost": 4, "best_for_points": ["Jo"]}
    assert [loss for loss in found["losses"] if loss["points_lost"]] == [lead | tricks | points]
    assert found["losses"][0]["trick"] is None
    nothing = {"tricks": 0, "points": 0}
    assert found["lost"] == {
        "N": {"before_play": nothing, "in_play": {"tricks": 1, "points": 4}},
        **{seat: {"before_play": nothing, "in_play": nothing} for seat in "ESW"},
    }


def test_contracts_are_those_of_the_solver(tmp_path: Path, capsys: Printed) -> None:
    """Of a random deal of six cards each, in tricks and in points of a chosen bid."""
    record = finished_deals("house", 23, 1)[0]
    dealt = deal_from(record)
    for word, level in (("4", 4), ("bid 2", 2), ("big pepper", BIG), ("Little Pepper", 6)):
        (found,) = found_by(capsys, record_text(record), "--all", "--bid", word)
        names = {BIG: "big pepper", 6: "little pepper"}
        assert found["bid"] == names.get(level, f"bid {level}")
        assert len(found["contracts"]) == 32
        expected = {
            (lone, about): best_contracts(np.array([dealt], dealt.dtype), about, lone)
            for lone in (False, True)
            for about in (0, level)
        }
        for contract in found["contracts"]:
            place = (0, "NESW".index(contract["maker"]), "CDHS".index(contract["trump"]))
            in_tricks, in_points = (expected[contract["alone"], about] for about in (0, level))
            assert contract["tricks"] == in_tricks.values[place]
            assert contract["points"] == in_points.values[place]
            assert ACTION_TEXT.index(contract["discard"]) == in_tricks.discards[place]
            assert ACTION_TEXT.index(contract["points_discard"]) == in_points.discards[place]


def test_nobody_is_alone_where_the_rules_forbid_it(capsys: Printed) -> None:
    rules = {"hand_size": 2, "alone": False}
    (found,) = found_by(capsys, json.dumps(up_to(TWO_TRICKS, 0) | {"rules": rules}))
    assert [contract["alone"] for contract in found["contracts"]] == [False] * 16
    assert [contract["points"] for contract in found["contracts"]] == [None] * 16


def test_solved_deals_from_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: Printed) -> None:
    """Deals with all their answers, as records at the opening lead; the maker discards the widow."""
    records, answers = [], []
    pack = set(ACTION_TEXT[:N_CARDS])
    for line in SOLVED.read_text(encoding="utf-8").splitlines()[:12]:
        cards, north_south = line.split(" = ")
        hands = dict(zip("NESW", (hand.strip() for hand in cards.split("/")), strict=True))
        widow = (pack - set(" ".join(hands.values()).split())).pop()
        for t, trump in enumerate("CDHS"):
            for leader in range(4):
                calls = ["bid 3", "pass", "pass", "pass", f"trump {trump}", widow]
                records.append(
                    {"rules": {"alone": False}, "dealer": "NESW"[leader - 1], "hands": hands}
                    | {"widow": widow, "actions": calls}
                )
                taken = int(north_south.split()[t][leader])
                answers.append(6 - taken if leader % 2 else taken)
    lines = "\n".join(map(json.dumps, records)).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines), encoding="utf-8"))
    found = found_by(capsys, "-")
    assert [max(act["tricks"] for act in facts["actions"]) for facts in found] == answers
    for facts in found:
        best = max(act["points"] for act in facts["actions"])
        assert [act["points"] == best for act in facts["actions"]] == [
            act["best_for_points"] for act in facts["actions"]
        ]
        assert facts["actions"][0]["best_for_points"]


def test_tables_to_read(tmp_path: Path, capsys: Printed) -> None:
    """Plain text where it is piped: the best marked, losses shown where there are any."""
    file = file_of(tmp_path, up_to(TWO_TRICKS, 2), up_to(TWO_TRICKS, 4), TWO_TRICKS)
    assert main(["solve", file]) == 0
    discarding, lead, over = capsys.readouterr().out.split("\nline ")
    squeezed = [[" ".join(row.split()) for row in part.splitlines()] for part in (lead, over)]
    assert "maker    clubs  diamonds  hearts  spades" in discarding
    assert "W alone" in discarding
    assert "points of bid 2" in discarding
    assert {"Jo 2* +2*", "AC 1 -2"} <= set(squeezed[0])
    assert {"1 N AC Jo 1 -1 -2 -4", "W JH 1 +2", "2 W AD 0 +2", "N 1 4 0 0"} <= set(squeezed[1])
    assert "N holds AC Jo" in over  # the cards as they were dealt
    assert not set(discarding + lead + over) & set("│─┃━\x1b")


def test_the_best_for_tricks_and_for_points_are_marked_apart(capsys: Printed) -> None:
    """Makers who must fail want few tricks under R15 as written, so that the two often differ."""
    differ = 0
    for table in positions("standard", 25, 6):
        if table.phase != PLAY:
            continue
        text = record_text(record_of(table))
        (found,) = found_by(capsys, text)
        marks = [(act["best_for_tricks"], act["best_for_points"]) for act in found["actions"]]
        differ += any(tricks != points for tricks, points in marks)
        assert main(["solve", text]) == 0
        rows = capsys.readouterr().out.rstrip().splitlines()[-len(marks) :]
        assert [tuple(cell.endswith("*") for cell in row.split()[1:]) for row in rows] == marks
    assert differ > 0


def test_a_fault_names_its_line_with_status_1(tmp_path: Path, capsys: Printed) -> None:
    wrong = TWO_TRICKS | {"actions": [*TWO_TRICKS["actions"][:5], "AH"]}
    assert main(["solve", file_of(tmp_path, TWO_TRICKS, wrong, TWO_TRICKS), "--json"]) == 1
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 1
    assert said.err.count("\n") == 1
    assert all(words in said.err for words in ("deals.jsonl, line 3: ", "action 6, 'AH'", "R11"))
    assert main(["solve", "{not a record"]) == 1
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert "the record, line 1: notation" in said.err
    assert main(["solve", json.dumps(TWO_TRICKS | {"points": [2, 0]})]) == 1
    assert "[-2, 0]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "hpenv solve --help"),
        (["no/such.jsonl"], "no/such.jsonl: no such file"),
        (["."], "is a directory"),
        ([json.dumps(TWO_TRICKS), "--bid", "3"], "'3' is no bid under the rules of line 1 (R5"),
        ([json.dumps(TWO_TRICKS), "--bid", "0"], "'0' is no bid"),
        ([json.dumps(TWO_TRICKS), "--bid", "big pepper"], "'big pepper' is no bid"),
        ([json.dumps(TWO_TRICKS), "--bid", "pass"], "'pass' is no bid"),
        ([json.dumps(TWO_TRICKS), "--bid", "AS"], "'AS' is no bid"),
    ],
)
def test_a_users_error_is_one_sentence_and_status_2(
    words: list[str], says: str, capsys: Printed
) -> None:
    assert main(["solve", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("hpenv: ")
    assert says in said.err
    assert said.err.count("\n") == 1
