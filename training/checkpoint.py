"""Checkpoints: everything a killed run needs to go on to the same learning curve.

A checkpoint is a plain dictionary of tensors, numbers, strings and lists, loaded with
`weights_only=True`, so that nothing in it can run. Each process that trains keeps its own file.
"""

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from hpenv.files import write_whole
from hpenv.training.self_play import SelfPlay

if TYPE_CHECKING:
    from hpenv.training.ppo import Learner

FORMAT = 1


def checkpoint_path(run: Path, rank: int) -> Path:
    """`checkpoint.pt`, or `checkpoint-1.pt` and so on for further processes."""
    return run / ("checkpoint.pt" if rank == 0 else f"checkpoint-{rank}.pt")


def save_checkpoint(learner: "Learner", self_play: SelfPlay, rank: int) -> None:
    """Write this process's checkpoint in one step or not at all."""
    state = {
        "format": FORMAT,
        "options": json.dumps(learner.options()),
        "policy": learner.policy.state_dict(),
        "critic": learner.critic.state_dict(),
        "optimiser": learner.optimiser.state_dict(),
        "past": learner.past,
        "updates": learner.updates,
        "decisions": learner.decisions,
        "tables": self_play.state(),
    }
    buffer = io.BytesIO()
    torch.save(state, buffer)
    learner.args.run.mkdir(parents=True, exist_ok=True)
    write_whole(checkpoint_path(learner.args.run, rank), buffer.getvalue())


def load_checkpoint(learner: "Learner", self_play: SelfPlay, rank: int) -> None:
    """Put a run's checkpoint into a learner and its tables."""
    path = checkpoint_path(learner.args.run, rank)
    state = read_checkpoint(path)
    try:
        learner.policy.load_state_dict(state["policy"])
        learner.critic.load_state_dict(state["critic"])
        learner.optimiser.load_state_dict(state["optimiser"])
        learner.past = state["past"]
        learner.updates, learner.decisions = state["updates"], state["decisions"]
        self_play.restore(state["tables"])
    except (KeyError, RuntimeError, ValueError) as error:
        raise ValueError(f"{path}: does not fit this run: {error}") from error


def load_networks(learner: "Learner", run: Path) -> None:
    """Put the policy and critic of another run into a learner."""
    path = checkpoint_path(run, 0)
    state = read_checkpoint(path)
    try:
        learner.policy.load_state_dict(state["policy"])
        learner.critic.load_state_dict(state["critic"])
    except (KeyError, RuntimeError) as error:
        raise ValueError(f"{path}: its networks are of other sizes than this run's") from error


def read_checkpoint(path: Path) -> dict[str, Any]:
    """The dictionary in a checkpoint. A missing, damaged or foreign file is refused with its name."""
    if not path.exists():
        raise ValueError(f"{path}: there is no checkpoint to resume from")
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        form = state["format"]
    except Exception as error:  # torch raises a dozen kinds of error for a damaged file
        raise ValueError(f"{path}: damaged, not a checkpoint") from error
    if form != FORMAT:
        raise ValueError(f"{path}: made by another version (format {form}, this one reads {FORMAT})")
    return state


def saved_options(run: Path) -> dict[str, Any]:
    """The options a run was started with."""
    options: dict[str, Any] = json.loads(read_checkpoint(checkpoint_path(run, 0))["options"])
    return options
