"""A person at the terminal, as far as tests need one."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from typing import Any

import pytest

from hpenv.agents.human.game import Game
from hpenv.agents.human.messages import (
    choices,
)
from hpenv.agents.human.terminal import Human

LONE_MARCH = (
    "bid 4, pass, pass, pass, trump H, TS, alone, with partner, with partner, 9C, JC, AC, Jo, TH, 9D"
)
UNIFORM = ["--partner", "uniform", "--opponents", "uniform"]


class Terminal:
    """A person who answers from `answers`, and everything said to it."""

    def __init__(self, answers: Callable[[str], str] | list[str]) -> None:
        self.answers = answers
        self.said = ""

    def read(self, prompt: str) -> str:
        if callable(self.answers):
            return self.answers(self.said)
        if not self.answers:
            raise EOFError
        return self.answers.pop(0)

    def write(self, text: Any) -> None:
        self.said += f"{text}\n"

    def human(self, game: Game, **more: Any) -> Human:
        return Human(game, self.read, self.write, **more)


def first_offer(said: str) -> str:
    """The number of the first choice, or Enter after a deal."""
    asked = re.findall(
        r"^(?:you may say|you may play|name trump|discard one):  (\d)|^Enter", said, re.M
    )
    return asked[-1]


def first_number(game: Game) -> str:
    return next(iter(choices(game.view)), "")


def typed(answers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(answers))


def shown(said: str) -> set[str]:
    """The cards named."""
    return set(re.findall(r"\b(?:[9TJQKA][CDHS]|Jo)\b", said))
