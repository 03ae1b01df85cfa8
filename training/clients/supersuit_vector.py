"""Wrappers of SuperSuit: many games of the parallel form as one vector env, and observations stacked
(`pip install supersuit`)."""

import warnings

import numpy as np
import supersuit

from hpenv import hasenpfeffer_parallel_v0, hasenpfeffer_v0
from hpenv.observation import OBSERVATION_SIZE


def play_many(games: int = 4, steps: int = 200) -> float:
    """Legal actions at random in every seat of several games; returns the sum of all rewards, 0."""
    one = supersuit.pettingzoo_env_to_vec_env_v1(hasenpfeffer_parallel_v0.parallel_env(episode="deal"))
    envs = supersuit.concat_vec_envs_v1(one, games, base_class="gymnasium")
    seen, _ = envs.reset(seed=1)
    rng, total = np.random.default_rng(1), 0.0
    for _ in range(steps):
        masks = seen["action_mask"]
        seen, rewards, _, _, _ = envs.step((masks * rng.random(masks.shape)).argmax(axis=1))
        total += float(rewards.sum())
    return total


def stack(frames: int = 3) -> tuple[int, ...]:
    """The last observations of a seat side by side; returns the shape."""
    env = supersuit.frame_stack_v1(hasenpfeffer_v0.env(mask_in="info", dtype="float32"), frames)
    env.reset(seed=1)
    observation, _, _, _, _ = env.last()
    assert observation.shape == (OBSERVATION_SIZE * frames,)
    return tuple(observation.shape)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(play_many(), stack())
