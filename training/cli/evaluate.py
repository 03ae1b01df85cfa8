"""`hpenv evaluate`: which agent is better, and by how much."""

import json
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from rich.console import Console
from tyro.conf import Positional, arg

from hpenv.rules import Rules
from hpenv.training.cli.progress import Progress
from hpenv.training.cli.rules_option import several_rules
from hpenv.training.cli.shown import FLAG, given


@dataclass
class Options:
    """Say which agent is better: the same deals played both ways round, with a 95 % interval.

    Two agents play a match, more play all against all. Agents are named with options after a colon, as
    in learned:runs/mine. The same seed gives the same deals and the same result.

    examples:
      hpenv evaluate rule_based uniform
      hpenv evaluate learned rule_based --rules standard set_bid --deals 20000 --games 1000
      hpenv evaluate learned rule_based --rules '{"hand_size": 4, "alone": false}' --json
      hpenv evaluate uniform sensible_random rule_based learned
      hpenv evaluate learned rule_based --records deals.parquet
    """

    agents: Annotated[
        tuple[str, ...],
        Positional,
        arg(metavar="AGENT AGENT ...", help_behavior_hint="(two or more)"),
    ]
    """Points are those of the first."""
    rules: Annotated[tuple[str, ...], arg(metavar="PRESET ...")] = ("standard",)
    """Presets, or options as a JSON object; each is measured by itself."""
    deals: int = 10_000
    """Duplicate deals for each pair of agents."""
    games: int = 0
    """Whole games as well, each both ways round (two agents only)."""
    seed: int = 1
    """Chooses the deals and everything random."""
    records: Annotated[Path | None, given("FILE")] = None
    """Write every deal played into this file, a .jsonl (which hpenv replay reads) or a .parquet (needs
    pyarrow). The columns are explained in training/benchmark/records.py."""
    json: Annotated[bool, FLAG] = False
    """Print one JSON object: mean, low, high in points per deal, deals and their hash, contracts of
    each agent."""


def run(options: Options) -> None:
    """Play the matches and show what came of them."""
    from hpenv.agents.agent import make_agent  # noqa: PLC0415
    from hpenv.training.benchmark.matches import duplicate_match  # noqa: PLC0415

    chosen = checked_rules(options)
    if options.records:
        from hpenv.training.benchmark.records import RecordsFile  # noqa: PLC0415

        file: Any = RecordsFile(options.records, options.seed)
    else:
        file = nullcontext()
    agents = [make_agent(name) for name in options.agents]
    for other in agents[1:]:  # compile what is not compiled yet, or the first speed shown is of that
        duplicate_match(agents[0], other, chosen[0], 1)
    found = []
    with file as records:
        for rules in chosen:
            facts, shown = measured(agents, rules, options, records.add if records else None)
            found.append(facts)
            for item in () if options.json else shown:
                Console().print(item, highlight=False, markup=False, soft_wrap=isinstance(item, str))
    if options.json:
        print(json.dumps(found[0] if len(found) == 1 else {"results": found}))


def checked_rules(options: Options) -> list[Rules]:
    """The rules chosen, once the numbers are looked at. Raises ValueError with a sentence."""
    from hpenv.training.benchmark.matches import check_number  # noqa: PLC0415

    if len(options.agents) < 2:
        raise ValueError(f"evaluate: name two agents or more, not {len(options.agents)}")
    if options.games and len(options.agents) > 2:
        raise ValueError("games are played by two agents; name two, or leave --games out")
    check_number("deals", options.deals)
    check_number("games", options.games, least=0)
    return several_rules(options.rules)


def measured(
    agents: Any, rules: Rules, options: Options, record: Callable[..., None] | None
) -> tuple[dict[str, Any], list[Any]]:
    """What was found under some rules: for `json.dumps`, and to be printed. record: called with the
    names of two agents and tables with their finished deals."""
    from hpenv.training.benchmark.matches import duplicate_match, game_match  # noqa: PLC0415
    from hpenv.training.benchmark.results import (  # noqa: PLC0415
        contracts_grid,
        games_sentence,
        match_headline,
        sealed_sentence,
    )
    from hpenv.training.benchmark.situations import situations_grid  # noqa: PLC0415
    from hpenv.training.benchmark.tournament import tournament, tournament_grid  # noqa: PLC0415

    name, deals, seed = f"{rules.name()}", options.deals, options.seed
    with Progress(name, "duplicate deals") as progress:
        if len(agents) > 2:
            result = tournament(agents, rules, deals, seed, progress, record)
            return result.as_json(), [tournament_grid(result)]
        names = agents[0].name, agents[1].name
        finished = partial(record, names) if record else None
        match = duplicate_match(agents[0], agents[1], rules, deals, seed, progress, finished=finished)
    shown = [match_headline(match), sealed_sentence(match), contracts_grid(match)]
    facts = match.as_json()
    if options.games:
        with Progress(name, "games") as progress:
            games = game_match(agents[0], agents[1], rules, options.games, seed, progress)
        found = facts["games"] = games.as_json()
        shown += [games_sentence(games), situations_grid(found["by_situation"], names[0])]
    return facts, shown
