"""The command `hpenv`: its sub-commands, and every error as one sentence.

Each sub-command is a file of this folder with a dataclass `Options`, of which tyro makes the flags and
the help, and a function `run(options)`, which may return an exit status. It is imported when it is
called, so that `hpenv --help` is quick. Wrong input is a ValueError with a sentence anywhere in this
project; it ends here, on stderr, with exit status 2.
"""

import io
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr
from dataclasses import fields
from difflib import get_close_matches
from importlib import import_module
from types import ModuleType
from typing import Any

import hpenv
from hpenv.extras import how_to_install

# Torch's threads would else spin for milliseconds while they wait for each other, which makes two of
# them many times slower than one where other work runs beside them. Set before torch is imported.
os.environ.setdefault("GOMP_SPINCOUNT", "2000")

COMMANDS = {
    "demo": "train for a few minutes, and what came of it",
    "train": "train a policy by self-play",
    "resume": "go on with a training run",
    "curves": "how training runs came on, side by side",
    "evaluate": "which agent is better: duplicate deals",
    "duel": "in which part of the game an agent is better",
    "tournament": "all against all, with ratings and a report",
    "crossplay": "what agents lose as partners of each other",
    "exploit": "train against one agent: how much it loses at least",
    "calibrate": "how far an agent's estimates can be believed",
    "regret": "what an agent's choices lose, by part of the game",
    "record": "decisions of agents as a dataset, to imitate them",
    "play": "play against agents, at the terminal or in the browser",
    "replay": "check and show recorded deals",
    "solve": "exact tricks and points with all hands open",
    "exact": "small games: equilibrium, and best responses to any agent",
    "leads": "what opening leads lose, by worlds searched",
    "speed": "decisions per second on this machine",
}
USAGE = f"""\
usage: hpenv COMMAND [OPTIONS]

The card game Hasenpfeffer for AI research: train agents, measure them, play them.

commands:
{"".join(f"  {name:<11}{summary}{chr(10)}" for name, summary in COMMANDS.items())}\
  --version show the version

examples:
  hpenv evaluate rule_based uniform
  hpenv evaluate learned rule_based --rules standard set_bid --deals 20000
  hpenv train --rules standard set_bid --total-timesteps 50e6
  hpenv play --seat S
  hpenv replay deals.jsonl
  hpenv solve deals.jsonl --all

Each command explains itself: hpenv evaluate --help. With HPENV_TRACEBACK=1 in the environment errors
show where in the code they arose."""

WRONG_INPUT = 2


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    words = list(sys.argv[1:] if words is None else words)
    try:
        return run(words)
    except (ValueError, OSError, ModuleNotFoundError) as error:
        if os.environ.get("HPENV_TRACEBACK"):
            raise
        if isinstance(error, BrokenPipeError):  # `hpenv replay FILE | head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        print(f"hpenv: {in_a_sentence(error)}", file=sys.stderr)
        return WRONG_INPUT
    except KeyboardInterrupt:
        print("hpenv: stopped", file=sys.stderr)
        return 130


def run(words: list[str]) -> int:
    """Find the command and call it with its options."""
    name, rest = (words[0], words[1:]) if words else ("--help", [])
    if name in ("-h", "--help", "help"):
        print(USAGE)
        return 0
    if name == "--version":
        print(f"hpenv {hpenv.__version__}")
        return 0
    if "" not in sys.path:
        sys.path.append("")  # an agent of one's own, mymodule:Lowest, may lie in the current folder
    module = command(name)
    options = parse(module.Options, f"hpenv {name}", rest)
    return 0 if options is None else module.run(options) or 0


def command(name: str) -> ModuleType:
    """The module of a sub-command. Raises ValueError for a name that is none."""
    if name not in COMMANDS:
        raise ValueError(f"no command {name!r} ({nearest(name, list(COMMANDS))})")
    return import_module(f"hpenv.training.cli.{name}")


def parse(options: type[Any], prog: str, words: Sequence[str]) -> Any:
    """The options as words give them; None if they asked for help, which has been shown."""
    import tyro  # noqa: PLC0415

    said = io.StringIO()
    try:
        with redirect_stderr(said):
            found, unknown = tyro.cli(
                options,
                prog=prog,
                args=words,
                config=(tyro.conf.DisallowNone, tyro.conf.FlagCreatePairsOff),
                return_unknown_args=True,
            )
    except SystemExit as end:
        if end.code:
            check_flags(words, options, prog)
            raise ValueError(f"{unboxed(said.getvalue())} (see {prog} --help)") from None
        return None
    if unknown:
        flags = [f"--{field.name.replace('_', '-')}" for field in fields(options)]
        raise ValueError(f"no option {unknown[0]!r} ({nearest(unknown[0], flags)}; see {prog} --help)")
    return found


def check_flags(words: Sequence[str], options: type[Any], prog: str) -> None:
    """Raise ValueError for a misspelt option, which may be why another is missing."""
    flags = [f"--{field.name.replace('_', '-')}" for field in fields(options)]
    for word in words:
        flag = word.partition("=")[0]
        if flag.startswith("--") and flag not in flags and get_close_matches(flag, flags, 1):
            raise ValueError(f"no option {word!r} ({nearest(word, flags)}; see {prog} --help)")


def nearest(word: str, known: list[str]) -> str:
    """What may have been meant by a word that is none of those known."""
    near = get_close_matches(word.partition("=")[0], known, 1)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"


def unboxed(text: str) -> str:
    """The first paragraph in a box drawn with lines, as one sentence. Tyro tells errors in no other
    way than printed so."""
    rows: list[str] = []
    for line in text.splitlines():
        row = line.strip(" │╭╮╰╯")
        if row and not row.strip("─"):
            break
        if not line.startswith("╭"):
            rows.append(row)
    sentence = " ".join(rows).replace("'None', ", "").replace(", 'None'", "")
    return sentence or "the options are wrong"


def in_a_sentence(error: Exception) -> str:
    """An error in one line; for a file, its name and what is wrong with it."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {(error.strerror or str(error)).lower()}"
    if isinstance(error, ModuleNotFoundError):
        return str(error) if "pip install" in str(error) else f"this needs {how_to_install(error.name)}"
    return " ".join(str(error).split())


if __name__ == "__main__":
    sys.exit(main())
