"""What an agent thinks of a view: how likely it does each action and, if it can tell, what each is
worth. For hints, pictures and notebooks."""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from hpenv.actions import N_ACTIONS
from hpenv.agents.agent import Agent, streams_for, whole_numbers
from hpenv.view import VIEW, View

TRIES = 64


@dataclass(frozen=True)
class Opinion:
    """An agent's opinion of one view of a seat to act.

    action: what it does. probabilities: shape (39,), how likely it does each action, 0 for an illegal
    one. points: shape (39,), what it expects of each action, its side's points of the deal minus the
    other side's, nan where it does not say. spread: shape (39,), their standard deviation from world to
    world, nan likewise. worlds: how many it looked at, 0 if it does not look at worlds.
    """

    action: int
    probabilities: Any
    points: Any
    spread: Any
    worlds: int = 0


def opinion_of(agent: Agent, view: View, seed: int = 1) -> Opinion:
    """The agent's own opinion if it has a method `opinion(view, stream)`; else how often it does what,
    asked 64 times with different chance. The same for the same seed.

    Raises ValueError if the seat is not to act.
    """
    if not view.legal:
        raise ValueError("opinion: the seat of this view is not to act")
    if hasattr(agent, "opinion"):
        return cast(Opinion, agent.opinion(view, streams_for(seed, 1)[0, 0]))
    views = np.zeros(TRIES, VIEW)
    views[:] = view
    actions = whole_numbers(agent, views, streams_for(seed, TRIES)[:, 0].copy())
    often = np.bincount(actions, minlength=N_ACTIONS) / TRIES
    unknown = np.full(N_ACTIONS, np.nan)
    return Opinion(int(often.argmax()), often, unknown, unknown)
