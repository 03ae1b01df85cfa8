"""What `hpenv.training.cli.solved` found about a record, as tables to read."""

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table as Grid

from hpenv.cards import N_SUITS, SUIT_NAMES
from hpenv.double_dummy import OBJECTIVES
from hpenv.rulebook import DEAL_OVER
from hpenv.table import Table
from hpenv.text import held_text, public_text


def show(console: Console, facts: dict[str, Any], passed: list[Table]) -> None:
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
