"""The benchmark: how much better is one agent than another, and is that more than luck?

The unit is the **duplicate deal**: the same cards, dealer, score and random numbers are played at two
tables, at the first by A as North-South against B as East-West, at the second the other way round.
Its value is A's side's points minus B's side's points, averaged over the two tables, so luck with the
cards cancels and two equal agents score exactly 0. Deal i of a seed is dealt by seat i mod 4 and is the
same however many deals are played. Whole games are duplicated in the same way.

A match names the SHA-256 hash of its deals (`deals_hash`), so that two people know whether they played
the same cards.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpenv.agents.agent import Agent, as_agent, deals_in_lockstep, play_deals, streams_for
from hpenv.compiled import MASK64, Int, kernel, mix
from hpenv.rulebook import DEAL_OVER, is_truncated, new_game, next_deal
from hpenv.rules import Rules, get_rules
from hpenv.seats import EAST_WEST, N_SEATS, NOBODY, NORTH_SOUTH, side_of
from hpenv.table import new_tables
from hpenv.training.benchmark.outcomes import OUTCOME, A, B, outcomes_at
from hpenv.training.benchmark.results import GamesResult, MatchResult

MAX_DEALS = 10_000_000
# Seeds of the benchmark are kept apart from those of training: with this, no training run has met the
# deals of an evaluation with the same seed.
APART = 0x5EA1ED0FDEA15

Watcher = Callable[[int, int], None]  # called with (done, total) from time to time


def duplicate_match(
    a: Agent | str,
    b: Agent | str,
    rules: Rules | str | dict[str, Any] = "standard",
    deals: int = 10_000,
    seed: int = 1,
    progress: Watcher | None = None,
    chunk: int | None = None,
    first: int = 0,
    finished: "Callable[[Seating], None] | None" = None,
) -> MatchResult:
    """Play duplicate deals between two agents, given as such or by name.

    first: the number of the first deal among those of the seed. finished: called with the tables at the
    end of their deals, a chunk and a way round at a time (`hpenv.training.benchmark.records`).

    Both tables of a deal are played with batches of the same make-up, North-South being asked first,
    so that networks see the same numbers in the same places. `chunk` deals are played in lockstep, by
    default as many as suits the agents (`hpenv.agents.agent.deals_in_lockstep`). Raises ValueError for
    an unknown agent or rule and for deals out of range.
    """
    check_number("deals", deals)
    players, chosen, seed = (as_agent(a), as_agent(b)), get_rules(rules), int(seed)
    outcomes, dealt = np.zeros((deals, 2), OUTCOME), hashlib.sha256()
    for at in both_ways_round(players, chosen, deals, seed, progress, chunk, first):
        if at.side_of_a == NORTH_SOUTH:
            dealt.update(dealt_bytes(at.tables))
        play_deals(at.tables, at.agents, at.streams)
        outcomes[at.rows, at.side_of_a] = outcomes_at(at.tables, at.side_of_a)
        if finished:
            finished(at)
    names = players[A].name, players[B].name
    return MatchResult(names, chosen, seed, outcomes, dealt.hexdigest())


def game_match(
    a: Agent | str,
    b: Agent | str,
    rules: Rules | str | dict[str, Any] = "standard",
    games: int = 500,
    seed: int = 1,
    progress: Watcher | None = None,
    chunk: int | None = None,
) -> GamesResult:
    """Play whole games to the target (R18), each both ways round with the same cards deal by deal.
    Otherwise as `duplicate_match`."""
    check_number("games", games)
    players, chosen, seed = (as_agent(a), as_agent(b)), get_rules(rules), int(seed)
    winners, lengths = np.zeros((games, 2), np.int8), np.zeros((games, 2), np.int64)
    leads, margins = [], []
    for at in both_ways_round(players, chosen, games, seed, progress, chunk):
        going = len(at.tables)
        while going:
            rows, before = at.tables["phase"] != DEAL_OVER, at.tables["score"].copy()
            play_deals(at.tables, at.agents, at.streams)
            leads.append(_of_a_less_b(before[rows], at.side_of_a))
            margins.append(_of_a_less_b(at.tables["points"][rows], at.side_of_a))
            going = deal_again(at.tables)
        won = at.tables["winner"].astype(np.int8)
        winners[at.rows, at.side_of_a] = np.where(won == NOBODY, NOBODY, won ^ at.side_of_a)
        lengths[at.rows, at.side_of_a] = at.tables["deals_played"]
    each = np.concatenate(leads), np.concatenate(margins)
    return GamesResult((players[A].name, players[B].name), chosen, seed, winners, lengths, *each)


def _of_a_less_b(of_sides: NDArray[Any], side_of_a: int) -> NDArray[np.int64]:
    """What A has more than B, (n,), of what the sides have, (n, 2)."""
    found = of_sides.astype(np.int64)
    more: NDArray[np.int64] = found[:, side_of_a] - found[:, 1 - side_of_a]
    return more


@dataclass
class Seating:
    """Tables just dealt, and the agents in their seats.

    rows: the places of their deals in the match. first: the number of the first of them among the deals
    of the seed. side_of_a: that of agent A, and so the first or the second table of each deal. agents:
    one for each seat. streams: uint64 of shape (B, 4).
    """

    rows: slice
    first: int
    side_of_a: int
    tables: Any
    agents: list[Agent]
    streams: Any


def both_ways_round(
    players: tuple[Agent, Agent],
    rules: Rules,
    deals: int,
    seed: int,
    progress: Watcher | None = None,
    chunk: int | None = None,
    first: int = 0,
) -> Iterator[Seating]:
    """A chunk of deals at a time, first with A as North-South, then the same with A as East-West."""
    chunk = chunk or deals_in_lockstep(players)
    for done in range(0, deals, chunk):
        if progress:
            progress(done, deals)
        n, at = min(chunk, deals - done), first + done
        dealt, rows = deal_tables(rules, seed, at, n), slice(done, done + n)
        for side_of_a in (NORTH_SOUTH, EAST_WEST):
            agents = [players[side_of(seat) ^ side_of_a] for seat in range(N_SEATS)]
            streams = streams_for(_apart(seed), n, at)
            yield Seating(rows, at, side_of_a, dealt.copy(), agents, streams)
    if progress:
        progress(deals, deals)


def watched(progress: Watcher | None, n: int, matches: int) -> Watcher:
    """What watches match number n, from 0, of several with as many deals each, for a `progress` that
    watches them all."""

    def watch(done: int, total: int) -> None:
        if progress:
            progress(n * total + done, matches * total)

    return watch


def check_number(what: str, n: int, least: int = 1) -> None:
    """Raise TypeError with a sentence for what is no whole number, and ValueError for one below `least`
    or above MAX_DEALS."""
    is_number = isinstance(n, Integral) and not isinstance(n, bool)
    if not is_number or not least <= n <= MAX_DEALS:
        kind = ValueError if is_number else TypeError
        raise kind(f"{what}: {n!r} is not a whole number from {least} to {MAX_DEALS:,}")


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


def dealt_bytes(tables: Any) -> bytes:
    """What is hashed of tables (B,) just dealt: for each the dealer, and the cards by their numbers as
    they lie in the pack, those of North, East, South and West and then the widow."""
    k = int(tables["hand_size"][0])
    cards = tables["pack"][:, : N_SEATS * k + 1]
    return np.column_stack([tables["dealer"], cards]).astype(np.uint8).tobytes()


def deals_hash(rules: Rules, seed: int, deals: int, first: int = 0) -> str:
    """The hash of the deals that a match plays, 64 hexadecimal digits, without playing them."""
    dealt, chunk = hashlib.sha256(), 65536
    for at in range(first, first + deals, chunk):
        dealt.update(dealt_bytes(deal_tables(rules, seed, at, min(chunk, first + deals - at))))
    return dealt.hexdigest()


def _apart(seed: int) -> int:
    return int(mix(np.uint64((seed ^ APART) & MASK64)))
