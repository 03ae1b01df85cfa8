"""Intervals of 95 %: how far a mean or a share may be from the truth at random."""

from math import inf, nan, sqrt
from typing import Any

import numpy as np

CONFIDENCE = 0.95
Z = 1.959963984540054  # a normal deviate stays within +-Z in 95 of 100 cases
RESAMPLES = 10_000


def mean_interval(values: Any) -> tuple[float, float]:
    """The percentile bootstrap interval (Efron, 1979) of the mean of values (n,), each independent of
    the others; (-inf, inf) for a single value, which says nothing about chance.

    How often each distinct value comes up in a resample is one multinomial draw, so the cost depends
    on the number of distinct values, a few dozen for points, and not on n. The seed is fixed: the same
    values give the same interval. It is a little too narrow for less than about 50 values.
    """
    n = len(values)
    if n < 2:
        return -inf, inf
    distinct, counts = np.unique(np.asarray(values, np.float64), return_counts=True)
    draws = np.random.default_rng(0).multinomial(n, counts / n, size=RESAMPLES)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(draws @ distinct / n, [tail, 1 - tail])
    return float(low), float(high)


def share_interval(wins: float, n: int) -> tuple[float, float]:
    """Wilson's score interval (1927) of a share of n trials; (0, 1) if there was none."""
    if n == 0:
        return 0.0, 1.0
    share, z2 = wins / n, Z * Z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z * sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def share_of(wins: float, n: int) -> float:
    """wins / n, not a number if n is 0."""
    return wins / n if n else nan
