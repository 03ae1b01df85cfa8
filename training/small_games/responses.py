"""How far a policy of a small game is from equilibrium: best responses to it, and their bounds."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hpenv.seats import N_SEATS, SEAT_LETTERS, SIDE_LETTERS, partner_of
from hpenv.training.small_games.growing import PAIRS
from hpenv.training.small_games.sweeps import Points, Policy, best_response, run_sweep, sign_of
from hpenv.training.small_games.tree import Tree

GAIN = 1e-9  # points; less is rounding


@dataclass(frozen=True)
class Responses:
    """The value of a policy and of best responses to it, in points per deal with North dealing.

    value: North-South's points minus East-West's. seats (4,): what the side of a seat gets, its points
    minus the other side's, when that seat responds. lower, upper (2,): bounds on what a side gets when
    both its seats respond together, each knowing its own view only.
    """

    value: float
    seats: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]

    def gains(self) -> tuple[float, ...]:
        """What each seat gains by responding."""
        return tuple(found - sign_of(seat) * self.value for seat, found in enumerate(self.seats))

    def as_json(self) -> dict[str, Any]:
        """For `json.dumps`. The best responses are gains, averaged over all seats or both sides, as in
        a match where the deal goes round: there the policy by itself gets 0."""
        return {
            "value": self.value,
            "best_response_seat": float(np.mean(self.gains())),
            "best_response_team_lower": float(np.mean(self.lower)),
            "best_response_team_upper": float(np.mean(self.upper)),
            "seats": dict(zip(SEAT_LETTERS, self.gains(), strict=True)),
            "sides": {
                letters: {"lower": self.lower[side], "upper": self.upper[side]}
                for side, letters in enumerate(SIDE_LETTERS)
            },
        }


def responses(tree: Tree, points: Points, policy: Policy, starts: int = 2) -> Responses:
    """Best responses to a policy. starts: from how many beginnings the lower bound of a side's best
    response is sought: as the policy is, each of the two seats first, and then at random."""
    value = run_sweep(tree, points, policy)
    alone = [best_response(tree, points, policy, seat) for seat in range(N_SEATS)]
    return Responses(
        value=value,
        seats=tuple(found for found, _ in alone),
        lower=tuple(together(tree, points, policy, alone, side, starts) for side in range(2)),
        upper=tuple(best_response(tree, points, policy, PAIRS + side)[0] for side in range(2)),
    )


def together(
    tree: Tree,
    points: Points,
    policy: Policy,
    alone: list[tuple[float, Policy]],
    side: int,
    starts: int,
) -> float:
    """What two partners get at least when they respond to each other in turn until neither gains."""
    found = []
    for start in range(starts):
        seat = side + 2 * (start % 2)
        if start < 2:
            best, now = alone[seat]
        else:
            random = tree.random(np.random.default_rng([side, start]))
            now = np.where(tree.edge_owner == partner_of(seat), random, policy)
            best, now = best_response(tree, points, now, seat)
        while True:
            seat = partner_of(seat)
            better, now = best_response(tree, points, now, seat)
            if better <= best + GAIN:
                break
            best = better
        found.append(max(best, better))
    return max(found)
