"""Training runs of a second or two, and what they leave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from hpenv.training.options import Args
from hpenv.training.ppo import Learner, train

WALL_CLOCK = ("charts/SPS", "charts/torch_share")  # curves that no two runs share


def small(run_dir: Path | None, **changes: Any) -> Args:
    """The options of a small run: by default 16 updates, of 3 to 4 hundred timesteps each."""
    options: dict[str, Any] = {
        "run_dir": run_dir,
        "rules": ("mini2", "standard"),
        "total_timesteps": 6_000,
        "num_envs": 16,
        "num_steps": 16,
        "minibatch_size": 64,
        "hidden_sizes": (16, 16),
        "critic_hidden_sizes": (16, 16),
        "eval_interval": 3_000,
        "eval_deals": 60,
        "save_interval": 2_000,
        "precision": "float32",
        "num_threads": 1,
    }
    return Args(**(options | changes))


def finished_run(run_dir: Path, **changes: Any) -> Path:
    """The folder of a run of one update."""
    train(small(run_dir, **({"rules": ("mini2",), "total_timesteps": 1} | changes)))
    return run_dir


def curves(run_dir: Path) -> dict[str, list[tuple[int, float]]]:
    """What TensorBoard would show: (timesteps, value) of each curve but those of the wall clock. Two
    event files of one second and one process may be read in either order."""
    events = EventAccumulator(str(run_dir), size_guidance={"scalars": 0}).Reload()
    return {
        tag: sorted((point.step, point.value) for point in events.Scalars(tag))
        for tag in events.Tags()["scalars"]
        if tag not in WALL_CLOCK
    }


def assert_same_policy(one: Learner, other: Learner) -> None:
    """Bit for bit."""
    for name, tensor in one.policy.state_dict().items():
        assert torch.equal(tensor, other.policy.state_dict()[name]), name


def finite(learner: Learner) -> bool:
    """Whether all weights of a policy are finite numbers."""
    return all(np.isfinite(p.detach().numpy()).all() for p in learner.policy.parameters())
