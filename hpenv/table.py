"""One table as one numpy record.

A record begins with everything that everybody at the table knows (`PUBLIC`) and ends with what is
hidden. Nothing secret is ever written into the public part, so whoever copies only that part (see
view.py) cannot leak a card. Copying a record copies the game: that is all that clone, save, restore
and search need.
"""

import secrets
from collections.abc import Sequence
from functools import cache
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hpenv.actions import N_ACTIONS, action_set_text
from hpenv.arguments import random_word, seat_number, whole_number
from hpenv.cards import MAX_HAND_SIZE, N_CARDS
from hpenv.errors import action_named, illegal_action
from hpenv.notebook import Shown
from hpenv.rulebook import (
    DEAL_OVER,
    clear,
    do,
    is_dealt,
    is_truncated,
    legal_actions,
    new_game,
    next_deal,
    set_keys,
)
from hpenv.rules import RuleChoice, Rules, check_score, get_rules
from hpenv.seats import N_SEATS, NOBODY, SIDE_LETTERS
from hpenv.text import NOTHING_DEALT, held_text, public_text

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
    ("phase", "i1"),  # a Phase; DEAL_OVER when nothing was dealt yet, too
    ("to_act", "i1"),  # seat, or NOBODY when the deal is over
    ("bid", "i1"),  # standing bid: NO_BID, then, 1..6, BIG
    ("maker", "i1"),  # the standing bid's seat, or NOBODY
    ("passed", "i1"),  # set of seats that have passed
    ("trump", "i1"),  # suit, or NO_SUIT
    ("alone", "i1"),  # set of seats playing alone
    ("sitting_out", "i1"),  # set of seats whose partner plays alone
    # the game
    ("points", "i2", (2,)),  # what the finished deal gave each side
    ("score", "i4", (2,)),  # of the game, each side
    ("deals_played", "i2"),  # finished deals of this game
    ("dealer", "i1"),  # seat, or NOBODY when nothing was dealt yet
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
    """One table: a numpy record of `TABLE`, with the rules as methods for use one at a time.

    Every field of `PUBLIC` and `HIDDEN` is an attribute, as in `table.points` or `table.dealer`.

    >>> table = deal("standard", seed=1, dealer="South")
    >>> table.legal_actions()
    ['pass', 'bid 1', 'bid 2', 'bid 3', 'bid 4', 'bid 5', 'bid 6']
    >>> table.step("bid 3")
    >>> table.step("bid 2")
    Traceback (most recent call last):
        ...
    hpenv.errors.IllegalAction: North must bid more than the standing bid 3 (R5), tried bid 2
    """

    def legal_actions(self) -> list[str]:
        """What the seat to act may do, in words and in the order of the actions' numbers; nothing when
        the deal is over."""
        return action_set_text(legal_actions(self))

    def step(self, action: int | str) -> None:
        """Do an action for the seat to act, given by its number or its words: `TH`, `bid 3`.

        Raises IllegalAction with a sentence that names the rule, the table unchanged.
        """
        number: Any = action
        if isinstance(action, str):
            number = action_named(action, bool(self.pepper), int(self.hand_size))
        if (
            not isinstance(number, Integral)
            or isinstance(number, bool)
            or not 0 <= int(number) < N_ACTIONS
            or not legal_actions(self) >> int(number) & 1
        ):
            raise illegal_action(self, number)
        do(self, int(number))

    @property
    def is_over(self) -> bool:
        """Whether the deal is over: nobody is to act."""
        return bool(self.phase == DEAL_OVER)

    @property
    def is_game_over(self) -> bool:
        """Whether a side has won the game (R18), or it has had all the deals it may have (R19)."""
        return bool(self.is_over and (self.winner != NOBODY or is_truncated(self)))

    def next_deal(self) -> None:
        """Deal the next deal of the game, one seat further (R3).

        Raises ValueError, the table unchanged, in the middle of a deal and when the game is over.
        """
        if not is_dealt(self):
            raise ValueError(f"{NOTHING_DEALT}: begin a game with new_game()")
        if not self.is_over:
            raise ValueError("the next deal begins when this one is over (R3)")
        if self.winner != NOBODY:
            raise ValueError(f"{SIDE_LETTERS[self.winner]} have won the game (R18): see new_game()")
        if self.is_game_over:
            raise ValueError(f"the game ends after {self.max_deals} deals (R19): see new_game()")
        next_deal(self)

    def new_game(self, dealer: int | str | None = None, score: tuple[int, int] = (0, 0)) -> None:
        """Begin a game with a deal. dealer: a seat by number, letter or name; None for a random one
        (R3). score: North-South's and East-West's before the deal, below the target.

        Raises ValueError or TypeError, the table unchanged, for anything else.
        """
        first = NOBODY if dealer is None else seat_number(dealer, "dealer")
        check_score(score, rules_of(self))
        new_game(self, first, int(score[0]), int(score[1]))

    def __str__(self) -> str:
        return f"{public_text(self)}\n{held_text(self)}" if is_dealt(self) else public_text(self)

    def __repr__(self) -> str:
        return f"<Table\n{self}>"


TABLE = np.dtype((Table, PUBLIC + HIDDEN))
Tables: TypeAlias = NDArray[Table]  # of TABLE

LAST_INDEX = 2**62  # twice as many keys fit into 64 bits


def deal(
    rules: RuleChoice = "standard",
    seed: int | None = None,
    dealer: int | str | None = None,
    score: tuple[int, int] = (0, 0),
) -> Table:
    """A table with the first deal of a game dealt, the seat at the dealer's left to act.

    rules: a preset's name, a dictionary of options, or a Rules. seed: any whole number, which chooses
    the cards of this deal and of those to come; None for a random one. dealer: a seat by number, letter
    or name; None for a random one (R3). score: North-South's and East-West's before the deal.

    Raises ValueError or TypeError with a sentence for anything else.

    >>> table = deal("standard", seed=1, dealer="South")
    >>> print(str(table).splitlines()[0])
    deal 1, dealer S, score NS 0 EW 0, auction, W to act
    """
    word = secrets.randbits(64) if seed is None else seed
    table: Table = new_tables(1, rules, word)[0]
    table.new_game(dealer, score)
    return table


def new_tables(
    n: int,
    rules: RuleChoice | Sequence[RuleChoice] = "standard",
    seed: int = 0,
    first_index: int = 0,
) -> Tables:
    """`n` tables under one choice of rules or one each, nothing dealt: an array of TABLE, shape (n,).

    rules: as for `deal`. Table i gets the random key of (seed, first_index + i): the same deals in
    whatever batch it stands. seed: any whole number. first_index: from 0 on.

    Raises ValueError or TypeError with a sentence for anything else.
    """
    n = whole_number("n", n, 0)
    word, first = random_word("seed", seed), whole_number("first_index", first_index, 0, LAST_INDEX - n)
    tables: Any = np.zeros(n, TABLE)
    if isinstance(rules, str) or not isinstance(rules, Sequence):
        tables[:] = _blank(get_rules(rules))
    elif len(rules) != n:
        raise ValueError(f"rules: {len(rules)} given for {n} tables")
    else:
        each = [get_rules(choice) for choice in rules]
        for chosen in dict.fromkeys(each):
            tables[[other == chosen for other in each]] = _blank(chosen)
    set_keys(tables, word, first)
    return tables  # type: ignore[no-any-return]


@cache
def _blank(rules: Rules) -> Any:
    """A table with nothing but its rules, to be copied."""
    table: Any = np.zeros(1, TABLE)[0]
    clear(table)
    table.dealer = NOBODY
    table.winner = NOBODY
    set_rules(table, rules)
    return table


def set_rules(table: Table, rules: RuleChoice) -> None:
    """Write rules into a table."""
    rules = get_rules(rules)
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
