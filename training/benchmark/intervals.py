"""Intervals of 95 %: how far a mean or a share may be from the truth at random."""

from math import inf, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

CONFIDENCE = 0.95
FEWEST = 50  # values; with fewer, intervals of points miss the truth far more often than they say
TOO_FEW = f"no interval from fewer than {FEWEST} deals, or where all of them came out alike"


def mean_interval(values: ArrayLike) -> tuple[float, float]:
    """Student's t interval (1908) of the mean of values (n,), each independent of the others.

    It is as wide above the mean as below, so it changes sign with the values. (-inf, inf) if there are
    fewer than FEWEST values, and if all are equal: those say nothing of how far others may be from
    them. Points of deals are skewed, and from fewer values the interval would hold the truth in 66 to
    95 of 100 cases, depending on the agents; from FEWEST on, in 90 or more.
    """
    from scipy.special import stdtrit  # noqa: PLC0415  (takes a second)

    seen = np.asarray(values, np.float64)
    n = len(seen)
    if n < FEWEST or not np.ptp(seen):
        return -inf, inf
    mean = float(seen.mean())
    half = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * float(seen.std(ddof=1)) / sqrt(n)
    return mean - half, mean + half


def change_interval(values: ArrayLike) -> tuple[float, float]:
    """`mean_interval` of what a change is worth on each deal; 0 to 0 where it changed nothing."""
    return mean_interval(values) if np.any(values) else (0.0, 0.0)


def share_interval(wins: int, n: int) -> tuple[float, float]:
    """Wilson's score interval (1927) of a share of n trials; (0, 1) if there was none."""
    from scipy.stats import binomtest  # noqa: PLC0415

    if n == 0:
        return 0.0, 1.0
    found = binomtest(wins, n).proportion_ci(CONFIDENCE, "wilson")
    return float(found.low), float(found.high)


def share_of(wins: float, n: int) -> float:
    """wins / n, not a number if n is 0."""
    return wins / n if n else nan
