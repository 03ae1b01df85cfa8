"""A policy that learns a small game is measured whenever it is saved."""

import csv
from pathlib import Path

import pytest

from hpenv.agents.agent import make_agent
from hpenv.rules import PRESETS
from hpenv.training.small_games.agents import policy_of
from hpenv.training.small_games.learning import FILE, distances, learn
from small_runs import curves, small
from small_trees import ONE_CARD, one_card_tree


def test_each_save_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "mini2", ONE_CARD)
    run = tmp_path / "run"
    learner = learn(small(run, rules=("mini2",), total_timesteps=2_000, save_interval=1_000))
    rows = list(csv.DictReader((run / FILE).open(encoding="utf-8")))
    assert len(rows) == 2
    assert int(rows[-1]["timesteps"]) == learner.timesteps
    for name in ("value", "best_response_seat", "best_response_team_upper"):
        curve = curves(run)[f"exact/mini2/{name}"]
        assert [step for step, _ in curve] == [int(row["timesteps"]) for row in rows]
        assert curve[-1][1] == pytest.approx(float(rows[-1][name]), abs=1e-6)
    tree = one_card_tree(named=False)
    kept, exact = policy_of(tree, make_agent(f"learned:{run},play=sample"))
    assert exact
    for name, value in distances(tree, kept).items():  # weights are kept in half precision
        assert float(rows[-1][name]) == pytest.approx(value, abs=0.002), name


def test_one_small_game_at_a_time(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"rules: one preset at a time here, not mini2 standard"):
        learn(small(tmp_path / "run", rules=("mini2", "standard")))
    with pytest.raises(ValueError, match="hand_size=3: small games"):
        learn(small(tmp_path / "run", rules=("mini3",)))
    assert not (tmp_path / "run").exists()
