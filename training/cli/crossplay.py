"""`hpenv crossplay`: what agents lose as partners of each other instead of themselves."""

import json
from dataclasses import dataclass
from typing import Annotated

from rich.console import Console
from tyro.conf import Positional, arg

from hpenv.training.cli.progress import Progress
from hpenv.training.cli.rules_option import one_rules
from hpenv.training.cli.shown import FLAG


@dataclass
class Options:
    """Seat agents as partners of each other and of themselves, against one opponent.

    Meant for several seeds of one learner: what they lose with each other they owe to conventions that
    only their own twin understands.

    examples:
      hpenv crossplay learned:runs/seed1 learned:runs/seed2 learned:runs/seed3 --rules set_bid
    """

    agents: Annotated[
        tuple[str, ...],
        Positional,
        arg(metavar="AGENT AGENT ...", help_behavior_hint="(two or more)"),
    ]
    """Each is the partner of each."""
    against: Annotated[str, arg(metavar="AGENT")] = "rule_based"
    """The opponent of all of them."""
    rules: Annotated[str, arg(metavar="PRESET")] = "standard"
    """A preset, or options as a JSON object."""
    deals: int = 2_000
    """Duplicate deals for each pair of partners."""
    seed: int = 1
    """Chooses the deals and everything random."""
    json: Annotated[bool, FLAG] = False
    """Print one JSON object: self_play, loss and pairs with mean, low and high in points per deal."""


def run(options: Options) -> None:
    """Play and show the losses."""
    from hpenv.agents.agent import make_agent, make_player  # noqa: PLC0415
    from hpenv.training.benchmark.crossplay import cross_play, cross_play_grid  # noqa: PLC0415
    from hpenv.training.benchmark.matches import check_number  # noqa: PLC0415

    if len(options.agents) < 2:
        raise ValueError(f"crossplay: name two agents or more, not {len(options.agents)}")
    check_number("deals", options.deals)
    rules = one_rules(options.rules)
    agents = [make_player(name) for name in options.agents]
    against = make_agent(options.against)
    with Progress(f"{rules.name()}", "duplicate deals") as progress:
        result = cross_play(agents, against, rules, options.deals, options.seed, progress)
    found = result.as_json()
    if options.json:
        print(json.dumps(found))
    else:
        Console().print(cross_play_grid(found), highlight=False, markup=False)
