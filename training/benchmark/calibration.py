"""Does an agent know what its contracts are worth? Its own estimates against what became of them.

The agent plays itself. When an auction has ended, the estimate of each of the four seats that the
contract will be made (`hpenv.agents.analysis.chances`) is kept, and then what becomes of it. Estimates
are calibrated if, of all contracts said to be made with some probability, that share is made.

The expected calibration error is the mean distance between estimate and share, over bins of the
estimates. It is above 0 for calibrated estimates, too, since shares vary at random: hence what 95 of
100 samples of this size would stay below if the estimates were right. An estimate from W worlds varies
by itself, with a standard deviation of up to 0.5 / sqrt(W), which adds to the error.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table as Grid

from hpenv.agents.agent import (
    Agent,
    Streams,
    Tables,
    as_agent,
    deals_in_lockstep,
    play_deals,
    streams_for,
)
from hpenv.agents.analysis.chances import Chances, chances_of
from hpenv.rulebook import NAME_TRUMP, was_made
from hpenv.rules import RuleChoice, Rules, get_rules
from hpenv.seats import N_SEATS
from hpenv.training.benchmark.intervals import CONFIDENCE, FEWEST, share_interval
from hpenv.training.benchmark.matches import Watcher, check_number, deal_tables, deals_hash
from hpenv.training.benchmark.outcomes import bid_name
from hpenv.training.benchmark.results import SHOWN_OF_HASH
from hpenv.view import VIEW, see_each

BINS = 10
SAMPLES = 400  # of outcomes, if the estimates were right
SEATS = ("maker", "left", "partner", "right")  # of the maker, who is the first
ALL = "all"


@dataclass(frozen=True)
class Calibration:
    """bids, made (n,): of the contracts. estimates (n, 4): that of each of SEATS."""

    name: str
    rules: Rules
    seed: int
    deals: int
    worlds: int
    bids: NDArray[np.int64]
    made: NDArray[np.bool_]
    estimates: NDArray[np.float64]

    def as_json(self) -> dict[str, Any]:
        """Rows for each seat, of all contracts and of each bid with FEWEST of them or more."""
        levels = [level for level in range(8) if np.count_nonzero(self.bids == level) >= FEWEST]
        rows = []
        for seat, name in enumerate(SEATS):
            for level in (None, *levels):
                chosen = np.full(len(self.bids), True) if level is None else self.bids == level
                facts = measured(self.estimates[chosen, seat], self.made[chosen])
                rows.append({"seat": name, "bid": ALL if level is None else bid_name(level), **facts})
        return {
            "agent": self.name,
            "rules": self.rules.name(),
            "seed": self.seed,
            "deals": self.deals,
            "deals_hash": deals_hash(self.rules, self.seed, self.deals),
            "worlds": self.worlds,
            "contracts": len(self.bids),
            "rows": rows,
        }


def calibration(
    agent: Agent | str,
    rules: RuleChoice = "standard",
    deals: int = 2_000,
    worlds: int = 100,
    seed: int = 1,
    progress: Watcher | None = None,
) -> Calibration:
    """Play deals of a seed with an agent in all four seats, and keep its estimates, each from so many
    worlds.

    Raises ValueError for deals and worlds out of range, and for an agent that sees hidden cards.
    """
    check_number("deals", deals)
    check_number("worlds", worlds)
    player, chosen = as_agent(agent), get_rules(rules)
    chances, chunk = chances_of(player, worlds), min(deals_in_lockstep([player]), 128)
    found = []
    for first in range(0, deals, chunk):
        if progress:
            progress(first, deals)
        tables = deal_tables(chosen, seed, first, min(chunk, deals - first))
        found.append(_of_deals(player, chances, tables, streams_for(seed, len(tables), first)))
    if progress:
        progress(deals, deals)
    bids, made, estimates = (np.concatenate(part) for part in zip(*found, strict=True))
    return Calibration(player.name, chosen, seed, deals, worlds, bids, made, estimates)


def _of_deals(player: Agent, chances: Chances, tables: Tables, streams: Streams) -> tuple[Any, ...]:
    """Bids (n,), made (n,) and estimates (n, 4) of the contracts at tables just dealt, (B,)."""
    players = [player] * N_SEATS
    play_deals(tables, players, streams, until=NAME_TRUMP)
    rows = np.flatnonzero(tables["phase"] == NAME_TRUMP)
    makers = tables["maker"][rows].astype(np.int64)
    estimates = np.zeros((len(rows), N_SEATS))
    for place in range(N_SEATS):
        seats = (makers + place) % N_SEATS
        views = np.zeros(len(rows), VIEW)
        see_each(tables[rows], seats, views)
        estimates[:, place] = chances(views, streams[rows, seats])
    play_deals(tables, players, streams)
    won = tables["tricks"][rows, makers % 2]
    bids = tables["bid"][rows].astype(np.int64)
    return bids, was_made(won, bids, tables["hand_size"][rows]), estimates


# ---- estimates against outcomes ---------------------------------------------------------------


def measured(estimates: NDArray[np.float64], made: NDArray[np.bool_]) -> dict[str, Any]:
    """Estimates (n,) against what was made (n,), as values for JSON."""
    n = len(made)
    low, high = share_interval(int(made.sum()), n)
    return {
        "n": n,
        "estimated": float(estimates.mean()) if n else None,
        "made": float(made.mean()) if n else None,
        "low": low,
        "high": high,
        "error": calibration_error(estimates, made) if n else None,
        "error_if_calibrated": error_if_calibrated(estimates) if n else None,
        "brier": float(((estimates - made) ** 2).mean()) if n else None,
        "bins": reliability(estimates, made),
    }


def bin_of(estimates: NDArray[np.float64]) -> NDArray[np.int64]:
    """The bin of each estimate (n,), of BINS equally wide ones."""
    bins: NDArray[np.int64] = np.minimum((estimates * BINS).astype(np.int64), BINS - 1)
    return bins


def calibration_error(estimates: NDArray[np.float64], made: NDArray[np.bool_]) -> float:
    """The expected calibration error (Naeini, Cooper and Hauskrecht, 2015): over the bins, weighed by
    the contracts in them, the distance between mean estimate and share made."""
    apart = np.bincount(bin_of(estimates), estimates - made, BINS)
    return float(np.abs(apart).sum() / len(made))


def error_if_calibrated(estimates: NDArray[np.float64], seed: int = 1) -> float:
    """What the error would stay below in 95 of 100 samples if the estimates (n,) were right: outcomes
    are drawn by them (consistency resampling; Bröcker and Smith, 2007)."""
    draws = np.random.default_rng(seed)
    errors = [
        calibration_error(estimates, draws.random(len(estimates)) < estimates) for _ in range(SAMPLES)
    ]
    return float(np.quantile(errors, CONFIDENCE))


def reliability(estimates: NDArray[np.float64], made: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """The bins that are not empty: how many contracts, their mean estimate, and the share made with its
    interval."""
    bins, rows = bin_of(estimates), []
    for place in np.unique(bins):
        here = bins == place
        low, high = share_interval(int(made[here].sum()), int(here.sum()))
        share = {"made": float(made[here].mean()), "low": low, "high": high}
        rows.append({"n": int(here.sum()), "estimated": float(estimates[here].mean()), **share})
    return rows


# ---- for reading ------------------------------------------------------------------------------


def calibration_grid(found: dict[str, Any]) -> Grid:
    """What `Calibration.as_json` says, for reading."""
    grid = Grid(
        *("seat", "bid", "n", "estimated %", "made %", "error", "calibrated", "Brier"),
        title=f"{found['agent']} under {found['rules']}: {found['deals']:,} deals of seed "
        f"{found['seed']}, deals {found['deals_hash'][:SHOWN_OF_HASH]}, {found['worlds']:,} worlds",
    )
    for column in grid.columns[2:]:
        column.justify = "right"
    for row in found["rows"]:
        if row["bid"] == ALL and grid.row_count:
            grid.add_section()
        if row["n"]:
            share, low, high, estimated = (
                100 * row[each] for each in ("made", "low", "high", "estimated")
            )
            made = f"{share:.1f} [{low:.1f}, {high:.1f}]"
            error, limit = f"{row['error']:.3f}", f"< {row['error_if_calibrated']:.3f}"
            cells = (f"{row['n']:,}", f"{estimated:.1f}", made, error, limit)
            grid.add_row(row["seat"], row["bid"], *cells, f"{row['brier']:.3f}")
    return grid


def draw_reliability(results: list[dict[str, Any]], path: str) -> None:
    """Draw reliability diagrams into a file: a row of seats for each of the results."""
    from hpenv.training.plots import BLACK, GREY, colour_of, figure, titled  # noqa: PLC0415

    drawing, all_axes = figure(N_SEATS, len(results), 10.4, 3.1 * len(results), squeeze=False)
    for found, line in zip(results, all_axes, strict=True):
        rows = [row for row in found["rows"] if row["bid"] == ALL]
        for axes, row in zip(line, rows, strict=True):
            axes.plot([0, 1], [0, 1], color=GREY, lw=0.8)
            colour = colour_of(found["agent"])
            for each in row["bins"]:
                at = each["estimated"]
                axes.plot([at, at], [each["low"], each["high"]], color=colour, lw=2)
                axes.plot([at], [each["made"]], "o", color=colour, ms=4)
                axes.text(at, 1.04, f"{each['n']}", fontsize=6, rotation=90, ha="center", color=BLACK)
            axes.set_xlim(-0.04, 1.04)
            axes.set_ylim(-0.04, 1.25)
            axes.set_yticks(np.arange(0, 1.01, 0.2))
            titled(axes, "", f"estimate: {row['seat']}")
            error = "" if row["error"] is None else f"error {row['error']:.3f}"
            axes.set_title(f"{found['rules']}: {error}, n = {row['n']:,}", fontsize=8)
        line[0].set_ylabel("contracts made")
    drawing.suptitle(f"{results[0]['agent']}: contracts made, against its own estimates", fontsize=10)
    drawing.savefig(path, dpi=120)
