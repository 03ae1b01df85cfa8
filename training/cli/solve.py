"""The command `hpenv solve`: what recorded deals and positions are worth with all hands open.

What is found is one dictionary a record, for `--json`; the tables to read are drawn from the same.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table as Grid
from tyro.conf import FlagCreatePairsOff, Positional, arg

from hpenv.actions import BID, BIG, action_set_text, action_text, parse_action
from hpenv.cards import N_SUITS, SUIT_NAMES, SUITS, card_text
from hpenv.double_dummy import OBJECTIVES, best_contracts
from hpenv.double_dummy_search import new_memory
from hpenv.hindsight import action_values, losses
from hpenv.notation import Record, RecordError, parse_record, positions
from hpenv.rulebook import AUCTION, DEAL_OVER, DISCARD, NAME_TRUMP
from hpenv.rules import Rules
from hpenv.seats import N_SEATS, NOBODY, SEAT_LETTERS
from hpenv.table import Table
from hpenv.text import PHASE_TEXT, bid_text, held_text, public_text

FAULT = 1  # exit status: as in `hpenv replay`, something is wrong with a record


@dataclass
class Solve:
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
    bid: Annotated[str | None, arg(metavar="BID")] = None
    """The bid to tell the contracts' points of, as in --bid 3 or --bid "big pepper"; else the standing
    bid."""
    every: Annotated[FlagCreatePairsOff[bool], arg(name="all", aliases=["--every-card"])] = False
    """All there is about each deal: contracts, what each choice so far lost, the position reached."""
    json: FlagCreatePairsOff[bool] = False
    """One JSON object a line; what does not apply is null."""


def solve(options: Solve) -> int:
    """Solve the records and print what comes of it; returns the exit status."""
    console, memory = Console(), new_memory()
    literal = options.record.lstrip().startswith("{")
    try:
        for line, record, passed in _played(_lines(options.record)):
            bid = _bid(options.bid, record.rules, line) or int(passed[-1].bid)
            facts = {"line": line, **solved(record, passed, bid, options.every, memory)}
            if options.json:
                print(json.dumps(facts), flush=True)
            else:
                _show(console, facts, passed)
    except RecordError as fault:
        sys.stdout.flush()
        print(f"hpenv: {'the record' if literal else options.record}, {fault}", file=sys.stderr)
        return FAULT
    return 0


def _lines(source: str) -> Iterator[str]:
    try:
        if source.lstrip().startswith("{"):
            yield source
        elif source == "-":
            yield from sys.stdin
        else:
            with Path(source).open(encoding="utf-8") as file:
                yield from file
    except UnicodeDecodeError:
        raise ValueError(f"{source}: this is no text in UTF-8") from None


def _played(lines: Iterable[str]) -> Iterator[tuple[int, Record, list[Table]]]:
    """Each record with its line's number and its positions. Raises RecordError with the line named."""
    for line, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            record = parse_record(text)
            passed = list(positions(record))
        except RecordError as fault:
            raise RecordError(fault.rule, f"line {line}: {fault}", fault.at, line) from None
        yield line, record, passed


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


# ---- what is found ----------------------------------------------------------------------------


def solved(record: Record, passed: list[Table], bid: int, every: bool, memory: Any) -> dict[str, Any]:
    """A record with its positions solved, ready for `json.dumps`.

    phase, seat: where the last position stands, and who is to act. tricks_won: by North-South and by
    East-West. bid: whose points `contracts` tell. contracts: every maker, alone or not, and trump.
    actions: all that the seat may do. losses: each choice after the auction; lost: each seat in all.
    What does not apply is None.
    """
    table = passed[-1]
    undecided = table.phase in (AUCTION, NAME_TRUMP, DISCARD)
    thrown_in = table.phase == DEAL_OVER and table.maker == NOBODY
    contracts = undecided or thrown_in or every
    acts = table.phase not in (AUCTION, DEAL_OVER)
    return {
        "rules": record.rules.name(),
        "phase": PHASE_TEXT[table.phase],
        "seat": None if table.to_act == NOBODY else SEAT_LETTERS[table.to_act],
        "tricks_won": table.tricks.tolist(),
        "bid": bid_text(bid) if bid else None,
        "contracts": _contracts(passed[0], bid, memory) if contracts else None,
        "actions": _actions(table, memory) if acts else None,
        **_losses(record, table.phase == DEAL_OVER or every, memory),
    }


def _contracts(dealt: Table, bid: int, memory: Any) -> list[dict[str, Any]]:
    """Every contract of a deal: maker by maker, with partner and alone, trump by trump."""
    tables = np.array([dealt], dealt.dtype)
    found = []
    for alone in (False, True) if dealt.alone_allowed else (False,):
        tricks = best_contracts(tables, 0, alone, memory=memory)
        points = best_contracts(tables, bid, alone, memory=memory) if bid else None
        for maker in range(N_SEATS):
            for trump in range(N_SUITS):
                place = 0, maker, trump
                found.append(
                    {
                        "maker": SEAT_LETTERS[maker],
                        "alone": alone,
                        "trump": SUITS[trump],
                        "tricks": int(tricks.values[place]),
                        "discard": card_text(tricks.discards[place]),
                        "points": points and int(points.values[place]),
                        "points_discard": points and card_text(points.discards[place]),
                    }
                )
    return sorted(found, key=lambda contract: SEAT_LETTERS.index(contract["maker"]))


def _actions(table: Table, memory: Any) -> list[dict[str, Any]]:
    """Everything the seat to act may do, the best in points first."""
    tricks, points = (action_values(table, wanted, memory) for wanted in OBJECTIVES)
    legal = np.flatnonzero(~np.isnan(tricks)).tolist()
    return [
        {
            "action": action_text(action),
            "tricks": int(tricks[action]),
            "points": int(points[action]),
            "best_for_tricks": bool(tricks[action] == np.nanmax(tricks)),
            "best_for_points": bool(points[action] == np.nanmax(points)),
        }
        for action in sorted(legal, key=lambda a: (-points[a], -tricks[a], a))
    ]


def _losses(record: Record, wanted: bool, memory: Any) -> dict[str, Any]:
    """What each choice lost, and each seat in all."""
    if not wanted:
        return {"losses": None, "lost": None}
    found = losses(record, memory)
    choices = []
    for i, action in enumerate(found.actions.tolist()):
        tricks, points = zip(found.worth[i].tolist(), found.best[i].tolist(), strict=True)
        choices.append(
            {
                "at": int(found.at[i]),
                "trick": int(found.tricks[i]) or None,
                "seat": SEAT_LETTERS[found.seats[i]],
                "action": action_text(action),
                "tricks": tricks[0],
                "best_tricks": tricks[1],
                "tricks_lost": tricks[1] - tricks[0],
                "best_for_tricks": action_set_text(found.best_actions[i, 0]),
                "points": points[0],
                "best_points": points[1],
                "points_lost": points[1] - points[0],
                "best_for_points": action_set_text(found.best_actions[i, 1]),
            }
        )
    before, play = found.by_seat(in_play=False).tolist(), found.by_seat().tolist()
    return {
        "losses": choices,
        "lost": {
            seat: {
                "before_play": dict(zip(OBJECTIVES, before[s], strict=True)),
                "in_play": dict(zip(OBJECTIVES, play[s], strict=True)),
            }
            for s, seat in enumerate(SEAT_LETTERS)
        },
    }


# ---- for reading ------------------------------------------------------------------------------


def _show(console: Console, facts: dict[str, Any], passed: list[Table]) -> None:
    """Print what was found about a record."""
    table = passed[-1]
    hands = held_text(passed[0] if table.phase == DEAL_OVER else table)
    _say(console, f"line {facts['line']}: {public_text(table)}\n{hands}")
    if facts["contracts"]:
        _say(console, "\ntricks of each contract and the best discard; * the maker's best trump")
        console.print(_contracts_grid(console, facts, "tricks", "discard"))
    if facts["contracts"] and facts["bid"]:
        _say(console, f"\npoints of {facts['bid']} against the other side's, and the best discard")
        console.print(_contracts_grid(console, facts, "points", "points_discard"))
    if facts["losses"]:
        _say(console, "\neach choice: tricks it leaves to come and points, and what it lost of both")
        console.print(_losses_grid(console, facts))
        _say(console, "\nlost in all, in the play and before it (trump, discard, answers)")
        console.print(_lost_grid(console, facts))
    if facts["actions"]:
        _say(
            console,
            f"\n{facts['seat']} to act: tricks to come and points less the other side's; * best",
        )
        console.print(_actions_grid(console, facts))
    console.print()


def _say(console: Console, text: str) -> None:
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def _grid(console: Console, *columns: str, left: int = 1) -> Grid:
    """An empty table; the first columns hold words, the others numbers. Without lines where it is not
    read on a terminal."""
    grid = Grid(*columns, box=box.SIMPLE_HEAD if console.is_terminal else None, pad_edge=False)
    for column in grid.columns[left:]:
        column.justify = "right"
    return grid


def _contracts_grid(console: Console, facts: dict[str, Any], key: str, discard: str) -> Grid:
    """A row for each maker with partner and alone, a column for each trump; its best trumps marked."""
    grid = _grid(console, "maker", *SUIT_NAMES[:N_SUITS])
    rows: dict[tuple[str, bool], list[dict[str, Any]]] = {}
    for contract in facts["contracts"]:
        rows.setdefault((contract["maker"], contract["alone"]), []).append(contract)
    sign = "+" if key == "points" else ""
    for (maker, alone), row in rows.items():
        best = max(contract[key] for contract in row)
        grid.add_row(
            f"{maker} alone" if alone else maker,
            *(f"{c[key]:{sign}}{_star(c[key] == best)} {c[discard]}" for c in row),
        )
    return grid


def _actions_grid(console: Console, facts: dict[str, Any]) -> Grid:
    grid = _grid(console, facts["phase"], "tricks", "points")
    for act in facts["actions"]:
        grid.add_row(
            act["action"],
            f"{act['tricks']}{_star(act['best_for_tricks'])}",
            f"{act['points']:+}{_star(act['best_for_points'])}",
        )
    return grid


def _losses_grid(console: Console, facts: dict[str, Any]) -> Grid:
    """Every choice in order; for those that lost something the best ones, in points if it lost any."""
    columns = ("trick", "seat", "did", "better", "tricks", "lost", "points", "lost")
    grid = _grid(console, *columns, left=4)
    last = None
    for choice in facts["losses"]:
        in_tricks = choice["best_for_tricks"] if choice["tricks_lost"] else []
        better = choice["best_for_points"] if choice["points_lost"] else in_tricks
        grid.add_row(
            "" if choice["trick"] == last else str(choice["trick"]),
            choice["seat"],
            choice["action"],
            " ".join(better),
            str(choice["tricks"]),
            _loss(choice["tricks_lost"]),
            f"{choice['points']:+}",
            _loss(choice["points_lost"]),
        )
        last = choice["trick"]
    return grid


def _lost_grid(console: Console, facts: dict[str, Any]) -> Grid:
    grid = _grid(console, "seat", "tricks", "points", "tricks before", "points before")
    for seat, lost in facts["lost"].items():
        cells = [str(lost[when][what]) for when in ("in_play", "before_play") for what in OBJECTIVES]
        grid.add_row(seat, *cells)
    return grid


def _star(best: bool) -> str:
    return "*" if best else " "


def _loss(lost: int) -> str:
    return f"-{lost}" if lost else ""
