"""A view as numbers for a network: named pieces, the action mask, the token history.

Everything is relative to the observing seat: 0 itself, 1 the left opponent, 2 the partner, 3 the right
opponent. Sides are 0 its own and 1 the other. decoder.py rebuilds the view from the numbers, so nothing
that a seat may know is lost on the way.

Suits may be relabelled on the way in (suits.py). The environments show them as they are dealt.
"""

from typing import Any

import numpy as np

from hpenv.actions import FACE_DOWN, N_ACTIONS, N_LEVELS
from hpenv.cards import (
    JOKER,
    MAX_HAND_SIZE,
    N_CARDS,
    N_SUITS,
    NO_CARD,
    NO_SUIT,
    STRENGTH,
)
from hpenv.compiled import Int, kernel, spreader
from hpenv.rulebook import N_PHASES, PLAY
from hpenv.seats import N_SEATS
from hpenv.suits import ORDERS, RELABEL, SUIT_SETS, one_bit, relabel_actions, relabel_cards, suit_order
from hpenv.table import HISTORY, Table
from hpenv.view import View

PIECES: list[tuple[str, int, str]] = [
    ("hand", N_CARDS, "cards held now"),
    ("takes", N_CARDS, "cards that would be winning the trick if played now (R13)"),
    ("widow", N_CARDS, "the card taken, if maker (R8)"),
    ("discard", N_CARDS, "the card discarded, if maker (R8)"),
    ("trick", N_SEATS * N_CARDS, "each seat's card in the current trick, seat by seat"),
    ("played", N_SEATS * N_CARDS, "cards played in this deal, seat by seat"),
    ("bids", N_SEATS * N_LEVELS, "bids made: 1..6, big pepper; seat by seat"),
    ("passed", N_SEATS, "seats that have passed"),
    ("maker", N_SEATS, "whose bid stands"),
    ("dealer", N_SEATS, "who deals"),
    ("to_act", N_SEATS, "whose turn it is"),
    ("alone", N_SEATS, "seats playing alone (R9)"),
    ("sitting_out", N_SEATS, "seats whose partner plays alone (R9)"),
    ("leader", N_SEATS, "who led or is to lead the current trick"),
    ("winning_seat", N_SEATS, "whose card is winning it"),
    ("standing_bid", N_LEVELS, "the highest bid"),
    ("phase", N_PHASES, "auction, trump, discard, maker alone?, defender alone?, play, over"),
    ("trump", N_SUITS, "the trump suit"),
    ("led_suit", N_SUITS, "the suit led to the current trick"),
    ("voids", N_SEATS * N_SUITS, "suits a seat has shown it cannot follow, seat by seat"),
    ("pepper", 1, "1 if bids are in pepper form (R7)"),
    ("bid_penalty", 1, "1 if a failed bid costs the bid, 0 the tricks won (R15)"),
    ("dealer_must_bid", 1, "1 if the dealer must bid after three passes (R6)"),
    ("alone_allowed", 1, "1 if a seat may play alone (R9)"),
    ("defenders_score", 1, "1 if defenders score their tricks (R17)"),
    ("played_in", N_CARDS, "the trick each card was played in, 1..6; 0 not yet"),
    ("tricks", 2, "tricks won by each side, 0..6"),
    ("tricks_played", 1, "0..6"),
    ("score", 2, "of the game, each side, clipped to -100..100"),
    ("points", 2, "of a finished deal, each side"),
    ("deals_played", 1, "in this game, clipped to 100"),
    ("hand_size", 1, "1..6 (R20)"),
    ("alone_factor", 1, "1 or 2 (R16)"),
    ("target", 1, "points that win, clipped to 100 (R18)"),
    ("max_deals", 1, "clipped to 100 (R19)"),
]
LIMIT = 100  # scores and counts are clipped to -LIMIT..LIMIT, so that they fit one byte


def _layout() -> dict[str, slice]:
    slices, start = {}, 0
    for name, size, _ in PIECES:
        slices[name] = slice(start, start + size)
        start += size
    return slices


LAYOUT = _layout()
OBSERVATION_SIZE = sum(size for _, size, _ in PIECES)

# The full-information part that a critic may see and a player may not: what the others hold.
HIDDEN_PIECES: list[tuple[str, int, str]] = [
    ("left_hand", N_CARDS, "cards the left opponent holds"),
    ("partner_hand", N_CARDS, "cards the partner holds"),
    ("right_hand", N_CARDS, "cards the right opponent holds"),
    ("dealt_widow", N_CARDS, "the card dealt face down"),
    ("secret_discard", N_CARDS, "the maker's discard, once made"),
]
HIDDEN_SIZE = sum(size for _, size, _ in HIDDEN_PIECES)
STATE_SIZE = OBSERVATION_SIZE + HIDDEN_SIZE

# A token of the history is 1 + 4 * action + relative seat; 0 fills up the end.
N_TOKENS = 1 + N_SEATS * (FACE_DOWN + 1)


# Neighbouring pieces of zeros and ones are written together, as the bits of one word: cards in pairs of
# sets, then two groups of flags.
FLAGS_BY_SEAT = [
    "bids",
    "passed",
    "maker",
    "dealer",
    "to_act",
    "alone",
    "sitting_out",
    "leader",
    "winning_seat",
]
OTHER_FLAGS = [
    "standing_bid",
    "phase",
    "trump",
    "led_suit",
    "voids",
    "pepper",
    "bid_penalty",
    "dealer_must_bid",
    "alone_allowed",
    "defenders_score",
]


def _start(name: str) -> int:
    return int(LAYOUT[name].start)


def _size(names: list[str]) -> int:
    return sum(LAYOUT[name].stop - LAYOUT[name].start for name in names)


HAND, WIDOW, TRICK, PLAYED = map(_start, ("hand", "widow", "trick", "played"))
SEAT_FLAGS, FLAGS, PLAYED_IN = map(_start, ("bids", "standing_bid", "played_in"))
TRICKS, TRICKS_PLAYED, SCORE, POINTS = map(_start, ("tricks", "tricks_played", "score", "points"))
DEALS_PLAYED, HAND_SIZE, ALONE_FACTOR = map(_start, ("deals_played", "hand_size", "alone_factor"))
TARGET, MAX_DEALS = map(_start, ("target", "max_deals"))

write_card = spreader(N_CARDS)
write_card_pair = spreader(2 * N_CARDS)
write_seat_flags = spreader(_size(FLAGS_BY_SEAT))
write_flags = spreader(_size(OTHER_FLAGS))
write_actions = spreader(N_ACTIONS)


# ---- writing ----------------------------------------------------------------------------------

# BEATERS[trump, suit led, strength] is the set of cards that beat a winning card of that strength.
BEATERS = np.array(
    [
        [
            [
                sum(1 << c for c in range(N_CARDS) if STRENGTH[t, led, c] > s or led == NO_SUIT)
                for s in range(16)
            ]
            for led in range(N_SUITS + 1)
        ]
        for t in range(N_SUITS + 1)
    ],
    np.int64,
)


# For each seat: which places of a row of nibbles stay in their nibble when turned down by that many,
# and which come round from its top.
STAY = np.array([sum((15 >> me) << 4 * i for i in range(8)) for me in range(4)], np.int64)
ROUND = np.array([sum((15 & ~(15 >> me)) << 4 * i for i in range(8)) for me in range(4)], np.int64)


@kernel
def write_observation(view: View, order: Int, out: Any) -> None:
    """Write a view into `out`, shape (F,) with F = OBSERVATION_SIZE, int8 or float32."""
    me = np.int64(view.seat)
    takes = np.int64(0)
    if view.phase == PLAY:
        takes = view.legal & BEATERS[view.trump, view.led_suit, view.winning_strength]
    write_two_sets(view.hand, takes, order, out, HAND)
    write_two_sets(one_bit(view.widow), one_bit(view.discard), order, out, WIDOW)
    for r in range(0, N_SEATS, 2):
        a, b = (me + r) & 3, (me + r + 1) & 3
        place = r * N_CARDS
        tricks = one_bit(view.trick[a]), one_bit(view.trick[b])
        write_two_sets(tricks[0], tricks[1], order, out, TRICK + place)
        write_two_sets(view.played[a], view.played[b], order, out, PLAYED + place)
    write_seat_flags(out, SEAT_FLAGS, seat_flags(view, me))
    write_flags(out, FLAGS, other_flags(view, me, order))
    write_played_in(view, order, out)
    for side in range(2):
        out[TRICKS + side] = view.tricks[(me + side) & 1]
        out[SCORE + side] = min(max(view.score[(me + side) & 1], -LIMIT), LIMIT)
        out[POINTS + side] = view.points[(me + side) & 1]
    out[TRICKS_PLAYED] = view.tricks_played
    out[DEALS_PLAYED] = min(view.deals_played, LIMIT)
    out[HAND_SIZE] = view.hand_size
    out[ALONE_FACTOR] = view.alone_factor
    out[TARGET] = min(view.target, LIMIT)
    out[MAX_DEALS] = min(view.max_deals, LIMIT)


@kernel
def write_two_sets(first: Int, second: Int, order: Int, out: Any, start: Int) -> None:
    """Write two sets of cards, one after the other."""
    both = relabel_cards(np.int64(first) | (np.int64(second) << N_CARDS), order)
    write_card_pair(out, start, both)


@kernel
def write_played_in(view: View, order: Int, out: Any) -> None:
    """Write the trick each card was played in."""
    if order == 0:
        for card in range(N_CARDS):
            out[PLAYED_IN + card] = view.played_in[card]
        return
    for suit in range(N_SUITS):
        start = PLAYED_IN + 6 * np.int64(ORDERS[order, suit])
        for rank in range(6):
            out[start + rank] = view.played_in[6 * suit + rank]
    out[PLAYED_IN + JOKER] = view.played_in[JOKER]


@kernel
def seat_flags(view: View, me: Int) -> Int:
    """The pieces of FLAGS_BY_SEAT as the bits of one word, seat `me` first in each."""
    bids = (view.bids >> (N_LEVELS * me)) | (view.bids << (N_LEVELS * (N_SEATS - me)))
    seats = np.int64(view.passed)
    seats |= one_bit(view.maker) << 4
    seats |= one_bit(view.dealer) << 8
    seats |= one_bit(view.to_act) << 12
    seats |= np.int64(view.alone) << 16
    seats |= np.int64(view.sitting_out) << 20
    seats |= one_bit(view.leader) << 24
    seats |= one_bit(view.winning_seat) << 28
    seats = ((seats >> me) & STAY[me]) | ((seats << (N_SEATS - me)) & ROUND[me])
    at = N_SEATS * N_LEVELS
    return (bids & ((1 << at) - 1)) | (seats << at)


@kernel
def other_flags(view: View, me: Int, order: Int) -> Int:
    """The pieces of OTHER_FLAGS as the bits of one word."""
    word = (np.int64(1) << np.int64(view.bid)) >> 1
    word |= np.int64(1) << (N_LEVELS + view.phase)
    at = N_LEVELS + N_PHASES
    trump, led = (1 << np.int64(view.trump)) & 15, (1 << np.int64(view.led_suit)) & 15
    voids = (view.voids >> (N_SUITS * me)) | (view.voids << (N_SUITS * (N_SEATS - me)))
    if order:
        trump, led = SUIT_SETS[order, trump], SUIT_SETS[order, led]
        seen, voids = voids, np.int64(0)
        for r in range(N_SEATS):
            voids |= SUIT_SETS[order, (seen >> (N_SUITS * r)) & 15] << (N_SUITS * r)
    word |= (trump | (led << 4) | ((voids & 0xFFFF) << 8)) << at
    at += 2 * N_SUITS + N_SEATS * N_SUITS
    word |= np.int64(view.pepper) << at
    word |= np.int64(view.bid_penalty) << (at + 1)
    word |= np.int64(view.dealer_must_bid) << (at + 2)
    word |= np.int64(view.alone_allowed) << (at + 3)
    word |= np.int64(view.defenders_score) << (at + 4)
    return word


@kernel
def write_mask(view: View, order: Int, out: Any) -> Int:
    """Write the legal actions into `out`, shape (A,) with A = 39: 1 for each legal action, all 0
    unless this seat is to act. Returns them as a set of bits too."""
    actions = relabel_actions(view.legal, order)
    write_actions(out, 0, actions)
    return actions


@kernel
def write_history(view: View, order: Int, out: Any) -> None:
    """Write the deal's actions in order as tokens into `out`, shape (HISTORY,)."""
    out[:] = 0
    for i in range(view.history_length):
        action = view.history[i]
        if action == FACE_DOWN and view.discard != NO_CARD:
            action = view.discard
        seat = (view.history_seat[i] - view.seat) & 3
        out[i] = 1 + N_SEATS * np.int64(RELABEL[order, action]) + seat


@kernel
def write_hidden(table: Table, seat: Int, order: Int, out: Any) -> None:
    """Write what `seat` may not see into `out`, shape (HIDDEN_SIZE,): for critics, not players."""
    for r in range(1, N_SEATS):
        hand = relabel_cards(table.hands[(seat + r) & 3], order)
        write_card(out, (r - 1) * N_CARDS, hand)
    write_two_sets(one_bit(table.widow), one_bit(table.discard), order, out, 3 * N_CARDS)


@kernel
def observe_each(views: Any, canonical: bool, observations: Any, masks: Any, orders: Any) -> None:
    """Write observations (B, F) and masks (B, A) of views (B,), and the order (B,) int64 in which each
    one's suits are relabelled."""
    for i in range(len(views)):
        orders[i] = suit_order(views[i]) if canonical else 0
        write_observation(views[i], orders[i], observations[i])
        write_mask(views[i], orders[i], masks[i])


# ---- for one view at a time -------------------------------------------------------------------


def observe(view: View, dtype: Any = np.int8) -> Any:
    """The observation of a view, suits as dealt: shape (F,)."""
    out = np.zeros(OBSERVATION_SIZE, dtype)
    write_observation(view, 0, out)
    return out


def action_mask(view: View) -> Any:
    """The mask of a view, suits as dealt: shape (A,), int8."""
    out = np.zeros(N_ACTIONS, np.int8)
    write_mask(view, 0, out)
    return out


def history_tokens(view: View) -> Any:
    """The token history of a view, suits as dealt: shape (HISTORY,), uint8."""
    out = np.zeros(HISTORY, np.uint8)
    write_history(view, 0, out)
    return out


# ---- bounds -----------------------------------------------------------------------------------

# The pieces that are not just zeros and ones: their smallest and greatest value.
_MOST_POINTS = 2 * 2 * MAX_HAND_SIZE  # a lone big pepper, both doubled (R16)
BOUNDS = {
    "played_in": (0, MAX_HAND_SIZE),
    "tricks": (0, MAX_HAND_SIZE),
    "tricks_played": (0, MAX_HAND_SIZE),
    "score": (-LIMIT, LIMIT),
    "points": (-_MOST_POINTS, _MOST_POINTS),
    "deals_played": (0, LIMIT),
    "hand_size": (1, MAX_HAND_SIZE),
    "alone_factor": (1, 2),
    "target": (1, LIMIT),
    "max_deals": (1, LIMIT),
}


def observation_bounds() -> tuple[Any, Any]:
    """The smallest and the greatest value of each number of an observation, each of shape (F,)."""
    low, high = np.zeros(OBSERVATION_SIZE), np.ones(OBSERVATION_SIZE)
    for name, (least, greatest) in BOUNDS.items():
        low[LAYOUT[name]], high[LAYOUT[name]] = least, greatest
    return low, high
