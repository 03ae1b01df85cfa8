"""Every action tried out: its points against deals played on one by one, and its loss by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from hpenv.actions import N_ACTIONS
from hpenv.agents.agent import make_agent
from hpenv.agents.learned import Learned
from hpenv.agents.network import Network
from hpenv.batch import Batch
from hpenv.rulebook import DEAL_OVER, PLAY, do, legal_actions
from hpenv.seats import side_of
from hpenv.suits import RELABEL
from hpenv.training.ppo import train
from hpenv.training.self_play import SelfPlay, new_rollout
from hpenv.training.vine import Tried, Vine, vine_loss
from hpenv.view import VIEW, see_each
from small_runs import small


@pytest.fixture
def policy() -> Network:
    """A network whose choices are its own, and not far from each other."""
    torch.manual_seed(3)
    return Network(N_ACTIONS, [24])


def batch_of(n: int, rules: str) -> Batch:
    return Batch(
        n, rules, seed=8, episode="deal", suits="canonical", skip_forced=True, with_hidden=True
    )


def played_on(table: Any, action: int, agent: Learned) -> float:
    """North-South's points minus East-West's after an action, every view asked by itself."""
    ends, stream = table.copy(), np.zeros(1, np.uint64)
    do(ends[0], action)
    while ends[0]["phase"] != DEAL_OVER:
        legal = int(legal_actions(ends[0]))
        choice = legal.bit_length() - 1
        if legal & (legal - 1):
            views = np.zeros(1, VIEW)
            see_each(ends, ends["to_act"].astype(np.int64), views)
            choice = int(agent.act(views, stream)[0])
        do(ends[0], choice)
    return float(ends[0]["points"][0]) - float(ends[0]["points"][1])


@pytest.mark.parametrize("rules", ["standard", "set_bid", "mini3"])
def test_points_are_those_of_the_deal_played_on(policy: Network, rules: str) -> None:
    batch, vine, agent = batch_of(12, rules), Vine(1.0), Learned(policy)
    generator, cards = np.random.default_rng(1), 0
    vine.begin(policy)
    for _ in range(12):
        tried = Tried(np.arange(12), *vine.try_out(batch.tables.copy(), batch.seats, batch.orders))
        assert np.array_equal(tried.points != 0, (tried.points != 0) & (batch.masks != 0))
        assert tried.likely.sum(axis=1) == pytest.approx(np.ones(12), abs=1e-5)
        for i in range(3):
            sign = 1 - 2 * int(side_of(int(batch.seats[i])))
            ends = {}
            for action in range(N_ACTIONS):
                canonical = int(RELABEL[batch.orders[i], action])
                if batch.masks[i, canonical]:
                    ends[canonical] = sign * played_on(batch.tables[i : i + 1], action, agent)
            found = {action: float(tried.points[i, action]) for action in ends}
            if batch.tables[i]["phase"] == PLAY:  # equal cards have the points of the likeliest
                cards += 1
                best = max(ends, key=lambda action: float(tried.likely[i, action]))
                assert found[best] == ends[best]
                assert set(found.values()) <= set(ends.values())
            elif batch.masks[i, 25:].any():  # no cards among the actions
                assert found == ends
        batch.step([generator.choice(np.flatnonzero(mask)) for mask in batch.masks])
    assert cards > 5


def test_only_the_policys_own_tables_are_tried_at_and_only_a_share(policy: Network) -> None:
    tables, rollout = SelfPlay(batch_of(40, "standard"), 0.5, 1, vine_share=0.25), new_rollout(30, 40)
    tables.seat_opponents([make_agent("uniform")])
    tables.play(policy, rollout)
    assert rollout.tried is not None
    steps, at = np.divmod(rollout.tried.rows, 40)
    assert (at < 20).all()
    assert set(steps) <= set(range(30))
    assert 0.18 < len(at) / (30 * 20) < 0.32
    legal = rollout.masks.reshape(-1, N_ACTIONS)[rollout.tried.rows] != 0
    assert not rollout.tried.points[~legal].any()
    assert not rollout.tried.likely[~legal].any()


def test_advantages_are_points_above_what_the_policy_gets() -> None:
    """Likely 3/4 and 1/4 with 4 and 0 points: the policy gets 3, the actions +1 and -3, whose standard
    deviation about their mean of -1 is 2."""
    tried = Vine(0.5).all_found()
    tried.points, tried.likely = np.float32([[4, 0, 0]]), np.float32([[0.75, 0.25, 0]])
    found = tried.advantages(np.array([[True, True, False]]))
    assert found[0] == pytest.approx([0.5, -1.5, 0], abs=1e-6)


def gradient(logits: list[float], likely: list[float], advantages: list[float]) -> list[float]:
    """The gradient of the loss by the logits of one decision; the last of three actions is illegal."""
    leaf = torch.tensor([logits], dtype=torch.float32, requires_grad=True)
    legal = torch.tensor([[True, True, False]])
    vine_loss(leaf, legal, *torch.tensor([[likely], [advantages]], dtype=torch.float32)).backward()  # type: ignore[no-untyped-call]
    assert leaf.grad is not None
    return leaf.grad[0].tolist()


def test_the_loss_moves_the_logits_by_the_advantages() -> None:
    """Weights 0.5 and 0.5; the mean logit takes its share of 0.5 * 1 - 0.5 * 1 = 0."""
    assert gradient([0, 0, 9], [0.5, 0.5, 0], [1, -1, 0]) == pytest.approx([-0.5, 0.5, 0])


def test_an_action_that_the_policy_has_given_up_rises_as_well() -> None:
    """e^-6 likely: weight 0.9 * 0.00247 + 0.05 = 0.0522, half of which lowers the other action."""
    likely = float(torch.tensor([6.0, 0.0]).softmax(0)[1])
    assert gradient([6, 0, 0], [1 - likely, likely, 0], [0, 1, 0]) == pytest.approx(
        [0.0261, -0.0261, 0], abs=1e-4
    )


@pytest.mark.parametrize(
    ("logits", "likely", "advantages"),
    [
        ([0.5, 0, 0], [0.5, 0.5, 0], [1, 0, 0]),  # log(0.62 / 0.5) = 0.22 higher already
        ([8, 0, 0], [0.9997, 0.0003, 0], [0, -1, 0]),  # below e^-7
        ([2, 0, 0], [0.5, 0.5, 0], [0, -1, 0]),  # log(0.12 / 0.5) = -1.43: lower already
    ],
)
def test_within_an_update_a_logit_moves_so_far_and_no_farther(
    logits: list[float], likely: list[float], advantages: list[float]
) -> None:
    assert gradient(logits, likely, advantages) == [0, 0, 0]
    assert gradient(logits, likely, [-value for value in advantages]) != [0, 0, 0]


def test_wins_are_no_points(tmp_path: Any) -> None:
    with pytest.raises(
        ValueError, match="vine_share tries actions out for points: it needs reward=points"
    ):
        train(small(tmp_path / "run", episode="game", reward="win", vine_share=0.1))
    assert not (tmp_path / "run").exists()
