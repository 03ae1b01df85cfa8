"""`hpenv solve`: what recorded deals and positions are worth with all hands open."""

import json
from dataclasses import dataclass
from typing import Annotated

from rich.console import Console
from tyro.conf import Positional, arg

from hpenv.actions import BID, BIG, parse_action
from hpenv.double_dummy_search import new_memory
from hpenv.notation import Record, positions
from hpenv.rules import Rules
from hpenv.training.cli.records import each_record
from hpenv.training.cli.shown import FLAG, given
from hpenv.training.cli.solved import solved
from hpenv.training.cli.solved_grids import show


@dataclass
class Options:
    """Say what deals are worth with all hands open, exactly.

    In the auction and until the discard: the tricks of every maker with every trump and its best
    discard, with partner and alone, and the points of the bid. From then on: the tricks and points of
    everything the seat may do. A finished deal is gone through choice by choice: what each one lost
    against the best. Tricks are what a side takes when both want tricks; points are a side's points of
    the deal minus the other side's when both want points.

    A file holds one deal a line, as JSON; - reads from stdin. At the first fault the exit status is 1
    and a sentence on stderr names the line, the action and the rule.

    examples:
      hpenv solve deals.jsonl
      hpenv solve deals.jsonl --bid 3
      hpenv solve deals.jsonl --all --json
      tail -1 deals.jsonl | hpenv solve -
    """

    record: Annotated[str, Positional, arg(metavar="FILE|RECORD")]
    """A file of records, one a line, or one record as JSON."""
    bid: Annotated[str | None, given("BID")] = None
    """The bid to tell the contracts' points of, as in --bid 3 or --bid "big pepper"; else the standing
    bid."""
    all: Annotated[bool, arg(aliases=["--every-card"], help_behavior_hint="")] = False
    """All there is about each deal: contracts, what each choice so far lost, the position reached."""
    json: Annotated[bool, FLAG] = False
    """One JSON object a line; what does not apply is null."""


def run(options: Options) -> int:
    """Solve the records and print what comes of it; returns the exit status."""
    console, memory = Console(), new_memory()

    def solve(record: Record, line: int) -> None:
        passed = list(positions(record))
        bid = _bid(options.bid, record.rules, line) or int(passed[-1].bid)
        facts = {"line": line, **solved(record, passed, bid, options.all, memory)}
        if options.json:
            print(json.dumps(facts), flush=True)
        else:
            show(console, facts, passed)

    return each_record(options.record, solve)


def _bid(word: str | None, rules: Rules, line: int) -> int:
    """The level of a bid given as `3`, `bid 3` or `big pepper`; 0 for none."""
    if word is None:
        return 0
    text = f"bid {word}" if word.strip().isdecimal() else word
    try:
        level = parse_action(text, rules.hand_size) - BID
    except ValueError:
        level = 0
    if 0 < level <= rules.hand_size or (level == BIG and rules.bidding == "pepper"):
        return level
    raise ValueError(f"bid: {word!r} is no bid under the rules of line {line} (R5, R7, R20)")
