"""Behavioural cloning with PyTorch: a network learns to do as `rule_based` does, from a folder that
`hpenv record rule_based --out FOLDER` made (`pip install 'hpenv[train]'`)."""

import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from hpenv.actions import N_ACTIONS
from hpenv.observation import OBSERVATION_SIZE
from hpenv.training.trajectories.torch_dataset import Decisions


def train(folder: Path | str, epochs: int = 2) -> tuple[float, float]:
    """Returns how often the network and a uniform choice do as the agent did where more than one action
    was legal, in deals that were held out."""
    learned, held_out = Decisions(folder).split(0.9)
    net = nn.Sequential(nn.Linear(OBSERVATION_SIZE, 256), nn.ReLU(), nn.Linear(256, N_ACTIONS))
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    for _ in range(epochs):
        for batch in learned.batches(512, shuffle=True):
            logits = net(batch["observation"].float()).where(batch["action_mask"], -torch.inf)
            optimizer.zero_grad()
            loss = cross_entropy(logits, batch["action"])
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
    test = held_out[:]
    choices = test["action_mask"].sum(1)
    with torch.no_grad():
        logits = net(test["observation"].float()).where(test["action_mask"], -torch.inf)
    agrees = logits.argmax(1) == test["action"]
    return agrees[choices > 1].float().mean().item(), (1 / choices[choices > 1]).mean().item()


if __name__ == "__main__":
    cloned, uniform = train(sys.argv[1])
    print(f"as the agent did: {cloned:.1%} of decisions, a uniform choice {uniform:.1%}")
