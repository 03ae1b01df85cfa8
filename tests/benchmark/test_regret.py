"""Regret: cross-fitted, so that luck of the judge is no loss; unbiased for each deal; by part."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from hpenv.actions import N_ACTIONS
from hpenv.agents.agent import make_agent, play_deals, streams_for
from hpenv.agents.opinion import Opinion
from hpenv.cards import set_cards
from hpenv.compiled import highest_bit, lowest_bit, mix
from hpenv.rules import get_rules
from hpenv.training.benchmark.agents_speed import Recorder
from hpenv.training.benchmark.matches import deal_tables
from hpenv.training.benchmark.regret import (
    PARTS,
    cross_fitted,
    decisions,
    losses,
    part_of,
    parts_of,
    regrets,
)
from hpenv.training.cli.main import main
from scripted import highest, lowest


@dataclass
class Judge:
    """Expects minus the number of an action, times `slope`, and random points besides."""

    slope: float = 1.0
    noise: float = 0.0
    name: str = "judge"

    def act(self, views: Any, streams: Any) -> Any:
        return lowest().act(views, streams)

    def opinion(self, view: Any, stream: Any) -> Opinion:
        random = np.random.default_rng(int(mix(stream))).normal(0, self.noise, N_ACTIONS)
        points, legal = np.full(N_ACTIONS, np.nan), set_cards(int(view.legal))
        points[legal] = random[legal] - self.slope * np.array(legal)
        return Opinion(int(np.nanargmax(points)), np.zeros(N_ACTIONS), points, points)


def taken(rules: str, deals: int, agent: Any) -> Any:
    return decisions(agent, deal_tables(get_rules(rules), 1, 0, deals), 1)


def test_the_best_by_one_look_is_valued_by_the_other() -> None:
    one, other = np.full(N_ACTIONS, np.nan), np.full(N_ACTIONS, np.nan)
    one[[3, 4, 5]] = 1.0, 2.0, 0.0
    other[[3, 4, 5]] = 0.5, -1.0, 0.7
    # By the first look 4 is best, which the other values 1.5 below 3; by the other 5, 1 below 3.
    assert cross_fitted(one, other, 3) == pytest.approx((-1.5 - 1.0) / 2)
    assert cross_fitted(one, one, 5) == 2.0
    with pytest.raises(ValueError, match="does not say what points it expects"):
        cross_fitted(one, other, 6)


def test_noise_of_the_judge_is_no_loss() -> None:
    # All actions are worth the same. By one look alone every agent would seem to lose about a point.
    found = taken("set_bid", 300, highest())
    lost = losses([highest()], Judge(0, 1), found, 1)[0][found.counts > 0]
    assert abs(lost.mean()) < 3 * lost.std() / len(lost) ** 0.5
    assert lost.std() > 0.5


def test_what_is_lost_is_against_the_best_action() -> None:
    found = taken("set_bid", 60, highest())
    lost = losses([highest(), lowest()], Judge(), found, 1)
    for part, deal in np.argwhere(found.counts > 0):
        legal = found.views[part, deal]["legal"]
        assert lost[0, part, deal] == highest_bit(legal) - lowest_bit(legal)
    assert not lost[1].any()


def test_decisions_are_those_met_each_as_likely_as_any_other_of_its_part() -> None:
    agent, n = make_agent("rule_based"), 400
    met = Recorder(agent)
    play_deals(deal_tables(get_rules("house"), 1, 0, n), [met] * 4, streams_for(1, n))
    views = np.concatenate(met.views)
    parts = part_of(views)
    found = taken("house", n, agent)
    assert found.counts.sum(axis=1).tolist() == np.bincount(parts, minlength=len(PARTS)).tolist()
    everything = {view.tobytes() for view in views}
    for part, deal in np.argwhere(found.counts > 0):
        view = found.views[part, deal]
        assert part_of(found.views[part, [deal]])[0] == part
        assert view.tobytes() in everything
        assert view["legal"] & (view["legal"] - 1)
    # Of the cards that a deal lets follow, one in the middle of them, on average.
    follow = PARTS.index("follow")
    met_at, taken_at = views["history_length"][parts == follow], found.views[follow]["history_length"]
    assert taken_at.mean() == pytest.approx(met_at.mean(), abs=3 * met_at.std() / n**0.5)


def test_a_loss_counts_for_all_decisions_of_its_part() -> None:
    lost, counts = np.zeros((len(PARTS), 60)), np.zeros((len(PARTS), 60), np.int64)
    lost[0], counts[0] = np.arange(60) % 2, 4
    lost[4, :30], counts[4, :30] = 1, 2
    rows = {row["part"]: row for row in parts_of(lost, counts)}
    assert list(rows) == ["auction", "lead", "all"]
    assert rows["auction"]["lost_per_deal"] == 2
    assert rows["auction"]["lost_per_decision"] == 0.5
    assert rows["lead"]["lost_per_deal"] == 1
    assert rows["lead"]["decisions_per_deal"] == 1
    assert rows["all"]["lost_per_deal"] == 3
    assert rows["all"]["low"] < 3 < rows["all"]["high"]
    assert rows["all"]["judged"] == 90


def test_a_judge_loses_nothing_on_average_and_random_play_much() -> None:
    found = regrets(["pimc:worlds=20", "uniform"], "mini3", 60, "pimc:worlds=20")
    judge, uniform = (agent["parts"][-1] for agent in found["agents"])
    assert judge["low"] < 0.1
    assert uniform["low"] > judge["high"]
    assert found == regrets(["pimc:worlds=20", "uniform"], "mini3", 60, "pimc:worlds=20")


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["regret", "rule_based", "uniform", "--rules", "mini2", "--deals", "60"]
    words += ["--judge", "pimc:worlds=4"]
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    expected = regrets(["rule_based", "uniform"], "mini2", 60, "pimc:worlds=4")
    assert found == json.loads(json.dumps(expected, allow_nan=False))
    assert main(words) == 0
    assert "diagnostic, against the best choices by pimc:worlds=4" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("", "name one agent or more"),
        ("rule_basd", "did you mean rule_based?"),
        ("oracle_all", "sees hidden cards"),
        ("rule_based --judge oracle_all", "sees hidden cards"),
        ("rule_based --judge uniform", "uniform does not say what points it expects"),
        ("rule_based --deals 0", "deals: 0"),
    ],
)
def test_wrong_input_is_one_sentence(words: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["regret", *words.split()]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
