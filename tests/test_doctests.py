"""The examples in docstrings run as they stand."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

from places import ROOT

WITH_EXAMPLES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for folder in ("hpenv", "hpenv/agents", "hpenv/training")
    for path in sorted((ROOT / folder).glob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


def test_there_are_examples() -> None:
    taught = {"hpenv", "hpenv.actions", "hpenv.notation", "hpenv.table", "hpenv.agents.opinion"}
    assert taught <= set(WITH_EXAMPLES)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_run(name: str) -> None:
    found = doctest.testmod(import_module(name))
    assert found.attempted > 0
    assert found.failed == 0
