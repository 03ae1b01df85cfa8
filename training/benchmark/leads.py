"""How much an opening lead loses against the best one, by the number of worlds a search looks at.

Deals are bid by `rule_based` up to the lead. The judge of a lead is `pimc` with many worlds: a lead
loses what the judge's best lead is worth more, in points of the deal. So the judge's own lead loses
nothing by definition, and small losses are as uncertain as its means; it draws other worlds than the
agents it judges.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from rich.console import Console
from rich.table import Table as Grid
from tyro.conf import FlagCreatePairsOff, arg

from hpenv.agents.agent import make_agent, play_deals, see_at_tables, streams_for
from hpenv.agents.opinion import opinion_of
from hpenv.rulebook import PLAY
from hpenv.rules import Rules, get_rules
from hpenv.seats import N_SEATS
from hpenv.training.benchmark.intervals import mean_interval
from hpenv.training.benchmark.matches import deal_tables
from hpenv.view import VIEW

OTHERS = ("rule_based", "random")


@dataclass
class Leads:
    """Measure what opening leads lose, in points, against those of a search over many worlds.

    A random lead and that of rule_based stand beside pimc with few worlds and with more.

    examples:
      hpenv leads --rules set_bid standard --deals 2000 --plot leads.png
    """

    rules: Annotated[tuple[str, ...], arg(metavar="PRESET ...")] = ("standard",)
    """Presets, each measured by itself."""
    worlds: tuple[int, ...] = (10, 20, 50, 100)
    """Numbers of worlds to compare."""
    judge: int = 1000
    """Worlds of the judge."""
    deals: int = 1000
    """Deals that come to a lead with a choice."""
    seed: int = 1
    """Chooses the deals and all chance."""
    plot: Path | None = None
    """Draw the curve into this file, a PNG or SVG."""
    json: FlagCreatePairsOff[bool] = False
    """Print one JSON object: rows with name, rules, worlds, loss, low, high in points."""


def leads(options: Leads) -> int:
    """Measure, show and draw; returns the exit status."""
    from hpenv.training.cli.progress import Progress  # noqa: PLC0415

    if options.deals < 2:
        raise ValueError(f"deals: {options.deals} is less than 2")
    if not options.worlds:
        raise ValueError("worlds: name at least one number")
    if options.plot and options.plot.suffix not in (".png", ".svg"):
        raise ValueError(f"plot: {options.plot} is neither a .png nor a .svg")
    chosen = [get_rules(name) for name in options.rules]
    rows: list[dict[str, Any]] = []
    for rules in chosen:
        with Progress(f"{rules.name()}", "leads") as progress:
            rows += lead_losses(
                rules, options.worlds, options.judge, options.deals, options.seed, progress
            )
    if options.plot:
        draw(rows, options.plot)
    if options.json:
        print(json.dumps({"judge": options.judge, "deals": options.deals, "rows": rows}))
    else:
        Console().print(as_grid(rows, options))
    return 0


def lead_losses(
    rules: Rules,
    worlds: tuple[int, ...],
    judge: int = 1000,
    deals: int = 1000,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[dict[str, Any]]:
    """The mean loss of a random lead, of `rule_based` and of `pimc` with each number of worlds, with
    95 % intervals: dicts of name, rules, worlds (0 for no search), loss, low, high."""
    views, streams = opening_leads(rules, deals, seed)
    agents = {"rule_based": make_agent("rule_based")}
    agents |= {f"pimc:worlds={n}": make_agent(f"pimc:worlds={n}") for n in worlds}
    chosen = {name: agent.act(views, streams.copy()) for name, agent in agents.items()}
    judging = make_agent(f"pimc:worlds={judge}")
    losses: dict[str, list[float]] = {name: [] for name in ("random", *agents)}
    for i, view in enumerate(views):
        if progress:
            progress(i, len(views))
        points = opinion_of(judging, view, seed + 1 + i).points
        best = np.nanmax(points)
        losses["random"].append(best - np.nanmean(points))
        for name, actions in chosen.items():
            losses[name].append(best - points[actions[i]])
    rows = []
    for name, each in losses.items():
        low, high = mean_interval(each)
        n = int(name.partition("=")[2] or 0)
        row = {"name": name, "rules": rules.name(), "worlds": n, "loss": float(np.mean(each))}
        rows.append(row | {"low": low, "high": high})
    return rows


def opening_leads(rules: Rules, deals: int, seed: int) -> tuple[Any, Any]:
    """Views (B,) of seats to lead to the first trick with a choice, and a random stream for each."""
    bidder, found = make_agent("rule_based"), np.zeros(0, VIEW)
    streams = np.zeros(0, np.uint64)
    first = 0
    while len(found) < deals:
        tables, own = deal_tables(rules, seed, first, deals), streams_for(seed, deals, first)
        first += deals
        play_deals(tables, [bidder] * N_SEATS, own, until=PLAY)
        rows = np.flatnonzero(tables["phase"] == PLAY)
        views, asked = np.zeros(len(rows), VIEW), np.zeros(len(rows), np.uint64)
        see_at_tables(tables, rows, own, views, asked)
        choice = views["legal"] & (views["legal"] - 1) != 0
        found = np.concatenate([found, views[choice]])
        streams = np.concatenate([streams, asked[choice]])
    return found[:deals], streams[:deals]


def as_grid(rows: list[dict[str, Any]], options: Leads) -> Grid:
    """The rows for reading."""
    grid = Grid("rules", "lead by", "points lost, 95 % interval")
    grid.title = f"opening leads against those of {options.judge:,} worlds, {options.deals:,} deals"
    for row in rows:
        interval = f"{row['loss']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"
        grid.add_row(row["rules"], row["name"], interval)
    return grid


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw the losses as curves over the number of worlds, one for each rules."""
    from hpenv.training.plots import colour_of, figure, titled  # noqa: PLC0415

    drawing, axes = figure(1, 1, 6.4, 3.2)
    for name in dict.fromkeys(row["rules"] for row in rows):
        curve = [row for row in rows if row["rules"] == name and row["worlds"]]
        at, loss = [row["worlds"] for row in curve], [row["loss"] for row in curve]
        error = [[r["loss"] - r["low"] for r in curve], [r["high"] - r["loss"] for r in curve]]
        colour = colour_of(name)
        axes.errorbar(at, loss, error, color=colour, marker="o", capsize=3, label=f"pimc, {name}")
        for other, style in zip(OTHERS, ("--", ":"), strict=True):
            level = next(r["loss"] for r in rows if r["rules"] == name and r["name"] == other)
            axes.axhline(level, color=colour, linestyle=style, label=f"{other}, {name}")
    axes.set_xscale("log")
    axes.set_xticks(sorted({row["worlds"] for row in rows} - {0}))
    axes.xaxis.set_major_formatter("{x:.0f}")
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=8)
    titled(axes, "What an opening lead loses", "worlds looked at", "points per deal")
    drawing.savefig(path, dpi=120)
