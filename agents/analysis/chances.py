"""How likely an agent takes a contract to be made, when the auction has just ended.

Worlds of a seat's view are drawn and weighed as the agent weighs them, and the deal is played on in
each of them as the agent expects it to go on: by `pimc` with all hands open, by `learned_search` with
everybody playing as its network does, by any other agent with itself in all four seats. The share of
the worlds in which the contract is made is the agent's own estimate. It is asked of all four seats:
the maker has seen the widow, the others have not.

Worlds are weighed by what the agent believes of the others: the options of `pimc` and `learned_search`
say what that is; an agent that has probabilities takes everybody to play by them; `rule_based` takes
everybody to play as it does; and an agent without either takes all worlds for equally likely.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hpenv.agents.agent import Agent, Streams, Tables, Views, play_deals, streams_for
from hpenv.agents.pimc import Pimc
from hpenv.agents.pimc_search import BELIEFS, BIDDING, PLAYED, PROPOSED
from hpenv.agents.rule_based import RuleBased
from hpenv.agents.search_worlds import Drawing
from hpenv.compiled import kernel
from hpenv.double_dummy import points_apart, solve_tables
from hpenv.double_dummy_search import new_memory
from hpenv.rulebook import DEAL_OVER, PLAY, tricks_called
from hpenv.seats import N_SEATS, side_of
from hpenv.table import TABLE
from hpenv.table import Tables as Solvable
from hpenv.worlds import set_world

TIMES = 4  # worlds drawn for each that is kept by its weight, where the agent does not say
MOST_WORLDS = 16384  # drawn at once

# From tables (R,), which it may change, and a seed of what is random, to North-South's points minus
# East-West's at their end (R,).
PlayOn = Callable[[Tables, int], NDArray[np.float64]]


class Chances:
    """An agent's estimates. draw: worlds as the agent weighs them. play_on: how it expects a deal to go
    on."""

    def __init__(self, draw: Drawing, play_on: PlayOn) -> None:
        self.draw, self.play_on = draw, play_on
        self.at_once = max(1, MOST_WORLDS // draw.drawn)

    def __call__(self, views: Views, streams: Streams) -> NDArray[np.float64]:
        """How likely the contract of each view (B,) is made, (B,). Each stream (B,) moves on."""
        found = np.zeros(len(views))
        for at in range(0, len(views), self.at_once):
            some = slice(at, at + self.at_once)
            found[some] = self._of(views[some], streams[some])
        return found

    def _of(self, views: Views, streams: Streams) -> NDArray[np.float64]:
        worlds = self.draw(views, streams)
        owners, weights = worlds.owners, worlds.weights
        tables = np.zeros(len(owners), TABLE)
        set_each(views, owners, worlds.hands, worlds.discards, worlds.widows, tables)
        points = self.play_on(tables, int(streams[0]))
        makers = side_of(views["maker"][owners].astype(np.int64))
        made = np.zeros(len(owners), np.bool_)
        write_made(tables, np.where(makers == 0, points, -points), made)
        shares: NDArray[np.float64] = np.bincount(owners, weights * made) / np.bincount(owners, weights)
        return shares


def chances_of(agent: Agent, worlds: int) -> Chances:
    """How an agent estimates. worlds: of each view.

    Raises ValueError for an agent that sees hidden cards.
    """
    if hasattr(agent, "act_oracle"):
        raise ValueError(f"chances: agent {agent.name} sees hidden cards and estimates nothing")
    if isinstance(agent, Pimc):
        bidding, belief = BIDDING[agent.settings[0]], BELIEFS[agent.settings[1]]
        policy = agent.policy or nobody
        return Chances(Drawing(worlds, PROPOSED, belief, policy), Solved(bidding == BIDDING[PLAYED]))
    if hasattr(agent, "network") and not getattr(agent, "sample", False):
        return _by_network(agent, worlds)
    if hasattr(agent, "probabilities"):
        return Chances(Drawing(worlds, TIMES, "learned", agent.probabilities), Played(agent))
    belief = "rule_based" if isinstance(agent, RuleBased) else "uniform"
    return Chances(Drawing(worlds, TIMES, belief, nobody), Played(agent))


def _by_network(agent: Any, worlds: int) -> Chances:
    """Of `learned_search`, and of `learned` as if it were the network searched over."""
    from hpenv.agents.search import LearnedSearch, Settings  # noqa: PLC0415  (torch takes a second)
    from hpenv.agents.search_blueprint import Blueprint  # noqa: PLC0415

    search = agent if isinstance(agent, LearnedSearch) else LearnedSearch(Blueprint(agent), Settings())
    settings, policy = search.settings, search.blueprint.probabilities
    draw = Drawing(worlds, settings.drawn, settings.belief, policy)
    return Chances(draw, lambda tables, seed: search.rollouts.play(tables))


def nobody(views: Views) -> NDArray[np.float64]:
    """The policy of an agent that has none."""
    raise ValueError("chances: these worlds are not weighed by probabilities")


class Played:
    """Plays on with an agent in all four seats."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def __call__(self, tables: Tables, seed: int) -> NDArray[np.float64]:
        play_deals(tables, [self.agent] * N_SEATS, streams_for(seed, len(tables)))
        return points_of(tables)


class Solved:
    """Plays on as `pimc` does: `rule_based` makes the calls, and the play is solved or, if `played`,
    played out by it."""

    def __init__(self, played: bool) -> None:
        self.until, self.agent, self.memory = DEAL_OVER if played else PLAY, RuleBased(), new_memory()

    def __call__(self, tables: Tables, seed: int) -> NDArray[np.float64]:
        streams = streams_for(seed, len(tables))
        play_deals(tables, [self.agent] * N_SEATS, streams, self.until)
        if self.until == DEAL_OVER:
            return points_of(tables)
        values = solve_tables(cast(Solvable, tables), "points", self.memory).astype(np.float64)
        return np.where(side_of(tables["to_act"].astype(np.int64)) == 0, values, -values)


def points_of(tables: Tables) -> NDArray[np.float64]:
    """North-South's points minus East-West's at finished deals (R,)."""
    points = tables["points"].astype(np.float64)
    difference: NDArray[np.float64] = points[:, 0] - points[:, 1]
    return difference


@kernel
def set_each(views: Any, owners: Any, hands: Any, discards: Any, widows: Any, tables: Any) -> None:
    """Make tables (R,): the world of hands (R, 4), discards and widows (R,) of views[owners[r]]."""
    for r in range(len(tables)):
        discard, widow = np.int64(discards[r]), np.int64(widows[r])
        set_world(tables[r], views[owners[r]], hands[r], discard, widow, np.uint64(0))


@kernel
def write_made(tables: Any, points: Any, made: Any) -> None:
    """Write whether the contract at each table (R,) is made, from the makers' points minus the
    defenders': under all rules those of a contract just made are more than those of any that is set."""
    for r in range(len(tables)):
        table = tables[r]
        bid, alone = np.int64(table.bid), bool((table.alone >> np.int64(table.maker)) & 1)
        called = tricks_called(bid, np.int64(table.hand_size))
        made[r] = points[r] >= points_apart(table, called, bid, alone)
