"""What follows an auction, played out in every way by the engine, and who knows what at each decision.

**Nodes.** A node is a decision with a choice, or an end of the deal; forced actions are passed over.
Nodes stand parents first.

**Observers.** Six follow the deal: the four seats, each seeing what its `View` shows, and two pairs,
North-South and East-West, each seeing what its two seats see together. What an observer has seen is
kept as one number, mixed from the cards and actions seen one after the other (64 bits: among a million
of them two are the same with a probability of 3 in 100 million). Decisions at which the observer has
seen the same form an information set.

**Suits.** What is seen is written down with the suits relabelled: of the eight orders that keep colours
together, those that make it smallest. Where several orders are left, suits are still alike to the
observer, and actions that differ only in the names of such suits are one choice, made evenly among
them: an edge. So a policy here never treats suits differently because of their names.
"""

from typing import Any, NamedTuple

import numpy as np

from hpenv.actions import FACE_DOWN, N_ACTIONS
from hpenv.cards import N_CARDS
from hpenv.compiled import Int, count_bits, kernel, lowest_bit, mix
from hpenv.rulebook import DEAL_OVER, DISCARD, PLAY, bid, do, legal_actions, pass_bid, top_bid
from hpenv.seats import N_SEATS, side_of
from hpenv.suits import ORDERS, RELABEL, relabel_cards

PAIRS = N_SEATS  # the observer PAIRS + side sees what both seats of a side see
N_OBSERVERS = N_SEATS + 2
NONE = -1  # no parent, no edge, no end
DEEPEST = 16  # actions after the auction
ALL_ORDERS = (1 << len(ORDERS)) - 1


class Nodes(NamedTuple):
    """The nodes of one deal with one maker."""

    parent: Any  # int32 (N,), or NONE at the beginning
    actor: Any  # int8 (N,): the seat whose choice led here
    edge: Any  # int32 (N, 2): that choice, as an edge of the seat and of the pair
    size: Any  # int16 (N,): how many nodes there are from here on, this one included, one after another
    end: Any  # int8 (N,): 2 * tricks of the makers + 1 if the maker was alone; NONE at a decision


class Sets(NamedTuple):
    """The information sets of all observers after the auction, in the order met."""

    keys: Any  # uint64 (H,), a hash table of what was seen
    numbers: Any  # int32 (H,), the information set that goes with it, + 1; 0 where there is no key
    first_edge: Any  # int32 (I + 1,): the edges of i are first_edge[i] up to first_edge[i + 1]
    owner: Any  # int8 (I,), the observer
    before: Any  # int32 (I,): the owner's last edge, or NONE
    level: Any  # int8 (I,): how many edges of the owner came before
    orders: Any  # uint8 (I,), the orders of suits that are left, as bits
    deal: Any  # int32 (I,): the deal in which it was first met
    way: Any  # int8 (I, DEEPEST): the actions that led there, then NONE
    share: Any  # float64 (E,): 1 / how many actions are this one choice


class Path(NamedTuple):
    """The way to a node: what was so at each depth, arrays (DEEPEST, ...)."""

    tables: Any
    node: Any  # int32
    untried: Any  # int64, set of actions
    actions: Any  # int64, set of all actions there
    acts: Any  # int8 (DEEPEST + 1,): the actions of the way, forced ones too
    seen: Any  # uint64 (.., 6), what each observer has seen
    orders: Any  # int64 (.., 6), the orders of suits that are left
    last: Any  # int32 (.., 6), its last edge
    level: Any  # int8 (.., 6), how many edges of it there were
    first: Any  # int32 (.., 2), the first edge of the seat's information set and of the pair's


# ---- what is seen -----------------------------------------------------------------------------


@kernel
def least_name(thing: Int, orders: Int) -> tuple[Int, Int]:
    """An action or card as named by those orders that make the name least, and these orders."""
    least, left = np.int64(N_ACTIONS + 1), np.int64(0)
    while orders:
        order = lowest_bit(orders)
        orders &= orders - 1
        name = np.int64(RELABEL[order, thing])
        if name < least:
            least, left = name, np.int64(0)
        if name == least:
            left |= 1 << order
    return least, left


@kernel
def least_hands(hands: Int, orders: Int) -> tuple[Int, Int]:
    """The same for cards dealt, a set or two side by side."""
    least, left = np.int64(1) << 62, np.int64(0)
    while orders:
        order = lowest_bit(orders)
        orders &= orders - 1
        name = np.int64(relabel_cards(hands, order))
        if name < least:
            least, left = name, np.int64(0)
        if name == least:
            left |= 1 << order
    return least, left


@kernel
def name_hands(tables: Any, orders: Int, names: Any) -> None:
    """Write what stands for the cards that each observer sees before the auction into names (D, 6)."""
    for i in range(len(tables)):
        for observer in range(N_OBSERVERS):
            names[i, observer] = least_hands(dealt_to(tables[i], observer), orders)[0]


@kernel
def dealt_to(table: Any, observer: Int) -> Int:
    """The cards that an observer sees before the auction: a set, or two side by side."""
    if observer < PAIRS:
        return np.int64(table.hands[observer])
    side = observer - PAIRS
    return table.hands[side] | (table.hands[side + 2] << N_CARDS)


@kernel
def tell(path: Path, d: Int, observer: Int, thing: Int) -> None:
    """An observer sees an action or a card."""
    name, path.orders[d, observer] = least_name(thing, path.orders[d, observer])
    path.seen[d, observer] = mix(path.seen[d, observer] ^ np.uint64(name + 1))


@kernel
def go_on(path: Path, d: Int, n: Int, action: Int, open_discard: bool, widow_taken: bool) -> None:
    """Do an action, the n-th of the way, at the table of depth d, and tell the observers."""
    table = path.tables[d]
    actor, secret = np.int64(table.to_act), table.phase == DISCARD and not open_discard
    do(table, action)
    path.acts[n] = action
    if table.phase >= PLAY and table.tricks_played == table.hand_size - 1:
        return  # at most one card each is left to play: there are no more decisions
    for observer in range(N_OBSERVERS):
        own = observer in (actor, PAIRS + side_of(actor))
        known = not secret or (own and widow_taken)
        tell(path, d, observer, action if known else FACE_DOWN)


@kernel
def choices(table: Any, widow_taken: bool) -> Int:
    """The set of actions to be tried: a maker who does not take the widow puts just that away."""
    if table.phase == DISCARD and not widow_taken:
        return 1 << np.int64(table.widow)
    return np.int64(legal_actions(table))


# ---- information sets -------------------------------------------------------------------------


@kernel
def names_of(actions: Int, orders: Int) -> Int:
    """The names of the edges for a set of actions, as a set."""
    names = np.int64(0)
    while actions:
        names |= 1 << least_name(lowest_bit(actions), orders)[0]
        actions &= actions - 1
    return names


@kernel
def edge_among(actions: Int, action: Int, orders: Int) -> Int:
    """Which edge an action belongs to, counted from 0 among those for a set of actions."""
    below = (np.int64(1) << least_name(action, orders)[0]) - 1
    return count_bits(names_of(actions, orders) & below)


@kernel
def find_set(sets: Sets, n_sets: Int, path: Path, d: Int, n: Int, observer: Int, deal: Int) -> Int:
    """The information set of an observer at depth d, after n actions; entered if it is new."""
    last_place = len(sets.keys) - 1
    key = path.seen[d, observer]
    at = np.int64(key & np.uint64(last_place))
    while sets.numbers[at] > 0:
        if sets.keys[at] == key:
            return np.int64(sets.numbers[at]) - 1
        at = (at + 1) & last_place
    sets.keys[at], sets.numbers[at] = key, n_sets + 1
    orders, actions = path.orders[d, observer], path.actions[d]
    sets.owner[n_sets] = observer
    sets.before[n_sets] = path.last[d, observer]
    sets.level[n_sets] = path.level[d, observer]
    sets.orders[n_sets] = orders
    sets.deal[n_sets] = deal
    sets.way[n_sets, :n] = path.acts[:n]
    sets.way[n_sets, n:] = NONE
    first = np.int64(sets.first_edge[n_sets])
    sets.first_edge[n_sets + 1] = first + count_bits(names_of(actions, orders))
    left = actions
    while left:
        sets.share[first + edge_among(actions, lowest_bit(left), orders)] += 1.0
        left &= left - 1
    for edge in range(first, sets.first_edge[n_sets + 1]):
        sets.share[edge] = 1.0 / sets.share[edge]
    return n_sets


# ---- growing ----------------------------------------------------------------------------------


@kernel
def begin(path: Path, deal: Any, maker: Int, orders: Int, widow_taken: bool) -> None:
    """Put the table of a deal with an auction won by `maker` at depth 0, every observer having seen its
    cards."""
    path.tables[0] = deal
    table = path.tables[0]
    while table.to_act != maker:
        pass_bid(table)
    bid(table, top_bid(table))
    for observer in range(N_OBSERVERS):
        cards = dealt_to(table, observer)
        if observer in (maker, PAIRS + side_of(maker)):  # the widow lies among the maker's cards
            widow = np.int64(1) << np.int64(table.widow)
            cards &= ~(widow << (N_CARDS if observer >= PAIRS and maker >= 2 else 0))
        name, path.orders[0, observer] = least_hands(cards, orders)
        path.seen[0, observer] = mix(mix(np.uint64(observer + 1)) ^ np.uint64(name))
        path.last[0, observer] = NONE
        path.level[0, observer] = 0
        if widow_taken and observer in (maker, PAIRS + side_of(maker)):
            tell(path, 0, observer, np.int64(table.widow))


@kernel
def step_down(path: Path, d: Int) -> None:
    """Copy what is so at depth d to the next."""
    path.tables[d + 1] = path.tables[d]
    for observer in range(N_OBSERVERS):
        path.seen[d + 1, observer] = path.seen[d, observer]
        path.orders[d + 1, observer] = path.orders[d, observer]
        path.last[d + 1, observer] = path.last[d, observer]
        path.level[d + 1, observer] = path.level[d, observer]


@kernel
def choose(path: Path, d: Int, action: Int) -> tuple[Int, Int]:
    """Note the edges of an action for the seat to act at depth d and for its pair, and return them."""
    seat = np.int64(path.tables[d].to_act)
    pair = PAIRS + side_of(seat)
    edge = path.first[d, 0] + edge_among(path.actions[d], action, path.orders[d, seat])
    pair_edge = path.first[d, 1] + edge_among(path.actions[d], action, path.orders[d, pair])
    path.last[d + 1, seat], path.last[d + 1, pair] = edge, pair_edge
    path.level[d + 1, seat] += 1
    path.level[d + 1, pair] += 1
    return edge, pair_edge


@kernel
def end_of(table: Any) -> Int:
    """How a deal ended, see `Nodes.end`."""
    maker = np.int64(table.maker)
    return 2 * np.int64(table.tricks[side_of(maker)]) + ((np.int64(table.alone) >> maker) & 1)


@kernel
def grow(
    deal: Int,
    open_discard: bool,
    widow_taken: bool,
    path: Path,
    nodes: Nodes,
    sets: Sets,
    n_sets: Int,
) -> tuple[Int, Int]:
    """Play on in every way from depth 0, into `nodes`; returns how many there are, and how many
    information sets."""
    n_nodes, d, n = np.int64(0), np.int64(0), np.int64(0)
    parent, actor, edge, pair_edge = np.int64(NONE), np.int64(NONE), np.int64(NONE), np.int64(NONE)
    lengths = np.zeros(DEEPEST + 1, np.int64)  # of the way to each depth
    actions = choices(path.tables[0], widow_taken)  # there are four trumps to choose from
    while True:
        nodes.parent[n_nodes], nodes.actor[n_nodes], nodes.end[n_nodes] = parent, actor, NONE
        nodes.edge[n_nodes, 0], nodes.edge[n_nodes, 1] = edge, pair_edge
        path.node[d], path.actions[d], path.untried[d], lengths[d] = n_nodes, actions, actions, n
        if path.tables[d].phase == DEAL_OVER:
            nodes.end[n_nodes] = end_of(path.tables[d])
        else:
            seat = np.int64(path.tables[d].to_act)
            for column in range(2):
                observer = PAIRS + side_of(seat) if column else seat
                found = find_set(sets, n_sets, path, d, n, observer, deal)
                n_sets = max(n_sets, found + 1)
                path.first[d, column] = sets.first_edge[found]
        n_nodes += 1
        while d >= 0 and path.untried[d] == 0:
            nodes.size[path.node[d]] = n_nodes - path.node[d]
            d -= 1
        if d < 0:
            return n_nodes, n_sets
        action, parent, n = lowest_bit(path.untried[d]), np.int64(path.node[d]), lengths[d]
        path.untried[d] &= path.untried[d] - 1
        step_down(path, d)
        actor = np.int64(path.tables[d].to_act)
        edge, pair_edge = choose(path, d, action)
        d += 1
        actions = np.int64(1) << action
        while count_bits(actions) == 1:
            go_on(path, d, n, lowest_bit(actions), open_discard, widow_taken)
            n += 1
            actions = choices(path.tables[d], widow_taken)


@kernel
def grow_all(
    deals: Any,
    orders: Int,
    open_discard: bool,
    widow_taken: bool,
    path: Path,
    nodes: Nodes,
    start: Any,
    play: tuple[Sets, ...],
    n_sets: Any,
) -> None:
    """Grow every deal (D,) with every maker, one after the other, into `nodes`, those of deal d and
    maker m from start[4 d + m] on; counts the information sets of each maker in n_sets (4,).

    With `open_discard` everybody sees the discard; unless `widow_taken` the maker plays the hand it was
    dealt, and nobody ever sees the widow. orders: those of the suits that may be taken, as bits.
    """
    for d in range(len(deals)):
        for maker in range(N_SEATS):
            at = start[4 * d + maker]
            here = Nodes(
                nodes.parent[at:], nodes.actor[at:], nodes.edge[at:], nodes.size[at:], nodes.end[at:]
            )
            begin(path, deals[d], maker, orders, widow_taken)
            n_nodes, n_sets[maker] = grow(
                d, open_discard, widow_taken, path, here, play[maker], n_sets[maker]
            )
            start[4 * d + maker + 1] = at + n_nodes
