"""Worlds: the full deals that a view allows, drawn so that each is as likely as any other.

A world tells who holds which card now, what the maker discarded and which card was the widow: enough to
tell the deal from its first card on. It agrees with everything the seat knows for certain: its own
cards, the widow and the discard if it is the maker, every card played, how many cards each seat holds
(a partner sitting out still has its whole hand), and the suits that seats have shown they cannot
follow. What was bid or passed makes nothing certain (R5).

The cards a seat has not seen lie in four places at most: three hands and one card face down, which is
the widow until it is taken and another maker's discard from then on. A void bars a suit from that
seat's hand, but not from its discard, which was made before (R8). Any of the k + 1 cards that another
maker holds, has played or has discarded may have been the widow. So each way to lay the unseen cards
makes k + 1 deals, no way more than another: to draw a deal evenly is to draw a way evenly, and a widow.

The ways are counted beforehand, so that the worlds of a view are numbered and to draw a world is to
draw its number. Nothing is tried and thrown away.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hpenv.arguments import random_word, whole_number
from hpenv.cards import MAX_HAND_SIZE, N_SUITS, NO_CARD, PACK_SETS, SUIT_FOLLOWED
from hpenv.compiled import Int, count_bits, kernel, lowest_bit, mix, next_state
from hpenv.rulebook import AUCTION, DISCARD, NAME_TRUMP
from hpenv.seats import N_SEATS, NOBODY
from hpenv.suits import one_bit
from hpenv.table import TABLE, Table, Tables
from hpenv.view import VIEW, View, copy_public

MOST_UNSEEN = 3 * MAX_HAND_SIZE + 1
# Room for 0..6 cards in each of three hands and for 0 or 1 face down. While a maker holds seven there
# is nothing face down, so that this is enough.
MOST_ROOMS = 2 * (MAX_HAND_SIZE + 1) ** 3

# Hands (W, 4), the set of cards each seat holds, and for each world discard (W,) and widow (W,).
Worlds: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int8], NDArray[np.int8]]


# ---- counting the ways ------------------------------------------------------------------------


@kernel
def is_widow_taken(view: View) -> bool:
    """Whether the auction is over and has a maker."""
    return bool(view.maker != NOBODY and view.phase != AUCTION)


@kernel
def widow_choices(view: View) -> Int:
    """How many cards may have been the widow once it is known who holds what: any of the cards that
    another maker has had, else one."""
    if is_widow_taken(view) and view.maker != view.seat:
        return np.int64(view.hand_size) + 1
    return np.int64(1)


@kernel
def hidden_places(view: View, shown: Int, room: Any) -> Int:
    """Write how many cards each other seat holds into `room` (4,), and how many lie face down unseen in
    the place of the seat itself. Returns the set of unseen cards. A partner who has `shown` the cards
    it holds (none: an empty set) hides nothing."""
    me, k = np.int64(view.seat), np.int64(view.hand_size)
    seen = np.int64(view.hand) | one_bit(view.discard) | shown
    for seat in range(N_SEATS):
        seen |= view.played[seat]
        room[seat] = k - count_bits(view.played[seat])
    room[me] = 0
    if not is_widow_taken(view):
        room[me] = 1
    elif view.maker != me:
        if view.phase in (NAME_TRUMP, DISCARD):
            room[view.maker] += 1
        else:
            room[me] = 1
    if shown:
        room[(me + 2) & 3] = 0
    return PACK_SETS[k] & ~seen


@kernel
def new_count() -> tuple[Any, Any, Any, Any, Any]:
    """Arrays for `count_ways` to write into: room, cards, steps, starts and ways."""
    room, cards = np.zeros(N_SEATS, np.int64), np.zeros(MOST_UNSEEN, np.int64)
    steps, starts = np.zeros(N_SEATS, np.int64), np.zeros((MOST_ROOMS, N_SEATS), np.int64)
    return room, cards, steps, starts, np.zeros(MOST_ROOMS, np.int64)


@kernel
def count_ways(
    view: View, shown: Int, room: Any, cards: Any, steps: Any, starts: Any, ways: Any
) -> Int:
    """Count and number the ways to lay the unseen cards; returns their number, 0 if the view is not
    of a deal. For `shown` see `hidden_places`.

    Writes the unseen `cards`, to be laid from the last to the first, so that the room left tells which
    card is next. Every combination of room left in the places is one number, 0 for none; a card laid in
    place p lowers it by steps[p]. From there on ways[left] ways exist, those that lay the next card in
    place p being numbered from starts[left, p] on.
    """
    unseen = hidden_places(view, shown, room)
    total, step = np.int64(0), np.int64(1)
    for place in range(N_SEATS):
        if room[place] < 0:
            return np.int64(0)
        total += room[place]
        steps[place] = step
        step *= room[place] + 1
    if total != count_bits(unseen):
        return np.int64(0)
    for i in range(total):
        cards[i] = lowest_bit(unseen)
        unseen &= unseen - 1
    # No void binds the card face down, which stands in the place of the seat itself.
    voids = view.voids & ~(15 << (N_SUITS * np.int64(view.seat)))
    number_ways(np.int64(view.trump), voids, room, cards, steps, starts, ways, step)
    return ways[step - 1]


@kernel
def number_ways(
    trump: Int, voids: Int, room: Any, cards: Any, steps: Any, starts: Any, ways: Any, n: Int
) -> None:
    """Fill ways (n,) and starts (n, 4), less room first: each rests on those with one card less."""
    left = np.zeros(N_SEATS, np.int64)
    laid_last = -1  # which card is next where there is this much room
    ways[0] = 1
    for now in range(1, n):
        place = 0
        while left[place] == room[place]:
            laid_last -= left[place]
            left[place] = 0
            place += 1
        left[place] += 1
        laid_last += 1
        barred = voids >> np.int64(SUIT_FOLLOWED[trump, cards[laid_last]])
        found = np.int64(0)
        for p in range(N_SEATS):
            starts[now, p] = found
            if left[p] > 0 and not (barred >> (N_SUITS * p)) & 1:
                found += ways[now - steps[p]]
        ways[now] = found


# ---- laying the cards -------------------------------------------------------------------------


@kernel
def lay_world(
    view: View, shown: Int, number: Int, room: Any, cards: Any, steps: Any, starts: Any, hands: Any
) -> tuple[Int, Int]:
    """Write the hands (4,) of the world with this number; returns its discard and its widow."""
    me, maker = np.int64(view.seat), np.int64(view.maker)
    choices = widow_choices(view)
    way, which = number // choices, number % choices
    left, n = np.int64(0), np.int64(0)
    for place in range(N_SEATS):
        left += room[place] * steps[place]
        n += room[place]
        hands[place] = 0
    for i in range(n - 1, -1, -1):
        # A place that cannot take the card has no numbers of its own, and is never met.
        to = np.int64(way >= starts[left, 1]) + np.int64(way >= starts[left, 2])
        to += np.int64(way >= starts[left, 3])
        way -= starts[left, to]
        left -= steps[to]
        hands[to] |= 1 << cards[i]
    face_down = hands[me]
    hands[me] = view.hand
    if shown:
        hands[(me + 2) & 3] = shown
    discard, widow = np.int64(view.discard), np.int64(view.widow)
    if not is_widow_taken(view):
        widow = lowest_bit(face_down)
    elif maker != me:
        had = hands[maker] | view.played[maker] | face_down
        discard = lowest_bit(face_down) if face_down else np.int64(NO_CARD)
        for _ in range(which):
            had &= had - 1
        widow = lowest_bit(had)
    return discard, widow


@kernel
def draw_below(state: Any, n: Int) -> tuple[Any, Int]:
    """The stream's next state and a whole number 0..n-1 from it, for n below 2**32: 62 bits of chance,
    so that no number is likelier than another by more than one part in a thousand million."""
    state = next_state(state)
    word = np.uint64(mix(state))
    high = np.int64(word >> np.uint64(33))
    low = np.int64((word >> np.uint64(2)) & np.uint64(0x7FFFFFFF))
    return state, (high * n + ((low * n) >> 31)) >> 31


@kernel
def sample_each(views: Any, streams: Any, hands: Any, discards: Any, widows: Any) -> Int:
    """Draw W worlds for each of B views from its stream, which moves on by W: hands (B, W, 4) int64,
    discards and widows (B, W) int8. Returns the first index whose view no deal allows, where it
    stops, or -1."""
    room, cards, steps, starts, ways = new_count()
    nothing = np.int64(0)
    for i in range(len(views)):
        view = views[i]
        n = widow_choices(view) * count_ways(view, nothing, room, cards, steps, starts, ways)
        if n == 0:
            return i
        stream = streams[i]
        for w in range(hands.shape[1]):
            stream, number = draw_below(stream, n)
            discards[i, w], widows[i, w] = lay_world(
                view, nothing, number, room, cards, steps, starts, hands[i, w]
            )
        streams[i] = stream
    return -1


@kernel
def lay_worlds(
    view: View, shown: Int, stream: Any, hands: Any, discards: Any, widows: Any
) -> tuple[Any, Int, bool]:
    """Write worlds of one view for an average over them: if there are no more ways to lay the unseen
    cards than room in hands (W, 4), each way once, with a widow at random, else W worlds at random.
    discards and widows take as many, and for `shown` see `hidden_places`. Returns the stream after
    that, how many were written, 0 if no deal allows the view, and whether there are more ways.
    """
    room, cards, steps, starts, ways = new_count()
    n = count_ways(view, shown, room, cards, steps, starts, ways)
    choices = widow_choices(view)
    are_more = n > len(hands)
    written = min(n, np.int64(len(hands)))
    for w in range(written):
        if are_more:
            stream, number = draw_below(stream, n * choices)
        else:
            stream, number = draw_below(stream, choices)
            number += w * choices
        discards[w], widows[w] = lay_world(view, shown, number, room, cards, steps, starts, hands[w])
    return stream, written, are_more


@kernel
def lay_each(view: View, numbers: Any, hands: Any, discards: Any, widows: Any) -> Int:
    """Write the worlds with these numbers (n,): hands (n, 4), discards and widows (n,). Returns how
    many worlds the view has."""
    room, cards, steps, starts, ways = new_count()
    nothing = np.int64(0)
    n = widow_choices(view) * count_ways(view, nothing, room, cards, steps, starts, ways)
    for i in range(len(numbers)):
        if numbers[i] >= 0 and numbers[i] < n:
            discards[i], widows[i] = lay_world(
                view, nothing, numbers[i], room, cards, steps, starts, hands[i]
            )
    return n


@kernel
def set_world(table: Table, view: View, hands: Any, discard: Int, widow: Int, key: Any) -> None:
    """Make the table of a world: what everybody knows as in the view, the hidden cards as given, and
    the pack as it must have been dealt, each hand from the lowest card on."""
    copy_public(table, view)  # type: ignore[arg-type]  # either record begins with the same part
    k = np.int64(view.hand_size)
    table.pack[:] = NO_CARD
    for seat in range(N_SEATS):
        table.hands[seat] = hands[seat]
        dealt = hands[seat] | view.played[seat]
        if is_widow_taken(view) and seat == view.maker:
            dealt = (dealt | one_bit(discard)) & ~one_bit(widow)
        for i in range(seat * k, seat * k + k):
            table.pack[i] = lowest_bit(dealt)
            dealt &= dealt - 1
    table.pack[N_SEATS * k] = widow
    table.widow = widow
    table.discard = discard
    table.key = key
    table.deals_dealt = 0


@kernel
def set_worlds(tables: Any, view: View, stream: Any, hands: Any, discards: Any, widows: Any) -> None:
    """Make the tables (n,) of worlds; deals to come get random keys from the stream."""
    for i in range(len(tables)):
        stream = next_state(stream)
        set_world(tables[i], view, hands[i], np.int64(discards[i]), np.int64(widows[i]), mix(stream))


# ---- for one view at a time -------------------------------------------------------------------

NO_DEAL = "no deal allows this view: its cards and voids do not add up (R4, R11)"


def sample_worlds(view: View, n: int, stream: int) -> Worlds:
    """n worlds of a view, drawn independently: hands (n, 4) int64, the set of cards each seat holds,
    discards (n,) int8, NO_CARD before there is one, and widows (n,) int8.

    All the chance comes from the number `stream`: the same view and stream give the same worlds.

    Raises TypeError for anything but a View, a whole table included, which shows what is hidden, and
    for an n that is no whole number; ValueError for n below 1 and for a view of no deal.
    """
    return _sample(view, n, np.array([random_word("stream", stream)], np.uint64))


def world_tables(view: View, n: int, stream: int) -> Tables:
    """The worlds that `sample_worlds` gives for the same arguments as whole tables: an array of TABLE,
    shape (n,), each with the same view for the seat. Deals to come are random, too. Raises as it does.
    """
    streams = np.array([random_word("stream", stream)], np.uint64)
    worlds = _sample(view, n, streams)
    tables: Any = np.zeros(n, TABLE)
    set_worlds(tables, view, streams[0], *worlds)
    return tables  # type: ignore[no-any-return]


def count_worlds(view: View) -> int:
    """How many worlds a view has. Those that differ only in which of a maker's cards was the widow are
    counted, too. Raises as `sample_worlds` does."""
    _check(view)
    n = int(lay_each(view, np.zeros(0, np.int64), *_room_for(0)))
    if n == 0:
        raise ValueError(NO_DEAL)
    return n


def numbered_worlds(view: View, numbers: ArrayLike) -> Worlds:
    """The worlds with these numbers, each from 0 to one less than `count_worlds`, as `sample_worlds`
    gives them. Every world has one number, and those that differ only in the widow are neighbours.
    Raises IndexError for a number out of bounds."""
    n = count_worlds(view)
    wanted = np.asarray(numbers, np.int64)
    if wanted.ndim != 1 or (wanted < 0).any() or (wanted >= n).any():
        raise IndexError(f"numbers: wanted are some of 0 to {n - 1} in a row, one for each world")
    worlds = _room_for(len(wanted))
    lay_each(view, wanted, *worlds)
    return worlds


def _sample(view: View, n: int, streams: NDArray[np.uint64]) -> Worlds:
    _check(view)
    n = whole_number("n", n, 1)
    views = np.zeros(1, VIEW)
    views[0] = view
    hands, discards, widows = _room_for(n)
    if sample_each(views, streams, hands[None], discards[None], widows[None]) >= 0:
        raise ValueError(NO_DEAL)
    return hands, discards, widows


def _check(view: Any) -> None:
    if not isinstance(view, View):
        raise TypeError(f"worlds are drawn for a View, not for a {type(view).__name__}")


def _room_for(n: int) -> Worlds:
    return np.zeros((n, N_SEATS), np.int64), np.zeros(n, np.int8), np.zeros(n, np.int8)
