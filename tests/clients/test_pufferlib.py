"""PufferLib's emulation: an illegal action would end a game with a return that is not 0."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
import pufferlib.vector

from hpenv.training.clients import pufferlib_vector
from hpenv.training.clients.table import releases
from masked_play import STEPS, assert_is_return, choose


def test_these_are_the_releases_of_the_table() -> None:
    assert {name: version(name).split("+")[0] for name in releases("pufferlib")} == releases(
        "pufferlib"
    )


def test_it_runs() -> None:
    assert pufferlib_vector.play() == 0


def test_random_play() -> None:
    """100,000 actions: none is illegal, and every seat's return is what the table says."""
    envs = pufferlib.vector.make(pufferlib_vector.make, num_envs=4, backend=pufferlib.vector.Serial)
    layout, rng, returns = envs.driver_env.obs_dtype, np.random.default_rng(1), np.zeros((4, 4))
    deals = 0
    tables = [each.env.unwrapped._game.table for each in envs.envs]
    seen, _ = envs.reset(seed=1)
    for _ in range(STEPS // 4):
        masks = seen.view(layout)["action_mask"].reshape(len(seen), -1)
        seen, rewards, over, _, _ = envs.step(choose(masks, rng))
        returns += rewards.reshape(4, 4)
        for i in np.flatnonzero(over.reshape(4, 4).all(axis=1)):
            assert_is_return(returns[i], tables[i])
            returns[i], deals = 0, deals + 1
    assert deals > STEPS // 100
