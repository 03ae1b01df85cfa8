"""The rollout: deals played by the policy with itself and an opponent pool, as arrays to learn from.

Shapes: T steps, B environments (tables), S = 4 seats, F observation, H hidden, A = 39 actions.
"""

import copy
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from hpenv.actions import N_ACTIONS
from hpenv.agents.agent import Agent, make_player, streams_for
from hpenv.agents.learned import sample_actions
from hpenv.agents.network import Network
from hpenv.batch import Batch
from hpenv.cards import ALL_CARDS
from hpenv.compiled import kernel, mix, next_state
from hpenv.observation import HIDDEN_SIZE, OBSERVATION_SIZE
from hpenv.rulebook import random_member, unit
from hpenv.rules import get_rules
from hpenv.seats import N_SEATS
from hpenv.suits import RELABEL
from hpenv.table import TABLE, rules_of
from hpenv.training.distributed import rank
from hpenv.training.options import Args
from hpenv.training.vine import Tried, Vine
from hpenv.view import VIEW, see_each

POLICY = 0  # opponents are numbered from 1
MOST_PAST_SELVES = 8
BEFORE_PLAY = ~ALL_CARDS  # bids, trumps and alone decisions: no card among them
Opponent = Network | Agent


@dataclass
class Rollout:
    """T steps in B environments; the arrays are reused by the next rollout."""

    observations: NDArray[np.int8]  # (T, B, F)
    hidden: NDArray[np.int8]  # (T, B, H), what the seat to act could not see
    masks: NDArray[np.int8]  # (T, B, A)
    actions: NDArray[np.int64]  # (T, B)
    logprobs: NDArray[np.float32]  # (T, B), of the policy's actions when they were sampled
    seats: NDArray[np.int64]  # (T, B), who acted
    own: NDArray[np.bool_]  # (T, B), whether the policy acted: these rows are learned from
    explored: NDArray[np.bool_]  # (T, B), whether a random action took the place of the policy's
    rewards: NDArray[np.float32]  # (T, B, S), what the step brought each seat
    dones: NDArray[np.bool_]  # (T, B), whether the step ended the episode
    timesteps: int = 0  # actions taken, forced ones included
    deals: int = 0  # deals finished
    tried: Tried | None = None  # decisions where every action was tried out
    next_observations: list[NDArray[np.int8]] = field(default_factory=list)  # S x (B, F), at the end
    next_hidden: list[NDArray[np.int8]] = field(default_factory=list)  # S x (B, H)


def new_rollout(num_steps: int, num_envs: int) -> Rollout:
    """Empty arrays for a rollout."""
    shape = (num_steps, num_envs)
    return Rollout(
        observations=np.zeros((*shape, OBSERVATION_SIZE), np.int8),
        hidden=np.zeros((*shape, HIDDEN_SIZE), np.int8),
        masks=np.zeros((*shape, N_ACTIONS), np.int8),
        actions=np.zeros(shape, np.int64),
        logprobs=np.zeros(shape, np.float32),
        seats=np.zeros(shape, np.int64),
        own=np.zeros(shape, np.bool_),
        explored=np.zeros(shape, np.bool_),
        rewards=np.zeros((*shape, N_SEATS), np.float32),
        dones=np.zeros(shape, np.bool_),
    )


class SelfPlay:
    """Tables at which the policy plays all seats, or one side against an opponent.

    The first tables are the policy's alone. The others are shared out evenly among the opponents, the
    policy sitting North-South at every other one. Forced actions are taken by the batch.

    Now and then (`explore_prob`) a random legal bid, trump or alone decision takes the place of the
    policy's, and is not learned from: so it goes on learning how to play contracts that it has given up
    bidding.
    """

    def __init__(
        self,
        batch: Batch,
        opponent_share: float,
        seed: int,
        first_table: int = 0,
        explore_prob: float = 0.0,
        vine_share: float = 0.0,
    ) -> None:
        self.batch = batch
        self.vine = Vine(vine_share) if vine_share else None
        self.explore_prob = explore_prob
        self.streams = streams_for(seed ^ 0x5E1F, batch.n, first_table)[:, 0].copy()
        self.against = np.arange(batch.n) >= round(batch.n * (1 - opponent_share))
        self.opponents: list[Opponent] = []
        self.players = np.zeros((batch.n, N_SEATS), np.int64)  # POLICY, or the opponent's number
        self.torch_seconds = 0.0  # spent in networks since the start

    def seat_opponents(self, opponents: Sequence[Opponent]) -> None:
        """Give each table kept for opponents one of them; without any, the policy plays all seats."""
        self.opponents = list(opponents)
        self.players[:] = POLICY
        if opponents:
            for i, table in enumerate(np.flatnonzero(self.against)):
                number = 1 + (i // 2) % len(opponents)
                self.players[table, i % 2 :: 2] = number

    def play(self, policy: Network, into: Rollout) -> None:
        """Play T steps at every table, writing them into a rollout."""
        batch, num_steps = self.batch, len(into.actions)
        into.timesteps = into.deals = 0
        everyone = np.arange(batch.n)
        by_itself = (self.players == POLICY).all(axis=1)
        if self.vine:
            self.vine.begin(policy)
        for t in range(num_steps):
            into.observations[t] = batch.observations
            into.hidden[t] = batch.hidden
            into.masks[t] = batch.masks
            into.seats[t] = batch.seats
            players = self.players[everyone, batch.seats]
            into.own[t] = players == POLICY
            self._choose(policy, np.flatnonzero(into.own[t]), into, t)
            into.explored[t] = False
            if self.vine:
                self.vine.step(batch, t, by_itself, self.streams)
            if self.explore_prob:
                explore(
                    batch.legal,
                    self.explore_prob,
                    self.streams,
                    into.actions[t],
                    into.own[t],
                    into.explored[t],
                )
            for number, opponent in enumerate(self.opponents, 1):
                self._choose(opponent, np.flatnonzero(players == number), into, t)
            batch.step(into.actions[t])
            into.rewards[t] = batch.rewards
            into.dones[t] = batch.terminated | batch.truncated
            into.timesteps += int(batch.steps.sum())
            into.deals += int(batch.deal_over.sum())
        into.tried = self.vine.all_found() if self.vine else None
        last = [batch.observe_seats(np.full(batch.n, seat)) for seat in range(N_SEATS)]
        into.next_observations, into.next_hidden = map(list, zip(*last, strict=True))

    def _choose(self, player: Opponent, rows: NDArray[np.int64], into: Rollout, t: int) -> None:
        """Write one player's actions at the tables of `rows` for step t."""
        if not len(rows):
            return
        batch = self.batch
        streams = self.streams[rows]
        actions, logprobs = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.float32)
        if isinstance(player, Network):
            started = time.perf_counter()
            with torch.inference_mode():
                seen = torch.from_numpy(batch.observations[rows]).to(player.scale.device)
                logits = player(seen).cpu().numpy()
            self.torch_seconds += time.perf_counter() - started
            sample_actions(logits, batch.legal[rows], streams, actions, logprobs)
        else:
            views = np.zeros(len(rows), VIEW)
            see_each(batch.tables[rows], batch.seats[rows], views)
            actions = RELABEL[batch.orders[rows], player.act(views, streams)].astype(np.int64)
        self.streams[rows] = streams
        into.actions[t, rows] = actions
        into.logprobs[t, rows] = logprobs

    def state(self) -> dict[str, torch.Tensor]:
        """The tables and random streams as plain tensors."""
        return {
            "tables": torch.from_numpy(self.batch.tables.view(np.uint8).copy()),
            "streams": torch.from_numpy(self.streams.view(np.int64).copy()),
        }

    def restore(self, state: dict[str, torch.Tensor]) -> None:
        """Go on from a `state`. Raises ValueError if it is one of other tables or other rules."""
        saved, streams = state["tables"].numpy(), state["streams"].numpy()
        if saved.shape != self.batch.tables.view(np.uint8).shape or saved.dtype != np.uint8:
            raise ValueError(f"it does not hold {self.batch.n} tables")
        if streams.shape != self.streams.shape or streams.dtype != np.int64:
            raise ValueError(f"it does not hold {self.batch.n} random streams")
        tables = saved.view(TABLE)
        if [rules_of(table) for table in tables] != self.batch.rules:
            raise ValueError("its tables were not dealt under the rules of this run")
        self.batch.tables[:] = tables
        self.streams[:] = streams.view(np.uint64)
        self.batch.refresh()


def new_self_play(args: Args) -> SelfPlay:
    """This process's tables; each process deals other cards."""
    rules = [get_rules(args.rules[i % len(args.rules)]) for i in range(args.num_envs)]
    first = rank() * args.num_envs
    batch = Batch(
        args.num_envs,
        rules,
        seed=args.seed,
        first_index=first,
        episode=args.episode,
        reward=args.reward,
        suits="canonical",
        skip_forced=True,
        with_hidden=True,
    )
    return SelfPlay(batch, args.opponent_share, args.seed, first, args.explore_prob, args.vine_share)


def points_per_deal(rollout: Rollout) -> float:
    """Points that a finished deal moved between the sides, on average."""
    return float(np.abs(rollout.rewards[:, :, 0]).sum() / max(1, rollout.deals))


class OpponentPool:
    """Past selves of the policy, and agents that stay the same.

    fixed: agents by name. seed: of the choice among the past selves. precision: that they play in.
    at_once: how many past selves are among the opponents of an update.
    """

    def __init__(
        self, fixed: Sequence[str], seed: int, precision: torch.dtype, at_once: int = 3
    ) -> None:
        self.fixed: list[Opponent] = [make_player(name) for name in fixed]
        self.seed = seed
        self.precision = precision
        self.at_once = at_once
        self.past_selves: list[dict[str, torch.Tensor]] = []

    def remember(self, policy: Network, update: int) -> None:
        """Put the policy among the past selves; when they are too many, one goes, evenly spread."""
        self.past_selves.append({k: v.clone() for k, v in frozen(policy).state_dict().items()})
        if len(self.past_selves) > MOST_PAST_SELVES:
            generator = np.random.default_rng([self.seed, update])
            del self.past_selves[int(generator.integers(len(self.past_selves) - 1))]

    def chosen(self, policy: Network, update: int) -> list[Opponent]:
        """Some past selves, others at each update, and all the fixed agents. policy: of their sizes."""
        generator = np.random.default_rng([self.seed, update, 1])
        n = min(self.at_once, len(self.past_selves))
        chosen: list[Opponent] = []
        for i in generator.choice(len(self.past_selves), n, replace=False) if n else ():
            twin = frozen(policy)
            twin.load_state_dict(self.past_selves[i])
            chosen.append(frozen(twin, self.precision))
        return chosen + self.fixed


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
def explore(legal: Any, probability: Any, streams: Any, actions: Any, own: Any, explored: Any) -> None:
    """With some probability put a random bid, trump or alone decision in the place of the policy's.

    legal, streams, actions, own, explored: (B,).
    """
    for i in range(len(legal)):
        if own[i] and legal[i] & BEFORE_PLAY:
            streams[i] = next_state(streams[i])
            if unit(mix(streams[i])) < probability:
                actions[i], streams[i] = random_member(legal[i], streams[i])
                own[i] = False
                explored[i] = True
