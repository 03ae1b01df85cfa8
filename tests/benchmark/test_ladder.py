"""Tournaments in a folder: stopped and gone on with they end alike, and other folders are errors."""

from __future__ import annotations

import csv
import json
import re
import time
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hpenv.agents import agent
from hpenv.training.benchmark import ladder, standings
from hpenv.training.benchmark.ladder import PARTS, PLAN, RECORDS, Plan, parts_of, play_tournament
from hpenv.training.benchmark.ladder_facts import LadderFacts
from hpenv.training.benchmark.ladder_report import labels_of
from hpenv.training.benchmark.matches import duplicate_match
from hpenv.training.benchmark.outcomes import A
from hpenv.training.cli.main import main

parquet: Any = pytest.importorskip("pyarrow.parquet")

NAMES = ("uniform", "sensible_random", "rule_based")
PLAN_OF_THREE = Plan(NAMES, "mini3", 60, 4)


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of 20 deals."""
    monkeypatch.setattr(agent, "DEALS_IN_LOCKSTEP", 20)
    monkeypatch.setattr(ladder, "FEWEST_IN_A_PART", 1)


def contents(folder: Path) -> dict[str, Any]:
    """The records of all parts, and of the whole."""
    paths = [*sorted((folder / PARTS).iterdir()), folder / RECORDS]
    return {path.name: parquet.read_table(path).to_pylist() for path in paths}


def test_the_parts_are_all_the_deals_of_all_pairs() -> None:
    parts = parts_of(replace(PLAN_OF_THREE, deals=50))
    assert [part.pair for part in parts] == [(0, 1)] * 3 + [(0, 2)] * 3 + [(1, 2)] * 3
    assert [(part.first, part.deals) for part in parts[:3]] == [(0, 20), (20, 20), (40, 10)]


def test_it_is_what_matches_on_the_same_deals_come_to(tmp_path: Path) -> None:
    facts = LadderFacts(NAMES, play_tournament(PLAN_OF_THREE, tmp_path))
    for (i, j), values in facts.values.items():
        match = duplicate_match(NAMES[i], NAMES[j], "mini3", 60, 4, chunk=20)
        assert np.array_equal(values, match.values)
        of_pair = (facts.a == i) & (facts.b == j)
        for who, place in ((A, i), (1 - A, j)):
            there = of_pair & (facts.makers == place)
            assert np.bincount(facts.bid[there], minlength=8).tolist() == match.contracts(who).bids
            assert facts.made[there].sum() == match.contracts(who).made
    contracts = sum(facts.by_seat(i)[0].sum() for i in range(3))
    assert contracts == np.count_nonzero(facts.maker >= 0)


def test_stopped_it_goes_on_without_playing_a_deal_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    play_tournament(PLAN_OF_THREE, whole)
    played: list[Any] = []
    play_part = ladder.play_part

    def until_the_fifth(plan: Plan, folder: Path, part: Any) -> None:
        if len(played) == 4:
            raise KeyboardInterrupt
        played.append(part)
        play_part(plan, folder, part)

    monkeypatch.setattr(ladder, "play_part", until_the_fifth)
    with pytest.raises(KeyboardInterrupt):
        play_tournament(PLAN_OF_THREE, stopped)
    assert not (stopped / RECORDS).exists()
    damaged = played[1].path(stopped)
    damaged.write_bytes(damaged.read_bytes()[:-30])
    (stopped / PARTS / ".killed.part").write_bytes(b"half")
    again: list[Any] = []
    monkeypatch.setattr(
        ladder,
        "play_part",
        lambda plan, folder, part: (again.append(part), play_part(plan, folder, part))[-1],
    )
    steps: list[tuple[int, int]] = []
    play_tournament(PLAN_OF_THREE, stopped, progress=lambda *step: steps.append(step))
    assert sorted(again, key=parts_of(PLAN_OF_THREE).index) == [played[1], *parts_of(PLAN_OF_THREE)[4:]]
    assert (steps[0], steps[-1]) == ((60, 180), (180, 180))
    assert contents(stopped) == contents(whole)


def test_killed_it_goes_on_with_several_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()  # parts of 1,024 deals: those of a new process, too
    plan = Plan(NAMES[:2], "mini2", 2500, 4)
    process = get_context("spawn").Process(target=play_tournament, args=(plan, tmp_path))
    process.start()
    for _ in range(1200):
        if any((tmp_path / PARTS).glob("[!.]*")):
            break
        time.sleep(0.02)
    process.kill()
    process.join()
    there = {path: path.stat().st_mtime_ns for path in (tmp_path / PARTS).glob("[!.]*")}
    assert there
    facts = LadderFacts(plan.agents, play_tournament(plan, tmp_path, processes=2))
    assert np.array_equal(facts.values[0, 1], duplicate_match(*plan.agents, "mini2", 2500, 4).values)
    assert {path: path.stat().st_mtime_ns for path in there} == there
    assert len(list((tmp_path / PARTS).iterdir())) == 3
    with pytest.raises(ValueError, match=r"another tournament: its deals are 2500, not 400"):
        play_tournament(replace(plan, deals=400), tmp_path)


@pytest.mark.parametrize("left", ["a file", "a folder", "damaged"])
def test_a_folder_that_holds_something_else_is_an_error(tmp_path: Path, left: str) -> None:
    out = tmp_path / "out"
    if left == "a file":
        out.write_text("mine", encoding="utf-8")
    else:
        out.mkdir()
        (out / (PLAN if left == "damaged" else "mine")).write_text("[", encoding="utf-8")
    before = [path.name for path in tmp_path.rglob("*")]
    with pytest.raises(ValueError, match=r"damaged" if left == "damaged" else r"holds no tournament"):
        play_tournament(PLAN_OF_THREE, out)
    assert [path.name for path in tmp_path.rglob("*")] == before


def test_a_search_has_the_weights_of_the_network_that_it_asks() -> None:
    names = ("learned", "learned_search", "pimc:belief=learned", "oracle_partner:belief=learned")
    weights = [ladder.weights_hash(agent.make_agent(name)) for name in names]
    assert weights[0] is not None
    assert weights[0] == weights[1]
    assert weights[2] is not None
    assert weights[2] == weights[3]
    assert ladder.weights_hash(agent.make_agent("pimc")) is None


def test_a_belief_by_other_weights_is_another_agent() -> None:
    searcher: Any = agent.make_agent("pimc:belief=learned")
    before = ladder.weights_hash(searcher)
    next(iter(searcher.agents[0].network.state_dict().values()))[0] += 1
    assert ladder.weights_hash(searcher) != before


def test_other_weights_under_the_same_name_are_another_tournament(tmp_path: Path) -> None:
    described = ladder.describe(Plan(("learned", "uniform"), "mini3", 1, 1))
    assert len(described["weights"][0]) == 64
    assert described["weights"][1] is None
    ladder.write_whole(tmp_path / PLAN, json.dumps(described | {"weights": ["0" * 64, None]}).encode())
    with pytest.raises(ValueError, match="holds another tournament: its weights are"):
        ladder.check_folder(tmp_path, described)


def test_labels_are_short_and_each_its_own() -> None:
    names = ("learned:runs/a/best", "learned:runs/b/best", "uniform", "mixed:rule_based,lead=uniform,x")
    assert labels_of(names)[:3] == ["learned:best", "learned:best (2)", "uniform"]
    assert len(labels_of(names)[3]) == 26


def test_the_command_writes_all_its_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standings, "SAMPLES", 50)
    out = tmp_path / "out"
    words = [
        "tournament",
        *NAMES,
        "--rules",
        "mini3",
        "--deals",
        "60",
        "--seed",
        "4",
        "--out",
        str(out),
    ]
    assert main([*words, "--processes", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found == json.loads((out / "summary.json").read_text(encoding="utf-8"))
    assert found["agents"][-1]["name"] == "uniform"
    rows = list(csv.DictReader((out / "matrix.csv").read_text(encoding="utf-8").splitlines()))
    means = {(row["agent"], row["opponent"]): float(row["mean"]) for row in rows}
    assert len(means) == 6
    assert all(means[a, b] == -means[b, a] for a, b in means)
    assert means["uniform", "rule_based"] == duplicate_match(*NAMES[::2], "mini3", 60, 4, chunk=20).mean
    ratings = list(csv.DictReader((out / "ratings.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["name"] for row in ratings] == [agent["name"] for agent in found["agents"]]
    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 5
    assert page.count("data:image/svg+xml;base64,") == 20
    assert not re.search(r"""(?:src|href)=["'](?!data:|#)|url\((?!#)|<script|<link""", page)
    assert main(words) == 0  # nothing left to play
    assert "report: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("uniform", "two agents or more, not 1"),
        ("uniform uniform", "agent 'uniform' is named twice"),
        ("uniform rule_basd", "did you mean rule_based?"),
        ("uniform rule_based --deals 0", "deals: 0"),
        ("uniform rule_based --processes -1", "processes: -1"),
        ("uniform rule_based --rules standard,house", "one preset"),
    ],
)
def test_wrong_input_is_one_sentence_and_leaves_nothing(
    words: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["tournament", *words.split(), "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert not out.exists()
