"""PufferLib's emulation: an illegal action would end a game with a return that is not 0."""

from __future__ import annotations

from importlib.metadata import version

from hpenv.training.clients import pufferlib_vector
from hpenv.training.clients.table import releases


def test_these_are_the_releases_of_the_table() -> None:
    assert {name: version(name).split("+")[0] for name in releases("pufferlib")} == releases(
        "pufferlib"
    )


def test_it_runs() -> None:
    assert pufferlib_vector.play() == 0
