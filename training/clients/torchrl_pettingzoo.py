"""Policy gradient with TorchRL, one policy for the seats of PettingZoo (`pip install torchrl`)."""

import torch
from tensordict import nn as td
from torch import nn
from torchrl.envs import PettingZooWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor

from hpenv import hasenpfeffer_v0
from hpenv.actions import N_ACTIONS
from hpenv.observation import OBSERVATION_SIZE


def train(updates: int = 10, steps: int = 60) -> float:
    """Returns the entropy of the last rollout's decisions."""
    game = hasenpfeffer_v0.env(episode="deal", dtype="float32")
    seats = {"seats": game.possible_agents}
    env = PettingZooWrapper(game, use_mask=True, group_map=seats, categorical_actions=True)
    net = nn.Sequential(nn.Linear(OBSERVATION_SIZE, 64), nn.Tanh(), nn.Linear(64, N_ACTIONS))
    logits = td.TensorDictModule(net, [("seats", "observation", "observation")], [("seats", "logits")])
    keys = {"logits": ("seats", "logits"), "mask": ("seats", "action_mask")}
    policy = ProbabilisticActor(
        logits, keys, [("seats", "action")], distribution_class=MaskedCategorical
    )
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(updates):
        data = env.rollout(steps, policy, break_when_any_done=False)
        points = data["next", "seats", "reward"].squeeze(-1)
        to_act = data["seats", "mask"]
        to_come = points.flip(0).cumsum(0).flip(0)[to_act]
        decisions = data["seats"][to_act]
        chosen = MaskedCategorical(decisions["logits"], mask=decisions["action_mask"])
        optimizer.zero_grad()
        (-(to_come * chosen.log_prob(decisions["action"]))).mean().backward()
        optimizer.step()
    return float(chosen.entropy().detach().mean())


if __name__ == "__main__":
    print(f"{train():.3f} nats of entropy per decision")
