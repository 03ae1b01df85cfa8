"""The tree of `ismcts`: single-observer information set Monte Carlo tree search, compiled (Cowling,
Powley and Whitehouse, Information Set Monte Carlo Tree Search, 2012).

One tree stands for everything the searching seat may see happen from here to the end of the deal. Each
iteration samples a world from the seat's view (a determinization), selects a way down the tree among
what is legal in that world, expands it by one node, plays the deal out by the rollout policy and
backpropagates the points to the root. A node is a sequence of actions as the seat sees them: its own
discard is one of seven edges, another maker's discard always the same one, face down. A world decides
which edges are legal, so the UCB of a child counts how often it was available, not its parent's visits.

In such a tree the other seats choose without knowing their own cards, which the searching seat does not
see. For the play of the cards that does little harm. A bid or a trump means nothing without the hand it
is made on, so what the others call before the play can be left to the rollout policy, which sees that
hand.

Nodes are rows of one array, filled in the order they are added. Points are North-South's minus
East-West's throughout; each seat on the way wants the most for its own side.
"""

from typing import Any, NamedTuple

import numpy as np

from hpenv.actions import FACE_DOWN, N_ACTIONS, TRUMP, WITH_PARTNER
from hpenv.agents.rule_based.choice import choice
from hpenv.agents.rule_based.counts import Real
from hpenv.agents.sensible_random import best_trump, sober_bid
from hpenv.cards import NO_CARD
from hpenv.compiled import Int, kernel, lowest_bit
from hpenv.rulebook import (
    AUCTION,
    DEAL_OVER,
    DISCARD,
    NAME_TRUMP,
    PLAY,
    do,
    legal_actions,
    random_member,
)
from hpenv.seats import N_SEATS, side_of
from hpenv.table import HISTORY, TABLE
from hpenv.view import VIEW, see
from hpenv.worlds import count_ways, draw_below, lay_world, new_count, set_world, widow_choices

ROLLOUTS = ("uniform", "sensible_random", "rule_based")
UNIFORM, SENSIBLE_RANDOM, RULE_BASED = range(len(ROLLOUTS))
CALLS = ("tree", "rollout")
CALLS_IN_TREE, CALLS_BY_ROLLOUT = range(len(CALLS))

NO_NODE = -1
ROOT = 0
NODE = np.dtype(
    (
        np.record,
        [
            ("action", "i8"),  # what led here from the node above, or FACE_DOWN
            ("first_child", "i8"),  # row of a node, or NO_NODE
            ("next_sibling", "i8"),  # row of a node, or NO_NODE
            ("visits", "i8"),  # simulations through here
            ("available", "i8"),  # how often this was legal at its parent
            ("points", "f8"),  # North-South's minus East-West's, summed over the visits
            ("squares", "f8"),  # the same, squares summed
        ],
    )
)


class Settings(NamedTuple):
    """How to search. iterations: simulations for each decision. exploration: the constant of UCB1.
    rollout: index into ROLLOUTS. calls: how the other seats' calls are chosen, index into CALLS."""

    iterations: int
    exploration: float
    rollout: int
    calls: int


class Scratch(NamedTuple):
    """Scratch memory of a search: the nodes of a tree, a table to play on and the view of a seat."""

    tree: Any
    table: Any
    seen: Any


def new_scratch(iterations: int) -> Scratch:
    """Scratch memory for searches of so many iterations."""
    return Scratch(np.zeros(iterations + 1, NODE), np.zeros(1, TABLE)[0], np.zeros(1, VIEW)[0])


# ---- the search -------------------------------------------------------------------------------


@kernel
def act_by_search(views: Any, streams: Any, settings: Settings, scratch: Scratch, actions: Any) -> Int:
    """Write the most visited action for each of B views, one search after the other; where only one is
    legal there is none. Returns the first index whose view no deal allows, where it stops, or -1."""
    for i in range(len(views)):
        legal = np.int64(views[i].legal)
        if legal & (legal - 1) == 0:
            actions[i] = lowest_bit(legal)
            continue
        stream, is_deal = search(views[i], streams[i], settings, scratch)
        if not is_deal:
            return i
        streams[i] = stream
        actions[i] = most_visited(scratch.tree)
    return -1


@kernel
def search(view: Any, stream: Any, settings: Settings, scratch: Scratch) -> tuple[Any, bool]:
    """Grow the tree of a view from its root; returns the stream after it, and whether any deal
    allows the view."""
    room, cards, steps, starts, ways = new_count()
    worlds = widow_choices(view) * count_ways(view, np.int64(0), room, cards, steps, starts, ways)
    if worlds == 0:
        return stream, False
    hands, path = np.zeros(N_SEATS, np.int64), np.zeros(HISTORY + 1, np.int64)
    tree, table = scratch.tree, scratch.table
    new_node(tree, ROOT, NO_CARD)
    used = np.int64(1)
    for _ in range(settings.iterations):
        stream, number = draw_below(stream, worlds)
        discard, widow = lay_world(view, np.int64(0), number, room, cards, steps, starts, hands)
        set_world(table, view, hands, discard, widow, np.uint64(0))
        me = np.int64(view.seat)
        used, depth, stream = select_and_expand(settings, scratch, me, used, path, stream)
        while table.phase != DEAL_OVER:
            action, stream = rollout_action(table, scratch.seen, settings.rollout, stream)
            do(table, action)
        backpropagate(tree, path, depth, np.float64(table.points[0]) - np.float64(table.points[1]))
    return stream, True


@kernel
def select_and_expand(
    settings: Settings, scratch: Scratch, me: Int, used: Int, path: Any, stream: Any
) -> tuple[Int, Int, Any]:
    """Select children by UCB1 from the root down until a new node is added, in row `used`, or the deal
    is over. Writes the nodes on the way into `path`; returns the rows used, the place of the last node
    in it, and the stream."""
    tree, table = scratch.tree, scratch.table
    # A deal is worth up to a point for each trick to either side, and some deals a multiple of it.
    scale = settings.exploration * 2.0 * np.int64(table.hand_size)
    node, depth, is_new = np.int64(ROOT), np.int64(0), False
    path[0] = node
    while table.phase != DEAL_OVER and not is_new:
        action = np.int64(NO_CARD)
        edges = np.int64(legal_actions(table))
        if is_left_to_rollout(table, me, settings.calls):
            action, stream = rollout_action(table, scratch.seen, settings.rollout, stream)
            edges = np.int64(1) << (FACE_DOWN if table.phase == DISCARD else action)
        untried = edges & ~make_available(tree, node, edges)
        is_new = untried != 0
        if is_new:
            edge, stream = random_member(untried, stream)
            add_child(tree, node, used, edge)
            node = used
            used += 1
        else:
            node = select_child(tree, node, edges, np.int64(table.to_act), scale)
        do(table, np.int64(tree[node].action) if action == NO_CARD else action)
        depth += 1
        path[depth] = node
    return used, depth, stream


@kernel
def is_left_to_rollout(table: Any, me: Int, calls: Int) -> bool:
    """Whether the rollout policy acts here: always for another maker's discard, which the searching
    seat cannot see; for what the others call before the play if the settings say so."""
    if table.to_act == me or table.phase == PLAY:
        return False
    return bool(table.phase == DISCARD or calls == CALLS_BY_ROLLOUT)


@kernel
def rollout_action(table: Any, seen: Any, rollout: Int, stream: Any) -> tuple[Int, Any]:
    """What the seat to act does below the tree, from its own view of the world, and the stream."""
    legal = np.int64(legal_actions(table))
    if legal & (legal - 1) == 0:
        return np.int64(lowest_bit(legal)), stream
    seat = np.int64(table.to_act)
    if rollout == RULE_BASED:
        see(table, seat, seen)
        return np.int64(choice(seen)), stream
    if rollout == SENSIBLE_RANDOM and table.phase not in (DISCARD, PLAY):
        if table.phase == AUCTION:
            see(table, seat, seen)
            return np.int64(sober_bid(seen)), stream
        if table.phase == NAME_TRUMP:
            return np.int64(TRUMP + best_trump(np.int64(table.hands[seat]))), stream
        return np.int64(WITH_PARTNER), stream
    action, stream = random_member(legal, stream)
    return np.int64(action), stream


# ---- nodes ------------------------------------------------------------------------------------


@kernel
def new_node(tree: Any, row: Int, action: Int) -> None:
    """Write a node without visits."""
    node = tree[row]
    node.action = action
    node.first_child = NO_NODE
    node.next_sibling = NO_NODE
    node.visits = 0
    node.available = 0
    node.points = 0.0
    node.squares = 0.0


@kernel
def add_child(tree: Any, parent: Int, row: Int, action: Int) -> None:
    """Add a child to a node; it has been available once."""
    new_node(tree, row, action)
    tree[row].available = 1
    tree[row].next_sibling = tree[parent].first_child
    tree[parent].first_child = row


@kernel
def make_available(tree: Any, parent: Int, edges: Int) -> Int:
    """Count for each child whose edge is legal in this world that it was available; returns the edges
    that have children."""
    tried = np.int64(0)
    row = np.int64(tree[parent].first_child)
    while row != NO_NODE:
        edge = np.int64(1) << np.int64(tree[row].action)
        if edges & edge:
            tree[row].available += 1
        tried |= edge
        row = np.int64(tree[row].next_sibling)
    return tried


@kernel
def select_child(tree: Any, parent: Int, edges: Int, seat: Int, scale: Real) -> Int:
    """The child with the highest UCB1 for the seat's side: the mean of its points plus a bonus that
    shrinks with its visits. scale: the exploration constant in points."""
    best, best_ucb = np.int64(NO_NODE), -np.inf
    sign = -1.0 if side_of(seat) else 1.0
    row = np.int64(tree[parent].first_child)
    while row != NO_NODE:
        node = tree[row]
        if (edges >> np.int64(node.action)) & 1:
            visits = np.float64(node.visits)
            ucb = sign * node.points / visits
            ucb += scale * np.sqrt(np.log(np.float64(node.available)) / visits)
            if ucb > best_ucb:
                best, best_ucb = row, ucb
        row = np.int64(node.next_sibling)
    return best


@kernel
def backpropagate(tree: Any, path: Any, depth: Int, points: Real) -> None:
    """Backpropagate the points of a deal to all the nodes on its path."""
    for i in range(depth + 1):
        node = tree[path[i]]
        node.visits += 1
        node.points += points
        node.squares += points * points


@kernel
def most_visited(tree: Any) -> Int:
    """The action of the root with most visits; of equals the lowest number."""
    best, most = np.int64(N_ACTIONS), np.int64(0)
    row = np.int64(tree[ROOT].first_child)
    while row != NO_NODE:
        node = tree[row]
        if node.visits > most or (node.visits == most and node.action < best):
            best, most = np.int64(node.action), np.int64(node.visits)
        row = np.int64(node.next_sibling)
    return best
