"""What became of deals at the tables of a match, and the contracts of one agent in them."""

from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from hpenv.actions import BIG, N_LEVELS
from hpenv.rulebook import was_made
from hpenv.seats import NOBODY
from hpenv.training.benchmark.intervals import share_of

A, B = 0, 1

# The outcome of one deal at one table, by agent (A and B) rather than by seat.
OUTCOME = np.dtype(
    [
        ("makers", "i1"),  # A, B, or NOBODY if the deal was thrown in
        ("bid", "i1"),  # 1..6 or BIG; 0 if thrown in
        ("made", "?"),  # the makers won as many tricks as they bid
        ("march", "?"),  # the makers won all the tricks
        ("alone", "?"),  # the maker played alone
        ("points", "i2", (2,)),  # of A and of B
    ]
)


@dataclass
class Contracts:
    """What one agent called and what became of it. A share of no contracts is not a number."""

    deals: int  # deals played, two for each duplicate deal
    bids: list[int]  # contracts of each bid: place n for the bid n, 7 for big pepper; place 0 is empty
    made: int
    marches: int
    alone: int
    points: int  # less the other side's, of the deals in which it was the maker
    hand_size: int

    @property
    def contracts(self) -> int:
        return sum(self.bids)

    @property
    def average_bid(self) -> float:
        """Big pepper, a bid of all the tricks (R20), counts as many as there are."""
        tricks = sum(min(bid, self.hand_size) * n for bid, n in enumerate(self.bids))
        return share_of(tricks, self.contracts)

    def share(self, n: float) -> float:
        """n for each contract."""
        return share_of(n, self.contracts)

    def as_json(self) -> dict[str, Any]:
        n = self.contracts
        return {
            "contracts": n,
            "bids": {bid_name(level): self.bids[level] for level in range(1, N_LEVELS + 1)},
            "average_bid": finite(self.average_bid),
            "made": finite(self.share(self.made)),
            "set": finite(self.share(n - self.made)),
            "marches": finite(self.share(self.marches)),
            "alone": finite(self.share(self.alone)),
            "points_per_contract": finite(self.share(self.points)),
        }


def outcomes_at(tables: Any, side_of_a: int) -> Any:
    """What became of the finished deals at some tables, OUTCOME of shape (B,)."""
    outcomes = np.zeros(len(tables), OUTCOME)
    contract = tables["maker"] != NOBODY
    makers = np.where(contract, tables["maker"] & 1, 0)
    tricks = tables["tricks"][np.arange(len(tables)), makers]
    outcomes["makers"] = np.where(contract, makers ^ side_of_a, NOBODY)
    outcomes["bid"] = tables["bid"]
    outcomes["made"] = contract & was_made(tricks, tables["bid"], tables["hand_size"])
    outcomes["march"] = contract & (tricks == tables["hand_size"])
    outcomes["alone"] = contract & (tables["alone"] >> np.maximum(tables["maker"], 0) & 1).astype(bool)
    outcomes["points"] = tables["points"][:, [side_of_a, 1 - side_of_a]]
    return outcomes


def bid_name(level: int) -> str:
    """`1` .. `6`, `big pepper`."""
    return "big pepper" if level == BIG else str(level)


def finite(value: float) -> float | None:
    """A number JSON can hold; None for what cannot be known."""
    return float(value) if isfinite(value) else None
