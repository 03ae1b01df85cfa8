"""PPO of TorchRL at many tables against `rule_based` (`pip install torchrl`)."""

import torch
from tensordict import nn as td
from torch import nn
from torchrl.envs import GymWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss

from hpenv.actions import N_ACTIONS
from hpenv.gymnasium_envs import HasenpfefferVectorEnv
from hpenv.observation import OBSERVATION_SIZE


def train(updates: int = 20, tables: int = 64, steps: int = 16) -> float:
    """Returns the mean reward of a decision in the last rollout."""
    envs = HasenpfefferVectorEnv(
        tables, episode="deal", mask_in="obs", dtype="float32", autoreset_mode="disabled"
    )
    env = GymWrapper(envs, categorical_action_encoding=True)
    net = nn.Sequential(nn.Linear(OBSERVATION_SIZE, 64), nn.Tanh(), nn.Linear(64, N_ACTIONS))
    logits = td.TensorDictModule(net, ["observation"], ["logits"])
    legal = td.TensorDictModule(lambda mask: mask.bool(), ["action_mask"], ["mask"])
    masked = {"distribution_class": MaskedCategorical, "return_log_prob": True}
    policy = ProbabilisticActor(td.TensorDictSequential(logits, legal), ["logits", "mask"], **masked)
    loss = ClipPPOLoss(policy, ValueOperator(nn.Linear(OBSERVATION_SIZE, 1), ["observation"]))
    loss.make_value_estimator(gamma=1.0, lmbda=0.95)
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
    for _ in range(updates):
        with torch.no_grad():
            data = env.rollout(steps, policy, break_when_any_done=False)
        losses = loss(data)
        optimizer.zero_grad()
        sum(losses[f"loss_{part}"] for part in ("objective", "critic", "entropy")).backward()
        optimizer.step()
    return float(data["next", "reward"].mean())


if __name__ == "__main__":
    print(f"{train():+.3f} points per decision")
