"""What opening leads lose: the positions asked about, the sums, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hpenv.agents.agent import make_agent
from hpenv.agents.opinion import opinion_of
from hpenv.cards import set_cards
from hpenv.rulebook import PLAY
from hpenv.rules import get_rules
from hpenv.training.benchmark.leads import lead_losses, opening_leads
from hpenv.training.cli.main import main


@pytest.mark.parametrize("rules", ["standard", "set_bid", "mini3"])
def test_every_view_is_of_a_seat_to_lead_first_with_a_choice(rules: str) -> None:
    views, streams = opening_leads(get_rules(rules), 40, 3)
    assert views.shape == streams.shape == (40,)
    for view in views:
        assert view.phase == PLAY
        assert view.tricks_played == view.cards_in_trick == 0
        assert len(list(set_cards(view.legal))) > 1
    again, _ = opening_leads(get_rules(rules), 40, 3)
    assert again.tobytes() == views.tobytes()
    assert opening_leads(get_rules(rules), 40, 4)[0].tobytes() != views.tobytes()


def test_losses_are_against_the_judges_best_lead() -> None:
    """The same sums one view at a time, with an agent that the judge has not met."""
    rules = get_rules("set_bid")
    rows = {row["name"]: row for row in lead_losses(rules, (5,), judge=30, deals=12, seed=2)}
    views, streams = opening_leads(rules, 12, 2)
    judge, few = make_agent("pimc:worlds=30"), make_agent("pimc:worlds=5")
    by_rules, by_chance, by_few = [], [], []
    for i, view in enumerate(views):
        points = opinion_of(judge, view, 2 + 1 + i).points
        cards = list(set_cards(view.legal))
        best = max(points[card] for card in cards)
        one = views[i : i + 1]
        by_rules.append(best - points[make_agent("rule_based").act(one, np.zeros(1, np.uint64))[0]])
        by_few.append(best - points[few.act(one, streams[i : i + 1].copy())[0]])
        by_chance.append(sum(best - points[card] for card in cards) / len(cards))
    for name, losses in (("rule_based", by_rules), ("random", by_chance), ("pimc:worlds=5", by_few)):
        row = rows[name]
        assert row["loss"] == pytest.approx(np.mean(losses)), name
        assert (row["low"], row["high"]) == (None, None), name  # of so few deals nothing is known
    assert rows["random"]["loss"] > rows["rule_based"]["loss"]


def test_losses_of_many_deals_have_an_interval() -> None:
    for row in lead_losses(get_rules("mini3"), (2,), judge=20, deals=60):
        assert row["low"] < row["loss"] < row["high"], row["name"]


def test_the_command_tells_and_draws(tmp_path: Path, capsys: Any) -> None:
    words = [
        "leads",
        "--rules",
        "set_bid",
        "standard",
        "--deals",
        "6",
        "--judge",
        "8",
        "--worlds",
        "2",
        "4",
    ]
    picture = tmp_path / "leads.png"
    assert main([*words, "--json", "--plot", str(picture)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(row["rules"], row["worlds"]) for row in told["rows"]] == [
        (rules, worlds) for rules in ("set_bid", "standard") for worlds in (0, 0, 2, 4)
    ]
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert main(words) == 0
    assert "pimc:worlds=4" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--deals", "1"], "deals: 1 is not a whole number from 2"),
        (["--rules", "none"], "no preset 'none'"),
        (["--deals", "2", "--worlds", "0"], "worlds='0' is not a whole number from 1"),
        (["--deals", "2", "--judge", "0"], "worlds='0' is not a whole number from 1"),
        (["--plot", "leads.txt"], "leads.txt is neither a .png nor a .svg"),
    ],
)
def test_wrong_options_get_a_sentence(words: list[str], sentence: str, capsys: Any) -> None:
    assert main(["leads", *words]) == 2
    assert sentence in capsys.readouterr().err
