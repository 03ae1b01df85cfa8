"""Ratings recover known strengths, their bootstrap draws whole deals, and cycles are found."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from hpenv.training.benchmark import standings
from hpenv.training.benchmark.standings import ELO, Standings, fitted_ratings, nash_average

ROCK_PAPER_SCISSORS = np.array([[0, -1.0, 1], [1, 0, -1], [-1, 1, 0]])


def drawn(strengths: list[float], deals: int, seed: int) -> Standings:
    """Deals won with the odds of Bradley and Terry, each by one point."""
    random = np.random.default_rng(seed)
    values = {}
    for i, j in combinations(range(len(strengths)), 2):
        chance = 1 / (1 + np.exp(strengths[j] - strengths[i]))
        values[i, j] = np.where(random.random(deals) < chance, 1.0, -1.0)
    return Standings([f"agent {i}" for i in range(len(strengths))], values)


def test_two_agents_by_hand() -> None:
    # 75 of 100 deals: odds of 3 to 1, so the ratings are ln 3 apart, 190.8 on Elo's scale.
    first, second = fitted_ratings(np.array([[0.0, 75], [25, 0]]))
    assert first - second == pytest.approx(np.log(3), abs=1e-4)
    assert ELO * (first - second) == pytest.approx(190.8, abs=0.1)


def test_ratings_recover_known_strengths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standings, "SAMPLES", 100)
    strengths = [1.0, 0.4, 0.0, -0.3, -1.1]
    found = drawn(strengths, 20_000, 1)
    assert found.ratings[:, 0] / ELO == pytest.approx(strengths, abs=0.03)
    assert found.order == [0, 1, 2, 3, 4]
    assert found.cycles == []


def test_intervals_of_ratings_hold_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standings, "SAMPLES", 100)
    strengths = np.array([0.5, 0.0, -0.5])
    held = []
    for seed in range(40):
        ratings = drawn(list(strengths), 400, seed).ratings / ELO
        held += list((ratings[:, 1] <= strengths) & (strengths <= ratings[:, 2]))
    assert 0.88 <= np.mean(held) <= 0.99


def test_the_bootstrap_draws_a_deal_with_what_all_pairs_made_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Each agent wins against both others on its own third of the deals: what one pair lacks in a sample
    # another has. Were the pairs drawn apart, the same values in another order would give as much.
    monkeypatch.setattr(standings, "SAMPLES", 200)
    up, down = np.repeat([1.0, -1.0], 300), np.repeat([-1.0, 1.0], 300)
    together = Standings(["a", "b", "c"], {(0, 1): up, (0, 2): up, (1, 2): up})
    against = Standings(["a", "b", "c"], {(0, 1): up, (0, 2): down, (1, 2): up})
    widths = [found.ratings[0, 2] - found.ratings[0, 1] for found in (together, against)]
    assert widths[1] < 0.01 * widths[0]  # of a: won against b exactly where lost against c


def test_payoffs_are_antisymmetric_with_intervals() -> None:
    found = drawn([0.3, 0.0, 0.0], 500, 2)
    assert np.array_equal(found.payoffs[0, 1], -found.payoffs[1, 0][[0, 2, 1]])
    assert (found.payoffs[0, 1, 1] < found.payoffs[0, 1, 0]) & (
        found.payoffs[0, 1, 0] < found.payoffs[0, 1, 2]
    )
    assert found.averages.sum() == pytest.approx(0)
    same = Standings(["a", "b"], {(0, 1): np.zeros(60)})
    assert not same.payoffs.any()
    assert same.ratings[:, 0] == pytest.approx([0, 0])


@pytest.mark.parametrize(
    ("payoffs", "weights"),
    [
        (ROCK_PAPER_SCISSORS, [1 / 3, 1 / 3, 1 / 3]),
        ([[0, 1, 2], [-1, 0, 1], [-2, -1, 0]], [1, 0, 0]),  # a ladder
        ([[0, 3, -1], [-3, 0, 2], [1, -2, 0]], [2 / 6, 1 / 6, 3 / 6]),  # solved by hand
        ([[0, 0, 1], [0, 0, 1], [-1, -1, 0]], [1 / 2, 1 / 2, 0]),  # twins share the weight
        (np.zeros((2, 2)), [1 / 2, 1 / 2]),
    ],
)
def test_nash_averaging_by_hand(payoffs: list[list[float]], weights: list[float]) -> None:
    assert nash_average(np.array(payoffs, float)) == pytest.approx(weights, abs=2e-3)


def test_a_cycle_is_told_and_ratings_cannot_show_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standings, "SAMPLES", 20)
    noise = np.tile([0.5, -0.5], 100)
    values = {(0, 1): noise - 1, (0, 2): noise + 1, (1, 2): noise - 1}
    found = Standings(["rock", "paper", "scissors"], values)
    assert found.cycles == [(0, 2, 1)]
    assert found.cyclic_share == pytest.approx(1)
    assert found.ratings[:, 0] == pytest.approx([0, 0, 0], abs=1)
    assert found.nash == pytest.approx([1 / 3] * 3, abs=2e-3)
    ladder = Standings(["a", "b", "c"], {(0, 1): noise + 1, (0, 2): noise + 2, (1, 2): noise + 1})
    assert (ladder.cycles, ladder.cyclic_share) == ([], pytest.approx(0))
