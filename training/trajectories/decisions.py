"""Deals played by agents, and every decision of the four seats as rows of numbers.

Deal i of a seed is dealt by seat i mod 4 and begins at 0 to 0. Duplicate matches of the same seed play
other deals, so that a policy may be trained on these and measured on those.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from hpenv.actions import ACTION_TEXT, FACE_DOWN, N_ACTIONS
from hpenv.agents.agent import Agent, Views, deals_in_lockstep, play_deals, streams_for
from hpenv.arguments import whole_number
from hpenv.observation import OBSERVATION_SIZE, PIECES, observe_each
from hpenv.rules import Rules
from hpenv.seats import N_SEATS
from hpenv.table import HISTORY, new_tables
from hpenv.training.benchmark.matches import Watcher, start_games

MAX_DECISIONS = 10**9

Columns: TypeAlias = dict[str, NDArray[Any]]  # by the names in COLUMNS, each of shape (D, ...)


class Column(NamedTuple):
    """What a column holds: the type of its numbers, their shape for a decision, and their meaning."""

    dtype: DTypeLike
    shape: tuple[int, ...]
    meaning: str


COLUMNS = {
    "observation": Column(
        np.int8, (OBSERVATION_SIZE,), "what the seat saw (hpenv.observation.LAYOUT), suits as dealt"
    ),
    "action_mask": Column(np.int8, (N_ACTIONS,), "1 for each legal action"),
    "action": Column(np.int8, (), "what it did (hpenv.actions), the discard as its card"),
    "points": Column(np.int8, (), "its side's points at the end of the deal, less the other side's"),
    "seat": Column(np.int8, (), "0 to 3: North, East, South, West"),
    "phase": Column(np.int8, (), "of the deal (hpenv.rulebook.Phase)"),
    "deal": Column(np.int64, (), "number of the deal among those of the seed, from 0"),
}


def encoding() -> str:
    """The version of what the numbers mean: a hash of the pieces of an observation and the actions."""
    meaning = [[(name, size) for name, size, _ in PIECES], ACTION_TEXT]
    return hashlib.sha256(json.dumps(meaning).encode()).hexdigest()[:12]


def seated(agents: Sequence[Agent]) -> list[Agent]:
    """An agent for each seat: one has all of them, of two the first is North-South, four are North,
    East, South and West. Raises ValueError for another number."""
    if len(agents) not in (1, 2, 4):
        raise ValueError(
            f"record: name one agent for all seats, two for the sides or four, not {len(agents)}"
        )
    return [agents[seat % len(agents)] for seat in range(N_SEATS)]


def played_decisions(
    agents: Sequence[Agent],
    rules: Rules,
    decisions: int,
    seed: int = 1,
    progress: Watcher | None = None,
    chunk: int | None = None,
) -> Iterator[Columns]:
    """The decisions of whole deals, some deals at a time: `decisions` of them, and those that belong to
    the same deal as the last.

    agents: one for each seat. progress: called with the decisions done and in all. chunk: deals played
    in lockstep, as in a match. Raises ValueError or TypeError for numbers out of range.
    """
    wanted = whole_number("decisions", decisions, 1, MAX_DECISIONS)
    n, done, first = chunk or deals_in_lockstep(agents), 0, 0
    play(agents, rules, seed, 0, 1)  # compiles what is not compiled yet, or the first speed is of that
    while done < wanted:
        if progress:
            progress(done, wanted)
        rows = play(agents, rules, seed, first, n)
        deals = rows["deal"]
        if len(deals) > wanted - done:
            end = np.searchsorted(deals, deals[wanted - done - 1], side="right")
            rows = {name: column[:end] for name, column in rows.items()}
        yield rows
        done, first = done + len(rows["deal"]), first + n
    if progress:
        progress(wanted, wanted)


def play(agents: Sequence[Agent], rules: Rules, seed: int, first: int, n: int) -> Columns:
    """All decisions of the deals `first` .. `first + n - 1` of a seed, deal by deal, in order."""
    tables = new_tables(n, rules, seed, first)
    start_games(tables, first)
    observations = np.zeros((n, HISTORY, OBSERVATION_SIZE), np.int8)
    masks, phases = np.zeros((n, HISTORY, N_ACTIONS), np.int8), np.zeros((n, HISTORY), np.int8)

    def watch(rows: NDArray[np.int64], views: Views) -> None:
        b = len(rows)
        seen, legal = np.zeros((b, OBSERVATION_SIZE), np.int8), np.zeros((b, N_ACTIONS), np.int8)
        observe_each(views, False, seen, legal, np.zeros(b, np.int64))
        at = rows, views["history_length"]
        observations[at], masks[at], phases[at] = seen, legal, views["phase"]

    play_deals(tables, agents, streams_for(seed, n, first), watch=watch)
    done = np.arange(HISTORY) < tables["history_length"][:, None]
    deals, seats, actions = np.nonzero(done)[0], tables["history_seat"][done], tables["history"][done]
    points = tables["points"][:, 0] - tables["points"][:, 1]
    return {
        "observation": observations[done],
        "action_mask": masks[done],
        "action": np.where(actions == FACE_DOWN, tables["discard"][deals], actions),
        "points": np.where(seats & 1, -points[deals], points[deals]),
        "seat": seats,
        "phase": phases[done],
        "deal": deals + first,
    }
