"""`hpenv leads`: what opening leads lose, shown and drawn."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from rich.console import Console
from rich.table import Table as Grid
from tyro.conf import arg

from hpenv.training.cli.progress import Progress
from hpenv.training.cli.rules_option import several_rules
from hpenv.training.cli.shown import FLAG, check_plot

OTHERS = ("rule_based", "random")


@dataclass
class Options:
    """Measure what opening leads lose, in points, against those of a search over many worlds.

    A random lead and that of rule_based stand beside pimc with few worlds and with more.

    examples:
      hpenv leads --rules set_bid standard --deals 2000 --plot leads.png
    """

    rules: Annotated[tuple[str, ...], arg(metavar="PRESET ...")] = ("standard",)
    """Presets, each measured by itself."""
    worlds: Annotated[tuple[int, ...], arg(metavar="INT ...")] = (10, 20, 50, 100)
    """Numbers of worlds to compare."""
    judge: int = 1000
    """Worlds of the judge."""
    deals: int = 1000
    """Deals that come to a lead with a choice."""
    seed: int = 1
    """Chooses the deals and everything random."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Draw the curve into this file, a PNG or SVG."""
    json: Annotated[bool, FLAG] = False
    """Print one JSON object: rows with name, rules, worlds, loss, low, high in points."""


def run(options: Options) -> None:
    """Measure, show and draw."""
    chosen = several_rules(options.rules)
    if not options.worlds:
        raise ValueError("worlds: name at least one number")
    check_plot(options.plot)
    from hpenv.training.benchmark.leads import lead_losses  # noqa: PLC0415
    from hpenv.training.benchmark.matches import check_number  # noqa: PLC0415

    check_number("deals", options.deals, least=2)
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


def as_grid(rows: list[dict[str, Any]], options: Options) -> Grid:
    """The rows for reading."""
    grid = Grid("rules", "lead by", "points lost", "95 % interval")
    grid.title = f"opening leads against those of {options.judge:,} worlds, {options.deals:,} deals"
    for row in rows:
        interval = "-" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}"
        grid.add_row(row["rules"], row["name"], f"{row['loss']:.3f}", interval)
    return grid


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw the losses as curves over the number of worlds, one for each rules."""
    from hpenv.training.plots import colour_of, figure, titled  # noqa: PLC0415

    drawing, axes = figure(1, 1, 6.4, 3.2)
    for name in dict.fromkeys(row["rules"] for row in rows):
        curve = [row for row in rows if row["rules"] == name and row["worlds"]]
        at, loss = [row["worlds"] for row in curve], [row["loss"] for row in curve]
        error = [0.0 if row["low"] is None else row["high"] - row["loss"] for row in curve]
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
