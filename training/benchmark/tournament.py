"""Some agents all against all, each pair on the same duplicate deals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import isfinite
from typing import Any

from rich.table import Table as Grid

from hpenv.agents.agent import Agent, as_agent
from hpenv.rules import Rules, get_rules
from hpenv.training.benchmark.matches import (
    Seating,
    Watcher,
    check_number,
    duplicate_match,
    watched,
)
from hpenv.training.benchmark.results import SHOWN_OF_HASH, MatchResult


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
            "deals_hash": self.matches[0, 1].deals_hash,
            "averages": [self.average(i) for i in range(len(self.names))],
            "matches": [match.as_json() for match in self.matches.values()],
        }


def tournament(
    agents: Sequence[Agent | str],
    rules: Rules | str | dict[str, Any] = "standard",
    deals: int = 10_000,
    seed: int = 1,
    progress: Watcher | None = None,
    finished: Callable[[tuple[str, str], Seating], None] | None = None,
) -> Tournament:
    """Every agent against every other on the same duplicate deals. finished: as for `duplicate_match`,
    called with the names of the two agents, too."""
    players = [as_agent(agent) for agent in agents]
    pairs = list(combinations(range(len(players)), 2))
    if not pairs:
        raise ValueError(f"a tournament needs two agents or more, not {len(players)}")
    check_number("deals", deals)
    matches: dict[tuple[int, int], MatchResult] = {}
    for k, (i, j) in enumerate(pairs):
        names = players[i].name, players[j].name
        matches[i, j] = duplicate_match(
            *(players[i], players[j], rules, deals, seed, watched(progress, k, len(pairs))),
            finished=partial(finished, names) if finished else None,
        )
    return Tournament([player.name for player in players], get_rules(rules), seed, deals, matches)


def tournament_grid(result: Tournament) -> Grid:
    """Points per deal of each row's agent against each column's, best average first."""
    order = sorted(range(len(result.names)), key=result.average, reverse=True)
    grid = Grid(
        "points per deal",
        *(f"{place}" for place in range(1, len(order) + 1)),
        "average",
        title=f"{result.rules.name()}: {result.deals:,} duplicate deals of seed {result.seed} per pair"
        f", deals {result.matches[0, 1].deals_hash[:SHOWN_OF_HASH]}",
    )
    for column in grid.columns[1:]:
        column.justify = "right"
    for place, i in enumerate(order, 1):
        cells = ["" if i == j else _cell(*result.against(i, j)) for j in order]
        grid.add_row(f"{place} {result.names[i]}", *cells, f"{result.average(i):+.2f}")
    return grid


def _cell(mean: float, low: float, high: float) -> str:
    return f"{mean:+.2f}" + (f"\n±{(high - low) / 2:.2f}" if isfinite(high) else "")
