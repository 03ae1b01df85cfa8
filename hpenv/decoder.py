"""An observation read back: from one seat's numbers and mask to its whole view, and to text.

This is observation.py turned round, in plain Python that can be checked by eye. It needs nothing but
the two vectors, so it shows that they lose nothing: neither the order of the calls nor that of the
cards. The observing seat does not know its compass point, so the view comes back turned until that
seat is North: then East is the left opponent, South the partner and West the right opponent.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hpenv.actions import ALONE, BID, FACE_DOWN, N_ACTIONS, N_LEVELS, PASS, TRUMP, WITH_PARTNER
from hpenv.cards import N_CARDS, N_SUITS, NO_CARD, NO_SUIT, STRENGTH, SUIT_FOLLOWED, card_set
from hpenv.observation import LAYOUT, OBSERVATION_SIZE, observation_bounds
from hpenv.rulebook import AUCTION, DEAL_OVER, DEFENDER_ALONE, DISCARD, MAKER_ALONE
from hpenv.seats import N_SEATS, NOBODY
from hpenv.view import VIEW, View

Acts = Iterator[tuple[int, int]]  # seats and what they did, in order

_BOUNDS = observation_bounds()

TURNED = "As this seat sees it: N is itself, E the left opponent, S its partner, W the right opponent."


def pieces(observation: ArrayLike) -> dict[str, NDArray[Any]]:
    """The named pieces of an observation of shape (F,), each an array of its size.

    Raises ValueError if the shape is another.
    """
    vector = _vector(observation, "observation", OBSERVATION_SIZE)
    return {name: vector[place] for name, place in LAYOUT.items()}


def _vector(numbers: ArrayLike, name: str, size: int) -> NDArray[Any]:
    vector = np.asarray(numbers)
    if vector.shape != (size,):
        raise ValueError(f"{name} has shape {vector.shape}, not ({size},)")
    if vector.dtype.kind not in "biuf":
        raise TypeError(f"{name} is made of numbers, not of {vector.dtype}")
    return vector


def decode(observation: ArrayLike, mask: ArrayLike) -> View:
    """The view that an observation (F,), int8 or float32, and its mask (A,) were written from, turned
    so that the observing seat is North. If its suits were relabelled, they stay so.

    Scores and counts beyond the cut of 100 come back as 100, and the winner of a game whose score or
    target lies beyond it cannot be told. Raises TypeError for what is not made of numbers, and
    ValueError for vectors of another shape and for numbers that no observation or mask has.
    """
    piece = pieces(observation)
    actions = _vector(mask, "mask", N_ACTIONS)
    low, high = _BOUNDS
    for name, numbers in piece.items():
        _check_bounds(name, numbers, low[LAYOUT[name]], high[LAYOUT[name]])
    _check_bounds("mask", actions, np.zeros(N_ACTIONS), np.ones(N_ACTIONS))
    view: View = np.zeros(1, VIEW)[0]
    view.seat = 0
    view.legal = _set(actions)
    _read_cards(view, piece)
    _read_contract(view, piece)
    _read_game(view, piece)
    try:
        for n, (seat, action) in enumerate(_history(view)):
            view.history[n] = action
            view.history_seat[n] = seat
            view.history_length = n + 1
    except (IndexError, KeyError, ValueError):
        raise ValueError("observation: its pieces are of no deal") from None
    return view


def _check_bounds(
    name: str, numbers: NDArray[Any], low: NDArray[np.float64], high: NDArray[np.float64]
) -> None:
    wrong = np.flatnonzero(~((numbers >= low) & (numbers <= high)))  # nan is neither
    if len(wrong):
        i = wrong[0]
        raise ValueError(f"{name}[{i}] is {numbers[i]}, not from {low[i]:.0f} to {high[i]:.0f}")


def read(observation: ArrayLike, mask: ArrayLike) -> str:
    """The decoded view as text, for people: seats turned so that the observing seat is North."""
    return f"{TURNED}\n{decode(observation, mask)}"


def turn(view: View, k: int) -> View:
    """The same view at a table where every seat sits k places further clockwise: a new record."""
    turned: View = np.zeros(1, VIEW)[0]
    for field in VIEW.names or ():
        turned[field] = view[field]
    for field in ("played", "trick"):
        turned[field] = np.roll(view[field], k)
    for field in ("score", "points", "tricks"):
        turned[field] = np.roll(view[field], k % 2)
    for field in ("leader", "winning_seat", "to_act", "maker", "dealer", "seat"):
        turned[field] = NOBODY if view[field] == NOBODY else (view[field] + k) % N_SEATS
    for field in ("passed", "alone", "sitting_out"):
        turned[field] = _turned_set(view[field], 1, k)
    turned.bids = _turned_set(view.bids, N_LEVELS, k)
    turned.voids = _turned_set(view.voids, N_SUITS, k)
    turned.winner = NOBODY if view.winner == NOBODY else (view.winner + k) % 2
    n = int(view.history_length)
    turned.history_seat[:n] = (view.history_seat[:n] + k) % N_SEATS
    return turned


def _turned_set(members: Any, width: int, k: int) -> int:
    """A set with `width` bits for each seat, every seat's bits moved to the seat k places on."""
    each = [int(members) >> width * seat & (1 << width) - 1 for seat in range(N_SEATS)]
    return sum(bits << width * ((seat + k) % N_SEATS) for seat, bits in enumerate(each))


# ---- piece by piece ---------------------------------------------------------------------------


def _set(lit: Any) -> int:
    """The set of the places that hold a 1."""
    return card_set(int(i) for i in np.flatnonzero(lit))


def _one(lit: Any, none: int) -> int:
    """The place that holds the 1, or `none` if no place does."""
    return int(np.argmax(lit)) if np.any(lit) else none


def _read_cards(view: View, piece: dict[str, Any]) -> None:
    """The hand, the maker's secrets, and the cards on the table."""
    view.hand = _set(piece["hand"])
    view.widow = _one(piece["widow"], NO_CARD)
    view.discard = _one(piece["discard"], NO_CARD)
    view.trick = [_one(seat, NO_CARD) for seat in piece["trick"].reshape(N_SEATS, N_CARDS)]
    view.played = [_set(seat) for seat in piece["played"].reshape(N_SEATS, N_CARDS)]
    view.played_in = piece["played_in"]
    view.voids = _set(piece["voids"])
    view.leader = _one(piece["leader"], NOBODY)
    view.led_suit = _one(piece["led_suit"], NO_SUIT)
    view.winning_seat = _one(piece["winning_seat"], NOBODY)
    view.cards_in_trick = np.count_nonzero(piece["trick"])
    view.tricks = piece["tricks"]
    view.tricks_played = piece["tricks_played"].item()


def _read_contract(view: View, piece: dict[str, Any]) -> None:
    """The auction, trump, and who plays alone."""
    view.phase = _one(piece["phase"], AUCTION)
    view.to_act = _one(piece["to_act"], NOBODY)
    view.bids = _set(piece["bids"])
    view.bid = 1 + _one(piece["standing_bid"], -1)
    view.maker = _one(piece["maker"], NOBODY)
    view.passed = _set(piece["passed"])
    view.trump = _one(piece["trump"], NO_SUIT)
    view.alone = _set(piece["alone"])
    view.sitting_out = _set(piece["sitting_out"])
    if view.winning_seat != NOBODY:
        best = view.trick[view.winning_seat]
        view.winning_strength = STRENGTH[view.trump, view.led_suit, best]


def _read_game(view: View, piece: dict[str, Any]) -> None:
    """Score, dealer, rules, and the side that has won the game, if one has (R18)."""
    for name in ("score", "points"):
        view[name] = piece[name]
    for name in ("deals_played", "hand_size", "alone_factor", "target", "max_deals"):
        view[name] = piece[name].item()
    for name in ("pepper", "bid_penalty", "dealer_must_bid", "alone_allowed", "defenders_score"):
        view[name] = piece[name].item()
    view.dealer = _one(piece["dealer"], NOBODY)
    view.winner = NOBODY
    if view.phase == DEAL_OVER and view.maker != NOBODY:
        makers = int(view.maker) % 2
        there = [side for side in (makers, 1 - makers) if view.score[side] >= view.target]
        view.winner = there[0] if there else NOBODY


# ---- what was done, in order ------------------------------------------------------------------


def _history(view: View) -> Acts:
    """Every action of the deal in order, as everybody saw it."""
    yield from _calls(view)
    if view.trump == NO_SUIT:
        return
    yield int(view.maker), TRUMP + int(view.trump)
    if view.phase == DISCARD:
        return
    yield int(view.maker), FACE_DOWN
    yield from _answers(view)
    yield from _cards(view)


def _calls(view: View) -> Acts:
    """The auction: each seat in turn bids while it has a bid left to make, and then passes (R5)."""
    levels = [
        [level for level in range(1, N_LEVELS + 1) if int(view.bids) >> N_LEVELS * seat + level - 1 & 1]
        for seat in range(N_SEATS)
    ]
    passed: set[int] = set()
    seat = (int(view.dealer) + 1) % N_SEATS
    while len(passed) < N_SEATS:
        if levels[seat]:
            yield seat, BID + levels[seat].pop(0)
        elif seat not in passed:
            if not int(view.passed) >> seat & 1:
                return
            passed.add(seat)
            yield seat, PASS
        seat = (seat + 1) % N_SEATS


def _answers(view: View) -> Acts:
    """Alone or with partner: the maker, and if alone the defenders from its left until one is (R9)."""
    maker = int(view.maker)
    asked = [maker] if view.alone_allowed else []
    if int(view.alone) >> maker & 1:
        asked += [(maker + 1) % N_SEATS, (maker + 3) % N_SEATS]
    for seat in asked:
        if view.phase in (MAKER_ALONE, DEFENDER_ALONE) and seat == view.to_act:
            return
        alone = int(view.alone) >> seat & 1
        yield seat, ALONE if alone else WITH_PARTNER
        if alone and seat != maker:
            return


def _cards(view: View) -> Acts:
    """The tricks, each from its leader clockwise; the winner leads to the next (R10, R13)."""
    leader = _first_leader(view)
    for trick in range(1, int(view.played_in.max()) + 1):
        cards = {
            seat: card
            for card in np.flatnonzero(view.played_in == trick).tolist()
            for seat in range(N_SEATS)
            if int(view.played[seat]) >> card & 1
        }
        for i in range(N_SEATS):
            seat = (leader + i) % N_SEATS
            if seat in cards:
                yield seat, cards[seat]
        strength = STRENGTH[view.trump, SUIT_FOLLOWED[view.trump, cards[leader]]]
        leader = max(cards, key=lambda seat: strength[cards[seat]])


def _first_leader(view: View) -> int:
    """Nobody alone: the dealer's left; one loner: the loner's left; two: the defending one (R10)."""
    maker = int(view.maker)
    for seat in range(N_SEATS):
        if seat != maker and int(view.alone) >> seat & 1:
            return seat
    return ((maker if view.alone else int(view.dealer)) + 1) % N_SEATS
