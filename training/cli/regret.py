"""`hpenv regret`: in which part of the game an agent's choices lose most, by a judge's estimate."""

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
    """Estimate what an agent's choices lose against the best ones, for each part of the game.

    A diagnostic: the judge sees all hands in each of its worlds. Several agents are asked about the
    same decisions, those that the first one meets when it plays itself.

    examples:
      hpenv regret learned rule_based --rules set_bid --deals 400
      hpenv regret learned --judge learned_search:worlds=400,halving=off --json
    """

    agents: Annotated[
        tuple[str, ...],
        Positional,
        arg(metavar="AGENT AGENT ...", help_behavior_hint="(one or more)"),
    ]
    """The first plays the deals."""
    rules: Annotated[tuple[str, ...], arg(metavar="PRESET ...")] = ("standard",)
    """Presets, or options as a JSON object; each is measured by itself."""
    judge: Annotated[str, arg(metavar="AGENT")] = "pimc:worlds=1000"
    """An agent that expects points of every action: pimc or learned_search."""
    deals: int = 200
    """Deals; of each one decision of every part of the game is judged."""
    seed: int = 1
    """Chooses the deals and everything random."""
    json: Annotated[bool, FLAG] = False
    """Print one JSON object: for each agent and part lost_per_deal, low, high, lost_per_decision."""


def run(options: Options) -> None:
    """Judge and show."""
    from hpenv.agents.agent import make_player  # noqa: PLC0415
    from hpenv.training.benchmark.matches import check_number  # noqa: PLC0415
    from hpenv.training.benchmark.regret import regret_grid, regrets  # noqa: PLC0415

    check_number("deals", options.deals)
    chosen = several_rules(options.rules)
    agents = [make_player(name) for name in options.agents]
    judge = make_player(options.judge)
    found: list[dict[str, Any]] = []
    for rules in chosen:
        with Progress(f"{rules.name()}", "decisions") as progress:
            result = regrets(agents, rules, options.deals, judge, options.seed, progress)
        found.append(result)
        if not options.json:
            Console().print(regret_grid(result), highlight=False, markup=False)
    if options.json:
        print(json.dumps(found[0] if len(found) == 1 else {"results": found}))
