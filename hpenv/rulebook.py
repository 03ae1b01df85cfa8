"""The rules of the table in the order of the rule book, compiled: deal, bid, name trump, discard, go
alone, play, score.

Every function takes one table record (its fields are listed in table.py). Verbs change the table,
nouns only look at it. None of them checks that an action is legal: `Table.step` does.
"""

from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from hpenv.actions import ALONE, BID, BIG, FACE_DOWN, N_LEVELS, PASS, TRUMP, WITH_PARTNER
from hpenv.cards import FOLLOWERS, N_SUITS, NO_CARD, NO_SUIT, PACKS, STRENGTH, SUIT_FOLLOWED
from hpenv.compiled import Int, count_bits, kernel, lowest_bit, mix, next_state
from hpenv.seats import N_SEATS, NOBODY, left_of, partner_of, right_of, side_of

if TYPE_CHECKING:
    from hpenv.table import Table


class Phase(IntEnum):
    """What a deal is waiting for. A table that was never dealt stands at `DEAL_OVER`, too."""

    AUCTION = 0
    NAME_TRUMP = 1
    DISCARD = 2
    MAKER_ALONE = 3
    DEFENDER_ALONE = 4
    PLAY = 5
    DEAL_OVER = 6


# Plain numbers: NumPy compares its numbers with a member of an enum ten times more slowly.
AUCTION, NAME_TRUMP, DISCARD, MAKER_ALONE, DEFENDER_ALONE, PLAY, DEAL_OVER = map(int, Phase)
N_PHASES = len(Phase)
NO_BID = 0  # the standing bid before there is one


# ---- random numbers ---------------------------------------------------------------------------


@kernel
def set_keys(tables: Any, seed: Any, first_index: Int) -> None:
    """Give each table its own random key from (seed, index)."""
    for i in range(len(tables)):
        tables[i].key = mix(mix(seed) ^ mix(np.uint64(2 * (first_index + i) + 1)))
        tables[i].deals_dealt = 0


@kernel
def below(word: Any, n: Int) -> Int:
    """A whole number 0..n-1 from the low 32 bits of `word` (bias under n / 2**32)."""
    return (np.int64(word & np.uint64(0xFFFFFFFF)) * n) >> 32


@kernel
def unit(word: Any) -> Any:
    """A number from 0 up to but not including 1 from the top 53 bits of `word`."""
    return np.float64(np.uint64(word) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def next_below(state: Any, n: Int) -> tuple[Any, Int]:
    """The stream's next state and a whole number 0..n-1 from it."""
    state = next_state(state)
    return state, below(mix(state), n)


@kernel
def random_member(choices: Int, stream: Any) -> tuple[Int, Any]:
    """A random member of a set that is not empty, and the stream after it."""
    stream, k = next_below(stream, count_bits(choices))
    while k > 0:
        choices &= choices - 1
        k -= 1
    return lowest_bit(choices), stream


# ---- dealing ----------------------------------------------------------------------------------


@kernel
def new_game(table: "Table", dealer: Int, score_ns: Int, score_ew: Int) -> None:
    """Set the score, choose the first dealer at random unless a seat is given (R3), and deal."""
    if dealer == NOBODY:
        dealer = below(mix(np.uint64(table.key) ^ mix(np.uint64(2 * table.deals_dealt + 1))), N_SEATS)
    table.score[0] = score_ns
    table.score[1] = score_ew
    table.deals_played = 0
    table.winner = NOBODY
    table.dealer = dealer
    shuffle(table)
    deal(table)


@kernel
def next_deal(table: "Table") -> None:
    """The deal moves one seat left after every deal, a thrown-in one included (R3)."""
    table.dealer = left_of(table.dealer)
    shuffle(table)
    deal(table)


@kernel
def shuffle(table: "Table") -> None:
    """Put the pack (R20) in random order: Fisher and Yates, two draws to a random word."""
    size = 4 * table.hand_size + 1
    table.pack[:] = PACKS[table.hand_size]
    state = mix(np.uint64(table.key) ^ mix(np.uint64(2 * table.deals_dealt + 2)))
    table.deals_dealt += 1
    last = size - 1
    while last > 0:
        state = next_state(state)
        word = mix(state)
        for _ in range(2):  # size - 1 is even
            j = below(word, last + 1)
            card = table.pack[j]
            table.pack[j] = table.pack[last]
            table.pack[last] = card
            word = np.uint64(word) >> np.uint64(32)
            last -= 1


@kernel
def deal(table: "Table") -> None:
    """Deal the pack as it lies, k cards to each seat and the last to the widow (R4), and open the
    auction left of the dealer (R5)."""
    clear(table)
    k = table.hand_size
    for seat in range(N_SEATS):
        hand = np.int64(0)
        for i in range(seat * k, seat * k + k):
            hand |= 1 << np.int64(table.pack[i])
        table.hands[seat] = hand
    table.widow = table.pack[N_SEATS * k]
    table.phase = AUCTION
    table.to_act = left_of(table.dealer)


@kernel
def clear(table: "Table") -> None:
    """Take away the last deal: nothing is dealt, and nobody is to act."""
    for seat in range(N_SEATS):
        table.hands[seat] = 0
        table.played[seat] = 0
        table.trick[seat] = NO_CARD
    table.bids = 0
    table.voids = 0
    table.widow = NO_CARD
    table.discard = NO_CARD
    table.played_in[:] = 0
    table.history[:] = 0
    table.history_seat[:] = 0
    table.history_length = 0
    table.leader = NOBODY
    table.led_suit = NO_SUIT
    table.winning_seat = NOBODY
    table.winning_strength = 0
    table.cards_in_trick = 0
    table.tricks_played = 0
    table.tricks[:] = 0
    table.points[:] = 0
    table.phase = DEAL_OVER
    table.to_act = NOBODY
    table.bid = NO_BID
    table.maker = NOBODY
    table.passed = 0
    table.trump = NO_SUIT
    table.alone = 0
    table.sitting_out = 0


def is_dealt(record: Any) -> bool:
    """Whether there is a deal at a table or in a view, going on or over."""
    return bool(record.phase != DEAL_OVER or record.history_length > 0)


# ---- the auction ------------------------------------------------------------------------------


@kernel
def pass_bid(table: "Table") -> None:
    """A pass is final (R5). Four passes throw the deal in (R6)."""
    table.passed |= 1 << np.int64(table.to_act)
    if count_bits(table.passed) == N_SEATS:
        finish_deal(table)
    else:
        pass_turn_in_auction(table)


@kernel
def bid(table: "Table", level: Int) -> None:
    """A bid stands until a higher one; the top bid ends the auction at once (R5, R7)."""
    table.bid = level
    table.maker = table.to_act
    table.bids |= 1 << (N_LEVELS * np.int64(table.to_act) + level - 1)
    if level == top_bid(table):
        take_widow(table)
    else:
        pass_turn_in_auction(table)


@kernel
def top_bid(table: "Table") -> Int:
    """The bid that nothing beats: hand size, or big pepper in pepper form (R7, R20)."""
    return BIG if table.pepper else np.int64(table.hand_size)


@kernel
def pass_turn_in_auction(table: "Table") -> None:
    """The turn goes clockwise to the next seat that has not passed; when that is the standing
    bidder, the other three have passed and the auction is over (R5)."""
    seat = left_of(table.to_act)
    while (table.passed >> np.int64(seat)) & 1:
        seat = left_of(seat)
    table.to_act = seat
    if seat == table.maker:
        take_widow(table)


@kernel
def take_widow(table: "Table") -> None:
    """The maker takes the widow and is to name trump (R8)."""
    table.hands[table.maker] |= 1 << np.int64(table.widow)
    table.to_act = table.maker
    table.phase = NAME_TRUMP


# ---- trump, discard, alone --------------------------------------------------------------------


@kernel
def name_trump(table: "Table", suit: Int) -> None:
    """The maker names a suit (R8)."""
    table.trump = suit
    table.phase = DISCARD


@kernel
def put_face_down(table: "Table", card: Int) -> None:
    """The maker discards any one of seven cards; nobody else ever sees it (R8)."""
    table.hands[table.maker] &= ~(1 << card)
    table.discard = card
    if table.alone_allowed:
        table.phase = MAKER_ALONE
    else:
        open_play(table)


@kernel
def answer_alone(table: "Table", alone: bool) -> None:
    """The maker says alone or with partner. Only if alone, the defenders are asked in turn from the
    maker's left; the first to go alone ends the asking (R9)."""
    seat = table.to_act
    if alone:
        table.alone |= 1 << np.int64(seat)
        table.sitting_out |= 1 << partner_of(np.int64(seat))
    if table.phase == MAKER_ALONE:
        if alone:
            table.phase = DEFENDER_ALONE
            table.to_act = left_of(seat)
        else:
            open_play(table)
    elif not alone and seat == left_of(table.maker):
        table.to_act = right_of(table.maker)
    else:
        open_play(table)


@kernel
def open_play(table: "Table") -> None:
    """The first lead: the dealer's left; one loner: the loner's left; two: the defending one (R10)."""
    maker = np.int64(table.maker)
    defenders_alone = table.alone & ~(1 << maker)
    if defenders_alone:
        table.leader = left_of(maker)
        if not (defenders_alone >> left_of(maker)) & 1:
            table.leader = right_of(maker)
    elif table.alone:
        table.leader = left_of(maker)
    else:
        table.leader = left_of(table.dealer)
    table.to_act = table.leader
    table.phase = PLAY


# ---- the play ---------------------------------------------------------------------------------


@kernel
def play(table: "Table", card: Int) -> None:
    """Play a card to the trick; the last card of a trick decides it (R11, R12, R13)."""
    seat = np.int64(table.to_act)
    trump = np.int64(table.trump)
    table.hands[seat] &= ~(1 << card)
    table.played[seat] |= 1 << card
    table.played_in[card] = table.tricks_played + 1
    table.trick[seat] = card
    if table.cards_in_trick == 0:
        led = SUIT_FOLLOWED[trump, card]
        table.led_suit = led
        table.winning_seat = seat
        table.winning_strength = STRENGTH[trump, led, card]
    else:
        led = table.led_suit
        strength = STRENGTH[trump, led, card]
        if strength > table.winning_strength:
            table.winning_seat = seat
            table.winning_strength = strength
        if SUIT_FOLLOWED[trump, card] != led:
            table.voids |= 1 << (N_SUITS * seat + np.int64(led))
    table.cards_in_trick += 1
    if table.cards_in_trick == N_SEATS - count_bits(table.sitting_out):
        finish_trick(table)
    else:
        seat = left_of(seat)
        while (table.sitting_out >> seat) & 1:  # between two loners both partners may sit
            seat = left_of(seat)
        table.to_act = seat


@kernel
def finish_trick(table: "Table") -> None:
    """The winner takes the trick and leads to the next (R13)."""
    winner = table.winning_seat
    table.tricks[side_of(winner)] += 1
    table.tricks_played += 1
    if table.tricks_played == table.hand_size:
        score_deal(table)
        return
    table.leader = winner
    table.to_act = winner
    table.trick[:] = NO_CARD
    table.led_suit = NO_SUIT
    table.winning_seat = NOBODY
    table.winning_strength = 0
    table.cards_in_trick = 0


# ---- scoring ----------------------------------------------------------------------------------


@kernel
def tricks_called(bid: Int, hand_size: Int) -> Int:
    """The tricks a bid promises; big pepper is a bid of all of them (R7). Also for arrays."""
    return np.minimum(bid, hand_size)


@kernel
def was_made(won: Int, bid: Int, hand_size: Int) -> Any:
    """Whether the makers have won as many tricks as they bid (R14). Also for arrays."""
    return won >= tricks_called(bid, hand_size)


@kernel
def stakes(rules: Any, bid: Int, alone: bool) -> Int:
    """What a contract's points are multiplied by: 2 for big pepper, `alone_factor` for a lone maker
    (R16)."""
    times = np.int64(rules.alone_factor) if alone else np.int64(1)
    return times * 2 if bid == BIG else times


@kernel
def contract_points(rules: Any, won: Int, bid: Int, alone: bool) -> tuple[Int, Int]:
    """The points of the makers and of the defenders when the makers have won so many tricks, under the
    rules written in a table or a view. Made: a point per trick. Set: minus the tricks won, or minus the
    bid; both times the `stakes`. Defenders may score their tricks (R14-R17)."""
    hand_size = np.int64(rules.hand_size)
    if was_made(won, bid, hand_size):
        points = won
    elif rules.bid_penalty:
        points = -tricks_called(bid, hand_size)
    else:
        points = -won
    defended = hand_size - won if rules.defenders_score else np.int64(0)
    return points * stakes(rules, bid, alone), defended


@kernel
def score_deal(table: "Table") -> None:
    """Write the points of both sides (R14-R17), and finish the deal."""
    makers = side_of(table.maker)
    won, bid = np.int64(table.tricks[makers]), np.int64(table.bid)
    alone = bool((table.alone >> np.int64(table.maker)) & 1)
    points, against = contract_points(table, won, bid, alone)
    table.points[makers] = points
    table.points[1 - makers] = against
    finish_deal(table)


@kernel
def finish_deal(table: "Table") -> None:
    """Add the points to the score; the first side at the target wins, the makers if both are (R18)."""
    table.phase = DEAL_OVER
    table.to_act = NOBODY
    table.deals_played += 1
    table.score[0] += table.points[0]
    table.score[1] += table.points[1]
    if table.maker != NOBODY:
        makers = side_of(table.maker)
        if table.score[makers] >= table.target:
            table.winner = makers
        elif table.score[1 - makers] >= table.target:
            table.winner = 1 - makers


# ---- any action -------------------------------------------------------------------------------


@kernel
def legal_actions(table: "Table") -> Int:
    """The set of actions the seat to act may do, bit a for action a; empty when the deal is over."""
    phase = table.phase
    if phase == PLAY:
        hand = table.hands[table.to_act]
        following = hand & FOLLOWERS[table.trump, table.led_suit]
        return following if following else hand  # R11
    if phase == AUCTION:
        bids = (2 << np.int64(table.hand_size)) - (2 << np.int64(table.bid))
        if table.pepper:
            bids |= 1 << BIG
        forced = table.dealer_must_bid and count_bits(table.passed) == 3 and table.bid == NO_BID
        return ((0 if forced else 1) | bids) << PASS
    if phase == NAME_TRUMP:
        return ((1 << N_SUITS) - 1) << TRUMP
    if phase == DISCARD:
        return np.int64(table.hands[table.maker])
    if phase == DEAL_OVER:
        return 0
    return (1 << ALONE) | (1 << WITH_PARTNER)


@kernel
def do(table: "Table", action: Int) -> None:
    """Do a legal action for the seat to act and write it into the history. Legality is the caller's
    business: `Table.step` checks."""
    phase = table.phase
    n = np.int64(table.history_length)
    table.history[n] = FACE_DOWN if phase == DISCARD else action
    table.history_seat[n] = table.to_act
    table.history_length = n + 1
    if phase == PLAY:
        play(table, action)
    elif phase == AUCTION:
        if action == PASS:
            pass_bid(table)
        else:
            bid(table, action - BID)
    elif phase == NAME_TRUMP:
        name_trump(table, action - TRUMP)
    elif phase == DISCARD:
        put_face_down(table, action)
    else:
        answer_alone(table, action == ALONE)


@kernel
def is_truncated(table: "Table") -> bool:
    """The game has no winner after `max_deals` deals (R19)."""
    return bool(table.winner == NOBODY and table.deals_played >= table.max_deals)
