"""How the rule-based agent plays its cards: the card to lead and the card to play to a trick.

Each card is valued by its chance to win this trick plus what the rest of the hand may win later, and
the card with the highest value is played. The chance to win the trick is counted from the cards still
unseen and the suits the others have shown out of; what a hand may win later is a rule of thumb. Once a
contract is lost and further tricks only cost its makers more, both sides reverse: the makers try to
lose tricks and the defenders try to lose them, too (R15).
"""

from typing import Any

import numpy as np

from hpenv.actions import BIG
from hpenv.agents.rule_based.counts import Real
from hpenv.agents.rule_based.weights import Judgement
from hpenv.cards import (
    FOLLOWERS,
    MAX_HAND_SIZE,
    N_CARDS,
    N_SUITS,
    NO_CARD,
    NO_SUIT,
    PACK_SETS,
    STRENGTH,
    SUIT_FOLLOWED,
)
from hpenv.compiled import Int, count_bits, kernel, lowest_bit
from hpenv.seats import N_SEATS, NOBODY, left_of, right_of, side_of


def _none_drawn() -> Any:
    """The chance that a hand of n cards drawn from N has none of m special ones: [N, m, n]."""
    chance = np.zeros((N_CARDS + 1, N_CARDS + 1, MAX_HAND_SIZE + 1))
    chance[:, :, 0] = 1.0
    for cards in range(N_CARDS + 1):
        for special in range(cards + 1):
            for n in range(1, min(cards, MAX_HAND_SIZE) + 1):
                left = cards - n + 1
                miss = max(0, left - special) / left
                chance[cards, special, n] = miss * chance[cards, special, n - 1]
    return chance


NONE_DRAWN = _none_drawn()


# ---- the two choices --------------------------------------------------------------------------


@kernel
def card_choice(view: Any, wanted: Int, judgement: Judgement) -> Int:
    """The card to lead, or to play to a trick that has been led to. wanted: 1 if the trick is to be
    won, -1 if it is to be lost, 0 if neither."""
    leading = view.led_suit == NO_SUIT
    unseen = unseen_cards(view)
    theirs = opponents_cards(view, unseen)
    best = np.int64(NO_CARD)
    best_score = -np.inf
    cards = np.int64(view.legal)
    while cards:
        card = lowest_bit(cards)
        cards &= cards - 1
        score = card_score(view, unseen, theirs, card, wanted, judgement)
        if leading and wanted >= 0:
            score += lead_bonus(view, theirs, card, judgement)
        if score > best_score:
            best = card
            best_score = score
    return best


@kernel
def trick_matters(view: Any) -> Int:
    """1 if both sides want to win the tricks to come, -1 if both want to lose them, 0 if nothing is at
    stake. It is 1 until the contract is lost; then every trick the makers win costs them one more
    (R15, R16), or nothing, and every trick the defenders win may score (R17)."""
    makers = side_of(np.int64(view.maker))
    possible = np.int64(view.tricks[makers]) + view.hand_size - view.tricks_played
    if possible >= min(view.bid, view.hand_size):
        return 1
    gain = np.int64(view.defenders_score)
    if not view.bid_penalty:
        stakes = np.int64(2 if view.bid == BIG else 1)
        if (view.alone >> np.int64(view.maker)) & 1:
            stakes *= view.alone_factor
        gain -= stakes
    return min(max(gain, -1), 1)


# ---- judging a card ---------------------------------------------------------------------------


@kernel
def role_of(view: Any) -> Int:
    """The seat's part in the deal: 0 the maker, 1 its partner, 2 a defender."""
    if side_of(view.maker) != side_of(view.seat):
        return 2
    return 0 if view.maker == view.seat else 1


@kernel
def card_score(
    view: Any, unseen: Int, theirs: Int, card: Int, wanted: Int, judgement: Judgement
) -> Real:
    """What playing a card promises, in tricks wanted; of equals the lowest card, or the highest to get
    rid of when tricks are to be lost."""
    trump = np.int64(view.trump)
    strength = 0.001 * STRENGTH[trump, SUIT_FOLLOWED[trump, card], card]
    now = chance_to_win(view, unseen, card, wanted, judgement)
    if wanted >= 0:
        kept = np.int64(view.hand) & ~(1 << card)
        return now + worth_later(view, theirs, kept, judgement) - strength
    if view.led_suit == NO_SUIT:
        return -now - strength
    return risk_later(view, unseen, card, judgement) - now + strength


@kernel
def lead_bonus(view: Any, theirs: Int, card: Int, judgement: Judgement) -> Real:
    """What leading a card is worth besides the trick. theirs: the cards the opponents may hold."""
    trump = np.int64(view.trump)
    suit = np.int64(SUIT_FOLLOWED[trump, card])
    length = count_bits(view.hand & FOLLOWERS[trump, suit])
    boss = cards_above(trump, suit, card, theirs) == 0
    if suit != trump:
        if boss:
            return judgement.boss_side
        can_ruff = length == 1 and view.hand & FOLLOWERS[trump, trump]
        return judgement.single_lead if can_ruff else 0.0
    if theirs & FOLLOWERS[trump, trump] == 0:
        return judgement.drawn
    if boss:
        last = view.hand_size - view.tricks_played == 2
        return judgement.last_boss if last else judgement.boss_trump
    return judgement.low_trumps[min(length, 4) - 1]


@kernel
def worth_later(view: Any, theirs: Int, hand: Int, judgement: Judgement) -> Real:
    """The tricks that the cards kept may still win. theirs: the cards the opponents may hold."""
    left = count_bits(hand)
    if left == 0:
        return 0.0
    trump = np.int64(view.trump)
    trumps_out = theirs & FOLLOWERS[trump, trump]
    worth = 0.0
    cards = hand
    while cards:
        card = lowest_bit(cards)
        cards &= cards - 1
        suit = np.int64(SUIT_FOLLOWED[trump, card])
        mine = hand & FOLLOWERS[trump, suit]
        above = count_bits(cards_above(trump, suit, card, theirs))
        if suit == trump:
            drawn = min(above, count_bits(cards_above(trump, suit, card, mine)))
            worth += (1.0 - judgement.promotion) * judgement.trumps[min(above, 3)]
            worth += judgement.promotion * judgement.trumps[min(above - drawn, 3)]
        elif above == 0 and not trumps_out:
            worth += judgement.safe
        else:
            worth += judgement.side[min(above, 2)]
            if 0 < above < count_bits(mine):
                worth += judgement.guard
    if hand & FOLLOWERS[trump, trump]:
        for side in range(N_SUITS):
            length = count_bits(hand & FOLLOWERS[trump, side])
            if side != trump and length < 2:
                worth += judgement.single if length else judgement.void
    return worth * (1.0 - judgement.fading / left)


@kernel
def risk_later(view: Any, unseen: Int, card: Int, judgement: Judgement) -> Real:
    """The risk that a card, if it is kept, wins an unwanted trick later."""
    if view.hand_size - view.tricks_played == 1:
        return 0.0
    trump = np.int64(view.trump)
    suit = np.int64(SUIT_FOLLOWED[trump, card])
    rivals = unseen & FOLLOWERS[trump, suit]
    above = count_bits(cards_above(trump, suit, card, rivals))
    risk = 1.0 - above / (1.0 + count_bits(rivals))
    return risk if suit == trump else risk * judgement.side_risk


# ---- what may be held -------------------------------------------------------------------------


@kernel
def unseen_cards(view: Any) -> Int:
    """The cards this seat has not seen: not played, not in its hand, not its own discard."""
    seen = view.played[0] | view.played[1] | view.played[2] | view.played[3] | view.hand
    if view.discard != NO_CARD:
        seen |= 1 << np.int64(view.discard)
    return np.int64(PACK_SETS[view.hand_size] & ~seen)


@kernel
def may_hold(view: Any, unseen: Int, seat: Int) -> Int:
    """The unseen cards a seat may play, by the suits it has shown out of; none if it sits out."""
    if (view.sitting_out >> seat) & 1:
        return np.int64(0)
    for suit in range(N_SUITS):
        if (view.voids >> (N_SUITS * seat + suit)) & 1:
            unseen &= ~FOLLOWERS[view.trump, suit]
    return unseen


@kernel
def opponents_cards(view: Any, unseen: Int) -> Int:
    """The unseen cards that either opponent may play."""
    me = np.int64(view.seat)
    return may_hold(view, unseen, left_of(me)) | may_hold(view, unseen, right_of(me))


@kernel
def cards_above(trump: Int, led: Int, card: Int, cards: Int) -> Int:
    """Those of a set of cards that follow the suit led and beat a card."""
    return stronger(trump, led, np.int64(STRENGTH[trump, led, card]), cards & FOLLOWERS[trump, led])


@kernel
def stronger(trump: Int, led: Int, strength: Int, cards: Int) -> Int:
    """Those of a set of cards that are stronger than a strength."""
    above = np.int64(0)
    while cards:
        card = lowest_bit(cards)
        cards &= cards - 1
        if STRENGTH[trump, led, card] > strength:
            above |= 1 << card
    return above


# ---- chances ----------------------------------------------------------------------------------


@kernel
def chance_to_win(view: Any, unseen: Int, card: Int, wanted: Int, judgement: Judgement) -> Real:
    """The chance that this seat's side wins the trick if it plays a card now."""
    me = np.int64(view.seat)
    trump = np.int64(view.trump)
    led = np.int64(view.led_suit)
    if led == NO_SUIT:
        led = np.int64(SUIT_FOLLOWED[trump, card])
    best = np.int64(STRENGTH[trump, led, card])
    ours = 1.0
    if view.winning_seat != NOBODY and best <= view.winning_strength:
        best = np.int64(view.winning_strength)
        ours = 1.0 if side_of(view.winning_seat) == side_of(me) else 0.0
    seat = me
    for _ in range(1, N_SEATS):
        seat = left_of(seat)
        if view.trick[seat] != NO_CARD:
            break
        cards = may_hold(view, unseen, seat)
        if wanted < 0:
            beats = chance_forced_to_beat(view, cards, led, best)
        else:
            tilt = judgement.maker_trumps if seat == view.maker else 1.0
            beats = chance_to_beat(view, cards, led, best, tilt)
        if side_of(seat) != side_of(me):
            ours *= 1.0 - beats
        else:
            ours += (1.0 - ours) * beats * judgement.partner
    return ours


@kernel
def chance_to_beat(view: Any, cards: Int, led: Int, strength: Int, tilt: Real) -> Real:
    """The chance that a seat yet to play can beat a strength: higher in the suit led, or void in it
    with a trump that is high enough. cards: those it may hold. tilt: how likely trumps are with it."""
    size = count_bits(cards)
    if size == 0:
        return 0.0
    trump = np.int64(view.trump)
    n = view.hand_size - view.tricks_played
    following = cards & FOLLOWERS[trump, led]
    lower = NONE_DRAWN[size, count_bits(stronger(trump, led, strength, following)), n]
    if led == trump:
        return 1.0 - lower**tilt
    length = count_bits(following)
    ruffs = count_bits(stronger(trump, led, strength, cards & FOLLOWERS[trump, trump]))
    void = NONE_DRAWN[size, length, n]
    return 1.0 - lower + void * (1.0 - NONE_DRAWN[size - length, ruffs, n] ** tilt)


@kernel
def chance_forced_to_beat(view: Any, cards: Int, led: Int, strength: Int) -> Real:
    """The chance that a seat yet to play can follow suit only with cards that beat a strength."""
    size = count_bits(cards)
    if size == 0:
        return 0.0
    trump = np.int64(view.trump)
    n = view.hand_size - view.tricks_played
    following = cards & FOLLOWERS[trump, led]
    lower = following & ~stronger(trump, led, strength, following)
    return NONE_DRAWN[size, count_bits(lower), n] - NONE_DRAWN[size, count_bits(following), n]
