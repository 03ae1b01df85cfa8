"""AgileRL's DQN."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import gymnasium
import numpy as np
from agilerl.algorithms.dqn import DQN

from hpenv.training.clients import agilerl_dqn
from hpenv.training.clients.table import releases
from masked_play import ILLEGAL, STEPS, margins


def test_these_are_the_releases_of_the_table() -> None:
    assert {name: version(name).split("+")[0] for name in releases("agilerl")} == releases("agilerl")


def test_it_runs() -> None:
    assert np.isfinite(agilerl_dqn.train(steps=60))


def test_random_play() -> None:
    """100,000 actions that AgileRL draws by the masks: none is illegal, and returns are the points."""
    envs: Any = gymnasium.make_vec("hpenv:Hasenpfeffer-v0", num_envs=250, **agilerl_dqn.OPTIONS)
    agent = DQN(envs.single_observation_space, envs.single_action_space)
    seen, infos = envs.reset(seed=1)
    returns, episodes = np.zeros(250), 0
    for _ in range(STEPS // 250):
        actions = agent.get_action(seen, epsilon=1.0, action_mask=infos["action_mask"])
        seen, rewards, terminated, truncated, infos = envs.step(actions)
        assert ILLEGAL not in rewards
        returns += rewards
        ended = terminated | truncated
        if ended.any():
            np.testing.assert_array_equal(returns[ended], margins(np.stack(infos["final_obs"][ended])))
            returns[ended] = 0
            episodes += int(ended.sum())
    assert episodes > STEPS // 10
