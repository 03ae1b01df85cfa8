"""A view as numbers for a network: named pieces, the action mask, the token history.

Everything is relative to the observing seat: 0 itself, 1 the left opponent, 2 the partner, 3 the right
opponent. Sides are 0 its own and 1 the other. decoder.py rebuilds the view from the numbers, so nothing
that a seat may know is lost on the way.

Suits may be relabelled on the way in (`suit_order`): the game looks the same under any relabelling that
keeps colours together, so a network that always sees trumps as suit 0 has a quarter to an eighth as
much to learn. The environments show suits as they are dealt.
"""

from typing import Any

import numpy as np

from hpenv.actions import ALONE, FACE_DOWN, N_ACTIONS, N_LEVELS, TRUMP
from hpenv.cards import (
    ALL_CARDS,
    FOLLOWERS,
    JOKER,
    N_CARDS,
    N_SUITS,
    NO_CARD,
    NO_SUIT,
    STRENGTH,
)
from hpenv.compiled import Int, count_bits, kernel, spreader
from hpenv.rulebook import N_PHASES, N_SEATS, PLAY
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
    ("score", 2, "of the game, each side, cut to -100..100"),
    ("points", 2, "of a finished deal, each side"),
    ("deals_played", 1, "in this game, cut to 100"),
    ("hand_size", 1, "1..6 (R20)"),
    ("alone_factor", 1, "1 or 2 (R16)"),
    ("target", 1, "points that win, cut to 100 (R18)"),
    ("max_deals", 1, "cut to 100 (R19)"),
]
LIMIT = 100  # scores and counts are cut to -LIMIT..LIMIT, so that they fit one byte


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


# ---- suits relabelled -------------------------------------------------------------------------


# The eight orders that keep colours together: ORDERS[o, suit] is the new label, and order 0 changes
# nothing. Bit 0 of o swaps the two black suits, bit 1 the two red ones, and then bit 2 the colours.
def _new_label(order: int, suit: int) -> int:
    red = suit in (1, 2)
    suit = 3 - suit if order >> red & 1 else suit
    return (1, 0, 3, 2)[suit] if order >> 2 else suit


ORDERS = np.array([[_new_label(o, s) for s in range(N_SUITS)] for o in range(8)], np.int8)


def _relabelled(order: Any, action: int) -> int:
    if action < N_CARDS - 1:
        return int(6 * order[action // 6] + action % 6)
    if TRUMP <= action < ALONE:
        return int(TRUMP + order[action - TRUMP])
    return action


# RELABEL[o, action] is the action with its suits relabelled by order o, UNLABEL the way back.
RELABEL = np.array([[_relabelled(o, a) for a in range(FACE_DOWN + 1)] for o in ORDERS], np.uint8)
UNLABEL = np.argsort(RELABEL, axis=1).astype(np.uint8)


@kernel
def suit_order(view: View) -> Int:
    """The number of the order that gives suit 0 to trumps, or before trump is named to the suit the
    hand would be strongest in, and then suit 1 to the stronger suit of the other colour.

    Suits that the hand holds alike are told apart by all else the seat knows of them. Where even that
    is alike the view looks the same either way. So two deals that differ only in the names of their
    suits, colours kept together, always give the same relabelled observation.
    """
    best = np.int64(view.trump)
    if best == NO_SUIT:
        best = strongest_suit(view)
    one, two = (1, 2) if best in (0, 3) else (0, 3)
    worth_one, worth_two = (view.hand >> (6 * one)) & 63, (view.hand >> (6 * two)) & 63
    if worth_one == worth_two:
        worth_one, worth_two = suit_facts(view, one), suit_facts(view, two)
    other = one if worth_one >= worth_two else two
    black, red = (best, other) if best in (0, 3) else (other, best)
    order = (1 if black == 3 else 0) | (2 if red == 2 else 0)
    return order | (4 if best in (1, 2) else 0)


@kernel
def strongest_suit(view: View) -> Int:
    """The suit in which the hand holds most trumps; then with the right bower, the Joker and the left
    bower, the higher cards; then the one with the stronger suit of its colour beside it."""
    hand = view.hand
    best, best_worth = 0, -1
    for suit in range(N_SUITS):
        trumps = hand & FOLLOWERS[suit, suit]
        worth = (count_bits(trumps) << 9) + (((trumps >> (6 * suit + 2)) & 1) << 8)
        worth += (count_bits(trumps & ~(63 << (6 * suit))) << 6) + ((hand >> (6 * suit)) & 63)
        if worth < best_worth:
            continue
        if worth == best_worth:
            facts, best_facts = suit_facts(view, suit), suit_facts(view, best)
            if facts == best_facts:
                facts, best_facts = suit_facts(view, 3 - suit), suit_facts(view, 3 - best)
            if facts < best_facts:
                continue
        best, best_worth = suit, worth
    return best


@kernel
def suit_facts(view: View, suit: Int) -> Int:
    """All that the seat knows of the cards printed in one suit, as one number: which it holds, took
    and discarded, which the other seats played, who is void, and the trick each was played in."""
    me, low = np.int64(view.seat), 6 * suit
    facts = (view.hand >> low) & 63
    facts = (facts << 6) | ((one_bit(view.widow) >> low) & 63)
    facts = (facts << 6) | ((one_bit(view.discard) >> low) & 63)
    for r in range(1, N_SEATS):
        seat = (me + r) & 3
        facts = (facts << 6) | ((view.played[seat] >> low) & 63)
        facts = (facts << 1) | ((view.voids >> (N_SUITS * seat + suit)) & 1)
    facts = (facts << 1) | ((view.voids >> (N_SUITS * me + suit)) & 1)
    for rank in range(6):
        facts = (facts << 3) | np.int64(view.played_in[low + rank])
    return facts


# SUIT_SETS[o, suits] is a set of suits relabelled by order o.
SUIT_SETS = np.array(
    [[sum(1 << o[s] for s in range(N_SUITS) if m >> s & 1) for m in range(16)] for o in ORDERS],
    np.int64,
)


# SWAPS[o] are the cards that change places with those 18, 6 and 6 numbers above them, one swap after
# the other: black suits, red suits, colours. They stand twice, so that two sets can be swapped at once.
_TWO_SETS = 1 | 1 << N_CARDS
SWAPS = np.array(
    [
        [
            63 * _TWO_SETS * (o & 1),
            (63 << 6) * _TWO_SETS * (o >> 1 & 1),
            (63 | 63 << 12) * _TWO_SETS * (o >> 2),
        ]
        for o in range(8)
    ],
    np.int64,
)


@kernel
def relabel_cards(cards: Int, order: Int) -> Int:
    """A set of cards, or two side by side, with its suits relabelled."""
    if order == 0:
        return cards
    moved = (cards ^ (cards >> 18)) & SWAPS[order, 0]
    cards = cards ^ moved ^ (moved << 18)
    moved = (cards ^ (cards >> 6)) & SWAPS[order, 1]
    cards = cards ^ moved ^ (moved << 6)
    moved = (cards ^ (cards >> 6)) & SWAPS[order, 2]
    return cards ^ moved ^ (moved << 6)


@kernel
def relabel_actions(actions: Int, order: Int) -> Int:
    """A set of actions with its suits relabelled."""
    if order == 0:
        return actions
    calls = actions & ~(ALL_CARDS | (15 << TRUMP))
    trumps = SUIT_SETS[order, (actions >> TRUMP) & 15] << TRUMP
    return calls | trumps | relabel_cards(actions & ALL_CARDS, order)


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


@kernel
def one_bit(n: Int) -> Int:
    """The set of one member, or of none if n is -1 (nobody, no card)."""
    return (1 << (np.int64(n) + 1)) >> 1


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
    unless this seat is to act. Gives them as a set of bits too."""
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
def observe_each(views: Any, relabelled: bool, observations: Any, masks: Any, orders: Any) -> None:
    """Write observations (B, F) and masks (B, A) of views (B,), and the order (B,) int64 in which each
    one's suits are relabelled."""
    for i in range(len(views)):
        orders[i] = suit_order(views[i]) if relabelled else 0
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


def markdown_table() -> str:
    """The pieces as a Markdown table, as the documents show it."""
    lines = ["| index | piece | size | meaning |", "|---|---|---|---|"]
    for name, size, meaning in PIECES:
        place = LAYOUT[name]
        span = f"{place.start}" if size == 1 else f"{place.start}-{place.stop - 1}"
        lines.append(f"| {span} | `{name}` | {size} | {meaning} |")
    return "\n".join(lines)
