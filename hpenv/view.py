"""What one seat may know of a table. This is the only place that hides cards.

A view is the public part of the table, byte for byte, and then what its seat knows besides: its hand,
and the widow and the discard if it is the maker. It remembers everything the seat has seen in the deal.

Where many tables are observed the copy is saved: `public_part` shows the public fields of tables in
place, as records that have no other fields, and `own_of` gives what one seat knows besides.
"""

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from hpenv.arguments import check_kind, seat_number
from hpenv.cards import NO_CARD, set_text
from hpenv.compiled import Int, inlined, kernel
from hpenv.notebook import Shown
from hpenv.rulebook import AUCTION, is_dealt, legal_actions
from hpenv.seats import SEAT_LETTERS
from hpenv.table import PUBLIC, TABLE, Table
from hpenv.text import own_text, public_text

OWN: list[Any] = [
    ("hand", "i8"),  # set of cards held now
    ("legal", "i8"),  # set of legal actions; empty unless this seat is to act
    ("seat", "i1"),  # whose view this is
    ("widow", "i1"),  # if this seat took it, else NO_CARD
    ("discard", "i1"),  # if this seat made it, else NO_CARD
]


class View(Shown, np.record):  # type: ignore[misc]
    """One seat's view: a numpy record of `VIEW`."""

    def __str__(self) -> str:
        if not is_dealt(self):
            return public_text(self)
        held = f"{SEAT_LETTERS[self.seat]} holds {set_text(self.hand)}"
        return f"{public_text(self)}\n{held}{own_text(self)}"

    def __repr__(self) -> str:
        return f"<View\n{self}>"


VIEW = np.dtype((View, PUBLIC + OWN))
PUBLIC_BYTES = np.dtype(PUBLIC).itemsize
# The history is left out: an observation does not need it, and without it numba does not take a whole
# table or view for one of these records.
IN_PLACE = [field[0] for field in PUBLIC if field[0] not in ("history", "history_seat")]
PUBLIC_OF_TABLE = np.dtype((np.record, TABLE[IN_PLACE]))

Public = Any  # a record with the fields of IN_PLACE: a View, or one of `public_part`


class Own(NamedTuple):
    """What a seat knows besides the public part of its table: the fields of a view in `OWN`."""

    hand: Int
    legal: Int
    seat: Int
    widow: Int
    discard: Int


def public_part(tables: Any) -> Any:
    """The public part of tables (B,), less the history, in place: the records have no hidden field, so
    that a kernel which reads one does not compile."""
    return tables.view(PUBLIC_OF_TABLE)


@inlined
def own_of(table: Table, seat: Int) -> Own:
    """What `seat` knows of a table besides its public part."""
    legal = legal_actions(table) if table.to_act == seat else np.int64(0)
    took_widow = table.maker == seat and table.phase != AUCTION
    widow, discard = np.int64(table.widow), np.int64(table.discard)
    return Own(
        table.hands[seat],
        legal,
        np.int64(seat),
        widow if took_widow else np.int64(NO_CARD),
        discard if took_widow else np.int64(NO_CARD),
    )


def copy_public(view: View, table: Table) -> None:
    """Copy what everybody knows from a table into a view."""
    for field in PUBLIC:
        view[field[0]] = table[field[0]]


@intrinsic
def _copy_public_bytes(typingctx: Any, view: Any, table: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        size = ir.Constant(ir.IntType(64), PUBLIC_BYTES)
        cgutils.raw_memcpy(builder, args[0], args[1], size, 1)
        return context.get_dummy_value()

    return types.void(view, table), codegen


@overload(copy_public, strict=False)
def _copy_public(view: Any, table: Any) -> Any:
    return lambda view, table: _copy_public_bytes(view, table)  # noqa: PLW0108


@kernel
def see(table: Table, seat: Int, view: View) -> None:
    """Write the view of `seat` into `view`."""
    own = own_of(table, seat)
    copy_public(view, table)
    view.hand = own.hand
    view.legal = own.legal
    view.seat = own.seat
    view.widow = own.widow
    view.discard = own.discard


@kernel
def see_each(tables: Any, seats: Any, views: Any) -> None:
    """Write the view of `seats[i]` at `tables[i]` into `views[i]`, all of shape (B,)."""
    for i in range(len(tables)):
        see(tables[i], seats[i], views[i])


def view_of(table: Table, seat: int | str) -> View:
    """What one seat may know of a table, as a new record. seat: 0 to 3, a letter or a name.

    Raises TypeError for anything but a Table, and ValueError for what is no seat.

    >>> from hpenv.table import deal
    >>> table = deal("standard", seed=1, dealer="North")
    >>> table.step("bid 3")
    >>> print(view_of(table, "East"))
    deal 1, dealer N, score NS 0 EW 0, auction, S to act
    auction: E bid 3
    E holds TC QC AD AH 9S QS
    """
    check_kind(table, Table, "a view")
    views = np.zeros(1, VIEW)
    see(table, seat_number(seat), views[0])
    return views[0]  # type: ignore[no-any-return]
