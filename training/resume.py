"""Going on with a training run that was stopped, or that is to be prolonged."""

import dataclasses
import json
from pathlib import Path
from typing import Any

from hpenv.training import distributed
from hpenv.training.checkpoint import read_checkpoint
from hpenv.training.devices import device_called
from hpenv.training.options import Args, annealed, as_plain, check, from_plain
from hpenv.training.ppo import Learner, improve
from hpenv.training.reporting import say
from hpenv.training.run_folder import CHECKPOINT, write_options
from hpenv.training.self_play import new_self_play
from hpenv.training.stopping import StopRequest


def resume(folder: Path, total_timesteps: int | None = None) -> Learner:
    """Go on with a run from its checkpoint, to the same curves as if it had never stopped, in as many
    processes as it had.

    total_timesteps: the length of the whole run, if it is to be another than the run was begun with;
    learning rate and entropy coefficient are then annealed over the new length. Raises ValueError for a
    run that is finished, for one of another number of processes than torchrun has started, and for a
    checkpoint that is damaged.
    """
    state = read_checkpoint(folder)
    try:
        saved = from_plain(json.loads(state["options"]))
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"{folder / CHECKPOINT}: {error}") from error
    length = saved.total_timesteps if total_timesteps is None else total_timesteps
    args = dataclasses.replace(saved, run_dir=folder, total_timesteps=length)
    check(args)
    done = state["timesteps"]
    if done >= length and not state["evaluation_due"]:
        raise ValueError(
            f"{folder}: the run is finished: {done:,} of {length:,} timesteps are done; give a larger "
            "total_timesteps to prolong it"
        )
    news = new_length(saved, args, done) if length != saved.total_timesteps else ""
    return distributed.in_processes(len(state["self_play"]), _resume, args, state, news)


def _resume(args: Args, state: dict[str, Any], news: str) -> Learner:
    """The rest of a run from its checkpoint, in one process of those that train together."""
    folder, processes = args.run_dir, len(state["self_play"])
    assert folder is not None
    with StopRequest() as stop, distributed.processes():
        if processes != distributed.world_size():
            raise ValueError(
                f"{folder}: the run was saved by {processes} processes together and is resumed by "
                f"{distributed.world_size()}: start as many as it had"
            )
        learner, self_play = Learner(args, device_called(args.device)), new_self_play(args)
        try:
            learner.restore(state)
            self_play.restore(state["self_play"][distributed.rank()])
        except (KeyError, RuntimeError, ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"{folder / CHECKPOINT}: does not fit this run: {error}") from error
        if distributed.rank() == 0:
            write_options(folder, as_plain(args))
            if news:
                say(news)
        return improve(learner, self_play, stop)


def new_length(before: Args, now: Args, done: int) -> str:
    """How the schedules change when a run gets another length, `done` timesteps of it being over."""

    def both(first: str, last: str) -> str:
        old, new = (
            annealed(getattr(args, first), getattr(args, last), done / args.total_timesteps)
            for args in (before, now)
        )
        return f"{first} goes on from {new:.3g} instead of {old:.3g}"

    return (
        f"the run's length is now {now.total_timesteps:,} timesteps instead of "
        f"{before.total_timesteps:,}, and {done:,} are done: "
        f"{both('learning_rate', 'final_learning_rate')}, {both('ent_coef', 'final_ent_coef')}"
    )
