"""What an agent's choices lose by the estimate of a strong judge, for each part of the game.

A diagnostic, not a result: a judge such as `pimc` sees all hands in each of its worlds and takes all
seats to play on as it expects them to, so that its regret is not what better play would win. Matches
measure that (`hpenv duel`).

The first of the agents plays itself, and of every deal one decision with a choice is taken at random
from each part of the game. The judge looks at it twice, in worlds drawn apart. What is best in the
worlds of one look is valued in those of the other, each way round (cross-fitting): the judge's pick is
not valued by the luck for which it was picked, which would make every agent seem to lose. So the regret
is that against an action that can be picked, it may be below 0 at random, and the judge's own is 0 on
average.

What is lost per deal in a part is the loss at the decision taken, times how many decisions of that part
the deal had. That is unbiased, and deals are independent of each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table as Grid

from hpenv.actions import ACTION_TEXT
from hpenv.agents.agent import (
    Agent,
    Streams,
    Views,
    as_agent,
    deals_in_lockstep,
    play_deals,
    streams_for,
    whole_numbers,
)
from hpenv.agents.opinion import opinion_of
from hpenv.cards import NO_SUIT
from hpenv.rulebook import AUCTION, DISCARD, NAME_TRUMP, PLAY
from hpenv.rules import RuleChoice, get_rules
from hpenv.seats import N_SEATS
from hpenv.training.benchmark.intervals import mean_interval
from hpenv.training.benchmark.matches import Watcher, check_number, deal_tables, deals_hash
from hpenv.training.benchmark.outcomes import finite
from hpenv.training.benchmark.results import SHOWN_OF_HASH
from hpenv.view import VIEW

JUDGE = "pimc:worlds=1000"
PARTS = ("auction", "trump", "discard", "alone", "lead", "follow")
ALL = "all"
APART = 0x0DDC0FFEE  # the judge's worlds are others than those of the agents


@dataclass(frozen=True)
class Decisions:
    """One decision of every deal for each part: views (P, deals) of VIEW; counts (P, deals), how many
    the deal had, 0 where there is none to take."""

    views: Views
    counts: NDArray[np.int64]


def regrets(
    agents: Sequence[Agent | str],
    rules: RuleChoice = "standard",
    deals: int = 200,
    judge: Agent | str = JUDGE,
    seed: int = 1,
    progress: Watcher | None = None,
) -> dict[str, Any]:
    """What each agent loses at the same decisions, those of the first one playing itself, as values for
    JSON.

    Raises ValueError for no agents, for one that sees hidden cards, and for a judge that expects no
    points.
    """
    if not agents:
        raise ValueError("regret: name one agent or more")
    check_number("deals", deals)
    players, judging, chosen = [as_agent(a) for a in agents], as_agent(judge), get_rules(rules)
    for player in (*players, judging):
        if hasattr(player, "act_oracle"):
            raise ValueError(f"regret: agent {player.name} sees hidden cards")
    taken = decisions(players[0], deal_tables(chosen, seed, 0, deals), seed)
    lost = losses(players, judging, taken, seed, progress)
    return {
        "agents": [
            {"name": player.name, "parts": parts_of(lost[i], taken.counts)}
            for i, player in enumerate(players)
        ],
        "diagnostic": f"against the best choices by {judging.name}, cross-fitted",
        "judge": judging.name,
        "rules": chosen.name(),
        "seed": seed,
        "deals": deals,
        "deals_hash": deals_hash(chosen, seed, deals),
    }


def decisions(player: Agent, tables: Any, seed: int) -> Decisions:
    """Play tables (B,) just dealt with one agent in all four seats, and take decisions at random."""
    n, draws = len(tables), np.random.default_rng(seed)
    views, counts = np.zeros((len(PARTS), n), VIEW), np.zeros((len(PARTS), n), np.int64)
    chunk = deals_in_lockstep([player])

    def take(rows: NDArray[np.int64], seen: Views) -> None:
        """Take each decision instead of those before it with the probability 1 / (their number + 1)."""
        choice = seen["legal"] & (seen["legal"] - 1) != 0
        parts, deals, seen = part_of(seen)[choice], first + rows[choice], seen[choice]
        counts[parts, deals] += 1
        now = draws.random(len(deals)) * counts[parts, deals] < 1
        views[parts[now], deals[now]] = seen[now]

    for first in range(0, n, chunk):
        some = tables[first : first + chunk]
        play_deals(some, [player] * N_SEATS, streams_for(seed, len(some), first), watch=take)
    return Decisions(views, counts)


def part_of(views: Views) -> NDArray[np.int64]:
    """The part of the game each view (B,) stands in: an index into PARTS, shape (B,)."""
    before_play = [AUCTION, NAME_TRUMP, DISCARD]
    places = [PARTS.index(part) for part in ("auction", "trump", "discard")]
    leading = np.where(views["led_suit"] == NO_SUIT, PARTS.index("lead"), PARTS.index("follow"))
    phases = [views["phase"] == phase for phase in (*before_play, PLAY)]
    return np.select(phases, [*places, leading], PARTS.index("alone"))


def losses(
    players: Sequence[Agent],
    judge: Agent,
    taken: Decisions,
    seed: int,
    progress: Watcher | None = None,
) -> NDArray[np.float64]:
    """What each agent loses at each decision taken, (agents, P, deals), 0 where there is none."""
    parts, deals = np.nonzero(taken.counts)
    views, n = taken.views[parts, deals], len(parts)
    streams = streams_for(seed ^ APART, n)
    actions = [_actions(player, views, streams[:, 2].copy()) for player in players]
    lost = np.zeros((len(players), *taken.counts.shape))
    for i in range(n):
        if progress:
            progress(i, n)
        looks = [opinion_of(judge, views[i], int(word)).points for word in streams[i, :2]]
        for k, chosen in enumerate(actions):
            lost[k, parts[i], deals[i]] = cross_fitted(looks[0], looks[1], int(chosen[i]), judge.name)
    if progress:
        progress(n, n)
    return lost


def _actions(player: Agent, views: Views, streams: Streams) -> NDArray[np.int64]:
    """An agent's action at each view (B,), asked as many at once as in a match."""
    chunk = deals_in_lockstep([player])
    starts = range(0, len(views), chunk)
    found = [whole_numbers(player, views[a : a + chunk], streams[a : a + chunk]) for a in starts]
    return np.concatenate(found) if found else np.zeros(0, np.int64)


def cross_fitted(one: Any, other: Any, action: int, judge: str = "the judge") -> float:
    """What an action loses against what is best by one look, valued by the other, the mean of both ways
    round. one, other: points of each action by two looks, (39,), nan for illegal ones."""
    if not np.isfinite(one[action] + other[action]):
        raise ValueError(
            f"regret: agent {judge} does not say what points it expects of {ACTION_TEXT[action]}"
        )
    best, best_of_other = int(np.nanargmax(one)), int(np.nanargmax(other))
    return float(other[best] - other[action] + one[best_of_other] - one[action]) / 2


def parts_of(lost: NDArray[np.float64], counts: NDArray[np.int64]) -> list[dict[str, Any]]:
    """What an agent lost (P, deals), by part and in all, as values for JSON."""
    per_deal, rows = lost * counts, []
    for part, name in enumerate(PARTS):
        if counts[part].any():
            rows.append(_row(name, per_deal[part], counts[part], np.count_nonzero(counts[part])))
    return [*rows, _row(ALL, per_deal.sum(axis=0), counts.sum(axis=0), np.count_nonzero(counts))]


def _row(
    name: str, per_deal: NDArray[np.float64], counts: NDArray[np.int64], judged: np.integer[Any]
) -> dict[str, Any]:
    low, high = mean_interval(per_deal)
    return {
        "part": name,
        "lost_per_deal": float(per_deal.mean()),
        "low": finite(low),
        "high": finite(high),
        "decisions_per_deal": float(counts.mean()),
        "lost_per_decision": float(per_deal.sum() / max(1, counts.sum())),
        "judged": int(judged),
    }


def regret_grid(found: dict[str, Any]) -> Grid:
    """What `regrets` says, for reading."""
    grid = Grid(
        *("agent", "part", "points lost per deal", "decisions", "per decision"),
        title=f"diagnostic, {found['diagnostic']}; {found['rules']}, {found['deals']:,} deals of seed "
        f"{found['seed']}, deals {found['deals_hash'][:SHOWN_OF_HASH]}, all four seats",
    )
    for column in grid.columns[2:]:
        column.justify = "right"
    for agent in found["agents"]:
        grid.add_section()
        for row in agent["parts"]:
            known = "" if row["low"] is None else f" [{row['low']:+.3f}, {row['high']:+.3f}]"
            lost, name = f"{row['lost_per_deal']:+.3f}{known}", agent["name"]
            numbers = f"{row['decisions_per_deal']:.1f}", f"{row['lost_per_decision']:+.4f}"
            grid.add_row(name if row is agent["parts"][0] else "", row["part"], lost, *numbers)
    return grid
