"""What the parts of `learned_search` are worth, by decision: cheaper and sharper than by matches.

Positions with a choice are met by the network playing itself. A judge, the same search with very many
worlds, says how many points of the deal each action there is better than the network's. An agent's gain
is the mean of that over its choices. So everybody is judged on the same positions, and all seats are
taken to play on as the network does: against other opponents only matches tell (`hpenv evaluate`).

    python -m hpenv.training.benchmark.search_ablation --rules set_bid --positions 200
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tyro
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table as Grid

from hpenv.actions import N_ACTIONS
from hpenv.agents.agent import Views, make_agent, play_deals, streams_for
from hpenv.agents.search import LearnedSearch, make
from hpenv.rulebook import AUCTION, PLAY
from hpenv.rules import get_rules
from hpenv.seats import N_SEATS
from hpenv.training.benchmark.agents_speed import Recorder
from hpenv.training.benchmark.intervals import mean_interval
from hpenv.training.benchmark.matches import check_number, deal_tables

JUDGE = {"worlds": "250", "drawn": "64", "halving": "off"}
AGENTS = (
    "learned_search",
    "learned_search:belief=rule_based",
    "learned_search:belief=uniform",
    "learned_search:drawn=16",
    "learned_search:worlds=25",
    "learned_search:worlds=50",
    "learned_search:worlds=200",
    "learned_search:caution=0",
    "learned_search:caution=0.5",
    "learned_search:caution=1.5",
    "learned_search:exact=2",
    "learned_search:exact=3",
    "learned_search:exact=6",
    "learned_search:halving=off",
    "pimc:worlds=100",
)
POSITIONS_OF_A_DEAL = 4  # at least so many for each deal, so that there are enough


@dataclass
class Judged:
    """Views (B,) with a choice, and by how many points each action (B, 39) is better there than the
    network's; nan for illegal ones."""

    views: Views
    gains: NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """What an agent gained. gains: by position, (B,). departs: the share of positions where its choice
    was worth more or less than the network's. ms: processor time of a decision, many views at once."""

    name: str
    gains: NDArray[np.float64]
    departs: float
    ms: float


def judged_positions(rules: str, n: int, seed: int, weights: str | None = None) -> Judged:
    """n positions of deals of a seed, and what the judge says of each."""
    own = {"weights": weights} if weights else {}
    judge = make("learned_search", JUDGE | own)
    views = positions(judge, rules, n, seed)
    gains = np.full((n, N_ACTIONS), np.nan)
    streams = streams_for(seed, n)[:, 0].copy()
    for i in range(n):
        found = judge.search(views[i : i + 1], streams[i : i + 1])
        alike = found.alike[0]
        gains[i] = np.where(alike >= 0, found.gain[0][alike], np.nan)
    return Judged(views, gains)


def positions(judge: LearnedSearch, rules: str, n: int, seed: int) -> Views:
    """n views with a choice, at random from deals in which the judge's network plays all seats."""
    deals = -(-n // POSITIONS_OF_A_DEAL)
    recorder = Recorder(judge.blueprint.learned)
    tables = deal_tables(get_rules(rules), seed, 0, deals)
    play_deals(tables, [recorder] * N_SEATS, streams_for(seed, deals))
    met = np.random.default_rng(seed).permutation(np.concatenate(recorder.views))
    if len(met) < n:
        raise ValueError(f"{deals} deals of {rules} have only {len(met)} positions with a choice")
    chosen: Views = met[:n]
    return chosen


def measure(name: str, judged: Judged, seed: int, chunk: int = 32) -> Row:
    """Ask an agent about all positions, `chunk` at once."""
    agent, n = make_agent(name), len(judged.views)
    streams = streams_for(seed, n)[:, 1].copy()
    agent.act(judged.views[:2], streams[:2].copy())  # compiles
    started = time.process_time()
    actions = [
        agent.act(judged.views[at : at + chunk], streams[at : at + chunk]) for at in range(0, n, chunk)
    ]
    ms = 1000 * (time.process_time() - started) / n
    gains = judged.gains[np.arange(n), np.concatenate(actions)]
    return Row(name, gains, float((gains != 0).mean()), ms)


def as_grid(rows: Sequence[Row], judged: Judged, title: str) -> Grid:
    """The rows for reading, with 95 % intervals; by phase the means alone."""
    phases = judged.views["phase"]
    auction, play = phases == AUCTION, phases == PLAY
    parts = {"auction": auction, "trump": ~auction & ~play, "play": play}
    head = [f"{name} ({int(mask.sum())})" for name, mask in parts.items()]
    grid = Grid("agent", "gain per decision", *head, "departs", "ms", title=title)
    for row in rows:
        low, high = mean_interval(row.gains)
        cells = (f"{row.gains[mask].mean():+.3f}" if mask.any() else "-" for mask in parts.values())
        gain = f"{row.gains.mean():+.3f} [{low:+.3f}, {high:+.3f}]"
        grid.add_row(row.name, gain, *cells, f"{row.departs:.0%}", f"{row.ms:.0f}")
    return grid


@dataclass
class Options:
    """What the parts of learned_search are worth, in points of the deal per decision."""

    agents: tuple[str, ...] = AGENTS  # agents to ask
    rules: tuple[str, ...] = ("set_bid", "standard")  # presets
    positions: int = 200  # with a choice, of the network's own deals
    seed: int = 1  # of the deals and of all randomness
    weights: str | None = None  # of the judge and of the network that plays, for those not shipped


def main(options: Options) -> None:
    """Judge positions, ask the agents about them, and print a table for each preset."""
    check_number("positions", options.positions)
    for rules in options.rules:
        judged = judged_positions(rules, options.positions, options.seed, options.weights)
        rows: list[Any] = [measure(name, judged, options.seed) for name in options.agents]
        title = f"{rules}: {options.positions:,} positions of seed {options.seed}"
        Console(width=160).print(as_grid(rows, judged, title))


if __name__ == "__main__":
    main(tyro.cli(Options))
