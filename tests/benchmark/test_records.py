"""Records of matches: each replays to the same result, the hash is that of the cards, and a file is
there whole or not at all."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hpenv.notation import replay
from hpenv.rules import get_rules
from hpenv.seats import SEAT_LETTERS
from hpenv.training.benchmark import records
from hpenv.training.benchmark.matches import deals_hash, duplicate_match
from hpenv.training.benchmark.outcomes import A, B
from hpenv.training.benchmark.records import RecordsFile, record_from, schema
from hpenv.training.cli.main import main
from scripted import highest, lowest

parquet: Any = pytest.importorskip("pyarrow.parquet")

# Worked out on one machine; they shall be the same on every other.
SEALS = {
    ("standard", 1, 2000): "39379330f004934b",
    ("mini2", 5, 100): "2162a12327568295",
}


@pytest.mark.parametrize("which", SEALS)
def test_the_same_seed_and_rules_have_the_same_hash_everywhere(which: tuple[str, int, int]) -> None:
    rules, seed, deals = which
    assert deals_hash(get_rules(rules), seed, deals).startswith(SEALS[which])
    assert not deals_hash(get_rules(rules), seed + 1, deals).startswith(SEALS[which])


def test_a_match_has_the_hash_of_its_deals_however_it_is_played() -> None:
    whole = duplicate_match(lowest(), "uniform", "mini2", 100, seed=5)
    chunked = duplicate_match(highest(), lowest(), "mini2", 100, seed=5, chunk=7)
    assert whole.deals_hash == chunked.deals_hash == deals_hash(get_rules("mini2"), 5, 100)
    later = duplicate_match(lowest(), "uniform", "mini2", 40, seed=5, first=60)
    assert later.deals_hash == deals_hash(get_rules("mini2"), 5, 40, 60)
    assert np.array_equal(later.outcomes, whole.outcomes[60:])


@pytest.mark.parametrize("kind", records.KINDS)
@pytest.mark.parametrize("rules", ["house", {"hand_size": 4, "alone": False}])
def test_every_record_replays_to_the_result_of_the_match(tmp_path: Path, kind: str, rules: Any) -> None:
    path = tmp_path / f"deals{kind}"
    names = "lowest", "uniform"
    with RecordsFile(path, 3) as file:
        match = duplicate_match(
            lowest(), "uniform", rules, 30, 3, chunk=20, finished=lambda at: file.add(names, at)
        )
        assert not path.exists()
    rows = read(path)
    assert len(rows) == 60
    for row in rows:
        record = record_from(row)
        played = replay(record)  # checks every action and the points
        table = played.table
        assert record.rules == get_rules(rules)
        assert (list(played.points or ()), list(played.tricks)) == (row["points"], row["tricks"])
        side = ("NS", "EW").index(row["a_side"])
        outcome = match.outcomes[row["deal"], side]
        assert row["margin"] == outcome["points"][A] - outcome["points"][B]
        assert row["margin"] == row["points"][side] - row["points"][1 - side]
        if row["maker"] is None:
            assert table.maker < 0
            assert row["bid"] is row["trump"] is row["alone"] is row["made"] is None
        else:
            assert SEAT_LETTERS[table.maker] == row["maker"]
            assert (row["bid"], "CDHS"[table.trump]) == (table.bid, row["trump"])
            assert row["made"] == outcome["made"]
            assert row["alone"] == outcome["alone"] == bool(table.alone >> table.maker & 1)
    assert {(row["deal"], row["a_side"]) for row in rows} == {
        (deal, side) for deal in range(30) for side in ("NS", "EW")
    }
    assert {(row["a"], row["b"], row["seed"]) for row in rows} == {(*names, 3)}


def read(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        rows: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
        return rows
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_documented_columns_are_those_of_the_file() -> None:
    documented = re.findall(r"^\| (`.+?) \|", records.__doc__ or "", re.MULTILINE)
    assert [name.strip("`") for names in documented for name in names.split(", ")] == schema().names


def test_where_a_match_fails_there_is_no_file(tmp_path: Path) -> None:
    def play() -> None:
        with RecordsFile(tmp_path / "deals.jsonl", 1) as file:
            duplicate_match(
                lowest(), "uniform", "mini2", 5, finished=lambda at: file.add(("a", "b"), at)
            )
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        play()
    assert list(tmp_path.iterdir()) == []


def test_evaluate_writes_records_of_every_pair_and_every_rules(tmp_path: Path) -> None:
    path = tmp_path / "deals.parquet"
    agents = ["uniform", "sensible_random", "rule_based"]
    words = ["evaluate", *agents, "--deals", "4", "--rules", "mini2", "mini3", "--records", str(path)]
    assert main(words) == 0
    rows = read(path)
    assert len(rows) == 2 * 3 * 4 * 2
    assert {(row["a"], row["b"]) for row in rows} == {
        (agents[0], agents[1]),
        (agents[0], agents[2]),
        (agents[1], agents[2]),
    }


@pytest.mark.parametrize(
    ("name", "seed", "says"),
    [
        ("deals.csv", 1, "ends neither in .jsonl nor in .parquet"),
        ("there.jsonl", 1, "is there already"),
        ("no/such/deals.jsonl", 1, "no such folder"),
        ("deals.jsonl", 2**63, "does not fit into 64 bits"),
    ],
)
def test_a_file_that_cannot_be_written_is_an_error_beforehand(
    name: str, seed: int, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "there.jsonl").write_text("kept", encoding="utf-8")
    path = str(tmp_path / name)
    assert main(["evaluate", "uniform", "uniform", "--seed", str(seed), "--records", path]) == 2
    assert says in capsys.readouterr().err
    assert (tmp_path / "there.jsonl").read_text(encoding="utf-8") == "kept"
    assert len(list(tmp_path.iterdir())) == 1
