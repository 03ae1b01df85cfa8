"""How fast this machine solves deals with all hands open and draws worlds, row by row.

All rows run on one thread, in turn, several times; the figure is the median of the turns. Every deal is
new; the solver's memory is kept from deal to deal, as it is by a program that solves many deals. Deals
stand at the opening lead: a random seat is the maker of a random bid, with a random trump and discard,
with partner.

- `solve`: the tricks of whole deals (`hpenv.double_dummy.solve_tables`); `ms_p99` is the time that
  99 of 100 deals stay below, each asked by itself from Python
- `solve_all_cards`: what each card of the leader is worth in tricks; in points `points_deals_per_s`
- `worlds`: deals that the leader's view allows, 100 for each view (`hpenv.worlds.sample_each`)
- `pimc100_lead`: the opening lead of the agent `pimc:worlds=100`, asked for one view at a time
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np
from rich.table import Table as Grid

from hpenv.actions import BID, PASS, TRUMP, WITH_PARTNER
from hpenv.agents.agent import make_agent, see_at_tables, streams_for
from hpenv.cards import N_SUITS
from hpenv.compiled import kernel
from hpenv.double_dummy import solve_all_cards, solve_tables
from hpenv.double_dummy_search import new_memory
from hpenv.rulebook import AUCTION, MAKER_ALONE, do, legal_actions, new_game, next_below, random_member
from hpenv.rules import Rules
from hpenv.seats import N_SEATS, NOBODY
from hpenv.table import new_tables
from hpenv.training.benchmark.engine_speed import REPETITIONS, machine, under
from hpenv.view import VIEW
from hpenv.worlds import sample_each

AGENT = "pimc:worlds=100"
WORLDS = 100
TABLES = 256  # in one call


# ---- deals ------------------------------------------------------------------------------------


@kernel
def deal_to_the_lead(tables: Any, stream: Any) -> Any:
    """Bring new tables to the opening lead at random; returns the stream after it."""
    for i in range(len(tables)):
        table = tables[i]
        new_game(table, NOBODY, 0, 0)
        stream, passes = next_below(stream, N_SEATS)
        for _ in range(passes):
            do(table, PASS)
        stream, less = next_below(stream, np.int64(table.hand_size))
        do(table, BID + 1 + less)
        while table.phase == AUCTION:
            do(table, PASS)
        stream, trump = next_below(stream, N_SUITS)
        do(table, TRUMP + trump)
        discard, stream = random_member(legal_actions(table), stream)
        do(table, discard)
        if table.phase == MAKER_ALONE:
            do(table, WITH_PARTNER)
    return stream


@dataclass
class Deals:
    """Random deals at the opening lead, never the same twice."""

    rules: Rules
    taken: int = 0
    stream: Any = field(default_factory=lambda: np.uint64(1))

    def take(self, n: int) -> tuple[Any, Any, Any]:
        """n more deals: their tables, the views of the seats on lead, and a random stream for each."""
        tables = new_tables(n, self.rules, 1, self.taken)
        self.stream = np.uint64(deal_to_the_lead(tables, self.stream))
        views, streams = np.zeros(n, VIEW), np.zeros(n, np.uint64)
        see_at_tables(tables, np.arange(n), streams_for(1, n, self.taken), views, streams)
        self.taken += n
        return tables, views, streams


# ---- what is measured -------------------------------------------------------------------------


@dataclass
class Task:
    """Something asked of deals: `ask(tables, views, streams)`, so many deals at once."""

    ask: Callable[[Any, Any, Any], Any]
    at_once: int = TABLES
    rates: list[float] = field(default_factory=list)  # deals per second, one for each turn
    spans: list[float] = field(default_factory=list)  # seconds of each call

    def turn(self, deals: Deals, n: int) -> float:
        """Ask it about n new deals; returns the seconds it took, without the dealing."""
        spent = 0.0
        for start in range(0, n, self.at_once):
            taken = deals.take(min(self.at_once, n - start))
            started = time.perf_counter()
            self.ask(*taken)
            span = time.perf_counter() - started
            self.spans.append(span)
            spent += span
        return spent

    def deals_in(self, deals: Deals, seconds: float) -> int:
        """Compile it, and find about how many deals it is done with in that time."""
        self.turn(deals, 2)
        n, spent = 4, 0.0
        while spent < min(0.05, seconds):
            n *= 2
            spent = self.turn(deals, n)
        self.spans.clear()
        return max(1, int(n * seconds / spent))

    def row(self, name: str, unit: str, each: int = 1, **more: float) -> dict[str, Any]:
        """Its figures, a deal counting for `each` of the unit."""
        return {
            "name": name,
            f"{unit}_per_s": each * median(self.rates),
            "lowest": each * min(self.rates),
            "highest": each * max(self.rates),
            "repetitions": len(self.rates),
            **more,
        }

    def ms_p99(self) -> float:
        """The milliseconds that 99 of 100 calls stay below."""
        return 1000 * float(np.percentile(self.spans, 99))


def solving(solver: Callable[..., Any], objective: str, at_once: int = TABLES) -> Task:
    memory = new_memory()
    return Task(lambda tables, views, streams: solver(tables, objective, memory), at_once)


def drawing_worlds() -> Task:
    hands = np.zeros((TABLES, WORLDS, N_SEATS), np.int64)
    discards, widows = np.zeros((2, TABLES, WORLDS), np.int8)

    def ask(tables: Any, views: Any, streams: Any) -> None:
        n = len(views)
        sample_each(views, streams, hands[:n], discards[:n], widows[:n])

    return Task(ask)


def leading(spec: str) -> Task:
    agent = make_agent(spec)
    return Task(lambda tables, views, streams: agent.act(views, streams), 1)


def measure(
    rules: Rules,
    seconds: float = 0.5,
    repetitions: int = REPETITIONS,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Time every row `repetitions` times for about `seconds` each; see `as_grid` for what comes
    out."""
    tasks = {
        "solve": solving(solve_tables, "tricks"),
        "solve one": solving(solve_tables, "tricks", 1),
        "cards": solving(solve_all_cards, "tricks"),
        "cards in points": solving(solve_all_cards, "points"),
        "worlds": drawing_worlds(),
        "lead": leading(AGENT),
    }
    deals = Deals(rules)
    n = {name: task.deals_in(deals, seconds) for name, task in tasks.items()}
    for repetition in range(repetitions):
        for i, (name, task) in enumerate(tasks.items()):
            if progress:
                progress(repetition * len(tasks) + i, repetitions * len(tasks))
            task.rates.append(n[name] / task.turn(deals, n[name]))
    lead, in_points = tasks["lead"], median(tasks["cards in points"].rates)
    rows = [
        tasks["solve"].row("solve", "deals", ms_p99=tasks["solve one"].ms_p99()),
        tasks["cards"].row("solve_all_cards", "deals", points_deals_per_s=in_points),
        tasks["worlds"].row("worlds", "worlds", WORLDS),
        lead.row("pimc100_lead", "decisions", ms=1000 / median(lead.rates), ms_p99=lead.ms_p99()),
    ]
    return {"rows": rows, "rules": rules.name(), "machine": machine()}


def as_grid(measured: dict[str, Any]) -> Grid:
    """The rows of `measure` for reading."""
    grid = Grid("", "per second", "lowest", "highest", "99 % within")
    grid.title = f"open hands, {measured['rules']}"
    under(grid, measured["machine"])
    for row in measured["rows"]:
        unit = next(key for key in row if key.endswith("_per_s"))
        grid.add_row(
            row["name"],
            f"{row[unit]:,.0f} {unit.removesuffix('_per_s')}",
            *(f"{row[key]:,.0f}" for key in ("lowest", "highest")),
            f"{row['ms_p99']:.3f} ms" if "ms_p99" in row else "",
        )
        if "points_deals_per_s" in row:
            grid.add_row("  in points", f"{row['points_deals_per_s']:,.0f} deals", "", "", "")
    return grid
