"""AgileRL's DQN."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np

from hpenv.training.clients import agilerl_dqn
from hpenv.training.clients.table import releases


def test_these_are_the_releases_of_the_table() -> None:
    assert {name: version(name).split("+")[0] for name in releases("agilerl")} == releases("agilerl")


def test_it_runs() -> None:
    assert np.isfinite(agilerl_dqn.train(steps=60))
