"""An agent as a policy of a small game: what it does in every information set, asked once in each."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hpenv.actions import N_ACTIONS
from hpenv.agents.agent import Agent, Views, streams_for, whole_numbers
from hpenv.compiled import kernel, lowest_bit
from hpenv.rulebook import do
from hpenv.seats import N_SEATS
from hpenv.training.small_games.growing import NONE, edge_among
from hpenv.training.small_games.sweeps import Policy
from hpenv.training.small_games.tree import Tree
from hpenv.view import VIEW, see

ASKED_TOGETHER = 8192  # views at once
# Views (B,), orders of suits that are left (B,), first edges (B,): see `views_of`.
Asked: TypeAlias = tuple[Views, NDArray[np.uint8], NDArray[np.int64]]

TRIES = 32  # of an agent that acts at random and does not say its probabilities


@kernel
def see_again(deals: Any, numbers: Any, calls: Any, ways: Any, views: Any) -> None:
    """Write the view of the seat to act into views (B,): at deals[numbers[i]], after the calls and
    ways[i], which ends at NONE."""
    for i in range(len(views)):
        table = deals[numbers[i] : numbers[i] + 1].copy()[0]
        for call in calls:
            do(table, np.int64(call))
        for action in ways[i]:
            if action == NONE:
                break
            do(table, np.int64(action))
        see(table, np.int64(table.to_act), views[i])


@kernel
def write_policy(views: Any, orders: Any, first_edge: Any, likely: Any, policy: Any) -> None:
    """Write how likely each edge is into policy (E,) of zeros, from likely (B, 39) in views (B,) whose
    edges begin at first_edge (B,); orders (B,) of the suits that are left, as bits."""
    for i in range(len(views)):
        actions = left = np.int64(views[i].legal)
        while left:
            action = lowest_bit(left)
            left &= left - 1
            edge = first_edge[i] + edge_among(actions, action, np.int64(orders[i]))
            policy[edge] += likely[i, action]


def policy_of(
    tree: Tree, agent: Agent, tries: int = TRIES, views: Iterable[Asked] | None = None
) -> tuple[Policy, bool]:
    """What an agent does in every information set of the four seats, and whether that is exact.

    An agent with an attribute `sample` and a method `probabilities` is taken at its word where it
    samples. Any other acts in each view; where two random streams make a difference somewhere, how
    often it does what in `tries` of them stands for its probabilities, which is not exact. The agent is
    asked in one view of each information set: suits that are alike to a seat are alike to its agent.
    The policy of the pairs is the uniform one. views: those of `views_of`, if they are at hand.
    """
    policy = np.where(tree.edge_owner < N_SEATS, 0.0, tree.uniform)
    exact = True
    for asked, orders, first_edge in views_of(tree) if views is None else views:
        for at in range(0, len(asked), ASKED_TOGETHER):
            part = slice(at, at + ASKED_TOGETHER)
            likely, sure = _likely(agent, asked[part], tries)
            exact = exact and sure
            write_policy(asked[part], orders[part], first_edge[part], likely, policy)
    return policy, exact


def _likely(agent: Agent, views: Views, tries: int) -> tuple[NDArray[np.float64], bool]:
    """How likely the agent does each action, (B, 39), and whether that is exact."""
    if getattr(agent, "sample", False) and hasattr(agent, "probabilities"):
        return agent.probabilities(views), True
    streams = streams_for(1, tries * len(views))[:, 0].reshape(tries, -1)
    acts = [whole_numbers(agent, views, streams[i].copy()) for i in range(2)]
    exact = bool((acts[0] == acts[1]).all())
    if not exact:
        acts += [whole_numbers(agent, views, streams[i].copy()) for i in range(2, tries)]
    likely = np.zeros((len(views), N_ACTIONS))
    for actions in acts:
        likely[np.arange(len(views)), actions] += 1 / len(acts)
    return likely, exact


def views_of(tree: Tree) -> Iterator[Asked]:
    """Views (B,) of a seat to act, one for each information set of a seat, in several parts: with the
    orders of suits left, as bits (B,), and the number of the first edge (B,)."""
    auction, hands = tree.auction, tree.arrays.hands
    for at in range(len(auction)):
        calls = np.array(auction.way(at), np.int64)
        if auction.seat[at] >= 0:
            _, deals = np.unique(hands[:, auction.seat[at]], return_index=True)
            ways = np.full((len(deals), 1), NONE, np.int8)
            orders, first = np.ones(len(deals), np.uint8), tree.call_set[at, 0]
            numbers = first + np.arange(len(deals))
        elif auction.maker[at] >= 0:
            after = tree.play[auction.maker[at]]
            own = np.flatnonzero(after.owner < N_SEATS)
            deals, ways, orders = after.deal[own].astype(np.int64), after.way[own], after.orders[own]
            numbers = tree.play_set[at] + own
        else:
            continue
        views = np.zeros(len(deals), VIEW)
        see_again(tree.deals, deals, calls, ways, views)
        yield views, orders, tree.first_edge[numbers]
