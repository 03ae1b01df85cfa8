"""The rollout: who plays, what is explored, and probabilities that agree with torch's."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from hpenv.actions import N_ACTIONS, PASS
from hpenv.agents.agent import make_agent
from hpenv.agents.learned import sample_actions
from hpenv.agents.network import Network, masked_logprobs
from hpenv.batch import Batch
from hpenv.observation import OBSERVATION_SIZE
from hpenv.training.ppo import Learner
from hpenv.training.self_play import OpponentPool, SelfPlay, frozen, new_rollout, new_self_play
from small_runs import small

CPU = torch.device("cpu")


def test_exploring_replaces_bids_and_never_cards() -> None:
    batch = Batch(64, "standard", seed=4, episode="deal", skip_forced=True, with_hidden=True)
    tables, rollout = SelfPlay(batch, 0.0, 1, explore_prob=0.3), new_rollout(40, 64)
    tables.play(Network(N_ACTIONS, [8]), rollout)
    before_play = rollout.masks[:, :, PASS:].any(2)
    share = rollout.explored[before_play].mean()
    assert 0.25 < share < 0.35
    assert not rollout.explored[~before_play].any()
    assert np.array_equal(rollout.explored, ~rollout.own)


def test_opponents_sit_on_one_side_and_their_rows_are_not_the_policys() -> None:
    batch = Batch(10, "standard", seed=2, episode="deal", skip_forced=True, with_hidden=True)
    tables, rollout = SelfPlay(batch, 0.4, 1), new_rollout(30, 10)
    tables.seat_opponents([make_agent("uniform")])
    assert tables.players.tolist() == [[0] * 4] * 6 + [[1, 0, 1, 0], [0, 1, 0, 1]] * 2
    tables.play(Network(N_ACTIONS, [8]), rollout)
    opponents = tables.players[np.arange(10), rollout.seats] > 0
    assert opponents.any()
    assert np.array_equal(rollout.own, ~opponents)
    assert (rollout.logprobs[opponents] == 0).all()


def test_the_pool_holds_eight_past_selves_the_latest_among_them() -> None:
    policy, pool = Network(N_ACTIONS, [8]), OpponentPool(("uniform",), 1, torch.float32)
    assert [opponent.name for opponent in pool.chosen(policy, 0)] == ["uniform"]  # type: ignore[union-attr]
    for number in range(12):
        with torch.no_grad():
            policy.layers[0].bias.fill_(number)  # type: ignore[operator]
        pool.remember(policy, number)
    numbers = [int(past["layers.0.bias"][0]) for past in pool.past_selves]
    assert len(numbers) == 8
    assert numbers == sorted(numbers)
    assert numbers[-1] == 11
    met = [opponent for update in range(20) for opponent in pool.chosen(policy, update)[:-1]]
    assert len(met) == 3 * 20
    assert {int(past.layers[0].bias[0]) for past in met} == set(numbers)  # type: ignore[union-attr, index]


# ---- probabilities ----------------------------------------------------------------------------


def test_a_masked_policy_never_gives_nan() -> None:
    logits = torch.tensor([[1e4, -1e4, 3.0], [5.0, 5.0, 5.0]], requires_grad=True)
    masks = torch.tensor([[0, 1, 1], [0, 0, 0]], dtype=torch.int8)
    logprobs = masked_logprobs(logits, masks != 0)
    entropy = -(logprobs.exp() * logprobs).sum()
    (entropy + logprobs[0, 2]).backward()
    assert torch.isfinite(logprobs).all()
    assert torch.isfinite(logits.grad).all()  # type: ignore[arg-type]
    assert logprobs[0].exp().tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_the_ratio_is_one_before_the_first_update(precision: str) -> None:
    """Old log-probabilities come from the compiled sampler, new ones from torch: they must agree."""
    args = small(None, precision=precision, explore_prob=0.0)
    learner = Learner(args, CPU)
    tables, rollout = new_self_play(args), new_rollout(args.num_steps, args.num_envs)
    tables.play(frozen(learner.policy, learner.precision), rollout)
    assert rollout.own.all()
    observations = torch.from_numpy(rollout.observations.reshape(-1, OBSERVATION_SIZE))
    masks = torch.from_numpy(rollout.masks.reshape(-1, N_ACTIONS))
    actions = torch.from_numpy(rollout.actions.reshape(-1, 1))
    with torch.inference_mode():
        logits = learner.policy(observations, None, learner.precision)
        new = masked_logprobs(logits, masks != 0).gather(1, actions).squeeze(1).numpy()
    assert (masks.sum(1) >= 2).all(), "forced actions stay out of the batch"
    assert np.abs(np.exp(new - rollout.logprobs.reshape(-1)) - 1).max() < 1e-5


def test_actions_are_sampled_with_the_softmax_probabilities() -> None:
    n = 40_000
    logits = np.tile(np.log(np.array([0.0001, 0.5, 0.3, 0.2], np.float32)), (n, 1))
    legal = np.full(n, 0b1110, np.int64)
    streams = np.arange(n).astype(np.uint64) * np.uint64(7)
    actions, logprobs = np.zeros(n, np.int64), np.zeros(n, np.float32)
    sample_actions(logits, legal, streams, actions, logprobs)
    sampled = np.bincount(actions, minlength=4) / n
    assert sampled[0] == 0
    assert np.abs(sampled[1:] - [0.5, 0.3, 0.2]).max() < 0.012
    assert np.allclose(np.exp(logprobs), np.array([0, 0.5, 0.3, 0.2])[actions], atol=1e-6)
