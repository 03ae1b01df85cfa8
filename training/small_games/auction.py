"""The auction of a small game: every way it can go, which is the same for all deals."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpenv.cards import set_cards
from hpenv.rulebook import AUCTION, legal_actions
from hpenv.table import Table

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Auction:
    """The positions of an auction, the earlier ones first, in arrays (A,), NONE where there is nothing.

    parent: the position before. seat: who is to call, NONE at an end. call: what led here, as the
    number of an action; rank: the same, counted from 0 among the calls allowed. calls: how many are
    allowed here. maker, bid: at an end.
    """

    parent: Numbers
    seat: Numbers
    call: Numbers
    rank: Numbers
    calls: Numbers
    maker: Numbers
    bid: Numbers

    def __len__(self) -> int:
        return len(self.parent)

    def way(self, at: int) -> list[int]:
        """The calls that lead to a position."""
        before = int(self.parent[at])
        return [] if before < 0 else [*self.way(before), int(self.call[at])]

    def ends(self) -> list[int]:
        """The positions in which somebody has become the maker."""
        return np.flatnonzero(self.maker >= 0).tolist()


def auction_at(table: Table) -> Auction:
    """All that can be called at a table whose auction is about to begin."""
    rows: list[tuple[int, ...]] = []

    def call_on(table: Any, parent: int, call: int, rank: int) -> None:
        over = table.phase != AUCTION
        legal = [] if over else set_cards(legal_actions(table))
        here = len(rows)
        seat = -1 if over else int(table.to_act)
        rows.append((parent, seat, call, rank, len(legal), int(table.maker) if over else -1, table.bid))
        for number, action in enumerate(legal):
            after = table.copy()
            after.step(action)
            call_on(after, here, action, number)

    call_on(table, -1, -1, -1)
    return Auction(*np.array(rows, np.int64).T.copy())
