"""The examples in the docstrings of agents run as they stand."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize("name", ["agent", "opinion"])
def test_examples_run(name: str) -> None:
    found = doctest.testmod(import_module(f"hpenv.agents.{name}"))
    assert found.attempted > 1
    assert found.failed == 0
