"""How many of the learner's decisions per second the Gymnasium environments play, on this machine:
`python -m hpenv.training.clients.speed`. The learner chooses legal actions at random.

The other seats' decisions come on top: about three for each of the learner's in one seat, one for each
where it has both seats of its side. `Batch` counts the decisions of all seats.
"""

import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from hpenv.batch import Batch, choose_uniformly

TABLES = 4096
SECONDS = 2.0
ONE_SEAT = "make_vec, one seat, among uniform"
ROWS: dict[str, dict[str, Any]] = {
    "make_vec, both seats, against uniform": {"opponents": "uniform"},
    ONE_SEAT: {"opponents": "uniform", "partner": "uniform"},
    "make_vec, one seat, among rule_based": {"opponents": "rule_based", "partner": "rule_based"},
}


def batch() -> Callable[[], int]:
    """One step of the batch engine."""
    tables, streams = Batch(TABLES), np.arange(TABLES, dtype=np.uint64)
    actions = np.zeros(TABLES, np.int64)

    def step() -> int:
        choose_uniformly(tables.legal, streams, actions)
        tables.step(actions)
        return TABLES

    return step


def vector(**options: Any) -> Callable[[], int]:
    """One step of the vector environment."""
    envs = gymnasium.make_vec("hpenv:Hasenpfeffer-v0", TABLES, **options)
    envs.reset(seed=1)
    learner: Any = envs.unwrapped
    streams, actions = np.arange(TABLES, dtype=np.uint64), np.zeros(TABLES, np.int64)

    def step() -> int:
        choose_uniformly(learner.legal, streams, actions)
        envs.step(actions)
        return TABLES

    return step


def one(**options: Any) -> Callable[[], int]:
    """One step at one table."""
    env = gymnasium.make("hpenv:Hasenpfeffer-v0", **options)
    learner: Any = env.unwrapped
    env.reset(seed=1)
    rng = np.random.default_rng(1)

    def step() -> int:
        _, _, terminated, truncated, _ = env.step(rng.choice(np.flatnonzero(learner.action_masks())))
        if terminated or truncated:
            env.reset()
        return 1

    return step


def per_second(step: Callable[[], int]) -> float:
    """Decisions per second, after a few steps that compile."""
    for _ in range(3):
        step()
    began, done = time.perf_counter(), 0
    while (spent := time.perf_counter() - began) < SECONDS:
        done += step()
    return done / spent


def main() -> None:
    loops = {"Batch, all seats": batch(), "make, one seat, among uniform": one(**ROWS[ONE_SEAT])}
    loops |= {name: vector(**options) for name, options in ROWS.items()}
    for name, step in loops.items():
        print(f"{name:40}{per_second(step):12,.0f} per second", flush=True)


if __name__ == "__main__":
    main()
