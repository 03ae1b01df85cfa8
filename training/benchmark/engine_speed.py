"""How many decisions per second this machine plays, from bare rules to the PettingZoo environment.

All rows play uniformly random legal actions under the same rules on one thread, taken in turn several
times so that all meet the same conditions; the figure is the median, the spread the lowest and highest.

- `bare`: a compiled loop over one table, no observation
- `batch`: `Batch(4096).step` with observation and mask of every decision, and its random choice
- `raw_env`, `env`: the loop of PettingZoo's manual in Python, without and with the usual wrappers
"""

import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from rich.table import Table as Grid

import hpenv
from hpenv.batch import Batch, choose_uniformly
from hpenv.compiled import Int, kernel
from hpenv.rulebook import (
    DEAL_OVER,
    do,
    is_truncated,
    legal_actions,
    new_game,
    next_deal,
    random_member,
)
from hpenv.rules import Rules
from hpenv.seats import NOBODY
from hpenv.table import new_tables

TABLES = 4096
REPETITIONS = 5
PACKAGES = ("numba", "numpy", "pettingzoo", "gymnasium")


@kernel
def play_randomly(table: Any, stream: Any, decisions: Int) -> Any:
    """Do so many random legal actions at a table, dealing on and on; returns the stream after them."""
    for _ in range(decisions):
        action, stream = random_member(legal_actions(table), stream)
        do(table, action)
        if table.phase == DEAL_OVER:
            if table.winner != NOBODY or is_truncated(table):
                new_game(table, NOBODY, 0, 0)
            else:
                next_deal(table)
    return stream


Loop = Callable[[int], int]  # plays at least so many decisions and gives how many it played


def bare_loop(rules: Rules) -> Loop:
    table = new_tables(1, rules)[0]
    new_game(table, NOBODY, 0, 0)
    stream = np.uint64(1)

    def play(decisions: int) -> int:
        nonlocal stream
        stream = np.uint64(play_randomly(table, stream, decisions))
        return decisions

    return play


def batch_loop(rules: Rules) -> Loop:
    batch = Batch(TABLES, rules)
    streams = np.arange(TABLES, dtype=np.uint64)
    actions = np.zeros(TABLES, np.int64)

    def play(decisions: int) -> int:
        steps = -(-decisions // TABLES)
        for _ in range(steps):
            choose_uniformly(batch.legal, streams, actions)
            batch.step(actions)
        return steps * TABLES

    return play


def environment_loop(make: Callable[..., Any], rules: Rules) -> Loop:
    environment = make(rules=rules)
    rng = np.random.default_rng(1)

    def play(decisions: int) -> int:
        done = 0
        while done < decisions:
            environment.reset()
            chances = rng.random(4096)
            for _ in environment.agent_iter():
                observation, _, terminated, truncated, _ = environment.last()
                if terminated or truncated:
                    environment.step(None)
                    continue
                legal = observation["action_mask"].nonzero()[0]
                environment.step(legal[int(chances[done & 4095] * len(legal))])
                done += 1
        return done

    return play


def measure(
    rules: Rules,
    seconds: float = 0.5,
    repetitions: int = REPETITIONS,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Time every row `repetitions` times for about `seconds` each; see `as_grid` for what comes out."""
    from hpenv import hasenpfeffer_v0  # imports PettingZoo  # noqa: PLC0415

    loops = {
        "bare": bare_loop(rules),
        "batch": batch_loop(rules),
        "raw_env": environment_loop(hasenpfeffer_v0.raw_env, rules),
        "env": environment_loop(hasenpfeffer_v0.env, rules),
    }
    decisions = {name: _decisions_in(seconds, loop) for name, loop in loops.items()}
    speeds: dict[str, list[float]] = {name: [] for name in loops}
    turns = repetitions * len(loops)
    for repetition in range(repetitions):
        for i, (name, loop) in enumerate(loops.items()):
            if progress:
                progress(repetition * len(loops) + i, turns)
            started = time.perf_counter()
            played = loop(decisions[name])
            speeds[name].append(played / (time.perf_counter() - started))
    rows = [
        {
            "name": name,
            "decisions_per_s": median(each),
            "lowest": min(each),
            "highest": max(each),
            "repetitions": repetitions,
        }
        for name, each in speeds.items()
    ]
    return {"rows": rows, "rules": rules.name(), "machine": machine()}


def _decisions_in(seconds: float, loop: Loop) -> int:
    """About how many decisions the loop plays in that time."""
    loop(TABLES)  # compiles
    n, spent, played = TABLES, 0.0, 0
    while spent < 0.05:
        n *= 2
        started = time.perf_counter()
        played = loop(n)
        spent = time.perf_counter() - started
    return max(1, int(played * seconds / spent))


def machine() -> dict[str, Any]:
    """The machine and the versions that the figures belong to."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "hpenv": hpenv.__version__,
        **{package: version(package) for package in PACKAGES},
    }


def processor() -> str:
    """The processor's name as far as the system reports it."""
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        for line in facts.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def under(grid: Grid, about: dict[str, Any]) -> None:
    """Name the machine and the versions under a table of figures, and set the figures to the right."""
    grid.caption = ", ".join(
        [
            f"{about['processor']}, {about['cores']} cores",
            f"Python {about['python']}",
            *(f"{package} {about[package]}" for package in PACKAGES),
        ]
    )
    for column in grid.columns[1:]:
        column.justify = "right"


def as_grid(measured: dict[str, Any]) -> Grid:
    """The rows of `measure` for reading."""
    grid = Grid("", "decisions/s", "lowest", "highest", title=f"random play, {measured['rules']}")
    under(grid, measured["machine"])
    for row in measured["rows"]:
        grid.add_row(
            row["name"], *(f"{row[key]:,.0f}" for key in ("decisions_per_s", "lowest", "highest"))
        )
    return grid
