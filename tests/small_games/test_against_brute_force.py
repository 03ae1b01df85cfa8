"""Values and best responses against plain Python over the rules written a second time."""

import numpy as np
import pytest

import brute_force
from brute_force import Node, evenly
from hpenv.seats import SEAT_LETTERS
from hpenv.training.small_games.agents import policy_of, views_of
from hpenv.training.small_games.growing import PAIRS
from hpenv.training.small_games.sweeps import best_response, points_of, run_sweep
from small_trees import Whimsical, one_card_tree, only, seen_in, slow_tree

SOME_DEALS = np.random.default_rng(1).choice(120, 10, replace=False)
SIDES = ("NS", "EW")


@pytest.fixture(scope="module")
def roots() -> list[Node]:
    tree = one_card_tree(named=True)
    return [slow_tree(tree.deals[number]) for number in SOME_DEALS]


def chances_of(agent: Whimsical) -> brute_force.Chances:
    """The agent's probabilities, found by what a seat has seen; a forced action is certain."""
    known = {}
    for views, _, _ in views_of(one_card_tree(named=True)):
        for view, likely in zip(views, agent.probabilities(views), strict=True):
            known[seen_in(view)] = likely[likely > 0].tolist()
    return lambda node: [1.0] if len(node.actions) == 1 else known[node.seat, node.seen]


def test_as_many_ways_to_play(roots: list[Node]) -> None:
    tree = one_card_tree(named=True)
    for number, root in zip(SOME_DEALS, roots, strict=True):
        ends = 1  # the deal thrown in
        for at in tree.auction.ends():
            which = 4 * number + tree.auction.maker[at]
            nodes = slice(tree.arrays.start[which], tree.arrays.start[which + 1])
            ends += int((tree.arrays.nodes.end[nodes] >= 0).sum())
        assert ends == brute_force.ways(root) == 4 * 32 + 1


@pytest.mark.parametrize("even", [True, False])
def test_the_same_values_and_best_responses(roots: list[Node], even: bool) -> None:
    """For a seat that knows its view, and for partners who see each other's cards."""
    tree = only(one_card_tree(named=True), SOME_DEALS)
    points, agent = points_of(tree), Whimsical()
    policy, chances = tree.uniform, evenly
    if not even:
        (policy, exact), chances = policy_of(tree, agent), chances_of(agent)
        assert exact
    slow = np.mean([brute_force.value(root, chances) for root in roots])
    assert run_sweep(tree, points, policy) == pytest.approx(slow, abs=1e-12)
    for player, seats in enumerate((*SEAT_LETTERS, *SIDES)):
        found, response = best_response(tree, points, policy, player)
        assert found == pytest.approx(brute_force.best_response(roots, chances, seats), abs=1e-12)
        paired = 1 << player - PAIRS if player >= PAIRS else 0
        played = run_sweep(tree, points, response, paired) * (-1) ** player
        assert played == pytest.approx(found, abs=1e-12)
