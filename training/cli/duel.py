"""`hpenv duel`: in which part of the game one agent is better than another."""

import json
from dataclasses import dataclass
from typing import Annotated, Any

from rich.console import Console
from tyro.conf import Positional, arg

from hpenv.training.cli.progress import Progress
from hpenv.training.cli.rules_option import several_rules
from hpenv.training.cli.shown import FLAG


@dataclass
class Options:
    """Take a match apart: the auction, trump and discard, leading and following, each with a 95 %
    interval.

    Each row is B with that part of its game played by A, against B, on the same duplicate deals. The
    last row is what the single parts leave over of the whole.

    examples:
      hpenv duel learned rule_based --rules standard set_bid
      hpenv duel pimc:worlds=100 learned --deals 1000 --json
    """

    a: Annotated[str, Positional, arg(metavar="A")]
    """Points are those of this agent."""
    b: Annotated[str, Positional, arg(metavar="B")]
    """The agent in whose place it plays."""
    rules: Annotated[tuple[str, ...], arg(metavar="PRESET ...")] = ("standard",)
    """Presets, or options as a JSON object; each is measured by itself."""
    deals: int = 5_000
    """Duplicate deals for each row."""
    seed: int = 1
    """Chooses the deals and everything random."""
    json: Annotated[bool, FLAG] = False
    """Print one JSON object: a, b, deals, and for each part mean, low, high and deals_changed."""


def run(options: Options) -> None:
    """Play and show the parts."""
    from hpenv.agents.agent import make_player  # noqa: PLC0415
    from hpenv.training.benchmark.duel import duel, duel_grid  # noqa: PLC0415
    from hpenv.training.benchmark.matches import check_number, duplicate_match  # noqa: PLC0415

    check_number("deals", options.deals)
    chosen = several_rules(options.rules)
    a, b = make_player(options.a), make_player(options.b)
    duplicate_match(a, b, chosen[0], 1)  # compile what is not compiled yet
    found: list[dict[str, Any]] = []
    for rules in chosen:
        with Progress(f"{rules.name()}", "duplicate deals") as progress:
            result = duel(a, b, rules, options.deals, options.seed, progress)
        found.append(result.as_json())
        if not options.json:
            Console().print(duel_grid(result), highlight=False, markup=False)
    if options.json:
        print(json.dumps(found[0] if len(found) == 1 else {"results": found}))
