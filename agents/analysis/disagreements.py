"""Where two agents differ most: many deals are played, both agents are asked at every decision, and a
judge says what the difference is worth. And what actions come to when worlds are played out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpenv.actions import ACTION_TEXT, N_ACTIONS
from hpenv.agents.agent import (
    Actions,
    Agent,
    Streams,
    Views,
    as_agent,
    play_deals,
    streams_for,
    whole_numbers,
)
from hpenv.agents.opinion import opinion_of
from hpenv.arguments import random_word, whole_number
from hpenv.compiled import MASK64
from hpenv.rulebook import do, new_game
from hpenv.rules import Rules, get_rules
from hpenv.seats import N_SEATS, SEAT_LETTERS, side_of
from hpenv.table import TABLE, new_tables
from hpenv.view import VIEW, View
from hpenv.worlds import set_worlds

CHUNK = 512  # deals played in lockstep
JUDGED = 10  # views are judged for each that is wanted
MOST_DEALS = 1_000_000


@dataclass(frozen=True)
class Disagreement:
    """One decision on which two agents differ.

    view: what the seat to act sees. deal: the number of the deal, from 0. names, actions: of both
    agents. apart: the total variation distance between what they would do, from 0 to 1. points: what
    the judge expects of either action, the side's points of the deal minus the other side's; nan where
    it does not say. error: the standard error of their difference, taking the two for independent; nan
    likewise.
    """

    view: View
    deal: int
    names: tuple[str, str]
    actions: tuple[int, int]
    apart: float
    points: tuple[float, float]
    error: float

    @property
    def gained(self) -> float:
        """The points of the first agent's action minus the second's, by the judge's estimate."""
        return self.points[0] - self.points[1]

    def __str__(self) -> str:
        a, b = (
            f"{name} {ACTION_TEXT[action]}"
            for name, action in zip(self.names, self.actions, strict=True)
        )
        judged = f", the judge: {self.gained:+.2f} points" if np.isfinite(self.gained) else ""
        seat = SEAT_LETTERS[self.view.seat]
        return f"deal {self.deal}, {seat}: {a}, {b}, apart {self.apart:.2f}{judged}"


def disagreements(
    a: Agent | str,
    b: Agent | str,
    rules: Rules | str | dict[str, Any] = "standard",
    deals: int = 200,
    seed: int = 1,
    n: int = 20,
    player: Agent | str | None = None,
    judge: Agent | str | None = "pimc",
) -> list[Disagreement]:
    """The n decisions on which two agents differ most, at most one of a deal, biggest first.

    All seats of the deals are played by `player`, by default by a. Decisions where both do the same are
    passed over. They are ranked by how far apart the agents are: by their probabilities where an agent
    has them (a method `probabilities(views)`), else by its action alone. Without a judge that ranking
    stands. A judge, an agent whose opinion has points, evaluates both actions of ten times as many as
    wanted, and those with the biggest difference, in either direction, are kept. The biggest of many
    estimates are too big on average, so the judge evaluates those kept once more in other worlds, and
    only these second estimates are returned.

    Raises ValueError for an unknown agent or rule, and for deals or n out of range; TypeError for
    deals, n or a seed that are no whole numbers.
    """
    deals = whole_number("deals", deals, 1, MOST_DEALS)
    n = whole_number("n", n, 1, MOST_DEALS)
    seed = whole_number("seed", seed)
    pair, chosen = (as_agent(a), as_agent(b)), get_rules(rules)
    playing = pair[0] if player is None else as_agent(player)
    wanted = n * (1 if judge is None else JUDGED)
    found: list[Disagreement] = []
    for first in range(0, deals, CHUNK):
        found += _in_chunk(pair, playing, chosen, seed, first, min(CHUNK, deals - first))
        found = sorted(found, key=lambda one: -one.apart)[:wanted]
    if judge is not None:
        judging = as_agent(judge)
        found = _judged(_judged(found, judging, seed)[:n], judging, seed + 1)
    return found[:n]


def _in_chunk(
    pair: tuple[Agent, Agent], playing: Agent, rules: Rules, seed: int, first: int, n: int
) -> list[Disagreement]:
    """The biggest disagreement of each of the deals first, first + 1, ... where there is one."""
    tables = new_tables(n, rules, seed, first)
    for i in range(n):
        new_game(tables[i], (first + i) % N_SEATS, 0, 0)
    streams, asking = streams_for(seed, n, first), streams_for(seed ^ 0xA5C, n, first)
    luck = np.random.default_rng([seed & MASK64, first])  # which of several that are equally far apart
    best, furthest = np.zeros(n), np.zeros(n)
    seen, doing = np.zeros(n, VIEW), np.zeros((n, 2), np.int64)

    def compare(rows: NDArray[np.int64], views: Views) -> None:
        """Ask both agents wherever there is a choice, and keep what is further apart than before."""
        open_ = np.flatnonzero(views["legal"] & (views["legal"] - 1))
        if not len(open_):
            return
        both = [_thoughts(agent, views[open_], asking[rows[open_], k]) for k, agent in enumerate(pair)]
        apart = np.abs(both[0][1] - both[1][1]).sum(axis=1) / 2
        rank = apart + 1e-9 * luck.random(len(apart))
        differ = (both[0][0] != both[1][0]) & (rank > best[rows[open_]])
        at = rows[open_[differ]]
        best[at], furthest[at], seen[at] = rank[differ], apart[differ], views[open_[differ]]
        doing[at] = np.stack([both[0][0], both[1][0]], axis=1)[differ]

    play_deals(tables, [playing] * N_SEATS, streams, watch=compare)
    names, unknown = (pair[0].name, pair[1].name), (np.nan, np.nan)
    found = []
    for i in np.flatnonzero(best > 0).tolist():
        both_do = int(doing[i, 0]), int(doing[i, 1])
        deal = first + i
        found.append(Disagreement(seen[i], deal, names, both_do, float(furthest[i]), unknown, np.nan))
    return found


def _thoughts(agent: Agent, views: Views, streams: Streams) -> tuple[Actions, NDArray[np.float64]]:
    """What an agent does at some views (B,), and how likely it does each action (B, A)."""
    actions = whole_numbers(agent, views, streams.copy())
    if hasattr(agent, "probabilities"):
        return actions, agent.probabilities(views)
    return actions, np.eye(N_ACTIONS)[actions]


def _judged(found: list[Disagreement], judge: Agent, seed: int) -> list[Disagreement]:
    """The same with what a judge expects of both actions, biggest difference first."""
    judged = []
    for one in found:
        opinion = opinion_of(judge, one.view, seed)
        a, b = one.actions
        points = float(opinion.points[a]), float(opinion.points[b])
        error = float(np.hypot(*opinion.spread[[a, b]]) / max(opinion.worlds, 1) ** 0.5)
        judged.append(replace(one, points=points, error=error))
    return sorted(judged, key=lambda one: -np.nan_to_num(abs(one.gained), nan=-1.0))


def played_out(
    view: View,
    actions: Sequence[int],
    worlds: tuple[Any, Any, Any],
    player: Agent | str = "rule_based",
    seed: int = 1,
) -> NDArray[np.int64]:
    """What actions come to in worlds of a view when all seats go on as `player` does: the side's points
    of the deal minus the other side's, int64 of shape (W, len(actions)). Every action is played out in
    the same worlds with the same random numbers, so that luck with the cards cancels within a row.
    worlds: as `hpenv.worlds.sample_worlds` gives them.

    Raises ValueError for an action that the view does not allow, and for an unknown agent.
    """
    playing = as_agent(player)
    for action in actions:
        if not 0 <= action < N_ACTIONS or not int(view.legal) >> action & 1:
            raise ValueError(f"played out: the view does not allow the action {action!r}")
    n = len(worlds[0])
    tables: Any = np.zeros(n, TABLE)
    set_worlds(tables, view, random_word("seed", seed), *worlds)
    points = np.zeros((n, len(actions)), np.int64)
    for k, action in enumerate(actions):
        after = tables.copy()
        streams = streams_for(seed, n)
        for i in range(n):
            do(after[i], action)
        play_deals(after, [playing] * N_SEATS, streams)
        side = side_of(int(view.seat))
        points[:, k] = after["points"][:, side].astype(np.int64) - after["points"][:, 1 - side]
    return points
