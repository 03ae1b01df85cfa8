"""Every action tried out: the vine of TRPO (Schulman et al. 2015), at some decisions of a rollout.

From the very table, every legal action is played on to the end of the deal, all seats going on as the
policy does, greedily. The table is a draw from all that the seat may believe, so over many decisions
this is what an action is worth to a seat that does not see the others' cards. Since all actions meet
the same cards, the luck of the deal cancels; and the actions that the policy has given up are judged
as well, which sampling never does.

The update moves the logits themselves (NeuRD; Hennes et al. 2020), so that it does not vanish where the
policy is sure.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hpenv.actions import N_ACTIONS
from hpenv.agents.learned import Learned
from hpenv.agents.network import Network, masked_logprobs
from hpenv.agents.search_blueprint import Blueprint
from hpenv.agents.search_rollouts import Rollouts, do_each, write_alike_each
from hpenv.batch import Batch
from hpenv.compiled import kernel, mix, next_state
from hpenv.rulebook import unit
from hpenv.seats import side_of
from hpenv.suits import UNLABEL
from hpenv.view import VIEW, see_each

MIXED = 0.1  # share of the uniform policy in the weights of the actions
LEAST = -7.0  # log-probability below which an action is not pushed further down
HIGHER, LOWER = 0.2, -1.0  # change of a log-probability within an update that is enough
RARE = -5.0  # log-probability below which an action may rise by more than HIGHER


@dataclass
class Tried:
    """Decisions (N,) where every action was tried out. Actions with canonical suits.

    rows (N,): where in the rollout, step * B + table. points (N, A): what each legal action brought the
    side of the seat to act, 0 for illegal ones. likely (N, A): the policy's probabilities.
    """

    rows: NDArray[np.int64]
    points: NDArray[np.float32]
    likely: NDArray[np.float32]

    def advantages(self, legal: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Points of each legal action (N, A) above what the policy gets, in standard deviations."""
        expected = (self.likely * self.points).sum(axis=1, keepdims=True)
        above = np.where(legal, self.points - expected, 0)
        found: NDArray[np.float32] = (above / (above[legal].std() + 1e-8)).astype(np.float32)
        return found


NOTHING = Tried(np.zeros(0, np.int64), *np.zeros((2, 0, N_ACTIONS), np.float32))


class Vine:
    """Tries every action out at a share of the decisions."""

    def __init__(self, share: float) -> None:
        self.share = share
        self.found: list[Tried] = []

    def begin(self, policy: Network) -> None:
        """Begin a rollout, with the policy that plays on."""
        self.blueprint = Blueprint(Learned(policy))
        self.rollouts = Rollouts(self.blueprint, 0)
        self.found = []

    def step(
        self, batch: Batch, step: int, own: NDArray[np.bool_], streams: NDArray[np.uint64]
    ) -> None:
        """Try actions out at some tables of those in `own` (B,), drawn by their streams (B,)."""
        picked = np.zeros(batch.n, np.bool_)
        pick(own, self.share, streams, picked)
        rows = np.flatnonzero(picked)
        if len(rows):
            known = self.try_out(batch.tables[rows], batch.seats[rows], batch.orders[rows])
            self.found.append(Tried(step * batch.n + rows, *known))

    def try_out(
        self, tables: NDArray[np.void], seats: NDArray[np.int64], orders: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The points and the probability of every action, as `Tried` has them, at tables (N,) of seats
        to act (N,). Equal cards are tried once."""
        n = len(tables)
        views = np.zeros(n, VIEW)
        see_each(tables, seats, views)
        likely = self.blueprint.probabilities(views)
        alike = np.zeros((n, N_ACTIONS), np.int64)
        write_alike_each(views, likely, alike)
        rows, actions = np.nonzero(alike == np.arange(N_ACTIONS))
        ends = tables[rows]
        do_each(ends, np.arange(len(ends)), actions)
        sign = 1 - 2 * side_of(seats[rows])
        points = np.zeros((n, N_ACTIONS))
        points[rows, actions] = sign * self.rollouts.play(ends)
        points = np.take_along_axis(points, np.maximum(alike, 0), 1) * (alike >= 0)
        canonical = UNLABEL[orders][:, :N_ACTIONS].astype(np.int64)
        return (
            np.take_along_axis(points, canonical, 1).astype(np.float32),
            np.take_along_axis(likely, canonical, 1).astype(np.float32),
        )

    def all_found(self) -> Tried:
        """The decisions of this rollout, in one."""
        parts = [(tried.rows, tried.points, tried.likely) for tried in [NOTHING, *self.found]]
        return Tried(*(np.concatenate(part) for part in zip(*parts, strict=True)))


@kernel
def pick(
    own: NDArray[np.bool_], share: float, streams: NDArray[np.uint64], picked: NDArray[np.bool_]
) -> None:
    """Write which of the tables in `own` (B,) are drawn, each with probability `share`."""
    for i in range(len(own)):
        if own[i]:
            streams[i] = next_state(streams[i])
            picked[i] = unit(mix(streams[i])) < share


def vine_loss(logits: Tensor, legal: Tensor, likely: Tensor, advantages: Tensor) -> Tensor:
    """The loss of logits (N, A), with the legal actions bool (N, A), the probabilities that the policy
    had (N, A), and the advantage of each action (N, A)."""
    if not len(logits):
        return logits.sum()
    choices = legal.sum(1, keepdim=True)
    weights = ((1 - MIXED) * likely + MIXED / choices) * legal
    with torch.no_grad():
        now = masked_logprobs(logits, legal)
        before = likely.clamp(min=1e-12).log()
        enough = (now - before > HIGHER) & (before > RARE) & (advantages > 0)
        enough |= ((now < LEAST) | (now - before < LOWER)) & (advantages < 0)
    centred = logits - (logits * legal).sum(1, keepdim=True) / choices
    return -(weights * advantages * ~enough * centred).sum(1).mean()
