"""A tournament played by a Ray cluster instead of the processes of one machine, with the same results.

Each part of a pair is a task, which returns the bytes of its file, so that the machines need no folder
in common. All need this version of hpenv, and the agents named by a path at that path.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import ray

from hpenv.files import write_whole
from hpenv.training.benchmark.ladder import (
    PartOfPair,
    Plan,
    Play,
    agent_called,
    play_part,
    weights_hash,
)

LOCAL = "local"


def on_ray(address: str) -> Play:
    """What plays the parts of a tournament on the cluster at an address (`auto`: the one that this
    machine belongs to), or on `local` workers, as many as the tournament has processes."""
    return partial(played_on_ray, address)


def played_on_ray(
    address: str, plan: Plan, folder: Path, missing: list[PartOfPair], processes: int
) -> Iterator[int]:
    """As `hpenv.training.benchmark.ladder.played`. Raises ValueError where a machine has other weights
    of an agent."""
    yield 0
    where = {"num_cpus": processes} if address == LOCAL else {"address": address}
    with ray.init(**where, include_dashboard=False, log_to_driver=False, logging_level="error"):
        task, weights = ray.remote(part_as_bytes), _weights(plan)
        going = {task.remote(plan, part, weights): part for part in missing}
        while going:
            ended = ray.wait(list(going))[0][0]
            part = going.pop(ended)
            write_whole(part.path(folder), ray.get(ended))
            yield part.deals


def part_as_bytes(plan: Plan, part: PartOfPair, weights: list[str | None]) -> bytes:
    """Play some deals of a pair; returns their file. weights: what the agents must have."""
    for name, here, there in zip(plan.agents, _weights(plan), weights, strict=True):
        if here != there:
            raise ValueError(f"agent {name!r} has other weights on this machine than where it began")
    with TemporaryDirectory() as folder:
        path = part.path(Path(folder))
        path.parent.mkdir()
        play_part(plan, Path(folder), part)
        return path.read_bytes()


def _weights(plan: Plan) -> list[str | None]:
    return [weights_hash(agent_called(name)) for name in plan.agents]
