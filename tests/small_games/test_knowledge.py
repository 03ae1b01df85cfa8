"""What a seat may know, against every way to play every deal of a small game: views remember all that
was seen, worlds are those that are possible, beliefs are their true chances."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from brute_force import Node
from hpenv.actions import FACE_DOWN
from hpenv.agents.beliefs import weigh
from hpenv.cards import set_cards
from hpenv.rulebook import AUCTION, DEAL_OVER, legal_actions
from hpenv.rules import Rules
from hpenv.seats import NOBODY, WEST
from hpenv.training.small_games.deals import all_deals
from hpenv.view import VIEW, view_of
from hpenv.worlds import count_worlds, numbered_worlds
from small_trees import ONE_CARD, Whimsical, seen_in, slow_tree
from world_counts import World, as_worlds


def positions(table: Any) -> Iterator[Any]:
    """All positions of a deal, its end not included."""
    if table.phase == DEAL_OVER:
        return
    yield table
    for action in set_cards(legal_actions(table)):
        after = table.copy()
        after.step(action)
        yield from positions(after)


def test_views_remember_all_that_was_seen() -> None:
    """Two views are the same only where their seat has seen the same, one thing after the other: so
    what it saw before was the same, too. And they differ only where it has seen something else."""
    deals, _ = all_deals(ONE_CARD, by_families=False)
    views: dict[Any, bytes] = {}
    seen: dict[bytes, Any] = {}

    def go_through(table: Any, node: Node) -> None:
        if table.phase == DEAL_OVER:
            return
        view = view_of(table, int(table.to_act))
        key = (node.seat, node.seen)
        assert seen_in(view) == key
        assert views.setdefault(key, view.tobytes()) == view.tobytes()
        assert seen.setdefault(view.tobytes(), key) == key
        for action, child in zip(node.actions, node.children, strict=True):
            after = table.copy()
            after.step(action)
            go_through(after, child)

    for table in deals[::17]:
        go_through(table, slow_tree(table))
    assert len(views) == len(seen) > 500


def test_worlds_are_the_deals_that_are_possible() -> None:
    """Each once, in every view of every position of one card each with nobody or West the maker, and
    nobody playing alone."""
    deals, _ = all_deals(Rules(hand_size=1, alone=False), by_families=False)
    possible: dict[bytes, set[World]] = defaultdict(set)
    views = {}
    for deal in deals:
        for table in positions(deal):
            for seat in range(4) if table.maker in (NOBODY, WEST) else ():
                view = view_of(table, seat)
                views[view.tobytes()] = view
                world = (*table.hands.tolist(), int(table.discard), int(table.widow))
                possible[view.tobytes()].add(world)
    assert len(views) > 1_000
    for key, view in views.items():
        found = as_worlds(*numbered_worlds(view, np.arange(count_worlds(view))))
        assert len(found) == len(set(found))
        assert set(found) == possible[key], view


@pytest.mark.parametrize("seed", range(4))
def test_beliefs_are_the_chances_of_each_deal(seed: int) -> None:
    """When the others play by a policy known: over all deals and secret discards, how likely they come
    to the view."""
    deals, _ = all_deals(ONE_CARD, by_families=False)
    rng, agent = np.random.default_rng(seed), Whimsical()
    reached = [table for table in positions(deals[rng.integers(120)]) if table.phase != AUCTION]
    table = reached[rng.integers(len(reached))]
    seat = (int(table.maker) + 1 + seed % 3) % 4
    view = view_of(table, seat)
    chances: dict[World, float] = defaultdict(float)
    for deal in deals:
        for hidden in set_cards(int(deal.hands[table.maker]) | 1 << int(deal.widow)):
            chance, now = replayed(deal, view, hidden, agent)
            if chance and view_of(now, seat).tobytes() == view.tobytes():
                chances[(*now.hands.tolist(), int(now.discard), int(now.widow))] += chance
    worlds = numbered_worlds(view, np.arange(count_worlds(view)))
    weights = weigh(view, *worlds, agent.probabilities)
    true = np.array([chances[world] for world in as_worlds(*worlds)])
    assert len(true) == len(chances) > 1
    assert weights / weights.sum() == pytest.approx(true / true.sum())


def replayed(deal: Any, view: Any, discard: int, agent: Whimsical) -> tuple[float, Any]:
    """A deal after the actions of a view, with this discard, and how likely the other seats do them; 0
    where one is not allowed."""
    now, chance = deal.copy(), 1.0
    for action in view.history[: view.history_length].tolist():
        done = discard if action == FACE_DOWN else action
        if not legal_actions(now) >> done & 1:
            return 0.0, now
        if now.to_act != view.seat:
            asked = np.zeros(1, VIEW)
            asked[0] = view_of(now, int(now.to_act))
            chance *= agent.probabilities(asked)[0, done]
        now.step(done)
    return chance, now
