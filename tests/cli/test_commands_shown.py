"""Every command that the project shows somebody can be given as it is shown."""

from __future__ import annotations

import re
import shlex

import pytest

from hpenv.training.cli.main import COMMANDS, command, parse
from places import ROOT

SHOWN_IN = sorted(
    path
    for pattern in ("*.md", "notebooks/*.md", "hpenv/**/*.py", "agents/**/*.py", "training/**/*.py")
    for path in ROOT.glob(pattern)
)
COMMAND = re.compile(  # at the start of a line, in backticks, after a pipe or a path; not in prose
    rf"(?:^ *|[`|/] *)hpenv ((?:{'|'.join(COMMANDS)})(?: [^`|#\n]*)?)(?:[`|#\n]|$)", re.MULTILINE
)
PLACEHOLDERS = {"{folder}": "runs/demo", "FILE": "deals.jsonl", "RUN": "runs/mine"}


def shown() -> list[tuple[str, str]]:
    """The file and the words of each command with options, in a listing, in backticks or an example."""
    found = []
    for path in SHOWN_IN:
        text = re.sub(r"\\\n\s*", "", path.read_text(encoding="utf-8"))  # one line of those that go on
        text = re.sub(r"`[^`\n]*\n?[^`\n]*`", lambda quoted: quoted[0].replace("\n", " "), text)
        for words in COMMAND.findall(text):
            if "--help" not in words and (" -" in words or (" " in words and path.suffix == ".md")):
                found.append((path.name, words.strip().rstrip('")')))
    return found


def test_there_are_commands_to_look_at() -> None:
    names = {words.split()[0] for _, words in shown()}
    assert {"evaluate", "play", "train", "solve", "leads", "speed"} <= names
    assert ("demo.py", "play --opponents learned:{folder}") in shown()


@pytest.mark.parametrize(("file", "words"), shown())
def test_it_can_be_given_as_it_is_shown(file: str, words: str) -> None:
    for placeholder, value in PLACEHOLDERS.items():
        words = words.replace(placeholder, value)
    name, *rest = shlex.split(words)
    assert parse(command(name).Options, f"hpenv {name}", rest) is not None, file
