"""What the play is worth with all hands open: exact tricks and points of any position, of every card
that may be played, of every contract that may be bid.

Two objectives: "tricks", where each side wants as many tricks as it can get, and "points", where each
side wants its points of the deal minus the other side's. They differ: under R15 as written makers who
must fail want few tricks. Values are those of the seat to act and its side. No seat's hand is hidden
from anybody here, so nothing that decides at a table may look at these answers for its own table.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hpenv.actions import BIG
from hpenv.arguments import check_array, check_kind
from hpenv.cards import MAX_HAND_SIZE, N_CARDS, N_SUITS, NO_CARD, trump_order
from hpenv.compiled import Int, kernel, lowest_bit
from hpenv.double_dummy_search import (
    HALF,
    ROWS,
    Memory,
    choices,
    likely_tricks,
    new_memory,
    value_of,
    without,
)
from hpenv.rulebook import AUCTION, DISCARD, NAME_TRUMP, PLAY, contract_points, legal_actions
from hpenv.seats import N_SEATS, left_of, partner_of, side_of, turned
from hpenv.table import TABLE, Table, Tables

OBJECTIVES = ("tricks", "points")
FAR = 1000  # more than any deal is worth

Whole: TypeAlias = NDArray[np.int64]
Worth: TypeAlias = NDArray[np.float64]  # nan for what cannot be done


def _rows(trump: int) -> list[list[int]]:
    trumps = trump_order(trump)
    sides = [suit for suit in range(N_SUITS) if suit != trump]
    rows = [[c for c in range(6 * s, 6 * s + 6) if c not in trumps] for s in sides]
    return [*rows, trumps[::-1]]


# The cards row by row, the lowest of each first, and the first place of their rows: [trump, i].
IN_ROWS = np.array([[c for row in _rows(t) for c in row] for t in range(N_SUITS)], np.int64)
ROW_START = np.array(
    [[start for start, row in zip(ROWS, _rows(t), strict=True) for _ in row] for t in range(N_SUITS)],
    np.int64,
)


@dataclass(frozen=True)
class Solution:
    """The exact value of a position, for the seat to act.

    seat: to act. tricks: shape (2,), the tricks each side still takes when both want tricks. points:
    the side's points of the whole deal minus the other side's when both want points. card_tricks,
    card_points: shape (25,), the same for each card the seat may play, nan for the others.
    """

    seat: int
    tricks: Whole
    points: int
    card_tricks: Worth
    card_points: Worth


@dataclass(frozen=True)
class Contracts:
    """What every contract of B deals is worth to its makers.

    values: shape (B, 4, 4), [deal, maker, trump], tricks or points, with the best discard. discards:
    shape (B, 4, 4), that discard. each_discard: shape (B, 4, 4, 25), what each discard is worth, nan
    for cards the maker would not hold; None unless asked for.
    """

    values: Whole
    discards: Whole
    each_discard: Worth | None = None


def solve(table: Table, memory: Memory | None = None) -> Solution:
    """Everything about one table whose cards are being played.

    Raises TypeError for anything but a Table, and ValueError where no card is to be played.
    """
    check_kind(table, Table, "a solution")
    tables = np.array([table], table.dtype)
    memory = new_memory() if memory is None else memory
    card_tricks, card_points = (solve_all_cards(tables, wanted, memory)[0] for wanted in OBJECTIVES)
    seat = int(table.to_act)
    tricks = np.full(2, int(table.hand_size - table.tricks_played) - int(np.nanmax(card_tricks)))
    tricks[side_of(seat)] = np.nanmax(card_tricks)
    return Solution(seat, tricks, int(np.nanmax(card_points)), card_tricks, card_points)


def solve_tables(tables: Tables, objective: str = "tricks", memory: Memory | None = None) -> Whole:
    """The value of each of B tables in the play, shape (B,): the tricks that the side of the seat to
    act still takes, or its points of the deal minus the other side's.

    `memory`, from `new_memory`, may be kept from call to call to save time; one thread at a time may
    use it. Raises ValueError for a table where no card is to be played.
    """
    by_points = _by_points(tables, objective)
    values = np.zeros(len(tables), np.int64)
    _solve_tables(tables, by_points, values, new_memory() if memory is None else memory)
    return values


def solve_all_cards(tables: Tables, objective: str = "tricks", memory: Memory | None = None) -> Worth:
    """The value of each card that may be played at each of B tables, shape (B, 25), nan for a card
    that may not; see `solve_tables`."""
    by_points = _by_points(tables, objective)
    values = np.full((len(tables), N_CARDS), np.nan)
    _solve_all_cards(tables, by_points, values, new_memory() if memory is None else memory)
    return values


def best_contracts(
    tables: Tables,
    bid: int = 0,
    alone: bool = False,
    each_discard: bool = False,
    memory: Memory | None = None,
) -> Contracts:
    """For B deals, each seat as the maker and each trump suit: the best discard and what comes of it.

    The tables stand in the auction or before the discard; hands, widow, dealer and rules are theirs.
    Without a bid the value is the makers' tricks; with one (1..hand size or `BIG`) it is the makers'
    points minus the defenders'. The maker plays with its partner, or alone against both defenders.
    With `each_discard` the worth of every discard is found too, not only of the best.
    """
    check_array(tables, TABLE, "contracts")
    if not np.isin(tables["phase"], (AUCTION, NAME_TRUMP, DISCARD)).all():
        raise ValueError("contracts: a table has its discard made already")
    if bid not in (0, BIG) and not 0 < bid <= int(tables["hand_size"].min(initial=MAX_HAND_SIZE)):
        raise ValueError(f"contracts: bid={bid} is no bid for these hands (R5, R20)")
    values = np.zeros((len(tables), N_SEATS, N_SUITS), np.int64)
    discards = np.full((len(tables), N_SEATS, N_SUITS), NO_CARD, np.int64)
    worth = np.full((len(tables) if each_discard else 1, N_SEATS, N_SUITS, N_CARDS), np.nan)
    memory = new_memory() if memory is None else memory
    _best_contracts(tables, bid, alone, each_discard, values, discards, worth, memory)
    return Contracts(values, discards, worth if each_discard else None)


def _by_points(tables: Tables, objective: str) -> bool:
    if objective not in OBJECTIVES:
        raise ValueError(f"objective={objective!r} is not one of {', '.join(OBJECTIVES)}")
    check_array(tables, TABLE, "double dummy")
    if (tables["phase"] != PLAY).any():
        raise ValueError("double dummy: at a table no card is to be played")
    return objective == "points"


# ---- many tables ------------------------------------------------------------------------------


@kernel
def _solve_tables(tables: Any, by_points: bool, values: Any, memory: Any) -> None:
    payoffs, places = np.zeros(MAX_HAND_SIZE + 1, np.int64), np.zeros(N_CARDS, np.int64)
    for i in range(len(tables)):
        values[i] = value_at(tables[i], by_points, payoffs, places, memory)


@kernel
def _solve_all_cards(tables: Any, by_points: bool, values: Any, memory: Any) -> None:
    payoffs, places = np.zeros(MAX_HAND_SIZE + 1, np.int64), np.zeros(N_CARDS, np.int64)
    for i in range(len(tables)):
        card_values_at(tables[i], by_points, values[i], payoffs, places, memory)


@kernel
def value_at(table: Any, by_points: bool, payoffs: Any, places: Any, memory: Any) -> Int:
    """The value of one table; see `solve_tables`. payoffs (7,) and places (25,) are room to work in."""
    owners, in_play, forced = lay_out(table, places)
    n = write_payoffs(table, by_points, payoffs)
    guess = payoffs[likely_tricks(owners, in_play, n)]
    value = value_of(owners, in_play, n, payoffs, forced, guess, -FAR, FAR, memory)
    return for_seat(table, by_points, n, value)


@kernel
def card_values_at(
    table: Any, by_points: bool, values: Any, payoffs: Any, places: Any, memory: Any
) -> None:
    """Write the value of each card that may be played at one table into `values` (25,); the others stay
    as they are. payoffs (7,) and places (25,) are room to work in."""
    owners, in_play, forced = lay_out(table, places)
    n = write_payoffs(table, by_points, payoffs)
    legal = legal_actions(table)
    value = payoffs[likely_tricks(owners, in_play, n)]
    equal, worth = np.int64(-1), np.int64(0)  # the place above the last card, and its worth
    for j in range(N_CARDS):  # in rows, so that equals come one after the other
        card = IN_ROWS[table.trump, j]
        if (legal >> card) & 1:
            if places[card] != equal:
                tried = forced | (1 << places[card])
                value = value_of(owners, in_play, n, payoffs, tried, value, -FAR, FAR, memory)
                worth = for_seat(table, by_points, n, value)
            values[card] = worth
            equal = places[card] + 1


@kernel
def _best_contracts(
    tables: Any,
    bid: Int,
    alone: bool,
    each_discard: bool,
    values: Any,
    discards: Any,
    worth: Any,
    memory: Any,
) -> None:
    payoffs, places = np.zeros(MAX_HAND_SIZE + 1, np.int64), np.zeros(N_CARDS, np.int64)
    hands = np.zeros(N_SEATS, np.int64)
    for i in range(len(tables)):
        table = tables[i]
        for maker in range(N_SEATS):
            leader = left_of(np.int64(maker if alone else table.dealer))  # R10
            seat = turned(maker, leader)
            for r in range(N_SEATS):
                hands[r] = table.hands[(leader + r) & 3] & ~(1 << np.int64(table.widow))
            hands[seat] |= 1 << np.int64(table.widow)
            if alone:
                hands[partner_of(seat)] = 0
            n = np.int64(table.hand_size)
            for won in range(n + 1):
                made = won if side_of(seat) == 0 else n - won
                value = points_apart(table, made, bid, alone) if bid else made
                payoffs[won] = value if side_of(seat) == 0 else -value
            for trump in range(N_SUITS):
                values[i, maker, trump], discards[i, maker, trump] = best_discard(
                    hands,
                    trump,
                    seat,
                    n,
                    payoffs,
                    places,
                    each_discard,
                    worth[i if each_discard else 0, maker, trump],
                    memory,
                )


@kernel
def best_discard(
    hands: Any,
    trump: Int,
    maker: Int,
    n: Int,
    payoffs: Any,
    places: Any,
    each_discard: bool,
    worth: Any,
    memory: Any,
) -> tuple[Int, Int]:
    """What the maker's side gets with the best of its seven discards, and that card. `payoffs` are
    those of the side on lead. If asked for, each discard's worth is written into the row `worth`."""
    owners, in_play = fill_rows(hands, trump, places)
    mine = nothing = np.int64(0)
    for card in range(N_CARDS):
        if (hands[maker] >> card) & 1:
            mine |= 1 << places[card]
    sign = -1 if side_of(maker) else 1
    guess = sign * payoffs[likely_tricks(owners, in_play, n)]
    best, best_card = -FAR, NO_CARD
    left = choices(mine, mine, nothing)
    while left:
        first = lowest_bit(left)
        left &= left - 1
        rest, cards = without(owners, in_play, 1 << first)
        floor = -FAR if each_discard else best
        low, high = (floor, FAR) if sign == 1 else (-FAR, -floor)
        value = sign * value_of(rest, cards, n, payoffs, nothing, sign * guess, low, high, memory)
        last = lowest_bit(~mine & -(1 << first))  # the place above the last of its equals
        for card in range(N_CARDS):
            if (hands[maker] >> card) & 1 and first <= places[card] < last:
                if value > best:
                    best, best_card, guess = value, card, value + 1
                if each_discard:
                    worth[card] = value
    return best, best_card


# ---- one position -----------------------------------------------------------------------------


@kernel
def lay_out(table: Any, places: Any) -> tuple[Int, Int, Int]:
    """A table's current trick from its start, for the search: owners, cards in play, and the cards
    already on the table, which are forced. `places` (25,) is filled with the cards' places."""
    hands = np.zeros(N_SEATS, np.int64)
    for r in range(N_SEATS):
        seat = (table.leader + r) & 3
        if not (table.sitting_out >> np.int64(seat)) & 1:
            hands[r] = table.hands[seat]
            if table.cards_in_trick and table.trick[seat] != NO_CARD:
                hands[r] |= 1 << np.int64(table.trick[seat])
    owners, in_play = fill_rows(hands, np.int64(table.trump), places)
    forced = np.int64(0)
    for seat in range(N_SEATS):
        if table.cards_in_trick and table.trick[seat] != NO_CARD:
            forced |= 1 << places[table.trick[seat]]
    return owners, in_play, forced


@kernel
def fill_rows(hands: Any, trump: Int, places: Any) -> tuple[Int, Int]:
    """The owners and the cards in play of four hands, (4,), the leader's first."""
    owners = in_play = np.int64(0)
    place = row = np.int64(0)
    for j in range(N_CARDS):
        card = IN_ROWS[trump, j]
        if ROW_START[trump, j] != row:
            place = row = ROW_START[trump, j]
        places[card] = place
        for seat in range(N_SEATS):
            if (hands[seat] >> card) & 1:
                owners |= (seat & 1) << place | (seat >> 1) << (place + HALF)
                in_play |= 1 << place
        if (in_play >> place) & 1:
            place += 1
    return owners, in_play


@kernel
def write_payoffs(table: Any, by_points: bool, payoffs: Any) -> Int:
    """How many tricks are to come, the current one included; into `payoffs` (7,) goes what t of them
    are worth to the side that leads it."""
    n = np.int64(table.hand_size - table.tricks_played)
    makers = side_of(table.maker)
    lone = bool((table.alone >> np.int64(table.maker)) & 1)
    for t in range(n + 1):
        payoffs[t] = t
        if by_points:
            leads = makers == side_of(table.leader)
            made = np.int64(table.tricks[makers]) + (t if leads else n - t)
            worth = points_apart(table, made, np.int64(table.bid), lone)
            payoffs[t] = worth if leads else -worth
    return n


@kernel
def points_apart(table: Any, won: Int, bid: Int, alone: bool) -> Int:
    """The makers' points minus the defenders' when the makers have won so many tricks."""
    makers, defenders = contract_points(table, won, bid, alone)
    return makers - defenders


@kernel
def for_seat(table: Any, by_points: bool, n: Int, value: Int) -> Int:
    """A value of the side that led the trick as the side of the seat to act sees it."""
    if side_of(table.to_act) != side_of(table.leader):
        return -value if by_points else n - value
    return value
