"""The command `hpenv`: what it can be told, and its errors as one sentence.

Each command is a dataclass of options (tyro makes the flags and the help of it) and a function; both
are imported when the command is called, so that `hpenv --help` is quick. Wrong input is a ValueError
with a sentence anywhere in this project; it ends here, on stderr, with exit status 2.
"""

import io
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NamedTuple

import hpenv

# Torch's threads would else spin for milliseconds while they wait for each other, which makes two of
# them many times slower than one where other work runs beside them. Set before torch is imported.
os.environ.setdefault("GOMP_SPINCOUNT", "2000")


class Command(NamedTuple):
    """Where a command lives and what it is for, in a line."""

    summary: str
    module: str
    options: str
    function: str


COMMANDS = {
    "demo": Command(
        "train for a few minutes and see it win", "hpenv.training.demo", "DemoArgs", "demo"
    ),
    "train": Command("train a policy by self-play", "hpenv.training.ppo", "Args", "train"),
    "evaluate": Command(
        "which agent is better: duplicate deals", "hpenv.training.cli.commands", "Evaluate", "evaluate"
    ),
    "play": Command("play against agents at the terminal", "hpenv.training.cli.play", "Play", "play"),
    "replay": Command(
        "check and show recorded deals", "hpenv.training.cli.commands", "Replay", "replay"
    ),
    "solve": Command(
        "exact tricks and points with all hands open", "hpenv.training.cli.solve", "Solve", "solve"
    ),
    "leads": Command(
        "what opening leads lose, by worlds searched",
        "hpenv.training.benchmark.leads",
        "Leads",
        "leads",
    ),
    "speed": Command(
        "decisions per second on this machine", "hpenv.training.cli.commands", "Speed", "speed"
    ),
}
EXAMPLES = """\
examples:
  hpenv evaluate rule_based uniform
  hpenv evaluate learned rule_based --rules standard set_bid --deals 20000
  hpenv train --run runs/mine --decisions 50000000
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
    except (ValueError, OSError) as error:
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
    name, rest = (words[0], words[1:]) if words else ("", [])
    if name in ("-h", "--help", "help"):
        print(usage())
        return 0
    if name == "--version":
        print(f"hpenv {hpenv.__version__}")
        return 0
    if name not in COMMANDS:
        near = get_close_matches(name, COMMANDS, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(COMMANDS)}"
        raise ValueError(f"no command {name!r} ({hint})" if name else f"give a command: {hint}")
    if "" not in sys.path:
        sys.path.append("")  # an agent of one's own, mymodule:Lowest, may lie in the current folder
    command = COMMANDS[name]
    module = import_module(command.module)
    options = parse(getattr(module, command.options), f"hpenv {name}", rest)
    if options is None:
        return 0
    status = getattr(module, command.function)(options)
    return status if isinstance(status, int) else 0


def usage() -> str:
    """What `hpenv --help` says."""
    lines = [f"  {name:<10}{command.summary}" for name, command in COMMANDS.items()]
    return "\n".join(
        [
            "usage: hpenv COMMAND [OPTIONS]",
            "",
            "The card game Hasenpfeffer for AI research: train agents, measure them, play them.",
            "",
            "commands:",
            *lines,
            "  --version show the version",
            "",
            EXAMPLES,
        ]
    )


def parse(options: type[Any], prog: str, words: list[str]) -> Any:
    """The options as words give them; None if they asked for help, which has been shown."""
    import tyro  # noqa: PLC0415

    said = io.StringIO()
    try:
        with redirect_stderr(said):
            return tyro.cli(options, prog=prog, args=words)
    except SystemExit as end:
        if end.code:
            raise ValueError(f"{unboxed(said.getvalue())} (see {prog} --help)") from None
        return None


def unboxed(text: str) -> str:
    """The first paragraph in a box drawn with lines, as one sentence."""
    rows: list[str] = []
    for line in text.splitlines():
        row = line.strip(" │╭╮╰╯")
        if row and not row.strip("─"):
            break
        if not line.startswith("╭"):
            rows.append(row)
    return " ".join(rows) or "the options are wrong"


def in_a_sentence(error: Exception) -> str:
    """An error in one line; for a file, its name and what is wrong with it."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {(error.strerror or str(error)).lower()}"
    return " ".join(str(error).split())


if __name__ == "__main__":
    sys.exit(main())
