"""Intervals: by hand, symmetric, and how often they hold the truth."""

from __future__ import annotations

import numpy as np
import pytest

from hpenv.training.benchmark.intervals import FEWEST, mean_interval, share_interval

# Values of duplicate deals and how often they come: as of rule_based against uniform under set_bid,
# which is the most skewed of the published matches; of a big bid made or set; and of two agents that
# nearly always do the same.
POINTS = {
    "skewed": ([0, 1, 4, 5, 6], [0.05, 0.03, 0.02, 0.12, 0.78]),
    "two values": ([-2, 6], [0.7, 0.3]),
    "mostly equal": ([-1, 0, 1, 3], [0.05, 0.8, 0.1, 0.05]),
}


def test_students_interval_by_hand() -> None:
    # 25 times 0 and 2: mean 1, variance 50 / 49, standard error 1 / 7; t of 49 degrees is 2.009575.
    low, high = mean_interval([0, 2] * 25)
    assert low == pytest.approx(1 - 2.009575 / 7, abs=1e-6)
    assert high == pytest.approx(1 + 2.009575 / 7, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_it_changes_sign_with_the_values_to_the_last_bit(seed: int) -> None:
    values = np.random.default_rng(seed).integers(-12, 13, 777) / 2 + 0.1
    low, high = mean_interval(values)
    assert mean_interval(-values) == (-high, -low)
    assert low < values.mean() < high


@pytest.mark.parametrize("values", [[], [3], [0, 2], [0, 2] * 24 + [1], [1.5] * 1000])
def test_few_or_equal_values_give_none(values: list[float]) -> None:
    assert mean_interval(values) == (-np.inf, np.inf)


@pytest.mark.parametrize("points", POINTS)
@pytest.mark.parametrize(("n", "least"), [(FEWEST, 0.90), (100, 0.91), (1000, 0.935)])
def test_it_holds_the_truth_as_often_as_it_says(points: str, n: int, least: float) -> None:
    values, chances = POINTS[points]
    truth = np.dot(values, chances)
    samples = np.random.default_rng(8).choice(values, (2000, n), p=chances)
    held = np.mean([low <= truth <= high for low, high in map(mean_interval, samples)])
    assert least <= held <= 0.965


def test_wilson_by_hand() -> None:
    # None of ten: the upper bound is z^2 / (n + z^2) = 3.8415 / 13.8415.
    assert share_interval(0, 10) == pytest.approx((0.0, 0.27753), abs=1e-5)
    assert share_interval(10, 10) == pytest.approx((0.72247, 1.0), abs=1e-5)
    # Half of a hundred: 1/2 -+ z / (2 sqrt(n + z^2)) = 1/2 -+ 1.95996 / 20.38056.
    low, high = share_interval(50, 100)
    assert low == pytest.approx(0.40383, abs=1e-5)
    assert high == pytest.approx(0.59617, abs=1e-5)
    assert share_interval(0, 0) == (0.0, 1.0)
