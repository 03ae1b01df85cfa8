"""One table as one numpy record.

A record begins with everything that everybody at the table knows (`PUBLIC`) and ends with what is
hidden. Nothing secret is ever written into the public part, so whoever copies only that part (see
view.py) cannot leak a card. Copying a record copies the game: that is all that clone, save, restore
and search need.
"""

from numbers import Integral
from typing import Any

import numpy as np

from hpenv.actions import N_ACTIONS
from hpenv.cards import MAX_HAND_SIZE, N_CARDS
from hpenv.compiled import MASK64
from hpenv.errors import illegal_action
from hpenv.notebook import Shown
from hpenv.rulebook import do, legal_actions, set_keys
from hpenv.rules import Rules
from hpenv.seats import N_SEATS
from hpenv.text import held_text, public_text

# 9 calls (pepper form), trump, discard, one answer, and four cards a trick: with a loner there are
# two answers more but six cards fewer.
MAX_CALLS = 9
HISTORY = MAX_CALLS + 3 + N_SEATS * MAX_HAND_SIZE

PUBLIC: list[Any] = [
    # the play so far
    ("played", "i8", (N_SEATS,)),  # set of cards each seat has played in this deal
    ("bids", "i8"),  # bids made: bit 7 * seat + n - 1 for the bid n or BIG
    ("voids", "i8"),  # suits a seat has shown it cannot follow: bit 4 * seat + suit
    ("played_in", "i1", (N_CARDS,)),  # the trick each card was played in, 1..6; 0 not yet
    ("trick", "i1", (N_SEATS,)),  # each seat's card in the current trick, or NO_CARD
    ("history", "i1", (HISTORY,)),  # every action of the deal in order; the discard as FACE_DOWN
    ("history_seat", "i1", (HISTORY,)),  # who did it
    ("history_length", "i1"),  # 0..HISTORY
    ("leader", "i1"),  # seat that led the current trick, or NOBODY
    ("led_suit", "i1"),  # suit led, or NO_SUIT between tricks
    ("winning_seat", "i1"),  # seat whose card is winning the current trick, or NOBODY
    ("winning_strength", "i1"),  # and that card's strength
    ("cards_in_trick", "i1"),  # 0..3; the last trick of a deal stays, 2..4
    ("tricks_played", "i1"),  # 0..6
    ("tricks", "i1", (2,)),  # tricks won by each side
    # the contract
    ("phase", "i1"),
    ("to_act", "i1"),  # seat, or NOBODY when the deal is over
    ("bid", "i1"),  # standing bid: 0 none, 1..6, BIG
    ("maker", "i1"),  # the standing bid's seat, or NOBODY
    ("passed", "i1"),  # set of seats that have passed
    ("trump", "i1"),  # suit, or NO_SUIT
    ("alone", "i1"),  # set of seats playing alone
    ("sitting_out", "i1"),  # set of seats whose partner plays alone
    # the game
    ("points", "i2", (2,)),  # what the finished deal gave each side
    ("score", "i4", (2,)),  # of the game, each side
    ("deals_played", "i2"),  # finished deals of this game
    ("dealer", "i1"),
    ("winner", "i1"),  # side that has won the game, or NOBODY
    # the rules in force (rules.py)
    ("hand_size", "i1"),
    ("pepper", "i1"),
    ("bid_penalty", "i1"),
    ("dealer_must_bid", "i1"),
    ("alone_allowed", "i1"),
    ("alone_factor", "i1"),
    ("defenders_score", "i1"),
    ("target", "i2"),
    ("max_deals", "i2"),
]
HIDDEN: list[Any] = [
    ("hands", "i8", (N_SEATS,)),  # set of cards each seat holds
    ("widow", "i1"),  # the card dealt face down
    ("discard", "i1"),  # the maker's discard, or NO_CARD
    ("pack", "i1", (N_CARDS,)),  # the deal: k cards for each seat in turn, then the widow
    ("key", "u8"),  # random key of this table
    ("deals_dealt", "i8"),  # since the key was set; deal number n depends on key and n only
]


class Table(Shown, np.record):  # type: ignore[misc]
    """One table: a numpy record of `TABLE`, with the rules as methods for use one at a time."""

    def legal(self) -> int:
        """The legal actions as a set of bits (bit a = action a); empty when the deal is over."""
        return int(legal_actions(self))

    def step(self, action: int) -> None:
        """Do an action for the seat to act. Raises IllegalAction with a sentence, table unchanged."""
        if not isinstance(action, Integral) or not (
            0 <= action < N_ACTIONS and self.legal() >> int(action) & 1
        ):
            raise illegal_action(self, action)
        do(self, int(action))

    def __str__(self) -> str:
        return f"{public_text(self)}\n{held_text(self)}"

    def __repr__(self) -> str:
        return f"<Table\n{self}>"


TABLE = np.dtype((Table, PUBLIC + HIDDEN))


def new_tables(
    n: int,
    rules: Rules | list[Rules],
    seed: int = 0,
    first_index: int = 0,
) -> Any:
    """`n` tables under one choice of rules or one each, nothing dealt: an array of TABLE, shape (n,).

    Table i gets the random key of (seed, first_index + i): the same deals in whatever batch it stands.
    """
    tables: Any = np.zeros(n, TABLE)
    if isinstance(rules, Rules):
        tables[:] = _blank(rules)
    elif len(rules) != n:
        raise ValueError(f"rules: {len(rules)} given for {n} tables")
    else:
        for chosen in dict.fromkeys(rules):
            tables[[other == chosen for other in rules]] = _blank(chosen)
    set_keys(tables, np.uint64(seed & MASK64), first_index)
    return tables


def _blank(rules: Rules) -> Any:
    """A table with nothing but its rules."""
    table: Any = np.zeros(1, TABLE)
    set_rules(table[0], rules)
    return table[0]


def set_rules(table: Table, rules: Rules) -> None:
    """Write rules into a table."""
    table.hand_size = rules.hand_size
    table.pepper = rules.bidding == "pepper"
    table.bid_penalty = rules.set_penalty == "bid"
    table.dealer_must_bid = rules.all_pass == "dealer_bids"
    table.alone_allowed = rules.alone
    table.alone_factor = rules.alone_factor
    table.defenders_score = rules.defenders_score
    table.target = rules.target
    table.max_deals = rules.max_deals


def rules_of(table: Any) -> Rules:
    """The rules written in a table or a view."""
    return Rules(
        bidding="pepper" if table.pepper else "numbers",
        set_penalty="bid" if table.bid_penalty else "tricks_won",
        all_pass="dealer_bids" if table.dealer_must_bid else "redeal",
        alone=bool(table.alone_allowed),
        alone_factor=int(table.alone_factor),
        defenders_score=bool(table.defenders_score),
        target=int(table.target),
        max_deals=int(table.max_deals),
        hand_size=int(table.hand_size),
    )
