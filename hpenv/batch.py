"""Many tables stepped together, written straight into arrays that torch can wrap without copying.

A batch plays the very same game as single tables: it calls the same kernels, and table i of a batch
with a seed is dealt the same cards whatever the batch's size or number of threads.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np

from hpenv.actions import N_ACTIONS, action_text
from hpenv.compiled import Int, kernel, lowest_bit
from hpenv.observation import HIDDEN_SIZE, OBSERVATION_SIZE, write_hidden, write_mask, write_observation
from hpenv.rulebook import (
    DEAL_OVER,
    do,
    is_truncated,
    legal_actions,
    new_game,
    next_deal,
    random_member,
)
from hpenv.rules import Rules, check_score, get_rules
from hpenv.seats import N_SEATS, NOBODY
from hpenv.suits import UNLABEL, suit_order
from hpenv.table import new_tables
from hpenv.view import VIEW, see, see_each

EPISODES = ("game", "deal")
REWARDS = ("points", "win")
GOES_ON, TERMINATED, TRUNCATED = range(3)
SUIT_NAMINGS = ("as_dealt", "canonical")

RuleChoice = Rules | str | dict[str, Any]


class Batch:
    """B tables, each waiting for one seat to act; finished episodes start anew by themselves.

    After `reset()` and after every `step(actions)` these arrays, written in place, hold:

    - observations (B, F) int8 or float32, of the seat to act (F = OBSERVATION_SIZE)
    - masks (B, A) int8, its legal actions (A = 39)
    - legal (B,) int64, the same as a set of bits, bit a for action a
    - seats (B,) int64, the seat to act
    - rewards (B, S) float32, what the step brought each of the S = 4 seats
    - terminated, truncated (B,) bool: the step ended the episode; the observation is already the next
      episode's first
    - deal_over (B,) bool: the step ended a deal
    - steps (B,) int64: actions done by the step, forced ones included (see `skip_forced`)
    - hidden (B, H) int8, what that seat may not see, for critics; only with `with_hidden=True`

    rules: a Rules, preset or options for all tables, or a list with one for each. seed, first_index:
    table i is dealt the cards of (seed, first_index + i). episode: "game" or
    "deal". reward: "points", at the end of each deal the side's points minus the other's; or "win", +1
    or -1 at the end of the game. score, dealer: of the first deal of each episode; a dealer of None is
    random (R3). suits: "as_dealt", or "canonical" so that trumps are suit 0: then observations,
    masks, hidden and the actions given to `step` are all canonical, afresh at each decision.
    skip_forced: do actions by itself where only one is legal. threads: slices stepped at once.
    """

    def __init__(
        self,
        n: int,
        rules: RuleChoice | Sequence[RuleChoice] = "standard",
        *,
        seed: int = 0,
        first_index: int = 0,
        episode: str = "game",
        reward: str = "points",
        score: tuple[int, int] = (0, 0),
        dealer: int | None = None,
        suits: str = "as_dealt",
        skip_forced: bool = False,
        with_hidden: bool = False,
        dtype: Any = np.int8,
        threads: int = 1,
    ) -> None:
        self.options = check_episode_options(episode, reward, score, dealer)
        check_batch_options(n, suits, dtype, threads)
        each: list[Any] = list(rules) if isinstance(rules, list | tuple) else [rules] * n
        if len(each) != n:
            raise ValueError(f"rules: {len(each)} given for {n} tables")
        self.rules = [get_rules(choice) for choice in each]
        for chosen in set(self.rules):
            check_score(score, chosen)
        self.n = n
        self.canonical = suits == "canonical"
        self.skip_forced = skip_forced
        self.tables = new_tables(n, self.rules, seed, first_index)
        self.observations = np.zeros((n, OBSERVATION_SIZE), dtype)
        self.masks = np.zeros((n, N_ACTIONS), np.int8)
        self.legal = np.zeros(n, np.int64)
        self.hidden = np.zeros((n if with_hidden else 0, HIDDEN_SIZE), np.int8)
        self.seats = np.zeros(n, np.int64)
        self.orders = np.zeros(n, np.int64)  # how each table's suits are relabelled just now
        self.rewards = np.zeros((n, N_SEATS), np.float32)
        self.terminated = np.zeros(n, np.bool_)
        self.truncated = np.zeros(n, np.bool_)
        self.deal_over = np.zeros(n, np.bool_)
        self.steps = np.zeros(n, np.int64)
        bounds = np.linspace(0, n, max(1, min(threads, n)) + 1).astype(int)
        self._parts = [self._part(a, b) for a, b in pairwise(bounds)]
        self._pool = ThreadPoolExecutor(len(self._parts)) if len(self._parts) > 1 else None
        self.reset()

    def _part(self, a: int, b: int) -> tuple[slice, tuple[Any, ...], tuple[Any, ...]]:
        """Tables a..b-1: the slice, what `observe_all` writes, and what a step brings."""
        part = slice(a, b)
        hidden = self.hidden[part] if len(self.hidden) else self.hidden
        seen = (self.observations[part], self.masks[part], self.legal[part], hidden)
        results = (self.rewards, self.terminated, self.truncated, self.deal_over, self.steps)
        return (
            part,
            (np.zeros(1, VIEW), *seen, self.orders[part]),
            tuple(result[part] for result in results),
        )

    def reset(self) -> None:
        """Start a new episode at every table; the random numbers go on."""
        self._each_part(self._reset_part)

    def step(self, actions: Any) -> None:
        """Do one action (B,) int64 at each table. Raises ValueError, and changes nothing, if one is
        illegal."""
        actions = self._one_each("actions", actions)
        wrong = first_illegal(self.masks, actions)
        if wrong >= 0:
            self._refuse(wrong, int(actions[wrong]))
        dealer, score, by_deal, by_win = self.options
        how = (self.canonical, self.skip_forced, by_deal, by_win, dealer, score[0], score[1])

        def step_part(part: tuple[slice, Any, Any]) -> None:
            rows, seen, results = part
            step_all(self.tables[rows], actions[rows], self.seats[rows], *how, *seen, *results)

        self._each_part(step_part)

    def refresh(self) -> None:
        """Write observations anew after `tables` was changed by hand, as when a game is restored."""
        for rows, seen, _ in self._parts:
            self.seats[rows] = self.tables[rows]["to_act"]
            observe_all(self.tables[rows], self.seats[rows], self.canonical, *seen)

    def views(self) -> Any:
        """The views of the seats to act: shape (B,) of VIEW, suits as dealt."""
        views = np.zeros(self.n, VIEW)
        see_each(self.tables, self.seats, views)
        return views

    def observe_seats(self, seats: Any) -> tuple[Any, Any]:
        """Observations (B, F) and hidden parts (B, H) of any seats (B,), to act or not: for critics.

        Without `with_hidden` the hidden parts have no rows. Raises ValueError for what is no seat.
        """
        seats = self._one_each("seats", seats)
        if np.any((seats < 0) | (seats >= N_SEATS)):
            raise ValueError(f"seats={seats.tolist()} are not all seats 0 to 3")
        scratch, observations, masks, legal, hidden, orders = self._part(0, self.n)[1]
        observations, hidden = np.zeros_like(observations), np.zeros_like(hidden)
        rest = np.zeros_like(masks), np.zeros_like(legal)
        observe_all(
            self.tables,
            seats,
            self.canonical,
            scratch,
            observations,
            *rest,
            hidden,
            np.zeros_like(orders),
        )
        return observations, hidden

    def _one_each(self, name: str, numbers: Any) -> Any:
        """One whole number for each table, int64 (B,), or ValueError."""
        given = np.asarray(numbers)
        if given.shape != (self.n,):
            raise ValueError(f"{name} has shape {given.shape}, not ({self.n},)")
        if given.dtype.kind not in "iu":
            raise ValueError(f"{name} are {given.dtype}, not whole numbers")
        return np.ascontiguousarray(given, np.int64)

    def _each_part(self, work: Callable[[Any], None]) -> None:
        if self._pool is None:
            work(self._parts[0])
        else:
            list(self._pool.map(work, self._parts))

    def _reset_part(self, part: tuple[slice, Any, Any]) -> None:
        rows, seen, results = part
        tables, seats = self.tables[rows], self.seats[rows]
        dealer, score, _, _ = self.options
        new_games(tables, dealer, score[0], score[1])
        for result in results:
            result[:] = 0
        seats[:] = tables["to_act"]
        observe_all(tables, seats, self.canonical, *seen)

    def _refuse(self, i: int, action: int) -> None:
        if not 0 <= action < N_ACTIONS:
            raise ValueError(f"table {i}: no such action: {action} (actions are 0 to 38)")
        as_dealt = int(UNLABEL[self.orders[i], action])
        try:
            self.tables[i].step(as_dealt)
        except ValueError as error:
            raise type(error)(*_with_prefix(f"table {i}: ", error)) from None
        raise AssertionError(f"the mask of table {i} forbids the legal {action_text(as_dealt)}")


def _with_prefix(prefix: str, error: ValueError) -> tuple[str, ...]:
    rule = getattr(error, "rule", None)
    return (rule, prefix + str(error)) if rule else (prefix + str(error),)


def check_batch_options(n: int, suits: str, dtype: Any, threads: int) -> None:
    """Refuse a number of tables or threads, a naming of suits or a dtype that a batch cannot have."""
    for name, number in (("n", n), ("threads", threads)):
        if not isinstance(number, Integral) or isinstance(number, bool) or number < 1:
            raise ValueError(f"{name}={number!r} is not a whole number of at least 1")
    if suits not in SUIT_NAMINGS:
        raise ValueError(f"suits={suits!r} is not one of {', '.join(SUIT_NAMINGS)}")
    if dtype not in (np.int8, np.float32, "int8", "float32"):
        raise ValueError(f"dtype={dtype!r} is not one of int8, float32")


def check_episode_options(
    episode: str, reward: str, score: tuple[int, int], dealer: int | None
) -> tuple[int, tuple[int, int], bool, bool]:
    """The options every environment shares, checked: (dealer or NOBODY, score, by deal?, by win?)."""
    if episode not in EPISODES:
        raise ValueError(f"episode={episode!r} is not one of {', '.join(EPISODES)}")
    if reward not in REWARDS:
        raise ValueError(f"reward={reward!r} is not one of {', '.join(REWARDS)}")
    if reward == "win" and episode == "deal":
        raise ValueError("reward='win' needs episode='game': a single deal wins nothing")
    if dealer is not None and (isinstance(dealer, bool) or dealer not in range(N_SEATS)):
        raise ValueError(f"dealer={dealer!r} is not a seat 0 to 3 or None")
    return NOBODY if dealer is None else int(dealer), score, episode == "deal", reward == "win"


@kernel
def new_games(tables: Any, dealer: Int, score_ns: Int, score_ew: Int) -> None:
    """Start a new game at each table."""
    for i in range(len(tables)):
        new_game(tables[i], dealer, score_ns, score_ew)


@kernel
def first_illegal(masks: Any, actions: Any) -> Int:
    """The first table whose action its mask forbids, or -1."""
    for i in range(len(actions)):
        if actions[i] < 0 or actions[i] >= masks.shape[1] or masks[i, actions[i]] == 0:
            return i
    return -1


@kernel
def end_of_deal(table: Any, by_deal: bool, by_win: bool) -> tuple[Int, Int]:
    """When a deal is over: whether the episode goes on, has terminated or is truncated (R19), and the
    reward of North-South (East-West's is its negative)."""
    reward = np.int64(table.points[0]) - np.int64(table.points[1])
    if by_win:
        reward = np.int64(0 if table.winner == NOBODY else 1 - 2 * table.winner)
    if by_deal or table.winner != NOBODY:
        return TERMINATED, reward
    return TRUNCATED if is_truncated(table) else GOES_ON, reward


@kernel
def finish_step(
    table: Any,
    by_deal: bool,
    by_win: bool,
    dealer: Int,
    score_ns: Int,
    score_ew: Int,
    rewards: Any,
) -> Int:
    """After the last action of a deal: add rewards (S,), then deal again or start a new episode.

    Returns whether the episode goes on.
    """
    end, reward = end_of_deal(table, by_deal, by_win)
    for seat in range(N_SEATS):
        rewards[seat] += reward if seat & 1 == 0 else -reward
    if end:
        new_game(table, dealer, score_ns, score_ew)
    else:
        next_deal(table)
    return end


@kernel
def observe_one(
    table: Any, seat: Int, canonical: bool, view: Any, observation: Any, mask: Any
) -> tuple[Int, Int]:
    """Write observation and mask of a seat; returns the legal actions as bits and the suits' order."""
    see(table, seat, view)
    order = suit_order(view) if canonical else 0
    write_observation(view, order, observation)
    return write_mask(view, order, mask), order


@kernel
def observe_all(
    tables: Any,
    seats: Any,
    canonical: bool,
    scratch: Any,
    observations: Any,
    masks: Any,
    legal: Any,
    hidden: Any,
    orders: Any,
) -> None:
    """Write observation, mask and, if `hidden` has rows, the hidden part for a seat of each table."""
    view = scratch[0]
    for i in range(len(tables)):
        legal[i], orders[i] = observe_one(
            tables[i], seats[i], canonical, view, observations[i], masks[i]
        )
        if len(hidden):
            write_hidden(tables[i], seats[i], orders[i], hidden[i])


@kernel
def step_all(
    tables: Any,
    actions: Any,
    seats: Any,
    canonical: bool,
    skip_forced: bool,
    by_deal: bool,
    by_win: bool,
    dealer: Int,
    score_ns: Int,
    score_ew: Int,
    scratch: Any,
    observations: Any,
    masks: Any,
    legal: Any,
    hidden: Any,
    orders: Any,
    rewards: Any,
    terminated: Any,
    truncated: Any,
    deal_over: Any,
    steps: Any,
) -> None:
    """One action at each table, what follows from it, and the next seat's observation and mask."""
    for i in range(len(tables)):
        table = tables[i]
        rewards[i, :] = 0
        terminated[i] = False
        truncated[i] = False
        deal_over[i] = False
        action = np.int64(UNLABEL[orders[i], actions[i]])
        n = 0
        while True:
            do(table, action)
            n += 1
            if table.phase == DEAL_OVER:
                end = finish_step(table, by_deal, by_win, dealer, score_ns, score_ew, rewards[i])
                terminated[i] |= end == TERMINATED
                truncated[i] |= end == TRUNCATED
                deal_over[i] = True
            if not skip_forced:
                break
            choices = legal_actions(table)
            if choices & (choices - 1):
                break
            action = lowest_bit(choices)
        steps[i] = n
        seats[i] = table.to_act
    observe_all(tables, seats, canonical, scratch, observations, masks, legal, hidden, orders)


@kernel
def choose_uniformly(legal: Any, states: Any, actions: Any) -> None:
    """Write a random legal action for each table; `states` (B,) uint64 are its random numbers."""
    for i in range(len(legal)):
        actions[i], states[i] = random_member(legal[i], states[i])
