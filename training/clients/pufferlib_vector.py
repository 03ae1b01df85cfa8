"""Emulation and vectors of PufferLib over the parallel form, masks taken from the flat observation
(`pip install --no-deps pufferlib==2.0.2` and `pip install gym`)."""

import numpy as np
import pufferlib.emulation
import pufferlib.vector

from hpenv.hasenpfeffer_parallel_v0 import parallel_env


def make(**more: object) -> pufferlib.emulation.PettingZooPufferEnv:
    """One game for PufferLib."""
    return pufferlib.emulation.PettingZooPufferEnv(
        env_creator=parallel_env, env_kwargs={"episode": "deal"}, **more
    )


def play(games: int = 4, steps: int = 200) -> float:
    """Legal actions at random in every seat of several games; returns the sum of all rewards, 0."""
    envs = pufferlib.vector.make(make, num_envs=games, backend=pufferlib.vector.Serial)
    layout = envs.driver_env.obs_dtype
    seen, _ = envs.reset(seed=1)
    rng, total = np.random.default_rng(1), 0.0
    for _ in range(steps):
        masks = seen.view(layout)["action_mask"].reshape(len(seen), -1)
        seen, rewards, _, _, _ = envs.step((masks * rng.random(masks.shape)).argmax(axis=1))
        total += float(rewards.sum())
    return total


if __name__ == "__main__":
    print(play())
