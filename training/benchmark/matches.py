"""The benchmark: how much better is one agent than another, and is that more than luck?

The unit is the **duplicate deal**: the same cards, dealer, score and random numbers are played at two
tables, at the first by A as North-South against B as East-West, at the second the other way round.
Its value is A's side's points minus B's side's points, averaged over the two tables, so luck with the
cards cancels and two equal agents score exactly 0. Deal i of a seed is dealt by seat i mod 4 and is the
same however many deals are played. Whole games are duplicated in the same way.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from hpenv.agents.agent import Agent, as_agent, deals_in_lockstep, play_deals, streams_for
from hpenv.compiled import MASK64, Int, kernel, mix
from hpenv.rulebook import is_truncated, new_game, next_deal
from hpenv.rules import Rules, get_rules
from hpenv.seats import EAST_WEST, NOBODY, NORTH_SOUTH
from hpenv.table import new_tables
from hpenv.training.benchmark.results import OUTCOME, A, B, GamesResult, MatchResult, Tournament

__all__ = ["GamesResult", "MatchResult", "Tournament", "duplicate_match", "game_match", "tournament"]

MAX_DEALS = 10_000_000
# Seeds of the benchmark are kept apart from those of training: with this, no training run has met the
# deals of an evaluation with the same seed.
APART = 0x5EA1ED0FDEA15

Watcher = Callable[[int, int], None]  # told (done, total) from time to time


def duplicate_match(
    a: Agent | str,
    b: Agent | str,
    rules: Rules | str | dict[str, Any] = "standard",
    deals: int = 10_000,
    seed: int = 1,
    progress: Watcher | None = None,
    chunk: int | None = None,
) -> MatchResult:
    """Play duplicate deals between two agents, given as such or by name.

    Both tables of a deal are played with batches of the same make-up, North-South being asked first,
    so that networks see the same numbers in the same places. `chunk` deals are played in lockstep, by
    default as many as suits the agents (`hpenv.agents.agent.deals_in_lockstep`). Raises ValueError for
    an unknown agent or rule and for deals out of range.
    """
    players, chosen = (as_agent(a), as_agent(b)), get_rules(rules)
    _check_number("deals", deals)
    outcomes = np.zeros((deals, 2), OUTCOME)
    chunk = chunk or deals_in_lockstep(players)
    for first in range(0, deals, chunk):
        n = min(chunk, deals - first)
        if progress:
            progress(first, deals)
        dealt = deal_tables(chosen, seed, first, n)
        for table, side_of_a in enumerate((NORTH_SOUTH, EAST_WEST)):
            tables = dealt.copy()
            play_deals(tables, _seated(players, side_of_a), streams_for(_apart(seed), n, first))
            outcomes[first : first + n, table] = outcomes_at(tables, side_of_a)
    if progress:
        progress(deals, deals)
    return MatchResult((players[A].name, players[B].name), chosen, seed, outcomes)


def game_match(
    a: Agent | str,
    b: Agent | str,
    rules: Rules | str | dict[str, Any] = "standard",
    games: int = 500,
    seed: int = 1,
    progress: Watcher | None = None,
    chunk: int | None = None,
) -> GamesResult:
    """Play whole games to the target (R18), each both ways round with the same cards deal by deal."""
    players, chosen = (as_agent(a), as_agent(b)), get_rules(rules)
    _check_number("games", games)
    winners, lengths = np.zeros((games, 2), np.int8), np.zeros((games, 2), np.int64)
    chunk = chunk or deals_in_lockstep(players)
    for first in range(0, games, chunk):
        n = min(chunk, games - first)
        if progress:
            progress(first, games)
        dealt = deal_tables(chosen, seed, first, n)
        for table, side_of_a in enumerate((NORTH_SOUTH, EAST_WEST)):
            tables, streams = dealt.copy(), streams_for(_apart(seed), n, first)
            going = n
            while going:
                play_deals(tables, _seated(players, side_of_a), streams)
                going = deal_again(tables)
            won = tables["winner"].astype(np.int8)
            winners[first : first + n, table] = np.where(won == NOBODY, NOBODY, won ^ side_of_a)
            lengths[first : first + n, table] = tables["deals_played"]
    if progress:
        progress(games, games)
    return GamesResult((players[A].name, players[B].name), chosen, seed, winners, lengths)


def tournament(
    agents: Sequence[Agent | str],
    rules: Rules | str | dict[str, Any] = "standard",
    deals: int = 10_000,
    seed: int = 1,
    progress: Watcher | None = None,
) -> Tournament:
    """Every agent against every other on the same duplicate deals."""
    players = [as_agent(agent) for agent in agents]
    pairs = list(combinations(range(len(players)), 2))
    if not pairs:
        raise ValueError(f"a tournament needs two agents or more, not {len(players)}")
    _check_number("deals", deals)
    matches: dict[tuple[int, int], MatchResult] = {}
    for k, (i, j) in enumerate(pairs):

        def onward(done: int, total: int, before: int = k * deals) -> None:
            if progress:
                progress(before + done, len(pairs) * deals)

        matches[i, j] = duplicate_match(players[i], players[j], rules, deals, seed, onward)
    return Tournament([player.name for player in players], get_rules(rules), seed, deals, matches)


# ---- tables -----------------------------------------------------------------------------------


def deal_tables(rules: Rules, seed: int, first: int, n: int) -> Any:
    """Tables with the deals `first` .. `first + n - 1` of a seed, dealt and ready for the auction."""
    tables = new_tables(n, rules, _apart(seed), first)
    start_games(tables, first)
    return tables


@kernel
def start_games(tables: Any, first: Int) -> None:
    """Start a game at each table, every seat dealing in turn."""
    for i in range(len(tables)):
        new_game(tables[i], (first + i) & 3, 0, 0)


@kernel
def deal_again(tables: Any) -> Int:
    """Deal again wherever a game is not over; returns the number of such tables."""
    going = 0
    for i in range(len(tables)):
        if tables[i].winner == NOBODY and not is_truncated(tables[i]):
            next_deal(tables[i])
            going += 1
    return going


def outcomes_at(tables: Any, side_of_a: int) -> Any:
    """What became of the finished deals at some tables, OUTCOME of shape (B,)."""
    outcomes = np.zeros(len(tables), OUTCOME)
    contract = tables["maker"] != NOBODY
    makers = np.where(contract, tables["maker"] & 1, 0)
    tricks = tables["tricks"][np.arange(len(tables)), makers]
    outcomes["makers"] = np.where(contract, makers ^ side_of_a, NOBODY)
    outcomes["bid"] = tables["bid"]
    outcomes["made"] = contract & (tricks >= np.minimum(tables["bid"], tables["hand_size"]))
    outcomes["march"] = contract & (tricks == tables["hand_size"])
    outcomes["alone"] = contract & (tables["alone"] >> np.maximum(tables["maker"], 0) & 1).astype(bool)
    outcomes["points"] = tables["points"][:, [side_of_a, 1 - side_of_a]]
    return outcomes


def _seated(players: tuple[Agent, Agent], side_of_a: int) -> list[Agent]:
    """The agent of each seat."""
    return [players[(seat & 1) ^ side_of_a] for seat in range(4)]


def _apart(seed: int) -> int:
    return int(mix(np.uint64((seed ^ APART) & MASK64)))


def _check_number(what: str, n: int) -> None:
    if not 1 <= n <= MAX_DEALS:
        raise ValueError(f"{what}: {n} is not a whole number from 1 to {MAX_DEALS:,}")
