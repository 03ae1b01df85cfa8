"""What can be seen of a table: the facts that every drawing of it shows, in pictures and in text.

A scene of a Table has all the cards. A scene of a View has those that its seat may know, and None in
the place of every other: it is made from the view alone, so nothing hidden can be drawn.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from hpenv.actions import BIG_PEPPER, PASS, TRUMP, WITH_PARTNER, action_text
from hpenv.cards import JOKER, N_SUITS, NO_CARD, NO_SUIT, STRENGTH, SUIT_FOLLOWED, set_cards
from hpenv.compiled import count_bits
from hpenv.history import Trick, acts_of, tricks_of
from hpenv.notation import Record, replay
from hpenv.rulebook import (
    AUCTION,
    DEAL_OVER,
    DISCARD,
    NAME_TRUMP,
    PLAY,
    is_dealt,
    was_made,
)
from hpenv.seats import N_SEATS, NOBODY, SEAT_NAMES, SIDE_LETTERS
from hpenv.table import Table
from hpenv.text import NOTHING_DEALT, bid_text, phase_words
from hpenv.view import View

Position: TypeAlias = Table | View
Drawable: TypeAlias = Table | View | Record  # a Record is drawn at its last position
Card = int | None  # None for a card face down


@dataclass(frozen=True)
class Scene:
    """What one who looks at a table sees.

    seat: whose view it is, or None for a whole table. hands: each seat's cards as sorted for the eye.
    widow, discard: a card, None face down; `has_widow`, `has_discard`: whether there is one;
    `is_widow_taken`: whether the maker has it. calls: each seat's calls and answers. voids: the suits
    each seat has shown it cannot follow. tricks: all that have begun. trump, maker, to_act: as in the
    table, NO_SUIT or NOBODY before it is so. level: the tricks the maker needs. alone, sitting_out:
    seats. score, won, points: each side's score of the game, tricks and points of the finished deal.
    is_play: are cards played, or were they. status: who is to do what. result: how the deal ended.
    """

    seat: int | None
    hands: tuple[tuple[Card, ...], ...]
    widow: Card
    discard: Card
    has_widow: bool
    is_widow_taken: bool
    has_discard: bool
    calls: tuple[tuple[str, ...], ...]
    voids: tuple[tuple[int, ...], ...]
    tricks: tuple[Trick, ...]
    trump: int
    maker: int
    bid: str
    level: int
    dealer: int
    to_act: int
    alone: tuple[int, ...]
    sitting_out: tuple[int, ...]
    score: tuple[int, int]
    won: tuple[int, int]
    points: tuple[int, int]
    target: int
    hand_size: int
    deal: int
    is_over: bool
    is_play: bool
    status: str
    result: str

    def trick(self) -> Trick | None:
        """The trick on the table: the current one, or the last when the deal is over."""
        if not self.tricks or not (self.is_over or len(self.tricks) > sum(self.won)):
            return None
        return self.tricks[-1]

    def trick_before(self) -> Trick | None:
        """The last finished trick that no longer lies on the table."""
        gone = self.tricks[:-1] if self.trick() else self.tricks
        return gone[-1] if gone else None


def drawn_from(record: Drawable) -> Position:
    """The Table or the View to draw: the one given, or the last position of a deal Record.

    Raises TypeError for anything else, and RecordError for a Record that breaks the rules.
    """
    if isinstance(record, Record):
        return replay(record).table
    if not isinstance(record, Table | View):
        raise TypeError(f"a drawing is made of a Table, a View or a Record, not of {_kind(record)}")
    return record


def scene_of(record: Drawable) -> Scene:
    """The scene of a Table, of a View, or of the last position of a deal Record.

    Raises what `drawn_from` raises.
    """
    record = drawn_from(record)
    dealt = isinstance(record, View) or any(record.hands) or record.history_length > 0
    dealt = bool(dealt and is_dealt(record))
    trump = int(record.trump) if record.phase > NAME_TRUMP else NO_SUIT
    over = bool(is_dealt(record) and record.phase == DEAL_OVER)
    maker = int(record.maker) if record.bid else NOBODY
    widow, discard = _secrets(record)
    return Scene(
        seat=int(record.seat) if isinstance(record, View) else None,
        hands=tuple(
            _hand(record, seat, trump if maker != NOBODY else NO_SUIT) for seat in range(N_SEATS)
        ),
        widow=widow,
        discard=discard,
        has_widow=dealt,
        is_widow_taken=maker != NOBODY and record.phase != AUCTION,
        has_discard=maker != NOBODY and record.phase > DISCARD,
        calls=_calls(record),
        voids=tuple(
            tuple(s for s in range(N_SUITS) if int(record.voids) >> N_SUITS * seat + s & 1)
            for seat in range(N_SEATS)
        ),
        tricks=tuple(tricks_of(record)),
        trump=trump if maker != NOBODY else NO_SUIT,
        maker=maker,
        bid=bid_text(record, int(record.bid)),
        level=min(int(record.bid), int(record.hand_size)),
        dealer=int(record.dealer),
        to_act=int(record.to_act) if dealt else NOBODY,
        alone=_members(record.alone),
        sitting_out=_members(record.sitting_out),
        score=(int(record.score[0]), int(record.score[1])),
        won=(int(record.tricks[0]), int(record.tricks[1])),
        points=(int(record.points[0]), int(record.points[1])),
        target=int(record.target),
        hand_size=int(record.hand_size),
        deal=int(record.deals_played) + (not over),
        is_over=over,
        is_play=record.phase == PLAY or (over and record.tricks_played > 0),
        status=_status(record) if dealt else NOTHING_DEALT,
        result=_result(record, maker) if over else "",
    )


def _kind(record: Any) -> str:
    shape = (
        f" of shape {record.shape}, take one of it as in tables[0]"
        if isinstance(record, np.ndarray)
        else ""
    )
    return f"{type(record).__name__}{shape}"


def _members(seats: Any) -> tuple[int, ...]:
    return tuple(seat for seat in range(N_SEATS) if int(seats) >> seat & 1)


def _hand(record: Any, seat: int, trump: int) -> tuple[Card, ...]:
    if isinstance(record, Table):
        return sorted_hand(record.hands[seat], trump)
    if seat == record.seat:
        return sorted_hand(record.hand, trump)
    more = seat == record.maker and record.phase in (NAME_TRUMP, DISCARD)
    return (None,) * (int(record.hand_size) - int(count_bits(record.played[seat])) + more)


def sorted_hand(cards: int, trump: int) -> tuple[int, ...]:
    """A hand as players hold it: the trumps first, best first, then dark and warm suits in turn."""
    suits = (3, 2, 0, 1) if trump == NO_SUIT else _suits_after(trump)

    def place(card: int) -> tuple[int, int]:
        suit = int(SUIT_FOLLOWED[trump, card])
        if card == JOKER:
            return -1, 0
        return suits.index(suit), -int(STRENGTH[trump, suit, card])

    return tuple(sorted(set_cards(cards), key=place))


def _suits_after(trump: int) -> tuple[int, ...]:
    """The trumps, a suit of the other colour, the other suit of the trumps' colour, and the last."""
    others = [suit for suit in range(N_SUITS) if suit not in (trump, 3 - trump)]
    return trump, others[0], 3 - trump, others[1]


def _secrets(record: Any) -> tuple[Card, Card]:
    """The widow and the discard, as far as the record has them."""
    widow = None if record.widow == NO_CARD else int(record.widow)
    discard = None if record.discard == NO_CARD else int(record.discard)
    return widow, discard


def _calls(record: Any) -> tuple[tuple[str, ...], ...]:
    calls: list[list[str]] = [[] for _ in range(N_SEATS)]
    for seat, action in acts_of(record):
        if action == PASS:
            calls[seat].append("pass")
        elif PASS < action <= BIG_PEPPER:
            calls[seat].append(bid_text(record, action - PASS))
        elif TRUMP + N_SUITS <= action <= WITH_PARTNER:
            calls[seat].append(action_text(action))
    return tuple(tuple(each) for each in calls)


def _status(record: Any) -> str:
    if record.phase == DEAL_OVER:
        return "deal over"
    leads = record.phase == PLAY and not record.cards_in_trick
    return f"{SEAT_NAMES[record.to_act]} {'to lead' if leads else phase_words(record).doing}"


def _result(record: Any, maker: int) -> str:
    """`North-South made bid 3`, `East-West were set`, `thrown in`, and the winners of the game."""
    if maker == NOBODY:
        return "thrown in"
    side = maker & 1
    made = was_made(int(record.tricks[side]), int(record.bid), int(record.hand_size))
    verb = "made" if made else "were set at"
    text = f"{SIDE_LETTERS[side]} {verb} {bid_text(record, int(record.bid))}"
    return text + (f", {SIDE_LETTERS[record.winner]} win the game" if record.winner != NOBODY else "")
