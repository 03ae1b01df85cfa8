"""How the rule-based agent bids, names trump, discards and goes alone.

It counts the tricks a hand wins as the maker's, turns tricks into points under the rules in force, and
bids when that is worth more than a pass. A bid is valued by what it scores if it stands and by what
the opponents score if they overcall it, so the agent opens with a bid that they will rarely overcall.

Where a lost contract costs only the tricks won (R15), the cheapest way to stop the opponents is to bid
all the tricks, go alone and win as few as possible. The code calls this a block. It belongs to the game
as it is written, so the agent blocks when the opponents promise to score more than the block costs. A
defender with low cards answers a block by going alone too: it is hard to lose tricks to a single hand.
"""

from typing import Any

import numpy as np

from hpenv.actions import ALONE, BID, N_LEVELS, PASS, TRUMP, WITH_PARTNER
from hpenv.agents.rule_based.counts import (
    ALONE_TRICKS,
    ANY_HAND,
    AVERAGE_TRICKS,
    COUNTS,
    KIND,
    LONG,
    LOSER_COUNTS,
    SHORT,
    SINGLE,
    SPREAD,
    VOID,
    WIDOW_LOSERS,
    WIDOW_TRICKS,
    Real,
)
from hpenv.agents.rule_based.weights import Temper
from hpenv.cards import FOLLOWERS, JOKER, MAX_HAND_SIZE, N_SUITS, RANKS, card_set
from hpenv.compiled import Int, count_bits, kernel, lowest_bit
from hpenv.rulebook import contract_points, stakes
from hpenv.seats import left_of, partner_of, right_of, side_of

ACES, KINGS, JACKS = (
    card_set(6 * suit + RANKS.index(rank) for suit in range(N_SUITS)) for rank in "AKJ"
)
MINUS_LOSERS = -LOSER_COUNTS  # so that more is better, as in COUNTS
STEEPNESS = 1.702  # of the logistic curve that is nearest to the normal one


# ---- the choices ------------------------------------------------------------------------------


@kernel
def bid_choice(view: Any, temper: Temper) -> Int:
    """The call with the most expected points: a bid, or a pass where it is allowed (R6)."""
    hand = np.int64(view.hand)
    tricks = tricks_if_maker(view, temper)
    outside = outside_tricks(hand, temper)
    losers = -WIDOW_LOSERS[view.hand_size] * best_count(hand, MINUS_LOSERS[view.hand_size])
    margin = points_beyond(view, temper)
    best = np.int64(PASS)
    best_points = -np.inf
    if (view.legal >> PASS) & 1:
        best_points = points_of_pass(view, outside, temper)
    bids = np.int64(view.legal) & ~(1 << PASS)
    while bids:
        bid = lowest_bit(bids)
        bids &= bids - 1
        points = points_of_bid(view, bid - BID, tricks, outside, losers, temper) - margin
        if points > best_points:
            best = bid
            best_points = points
    return best


@kernel
def trump_choice(view: Any, temper: Temper) -> Int:
    """The suit in which the hand is worth most with its best discard; in a block, loses most."""
    hand = np.int64(view.hand)
    weights = MINUS_LOSERS if is_block(view, hand, 0, N_SUITS, temper) else COUNTS
    return TRUMP + best_plan(hand, 0, N_SUITS, weights[view.hand_size])[1]


@kernel
def discard_choice(view: Any, temper: Temper) -> Int:
    """The card without which the hand is worth most; in a block, the one most likely to win."""
    hand = np.int64(view.hand)
    trump = np.int64(view.trump)
    weights = MINUS_LOSERS if is_block(view, hand, trump, trump + 1, temper) else COUNTS
    return best_plan(hand, trump, trump + 1, weights[view.hand_size])[2]


@kernel
def alone_choice(view: Any, temper: Temper) -> Int:
    """The maker goes alone in a block and where double points are worth more; a defender goes alone
    against a block if its hand wins few tricks."""
    hand = np.int64(view.hand)
    trump = np.int64(view.trump)
    if view.seat == view.maker:
        tricks = count_tricks(hand, trump, COUNTS[view.hand_size])
        alone = is_throwing(view, hand, temper)
        if view.alone_factor > 1:
            bid = np.int64(view.bid)
            alone |= points_alone(view, bid, tricks, temper) > points_expected(
                view, bid, tricks, False, temper
            )
        return ALONE if alone else WITH_PARTNER
    may_be_block = not view.bid_penalty and view.alone_factor == 1 and view.bid >= view.hand_size
    limit = temper.lone_defence[0 if left_of(view.maker) == view.seat else 1]
    if may_be_block and -count_tricks(hand, trump, MINUS_LOSERS[view.hand_size]) < limit:
        return ALONE
    return WITH_PARTNER


@kernel
def is_throwing(view: Any, hand: Int, temper: Temper) -> bool:
    """Whether a maker with these cards, trump named and discard made, tries to lose every trick."""
    trump = np.int64(view.trump)
    return bool(is_block(view, hand, trump, trump + 1, temper))


# ---- judging calls ----------------------------------------------------------------------------


@kernel
def stakes_of(view: Any) -> Int:
    """The kind of stakes of the rules in force: 0 where a set costs the tricks won, 1 where it costs
    the bid, 2 where defenders score their tricks (R17) or a lone maker scores double (R16) besides."""
    if view.defenders_score or (view.bid_penalty and view.alone_factor > 1):
        return 2
    return 1 if view.bid_penalty else 0


@kernel
def opponents_stand(view: Any) -> bool:
    """The standing bid is an opponent's."""
    return bool(side_of(view.maker) != side_of(view.seat))


@kernel
def tricks_if_maker(view: Any, temper: Temper) -> Real:
    """The tricks our side should win if this hand is the maker's, by its best suit and the calls."""
    k = view.hand_size
    tricks = WIDOW_TRICKS[k, 0] + WIDOW_TRICKS[k, 1] * best_count(np.int64(view.hand), COUNTS[k])
    partner = partner_of(np.int64(view.seat))
    partners_bid = highest_bid(view, partner)
    if partners_bid:
        tricks += temper.partner_bid * partners_bid
    elif (view.passed >> partner) & 1:
        tricks += temper.partner_passed * k / MAX_HAND_SIZE
    if view.bid and opponents_stand(view):
        tricks += temper.opponents_bid * view.bid
    return tricks


@kernel
def highest_bid(view: Any, seat: Int) -> Int:
    """The highest bid a seat has made, 0 for none."""
    bids = (view.bids >> (N_LEVELS * seat)) & ((1 << N_LEVELS) - 1)
    level = np.int64(0)
    while bids:
        bids >>= 1
        level += 1
    return level


@kernel
def outside_tricks(hand: Int, temper: Temper) -> Real:
    """What the hand is worth in tricks whatever suit others name."""
    tricks = temper.joker if (hand >> JOKER) & 1 else 0.0
    tricks += temper.ace * count_bits(hand & ACES)
    tricks += temper.king * count_bits(hand & KINGS)
    return tricks + temper.jack * count_bits(hand & JACKS)


@kernel
def points_beyond(view: Any, temper: Temper) -> Real:
    """The margin in points by which a bid must beat a pass: it depends on whose bid stands."""
    if view.bid == 0 or not (view.legal >> PASS) & 1:
        return 0.0
    margin = temper.over_opponents if opponents_stand(view) else temper.over_partner
    return margin * view.hand_size / MAX_HAND_SIZE


@kernel
def points_of_pass(view: Any, outside: Real, temper: Temper) -> Real:
    """The expected points of a pass: those of the side whose bid stands, positive if it is ours."""
    scale = view.hand_size / MAX_HAND_SIZE
    if view.bid == 0:
        return temper.unbid * scale
    bid = np.int64(view.bid)
    above_four = bid / scale - 4.0
    if not opponents_stand(view):
        tricks = temper.partner_tricks + temper.partner_step * above_four + outside
        return points_of_contract(view, bid, tricks * scale, temper)
    tricks = temper.opponents_tricks + temper.opponents_step * above_four - outside
    points = -points_of_contract(view, bid, tricks * scale, temper)
    if not (view.passed >> partner_of(np.int64(view.seat))) & 1:
        points += temper.partner_may_bid * scale
    return points


@kernel
def points_of_bid(
    view: Any, bid: Int, tricks: Real, outside: Real, losers: Real, temper: Temper
) -> Real:
    """The expected points of a bid: ours if it stands, minus the opponents' if they bid higher."""
    k = np.int64(view.hand_size)
    scale = k / MAX_HAND_SIZE
    points = points_of_contract(view, bid, tricks, temper)
    if bid >= k:
        return max(points, points_of_block(view, bid, losers, temper)) + temper.all_tricks * scale
    rivals = 0
    for seat in (left_of(view.seat), right_of(view.seat)):
        rivals += 1 - ((view.passed >> seat) & 1)
    needed = bid + 1 - temper.nerve
    ours = temper.our_part * outside * scale
    far = (needed + ours - AVERAGE_TRICKS[k]) / (temper.nerve_spread * SPREAD[k])
    stands = (1.0 / (1.0 + np.exp(-STEEPNESS * far))) ** rivals
    beaten = -points_of_contract(view, bid + 1, needed + temper.surplus - ours, temper)
    return stands * points + (1.0 - stands) * beaten


# ---- points -----------------------------------------------------------------------------------


@kernel
def points_of_contract(view: Any, bid: Int, tricks: Real, temper: Temper) -> Real:
    """The expected points of makers with this count of tricks, alone if that is better for them."""
    points = points_expected(view, bid, tricks, False, temper)
    if view.alone_allowed and view.alone_factor > 1:
        points = max(points, points_alone(view, bid, tricks, temper))
    return points


@kernel
def points_alone(view: Any, bid: Int, tricks: Real, temper: Temper) -> Real:
    """The same alone: the count includes the partner's help, which is missing then."""
    k = view.hand_size
    lone = ALONE_TRICKS[k, 0] + ALONE_TRICKS[k, 1] * tricks
    return points_expected(view, bid, lone, True, temper)


@kernel
def points_expected(view: Any, bid: Int, tricks: Real, alone: bool, temper: Temper) -> Real:
    """The makers' points minus the defenders' (R14 to R17), averaged over how many tricks may be
    won."""
    k = np.int64(view.hand_size)
    points = 0.0
    at_least = 1.0
    for won in range(k + 1):
        more = 0.0
        if won < k:
            far = (tricks - won - 0.5) / (temper.spread * SPREAD[k])
            more = 1.0 / (1.0 + np.exp(-STEEPNESS * far))
        makers, defenders = contract_points(view, won, bid, alone)
        points += (at_least - more) * (makers - defenders)
        at_least = more
    return points


@kernel
def points_of_block(view: Any, bid: Int, losers: Real, temper: Temper) -> Real:
    """The points of a lone maker that bids all the tricks and tries to lose them; minus infinity where
    the rules do not allow it or a set costs the bid."""
    if view.bid_penalty or not view.alone_allowed or bid < view.hand_size:
        return -np.inf
    lost = temper.block_cost * max(0.0, losers)
    points = -lost * stakes(view, bid, True)
    if view.defenders_score:
        points -= view.hand_size - lost
    return points


# ---- counting a hand --------------------------------------------------------------------------


@kernel
def count_tricks(hand: Int, trump: Int, weights: Any) -> Real:
    """The count of a hand under a trump by a row of COUNTS or LOSER_COUNTS."""
    trumps = count_bits(hand & FOLLOWERS[trump, trump])
    tricks = weights[ANY_HAND]
    cards = hand
    while cards:
        tricks += weights[KIND[trump, lowest_bit(cards)]]
        cards &= cards - 1
    tricks += weights[LONG] * max(0, trumps - 3)
    if trumps < 2:
        tricks += weights[SHORT]
    for suit in range(N_SUITS):
        if suit != trump and trumps:
            length = count_bits(hand & FOLLOWERS[trump, suit])
            if length < 2:
                tricks += weights[SINGLE] if length else weights[VOID]
    return tricks


@kernel
def best_count(hand: Int, weights: Any) -> Real:
    """The count of the hand in its best suit."""
    best = -np.inf
    for suit in range(N_SUITS):
        best = max(best, count_tricks(hand, suit, weights))
    return best


@kernel
def best_plan(hand: Int, first: Int, end: Int, weights: Any) -> tuple[Real, Int, Int]:
    """The best count with its trump and discard, for the trumps first..end-1, of a hand that has the
    widow's card too many."""
    best = -np.inf
    best_trump = first
    best_discard = np.int64(0)
    for trump in range(first, end):
        cards = hand
        while cards:
            card = lowest_bit(cards)
            cards &= cards - 1
            count = count_tricks(hand & ~(1 << card), trump, weights)
            if count > best:
                best = count
                best_trump = trump
                best_discard = card
    return best, best_trump, best_discard


@kernel
def is_block(view: Any, hand: Int, first: Int, end: Int, temper: Temper) -> bool:
    """Whether losing all the tricks is worth more to the maker than playing to win the bid, with the
    best of the trumps first..end-1."""
    k = np.int64(view.hand_size)
    if view.bid_penalty or view.bid < k:
        return False
    if count_bits(hand) > k:
        losers = -best_plan(hand, first, end, MINUS_LOSERS[k])[0]
        tricks = best_plan(hand, first, end, COUNTS[k])[0]
    else:
        losers = -count_tricks(hand, first, MINUS_LOSERS[k])
        tricks = count_tricks(hand, first, COUNTS[k])
    bid = np.int64(view.bid)
    block = points_of_block(view, bid, losers, temper)
    return bool(block > points_of_contract(view, bid, tricks, temper))
