"""DQN of AgileRL at many tables (`pip install agilerl peft`)."""

from typing import Any

import gymnasium
import numpy as np
import torch
from agilerl.algorithms.dqn import DQN
from agilerl.components.replay_buffer import ReplayBuffer
from tensordict import TensorDict

OPTIONS: Any = {"opponents": "uniform", "partner": "uniform", "episode": "deal", "dtype": "float32"}


def train(steps: int = 200, tables: int = 16) -> float:
    """Returns the last loss."""
    envs = gymnasium.make_vec("hpenv:Hasenpfeffer-v0", num_envs=tables, **OPTIONS)
    agent = DQN(envs.single_observation_space, envs.single_action_space, gamma=1.0, lr=1e-3)
    memory, loss = ReplayBuffer(10_000), float("nan")
    seen, infos = envs.reset(seed=1)
    for step in range(steps):
        actions = agent.get_action(seen, epsilon=0.2, action_mask=infos["action_mask"])
        after, rewards, terminated, truncated, infos = envs.step(actions)
        ended, last = terminated | truncated, after.copy()
        if ended.any():
            last[ended] = np.stack(infos["final_obs"][ended])
        row = {"obs": seen, "action": actions, "reward": rewards, "next_obs": last, "done": ended}
        tensors = {name: torch.as_tensor(column).float() for name, column in row.items()}
        memory.add(TensorDict(tensors, batch_size=[tables]))
        seen = after
        if step > 8:
            loss = agent.learn(memory.sample(64))
    return float(loss)


if __name__ == "__main__":
    print(f"loss {train():.3f}")
