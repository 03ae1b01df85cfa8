"""Small games solved in plain Python over the rules written a second time: trees of objects,
information sets as tuples of words, best responses by recursion. It shares no code with the package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from naive_rules import SEATS, SIDE, NaiveDeal

Key = tuple[Any, ...]  # what an observer has seen
Chances = Callable[["Node"], list[float]]  # how likely the seat to act does each action of a node


@dataclass(eq=False)
class Node:
    """A position: the seat to act and what it has seen, what its side has seen together, and what
    follows each action; or the points of North-South minus those of East-West."""

    seat: str = ""
    seen: Key = ()
    seen_by_side: Key = ()
    actions: tuple[str, ...] = ()
    children: tuple[Node, ...] = ()
    points: float = 0.0


def play_out(deal: NaiveDeal) -> Node:
    """Every way a deal whose cards have just been dealt can go."""
    hands = {seat: tuple(sorted(deal.hands[seat])) for seat in SEATS}

    def node(now: NaiveDeal, said: tuple[tuple[str, str], ...]) -> Node:
        if now.is_over:
            assert now.points is not None
            return Node(points=now.points[0] - now.points[1])
        seat = now.turn
        assert seat is not None
        side = [other for other in SEATS if SIDE[other] == SIDE[seat]]
        here = Node(seat, seen_by([seat], now, said), seen_by(side, now, said), tuple(now.legal()))
        children = []
        for action in here.actions:
            after = deepcopy(now)
            after.do(action)
            children.append(node(after, (*said, (seat, action))))
        here.children = tuple(children)
        return here

    def seen_by(seats: list[str], now: NaiveDeal, said: tuple[tuple[str, str], ...]) -> Key:
        taken = now.maker in seats
        words = tuple(
            (seat, action if seat in seats or not secret(said, i) else "face down")
            for i, (seat, action) in enumerate(said)
        )
        return tuple(hands[seat] for seat in seats), deal.widow if taken else "", words

    return node(deal, ())


def secret(said: Sequence[tuple[str, str]], i: int) -> bool:
    """Whether the i-th action was the discard: it comes right after trump was named."""
    return i > 0 and said[i - 1][1].startswith("trump")


def ways(node: Node) -> int:
    """In how many ways it can go on."""
    return sum(ways(child) for child in node.children) or 1


def nodes_of(roots: Iterable[Node]) -> Iterable[Node]:
    """All positions in which somebody is to act."""
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if node.children:
            yield node
            waiting += node.children


def value(node: Node, chances: Chances) -> float:
    """What a position is worth to North-South when all play so."""
    if not node.children:
        return node.points
    likely = chances(node)
    return sum(p * value(child, chances) for p, child in zip(likely, node.children, strict=True) if p)


def best_response(roots: Sequence[Node], chances: Chances, seats: str) -> float:
    """What one seat, or the two of a side who see each other's cards, can get for their side, on
    average over the deals, when the others play so."""
    sign = 1 if SIDE[seats[0]] == 0 else -1

    def best(states: list[tuple[float, Node]]) -> float:
        total = 0.0
        meetings: dict[Key, list[tuple[float, Node]]] = {}
        waiting = list(states)
        while waiting:
            weight, node = waiting.pop()
            if not node.children:
                total += weight * sign * node.points
            elif node.seat in seats:
                key = (node.seat, node.seen if len(seats) == 1 else node.seen_by_side)
                meetings.setdefault(key, []).append((weight, node))
            else:
                likely = chances(node)
                waiting += [(weight * p, c) for p, c in zip(likely, node.children, strict=True) if p]
        for met in meetings.values():
            actions = range(len(met[0][1].actions))
            total += max(best([(weight, node.children[a]) for weight, node in met]) for a in actions)
        return total

    return best([(1 / len(roots), root) for root in roots])


def evenly(node: Node) -> list[float]:
    """All actions are equally likely."""
    return [1 / len(node.actions)] * len(node.actions)
