"""MaskablePPO of sb3-contrib at one table and at many (`pip install sb3-contrib`)."""

import time
from typing import Any

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks

from hpenv.clients.sb3 import TablesVecEnv

OPTIONS: Any = {"opponents": "uniform", "partner": "uniform", "episode": "deal", "dtype": "float32"}


def train_at_one(timesteps: int = 512) -> MaskablePPO:
    """One table, as `gymnasium.make` gives it."""
    env = gymnasium.make("hpenv:Hasenpfeffer-v0", **OPTIONS)
    return MaskablePPO("MlpPolicy", env, n_steps=128, seed=1).learn(timesteps)


def train_at_many(timesteps: int = 200_000, tables: int = 512) -> tuple[MaskablePPO, TablesVecEnv]:
    """Many tables stepped together."""
    envs = TablesVecEnv(tables, **OPTIONS)
    model = MaskablePPO("MlpPolicy", envs, n_steps=32, batch_size=4096, n_epochs=4, seed=1)
    return model.learn(timesteps), envs


if __name__ == "__main__":
    train_at_one()
    began, timesteps = time.time(), 200_000
    model, envs = train_at_many(timesteps)
    print(f"{timesteps / (time.time() - began):,.0f} steps per second, learning included")
    seen, points = envs.reset(), []
    for _ in range(50):
        actions, _ = model.predict(seen, action_masks=get_action_masks(envs))
        seen, _, _, infos = envs.step(actions)
        points += [info["episode"]["r"] for info in infos if info]
    print(f"{np.mean(points):+.2f} points per deal against uniform, n = {len(points):,}")
