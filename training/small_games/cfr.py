"""Counterfactual regret minimisation on a small game.

Each player in turn adds up what each choice would have been worth more than its policy was, and then
plays by these regrets (Zinkevich et al. 2007); what it played on average is the result. The variants
weigh early iterations less: CFR+ (Tammelin 2014) and discounted CFR (Brown and Sandholm 2019).

With the four seats as players there is no proof of convergence, since partners share their points but
not their cards: the average may stop where no seat gains by itself though two partners could together,
or not settle at all. responses.py computes how close to equilibrium it came. With the two pairs as
players, each seeing both hands, it is a game of two with perfect recall, and CFR converges to its
value.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from hpenv.compiled import kernel
from hpenv.seats import N_SEATS
from hpenv.training.small_games.growing import NONE, PAIRS
from hpenv.training.small_games.sweeps import Points, Policy, run_sweep, sign_of
from hpenv.training.small_games.tree import Tree

# How iteration t is weighed: regrets above and below zero are multiplied by t**a / (t**a + 1) before
# the next are added, the average is weighed by t**c.
VARIANTS = {
    "cfr": (np.inf, np.inf, 0.0),
    "cfr+": (np.inf, -np.inf, 1.0),
    "dcfr": (1.5, 0.0, 2.0),
}


@kernel
def update(
    own: Any,
    first_edge: Any,
    before: Any,
    q: Any,
    keep: Any,
    weight: Any,
    regrets: Any,
    total: Any,
    reach: Any,
    policy: Any,
) -> None:
    """Add the policy to `total` (E,), weighed by how likely its player comes there; add to `regrets`
    (E,), after multiplying them by keep[0] above and keep[1] below zero; set the policy by them. own:
    the player's information sets, earlier ones first. reach: room (E,)."""
    for i in own:
        start, stop = first_edge[i], first_edge[i + 1]
        likely = 1.0 if before[i] == NONE else reach[before[i]]
        mean, positive = 0.0, 0.0
        for edge in range(start, stop):
            reach[edge] = likely * policy[edge]
            total[edge] += weight * reach[edge]
            mean += policy[edge] * q[edge]
        for edge in range(start, stop):
            regrets[edge] = regrets[edge] * keep[0 if regrets[edge] > 0 else 1] + q[edge] - mean
            positive += max(regrets[edge], 0.0)
        for edge in range(start, stop):
            even = 1.0 / (stop - start)
            policy[edge] = max(regrets[edge], 0.0) / positive if positive > 0 else even


def solve(
    tree: Tree,
    points: Points,
    iterations: int,
    variant: str = "dcfr",
    by_pairs: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Policy:
    """The average policy after so many iterations, without its least likely choices."""
    solver = Solver(tree, points, variant, by_pairs)
    for done in range(iterations):
        if progress:
            progress(done, iterations)
        solver.iterate()
    return tree.purified(solver.average)


def kept(t: int, power: float) -> float:
    """What is kept of older regrets at iteration t."""
    if np.isinf(power):
        return float(power > 0)
    return float(t**power / (t**power + 1))


class Solver:
    """CFR on one tree; `average` is the policy found so far.

    tree, points: the game. variant: one of VARIANTS. by_pairs: the players are the two pairs, each
    seeing both hands, not the four seats.
    """

    def __init__(
        self, tree: Tree, points: Points, variant: str = "dcfr", by_pairs: bool = False
    ) -> None:
        self.tree, self.points = tree, points
        self.variant = VARIANTS[variant]
        self.players = range(PAIRS, PAIRS + 2) if by_pairs else range(N_SEATS)
        self.paired = 3 if by_pairs else 0
        self.own = [np.flatnonzero(tree.owner == player) for player in self.players]
        self.policy = tree.uniform.copy()
        self.regrets, self.total = np.zeros((2, tree.n_edges))
        self.q, self.reach = np.zeros((2, tree.n_edges))
        self.iterations = 0

    def iterate(self) -> None:
        """One iteration: each player in turn."""
        self.iterations += 1
        above, below, average = self.variant
        keep = np.array([kept(self.iterations, above), kept(self.iterations, below)])
        for player, own in zip(self.players, self.own, strict=True):
            self.q[:] = 0
            run_sweep(
                self.tree, sign_of(player) * self.points, self.policy, self.paired, player, self.q
            )
            update(
                own,
                self.tree.first_edge,
                self.tree.before,
                self.q,
                keep,
                float(self.iterations) ** average,
                self.regrets,
                self.total,
                self.reach,
                self.policy,
            )

    @property
    def average(self) -> Policy:
        """The average policy, even where its player never comes."""
        return self.tree.normalised(self.total)
