"""An episode at one table, for the environments that hold one: kernels that act and look.

They take the table in an array of one, since that costs least to pass from Python.
"""

from typing import Any

import numpy as np

from hpenv.batch import GOES_ON, end_of_deal
from hpenv.compiled import Int, kernel
from hpenv.observation import write_hidden, write_history, write_mask, write_observation
from hpenv.rulebook import DEAL_OVER, do, legal_actions, new_game, next_deal
from hpenv.seats import NORTH
from hpenv.view import see

ILLEGAL = -2  # returned by `act` in place of a seat


@kernel
def start(tables: Any, dealer: Int, score_ns: Int, score_ew: Int) -> Int:
    """Start a new game at the table; returns the seat to act."""
    new_game(tables[0], dealer, score_ns, score_ew)
    return np.int64(tables[0].to_act)


@kernel
def act(tables: Any, action: Int, by_deal: bool, by_win: bool) -> tuple[Int, Int, Int]:
    """Do an action and deal again if the deal is over and the episode is not.

    Returns the seat to act, or NOBODY, or ILLEGAL if the action is, and nothing was done;
    whether the episode goes on; and the reward of North-South (East-West's is its negative).
    """
    table = tables[0]
    if not (legal_actions(table) >> action) & 1:
        return ILLEGAL, GOES_ON, 0
    do(table, action)
    if table.phase != DEAL_OVER:
        return np.int64(table.to_act), GOES_ON, 0
    end, reward = end_of_deal(table, by_deal, by_win)
    if end == GOES_ON:
        next_deal(table)
    return np.int64(table.to_act), end, reward


@kernel
def look(tables: Any, seat: Int, views: Any, observation: Any, mask: Any, history: Any) -> None:
    """Write a seat's observation (F,), mask (A,) and, if `history` has room, the deal's tokens."""
    view = views[0]
    see(tables[0], seat, view)
    write_observation(view, 0, observation)
    write_mask(view, 0, mask)
    if len(history):
        write_history(view, 0, history)


@kernel
def look_at_all(tables: Any, views: Any, observation: Any, hidden: Any) -> None:
    """Write North's observation (F,) and what North may not see (H,)."""
    see(tables[0], NORTH, views[0])
    write_observation(views[0], 0, observation)
    write_hidden(tables[0], NORTH, 0, hidden)
