"""How the deals of whole games go by the score before them: behind, level or ahead."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table as Grid

from hpenv.training.benchmark.intervals import mean_interval
from hpenv.training.benchmark.outcomes import finite

# The least lead of each situation, in points of A's score over B's, and its name.
SITUATIONS = (
    (-np.inf, "behind by 5 or more"),
    (-4, "behind by 1 to 4"),
    (0, "level"),
    (1, "ahead by 1 to 4"),
    (5, "ahead by 5 or more"),
)


def by_situation(leads: NDArray[np.int64], margins: NDArray[np.int64]) -> list[dict[str, Any]]:
    """A's points of a deal less B's by A's lead before it, as values for JSON. leads, margins (n,): of
    every deal of every game.

    A deal and its mirror count as two, which makes the intervals rather too wide than too narrow.
    """
    least = np.array([bound for bound, _ in SITUATIONS])
    which = np.searchsorted(least, leads, side="right") - 1
    rows = []
    for place, (_, name) in enumerate(SITUATIONS):
        found = margins[which == place]
        low, high = mean_interval(found)
        mean = finite(found.mean()) if len(found) else None
        interval = {"low": finite(low), "high": finite(high)}
        rows.append({"situation": name, "deals": len(found), "mean": mean, **interval})
    return rows


def situations_grid(rows: list[dict[str, Any]], a: str) -> Grid:
    """The same for reading. a: the agent whose points they are."""
    grid = Grid(f"score of {a}", "deals", "points per deal", "95 % interval")
    for column in grid.columns[1:]:
        column.justify = "right"
    for row in rows:
        if row["deals"]:
            known = row["low"] is not None
            interval = f"{row['low']:+.2f} to {row['high']:+.2f}" if known else "-"
            grid.add_row(row["situation"], f"{row['deals']:,}", f"{row['mean']:+.2f}", interval)
    return grid
