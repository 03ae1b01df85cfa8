"""How long agents take: the same views for all of them, each a real choice."""

from __future__ import annotations

import json

import pytest

from hpenv.rulebook import AUCTION, DISCARD, NAME_TRUMP, PLAY
from hpenv.rules import get_rules
from hpenv.training.benchmark.agents_speed import AGENTS, measure, views_in_play
from hpenv.training.cli.main import main


def test_the_views_are_choices_of_every_kind() -> None:
    views = views_in_play(get_rules("standard"))
    assert ((views["legal"] & (views["legal"] - 1)) != 0).all()
    assert {AUCTION, NAME_TRUMP, DISCARD, PLAY} <= set(views["phase"].tolist())
    assert set(views["seat"].tolist()) == {0, 1, 2, 3}
    assert views.tobytes() == views_in_play(get_rules("standard")).tobytes()


def test_a_search_takes_longer_than_a_rule_of_thumb() -> None:
    rows = measure(get_rules("mini2"), 0.01, names=("rule_based", "pimc:worlds=500"))["rows"]
    quick, slow = rows
    assert quick["name"] == "rule_based"
    assert quick["decisions"] >= 20 <= slow["decisions"]
    assert 0 < quick["median"] < slow["median"] <= slow["p99"]


def test_the_command_prints_a_table_and_json(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "__kwdefaults__", {"names": AGENTS[:2], "progress": None})
    words = ["speed", "agents", "--rules", "mini2", "--seconds", "0.001"]
    assert main(words) == 0
    assert "ms per decision" in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)["rows"]] == list(AGENTS[:2])
