"""How long agents take for a decision, one view at a time, on one thread.

All agents are asked about the same views: those with more than one legal action, met by `rule_based`
playing itself, in a random order, so that calls, trumps, discards and cards come as often as in play.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rich.table import Table as Grid

from hpenv.agents.agent import make_player, play_deals, streams_for
from hpenv.rules import Rules
from hpenv.seats import N_SEATS
from hpenv.training.benchmark.engine_speed import machine, under
from hpenv.training.benchmark.matches import deal_tables

AGENTS = (
    "sensible_random",
    "rule_based",
    "learned",
    "learned_search",
    "pimc:worlds=10",
    "pimc:worlds=100",
    "ismcts",
)
DEALS = 64
SEED = 1


class Recorder:
    """Plays as another agent does and keeps the views that it was asked about."""

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        self.name = agent.name
        self.views: list[Any] = []

    def act(self, views: Any, streams: Any) -> Any:
        self.views.append(views[(views["legal"] & (views["legal"] - 1)) != 0])
        return self.agent.act(views, streams)


def views_in_play(rules: Rules) -> Any:
    """Views with a choice, of shape (n,), in random order: those of some deals of `rule_based`."""
    recorder = Recorder(make_player("rule_based"))
    play_deals(deal_tables(rules, SEED, 0, DEALS), [recorder] * N_SEATS, streams_for(SEED, DEALS))
    return np.random.default_rng(SEED).permutation(np.concatenate(recorder.views))


def measure(
    rules: Rules,
    seconds: float = 0.5,
    *,
    names: Sequence[str] = AGENTS,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Time each agent's decisions, at least 20 and for about `seconds`; see `as_grid`."""
    views, rows = views_in_play(rules), []
    for i, name in enumerate(names):
        if progress:
            progress(i, len(names))
        agent, spans = make_player(name), list[float]()
        agent.act(views[:1], streams_for(SEED, 1)[:, 0])  # compiles
        streams = streams_for(SEED, len(views))[:, 0].copy()
        while sum(spans) < seconds or len(spans) < 20:
            at = len(spans) % len(views)
            started = time.perf_counter()
            agent.act(views[at : at + 1], streams[at : at + 1])
            spans.append(time.perf_counter() - started)
        median, p99 = (1000 * float(np.percentile(spans, q)) for q in (50, 99))
        mean = 1000 * float(np.mean(spans))
        rows.append({"name": name, "decisions": len(spans), "ms": mean, "median": median, "p99": p99})
    return {"rows": rows, "rules": rules.name(), "machine": machine()}


def as_grid(measured: dict[str, Any]) -> Grid:
    """The rows of `measure` for reading."""
    grid = Grid("", "ms per decision", "median", "99 % within", "decisions")
    grid.title = f"agents, one view at a time, {measured['rules']}"
    under(grid, measured["machine"])
    for row in measured["rows"]:
        times = (f"{row[key]:.3f}" for key in ("ms", "median", "p99"))
        grid.add_row(row["name"], *times, f"{row['decisions']:,}")
    return grid
