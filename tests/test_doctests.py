"""The examples in the docstrings of hpenv run as they stand."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

from places import ROOT

WITH_EXAMPLES = [
    path.stem for path in sorted((ROOT / "hpenv").glob("*.py")) if ">>> " in path.read_text("utf-8")
]


def test_there_are_examples() -> None:
    assert {"__init__", "actions", "cards", "notation", "rules", "table"} <= set(WITH_EXAMPLES)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_run(name: str) -> None:
    module = import_module("hpenv" if name == "__init__" else f"hpenv.{name}")
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0
