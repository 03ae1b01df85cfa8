"""What all pairs of a tournament come to: payoffs, ratings, and cycles.

**Payoffs** are points per deal with Student's intervals. **Ratings** are those of Bradley and Terry
(1952), fitted to the share of duplicate deals that each agent won, a tie counting half, on the scale of
Elo: 400 more are odds of ten to one. Their intervals come from a bootstrap over deals: a deal is drawn
with what all pairs made of it, since all of them played the same cards. **Nash averaging** (Balduzzi
et al. 2018) weighs the agents as the equilibrium of highest entropy does that picks one of them to
play: where the agents form a ladder the best has all the weight, in a cycle its members share it.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from math import log
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hpenv.training.benchmark.intervals import CONFIDENCE, mean_interval
from hpenv.training.benchmark.outcomes import finite

Floats: TypeAlias = NDArray[np.float64]
ELO = 400 / log(10)  # points of rating for one of log odds
SAMPLES = 1000  # of the bootstrap
PRIOR = 0.5  # deals won by each side of a pair before any was played, so that all ratings are finite
ROUND_OFF = 1e-6


@dataclass(frozen=True)
class Standings:
    """names: of n agents. values: by pair (i, j) with i < j, the value of each duplicate deal for i,
    shape (deals,). seed: of the bootstrap."""

    names: list[str]
    values: dict[tuple[int, int], Floats]
    seed: int = 1

    @cached_property
    def payoffs(self) -> Floats:
        """Points per deal of each row against each column, shape (n, n, 3): mean, low, high."""
        n = len(self.names)
        found = np.zeros((n, n, 3))
        for (i, j), values in self.values.items():
            low, high = mean_interval(values) if values.any() else (0.0, 0.0)
            found[i, j] = values.mean(), low, high
            found[j, i] = 0.0 - values.mean(), 0.0 - high, 0.0 - low
        return found

    @cached_property
    def averages(self) -> Floats:
        """Points per deal over all opponents, shape (n,)."""
        averages: Floats = self.payoffs[:, :, 0].sum(axis=1) / (len(self.names) - 1)
        return averages

    @cached_property
    def ratings(self) -> Floats:
        """Bradley and Terry's rating of each agent, shape (n, 3): rating, low, high; the mean of all
        ratings is 0."""
        pairs = list(self.values)
        scores = np.stack([(np.sign(self.values[pair]) + 1) / 2 for pair in pairs], axis=1)
        deals = len(scores)
        best = fitted_ratings(wins_of(pairs, scores.sum(axis=0), deals, len(self.names)))
        random = np.random.default_rng(self.seed)
        drawn = np.empty((SAMPLES, len(self.names)))
        for sample in range(SAMPLES):
            counts = np.bincount(random.integers(deals, size=deals), minlength=deals)
            wins = wins_of(pairs, counts @ scores, deals, len(self.names))
            drawn[sample] = fitted_ratings(wins, best)
        edge = 100 * (1 - CONFIDENCE) / 2
        low, high = np.percentile(drawn, [edge, 100 - edge], axis=0)
        return ELO * np.stack([best, low, high], axis=1)

    @cached_property
    def nash(self) -> Floats:
        """The weights of Nash averaging, shape (n,), which add up to 1."""
        return nash_average(self.payoffs[:, :, 0])

    @cached_property
    def cycles(self) -> list[tuple[int, int, int]]:
        """Three agents each of which beats the next, the last the first, with intervals above 0."""
        beats = self.payoffs[:, :, 1] > 0
        return [
            (i, j, k)
            for i, j, k in permutations(range(len(self.names)), 3)
            if i == min(i, j, k) and beats[i, j] and beats[j, k] and beats[k, i]
        ]

    @property
    def cyclic_share(self) -> float:
        """The share of the squared payoffs that no single number for each agent explains: 0 for a
        ladder, 1 for nothing but cycles."""
        means = self.payoffs[:, :, 0]
        strength = means.mean(axis=1)
        rest = means - (strength[:, None] - strength[None, :])
        return float((rest**2).sum() / (means**2).sum()) if means.any() else 0.0

    @property
    def order(self) -> list[int]:
        """Places of the agents, the highest rating first."""
        return sorted(range(len(self.names)), key=lambda i: -self.ratings[i, 0])

    def as_json(self) -> dict[str, Any]:
        return {
            "agents": [
                {
                    "name": self.names[i],
                    "rating": float(self.ratings[i, 0]),
                    "rating_low": float(self.ratings[i, 1]),
                    "rating_high": float(self.ratings[i, 2]),
                    "average": float(self.averages[i]),
                    "nash_weight": float(self.nash[i]),
                }
                for i in self.order
            ],
            "matches": [
                {
                    "a": self.names[i],
                    "b": self.names[j],
                    "mean": float(self.payoffs[i, j, 0]),
                    "low": finite(self.payoffs[i, j, 1]),
                    "high": finite(self.payoffs[i, j, 2]),
                    "won": float((np.sign(values) + 1).mean() / 2),
                }
                for (i, j), values in self.values.items()
            ],
            "cycles": [[self.names[i] for i in cycle] for cycle in self.cycles],
            "cyclic_share": self.cyclic_share,
            "confidence": CONFIDENCE,
        }


def wins_of(pairs: list[tuple[int, int]], won: Floats, deals: int, n: int) -> Floats:
    """How many deals each row won against each column, shape (n, n), PRIOR included. won: of the first
    of each pair."""
    wins = np.zeros((n, n))
    for (i, j), first in zip(pairs, won, strict=True):
        wins[i, j] = first + PRIOR
        wins[j, i] = deals - first + PRIOR
    return wins


def fitted_ratings(wins: Floats, start: Floats | None = None) -> Floats:
    """The log odds (n,) of Bradley and Terry that make these wins (n, n) likeliest; their mean is 0."""
    from scipy.optimize import root  # noqa: PLC0415

    played = wins + wins.T
    total = wins.sum()
    n = len(wins)

    def slope(ratings: Floats) -> tuple[Floats, Floats]:
        """Of the likelihood, and its derivatives; the mean of the ratings, which the wins leave open,
        is added, so that it comes out as 0."""
        chances = 1 / (1 + np.exp(ratings[None, :] - ratings[:, None]))
        unlikely = played * chances * (1 - chances) / total
        derivatives = np.diag(unlikely.sum(axis=1)) - unlikely + 1 / n
        return (played * chances - wins).sum(axis=1) / total + ratings.mean(), derivatives

    begin = np.zeros(n) if start is None else start
    found: Floats = root(slope, begin, jac=True, method="hybr").x
    found -= found.mean()
    return found


def nash_average(payoffs: Floats) -> Floats:
    """The equilibrium of highest entropy of a symmetric zero-sum game, shape (n,). payoffs: of each row
    against each column, (n, n), antisymmetric."""
    from scipy.optimize import LinearConstraint, linprog, minimize  # noqa: PLC0415

    n = len(payoffs)
    scale = float(np.abs(payoffs).max()) or 1.0
    against = payoffs / scale  # every reply earns 0 at most against the equilibrium
    start = linprog(
        np.zeros(n), A_ub=against, b_ub=np.full(n, 1e-9), A_eq=np.ones((1, n)), b_eq=[1.0]
    ).x

    def negative_entropy(weights: Floats) -> tuple[float, Floats]:
        logs = np.log(np.maximum(weights, 1e-12))
        return float((weights * logs).sum()), logs + 1

    mixed = minimize(
        negative_entropy,
        start,
        jac=True,
        method="SLSQP",
        bounds=[(0, 1)] * n,
        constraints=[
            LinearConstraint(against, -np.inf, ROUND_OFF),
            LinearConstraint(np.ones((1, n)), 1, 1),
        ],
        options={"maxiter": 500, "ftol": 1e-10},
    )
    weights: Floats = np.clip(mixed.x if mixed.success else start, 0, 1)
    weights /= weights.sum()
    return weights
