"""The parallel form of the PettingZoo environment: the same game, an action from all each time."""

from __future__ import annotations

import pickle
import random
import warnings
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from hpenv.actions import ALONE, PASS
from hpenv.hasenpfeffer_parallel_v0 import parallel_env
from hpenv.hasenpfeffer_v0 import AGENTS, raw_env
from hpenv.rules import PRESETS

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import parallel_api_test


@pytest.mark.parametrize("options", [{}, {"mask_in": "info", "rules": "mini2"}])
def test_pettingzoos_own_test(options: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(parallel_env(episode="deal", **options), num_cycles=100)


@pytest.mark.parametrize("preset", PRESETS)
def test_it_is_the_same_game(preset: str) -> None:
    """Action for action beside the environment in turns; what idle agents say changes nothing."""
    env, other, rng = parallel_env(preset), raw_env(preset), random.Random(1)
    seen, _ = env.reset(seed=1)
    other.reset(seed=1)
    for _ in range(150):
        agent = other.agent_selection
        for each in AGENTS:
            expected = other.observe(each)
            np.testing.assert_array_equal(seen[each]["observation"], expected["observation"])
            if each == agent:
                np.testing.assert_array_equal(seen[each]["action_mask"], expected["action_mask"])
            else:
                assert np.flatnonzero(seen[each]["action_mask"]).tolist() == [PASS]
        action = rng.choice(np.flatnonzero(seen[agent]["action_mask"]).tolist())
        other.step(action)
        said = dict.fromkeys(AGENTS, ALONE) | {agent: action}
        seen, rewards, terminations, truncations, _ = env.step(said)
        assert rewards == other.rewards
        assert (terminations, truncations) == (other.terminations, other.truncations)
        if not env.agents:
            assert all(seen[each]["action_mask"].sum() == 1 for each in AGENTS)
            seen, _ = env.reset()
            other.reset()


def test_an_illegal_action_ends_the_episode_for_all() -> None:
    env = parallel_env(illegal_reward=-7, dealer="West")
    env.reset(seed=1)
    _, rewards, terminations, truncations, _ = env.step(dict.fromkeys(AGENTS, ALONE))
    assert rewards == {"player_0": -7, "player_1": 0, "player_2": 0, "player_3": 0}
    assert all(terminations.values())
    assert not any(truncations.values())
    assert env.agents == []
    with pytest.raises(ResetNeeded, match="no agent is left"):
        env.step({})


def test_copies_and_names() -> None:
    env = pickle.loads(pickle.dumps(parallel_env("mini3", illegal_reward=-2)))
    assert str(env) == "hasenpfeffer_v0"
    seen, infos = env.reset(seed=1)
    assert seen["player_0"] in env.observation_space("player_0")
    assert infos == {agent: {} for agent in AGENTS}
    assert env.state() in env.state_space
