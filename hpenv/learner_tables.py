"""Tables at which a learner has one or two seats and agents play the others: what the Gymnasium
environments share.

All tables are stepped together. After the learner's actions the tables play on, each agent asked once
for all tables that wait for it, until at every table the learner is to decide again or the episode is
over.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hpenv.actions import N_ACTIONS
from hpenv.agents.agent import (
    Agent,
    act_at_tables,
    as_agent,
    see_at_tables,
    streams_for,
    whole_numbers,
)
from hpenv.arguments import random_word, seat_number, whole_number
from hpenv.batch import (
    TERMINATED,
    TRUNCATED,
    RuleChoice,
    check_batch_options,
    check_episode_options,
    end_of_deal,
    observe_all,
    observe_one,
)
from hpenv.compiled import Int, kernel, lowest_bit
from hpenv.errors import illegal_action
from hpenv.observation import HIDDEN_SIZE, OBSERVATION_SIZE
from hpenv.rulebook import DEAL_OVER, do, legal_actions, new_game, next_deal, set_keys
from hpenv.rules import check_score, get_rules
from hpenv.seats import N_SEATS, SEAT_NAMES, left_of, partner_of, right_of
from hpenv.suits import UNLABEL
from hpenv.table import new_tables
from hpenv.vectors import rows_of
from hpenv.view import VIEW, public_part

Players: TypeAlias = Agent | str | Sequence[Agent | str]

LEARNER = -1  # in place of an agent's number
MOST_EPISODES_UNDECIDED = 1000  # in a row at one table


class LearnerTables:
    """B tables where the learner plays `seat`, and its partner's seat too if `partner` is None.

    Between `reset` or `step` and the next of them these arrays hold:

    - tables (B,) of TABLE; an agent's or the learner's action changes them in place
    - seats (B,) int64, the learner's seat that is to decide, or that decided last where `over`
    - rewards (B,) float64, what the learner's side got since the last step
    - terminated, truncated (B,) bool, whether the step ended the episode
    - over (B,) bool, whether the table waits to be reset; never with `restart=True`
    - observations (B, F), masks (B, A), of the learner's seat that is to decide, new arrays each time;
      where `over` the last observation of the episode, and a mask of zeros
    - last_observations (B, F): with `restart=True`, the last one of each episode that the step ended

    restart: start the next episode within the step that ends one. The other options are those of
    `hpenv.gymnasium_envs.HasenpfefferEnv`. Agents draw from random streams of their own, one for each
    seat, which begin with the seed.
    """

    def __init__(
        self,
        n: int,
        rules: RuleChoice,
        *,
        opponents: Players,
        partner: Agent | str | None,
        seat: int | str,
        episode: str,
        reward: str,
        score: tuple[int, int],
        dealer: int | str | None,
        suits: str,
        dtype: Any,
        skip_forced: bool,
        illegal_reward: float,
        restart: bool,
    ) -> None:
        self.n = n = whole_number("num_envs", n, 1)
        self.rules = get_rules(rules)
        first, _, by_deal, by_win = check_episode_options(episode, reward, score, dealer)
        check_score(score, self.rules)
        check_batch_options(suits, dtype)
        me = seat_number(seat)
        self.agents, self.agent_of_seat = _seated(me, opponents, partner)
        self.illegal_reward = float(illegal_reward)
        self.restart = bool(restart)
        self.canonical = suits == "canonical"
        self.dtype = np.dtype(dtype)
        self._game = (first, int(score[0]), int(score[1]))
        self._how = (bool(skip_forced), by_deal, by_win, self.restart, self.canonical)
        self.tables = new_tables(n, self.rules)
        self.streams = streams_for(0, n)
        self.seats: NDArray[np.int64] = np.full(n, me, np.int64)
        self.legal: NDArray[np.int64] = np.zeros(n, np.int64)
        self.rewards: NDArray[np.float64] = np.zeros(n)
        self.terminated: NDArray[np.bool_] = np.zeros(n, np.bool_)
        self.truncated: NDArray[np.bool_] = np.zeros(n, np.bool_)
        self.over: NDArray[np.bool_] = np.ones(n, np.bool_)
        self.observations: NDArray[np.int8 | np.float32] = np.zeros((n, OBSERVATION_SIZE), self.dtype)
        self.last_observations = self.observations.copy() if restart else self.observations[:0]
        self.masks: NDArray[np.int8] = np.zeros((n, N_ACTIONS), np.int8)
        self._orders: NDArray[np.int64] = np.zeros(n, np.int64)
        # Points won and not yet given as a reward, and episodes since the learner last decided.
        self._due: NDArray[np.float64] = np.zeros(n)
        self._undecided: NDArray[np.int64] = np.zeros(n, np.int64)

    # ---- playing ------------------------------------------------------------------------------

    def reset(
        self, seed: int | Sequence[int] | None = None, rows: NDArray[np.int64] | None = None
    ) -> None:
        """Start new episodes at all tables, or at some `rows` of them.

        seed: table i is dealt the cards of (seed, i), as in a `hpenv.Batch`; of a sequence with one
        seed for each table, those of (seed[i], 0). Without a seed the random numbers go on.
        """
        rows = np.arange(self.n) if rows is None else rows
        if seed is not None:
            self._set_seed(seed, rows)
        self.terminated[:], self.truncated[:], self.rewards[:] = False, False, 0
        start_at(self.tables, rows, self.over, self._due, self._undecided, *self._game)
        self._play_on(rows.copy())
        self._observe()

    def _set_seed(self, seed: int | Sequence[int], rows: NDArray[np.int64]) -> None:
        if isinstance(seed, Sequence | np.ndarray):
            if len(seed) != self.n:
                raise ValueError(f"seed: {len(seed)} given for {self.n} tables")
            for row in rows:
                set_keys(self.tables[row : row + 1], random_word("seed", seed[row]), 0)
                self.streams[row] = streams_for(int(seed[row]), 1)[0]
            return
        keyed = new_tables(self.n, self.rules, seed)
        self.streams[rows] = streams_for(seed, self.n)[rows]
        for field in ("key", "deals_dealt"):
            self.tables[field][rows] = keyed[field][rows]

    def step(self, actions: ArrayLike) -> None:
        """Do the learner's action (B,) at each table, and what the agents do after it. An illegal one
        ends the episode.

        Raises ValueError for a number that is no action, an array of another shape, or a table that
        waits to be reset, and TypeError for anything but whole numbers; the tables are then unchanged.
        """
        given = np.asarray(actions)
        if given.shape != (self.n,):
            raise ValueError(f"actions has shape {given.shape}, not ({self.n},)")
        if given.dtype.kind not in "iu":
            raise TypeError(f"actions are {given.dtype}, not whole numbers")
        if ((given < 0) | (given >= N_ACTIONS)).any():
            wrong = int(np.flatnonzero((given < 0) | (given >= N_ACTIONS))[0])
            raise ValueError(f"table {wrong}: no such action: {given[wrong]} (actions are 0 to 38)")
        if self.over.any():
            raise ValueError(f"the episode at table {int(self.over.argmax())} is over: reset it first")
        self.terminated[:], self.truncated[:], self.rewards[:] = False, False, 0
        rows = np.empty(self.n, np.int64)
        count = act_for_learner(
            self.tables,
            public_part(self.tables),
            np.ascontiguousarray(given, np.int64),
            self.legal,
            self._orders,
            self.seats,
            rows,
            self._due,
            self._undecided,
            self.over,
            self.terminated,
            self.rewards,
            rows_of(self.last_observations),
            self.illegal_reward,
            self.restart,
            self.canonical,
            *self._game,
        )
        self._play_on(rows[:count])
        give_rewards(self._due, self.terminated, self.truncated, self.rewards)
        self._observe()

    def _play_on(self, rows: NDArray[np.int64]) -> None:
        """Play at these tables until the learner is to decide or the episode is over."""
        public, last = public_part(self.tables), rows_of(self.last_observations)
        state = (self._due, self._undecided, self.over, self.terminated, self.truncated, self.rewards)
        while True:
            left = play_forced(
                self.tables,
                public,
                rows,
                self.agent_of_seat,
                self.seats,
                *state,
                last,
                *self._how,
                *self._game,
            )
            if left < 0:
                raise RuntimeError(
                    f"table {-1 - left}: the learner had nothing to decide in "
                    f"{MOST_EPISODES_UNDECIDED} episodes in a row: its partner always plays alone"
                )
            rows = rows[:left]
            if not left:
                return
            if len(self.agents) == 1:
                self._ask(0, rows)
                continue
            asked = self.agent_of_seat[self.tables["to_act"][rows]]
            for i in np.flatnonzero(np.bincount(asked)):
                self._ask(int(i), rows[asked == i])

    def _ask(self, i: int, rows: NDArray[np.int64]) -> None:
        """Do what agent i chooses at these tables."""
        agent: Any = self.agents[i]
        views = np.zeros(len(rows), VIEW)
        own_streams = np.zeros(len(rows), np.uint64)
        see_at_tables(self.tables, rows, self.streams, views, own_streams)
        if hasattr(agent, "act_oracle"):  # see agents/oracle.py
            actions = agent.act_oracle(self.tables[rows], own_streams)
        else:
            actions = whole_numbers(agent, views, own_streams)
        wrong = act_at_tables(self.tables, rows, actions, own_streams, self.streams)
        if wrong >= 0:
            error = illegal_action(self.tables[rows[wrong]], actions[wrong])
            raise type(error)(error.rule, f"agent {agent.name}: {error}")

    def _observe(self) -> None:
        """Write observations and masks, into new arrays."""
        self.observations = np.empty_like(self.observations)
        self.masks = np.empty_like(self.masks)
        observe_all(
            self.tables,
            public_part(self.tables),
            self.seats,
            self.canonical,
            rows_of(self.observations),
            rows_of(self.masks),
            self.legal,
            rows_of(np.empty((0, HIDDEN_SIZE), np.int8)),
            self._orders,
        )
        if not self.restart and self.over.any():
            self.masks[self.over] = 0


def _seated(
    me: int, opponents: Players, partner: Agent | str | None
) -> tuple[list[Agent], NDArray[np.int64]]:
    """The agents, and for each seat the number of its agent, or LEARNER."""
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        opponents = (opponents, opponents)
    if len(opponents) != 2:
        raise ValueError(
            f"opponents: {len(opponents)} given, not one for both or a left and a right one"
        )
    chosen: dict[int, Agent | str] = {left_of(me): opponents[0], right_of(me): opponents[1]}
    if partner is not None:
        chosen[partner_of(me)] = partner
    agents: list[Agent] = []
    number: dict[str | int, int] = {}  # of an agent by its name, or by the object it is
    of_seat = np.full(N_SEATS, LEARNER, np.int64)
    for seat, agent in chosen.items():
        key = agent if isinstance(agent, str) else id(agent)
        if key not in number:
            try:
                agents.append(as_agent(agent))
            except (TypeError, ValueError) as error:
                raise type(error)(f"{SEAT_NAMES[seat]}: {error}") from None
            number[key] = len(agents) - 1
        of_seat[seat] = number[key]
    return agents, of_seat


# ---- kernels ------------------------------------------------------------------------------------


@kernel
def start_at(
    tables: Any,
    rows: Any,
    over: Any,
    due: Any,
    undecided: Any,
    dealer: Int,
    score_ns: Int,
    score_ew: Int,
) -> None:
    """Start a new game at these tables."""
    for row in rows:
        new_game(tables[row], dealer, score_ns, score_ew)
        over[row] = False
        due[row] = 0
        undecided[row] = 1


@kernel
def write_last(public: Any, table: Any, seat: Int, canonical: bool, last: Any) -> None:
    """Write a seat's observation at the end of an episode."""
    mask = np.empty(N_ACTIONS, np.int8)
    observe_one(table, public, seat, canonical, last.numbers, mask)


@kernel
def act_for_learner(
    tables: Any,
    public: Any,
    actions: Any,
    legal: Any,
    orders: Any,
    seats: Any,
    rows: Any,
    due: Any,
    undecided: Any,
    over: Any,
    terminated: Any,
    rewards: Any,
    last: Any,
    illegal_reward: Any,
    restart: bool,
    canonical: bool,
    dealer: Int,
    score_ns: Int,
    score_ew: Int,
) -> Int:
    """Do the learner's action at each table and end the episode where it is illegal. Writes the tables
    that play on into `rows` and returns how many they are."""
    count = 0
    for i in range(len(tables)):
        if (legal[i] >> actions[i]) & 1:
            do(tables[i], np.int64(UNLABEL[orders[i], actions[i]]))
            undecided[i] = 0
        else:
            terminated[i] = True
            rewards[i] = due[i] + illegal_reward
            due[i] = 0
            if not restart:
                over[i] = True
                continue
            write_last(public[i], tables[i], seats[i], canonical, last[i])
            new_game(tables[i], dealer, score_ns, score_ew)
            undecided[i] = 1
        rows[count] = i
        count += 1
    return count


@kernel
def play_forced(
    tables: Any,
    public: Any,
    rows: Any,
    agent_of_seat: Any,
    seats: Any,
    due: Any,
    undecided: Any,
    over: Any,
    terminated: Any,
    truncated: Any,
    rewards: Any,
    last: Any,
    skip_forced: bool,
    by_deal: bool,
    by_win: bool,
    restart: bool,
    canonical: bool,
    dealer: Int,
    score_ns: Int,
    score_ew: Int,
) -> Int:
    """Do what needs no choice at the tables in `rows`: actions that are the only legal one, the end of
    a deal and the next one, the end of an episode and, with `restart`, the next.

    Keeps in `rows` the tables where an agent is to choose and returns how many they are; or -1 minus a
    table where episodes go by in which the learner has nothing to decide.
    """
    left = 0
    for k in range(len(rows)):
        row = rows[k]
        table = tables[row]
        while True:
            if table.phase == DEAL_OVER:
                end, reward = end_of_deal(table, by_deal, by_win)
                due[row] += reward if seats[row] & 1 == 0 else -reward
                if not end:
                    next_deal(table)
                    continue
                if undecided[row] == 0:
                    terminated[row] = end == TERMINATED
                    truncated[row] = end == TRUNCATED
                    rewards[row] = due[row]
                    due[row] = 0
                    if not restart:
                        over[row] = True
                        break
                    write_last(public[row], table, seats[row], canonical, last[row])
                due[row] = 0
                undecided[row] += 1
                if undecided[row] > MOST_EPISODES_UNDECIDED:
                    return -1 - row
                new_game(table, dealer, score_ns, score_ew)
                continue
            choices = legal_actions(table)
            forced = choices & (choices - 1) == 0
            seat = np.int64(table.to_act)
            if agent_of_seat[seat] == LEARNER:
                if not (forced and skip_forced):
                    seats[row] = seat
                    break
            elif not forced:
                rows[left] = row
                left += 1
                break
            do(table, lowest_bit(choices))
    return left


@kernel
def give_rewards(due: Any, terminated: Any, truncated: Any, rewards: Any) -> None:
    """Give what is due at the tables where the episode goes on; where it ended, that is done."""
    for i in range(len(due)):
        if not (terminated[i] or truncated[i]):
            rewards[i] = due[i]
            due[i] = 0
