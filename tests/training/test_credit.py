"""Advantages: who is credited with what, worked out by hand and against what the tables paid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hpenv.actions import N_ACTIONS
from hpenv.agents.network import Network
from hpenv.batch import Batch
from hpenv.training.ppo import gae
from hpenv.training.self_play import Rollout, SelfPlay, new_rollout


def one_table(seats: list[int], own: list[bool], rewards: dict[tuple[int, int], float]) -> Rollout:
    """A rollout at one table: who acted, whether it was the policy, and rewards by (step, seat)."""
    rollout = new_rollout(len(seats), 1)
    rollout.seats[:, 0], rollout.own[:, 0] = seats, own
    for (step, seat), reward in rewards.items():
        rollout.rewards[step, 0, seat] = reward
    return rollout


def column(*values: float) -> Any:
    return np.array(values, np.float32)[:, None]


NOTHING = np.zeros((1, 4), np.float32)


def test_advantages_of_a_hand_worked_case() -> None:
    """One table, gamma 1, lambda 1/2; seats 0 and 1 act in turn; the episode ends after step 3.

    Seat 0 acts at steps 0 and 2, seat 1 at 1 and 3, and the end brings seat 0 +3 and seat 1 -3. Step 4
    begins another episode with seat 0, of whom the critic still expects 2 at the end.
    Seat 0: step 2: 3 - 0.5 = 2.5; step 0: 0.5 - 1 + 0.5 * 2.5 = 0.75.
    Seat 1: step 3: -3 - (-1) = -2; step 1: -1 - 0 + 0.5 * -2 = -2. Step 4: 2 - 1.5 = 0.5.
    """
    rollout = one_table([0, 1, 0, 1, 0], [True] * 5, {(3, 0): 3, (3, 1): -3, (3, 2): 3, (3, 3): -3})
    rollout.dones[3] = True
    bootstrap = np.array([[2, 7, 7, 7]], np.float32)
    found = gae(rollout, column(1, 0, 0.5, -1, 1.5), bootstrap, 1.0, 1.0, 0.5)
    assert found[:, 0].tolist() == [0.75, -2.0, 2.5, -2.0, 0.5]


def test_the_discount_counts_a_seats_own_decisions() -> None:
    """Gamma 1/2, lambda 1, values 0: seat 0 decides at steps 0 and 2, seat 1 between; +8 at the end is
    worth 8 at step 2 and 4 at step 0, one own decision earlier. Scaled by 1/4 they are 2 and 1."""
    rollout = one_table([0, 1, 0], [True] * 3, {(2, 0): 8})
    rollout.dones[2] = True
    for scale, expected in ((1.0, [4.0, 0.0, 8.0]), (0.25, [1.0, 0.0, 2.0])):
        found = gae(rollout, column(0, 0, 0), NOTHING, scale, 0.5, 1.0)
        assert found[:, 0].tolist() == expected


def test_a_reward_belongs_to_the_latest_decision_before_it_and_opponents_get_none() -> None:
    """Seat 0 decides at step 0; its rewards of steps 1 and 2 are its own, though others act there."""
    rollout = one_table([0, 1, 2], [True, False, True], {(1, 0): 1, (2, 0): 2, (2, 2): 5, (2, 1): 9})
    rollout.dones[2] = True
    found = gae(rollout, column(0, 0, 0), NOTHING, 1.0, 1.0, 1.0)
    assert found[:, 0].tolist() == [3.0, 0.0, 5.0]


def test_an_explored_action_cuts_its_seats_chain() -> None:
    """Seat 0 decides at step 0, at step 1 a random action takes its place, seat 0 again at step 2, for
    +8 in all. The first decision may expect the critic's 0.25 there, not the 8 that came of it."""
    rollout = one_table([0, 0, 0], [True, False, True], {(2, 0): 8})
    rollout.explored[1] = rollout.dones[2] = True
    found = gae(rollout, column(1, 0.25, 3), NOTHING, 1.0, 1.0, 1.0)
    assert found[:, 0].tolist() == [-0.75, 0.0, 5.0]


@pytest.mark.parametrize("episode", ["deal", "game"])
def test_returns_equal_what_the_tables_paid_each_seat(episode: str) -> None:
    """With values of zero and lambda 1, the advantage of a seat's first decision of an episode is the
    sum of all the rewards the batch gave that seat until the episode's end."""
    batch = Batch(8, "house", seed=5, episode=episode, skip_forced=True, with_hidden=True)
    tables, rollout = SelfPlay(batch, 0.0, 1), new_rollout(120, 8)
    tables.play(Network(N_ACTIONS, [8]), rollout)
    zeros, nothing = np.zeros((120, 8), np.float32), np.zeros((8, 4), np.float32)
    found = gae(rollout, zeros, nothing, 1.0, 1.0, 1.0)
    checked = 0
    for table in range(8):
        start, first = 0, dict[int, int]()
        for t in range(120):
            first.setdefault(int(rollout.seats[t, table]), t)
            if rollout.dones[t, table]:
                paid = rollout.rewards[start : t + 1, table].sum(0)
                for seat, step in first.items():
                    assert found[step, table] == paid[seat]
                    checked += paid[seat] != 0
                start, first = t + 1, {}
    assert checked > 3
