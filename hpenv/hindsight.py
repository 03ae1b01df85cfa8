"""A deal looked back on with all hands open: what every choice after the auction was worth, what the
best one was worth, and so what each choice lost.

The value of a trump, a discard or an answer to "alone?" is what it scores when everybody makes the best
choices from there on; the play is the double-dummy solver's. Calls of the auction have no value here:
for them see `hpenv.double_dummy.best_contracts`.
"""

from dataclasses import dataclass

import numpy as np

from hpenv.actions import N_ACTIONS
from hpenv.arguments import check_kind
from hpenv.cards import N_CARDS, set_cards
from hpenv.double_dummy import OBJECTIVES, Whole, Worth, solve_all_cards, solve_tables
from hpenv.double_dummy_search import Memory, new_memory
from hpenv.notation import Record, positions
from hpenv.rulebook import AUCTION, DEAL_OVER, PLAY, do, legal_actions
from hpenv.seats import N_SEATS
from hpenv.table import Table


@dataclass(frozen=True)
class Losses:
    """The n choices made after the auction of one deal, in order, and what each was worth.

    at: shape (n,), the choice's place among the record's actions, from 0. seats, actions: shape (n,),
    who did what, a discard as its card. tricks: shape (n,), the trick a card was played to, from 1; 0
    for trump, discard and answers. worth, best: shape (n, 2), what the choice and what the best choice
    was worth to the seat's side: in column 0 the tricks it still takes when both sides want tricks, in
    column 1 its points of the deal minus the other side's when both want points. best_actions: shape
    (n, 2), the sets of the best choices, bit a for action a.
    """

    at: Whole
    seats: Whole
    actions: Whole
    tricks: Whole
    worth: Whole
    best: Whole
    best_actions: Whole

    @property
    def lost(self) -> Whole:
        """What each choice lost against the best, shape (n, 2), tricks and points; never below 0."""
        return self.best - self.worth

    def by_seat(self, in_play: bool = True) -> Whole:
        """What each seat lost in all, shape (4, 2), tricks and points: with the cards it played, or
        before the play with trump, discard and answers."""
        counted = (self.tricks > 0) == in_play
        totals = np.zeros((N_SEATS, len(OBJECTIVES)), np.int64)
        np.add.at(totals, self.seats[counted], self.lost[counted])
        return totals


def losses(record: Record, memory: Memory | None = None) -> Losses:
    """What every choice after the auction lost, for a finished deal or as far as it has been played.

    `memory`: see `hpenv.double_dummy.solve_tables`. Raises TypeError for anything but a Record, and
    RecordError as `hpenv.notation.replay` does.
    """
    check_kind(record, Record, "a list of losses")
    memory = new_memory() if memory is None else memory
    chosen = [
        (at, table)
        for at, table in enumerate(list(positions(record))[:-1])
        if table.phase not in (AUCTION, DEAL_OVER)
    ]
    n = len(chosen)
    actions = np.array([record.actions[at] for at, _ in chosen], np.int64)
    values = np.zeros((n, len(OBJECTIVES), N_ACTIONS))
    for i, (_, table) in enumerate(chosen):
        for column, objective in enumerate(OBJECTIVES):
            values[i, column] = action_values(table, objective, memory)
    best = np.nanmax(values, axis=2, initial=-np.inf)
    bits = np.int64(1) << np.arange(N_ACTIONS, dtype=np.int64)
    return Losses(
        at=np.array([at for at, _ in chosen], np.int64),
        seats=np.array([table.to_act for _, table in chosen], np.int64),
        actions=actions,
        tricks=np.array(
            [(table.phase == PLAY) * (table.tricks_played + 1) for _, table in chosen], np.int64
        ),
        worth=values[np.arange(n), :, actions].astype(np.int64),
        best=best.astype(np.int64),
        best_actions=((values == best[:, :, None]) * bits).sum(axis=2),
    )


def action_values(table: Table, objective: str = "tricks", memory: Memory | None = None) -> Worth:
    """What each action is worth to the side of the seat to act, shape (39,), nan for an illegal one:
    the tricks the side still takes, or its points of the deal minus the other side's.

    Raises TypeError for anything but a Table, and ValueError in the auction, after the deal and for an
    objective that is none.
    """
    check_kind(table, Table, "a row of action values")
    memory = new_memory() if memory is None else memory
    values = np.full(N_ACTIONS, np.nan)
    if table.phase == PLAY:
        values[:N_CARDS] = solve_all_cards(np.array([table], table.dtype), objective, memory)[0]
        return values
    if table.phase in (AUCTION, DEAL_OVER):
        raise ValueError("action values: the table stands in the auction, or the deal is over")
    for action in set_cards(legal_actions(table)):
        after = table.copy()
        do(after, action)
        values[action] = _value_for(int(table.to_act), after, objective, memory)
    return values


def _value_for(seat: int, table: Table, objective: str, memory: Memory) -> int:
    """A position before the opening lead or at it, as the side of `seat` sees it."""
    if table.phase == PLAY:
        value = int(solve_tables(np.array([table], table.dtype), objective, memory)[0])
    else:
        value = int(np.nanmax(action_values(table, objective, memory)))
    if (int(table.to_act) ^ seat) & 1:
        return int(table.hand_size) - value if objective == "tricks" else -value
    return value
