"""`hpenv speed`: how fast this machine plays and solves."""

import json
from dataclasses import dataclass

from rich.console import Console

from hpenv.training.cli.progress import Progress
from hpenv.training.cli.rules_option import one_rules


@dataclass
class Options:
    """Measure how many random decisions per second this machine plays.

    bare is the rules alone in a compiled loop, batch adds the observation and mask of every decision
    (Batch with 4096 tables), raw_env and env are PettingZoo loops in Python. One thread; the figure is
    the median of several turns. With --solver: whole deals solved with open hands, what each card of
    the opening lead is worth, worlds drawn, and the opening leads of pimc:worlds=100.
    """

    rules: str = "standard"
    """A preset, or options as a JSON object."""
    seconds: float = 0.5
    """For each turn of each row."""
    solver: bool = False
    """Measure the open-hand solver and what is built on it instead."""
    json: bool = False
    """Print one JSON object: rows with name and a rate such as decisions_per_s, machine, versions."""


def run(options: Options) -> None:
    """Measure and show."""
    rules = one_rules(options.rules)
    if not 0 < options.seconds <= 60:
        raise ValueError(f"seconds: {options.seconds} is not above 0 and at most 60")
    if options.solver:
        from hpenv.training.benchmark.solver_speed import measure_solver as measure  # noqa: PLC0415
        from hpenv.training.benchmark.solver_speed import solver_grid as as_grid  # noqa: PLC0415
    else:
        from hpenv.training.benchmark.engine_speed import as_grid, measure  # noqa: PLC0415

    with Progress("speed", "turns") as progress:
        measured = measure(rules, options.seconds, progress=progress)
    if options.json:
        print(json.dumps(measured))
    else:
        Console().print(as_grid(measured))
