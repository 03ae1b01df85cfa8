"""Sweeps over a small game: the value of a policy, best responses to it, and what they bound.

Values are points per deal, North-South's minus East-West's.

- The value of a policy of the four seats is exact.
- The best response of one seat, the other three as they are, is exact: its information sets are
  decided from the last to the first, each for what its choices are worth over all ways to get there.
- Two partners who respond together, each knowing only what its own seat knows, are a harder problem,
  which is not solved here but bounded. From above: a player who sees both hands can do all that they
  can, and its best response is exact. From below: each in turn responds to the other until neither
  gains any more, from several beginnings; two partners could do as well as the best that was found.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpenv.compiled import Int, inlined, kernel
from hpenv.rulebook import contract_points
from hpenv.training.small_games.growing import NONE, PAIRS
from hpenv.training.small_games.tree import MOST_NODES, Arrays, Tree

Policy = NDArray[np.float64]  # (E,)
Points = NDArray[np.float64]  # (A, ends): what each end of each auction is worth
NO_OBSERVER = -1


@inlined
def decider(seat: Int, paired: Int) -> Int:
    """The observer whose policy a seat follows: itself, or the pair where its side is paired."""
    return PAIRS + (seat & 1) if (paired >> (seat & 1)) & 1 else seat


class Room(NamedTuple):
    """Room to work in, for the nodes of one deal with one maker."""

    reach: Any  # float64, how likely chance and the others are to come there
    value: Any  # float64
    chance: Any  # float64, of the choice that leads there
    edge: Any  # int64, that choice if it is the player's, else NONE
    visited: Any  # int64, the nodes with a reach above 0


@kernel
def sweep(game: Arrays, points: Any, policy: Any, paired: Int, player: Int, q: Any, room: Room) -> Any:
    """The value of a policy to North-South. For each edge of the player add to q (E,) what it is worth,
    weighed by how likely chance and the others are to come there.

    paired: the sides whose two seats follow the policy of their pair, as bits.
    """
    n_calls = len(game.parent)
    reach, value = np.zeros(n_calls), np.zeros(n_calls)
    chance, own_edge = np.zeros(n_calls), np.zeros(n_calls, np.int64)
    total = 0.0
    for d in range(len(game.likely)):
        reach[0], value[0] = game.likely[d], 0.0
        for at in range(1, n_calls):
            parent = game.parent[at]
            observer = decider(game.seat[parent], paired)
            first = game.call_edge[parent, 1 if observer >= PAIRS else 0]
            edge = first + game.hands[d, observer] * game.calls[parent] + game.rank[at]
            own = observer == player
            own_edge[at], chance[at], value[at] = edge if own else NONE, policy[edge], 0.0
            reach[at] = reach[parent] * (1.0 if own else policy[edge])
        for at in range(n_calls - 1, 0, -1):
            if reach[at] == 0.0:
                continue
            if game.maker[at] != NONE:
                edge = game.play_edge[at]
                which = 4 * d + game.maker[at]
                value[at] = sweep_play(
                    game, which, edge, points[at], policy, paired, player, q, reach[at], room
                )
            elif game.seat[at] == NONE:
                value[at] = points[at, 0]
            value[game.parent[at]] += chance[at] * value[at]
            if own_edge[at] != NONE:
                q[own_edge[at]] += reach[at] * value[at]
        total += game.likely[d] * value[0]
    return total


@kernel
def sweep_play(
    game: Arrays,
    which: Int,
    first_edge: Int,
    points: Any,
    policy: Any,
    paired: Int,
    player: Int,
    q: Any,
    likely: Any,
    room: Room,
) -> Any:
    """The same for what follows one auction in one deal, reached with a probability `likely`."""
    nodes, start = game.nodes, game.start[which]
    n, n_visited, i = np.int64(game.start[which + 1] - start), 0, np.int64(1)
    room.reach[0], room.value[0] = likely, 0.0
    while i < n:
        node = start + i
        observer = decider(np.int64(nodes.actor[node]), paired)
        edge = first_edge + nodes.edge[node, 1 if observer >= PAIRS else 0]
        own, share = observer == player, game.share[edge]
        room.chance[i], room.edge[i] = policy[edge] * share, edge if own else NONE
        room.reach[i] = room.reach[nodes.parent[node]] * (share if own else room.chance[i])
        if room.reach[i] == 0.0:  # what follows counts for nothing
            i += np.int64(nodes.size[node])
            continue
        room.value[i] = 0.0 if nodes.end[node] == NONE else points[nodes.end[node]]
        room.visited[n_visited] = i
        n_visited += 1
        i += 1
    for k in range(n_visited - 1, -1, -1):
        i = room.visited[k]
        room.value[nodes.parent[start + i]] += room.chance[i] * room.value[i]
        if room.edge[i] != NONE:
            q[room.edge[i]] += room.reach[i] * room.value[i]
    return room.value[0]


@kernel
def take_best(numbers: Any, first_edge: Any, q: Any, policy: Any) -> None:
    """In the information sets with these numbers put the policy on the first of the best edges."""
    for i in numbers:
        best = first_edge[i]
        for edge in range(first_edge[i], first_edge[i + 1]):
            policy[edge] = 0.0
            if q[edge] > q[best]:
                best = edge
        policy[best] = 1.0


def sign_of(player: int) -> int:
    """1 for a player of North-South, a seat or the pair, -1 for one of East-West."""
    return 1 - 2 * (player & 1)


def points_of(tree: Tree) -> Points:
    """The points of each end of a deal, North-South's minus East-West's: (A, ends)."""
    k = tree.rules.hand_size
    points = np.zeros((len(tree.auction), 2 * (k + 1)))
    for at in tree.auction.ends():
        sign = sign_of(int(tree.auction.maker[at]))
        for end in range(2 * (k + 1)):
            won, bid, alone = end // 2, int(tree.auction.bid[at]), bool(end % 2)
            made, against = contract_points(tree.deals[0], won, bid, alone)
            points[at, end] = sign * (made - against)
    return points


def run_sweep(
    tree: Tree,
    points: Points,
    policy: Policy,
    paired: int = 0,
    player: int = NO_OBSERVER,
    q: Any = None,
) -> float:
    """One sweep; see `sweep`."""
    n = MOST_NODES
    room = Room(np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n, np.int64), np.zeros(n, np.int64))
    q = np.zeros(0) if q is None else q
    return float(sweep(tree.arrays, points, policy, paired, player, q, room))


def best_response(tree: Tree, points: Points, policy: Policy, player: int) -> tuple[float, Policy]:
    """The player's best response: what it is worth to the player's side, and the policy with it."""
    sign = sign_of(player)
    paired = 1 << player - PAIRS if player >= PAIRS else 0
    policy = policy.copy()
    own = np.flatnonzero(tree.owner == player)
    for level in range(int(tree.level[own].max()), -1, -1):
        q = np.zeros(tree.n_edges)
        run_sweep(tree, sign * points, policy, paired, player, q)
        take_best(own[tree.level[own] == level], tree.first_edge, q, policy)
    return sign * run_sweep(tree, points, policy, paired), policy
