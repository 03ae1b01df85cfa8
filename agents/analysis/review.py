"""A deal looked back on: what every choice of every seat lost, in points, measured twice.

With all hands open it is compared with the best choice that the double-dummy solver finds; calls of
the auction have no such value. Against what could be known it is compared with the best choice of a
search that sees no more than the seat did: an estimate from the worlds which that search looks at. A
choice that was right by all that could be known may lose points with all hands open.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hpenv.agents.agent import Agent, as_agent
from hpenv.agents.opinion import opinion_of
from hpenv.cards import set_cards
from hpenv.double_dummy_search import Memory
from hpenv.hindsight import losses
from hpenv.notation import Record, positions
from hpenv.rulebook import PLAY, legal_actions
from hpenv.seats import N_SEATS
from hpenv.view import view_of

SEARCH = "pimc:worlds=100"
NEGLIGIBLE = 0.05  # points: less than this is noise of the worlds drawn


@dataclass(frozen=True)
class Choice:
    """One choice of a deal, where there was more than one legal action.

    at: its place among the record's actions, from 0. seat, action: who did what, a discard as its card.
    trick: the trick a card was played to, from 1; 0 before the play. lost_open: points lost with all
    hands open, None for a call or where that is not asked. best_open: the best actions then, lowest
    number first. lost_known: points lost against what could be known. best_known: the best action then.
    """

    at: int
    seat: int
    action: int
    trick: int
    lost_open: int | None
    best_open: tuple[int, ...]
    lost_known: float
    best_known: int

    @property
    def is_lost(self) -> bool:
        """Has it lost anything, by either measure?"""
        return self.lost_known > 0 or bool(self.lost_open)


def review(
    record: Record,
    agent: Agent | str = SEARCH,
    seats: Iterable[int] = range(N_SEATS),
    is_open: bool = True,
    memory: Memory | None = None,
) -> list[Choice]:
    """Every choice of a deal, in order, of some seats or all.

    agent: its expected points are what could be known; the estimate is the same each time. is_open:
    also look with all hands open. With `is_open=False` and the person's own seat, nothing enters that
    the person did not see. memory: see `hpenv.double_dummy.solve_tables`.

    Raises ValueError for an agent that expects no points, such as `rule_based`; and what `losses`
    raises.
    """
    adviser, wanted = as_agent(agent), set(seats)
    seen = _with_all_hands_open(record, memory) if is_open else {}
    choices = []
    for at, table in enumerate(list(positions(record))[:-1]):
        seat, action = int(table.to_act), record.actions[at]
        if seat not in wanted or len(set_cards(legal_actions(table))) < 2:
            continue
        points = opinion_of(adviser, view_of(table, seat)).points
        if not np.isfinite(points[action]):
            raise ValueError(f"review: agent {adviser.name} does not say what points it expects")
        best = int(np.nanargmax(points))
        lost = round(float(points[best] - points[action]), 3)
        lost_open, best_open = seen.get(at, (None, ()))
        choices.append(
            Choice(
                at,
                seat,
                action,
                int(table.tricks_played) + 1 if table.phase == PLAY else 0,
                lost_open,
                best_open,
                lost if lost >= NEGLIGIBLE else 0.0,
                best if lost >= NEGLIGIBLE else action,
            )
        )
    return choices


def _with_all_hands_open(
    record: Record, memory: Memory | None
) -> dict[int, tuple[int | None, tuple[int, ...]]]:
    """For each choice after the auction, by its place: the points lost, and the best actions."""
    found = losses(record, memory)
    return {
        int(at): (int(lost), tuple(set_cards(int(best))))
        for at, lost, best in zip(found.at, found.lost[:, 1], found.best_actions[:, 1], strict=True)
    }


def worst(choices: Sequence[Choice], n: int = 3) -> list[Choice]:
    """The n choices that lost most against what could be known, then with all hands open; choices that
    lost nothing are left out."""
    lost = [choice for choice in choices if choice.is_lost]
    return sorted(lost, key=lambda c: (-c.lost_known, -(c.lost_open or 0), c.at))[:n]


def totals(choices: Sequence[Choice]) -> list[tuple[int, float]]:
    """What each seat lost in all: with all hands open, and against what could be known."""
    return [
        (
            sum(choice.lost_open or 0 for choice in choices if choice.seat == seat),
            round(sum(choice.lost_known for choice in choices if choice.seat == seat), 3),
        )
        for seat in range(N_SEATS)
    ]
