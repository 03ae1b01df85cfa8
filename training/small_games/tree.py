"""A small game as flat arrays: deals, the auction, what follows it, and what each observer knows.

What follows an auction does not depend on how the auction went but for the maker, so it is written
down once for each deal and maker. What an observer knows is what it knows of the cards together with
the calls: its information sets are all pairs of both.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpenv.rules import RuleChoice, Rules, get_rules
from hpenv.seats import N_SEATS, side_of
from hpenv.table import TABLE, Tables
from hpenv.training.small_games.auction import Auction, auction_at
from hpenv.training.small_games.deals import all_deals
from hpenv.training.small_games.growing import (
    ALL_ORDERS,
    DEEPEST,
    N_OBSERVERS,
    NONE,
    PAIRS,
    Nodes,
    Path,
    Sets,
    grow_all,
    name_hands,
)

MOST_NODES = 2**10  # of one deal with one maker
MOST_SETS, MOST_EDGES = 2**18, 2**19  # with one maker


class Arrays(NamedTuple):
    """What the sweeps go over. D deals, A positions of the auction, N nodes after it, E edges."""

    likely: Any  # float64 (D,), of each deal
    hands: Any  # int32 (D, 6): which hand, or pair of hands, each observer is dealt
    parent: Any  # int64 (A,) and so on as in Auction
    seat: Any
    rank: Any
    calls: Any
    maker: Any
    call_edge: Any  # int64 (A, 2): where the edges of a position begin, of the seat and of the pair
    play_edge: Any  # int64 (A,): where the edges after an auction begin
    start: Any  # int64 (4 D + 1,): where the nodes of deal d with maker m begin, at 4 d + m
    nodes: Nodes  # of all deals and makers
    share: Any  # float64 (E,): 1 / how many actions are this one choice


@dataclass(frozen=True, eq=False)
class Tree:
    """A small game. Information sets are numbered 0..I-1, earlier ones of an observer first, and edges
    0..E-1; those of set i are first_edge[i] up to first_edge[i + 1].

    A policy is an array (E,), each set's edges adding up to one. It holds a policy for each of the four
    seats and one for each of the two pairs.
    """

    rules: Rules
    deals: Tables
    auction: Auction
    arrays: Arrays
    owner: NDArray[np.int8]  # (I,), the observer
    before: NDArray[np.int64]  # (I,), its last edge before, or NONE
    level: NDArray[np.int8]  # (I,), how many of its edges come before
    first_edge: NDArray[np.int64]  # (I + 1,)
    play: tuple[Sets, ...]  # what is known after an auction, for each maker
    play_set: NDArray[np.int64]  # (A,): where the information sets after an auction begin
    call_set: NDArray[np.int64]  # (A, 2): where those of a position of the auction begin

    @property
    def n_edges(self) -> int:
        return len(self.arrays.share)

    @cached_property
    def edge_owner(self) -> NDArray[np.int8]:
        """The observer of each edge, (E,)."""
        return np.repeat(self.owner, np.diff(self.first_edge))

    def normalised(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights (E,), not below 0, as a policy: the uniform one where all weights of a set are 0."""
        totals = np.add.reduceat(weights, self.first_edge[:-1])
        totals = np.repeat(totals, np.diff(self.first_edge))
        policy: NDArray[np.float64] = weights / np.where(totals > 0, totals, 1)
        return policy if (totals > 0).all() else np.where(totals > 0, policy, self.uniform)

    @cached_property
    def uniform(self) -> NDArray[np.float64]:
        """The policy of even chances among all actions."""
        return self.normalised(1 / self.arrays.share)

    def purified(self, policy: NDArray[np.float64], least: float = 0.01) -> NDArray[np.float64]:
        """A policy without the choices that it makes less often than `least`. Averages of many policies
        have a little of everything in them; what is left is quicker to sweep."""
        return self.normalised(np.where(policy < least, 0.0, policy))

    def random(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """A policy whose chances are drawn at random."""
        return self.normalised(rng.exponential(size=self.n_edges))


def build_tree(
    rules: RuleChoice,
    by_families: bool = True,
    open_discard: bool = False,
    widow_taken: bool = True,
) -> Tree:
    """The tree of a small game, North dealing.

    by_families: as for `all_deals`; else the tree is eight times as large, and suits are named. The
    other two change the rules: with `open_discard` everybody sees the discard; unless `widow_taken` the
    maker plays the hand it was dealt and nobody sees the widow. Raises as `all_deals`.
    """
    rules = get_rules(rules)
    deals, likely = all_deals(rules, by_families)
    orders = ALL_ORDERS if by_families else 1
    scale = 1 if by_families else 8
    play = tuple(_room_for_sets(scale) for _ in range(N_SEATS))
    nodes = _room_for_nodes(N_SEATS * len(deals) * MOST_NODES)
    start, n_sets = np.zeros(N_SEATS * len(deals) + 1, np.int64), np.zeros(N_SEATS, np.int64)
    grow_all(deals, orders, open_discard, widow_taken, _new_path(), nodes, start, play, n_sets)
    play = tuple(_cut(sets, int(n)) for sets, n in zip(play, n_sets, strict=True))
    nodes = Nodes(*(array[: start[-1]] for array in nodes))
    names = np.zeros((len(deals), N_OBSERVERS), np.int64)
    name_hands(deals, orders, names)
    return _joined(rules, deals, likely, names, play, nodes, start)


def _room_for_sets(scale: int) -> Sets:
    n, m = scale * MOST_SETS, scale * MOST_EDGES
    return Sets(
        keys=np.zeros(4 * n, np.uint64),
        numbers=np.zeros(4 * n, np.int32),
        first_edge=np.zeros(n + 1, np.int32),
        owner=np.zeros(n, np.int8),
        before=np.zeros(n, np.int32),
        level=np.zeros(n, np.int8),
        orders=np.zeros(n, np.uint8),
        deal=np.zeros(n, np.int32),
        way=np.zeros((n, DEEPEST), np.int8),
        share=np.zeros(m),
    )


def _cut(sets: Sets, n: int) -> Sets:
    """The information sets met, the hash table left out."""
    none = np.zeros(0, np.int64)
    kept = {name: getattr(sets, name)[:n].copy() for name in ("owner", "before", "level", "orders")}
    first_edge = sets.first_edge[: n + 1].copy()
    share = sets.share[: first_edge[-1]].copy()
    deal, way = sets.deal[:n].copy(), sets.way[:n].copy()
    return Sets(keys=none, numbers=none, first_edge=first_edge, deal=deal, way=way, share=share, **kept)


def _room_for_nodes(n: int) -> Nodes:
    return Nodes(
        parent=np.zeros(n, np.int32),
        actor=np.zeros(n, np.int8),
        edge=np.zeros((n, 2), np.int32),
        size=np.zeros(n, np.int16),
        end=np.zeros(n, np.int8),
    )


def _new_path() -> Path:
    def room(kind: Any, *shape: int) -> Any:
        return np.zeros((DEEPEST, *shape), kind)

    return Path(
        tables=room(TABLE),
        node=room(np.int32),
        untried=room(np.int64),
        actions=room(np.int64),
        acts=room(np.int8),
        seen=room(np.uint64, N_OBSERVERS),
        orders=room(np.int64, N_OBSERVERS),
        last=room(np.int32, N_OBSERVERS),
        level=room(np.int8, N_OBSERVERS),
        first=room(np.int32, 2),
    )


def _joined(
    rules: Rules,
    deals: Tables,
    likely: NDArray[np.float64],
    names: NDArray[np.int64],
    play: tuple[Sets, ...],
    nodes: Nodes,
    start: NDArray[np.int64],
) -> Tree:
    """Number the information sets and edges of the auction and of what follows each end of it."""
    auction = auction_at(deals[0])
    found = [np.unique(names[:, o], return_inverse=True) for o in range(N_OBSERVERS)]
    hands = np.stack([inverse for _, inverse in found], 1)
    call_set, call_edge = np.zeros((2, len(auction), 2), np.int64)
    play_set, play_edge = np.zeros((2, len(auction)), np.int64)
    sets: list[tuple[Any, ...]] = []  # owner, before, level, how many edges, for many sets at a time
    shares: list[Any] = []
    n_sets = n_edges = 0
    for at in range(len(auction)):
        if auction.maker[at] >= 0:
            after = play[auction.maker[at]]
            before, level = _last_call(
                auction, call_edge, at, after.owner, hands[after.deal, after.owner]
            )
            before = np.where(after.before >= 0, after.before + n_edges, before)
            play_set[at], play_edge[at] = n_sets, n_edges
            sets.append((after.owner, before, after.level + level, np.diff(after.first_edge)))
            shares.append(after.share)
            n_sets, n_edges = n_sets + len(after.owner), n_edges + len(after.share)
        for column, observer in enumerate(_deciding(int(auction.seat[at]))):
            kinds = np.arange(len(found[observer][0]))
            owner = np.full(len(kinds), observer)
            before, level = _last_call(auction, call_edge, at, owner, kinds)
            call_set[at, column], call_edge[at, column] = n_sets, n_edges
            sets.append((owner, before, level, np.full(len(kinds), auction.calls[at])))
            shares.append(np.ones(len(kinds) * auction.calls[at]))
            n_sets, n_edges = n_sets + len(kinds), n_edges + len(shares[-1])
    owner, before, level, widths = (np.concatenate(part) for part in zip(*sets, strict=True))
    arrays = Arrays(
        likely=likely,
        hands=hands,
        parent=auction.parent,
        seat=auction.seat,
        rank=auction.rank,
        calls=auction.calls,
        maker=auction.maker,
        call_edge=call_edge,
        play_edge=play_edge,
        start=start,
        nodes=nodes,
        share=np.concatenate(shares),
    )
    return Tree(
        rules=rules,
        deals=deals,
        auction=auction,
        arrays=arrays,
        owner=owner.astype(np.int8),
        before=before,
        level=level.astype(np.int8),
        first_edge=np.concatenate([[0], np.cumsum(widths)]),
        play=play,
        play_set=play_set,
        call_set=call_set,
    )


def _deciding(seat: int) -> tuple[int, ...]:
    """The observers that decide where a seat is to act: the seat itself and its pair."""
    return () if seat < 0 else (seat, PAIRS + side_of(seat))


def _last_call(
    auction: Auction, call_edge: NDArray[np.int64], at: int, owner: Any, hand: Any
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The last edge in the auction, before a position of it, of observers (n,) with hands (n,), NONE
    where there is none; and how many there are."""
    last, level = np.full(len(owner), NONE, np.int64), np.zeros(len(owner), np.int64)
    way = [at]
    while auction.parent[way[-1]] >= 0:
        way.append(int(auction.parent[way[-1]]))
    for after, here in reversed(list(pairwise(way))):
        for column, observer in enumerate(_deciding(int(auction.seat[here]))):
            mine = owner == observer
            edge = call_edge[here, column] + hand * auction.calls[here] + auction.rank[after]
            last, level = np.where(mine, edge, last), level + mine
    return last, level
