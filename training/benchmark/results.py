"""What matches came to: means and shares with their intervals, as JSON and as tables to read."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table as Grid

from hpenv.actions import N_LEVELS
from hpenv.rules import Rules
from hpenv.seats import NOBODY
from hpenv.training.benchmark.intervals import (
    CONFIDENCE,
    TOO_FEW,
    change_interval,
    mean_interval,
    share_interval,
    share_of,
)
from hpenv.training.benchmark.outcomes import A, B, Contracts, bid_name, finite
from hpenv.training.benchmark.pairing import pairing_of
from hpenv.training.benchmark.situations import by_situation

SHOWN_OF_HASH = 16  # digits of a hash of deals that are shown; JSON has them all


def mean_of_change(values: NDArray[np.float64]) -> dict[str, float | None]:
    """Mean and `change_interval` of what a change is worth on each deal, (deals,), as values for JSON:
    None where there is no interval."""
    low, high = change_interval(values)
    return {"mean": float(values.mean()), "low": finite(low), "high": finite(high)}


def interval_text(found: dict[str, Any]) -> str:
    """The interval of a dictionary with `low` and `high`, to read."""
    low, high = found["low"], found["high"]
    return "-" if low is None else f"{low:+.3f} to {high:+.3f}"


@dataclass
class MatchResult:
    """Who played, under which rules, and what happened at both tables of every duplicate deal."""

    names: tuple[str, str]
    rules: Rules
    seed: int
    outcomes: Any  # OUTCOME of shape (deals, 2 tables)
    deals_hash: str  # SHA-256 of the deals, 64 hexadecimal digits (`matches.dealt_bytes`)

    @property
    def deals(self) -> int:
        return len(self.outcomes)

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """The value of each duplicate deal for A, float64 of shape (deals,)."""
        values: NDArray[np.float64] = self.margins.mean(axis=1)
        return values

    @cached_property
    def margins(self) -> NDArray[np.float64]:
        """A's side's points less B's side's at each table, float64 of shape (deals, 2)."""
        points = self.outcomes["points"].astype(np.float64)
        margins: NDArray[np.float64] = points[:, :, A] - points[:, :, B]
        return margins

    @cached_property
    def mean(self) -> float:
        """Points per deal by which A beats B."""
        return float(self.values.mean())

    @cached_property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean (`mean_interval`). An agent is exactly equal to itself."""
        if self.names[A] == self.names[B] and not self.values.any():
            return 0.0, 0.0
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
            hand_size=self.rules.hand_size,
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
            "low": finite(self.low),
            "high": finite(self.high),
            "confidence": CONFIDENCE,
            "won": self.won,
            "thrown_in": self.thrown_in,
            "deals_hash": self.deals_hash,
            "pairing": pairing_of(self.margins).as_json(),
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
    # Of every deal of every game: A's score before it less B's, and A's points of it less B's, (n,).
    leads: NDArray[np.int64]
    margins: NDArray[np.int64]

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
            "won": finite(self.won),
            "low": low,
            "high": high,
            "deals_per_game": float(self.lengths.mean()),
            "by_situation": by_situation(self.leads, self.margins),
        }


# ---- for reading ------------------------------------------------------------------------------


def match_headline(match: MatchResult) -> str:
    """The result in one sentence."""
    a, b = match.names
    known = f"95 % interval {match.low:+.3f} to {match.high:+.3f}" if isfinite(match.low) else TOO_FEW
    return (
        f"{a} against {b} under {match.rules.name()}, {match.deals:,} duplicate deals of seed "
        f"{match.seed}: {match.mean:+.3f} points per deal, {known}"
    )


def sealed_sentence(match: MatchResult) -> str:
    """Which deals were played, and what playing them both ways round was worth."""
    return f"deals {match.deals_hash[:SHOWN_OF_HASH]}; {pairing_of(match.margins).sentence()}"


def contracts_grid(match: MatchResult) -> Grid:
    """What each side bid and made, a column for each."""
    grid = Grid("contracts", *match.names)
    for column in grid.columns[1:]:
        column.justify = "right"
    both = [match.contracts(who) for who in (A, B)]

    def row(name: str, cell: Callable[[Contracts], float], form: str = "{:.1%}") -> None:
        cells = [cell(contracts) for contracts in both]
        grid.add_row(name, *(form.format(x) if isfinite(x) else "-" for x in cells))

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
