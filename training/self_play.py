"""Deals played by the learner with itself, its past selves and fixed agents, as arrays to learn from.

Shapes: T steps, B tables, S = 4 seats, F observation, H hidden, A = 39 actions.
"""

import copy
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import nn

from hpenv.actions import N_ACTIONS
from hpenv.agents.agent import Agent, streams_for
from hpenv.agents.learned import Network, choose_by_chance, unit
from hpenv.batch import Batch
from hpenv.cards import ALL_CARDS
from hpenv.compiled import kernel, mix, next_state
from hpenv.observation import HIDDEN_SIZE, OBSERVATION_SIZE
from hpenv.rulebook import random_member
from hpenv.seats import N_SEATS
from hpenv.suits import RELABEL
from hpenv.table import TABLE
from hpenv.view import VIEW, see_each

LEARNER = 0
BEFORE_PLAY = ~ALL_CARDS  # calls, trumps, and answers to "alone?": no card among them
Pilot = Network | Agent


@dataclass
class Experience:
    """What one rollout of T steps at B tables brought; arrays are reused by the next."""

    observations: Any  # (T, B, F) int8
    hidden: Any  # (T, B, H) int8, what the seat to act could not see
    masks: Any  # (T, B, A) int8
    actions: Any  # (T, B) int64
    log_probs: Any  # (T, B) float32 of the learner's actions when they were drawn
    seats: Any  # (T, B) int64, who acted
    learner: Any  # (T, B) bool, whether the learner acted
    explored: Any  # (T, B) bool, whether chance acted in the learner's place
    rewards: Any  # (T, B, S) float32, what the step brought each seat
    ended: Any  # (T, B) bool, whether the step ended the episode
    decisions: int = 0  # actions done, forced ones included
    deals: int = 0  # deals finished
    last_observations: list[Any] = field(default_factory=list)  # S x (B, F), each seat's, at the end
    last_hidden: list[Any] = field(default_factory=list)  # S x (B, H)


def new_experience(steps: int, tables: int) -> Experience:
    """Empty arrays for a rollout."""
    shape = (steps, tables)
    return Experience(
        np.zeros((*shape, OBSERVATION_SIZE), np.int8),
        np.zeros((*shape, HIDDEN_SIZE), np.int8),
        np.zeros((*shape, N_ACTIONS), np.int8),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.float32),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.bool_),
        np.zeros(shape, np.bool_),
        np.zeros((*shape, N_SEATS), np.float32),
        np.zeros(shape, np.bool_),
    )


class SelfPlay:
    """Tables at which the learner plays all seats, or one side against another pilot.

    The first tables are the learner's alone. The others are shared out evenly among the opponents,
    the learner sitting North-South at every other one. Forced actions are done by the batch.

    Now and then (`exploring`) any legal call, trump or answer is made in the learner's place, and not
    learned from: so it goes on learning how to play contracts that it has given up bidding.
    """

    def __init__(
        self, batch: Batch, against: float, seed: int, first_table: int = 0, exploring: float = 0.0
    ) -> None:
        self.batch = batch
        self.exploring = exploring
        self.streams = streams_for(seed ^ 0x5E1F, batch.n, first_table)[:, 0].copy()
        self.guests = np.arange(batch.n) >= round(batch.n * (1 - against))
        self.opponents: list[Pilot] = []
        self.pilots = np.zeros((batch.n, N_SEATS), np.int64)
        self.torch_seconds = 0.0  # spent in networks since the start

    def seat_opponents(self, opponents: Sequence[Pilot]) -> None:
        """Give each table kept for guests one of the opponents; without any, the learner plays all."""
        self.opponents = list(opponents)
        self.pilots[:] = LEARNER
        if opponents:
            for i, table in enumerate(np.flatnonzero(self.guests)):
                number = 1 + (i // 2) % len(opponents)
                self.pilots[table, i % 2 :: 2] = number

    def rollout(self, policy: Network, into: Experience) -> None:
        """Play T steps at every table, writing them into `into`."""
        batch, steps = self.batch, len(into.actions)
        into.decisions = into.deals = 0
        everyone = np.arange(batch.n)
        for t in range(steps):
            into.observations[t] = batch.observations
            into.hidden[t] = batch.hidden
            into.masks[t] = batch.masks
            into.seats[t] = batch.seats
            pilots = self.pilots[everyone, batch.seats]
            into.learner[t] = pilots == LEARNER
            self._choose(policy, np.flatnonzero(into.learner[t]), into, t)
            into.explored[t] = False
            if self.exploring:
                explore(
                    batch.legal,
                    self.exploring,
                    self.streams,
                    into.actions[t],
                    into.learner[t],
                    into.explored[t],
                )
            for number, opponent in enumerate(self.opponents, 1):
                self._choose(opponent, np.flatnonzero(pilots == number), into, t)
            batch.step(into.actions[t])
            into.rewards[t] = batch.rewards
            into.ended[t] = batch.terminated | batch.truncated
            into.decisions += int(batch.steps.sum())
            into.deals += int(batch.deal_over.sum())
        last = [batch.observe_seats(np.full(batch.n, seat)) for seat in range(N_SEATS)]
        into.last_observations, into.last_hidden = map(list, zip(*last, strict=True))

    def _choose(self, pilot: Pilot, rows: Any, into: Experience, t: int) -> None:
        """Write one pilot's actions at the tables of `rows` for step t."""
        if not len(rows):
            return
        batch = self.batch
        streams = self.streams[rows]
        actions, log_probs = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.float32)
        if isinstance(pilot, Network):
            started = time.perf_counter()
            with torch.inference_mode():
                seen = torch.from_numpy(batch.observations[rows]).to(pilot.scale.device)
                logits = pilot(seen).cpu().numpy()
            self.torch_seconds += time.perf_counter() - started
            choose_by_chance(logits, batch.legal[rows], streams, actions, log_probs)
        else:
            views = np.zeros(len(rows), VIEW)
            see_each(batch.tables[rows], batch.seats[rows], views)
            actions = RELABEL[batch.orders[rows], pilot.act(views, streams)].astype(np.int64)
        self.streams[rows] = streams
        into.actions[t, rows] = actions
        into.log_probs[t, rows] = log_probs

    def state(self) -> dict[str, torch.Tensor]:
        """The tables and random streams as plain tensors."""
        return {
            "tables": torch.from_numpy(self.batch.tables.view(np.uint8).copy()),
            "streams": torch.from_numpy(self.streams.view(np.int64).copy()),
        }

    def restore(self, state: dict[str, torch.Tensor]) -> None:
        """Go on from a `state`."""
        tables = state["tables"].numpy().view(TABLE)
        if tables.shape != self.batch.tables.shape:
            raise ValueError(f"{len(tables)} tables were saved, this run has {self.batch.n}")
        self.batch.tables[:] = tables
        self.streams[:] = state["streams"].numpy().view(np.uint64)
        self.batch.refresh()


def frozen(policy: Network, precision: Any = None) -> Network:
    """A copy of a policy that no longer learns; for playing only, in the precision given.

    The scale of the inputs is multiplied into the first weights before they are rounded, as the learner
    does it, so that both give the same logits.
    """
    twin = copy.deepcopy(policy).requires_grad_(False).eval()
    if precision is None:
        return twin
    first = twin.layers[0]
    assert isinstance(first, nn.Linear)
    first.weight.mul_(twin.scale)
    twin.scale.fill_(1)
    return twin.to(precision)


@kernel
def explore(legal: Any, chance: Any, streams: Any, actions: Any, learner: Any, explored: Any) -> None:
    """With some chance put a random call, trump or answer in the place of the learner's own."""
    for i in range(len(legal)):
        if learner[i] and legal[i] & BEFORE_PLAY:
            streams[i] = next_state(streams[i])
            if unit(mix(streams[i])) < chance:
                actions[i], streams[i] = random_member(legal[i], streams[i])
                learner[i] = False
                explored[i] = True


@kernel
def advantages(
    seats: Any,
    learner: Any,
    explored: Any,
    rewards: Any,
    ended: Any,
    values: Any,
    last_values: Any,
    gamma: Any,
    smoothing: Any,
    out: Any,
) -> None:
    """Generalised advantage estimates (Schulman et al. 2016), each seat's decisions its own chain.

    seats, learner, explored, ended, values, out (T, B); rewards (T, B, S); last_values (B, S), what
    each seat may still expect after the last step. A reward belongs to the seat's latest decision
    before it; the end of an episode cuts every chain; an action explored cuts its seat's, which may
    expect there what the critic does.
    """
    steps, tables = seats.shape
    for b in range(tables):
        next_value = last_values[b].copy()
        next_advantage = np.zeros(N_SEATS, np.float32)
        earned = np.zeros(N_SEATS, np.float32)
        for back in range(steps):
            t = steps - 1 - back
            if ended[t, b]:
                next_value[:] = 0
                next_advantage[:] = 0
                earned[:] = 0
            for s in range(N_SEATS):
                earned[s] += rewards[t, b, s]
            if learner[t, b]:
                seat = np.int64(seats[t, b])
                surprise = earned[seat] + gamma * next_value[seat] - values[t, b]
                out[t, b] = surprise + gamma * smoothing * next_advantage[seat]
                next_value[seat] = values[t, b]
                next_advantage[seat] = out[t, b]
                earned[seat] = 0
            elif explored[t, b]:
                seat = np.int64(seats[t, b])
                next_value[seat] = values[t, b]
                next_advantage[seat] = 0
                earned[seat] = 0
