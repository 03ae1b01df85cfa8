"""A tournament kept in a folder: all pairs of some agents on the same duplicate deals, played by one or
more processes, stopped at any time and gone on with.

The deals of a pair are played in parts, each a file of records (`hpenv.training.benchmark.records`)
that is there once all of it has been played. What is there is not played again, and a part comes out
the same whoever plays it, so a tournament that was stopped ends like one that was not.
"""

import hashlib
import json
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from itertools import combinations
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from hpenv.agents.agent import Agent, deals_in_lockstep, make_agent
from hpenv.files import write_whole
from hpenv.rules import Rules, get_rules
from hpenv.training.benchmark.matches import check_number, deals_hash, duplicate_match
from hpenv.training.benchmark.records import RecordsFile, schema

FORMAT = 1
PLAN, PARTS, RECORDS, LOCK = "tournament.json", "parts", "matches.parquet", "lock"
FEWEST_IN_A_PART = 256  # deals, unless there are fewer left


@dataclass(frozen=True)
class Plan:
    """What is played: agents by name, rules, and the duplicate deals of a seed for each pair."""

    agents: tuple[str, ...]
    rules: str | dict[str, Any]
    deals: int
    seed: int

    @property
    def chosen_rules(self) -> Rules:
        return get_rules(self.rules)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Places of two agents each, in the order of play."""
        return list(combinations(range(len(self.agents)), 2))


@dataclass(frozen=True)
class PartOfPair:
    """The deals `first` .. `first + deals - 1` of two agents, given by their places."""

    pair: tuple[int, int]
    first: int
    deals: int

    def path(self, folder: Path) -> Path:
        return folder / PARTS / f"{self.pair[0]:02}-{self.pair[1]:02}-{self.first:08}.parquet"


# Plays the missing parts of a plan into a folder, with so many processes; yields as `played` does.
Play: TypeAlias = Callable[[Plan, Path, list[PartOfPair], int], Iterator[int]]


def check_plan(plan: Plan) -> None:
    """Raise ValueError or TypeError with a sentence for what cannot be played."""
    if len(plan.agents) < 2:
        raise ValueError(f"a tournament needs two agents or more, not {len(plan.agents)}")
    for name in plan.agents:
        if plan.agents.count(name) > 1:
            raise ValueError(f"agent {name!r} is named twice")
    check_number("deals", plan.deals)


def parts_of(plan: Plan) -> list[PartOfPair]:
    """The parts of all pairs, in the order of play. Their sizes depend on the agents only: a network's
    answers may depend on how many deals it plays at once in the last digit."""
    found = []
    for pair in plan.pairs:
        chunk = deals_in_lockstep([agent_called(plan.agents[place]) for place in pair])
        size = chunk * max(1, FEWEST_IN_A_PART // chunk)
        for first in range(0, plan.deals, size):
            found.append(PartOfPair(pair, first, min(size, plan.deals - first)))
    return found


@lru_cache(maxsize=64)
def agent_called(name: str) -> Agent:
    """An agent, made once in each process."""
    return make_agent(name)


def play_tournament(
    plan: Plan,
    folder: Path,
    processes: int = 1,
    progress: Callable[[int, int], None] | None = None,
    play: Play | None = None,
) -> Path:
    """Play what has not been played yet; returns the file with the records of all pairs.

    progress: called with duplicate deals (done, total). play: what plays the parts, `played` by
    default; `hpenv.training.benchmark.ladder_ray` has another.

    Raises ValueError for a plan that cannot be played, for a folder that holds another tournament or is
    in use, and where an agent named by a path has other weights than when the tournament began.
    """
    check_plan(plan)
    check_number("processes", processes)
    check_folder(folder, outline(plan))  # before the deals are dealt, which may compile
    described = describe(plan)
    with only_one(folder, described):
        parts = parts_of(plan)
        missing = [part for part in parts if not is_whole(part, folder)]
        done, total = sum(part.deals for part in parts), sum(part.deals for part in parts)
        done -= sum(part.deals for part in missing)
        for deals in (play or played)(plan, folder, missing, processes):
            if progress:
                progress(done, total)
            done += deals
        if progress:
            progress(done, total)
        join(parts, folder)
    return folder / RECORDS


def played(plan: Plan, folder: Path, missing: list[PartOfPair], processes: int) -> Iterator[int]:
    """Play parts in this process or in several; yields 0 and then the deals of each part as it ends."""
    yield 0
    if processes == 1 or len(missing) < 2:
        for part in missing:
            play_part(plan, folder, part)
            yield part.deals
        return
    with ProcessPoolExecutor(processes, get_context("spawn"), initializer=_begin_process) as pool:
        going: dict[Future[None], PartOfPair] = {
            pool.submit(play_part, plan, folder, part): part for part in missing
        }
        try:
            while going:
                for ended in wait(going, return_when=FIRST_COMPLETED).done:
                    ended.result()
                    yield going.pop(ended).deals
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _begin_process() -> None:
    """A process computes on one thread, since there may be one for every core (torch reads that when it
    is loaded, which it is not yet), and ends without a word at Ctrl-C."""
    os.environ["OMP_NUM_THREADS"] = "1"
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def play_part(plan: Plan, folder: Path, part: PartOfPair) -> None:
    """Play some deals of a pair into their file."""
    a, b = (agent_called(plan.agents[place]) for place in part.pair)
    with RecordsFile(part.path(folder), plan.seed) as file:
        finished = partial(file.add, (a.name, b.name))
        rules = plan.chosen_rules
        duplicate_match(a, b, rules, part.deals, plan.seed, first=part.first, finished=finished)


def is_whole(part: PartOfPair, folder: Path) -> bool:
    """Whether a part has been played. A damaged file is removed."""
    import pyarrow  # noqa: PLC0415
    from pyarrow.parquet import read_metadata  # noqa: PLC0415

    path = part.path(folder)
    try:
        whole = bool(read_metadata(path).num_rows == 2 * part.deals)
    except FileNotFoundError:
        return False
    except pyarrow.ArrowException:
        whole = False
    if not whole:
        path.unlink()
    return whole


def join(parts: list[PartOfPair], folder: Path) -> None:
    """Write the records of all parts into one file, in the order of play."""
    from pyarrow.parquet import ParquetWriter, read_table  # noqa: PLC0415

    whole = folder / f".{RECORDS}.part"
    with ParquetWriter(whole, schema(), compression="zstd") as writer:
        for part in parts:
            writer.write_table(read_table(part.path(folder)))
    whole.replace(folder / RECORDS)


# ---- the folder ---------------------------------------------------------------------------------


def describe(plan: Plan) -> dict[str, Any]:
    """What a folder says of its tournament, as values for JSON."""
    dealt = deals_hash(plan.chosen_rules, plan.seed, plan.deals)
    return {**outline(plan), "deals_hash": dealt}


def outline(plan: Plan) -> dict[str, Any]:
    """The same without the hash of the deals."""
    weights = [weights_hash(agent_called(name)) for name in plan.agents]
    return {"format": FORMAT, **asdict(plan), "agents": list(plan.agents), "weights": weights}


def weights_hash(agent: Any) -> str | None:
    """The SHA-256 hash of an agent's networks, 64 hexadecimal digits; None if it has none."""
    if hasattr(agent, "network"):
        found = hashlib.sha256()
        for name, tensor in sorted(agent.network.state_dict().items()):
            found.update(name.encode() + np.ascontiguousarray(tensor.cpu().numpy()).tobytes())
        return found.hexdigest()
    inner = [weights_hash(each) for each in getattr(agent, "agents", ())]
    if not any(inner):
        return None
    return hashlib.sha256("".join(each or "-" for each in inner).encode()).hexdigest()


@contextmanager
def only_one(folder: Path, described: dict[str, Any]) -> Iterator[None]:
    """Keep a folder for this tournament while it is played: create it, or go on with what is there.
    Raises ValueError if it holds something else or another process plays there."""
    import fcntl  # noqa: PLC0415

    check_folder(folder, described)
    (folder / PARTS).mkdir(parents=True, exist_ok=True)
    with open(folder / LOCK, "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(f"out: another process plays the tournament in {folder}") from None
        check_folder(folder, described)
        write_whole(folder / PLAN, (json.dumps(described, indent=1) + "\n").encode())
        for left in (folder / PARTS).glob(".*.part"):  # of a process that was killed
            left.unlink()
        yield


def check_folder(folder: Path, described: dict[str, Any]) -> None:
    """Raise ValueError if a folder holds another tournament, or anything else."""
    plan = folder / PLAN
    if not plan.exists():
        if folder.exists() and (not folder.is_dir() or set(names_in(folder)) - {PARTS, LOCK}):
            raise ValueError(f"out: {folder} is there already and holds no tournament")
        return
    try:
        there = json.loads(plan.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        there = None
    if not isinstance(there, dict):
        raise ValueError(f"out: {plan} is damaged")
    for key, value in described.items():
        if there.get(key) != value:
            raise ValueError(
                f"out: {folder} holds another tournament: its {key} are {there.get(key)!r}, "
                f"not {value!r}"
            )


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]
