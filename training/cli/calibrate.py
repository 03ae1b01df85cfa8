"""`hpenv calibrate`: how far an agent's estimates of its contracts can be believed."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from rich.console import Console
from tyro.conf import Positional, arg

from hpenv.training.cli.progress import Progress
from hpenv.training.cli.rules_option import several_rules
from hpenv.training.cli.shown import FLAG, check_plot, given


@dataclass
class Options:
    """Compare how likely an agent thinks its contracts are made with how many of them are.

    The agent plays itself. When the auction has ended, each seat's estimate is the share of worlds of
    its view in which the contract is made, played on as the agent expects the deal to go on.

    examples:
      hpenv calibrate learned --rules standard set_bid --deals 10000 --plot reliability.png
      hpenv calibrate pimc:worlds=100 --rules set_bid --json
    """

    agent: Annotated[str, Positional, arg(metavar="AGENT")]
    """By name, a network by its folder as in learned:runs/mine."""
    rules: Annotated[tuple[str, ...], arg(metavar="PRESET ...")] = ("standard",)
    """Presets, or options as a JSON object; each is measured by itself."""
    deals: int = 2_000
    """Deals that the agent plays with itself."""
    worlds: int = 100
    """Worlds from which each estimate is made."""
    seed: int = 1
    """Chooses the deals and everything random."""
    plot: Annotated[Path | None, given("FILE")] = None
    """Draw reliability diagrams into this file, a PNG or SVG."""
    json: Annotated[bool, FLAG] = False
    """Print one JSON object: rows with seat, bid, n, estimated, made, low, high, error and bins."""


def run(options: Options) -> None:
    """Play, estimate, show and draw."""
    from hpenv.agents.agent import make_player  # noqa: PLC0415
    from hpenv.training.benchmark.calibration import (  # noqa: PLC0415
        calibration,
        calibration_grid,
        draw_reliability,
    )
    from hpenv.training.benchmark.matches import check_number  # noqa: PLC0415

    check_number("deals", options.deals)
    check_number("worlds", options.worlds)
    chosen, agent = several_rules(options.rules), make_player(options.agent)
    check_plot(options.plot)
    found: list[dict[str, Any]] = []
    for rules in chosen:
        with Progress(f"{rules.name()}", "deals") as progress:
            result = calibration(
                agent, rules, options.deals, options.worlds, options.seed, progress
            ).as_json()
        found.append(result)
        if not options.json:
            Console().print(calibration_grid(result), highlight=False, markup=False)
    if options.plot:
        draw_reliability(found, str(options.plot))
    if options.json:
        print(json.dumps(found[0] if len(found) == 1 else {"results": found}))
