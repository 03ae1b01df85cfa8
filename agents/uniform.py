"""`uniform`: any legal action, all equally likely."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpenv.actions import N_ACTIONS
from hpenv.agents.agent import Actions, Streams, Views, check_asked
from hpenv.agents.options import read_options
from hpenv.compiled import kernel
from hpenv.rulebook import random_member


class Uniform:
    """Chooses uniformly among the legal actions."""

    sample = True  # it draws its actions, by these probabilities:

    def __init__(self, name: str = "uniform") -> None:
        self.name = name

    def probabilities(self, views: Views) -> NDArray[np.float64]:
        legal = (views["legal"][:, None] >> np.arange(N_ACTIONS)) & 1
        likely: NDArray[np.float64] = legal / legal.sum(1, keepdims=True)
        return likely

    def act(self, views: Views, streams: Streams) -> Actions:
        check_asked(self, views, streams)
        actions = np.zeros(len(views), np.int64)
        act_uniformly(views, streams, actions)
        return actions


@kernel
def act_uniformly(views: Any, streams: Any, actions: Any) -> None:
    """Write a random legal action for each view."""
    for i in range(len(views)):
        actions[i], streams[i] = random_member(views[i].legal, streams[i])


def make(spec: str, options: dict[str, str]) -> Uniform:
    read_options(spec, options, {})
    return Uniform(spec)
