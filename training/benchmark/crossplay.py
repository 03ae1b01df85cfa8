"""Cross-play: do agents that were trained apart understand each other as partners?

Two agents sit as partners against one opponent, on the same duplicate deals as each of them with
itself. Agents of one learner from several seeds that lose much in this way have found conventions that
only their own twin understands, and their strength beside a stranger is less than self-play shows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table as Grid

from hpenv.agents.agent import (
    Actions,
    Agent,
    Streams,
    Views,
    as_agent,
    check_asked,
    deals_in_lockstep,
)
from hpenv.agents.mixed import act_by
from hpenv.rules import RuleChoice, Rules, get_rules
from hpenv.seats import EAST, NORTH
from hpenv.training.benchmark.matches import Watcher, check_number, duplicate_match, watched
from hpenv.training.benchmark.results import interval_text, mean_of_change


class Partners:
    """Two agents that sit opposite each other: the first in North's or East's seat."""

    def __init__(self, first: Agent, second: Agent) -> None:
        self.agents = (first, second)
        self.name = f"{first.name} with {second.name}"
        self.deals_in_lockstep = deals_in_lockstep(self.agents)

    def act(self, views: Views, streams: Streams) -> Actions:
        check_asked(self, views, streams)
        is_second = ~np.isin(views["seat"], (NORTH, EAST))
        return act_by(self.agents, is_second.astype(np.int64), views, streams)


@dataclass(frozen=True)
class CrossPlay:
    """values: by (i, j), the value of each duplicate deal, shape (deals,), for agent i in North's or
    East's seat with j as its partner, against one opponent."""

    names: list[str]
    against: str
    rules: Rules
    seed: int
    values: dict[tuple[int, int], NDArray[np.float64]]
    deals_hash: str

    def losses_of(self, i: int, j: int) -> NDArray[np.float64]:
        """What i and j lose as partners on each deal, against the mean of each with itself."""
        alone = (self.values[i, i] + self.values[j, j]) / 2
        together = (self.values[i, j] + self.values[j, i]) / 2
        losses: NDArray[np.float64] = alone - together
        return losses

    @property
    def losses(self) -> NDArray[np.float64]:
        """What a pair loses on each deal, shape (deals,), the mean of all pairs."""
        pairs = combinations(range(len(self.names)), 2)
        losses: NDArray[np.float64] = np.mean([self.losses_of(*pair) for pair in pairs], axis=0)
        return losses

    def as_json(self) -> dict[str, Any]:
        """The intervals are over deals; with few agents, others of their kind may differ by more."""
        pairs = list(combinations(range(len(self.names)), 2))
        return {
            "agents": self.names,
            "against": self.against,
            "rules": self.rules.name(),
            "seed": self.seed,
            "deals": len(self.losses),
            "deals_hash": self.deals_hash,
            "self_play": [float(self.values[i, i].mean()) for i in range(len(self.names))],
            "loss": mean_of_change(self.losses),
            "pairs": [
                {"a": self.names[i], "b": self.names[j], **mean_of_change(self.losses_of(i, j))}
                for i, j in pairs
            ],
        }


def cross_play(
    agents: Sequence[Agent | str],
    against: Agent | str = "rule_based",
    rules: RuleChoice = "standard",
    deals: int = 2_000,
    seed: int = 1,
    progress: Watcher | None = None,
) -> CrossPlay:
    """Every agent as the partner of every other and of itself, against one opponent.

    Raises ValueError as `duplicate_match`, and for fewer than two agents.
    """
    if len(agents) < 2:
        raise ValueError(f"crossplay: name two agents or more, not {len(agents)}")
    check_number("deals", deals)
    players, opponent, chosen = [as_agent(a) for a in agents], as_agent(against), get_rules(rules)
    for player in players:
        if hasattr(player, "act_oracle"):
            raise ValueError(f"crossplay: agent {player.name} sees hidden cards")
    seatings = [(i, j) for i in range(len(players)) for j in range(len(players))]
    values: dict[tuple[int, int], NDArray[np.float64]] = {}
    dealt = ""
    for n, (i, j) in enumerate(seatings):
        pair, watcher = Partners(players[i], players[j]), watched(progress, n, len(seatings))
        match = duplicate_match(pair, opponent, chosen, deals, seed, watcher)
        values[i, j], dealt = match.values, match.deals_hash
    names = [player.name for player in players]
    return CrossPlay(names, opponent.name, chosen, seed, values, dealt)


def cross_play_grid(found: dict[str, Any]) -> Grid:
    """What `CrossPlay.as_json` says, for reading."""
    grid = Grid("partners", "points lost per deal", "95 % interval")
    grid.title = (
        f"partners against {found['against']} under {found['rules']}: {found['deals']:,} duplicate "
        f"deals of seed {found['seed']}"
    )
    for row in (*found["pairs"], found["loss"]):
        name = f"{row['a']} with {row['b']}" if "a" in row else "all pairs"
        grid.add_row(name, f"{row['mean']:+.3f}", interval_text(row))
    return grid
