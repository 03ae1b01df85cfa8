"""The commands of `hpenv` that measure and replay: their options and what they print."""

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from rich.console import Console
from tyro.conf import FlagCreatePairsOff, Positional, arg

from hpenv.rules import PRESETS, Rules, get_rules

FAULT = 1  # exit status: what was asked for was done, and something is wrong with what it found


@dataclass
class Evaluate:
    """Say which agent is better: the same deals played both ways round, with a 95 % interval.

    Two agents play a match, more play all against all. Agents are named with options after a colon, as
    in learned:runs/mine. The same seed gives the same deals and the same result.

    examples:
      hpenv evaluate rule_based uniform
      hpenv evaluate learned rule_based --rules standard set_bid --deals 20000 --games 1000
      hpenv evaluate learned rule_based --rules '{"hand_size": 4, "alone": false}' --json
      hpenv evaluate uniform sensible_random rule_based learned
    """

    agents: Annotated[tuple[str, ...], Positional, arg(metavar="AGENT AGENT ...")]
    """Points are told for the first."""
    rules: Annotated[tuple[str, ...], arg(metavar="PRESET ...")] = ("standard",)
    """Presets, or options as a JSON object; each is measured by itself."""
    deals: int = 10_000
    """Duplicate deals for each pair of agents."""
    games: int = 0
    """Whole games as well, each both ways round (two agents only)."""
    seed: int = 1
    """Chooses the deals and all chance."""
    json: FlagCreatePairsOff[bool] = False
    """Print one JSON object: mean, low, high in points per deal, deals, contracts of each agent."""


def evaluate(options: Evaluate) -> int:
    from hpenv.agents.agent import make_agent  # noqa: PLC0415
    from hpenv.training.benchmark.matches import duplicate_match, game_match, tournament  # noqa: PLC0415
    from hpenv.training.benchmark.results import (  # noqa: PLC0415
        contracts_grid,
        games_sentence,
        match_headline,
        tournament_grid,
    )
    from hpenv.training.cli.progress import Progress  # noqa: PLC0415

    if len(options.agents) < 2:
        raise ValueError(f"evaluate: name two agents or more, not {len(options.agents)}")
    if options.games < 0:
        raise ValueError(f"games: {options.games} is less than 0")
    if options.games and len(options.agents) > 2:
        raise ValueError("games are played by two agents; name two, or leave --games out")
    agents, console = [make_agent(name) for name in options.agents], Console()
    found: list[dict[str, Any]] = []
    chosen = several_rules(options.rules)
    for other in agents[1:]:  # compile what is not compiled yet, or the first speed shown is of that
        duplicate_match(agents[0], other, chosen[0], 1)
    for rules in chosen:
        told: list[Any] = []
        with Progress(f"{rules.name()}", "duplicate deals") as progress:
            if len(agents) > 2:
                result = tournament(agents, rules, options.deals, options.seed, progress)
                facts, told = result.as_json(), [tournament_grid(result)]
            else:
                match = duplicate_match(
                    agents[0], agents[1], rules, options.deals, options.seed, progress
                )
                facts, told = match.as_json(), [match_headline(match), contracts_grid(match)]
        if options.games:
            with Progress(f"{rules.name()}", "games") as progress:
                games = game_match(agents[0], agents[1], rules, options.games, options.seed, progress)
            facts["games"] = games.as_json()
            told.append(games_sentence(games))
        found.append(facts)
        if not options.json:
            for item in told:
                console.print(item, highlight=False, markup=False, soft_wrap=isinstance(item, str))
    if options.json:
        print(json.dumps(found[0] if len(found) == 1 else {"results": found}))
    return 0


def several_rules(words: Iterable[str]) -> list[Rules]:
    """Rules from presets, apart or with commas between them, and from JSON objects of options."""
    found: list[Rules] = []
    for word in words:
        if word.lstrip().startswith("{"):
            found.append(get_rules(json_options(word)))
        else:
            found += [get_rules(name.strip()) for name in word.split(",")]
    if not found:
        raise ValueError(f"rules: name at least one preset ({', '.join(PRESETS)})")
    return found


def json_options(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise ValueError(f"rules: {text!r} is not a JSON object ({error})") from None


@dataclass
class Speed:
    """Measure how many random decisions per second this machine plays.

    bare is the rules alone in a compiled loop, batch adds the observation and mask of every decision
    (Batch with 4096 tables), raw_env and env are PettingZoo loops in Python. One thread; the figure is
    the median of several turns. With --solver: whole deals solved with open hands, what each card of
    the opening lead is worth, worlds drawn, and the opening leads of pimc:worlds=100.
    """

    rules: str = "standard"
    """A preset, or options as a JSON object."""
    seconds: float = 0.5
    """For each turn of each row."""
    solver: FlagCreatePairsOff[bool] = False
    """Measure the open-hand solver and what is built on it instead."""
    json: FlagCreatePairsOff[bool] = False
    """Print one JSON object: rows with name and a rate such as decisions_per_s, machine, versions."""


def speed(options: Speed) -> int:
    from hpenv.training.cli.progress import Progress  # noqa: PLC0415

    if options.solver:
        from hpenv.training.benchmark.solver_speed import measure_solver as measure  # noqa: PLC0415
        from hpenv.training.benchmark.solver_speed import solver_grid as as_grid  # noqa: PLC0415
    else:
        from hpenv.training.benchmark.engine_speed import as_grid, measure  # noqa: PLC0415

    if not 0 < options.seconds <= 60:
        raise ValueError(f"seconds: {options.seconds} is not above 0 and at most 60")
    rules = one_rules(options.rules)
    with Progress("speed", "turns") as progress:
        measured = measure(rules, options.seconds, progress=progress)
    if options.json:
        print(json.dumps(measured))
    else:
        Console().print(as_grid(measured))
    return 0


def one_rules(word: str) -> Rules:
    found = several_rules([word])
    if len(found) > 1:
        raise ValueError(f"rules: one preset at a time here, not {word!r}")
    return found[0]


@dataclass
class Replay:
    """Play recorded deals through, every action checked, and show them.

    A file holds one deal a line, as JSON; - reads from stdin. At the first fault the exit status is 1
    and a sentence on stderr names the line, the action and the rule.

    examples:
      hpenv replay deals.jsonl
      hpenv replay deals.jsonl --json
    """

    file: Positional[Path]
    """Records, one a line."""
    json: FlagCreatePairsOff[bool] = False
    """One JSON object a line: points, tricks, leaders, turns and legal actions."""


def replay(options: Replay) -> int:
    from hpenv.notation import RecordError, parse_record, replay_lines  # noqa: PLC0415

    if str(options.file) == "-":
        lines = sys.stdin.read().splitlines()
    else:
        lines = options.file.read_text(encoding="utf-8").splitlines()
    records = (parse_record(line) for line in lines if line.strip())
    try:
        for number, (facts, record) in enumerate(zip(replay_lines(lines), records, strict=True), 1):
            print(json.dumps(facts) if options.json else f"deal {number}: {deal_text(record, facts)}")
    except RecordError as fault:
        sys.stdout.flush()
        print(f"hpenv: {options.file}, {fault}", file=sys.stderr)
        return FAULT
    return 0


def deal_text(record: Any, facts: dict[str, Any]) -> str:
    """A replayed deal for reading: the cards, the calls, the tricks, the points."""
    from hpenv.actions import ACTION_TEXT, ALONE, TRUMP, WITH_PARTNER  # noqa: PLC0415
    from hpenv.cards import CARD_TEXT, N_SUITS  # noqa: PLC0415
    from hpenv.seats import SEAT_LETTERS  # noqa: PLC0415

    actions = record.actions
    done = [f"{seat} {ACTION_TEXT[a]}" for seat, a in zip(facts["turns"], actions, strict=True)]
    named = next((i for i, a in enumerate(actions) if TRUMP <= a < TRUMP + N_SUITS), len(actions))
    first_lead = named + 2 + sum(a in (ALONE, WITH_PARTNER) for a in actions)
    cards = 4 - actions.count(ALONE)
    tricks = range(first_lead, len(actions), cards)
    points = facts["points"]
    return "\n".join(
        [
            f"{SEAT_LETTERS[record.dealer]} deals, score {record.score[0]} to {record.score[1]}",
            *(
                f"  {seat} {' '.join(CARD_TEXT[card] for card in hand)}"
                for seat, hand in zip(SEAT_LETTERS, record.hands, strict=True)
            ),
            f"  widow {CARD_TEXT[record.widow]}",
            f"  {', '.join(done[:first_lead]) or 'nothing called yet'}",
            *(f"  trick {n}: {', '.join(done[i : i + cards])}" for n, i in enumerate(tricks, 1)),
            "  not over" if points is None else f"  points {points[0]} and {points[1]}",
        ]
    )
