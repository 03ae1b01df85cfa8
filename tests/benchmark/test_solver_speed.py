"""`hpenv speed solver`: its four rows, and the deals that they are measured on."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from hpenv.rulebook import PLAY
from hpenv.rules import PRESETS, get_rules
from hpenv.training.benchmark.solver_speed import Deals, Task
from hpenv.training.cli.main import main

Printed = pytest.CaptureFixture[str]


def no_nan(word: str) -> None:
    raise AssertionError(f"{word} is not JSON")


def test_solver_speed_measures_its_four_rows(capsys: Printed) -> None:
    assert main(["speed", "solver", "--rules", "mini3", "--seconds", "0.005", "--json"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=no_nan)
    units = {
        "solve": "deals_per_s",
        "solve_all_cards": "deals_per_s",
        "worlds": "worlds_per_s",
        "pimc100_lead": "decisions_per_s",
    }
    rows = {row["name"]: row for row in found["rows"]}
    assert list(rows) == list(units)
    for name, row in rows.items():
        assert 0 < row["lowest"] <= row[units[name]] <= row["highest"]
        assert row["repetitions"] >= 3
    assert rows["solve"]["ms_p99"] > 0
    assert rows["solve_all_cards"]["points_deals_per_s"] > 0
    assert rows["pimc100_lead"]["ms"] == pytest.approx(1000 / rows["pimc100_lead"]["decisions_per_s"])
    assert rows["worlds"]["worlds_per_s"] > rows["solve"]["deals_per_s"]
    assert found["rules"] == "mini3"
    assert {"processor", "cores", "python", "numba"} <= found["machine"].keys()
    assert main(["speed", "solver", "--rules", "mini2", "--seconds", "0.002"]) == 0
    assert "pimc100_lead" in capsys.readouterr().out


@pytest.mark.parametrize("name", PRESETS)
def test_deals_to_solve_are_new_and_of_every_kind(name: str) -> None:
    """At the opening lead with partner, every seat the maker and every suit the trump, none twice."""
    deals = Deals(get_rules(name))
    taken = [deals.take(200) for _ in range(2)]
    tables = np.concatenate([tables for tables, _, _ in taken])
    views = np.concatenate([views for _, views, _ in taken])
    assert (tables["phase"] == PLAY).all()
    assert not tables["cards_in_trick"].any()
    assert not tables["alone"].any()
    assert (views["seat"] == tables["leader"]).all()
    assert (views["hand"] == tables["hands"][np.arange(400), tables["leader"]]).all()
    for field in ("maker", "trump", "dealer"):
        assert set(tables[field].tolist()) == set(range(4))
    assert set(tables["bid"].tolist()) == set(range(1, int(tables["hand_size"][0]) + 1))
    assert len({bytes(pack) for pack in tables["pack"]}) > (390 if tables["hand_size"][0] > 3 else 200)


def test_every_deal_is_asked_about_once() -> None:
    """So many new deals in calls of at most so many; the spans are those of the calls."""
    asked: list[Any] = []
    task = Task(lambda tables, views, streams: asked.append(tables["key"].copy()), 8)
    assert task.turn(Deals(get_rules("mini2")), 20) > 0
    assert [len(keys) for keys in asked] == [8, 8, 4]
    assert len(np.unique(np.concatenate(asked))) == 20
    assert len(task.spans) == 3
