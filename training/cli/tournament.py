"""`hpenv tournament`: some agents all against all, kept in a folder, with ratings and a report."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from rich.console import Console
from rich.table import Table as Grid
from tyro.conf import Positional, arg

from hpenv.training.cli.progress import Progress
from hpenv.training.cli.rules_option import one_rules
from hpenv.training.cli.shown import FLAG, given


@dataclass
class Options:
    """Play all pairs of some agents on the same duplicate deals, and rate them.

    Stopped, it goes on where it was when the same command is given again. The folder then holds
    report.html to read, matrix.csv (points per deal of each pair), ratings.csv, summary.json, and
    matches.parquet with every deal played. Needs the extra `lab`.

    examples:
      hpenv tournament uniform rule_based learned --rules set_bid --deals 2000 --out runs/ladder
      hpenv tournament learned:runs/one learned:runs/two learned --out runs/mine --processes 4
    """

    agents: Annotated[
        tuple[str, ...],
        Positional,
        arg(metavar="AGENT AGENT ...", help_behavior_hint="(two or more)"),
    ]
    """By name, a network by its folder as in learned:runs/mine."""
    out: Annotated[Path, arg(metavar="FOLDER")]
    """Where it is kept: a new folder, or one that holds this very tournament."""
    rules: Annotated[str, arg(metavar="PRESET")] = "standard"
    """A preset, or options as a JSON object."""
    deals: int = 2_000
    """Duplicate deals for each pair of agents."""
    seed: int = 1
    """Chooses the deals and everything random."""
    processes: int = 0
    """Processes that play at once; 0 for one on each core."""
    ray: Annotated[str | None, given("ADDRESS")] = None
    """Play on a Ray cluster: `auto` for the one of this machine, `local` for workers of its own."""
    json: Annotated[bool, FLAG] = False
    """Print what summary.json holds."""


def run(options: Options) -> None:
    """Play, write the results and show the standings."""
    from hpenv.training.benchmark.ladder import (  # noqa: PLC0415
        Plan,
        agent_called,
        check_plan,
        describe,
        play_tournament,
    )

    plan = Plan(options.agents, one_rules(options.rules).name(), options.deals, options.seed)
    check_plan(plan)
    if options.processes < 0:
        raise ValueError(f"processes: {options.processes} is below 0")
    for name in plan.agents:
        agent_called(name)
    play = None
    if options.ray:
        from hpenv.training.benchmark.ladder_ray import on_ray  # noqa: PLC0415

        play = on_ray(options.ray)
    from hpenv.training.benchmark.ladder_report import PAGE, write_results  # noqa: PLC0415

    processes = options.processes or len(os.sched_getaffinity(0))
    with Progress(f"{plan.rules}", "duplicate deals") as progress:
        records = play_tournament(plan, options.out, processes, progress, play)
    found = write_results(plan, describe(plan), records)
    if options.json:
        print(json.dumps(found))
    else:
        Console().print(standings_grid(found), highlight=False, markup=False)
        print(f"report: {options.out / PAGE}")


def standings_grid(found: dict[str, Any]) -> Grid:
    """The ratings for reading."""
    grid = Grid("agent", "rating", "95 % interval", "points per deal", "Nash weight")
    grid.title = (
        f"{found['rules']}: {found['deals']:,} duplicate deals of seed {found['seed']} per pair"
    )
    for column in grid.columns[1:]:
        column.justify = "right"
    for agent in found["agents"]:
        interval = f"{agent['rating_low']:+.0f} to {agent['rating_high']:+.0f}"
        grid.add_row(
            agent["name"],
            f"{agent['rating']:+.0f}",
            interval,
            f"{agent['average']:+.2f}",
            f"{agent['nash_weight']:.2f}",
        )
    return grid
