"""`hpenv speed`: how fast this machine plays, solves and decides."""

import json
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Literal

from rich.console import Console
from tyro.conf import Positional

from hpenv.training.cli.progress import Progress
from hpenv.training.cli.rules_option import one_rules
from hpenv.training.cli.shown import FLAG, given


@dataclass
class Options:
    """Measure how fast this machine is, on one thread; the figures are medians.

    engine: random decisions per second. bare is the rules alone in a compiled loop, batch adds the
    observation and mask of every decision (Batch with 4096 tables), raw_env and env are PettingZoo
    loops in Python. solver: deals solved with open hands, worlds drawn, opening leads of pimc. agents:
    how long agents take for a decision, one view at a time.

    examples:
      hpenv speed
      hpenv speed agents --rules set_bid
    """

    what: Positional[Literal["engine", "solver", "agents"]] = "engine"
    """What is measured."""
    rules: Annotated[str, given("PRESET", "standard")] = "standard"
    """A preset, or options as a JSON object."""
    seconds: float = 0.5
    """For each turn of each row."""
    json: Annotated[bool, FLAG] = False
    """Print one JSON object: rows with name and a rate such as decisions_per_s, machine, versions."""


def run(options: Options) -> None:
    """Measure and show."""
    rules = one_rules(options.rules)
    if not 0 < options.seconds <= 60:
        raise ValueError(f"seconds: {options.seconds} is not above 0 and at most 60")
    measures = import_module(f"hpenv.training.benchmark.{options.what}_speed")
    with Progress("speed", "turns") as progress:
        measured = measures.measure(rules, options.seconds, progress=progress)
    if options.json:
        print(json.dumps(measured))
    else:
        Console().print(measures.as_grid(measured))
