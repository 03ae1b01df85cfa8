"""Many tables stepped together, written straight into arrays that torch can wrap without copying.

A batch plays the very same game as single tables: it calls the same kernels, and table i of a batch
with a seed is dealt the same cards whatever the batch's size or number of threads.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from itertools import pairwise
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from hpenv.actions import N_ACTIONS
from hpenv.arguments import seat_number, whole_number
from hpenv.compiled import Int, inlined, kernel, lowest_bit
from hpenv.errors import illegal_action
from hpenv.observation import HIDDEN_SIZE, OBSERVATION_SIZE, write_hidden, write_known, write_mask
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
from hpenv.suits import UNLABEL, order_known
from hpenv.table import new_tables
from hpenv.vectors import rows_of
from hpenv.view import VIEW, own_of, public_part, see_each

Number = TypeVar("Number", bound=np.generic)
OnePerTable = np.ndarray[tuple[int], np.dtype[Number]]  # (B,)
RowPerTable = np.ndarray[tuple[int, int], np.dtype[Number]]  # (B, N)

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

    Legality is decided by the tables: what a caller writes into these arrays changes nothing.

    rules: a Rules, preset or options for all tables, or a list with one for each. seed, first_index:
    table i is dealt the cards of (seed, first_index + i). episode: "game" or
    "deal". reward: "points", at the end of each deal the side's points minus the other's; or "win", +1
    or -1 at the end of the game. score, dealer: of the first deal of each episode, as for `deal`; a
    dealer of None is random (R3). suits: "as_dealt", or "canonical" so that trumps are suit 0: then
    observations, masks, hidden and the actions given to `step` are all canonical, afresh at each
    decision.
    skip_forced: do actions by itself where only one is legal. threads: slices stepped at once.

    Raises TypeError for an option of the wrong type and ValueError for a value there is none of.

    A copy (`copy`, `deepcopy`, `pickle`) has arrays of its own and plays on exactly as the original.
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
        dealer: int | str | None = None,
        suits: str = "as_dealt",
        skip_forced: bool = False,
        with_hidden: bool = False,
        dtype: Any = np.int8,
        threads: int = 1,
    ) -> None:
        options = check_episode_options(episode, reward, score, dealer)
        check_batch_options(suits, dtype)
        n, threads = whole_number("n", n, 1), whole_number("threads", threads, 1)
        each: list[Any] = list(rules) if isinstance(rules, list | tuple) else [rules] * n
        if len(each) != n:
            raise ValueError(f"rules: {len(each)} given for {n} tables")
        self.rules = [get_rules(choice) for choice in each]
        for chosen in set(self.rules):
            check_score(score, chosen)
        self.options = (options[0], (int(score[0]), int(score[1])), *options[2:])
        self.n = n
        self.threads = min(threads, n)
        self.canonical = suits == "canonical"
        self.skip_forced = skip_forced
        self.tables = new_tables(n, self.rules, seed, first_index)
        self.observations: RowPerTable[np.int8 | np.float32] = np.zeros((n, OBSERVATION_SIZE), dtype)
        self.masks: RowPerTable[np.int8] = np.zeros((n, N_ACTIONS), np.int8)
        self.legal: OnePerTable[np.int64] = np.zeros(n, np.int64)
        self.hidden: RowPerTable[np.int8] = np.zeros((n if with_hidden else 0, HIDDEN_SIZE), np.int8)
        self.seats: OnePerTable[np.int64] = np.zeros(n, np.int64)
        # How each table's suits are relabelled just now.
        self.orders: OnePerTable[np.int64] = np.zeros(n, np.int64)
        self.rewards: RowPerTable[np.float32] = np.zeros((n, N_SEATS), np.float32)
        self.terminated: OnePerTable[np.bool_] = np.zeros(n, np.bool_)
        self.truncated: OnePerTable[np.bool_] = np.zeros(n, np.bool_)
        self.deal_over: OnePerTable[np.bool_] = np.zeros(n, np.bool_)
        self.steps: OnePerTable[np.int64] = np.zeros(n, np.int64)
        # What decides on actions: `legal` and `orders` are copies of these, for the caller.
        self._legal, self._orders = np.zeros_like(self.legal), np.zeros_like(self.orders)
        self._share_out()
        self.reset()

    def _share_out(self) -> None:
        """Divide the tables among the threads."""
        bounds = np.linspace(0, self.n, self.threads + 1).astype(int)
        self._parts = [self._part(a, b) for a, b in pairwise(bounds)]
        self._pool = ThreadPoolExecutor(len(self._parts)) if len(self._parts) > 1 else None

    def _part(self, a: int, b: int) -> "_Part":
        """Tables a..b-1."""
        part = slice(a, b)
        hidden = self.hidden[part] if len(self.hidden) else self.hidden
        return _Part(
            part,
            self.tables[part],
            public_part(self.tables)[part],
            self.seats[part],
            (
                rows_of(self.observations[part]),
                rows_of(self.masks[part]),
                self._legal[part],
                rows_of(hidden),
                self._orders[part],
            ),
            (
                rows_of(self.rewards[part]),
                self.terminated[part],
                self.truncated[part],
                self.deal_over[part],
                self.steps[part],
            ),
        )

    def __getstate__(self) -> dict[str, Any]:
        """All but what lies in the memory of this very object, and its threads."""
        return {name: kept for name, kept in vars(self).items() if name not in ("_parts", "_pool")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._share_out()

    def __copy__(self) -> Self:
        return deepcopy(self)

    def reset(self) -> None:
        """Start a new episode at every table; the random numbers go on."""
        for result in (self.rewards, self.terminated, self.truncated, self.deal_over, self.steps):
            result[:] = 0
        dealer, score, _, _ = self.options

        def reset_part(part: _Part) -> None:
            new_games(part.tables, dealer, score[0], score[1])
            part.seats[:] = part.tables["to_act"]
            observe_all(part.tables, part.public, part.seats, self.canonical, *part.seen)

        self._each_part(reset_part)

    def step(self, actions: ArrayLike) -> None:
        """Do one action (B,) at each table. Raises IllegalAction if one is not legal, ValueError for a
        number that is no action or an array of another shape, and TypeError for anything but whole
        numbers; the tables are then unchanged."""
        numbers = self._one_each("actions", actions)
        wrong = first_illegal(self._legal, numbers)
        if wrong >= 0:
            raise self._why_illegal(wrong, int(numbers[wrong]))
        dealer, score, by_deal, by_win = self.options
        how = (self.canonical, self.skip_forced, by_deal, by_win, dealer, score[0], score[1])

        def step_part(part: _Part) -> None:
            chosen = numbers[part.places]
            step_all(part.tables, part.public, chosen, part.seats, *how, *part.seen, *part.results)

        self._each_part(step_part)

    def refresh(self) -> None:
        """Write observations anew after `tables` was changed by hand, as when a game is restored."""

        def refresh_part(part: _Part) -> None:
            part.seats[:] = part.tables["to_act"]
            observe_all(part.tables, part.public, part.seats, self.canonical, *part.seen)

        self._each_part(refresh_part)

    def views(self) -> Any:
        """The views of the seats to act: shape (B,) of VIEW, suits as dealt."""
        views = np.zeros(self.n, VIEW)
        see_each(self.tables, self.tables["to_act"].astype(np.int64), views)
        return views

    def observe_seats(
        self, seats: ArrayLike
    ) -> tuple[RowPerTable[np.int8 | np.float32], RowPerTable[np.int8]]:
        """Observations (B, F) and hidden parts (B, H) of any seats (B,), to act or not: for critics.

        Without `with_hidden` the hidden parts have no rows. Raises ValueError for what is no seat,
        and TypeError for anything but whole numbers.
        """
        numbers = self._one_each("seats", seats)
        if np.any((numbers < 0) | (numbers >= N_SEATS)):
            raise ValueError(f"seats={numbers.tolist()} are not all seats 0 to 3")
        observations, hidden = np.zeros_like(self.observations), np.zeros_like(self.hidden)
        masks, legal, orders = (np.zeros_like(each) for each in (self.masks, self._legal, self._orders))
        seen = rows_of(observations), rows_of(masks), legal, rows_of(hidden), orders
        observe_all(self.tables, public_part(self.tables), numbers, self.canonical, *seen)
        return observations, hidden

    def _one_each(self, name: str, numbers: ArrayLike) -> OnePerTable[np.int64]:
        """One whole number for each table, int64 (B,). Raises ValueError for another shape, and
        TypeError for another kind of numbers."""
        given = np.asarray(numbers)
        if given.shape != (self.n,):
            raise ValueError(f"{name} has shape {given.shape}, not ({self.n},)")
        if given.dtype.kind not in "iu":
            raise TypeError(f"{name} are {given.dtype}, not whole numbers")
        return np.ascontiguousarray(given, np.int64)

    def _each_part(self, work: Callable[["_Part"], None]) -> None:
        if self._pool is None:
            work(self._parts[0])
        else:
            list(self._pool.map(work, self._parts))
        self.legal[:] = self._legal
        self.orders[:] = self._orders

    def _why_illegal(self, i: int, action: int) -> ValueError:
        """The error that says why an action is not legal at table i."""
        if not 0 <= action < N_ACTIONS:
            return ValueError(f"table {i}: no such action: {action} (actions are 0 to 38)")
        as_dealt = int(UNLABEL[self._orders[i], action])
        table = self.tables[i]
        if int(legal_actions(table)) >> as_dealt & 1:
            return ValueError(f"table {i} was changed after it was observed: call refresh() first")
        error = illegal_action(table, as_dealt)
        return type(error)(*_with_prefix(f"table {i}: ", error))


class _Part(NamedTuple):
    """The tables of one thread, as kernels take them."""

    places: slice
    tables: Any
    public: Any
    seats: Any
    seen: tuple[Any, ...]  # what `observe_all` writes
    results: tuple[Any, ...]  # what a step brings


def _with_prefix(prefix: str, error: ValueError) -> tuple[str, ...]:
    rule = getattr(error, "rule", None)
    return (rule, prefix + str(error)) if rule else (prefix + str(error),)


def check_batch_options(suits: str, dtype: Any) -> None:
    """Raise ValueError for a naming of suits or a dtype that a batch cannot have."""
    if suits not in SUIT_NAMINGS:
        raise ValueError(f"suits={suits!r} is not one of {', '.join(SUIT_NAMINGS)}")
    if dtype not in (np.int8, np.float32, "int8", "float32"):
        raise ValueError(f"dtype={dtype!r} is not one of int8, float32")


def check_episode_options(
    episode: str, reward: str, score: tuple[int, int], dealer: int | str | None
) -> tuple[int, tuple[int, int], bool, bool]:
    """The options every environment shares, checked: (dealer or NOBODY, score, by deal?, by win?)."""
    if episode not in EPISODES:
        raise ValueError(f"episode={episode!r} is not one of {', '.join(EPISODES)}")
    if reward not in REWARDS:
        raise ValueError(f"reward={reward!r} is not one of {', '.join(REWARDS)}")
    if reward == "win" and episode == "deal":
        raise ValueError("reward='win' needs episode='game': a single deal wins nothing")
    first = NOBODY if dealer is None else seat_number(dealer, "dealer")
    return first, score, episode == "deal", reward == "win"


@kernel
def new_games(tables: Any, dealer: Int, score_ns: Int, score_ew: Int) -> None:
    """Start a new game at each table."""
    for i in range(len(tables)):
        new_game(tables[i], dealer, score_ns, score_ew)


@kernel
def first_illegal(legal: Any, actions: Any) -> Int:
    """The first table whose action is not in its set of legal ones, or -1."""
    for i in range(len(actions)):
        if actions[i] < 0 or actions[i] >= N_ACTIONS or not (legal[i] >> actions[i]) & 1:
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


@inlined
def observe_one(
    table: Any, public: Any, seat: Int, canonical: bool, observation: Any, mask: Any
) -> tuple[Int, Int]:
    """Write observation and mask of a seat; returns the legal actions as bits and the suits' order."""
    own = own_of(table, seat)
    order = order_known(public, own) if canonical else 0
    write_known(public, own, order, observation)
    return write_mask(own, order, mask), order


@kernel
def observe_all(
    tables: Any,
    public: Any,
    seats: Any,
    canonical: bool,
    observations: Any,
    masks: Any,
    legal: Any,
    hidden: Any,
    orders: Any,
) -> None:
    """Write observation, mask and, if `hidden` has rows, the hidden part for a seat of each table."""
    for i in range(len(tables)):
        legal[i], orders[i] = observe_one(
            tables[i], public[i], seats[i], canonical, observations[i].numbers, masks[i].numbers
        )
        if len(hidden):
            write_hidden(tables[i], seats[i], orders[i], hidden[i].numbers)


@kernel
def step_all(
    tables: Any,
    public: Any,
    actions: Any,
    seats: Any,
    canonical: bool,
    skip_forced: bool,
    by_deal: bool,
    by_win: bool,
    dealer: Int,
    score_ns: Int,
    score_ew: Int,
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
        for seat in range(N_SEATS):
            rewards[i].numbers[seat] = 0
        terminated[i] = False
        truncated[i] = False
        deal_over[i] = False
        action = np.int64(UNLABEL[orders[i], actions[i]])
        n = 0
        while True:
            do(table, action)
            n += 1
            if table.phase == DEAL_OVER:
                end = finish_step(
                    table, by_deal, by_win, dealer, score_ns, score_ew, rewards[i].numbers
                )
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
        legal[i], orders[i] = observe_one(
            table, public[i], seats[i], canonical, observations[i].numbers, masks[i].numbers
        )
        if len(hidden):
            write_hidden(table, seats[i], orders[i], hidden[i].numbers)


@kernel
def choose_uniformly(legal: Any, states: Any, actions: Any) -> None:
    """Write a random legal action for each table; `states` (B,) uint64 are its random numbers."""
    for i in range(len(legal)):
        actions[i], states[i] = random_member(legal[i], states[i])
