"""A match between two agents taken apart: what each part of A's game is worth in B's place.

On the same duplicate deals as the whole match, B with one part of its game played by A (`mixed`) meets
B. The parts need not add up to the whole, since a bid is worth what the play makes of it; what is left
over has an interval of its own, deal by deal.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table as Grid

from hpenv.agents.agent import Agent, as_agent
from hpenv.agents.mixed import PARTS, Mixed
from hpenv.rules import RuleChoice, get_rules
from hpenv.training.benchmark.intervals import change_interval
from hpenv.training.benchmark.matches import Watcher, check_number, duplicate_match, watched
from hpenv.training.benchmark.results import (
    SHOWN_OF_HASH,
    MatchResult,
    interval_text,
    mean_of_change,
)

WHOLE, LEFT_OVER = "whole", "left over"
# What A plays in B's place, by the name of the row. The single parts are those that should add up.
ROWS: dict[str, tuple[str, ...]] = {
    WHOLE: PARTS,
    "auction": ("auction",),
    "trump and discard": ("trump",),
    "leading": ("lead",),
    "following": ("follow",),
    "all but the auction": PARTS[1:],
}
SINGLE = [row for row, parts in ROWS.items() if len(parts) == 1]


@dataclass(frozen=True)
class Part:
    """values: of each duplicate deal, shape (deals,), in points for A."""

    name: str
    values: NDArray[np.float64]

    @property
    def mean(self) -> float:
        return float(self.values.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean; 0 to 0 where the part changed nothing on any deal."""
        return change_interval(self.values)

    def as_json(self) -> dict[str, Any]:
        changed = float(np.count_nonzero(self.values)) / len(self.values)
        return {"part": self.name, **mean_of_change(self.values), "deals_changed": changed}


@dataclass(frozen=True)
class Duel:
    """The whole match and its parts, a Part for each of ROWS and for what is left over."""

    whole: MatchResult
    parts: list[Part]

    def as_json(self) -> dict[str, Any]:
        a, b = self.whole.names
        return {
            "a": a,
            "b": b,
            "rules": self.whole.rules.name(),
            "seed": self.whole.seed,
            "deals": self.whole.deals,
            "deals_hash": self.whole.deals_hash,
            "parts": [part.as_json() for part in self.parts],
        }


def duel(
    a: Agent | str,
    b: Agent | str,
    rules: RuleChoice = "standard",
    deals: int = 10_000,
    seed: int = 1,
    progress: Watcher | None = None,
) -> Duel:
    """Play a match and its parts, all on the same deals.

    Raises ValueError as `duplicate_match`, and for an agent that sees hidden cards.
    """
    check_number("deals", deals)
    ours, theirs, chosen = as_agent(a), as_agent(b), get_rules(rules)
    for agent in (ours, theirs):
        if hasattr(agent, "act_oracle"):
            raise ValueError(f"duel: agent {agent.name} sees hidden cards and has no parts")
    matches: dict[str, MatchResult] = {}
    for n, (row, parts) in enumerate(ROWS.items()):
        player = ours if row == WHOLE else with_parts(ours, theirs, parts)
        matches[row] = duplicate_match(
            player, theirs, chosen, deals, seed, watched(progress, n, len(ROWS))
        )
    found = [Part(row, match.values) for row, match in matches.items()]
    left_over = matches[WHOLE].values - sum(matches[row].values for row in SINGLE)
    return Duel(matches[WHOLE], [*found, Part(LEFT_OVER, left_over)])


def with_parts(ours: Agent, theirs: Agent, parts: tuple[str, ...]) -> Mixed:
    """The agent that plays some parts as `ours` and the others as `theirs`."""
    name = f"{theirs.name} with {' and '.join(parts)} by {ours.name}"
    return Mixed(name, {part: ours if part in parts else theirs for part in PARTS})


def duel_grid(result: Duel) -> Grid:
    """The parts for reading."""
    a, b = result.whole.names
    grid = Grid(
        f"{a} in the place of {b}",
        "points per deal",
        "95 % interval",
        "deals changed",
        title=f"{a} against {b} under {result.whole.rules.name()}: {result.whole.deals:,} duplicate "
        f"deals of seed {result.whole.seed}, deals {result.whole.deals_hash[:SHOWN_OF_HASH]}",
    )
    for column in grid.columns[1:]:
        column.justify = "right"
    for part in result.parts:
        found = part.as_json()
        changed = f"{found['deals_changed']:.0%}"
        grid.add_row(part.name, f"{part.mean:+.3f}", interval_text(found), changed)
        if part.name in (WHOLE, SINGLE[-1]):
            grid.add_section()
    return grid
