"""The exact search of the play with all hands open: can the side on lead force what it wants?

A position is one at the start of a trick, seen from its leader: seat 0 leads, 1 is at its left. The
cards in play stand in four rows of bits, three side suits and above them trumps, each row filled from
its first bit by the lowest card still in play: which cards have gone is forgotten, only who holds the
first, second, third best is left. So neighbours in a row are equals, the highest bit among trumps and
the suit led wins a trick, and what is found out about a position in one deal holds in all of them.

`owners` has two halves of 30 bits: the low and the high bit of the seat that holds each card.
`in_play` is the set of cards in play. A seat that sits out holds nothing. A set of numbers of tricks
has bit t for t tricks.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hpenv.compiled import Int, count_bits, highest_bit, kernel, lowest_bit, mix

ROWS = (0, 7, 14, 21)  # where each row starts; a side suit has at most 6 cards, so bit 6 is free
TRUMPS = 0xFF << 21
STARTS = sum(1 << start for start in ROWS)
HALF = 30
LOW = (1 << HALF) - 1
MEMORY_BITS = 15
NO, YES, OPEN = range(3)

Memory: TypeAlias = NDArray[np.int64]  # shape (2 ** MEMORY_BITS, 2)


def _row_of(place: int) -> int:
    return TRUMPS if place >= 21 else 0x7F << (place - place % 7)


def _from(place: int) -> int:
    return _row_of(place) & -(1 << place)


# The row a place stands in, and what happens in both halves of `owners` when the card there leaves:
# the places that stay as they are and those that take over from the place above.
ROW_OF = np.array([_row_of(p) for p in range(29)], np.int64)
STAY = np.array([~(_from(p) | _from(p) << HALF) for p in range(29)], np.int64)
MOVE = np.array([_from(p) & _from(p) >> 1 for p in range(29)], np.int64)
MOVE |= MOVE << HALF
# A set of numbers 0..n with every m turned into n - m: [n, set].
MIRRORED = np.array(
    [[sum(1 << (n - m) for m in range(n + 1) if s >> m & 1) for s in range(128)] for n in range(7)],
    np.int64,
)


@kernel
def can_force(  # noqa: PLR0912, PLR0915 - a call for each card would cost half the speed
    owners: Int, in_play: Int, n: Int, goal: Int, forced: Int, memory: Any
) -> bool:
    """Can the side on lead bring its number of the n tricks to come into the set `goal`?

    Seats that hold a card of the set `forced` play it to the first trick. `memory` remembers what is
    found out, see `new_memory`.
    """
    every = (2 << n) - 1
    goal &= every
    if goal in (every, 0):
        return bool(goal)
    low, high = owners & LOW, owners >> HALF
    hand0, hand1 = in_play & ~(low | high), low & ~high
    hand2, hand3 = high & ~low, low & high
    if n == 1:
        return bool((goal >> (1 - (winner(hand0, hand1, hand2, hand3) & 1))) & 1)
    # Numba's cache is sound only if a function calls itself with the very types it was called with:
    # a literal 0 would be another type.
    nothing = np.int64(0)
    slot, key, can, cannot, best_lead = nothing, nothing, every, every, nothing
    if forced == 0:
        key = owners | (in_play + STARTS)
        slot = np.int64(mix(key) >> np.uint64(64 - MEMORY_BITS))
        can, cannot, best_lead = recall(memory, slot, key, every)
        decided = compare(can, cannot, goal)
        if decided == OPEN:
            sure = at_least(sure_tricks(hand0, hand1, hand2, hand3, n)) & every
            most = n - trump_tricks(hand1, hand3, hand0 | hand2)
            decided = compare(sure, every & ~at_least(most + 1), goal)
        if decided != OPEN:
            return bool(decided == YES)

    many = (goal >> n) & 1 == 1 and goal & 1 == 0
    success = False
    cards0 = choices(hand0, hand0, forced)
    while cards0 and not success:
        card0 = pick_lead(cards0, best_lead, hand0, in_play, many)
        cards0 ^= card0
        best_lead = card0
        led = ROW_OF[lowest_bit(card0)]
        counts = led | TRUMPS
        cards1 = choices(hand1, hand1 & led, forced)
        while True:  # once, with no card, for a seat that sits out
            card1 = pick(cards1, above(card0) & counts, many)
            cards1 ^= card1
            best1 = max(card0, card1 & counts)
            cards2 = choices(hand2, hand2 & led, forced)
            while True:
                card2 = pick(cards2, above(best1) & counts if best1 != card0 else nothing, many)
                cards2 ^= card2
                best2 = max(best1, card2 & counts)
                cards3 = choices(hand3, hand3 & led, forced)
                while True:
                    card3 = pick(cards3, above(best2) & counts if best2 != card1 else nothing, many)
                    cards3 ^= card3
                    best = max(best2, card3 & counts)
                    rest, left = without(owners, in_play, card0 | card1 | card2 | card3)
                    if best in (card0, card2):
                        rest = seen_from(rest, left, 0 if best == card0 else 2)
                        success = can_force(rest, left, n - 1, goal >> 1, nothing, memory)
                    else:
                        rest = seen_from(rest, left, 1 if best == card1 else 3)
                        theirs = MIRRORED[n - 1, ~goal & (every >> 1)]
                        success = not can_force(rest, left, n - 1, theirs, nothing, memory)
                    if not success or cards3 == 0:
                        break
                if success or cards2 == 0:
                    break
            if not success or cards1 == 0:
                break
    if forced == 0:
        if success:
            can = goal
        else:
            cannot = every & ~goal
        memory[slot, 0] = key
        memory[slot, 1] = can | (cannot << 7) | (best_lead << 14)
    return success


def new_memory() -> Memory:
    """An empty memory of positions, for `can_force`: shape (2 ** MEMORY_BITS, 2).

    An entry holds a position, and packed together a set of numbers of tricks that the side on lead can
    reach for sure, one that the other side can hold it to for sure, and the last good lead. None of it
    ever becomes false: a memory serves any deals under any rules, one after the other.
    """
    return np.zeros((1 << MEMORY_BITS, 2), np.int64)


@kernel
def value_of(
    owners: Int,
    in_play: Int,
    n: Int,
    payoffs: Any,
    forced: Int,
    guess: Int,
    low: Int,
    high: Int,
    memory: Any,
) -> Int:
    """What the side on lead can get for sure when `payoffs[t]` is what t of the n tricks are worth to
    it and the other side wants it to get little. Beyond low..high the nearer end is returned."""
    least, most = payoffs[0], payoffs[0]
    for t in range(n + 1):
        least, most = min(least, payoffs[t]), max(most, payoffs[t])
    low, high = max(low, least), min(high, most)
    while low < high:
        wanted = high  # the payoff nearest to the guess
        for t in range(n + 1):
            if low < payoffs[t] < high and abs(payoffs[t] - guess) < abs(wanted - guess):
                wanted = payoffs[t]
        goal, next_best = np.int64(0), low
        for t in range(n + 1):
            if payoffs[t] >= wanted:
                goal |= 1 << t
            else:
                next_best = max(next_best, payoffs[t])
        if can_force(  # always called with the same types: see the remark on the cache there
            np.int64(owners), np.int64(in_play), np.int64(n), goal, np.int64(forced), memory
        ):
            low = wanted
        else:
            high = next_best
    return low


@kernel
def likely_tricks(owners: Int, in_play: Int, n: Int) -> Int:
    """A guess at how many of the n tricks the side on lead takes, right every other time. The weights,
    in hundredths of a trick, are a fit of exact values to what the sides hold more or less of."""
    theirs = owners & LOW
    trumps = in_play & TRUMPS
    winners = in_play & ~(in_play >> 1) & ~TRUMPS
    score = 50 * n + 26
    score += 40 * (count_bits(trumps) - 2 * count_bits(trumps & theirs))
    score += 37 * (count_bits(winners) - 2 * count_bits(winners & theirs))
    for worth in (69, 46, 23):
        if trumps:
            best = 1 << highest_bit(trumps)
            score += -worth if theirs & best else worth
            trumps ^= best
    return min(max((score + 50) // 100, 0), n)


@kernel
def recall(memory: Any, slot: Int, key: Int, every: Int) -> tuple[Int, Int, Int]:
    """What is remembered of a position: what its leader's side can force, what the other side can hold
    it to, and a good lead; nothing better than every number of tricks if it is new."""
    if memory[slot, 0] != key:
        return every, every, np.int64(0)
    known = memory[slot, 1]
    return known & 127, (known >> 7) & 127, known >> 14


@kernel
def compare(can: Int, cannot: Int, goal: Int) -> Int:
    """Is the goal reached by a side that can force `can` and can be held to `cannot`?"""
    if can & ~goal == 0:
        return YES
    return NO if cannot & goal == 0 else OPEN


@kernel
def at_least(t: Int) -> Int:
    """The set of the numbers from t on."""
    return -(1 << t)


@kernel
def above(card: Int) -> Int:
    """The places above that of a card."""
    return -(card << 1)


@kernel
def without(owners: Int, in_play: Int, cards: Int) -> tuple[Int, Int]:
    """The position with some cards gone and the rows closed up."""
    while cards:
        place = highest_bit(cards)  # the highest first: the places below do not change
        cards ^= 1 << place
        owners = (owners & STAY[place]) | ((owners >> 1) & MOVE[place])
        in_play = (in_play & STAY[place]) | ((in_play >> 1) & MOVE[place])
    return owners, in_play


@kernel
def seen_from(owners: Int, in_play: Int, seat: Int) -> Int:
    """The owners as another seat counts seats, itself as 0."""
    if seat == 0:
        return owners
    low, high = owners & LOW, owners >> HALF
    if seat == 2:
        return low | ((in_play & ~high) << HALF)
    if seat == 1:
        return (in_play & ~low) | ((in_play & ~(low ^ high)) << HALF)
    return (in_play & ~low) | ((low ^ high) << HALF)


@kernel
def winner(card0: Int, card1: Int, card2: Int, card3: Int) -> Int:
    """The seat that wins a trick of single cards (0: an absent seat), seat 0 leading (R13)."""
    counts = ROW_OF[lowest_bit(card0)] | TRUMPS
    best = max(card0, card1 & counts, card2 & counts, card3 & counts)
    if best == card0:
        return 0
    if best == card1:
        return 1
    return 2 if best == card2 else 3


@kernel
def choices(hand: Int, following: Int, forced: Int) -> Int:
    """The cards a seat need consider: those that follow if any do (R11), one of each row of equals."""
    if forced & hand:
        return forced & hand
    cards = following if following else hand
    return cards & ~(hand << 1)


@kernel
def sure_tricks(hand0: Int, hand1: Int, hand2: Int, hand3: Int, n: Int) -> Int:
    """Tricks the side on lead takes for certain: the leader's winners in a row, trumps first, or what
    its trumps must win in time."""
    others = hand1 | hand2 | hand3
    trumps0, trumps1 = count_bits(hand0 & TRUMPS), count_bits(hand1 & TRUMPS)
    trumps2, trumps3 = count_bits(hand2 & TRUMPS), count_bits(hand3 & TRUMPS)
    sure = top_cards(hand0 & TRUMPS, others & TRUMPS)
    if sure >= max(trumps1, trumps2, trumps3):
        sure = trumps0
    ruffs1, ruffs3 = trumps1 > sure, trumps3 > sure
    chain = sure
    for start in (0, 7, 14):
        suit = 0x7F << start
        mine = hand0 & suit
        if mine == 0:
            continue
        run = top_cards(mine, others & suit)
        if run == 0:
            continue
        length1, length3 = count_bits(hand1 & suit), count_bits(hand3 & suit)
        if run >= max(length1, length3, count_bits(hand2 & suit)):
            run = count_bits(mine)
        if ruffs1:
            run = min(run, length1)
        if ruffs3:
            run = min(run, length3)
        chain += run
    if trumps2 > sure:
        # a partner left with nothing but trumps must ruff, and then it is on lead
        chain = min(chain, sure + n - trumps2 + 1)
    return max(chain, trump_tricks(hand0, hand2, hand1 | hand3))


@kernel
def top_cards(mine: Int, others: Int) -> Int:
    """How many of my cards in one row are above all the others there."""
    return count_bits(mine & above(1 << highest_bit(others))) if others else count_bits(mine)


@kernel
def trump_tricks(hand: Int, partner: Int, against: Int) -> Int:
    """Tricks a side's trumps win whoever leads: its top trumps in one hand, or a hand's trumps less
    those against it that can beat any of them."""
    against &= TRUMPS
    sure = np.int64(0)
    for trumps in (hand & TRUMPS, partner & TRUMPS):
        if trumps:
            beaten = count_bits(against & above(trumps & -trumps))
            sure = max(sure, top_cards(trumps, against), count_bits(trumps) - beaten)
    return sure


@kernel
def pick_lead(cards: Int, best_lead: Int, hand: Int, in_play: Int, many: bool) -> Int:
    """The card to lead first: the one that did well before, then winners for a side that wants many
    tricks, trumps before others, then the lowest."""
    if cards & best_lead:
        return best_lead
    if many:
        winners = in_play & ~(in_play >> 1) & hand
        for _ in range(3):  # with their equals down to the lowest, which stands for all
            winners |= (winners >> 1) & hand
        if winners & cards:
            return 1 << highest_bit(winners & cards)
    return cards & -cards


@kernel
def pick(cards: Int, beats: Int, many: bool) -> Int:
    """The card to follow with first, 0 if there is none: the cheapest of those that win for a side that
    wants many tricks, else the lowest; the highest that does not win for one that wants few."""
    if many:
        cards = cards & beats if cards & beats else cards
        return cards & -cards
    cards = cards & ~beats if cards & ~beats else cards
    return 1 << highest_bit(cards) if cards else cards
