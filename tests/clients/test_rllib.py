"""RLlib on a local cluster of two env runners; an illegal action in the raw environment is an error."""

from __future__ import annotations

from importlib.metadata import version

from hpenv.training.clients import rllib_ppo
from hpenv.training.clients.table import releases


def test_these_are_the_releases_of_the_table() -> None:
    assert {name: version(name).split("+")[0] for name in releases("rllib")} == releases("rllib")


def test_it_runs() -> None:
    result = rllib_ppo.train()["env_runners"]
    assert result["num_episodes"] > 0
    assert abs(result["episode_return_mean"]) < 24
