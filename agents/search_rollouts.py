"""What each action comes to: deals played on to their end by the network, many worlds at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpenv.agents.agent import Tables
from hpenv.agents.search_blueprint import Blueprint
from hpenv.cards import MAX_HAND_SIZE, N_CARDS, NO_CARD, PACK_SETS
from hpenv.compiled import Int, kernel, lowest_bit
from hpenv.double_dummy import IN_ROWS, ROW_START, value_at
from hpenv.double_dummy_search import new_memory
from hpenv.rulebook import DEAL_OVER, DISCARD, PLAY, do, legal_actions
from hpenv.seats import N_SEATS, side_of
from hpenv.suits import one_bit
from hpenv.view import VIEW, View, see
from hpenv.worlds import set_world


class Rollouts:
    """Plays deals to their end by a blueprint. exact: in how many last tricks all hands are open and
    both sides play perfectly, instead."""

    def __init__(self, blueprint: Blueprint, exact: int) -> None:
        self.blueprint = blueprint
        self.exact = exact
        self.room = (np.zeros(MAX_HAND_SIZE + 1, np.int64), np.zeros(N_CARDS, np.int64), new_memory())

    def play(self, tables: Tables) -> NDArray[np.float64]:
        """North-South's points of the deal minus East-West's, (R,), at tables (R,) that end changed."""
        points = np.zeros(len(tables))
        rows, seen = np.arange(len(tables)), np.zeros(len(tables), VIEW)
        while len(rows := rows[: run_on(tables, rows, self.exact, points, seen, *self.room)]):
            do_each(tables, rows, self.blueprint.choices(seen[: len(rows)]))
        return points


@kernel
def run_on(
    tables: Any, rows: Any, exact: Int, points: Any, seen: Any, payoffs: Any, places: Any, memory: Any
) -> Int:
    """At the tables of these rows do what is forced. Where the deal ends, or comes to its exact part,
    write its points; move the other rows to the front, and write the views of their seats to act.
    Returns how many those are."""
    n = np.int64(0)
    for i in range(len(rows)):
        table = tables[rows[i]]
        while True:
            if table.phase == DEAL_OVER:
                points[rows[i]] = table.points[0] - table.points[1]
                break
            if table.phase == PLAY and table.hand_size - table.tricks_played <= exact:
                value = value_at(table, True, payoffs, places, memory)
                points[rows[i]] = -value if side_of(np.int64(table.to_act)) else value
                break
            legal = legal_actions(table)
            if legal & (legal - 1):
                rows[n] = rows[i]
                see(table, np.int64(table.to_act), seen[n])
                n += 1
                break
            do(table, lowest_bit(legal))
    return n


@kernel
def do_each(tables: Any, rows: Any, actions: Any) -> None:
    """Do each action at the table of its row."""
    for i in range(len(rows)):
        do(tables[rows[i]], actions[i])


@kernel
def set_rollouts(
    views: Any, owners: Any, hands: Any, discards: Any, widows: Any, actions: Any, tables: Any
) -> None:
    """Make tables (R,): the world of hands (R, 4), discards and widows (R,) of views[owners[r]], after
    the action actions[r]."""
    for r in range(len(tables)):
        discard, widow = np.int64(discards[r]), np.int64(widows[r])
        set_world(tables[r], views[owners[r]], hands[r], discard, widow, np.uint64(0))
        do(tables[r], np.int64(actions[r]))


# ---- equal cards ------------------------------------------------------------------------------


@kernel
def write_alike_each(views: Any, likely: Any, alike: Any) -> None:
    """`write_alike` for each view (B,): likely and alike (B, 39)."""
    for i in range(len(views)):
        write_alike(views[i], likely[i], alike[i])


@kernel
def write_alike(view: View, likely: Any, alike: Any) -> None:
    """Write for each legal action the one that stands for it into `alike` (39,), -1 for illegal ones.
    Cards to be played or discarded stand for each other if no card that another seat may hold lies
    between them; of these the one with the greatest of `likely` (39,) stands for all."""
    legal = np.int64(view.legal)
    for action in range(len(alike)):
        alike[action] = action if (legal >> action) & 1 else -1
    if view.phase not in (DISCARD, PLAY):
        return
    gone = cards_gone(view)
    group, row = np.int64(NO_CARD), np.int64(-1)
    for j in range(N_CARDS):
        card = IN_ROWS[view.trump, j]
        if ROW_START[view.trump, j] != row:
            group, row = np.int64(NO_CARD), ROW_START[view.trump, j]
        if (gone >> card) & 1:
            continue
        if not (legal >> card) & 1:
            group = np.int64(NO_CARD)
        elif group == NO_CARD:
            group = card
        else:
            best = card if likely[card] > likely[group] else group
            for other in range(N_CARDS):
                if alike[other] == group or other == card:
                    alike[other] = best
            group = best


@kernel
def cards_gone(view: View) -> Int:
    """The cards that are out of play for all that the seat knows: played to a finished trick, put away
    by the seat itself, or not in the pack (R20)."""
    gone = ~PACK_SETS[view.hand_size] | one_bit(view.discard)
    for seat in range(N_SEATS):
        gone |= view.played[seat] & ~one_bit(view.trick[seat])
    return gone
