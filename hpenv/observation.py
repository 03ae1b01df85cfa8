"""A view as numbers for a network: named pieces, the action mask, the token history.

Everything is relative to the observing seat: 0 itself, 1 the left opponent, 2 the partner, 3 the right
opponent. Sides are 0 its own and 1 the other. decoder.py rebuilds the view from the numbers, so nothing
that a seat may know is lost on the way.

Suits may be relabelled on the way in (suits.py). The environments show them as they are dealt.
"""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from hpenv.actions import FACE_DOWN, N_ACTIONS, N_LEVELS
from hpenv.arguments import check_kind
from hpenv.cards import (
    JOKER,
    MAX_HAND_SIZE,
    N_CARDS,
    N_SUITS,
    NO_CARD,
    NO_SUIT,
    STRENGTH,
)
from hpenv.compiled import Int, inlined, kernel
from hpenv.rulebook import N_PHASES, PLAY
from hpenv.seats import N_SEATS
from hpenv.suits import ORDERS, RELABEL, SUIT_SETS, one_bit, relabel_actions, relabel_cards, suit_order
from hpenv.table import HISTORY, Table
from hpenv.vectors import copier, spreader
from hpenv.view import Own, Public, View

PIECES: list[tuple[str, int, str]] = [
    ("hand", N_CARDS, "cards held now"),
    ("takes", N_CARDS, "legal cards that would be winning the trick once played (R13)"),
    ("widow", N_CARDS, "the widow, if this seat took it as maker (R8)"),
    ("discard", N_CARDS, "the discard, if this seat made it as maker (R8)"),
    ("trick", N_SEATS * N_CARDS, "each seat's card in the current trick, seat by seat"),
    ("played", N_SEATS * N_CARDS, "cards played in this deal, seat by seat"),
    ("bids", N_SEATS * N_LEVELS, "bids each seat has made: 1..6, big pepper; seat by seat"),
    ("passed", N_SEATS, "seats that have passed"),
    ("maker", N_SEATS, "who made the standing bid"),
    ("dealer", N_SEATS, "who deals"),
    ("to_act", N_SEATS, "whose turn it is"),
    ("alone", N_SEATS, "seats playing alone (R9)"),
    ("sitting_out", N_SEATS, "seats whose partner plays alone (R9)"),
    ("leader", N_SEATS, "who led the current trick or is to lead it"),
    ("winning_seat", N_SEATS, "whose card is winning the current trick"),
    ("standing_bid", N_LEVELS, "the standing bid: 1..6, big pepper"),
    ("phase", N_PHASES, "auction, name trump, discard, maker alone?, defender alone?, play, deal over"),
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
    ("tricks_played", 1, "tricks finished in this deal, 0..6"),
    ("score", 2, "each side's score of the game, clipped to -100..100"),
    ("points", 2, "each side's points of the finished deal; 0 before its end"),
    ("deals_played", 1, "deals finished in this game, clipped to 100"),
    ("hand_size", 1, "cards dealt to each seat, 1..6 (R20)"),
    ("alone_factor", 1, "what a lone maker's points are multiplied by, 1 or 2 (R16)"),
    ("target", 1, "score that wins the game, clipped to 100 (R18)"),
    ("max_deals", 1, "deals after which a game is cut off, clipped to 100 (R19)"),
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


def _starts(names: str, first: str = PIECES[0][0]) -> list[int]:
    """Where each of some pieces begins, counted from where `first` begins."""
    return [LAYOUT[name].start - LAYOUT[first].start for name in names.split()]


HAND, WIDOW, TRICK, PLAYED, SEAT_FLAGS, FLAGS = _starts("hand widow trick played bids standing_bid")
PLAYED_IN, TRICKS, TRICKS_PLAYED, SCORE, POINTS = _starts("played_in tricks tricks_played score points")
DEALS_PLAYED, HAND_SIZE, ALONE_FACTOR = _starts("deals_played hand_size alone_factor")
TARGET, MAX_DEALS = _starts("target max_deals")

# Neighbouring pieces of zeros and ones are written together, as the bits of one word: sets of cards in
# pairs; all that is told seat by seat; the other flags. These are the places of the pieces in a word.
BIDS_AT, PASSED_AT, MAKER_AT, DEALER_AT, TO_ACT_AT, ALONE_AT, SITTING_OUT_AT = _starts(
    "bids passed maker dealer to_act alone sitting_out", first="bids"
)
LEADER_AT, WINNING_SEAT_AT = _starts("leader winning_seat", first="bids")
STANDING_BID_AT, PHASE_AT, TRUMP_AT, LED_SUIT_AT, VOIDS_AT = _starts(
    "standing_bid phase trump led_suit voids", first="standing_bid"
)
PEPPER_AT, BID_PENALTY_AT, DEALER_MUST_BID_AT, ALONE_ALLOWED_AT, DEFENDERS_SCORE_AT = _starts(
    "pepper bid_penalty dealer_must_bid alone_allowed defenders_score", first="standing_bid"
)

write_card = spreader(N_CARDS)
write_card_pair = spreader(2 * N_CARDS)
write_seat_flags = spreader(FLAGS - SEAT_FLAGS)
write_flags = spreader(PLAYED_IN - FLAGS)
write_actions = spreader(N_ACTIONS)
copy_cards = copier(N_CARDS)
copy_suit = copier(N_CARDS // N_SUITS)


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


# The eight pieces after the bids have a nibble each, one bit for each seat.
# For each seat: which places of a row of nibbles stay in their nibble when turned down by that many,
# and which come round from its top.
STAY = np.array([sum((15 >> me) << 4 * i for i in range(8)) for me in range(4)], np.int64)
ROUND = np.array([sum((15 & ~(15 >> me)) << 4 * i for i in range(8)) for me in range(4)], np.int64)


@kernel
def write_observation(view: View, order: Int, out: Any) -> None:
    """Write a view into `out`, shape (F,) with F = OBSERVATION_SIZE, int8 or float32."""
    write_known(view, view, order, out)


@inlined
def write_known(public: Public, own: View | Own, order: Int, out: Any) -> None:
    """`write_observation` from a table's public part and what the seat knows besides."""
    me = np.int64(own.seat)
    beaters = BEATERS[public.trump, public.led_suit, public.winning_strength]
    takes = own.legal & beaters & -np.int64(public.phase == PLAY)
    write_two_sets(own.hand, takes, order, out, HAND)
    write_two_sets(one_bit(own.widow), one_bit(own.discard), order, out, WIDOW)
    for r in range(0, N_SEATS, 2):
        a, b = (me + r) & 3, (me + r + 1) & 3
        place = r * N_CARDS
        write_two_sets(one_bit(public.trick[a]), one_bit(public.trick[b]), order, out, TRICK + place)
        write_two_sets(public.played[a], public.played[b], order, out, PLAYED + place)
    write_seat_flags(out, SEAT_FLAGS, seat_flags(public, me))
    write_flags(out, FLAGS, other_flags(public, me, order))
    write_played_in(public, order, out)
    for side in range(2):
        out[TRICKS + side] = public.tricks[(me + side) & 1]
        out[SCORE + side] = min(max(public.score[(me + side) & 1], -LIMIT), LIMIT)
        out[POINTS + side] = public.points[(me + side) & 1]
    out[TRICKS_PLAYED] = public.tricks_played
    out[DEALS_PLAYED] = min(public.deals_played, LIMIT)
    out[HAND_SIZE] = public.hand_size
    out[ALONE_FACTOR] = public.alone_factor
    out[TARGET] = min(public.target, LIMIT)
    out[MAX_DEALS] = min(public.max_deals, LIMIT)


@inlined
def write_two_sets(first: Int, second: Int, order: Int, out: Any, start: Int) -> None:
    """Write two sets of cards, one after the other."""
    both = relabel_cards(np.int64(first) | (np.int64(second) << N_CARDS), order)
    write_card_pair(out, start, both)


@inlined
def write_played_in(public: Public, order: Int, out: Any) -> None:
    """Write the trick each card was played in."""
    if order == 0:
        copy_cards(out, PLAYED_IN, public.played_in, 0)
        return
    for suit in range(N_SUITS):
        copy_suit(out, PLAYED_IN + 6 * np.int64(ORDERS[order, suit]), public.played_in, 6 * suit)
    out[PLAYED_IN + JOKER] = public.played_in[JOKER]


@inlined
def seat_flags(public: Public, me: Int) -> Int:
    """The pieces told seat by seat as the bits of one word, seat `me` first in each."""
    bids = (public.bids >> (N_LEVELS * me)) | (public.bids << (N_LEVELS * (N_SEATS - me)))
    seats = np.int64(public.passed)  # one nibble after the other, `passed` first
    seats |= one_bit(public.maker) << (MAKER_AT - PASSED_AT)
    seats |= one_bit(public.dealer) << (DEALER_AT - PASSED_AT)
    seats |= one_bit(public.to_act) << (TO_ACT_AT - PASSED_AT)
    seats |= np.int64(public.alone) << (ALONE_AT - PASSED_AT)
    seats |= np.int64(public.sitting_out) << (SITTING_OUT_AT - PASSED_AT)
    seats |= one_bit(public.leader) << (LEADER_AT - PASSED_AT)
    seats |= one_bit(public.winning_seat) << (WINNING_SEAT_AT - PASSED_AT)
    seats = ((seats >> me) & STAY[me]) | ((seats << (N_SEATS - me)) & ROUND[me])
    return ((bids & ((1 << (N_SEATS * N_LEVELS)) - 1)) << BIDS_AT) | (seats << PASSED_AT)


@inlined
def other_flags(public: Public, me: Int, order: Int) -> Int:
    """The pieces from the standing bid to the options of the rules as the bits of one word."""
    trump, led = (1 << np.int64(public.trump)) & 15, (1 << np.int64(public.led_suit)) & 15
    voids = (public.voids >> (N_SUITS * me)) | (public.voids << (N_SUITS * (N_SEATS - me)))
    if order:
        trump, led = SUIT_SETS[order, trump], SUIT_SETS[order, led]
        seen, voids = voids, np.int64(0)
        for r in range(N_SEATS):
            voids |= SUIT_SETS[order, (seen >> (N_SUITS * r)) & 15] << (N_SUITS * r)
    word = ((np.int64(1) << np.int64(public.bid)) >> 1) << STANDING_BID_AT
    word |= np.int64(1) << (PHASE_AT + np.int64(public.phase))
    word |= (trump << TRUMP_AT) | (led << LED_SUIT_AT)
    word |= (voids & ((1 << (N_SEATS * N_SUITS)) - 1)) << VOIDS_AT
    word |= np.int64(public.pepper) << PEPPER_AT
    word |= np.int64(public.bid_penalty) << BID_PENALTY_AT
    word |= np.int64(public.dealer_must_bid) << DEALER_MUST_BID_AT
    word |= np.int64(public.alone_allowed) << ALONE_ALLOWED_AT
    word |= np.int64(public.defenders_score) << DEFENDERS_SCORE_AT
    return word


@inlined
def write_mask(own: View | Own, order: Int, out: Any) -> Int:
    """Write the legal actions into `out`, shape (A,) with A = 39: 1 for each legal action, all 0
    unless this seat is to act. Returns them as a set of bits too."""
    actions = relabel_actions(own.legal, order)
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


def observe(view: View, dtype: DTypeLike = np.int8) -> NDArray[Any]:
    """The observation of a view, suits as dealt: shape (F,), int8 or float32.

    Raises TypeError for anything but a View, and ValueError for another dtype.
    """
    check_kind(view, View, "an observation")
    if np.dtype(dtype) not in (np.dtype(np.int8), np.dtype(np.float32)):
        raise ValueError(f"dtype={dtype!r}: an observation is int8 or float32")
    out = np.zeros(OBSERVATION_SIZE, dtype)
    write_observation(view, 0, out)
    return out


def action_mask(view: View) -> NDArray[np.int8]:
    """The mask of a view, suits as dealt: shape (A,), int8.

    Raises TypeError for anything but a View.
    """
    check_kind(view, View, "a mask")
    out = np.zeros(N_ACTIONS, np.int8)
    write_mask(view, 0, out)
    return out


def history_tokens(view: View) -> NDArray[np.uint8]:
    """The token history of a view, suits as dealt: shape (HISTORY,), uint8.

    Raises TypeError for anything but a View.
    """
    check_kind(view, View, "a token history")
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


def observation_bounds() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The smallest and the greatest value of each number of an observation, each of shape (F,)."""
    low, high = np.zeros(OBSERVATION_SIZE), np.ones(OBSERVATION_SIZE)
    for name, (least, greatest) in BOUNDS.items():
        low[LAYOUT[name]], high[LAYOUT[name]] = least, greatest
    return low, high
