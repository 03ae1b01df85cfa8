"""100,000 random legal actions through what frameworks make of the game: none is illegal, and every
seat's return is what the engine's table says its side scored."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
import supersuit
import torch
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.env_util import make_vec_env
from tensordict import TensorDict
from tianshou.env import DummyVectorEnv, PettingZooEnv
from torchrl.envs import GymWrapper, PettingZooWrapper

from hpenv import hasenpfeffer_v0
from hpenv.batch import Batch
from hpenv.hasenpfeffer_parallel_v0 import parallel_env
from masked_play import ILLEGAL, STEPS, assert_is_return, choose, margins

QUICK = {"opponents": "uniform", "partner": "uniform", "episode": "deal"}


def test_sb3s_env() -> None:
    """What SB3 makes of `gymnasium.make`, its monitor included."""
    envs: Any = make_vec_env("hpenv:Hasenpfeffer-v0", n_envs=4, seed=1, env_kwargs=QUICK)
    rng, episodes = np.random.default_rng(1), 0
    envs.reset()
    for _ in range(STEPS // 4):
        _, rewards, over, infos = envs.step(choose(get_action_masks(envs), rng))
        assert ILLEGAL not in rewards
        for i in np.flatnonzero(over):
            assert infos[i]["episode"]["r"] == margins(infos[i]["terminal_observation"])
            episodes += 1
    assert episodes > STEPS // 10


def test_torchrl_at_many_tables() -> None:
    tables: Any = gymnasium.make_vec(
        "hpenv:Hasenpfeffer-v0", 128, mask_in="obs", autoreset_mode="disabled", **QUICK
    )
    env, rng = GymWrapper(tables, categorical_action_encoding=True), np.random.default_rng(1)
    now, returns, episodes = env.reset(), np.zeros(128), 0
    for _ in range(1 + STEPS // 128):
        now["action"] = torch.as_tensor(choose(now["action_mask"].numpy(), rng))
        done, now = env.step_and_maybe_reset(now)
        returns += done["next", "reward"].squeeze(-1).numpy()
        ended = done["next", "done"].squeeze(-1).numpy()
        last = done["next", "observation"].numpy()[ended]
        np.testing.assert_array_equal(returns[ended], margins(last))
        returns[ended] = 0
        episodes += int(ended.sum())
    assert episodes > STEPS // 10


def test_torchrl_over_pettingzoo() -> None:
    """A tenth of the actions: TorchRL does some 250 a second."""
    game = hasenpfeffer_v0.env(episode="deal")
    env: Any = PettingZooWrapper(
        game, use_mask=True, group_map={"seats": game.possible_agents}, categorical_actions=True
    )
    rng, table = np.random.default_rng(1), game.unwrapped.table
    returns, deals = np.zeros(4), 0
    now: TensorDict = env.reset()
    for _ in range(STEPS // 10):
        to_act = now["seats", "mask"].numpy()
        assert to_act.sum() == 1
        masks = now["seats", "action_mask"].numpy()
        now["seats", "action"] = torch.as_tensor(choose(masks, rng))
        now = env.step(now)["next"]
        returns += now["seats", "reward"].squeeze(-1).numpy()
        if now["done"].item():
            assert_is_return(returns, table)
            now, returns, deals = env.reset(), np.zeros(4), deals + 1
    assert deals > STEPS // 1000


def test_tianshou() -> None:
    def make() -> Any:
        return PettingZooEnv(hasenpfeffer_v0.env(episode="deal"))

    envs: Any = DummyVectorEnv([make] * 4)
    tables = [worker.env.env.unwrapped.table for worker in envs.workers]
    rng, returns, deals = np.random.default_rng(1), np.zeros((4, 4)), 0
    seen, _ = envs.reset()
    for _ in range(STEPS // 4):
        masks = np.stack([each["mask"] for each in seen])
        seen, rewards, over, _, _ = envs.step(choose(masks, rng))
        returns += rewards
        for i in np.flatnonzero(over):
            assert_is_return(returns[i], tables[i])
            returns[i], deals = 0, deals + 1
            seen[i] = envs.reset([i])[0][0]
    assert deals > STEPS // 100


@pytest.mark.filterwarnings("ignore")
def test_supersuit() -> None:
    """Against a batch of single tables with the same deals: masks, rewards and ends at each step."""
    one = supersuit.pettingzoo_env_to_vec_env_v1(parallel_env(episode="deal"))
    envs: Any = supersuit.concat_vec_envs_v1(one, 4, base_class="gymnasium")
    seen, _ = envs.reset(seed=1)
    twins = [Batch(1, seed=1 + i, episode="deal") for i in range(4)]
    rng = np.random.default_rng(1)
    for _ in range(STEPS // 4):
        actions = choose(seen["action_mask"], rng)
        seen, rewards, ends, _, _ = envs.step(actions)
        for i, twin in enumerate(twins):
            rows = slice(4 * i, 4 * i + 4)
            twin.step(actions[rows][twin.seats])
            np.testing.assert_array_equal(rewards[rows], twin.rewards[0])
            assert (ends[rows] == twin.terminated[0]).all()
            to_act = 4 * i + int(twin.seats[0])
            np.testing.assert_array_equal(seen["action_mask"][to_act], twin.masks[0])
