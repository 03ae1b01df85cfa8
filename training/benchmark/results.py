"""What matches came to: means with intervals, contracts, whole games; as JSON and as tables to read."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from rich.table import Table as Grid

from hpenv.actions import BIG, N_LEVELS
from hpenv.rules import Rules
from hpenv.seats import NOBODY
from hpenv.training.benchmark.intervals import CONFIDENCE, mean_interval, share_interval, share_of

A, B = 0, 1

# What became of one deal at one table, told for A and B rather than for seats.
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

    @property
    def contracts(self) -> int:
        return sum(self.bids)

    @property
    def average_bid(self) -> float:
        """Big pepper, a bid of all the tricks, counts 6."""
        return share_of(sum(min(bid, 6) * n for bid, n in enumerate(self.bids)), self.contracts)

    def share(self, n: float) -> float:
        """n for each contract."""
        return share_of(n, self.contracts)

    def as_json(self) -> dict[str, Any]:
        n = self.contracts
        return {
            "contracts": n,
            "bids": {bid_name(level): self.bids[level] for level in range(1, N_LEVELS + 1)},
            "average_bid": _number(self.average_bid),
            "made": _number(self.share(self.made)),
            "set": _number(self.share(n - self.made)),
            "marches": _number(self.share(self.marches)),
            "alone": _number(self.share(self.alone)),
            "points_per_contract": _number(self.share(self.points)),
        }


@dataclass
class MatchResult:
    """Who played, under which rules, and what happened at both tables of every duplicate deal."""

    names: tuple[str, str]
    rules: Rules
    seed: int
    outcomes: Any  # OUTCOME of shape (deals, 2 tables)

    @property
    def deals(self) -> int:
        return len(self.outcomes)

    @cached_property
    def values(self) -> Any:
        """The value of each duplicate deal for A, float64 of shape (deals,)."""
        points = self.outcomes["points"].astype(np.float64)
        return (points[:, :, A] - points[:, :, B]).mean(axis=1)

    @cached_property
    def mean(self) -> float:
        """Points per deal by which A beats B."""
        return float(self.values.mean())

    @cached_property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean: bootstrap over duplicate deals."""
        return mean_interval(self.values)

    @property
    def low(self) -> float:
        return self.interval[0]

    @property
    def high(self) -> float:
        return self.interval[1]

    @property
    def won(self) -> float:
        """The share of duplicate deals that A won, a tie counting half."""
        return float((np.sign(self.values) + 1).mean() / 2)

    @property
    def thrown_in(self) -> float:
        """The share of deals in which everybody passed (R6)."""
        return float((self.outcomes["makers"] == NOBODY).mean())

    def contracts(self, who: int) -> Contracts:
        """The contracts of A (0) or B (1)."""
        theirs = self.outcomes[self.outcomes["makers"] == who]
        return Contracts(
            deals=self.outcomes.size,
            bids=np.bincount(theirs["bid"], minlength=N_LEVELS + 1).tolist(),
            made=int(theirs["made"].sum()),
            marches=int(theirs["march"].sum()),
            alone=int(theirs["alone"].sum()),
            points=int(theirs["points"][:, who].sum() - theirs["points"][:, 1 - who].sum()),
        )

    def as_json(self) -> dict[str, Any]:
        """Everything but the single deals, ready for `json.dumps`."""
        return {
            "a": self.names[A],
            "b": self.names[B],
            "rules": self.rules.name(),
            "seed": self.seed,
            "deals": self.deals,
            "mean": self.mean,
            "low": _number(self.low),
            "high": _number(self.high),
            "confidence": CONFIDENCE,
            "won": self.won,
            "thrown_in": self.thrown_in,
            "agents": [
                {"name": name, **self.contracts(who).as_json()} for who, name in enumerate(self.names)
            ],
        }


@dataclass
class GamesResult:
    """Whole games, each played both ways round."""

    names: tuple[str, str]
    rules: Rules
    seed: int
    winners: Any  # (games, 2): A, B, or NOBODY for a truncated game (R19)
    lengths: Any  # (games, 2): deals played

    @property
    def games(self) -> int:
        return len(self.winners)

    @property
    def decided(self) -> int:
        """Games with a winner, of two for each duplicate game."""
        return int(np.count_nonzero(self.winners != NOBODY))

    @property
    def won(self) -> float:
        """The share of the decided games that A won; not a number if none was decided."""
        return share_of(int(np.count_nonzero(self.winners == A)), self.decided)

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of that share. It takes the two games with the same cards for
        independent; as each side gets the better cards once, it is rather too wide than too narrow."""
        return share_interval(int(np.count_nonzero(self.winners == A)), self.decided)

    def as_json(self) -> dict[str, Any]:
        low, high = self.interval
        return {
            "games": self.games,
            "played": self.winners.size,
            "truncated": self.winners.size - self.decided,
            "won": _number(self.won),
            "low": low,
            "high": high,
            "deals_per_game": float(self.lengths.mean()),
        }


@dataclass
class Tournament:
    """All pairs of some agents on the same deals."""

    names: list[str]
    rules: Rules
    seed: int
    deals: int
    matches: dict[tuple[int, int], MatchResult]  # (i, j) with i < j

    def against(self, i: int, j: int) -> tuple[float, float, float]:
        """Mean, low and high of agent i against agent j."""
        if i > j:
            mean, low, high = self.against(j, i)
            return 0.0 - mean, 0.0 - high, 0.0 - low
        match = self.matches[i, j]
        return match.mean, match.low, match.high

    def average(self, i: int) -> float:
        """Agent i's mean over all its opponents."""
        others = [j for j in range(len(self.names)) if j != i]
        return sum(self.against(i, j)[0] for j in others) / len(others)

    def as_json(self) -> dict[str, Any]:
        return {
            "agents": self.names,
            "rules": self.rules.name(),
            "seed": self.seed,
            "deals": self.deals,
            "averages": [self.average(i) for i in range(len(self.names))],
            "matches": [match.as_json() for match in self.matches.values()],
        }


def bid_name(level: int) -> str:
    """`1` .. `6`, `big pepper`."""
    return "big pepper" if level == BIG else str(level)


def _number(value: float) -> float | None:
    """A number JSON can hold; None for what cannot be known."""
    return float(value) if np.isfinite(value) else None


# ---- for reading ------------------------------------------------------------------------------


def match_headline(match: MatchResult) -> str:
    """The result in one sentence."""
    a, b = match.names
    return (
        f"{a} against {b} under {match.rules.name()}, {match.deals:,} duplicate deals of seed "
        f"{match.seed}: {match.mean:+.3f} points per deal, 95 % interval {match.low:+.3f} to "
        f"{match.high:+.3f}"
    )


def contracts_grid(match: MatchResult) -> Grid:
    """What each side bid and made, a column for each."""
    grid = Grid("contracts", *match.names)
    for column in grid.columns[1:]:
        column.justify = "right"
    both = [match.contracts(who) for who in (A, B)]

    def row(name: str, cell: Callable[[Contracts], float], form: str = "{:.1%}") -> None:
        cells = [cell(contracts) for contracts in both]
        grid.add_row(name, *(form.format(x) if np.isfinite(x) else "-" for x in cells))

    row("was the maker", lambda c: share_of(c.contracts, c.deals))
    for level in range(1, N_LEVELS + 1):
        if any(contracts.bids[level] for contracts in both):
            row(f"  bid {bid_name(level)}", lambda c, level=level: c.share(c.bids[level]))  # type: ignore[misc]
    row("average bid", lambda c: c.average_bid, "{:.2f}")
    row("made", lambda c: c.share(c.made))
    row("set", lambda c: c.share(c.contracts - c.made))
    row("won all the tricks", lambda c: c.share(c.marches))
    row("played alone", lambda c: c.share(c.alone))
    row("points per contract", lambda c: c.share(c.points), "{:+.2f}")
    grid.add_row("thrown in", *[f"{match.thrown_in:.1%}"] * 2)
    return grid


def games_sentence(match: GamesResult) -> str:
    """How whole games went, in one sentence."""
    low, high = match.interval
    result = (
        f"{match.names[A]} won {match.won:.1%} of the {match.decided:,} decided, "
        f"95 % interval {low:.1%} to {high:.1%}"
        if match.decided
        else "none was decided"
    )
    return (
        f"{match.games:,} games, each played both ways round: {result}; "
        f"{match.lengths.mean():.1f} deals per game, {match.winners.size - match.decided:,} truncated"
    )


def tournament_grid(result: Tournament) -> Grid:
    """Points per deal of each row's agent against each column's, best average first."""
    order = sorted(range(len(result.names)), key=result.average, reverse=True)
    grid = Grid(
        "points per deal",
        *(f"{place}" for place in range(1, len(order) + 1)),
        "average",
        title=f"{result.rules.name()}: {result.deals:,} duplicate deals of seed {result.seed} a pair",
    )
    for column in grid.columns[1:]:
        column.justify = "right"
    for place, i in enumerate(order, 1):
        cells = []
        for j in order:
            mean, low, high = (0.0, 0.0, 0.0) if i == j else result.against(i, j)
            cells.append("" if i == j else f"{mean:+.2f}\n±{(high - low) / 2:.2f}")
        grid.add_row(f"{place} {result.names[i]}", *cells, f"{result.average(i):+.2f}")
    return grid
