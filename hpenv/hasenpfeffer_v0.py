"""# Hasenpfeffer

The environment for PettingZoo: one table of Hasenpfeffer, where agents act in turn.

| Creation           | `pettingzoo.make("aec", "{id}")` after `import {module}`, or `{name}.env()` |
|--------------------|--------------------|
| Actions            | Discrete           |
| Parallel API       | No                 |
| Manual Control     | No                 |
| Agents             | `agents={agents}`  |
| Agents             | {n_agents}         |
| Action Shape       | (1,)               |
| Action Values      | Discrete({n_actions}) |
| Observation Shape  | {observation_shape} |
| Observation Values | {observation_values} |
| State Shape        | {state_shape}      |
| State Values       | {observation_values} |

Hasenpfeffer is a trick-taking game for two partnerships: North (`player_0`) and South (`player_2`)
against East (`player_1`) and West (`player_3`). Each seat gets six of the 25 cards (9 10 J Q K A in
four suits, and a Joker); the last card is the widow. The seats bid for how many of the six tricks their
side will win. The highest bidder takes the widow, names trump, discards a card face down and may choose
to play alone. Suit must be followed. The best trump is the Joker, then the jack of trumps, then the
other jack of that colour. Makers who win as many tricks as they bid score a point for each trick, else
they lose points. The first side with ten points wins. Presets and single options change these rules.

### Arguments

``` python
{name}.env(rules="standard", episode="game", reward="points", mask_in="obs", dtype="int8",
           score=(0, 0), dealer=None, history=False, render_mode=None)
```

`rules`: a preset ({presets}), a dictionary of options, or a `hpenv.Rules`.

`episode`: `"game"`, deals up to the target, truncated after the `max_deals` of the rules; or `"deal"`.

`reward`: `"points"` or `"win"`, see Rewards.

`mask_in`: `"obs"`, where the observation is a dictionary with the mask; or `"info"`, where the
observation is an array and the mask is in the info. Never both.

`dtype`: `"int8"` or `"float32"`, of the observation and the state. The numbers are the same.

`score`: North-South's and East-West's score at the start of each episode.

`dealer`: the first dealer of each episode, 0 to 3 for North, East, South, West; `None`: a random one.

`history`: whether the observation also holds the actions of the deal as tokens.

`render_mode`: `"rgb_array"`, where `render()` gives a picture of the table as an array of
{frame_shape} of type uint8; `"ansi"`, where it gives a text; or `"human"`, which prints the text after
every step, in colour on a terminal. All of them show the four hands and the discard: they are for the
spectator, not for the agents.

`reset(seed)` deals as `hpenv.Batch(1, seed=seed)` does. Without a seed the random numbers go on; they
begin at random if no seed was ever given. Every argument above outlasts a reset.

### Observation Space

With `mask_in="obs"` the observation is a dictionary of `observation`, described here, and
`action_mask`, described below. Everything is relative to the observing seat: first itself, then its
left opponent, its partner and its right opponent; its own side, then the other.

{observation_table}

With `history=True` the dictionary also has `history`, {history_size} numbers of type uint8: for each
action of the deal in order 1 + {n_agents} * action + seat, where the seat is relative to the observer;
0 fills up the end. A discard is the action {face_down} to all but its maker.

`state()` is North's observation followed by what North may not see, for critics only:

{hidden_table}

#### Legal Actions Mask

The mask holds {n_actions} numbers of type int8, 1 for each legal action. It is all zero for every agent
but the one to act, and for all once the episode is over. An illegal action in `env()` ends the game:
the agent gets a reward of -1 and the others 0, and PettingZoo marks all four as both terminated and
truncated, which nothing else does. In `raw_env()` it raises `IllegalAction` with a sentence that says
which rule forbids it, and the game goes on as if nothing had happened.

### Action Space

{action_table}

### Rewards

| `reward` | when | what each agent gets |
|---|---|---|
| `"points"` | at the end of each deal | the deal's points of its side minus the other side's |
| `"win"` | at the end of the game | +1 to both winners, -1 to both losers; 0 if truncated |

All four agents are rewarded at once, so a seat that sits out a deal gets its reward at its next turn.

### End of an episode

When the episode is over every agent's termination or truncation is true. As everywhere in PettingZoo,
each of them then gets `step(None)` once and leaves `agents`; `agent_iter()` ends when that list is
empty. `last()` then raises `gymnasium.error.ResetNeeded`, and so does `step()` of `raw_env()`; `step()`
of `env()` is PettingZoo's warning.

### Copies of a game

`get_state()`, `set_state(state)` and `clone()` save, restore and copy the game between any two steps,
its future deals included, and so do `pickle` and `copy.deepcopy`. `clone()` of a wrapped environment is
a `raw_env`, the form to search with; `copy.deepcopy` keeps the wrappers, and PettingZoo's wrappers have
a memory of their own: after `set_state` call `last()` before `step()`, and in a copy made within an
`agent_iter()` loop call `step()` before iterating.

### Version History

* v0: first version ({version})

"""

import os
from copy import copy
from functools import cached_property
from operator import index
from typing import Any, ClassVar, TypeAlias

import gymnasium
import numpy as np
import pettingzoo
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import EzPickle
from numpy.typing import NDArray
from pettingzoo.utils import wrappers

from hpenv import __version__
from hpenv.actions import FACE_DOWN, N_ACTIONS
from hpenv.arguments import random_word
from hpenv.batch import TERMINATED, TRUNCATED, RuleChoice, check_episode_options
from hpenv.drawing.modes import RENDER_MODES, rendered
from hpenv.drawing.raster import FRAME
from hpenv.episode import ILLEGAL, act, look, look_at_all, start
from hpenv.errors import IllegalAction, illegal_action
from hpenv.observation import (
    HIDDEN_SIZE,
    N_TOKENS,
    OBSERVATION_SIZE,
    STATE_SIZE,
    observation_bounds,
)
from hpenv.rulebook import set_keys
from hpenv.rules import PRESETS, check_score, get_rules
from hpenv.seats import N_SEATS
from hpenv.spec import actions_table, hidden_table, observation_table
from hpenv.table import HISTORY, TABLE, Table, new_tables
from hpenv.view import VIEW

__all__ = ["IllegalAction", "env", "raw_env"]

# An array, or a dictionary of arrays with the mask: see `mask_in`.
Observation: TypeAlias = NDArray[Any] | dict[str, NDArray[Any]]

ID = "hpenv/hasenpfeffer_v0"
AGENTS = [f"player_{seat}" for seat in range(N_SEATS)]
MASK_PLACES = ("obs", "info")
DTYPES = ("int8", "float32")
EPISODE = (  # what PettingZoo keeps of an episode beside the table
    "agents",
    "agent_selection",
    "rewards",
    "_cumulative_rewards",
    "terminations",
    "truncations",
    "_skip_agent_selection",
)


def env(**options: Any) -> Any:
    """The environment in PettingZoo's usual wrappers; the options are those of `raw_env`."""
    wrapped: Any = raw_env(**options)
    wrapped = wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=-1)
    return _Ordered(wrappers.AssertOutOfBoundsWrapper(wrapped))


def _check_agents(game: Any) -> None:
    """Raise ResetNeeded if there is no agent: before the first episode, or after the last one."""
    if not game.agents:
        raise ResetNeeded("no agent is left: the episode is over, call reset() to begin another")


class _Ordered(wrappers.OrderEnforcingWrapper):  # type: ignore[misc]
    """PettingZoo's check of the order of calls, and one for `last` after the end of an episode."""

    def last(self, observe: bool = True) -> Any:
        try:
            return super().last(observe)
        except (KeyError, AttributeError):
            _check_agents(self)
            raise

    def __str__(self) -> str:
        return str(self.env)


class raw_env(pettingzoo.AECEnv[str, Any, Any], EzPickle):  # type: ignore[misc]
    """The environment without wrappers; see the module's page for its options and spaces."""

    metadata: ClassVar[dict[str, Any]] = {
        "name": "hasenpfeffer_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        rules: RuleChoice = "standard",
        *,
        episode: str = "game",
        reward: str = "points",
        mask_in: str = "obs",
        dtype: str = "int8",
        score: tuple[int, int] = (0, 0),
        dealer: int | str | None = None,
        history: bool = False,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.rules = get_rules(rules)
        self._dealer, _, by_deal, by_win = check_episode_options(episode, reward, score, dealer)
        self._ends = by_deal, by_win
        check_score(score, self.rules)
        self._score = (score[0], score[1])
        for name, value, allowed in (
            ("mask_in", mask_in, MASK_PLACES),
            ("dtype", dtype, DTYPES),
            ("history", history, (False, True)),
            ("render_mode", render_mode, (None, *self.metadata["render_modes"])),
        ):
            if value not in allowed:
                raise ValueError(f"{name}={value!r} is not one of {', '.join(map(str, allowed))}")
        if history and mask_in == "info":
            raise ValueError(
                "history=True makes the observation a dictionary, where PettingZoo looks for the mask: "
                "it needs mask_in='obs'"
            )
        EzPickle.__init__(
            self,
            self.rules,
            episode=episode,
            reward=reward,
            mask_in=mask_in,
            dtype=dtype,
            score=self._score,
            dealer=dealer,
            history=history,
            render_mode=render_mode,
        )
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(AGENTS)}
        self._mask_in_obs = mask_in == "obs"
        self._dtype = np.dtype(dtype)
        self._history_size = HISTORY if history else 0
        self._tables = new_tables(1, self.rules)
        self._views = np.zeros(1, VIEW)
        self._is_seeded = False

    # ---- spaces -------------------------------------------------------------------------------

    @cached_property
    def observation_spaces(self) -> dict[str, spaces.Space[Any]]:
        """What each agent observes."""
        return {agent: self._new_observation_space() for agent in AGENTS}

    @cached_property
    def action_spaces(self) -> dict[str, spaces.Space[Any]]:
        """What each agent can do: see the table of actions on the module's page."""
        return {agent: spaces.Discrete(N_ACTIONS) for agent in AGENTS}

    @cached_property
    def state_space(self) -> spaces.Box:
        """The bounds of `state()`: North's observation, then zeros and ones."""
        low, high = observation_bounds()
        low, high = np.append(low, np.zeros(HIDDEN_SIZE)), np.append(high, np.ones(HIDDEN_SIZE))
        return self._box(low, high)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The agent's observation space, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The agent's action space, always the same object."""
        return self.action_spaces[agent]

    def _box(self, low: Any, high: Any) -> spaces.Box:
        return spaces.Box(low.astype(self._dtype), high.astype(self._dtype), dtype=self._dtype.type)

    def _new_observation_space(self) -> spaces.Space[Any]:
        observation = self._box(*observation_bounds())
        if not self._mask_in_obs:
            return observation
        parts: dict[str, spaces.Space[Any]] = {
            "observation": observation,
            "action_mask": spaces.Box(0, 1, (N_ACTIONS,), np.int8),
        }
        if self._history_size:
            parts["history"] = spaces.Box(0, N_TOKENS - 1, (HISTORY,), np.uint8)
        return spaces.Dict(parts)

    # ---- playing ------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new episode. With a seed the random numbers start anew, without one they go on. There
        are no `options`; any are ignored. Raises TypeError for a seed that is no whole number."""
        if seed is None and not self._is_seeded:
            seed = int.from_bytes(os.urandom(8), "little")
        if seed is not None:
            set_keys(self._tables, random_word("seed", seed), 0)
            self._is_seeded = True
        seat = start(self._tables, self._dealer, *self._score)
        self.agents = list(AGENTS)
        self.agent_selection = AGENTS[seat]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._skip_agent_selection = None
        self.infos = {agent: self._info(agent) for agent in AGENTS}
        if self.render_mode == "human":
            self.render()

    def last(
        self, observe: bool = True
    ) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """The selected agent's observation, reward since it last acted, termination, truncation and
        info. Raises ResetNeeded if no agent is left."""
        try:
            agent = self.agent_selection
            reward, info = self._cumulative_rewards[agent], self.infos[agent]
            over = self.terminations[agent], self.truncations[agent]
        except (KeyError, AttributeError):
            _check_agents(self)
            raise
        return self.observe(agent) if observe else None, reward, *over, info

    def step(self, action: Any) -> None:
        """Do the selected agent's action; None for an agent whose episode is over.

        Raises IllegalAction with a sentence, the game unchanged, if the rules forbid it; ResetNeeded if
        no agent is left.
        """
        try:
            agent = self.agent_selection
            over = self.terminations[agent] or self.truncations[agent]
        except (KeyError, AttributeError):
            _check_agents(self)
            raise
        if over:
            self._was_dead_step(action)
            return
        try:
            number = index(action)
        except TypeError:
            raise illegal_action(self.table, action) from None
        if not 0 <= number < N_ACTIONS:
            raise illegal_action(self.table, number)
        seat, end, reward = act(self._tables, number, *self._ends)
        if seat == ILLEGAL:
            raise illegal_action(self.table, number)
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        if reward:
            for i, each in enumerate(AGENTS):
                self.rewards[each] = float(-reward if i & 1 else reward)
            self._accumulate_rewards()
        if end:
            self.terminations = dict.fromkeys(AGENTS, end == TERMINATED)
            self.truncations = dict.fromkeys(AGENTS, end == TRUNCATED)
        self.agent_selection = AGENTS[0 if end else seat]
        if not self._mask_in_obs:
            self.infos[agent] = self._info(agent)
            self.infos[self.agent_selection] = self._info(self.agent_selection)
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """What the agent knows now, in new arrays: see the module's page."""
        observation, mask, history = self._look(agent)
        if not self._mask_in_obs:
            return observation
        if self._history_size:
            return {"observation": observation, "action_mask": mask, "history": history}
        return {"observation": observation, "action_mask": mask}

    def _look(self, agent: str) -> tuple[NDArray[Any], NDArray[np.int8], NDArray[np.uint8]]:
        observation = np.empty(OBSERVATION_SIZE, self._dtype)
        mask = np.empty(N_ACTIONS, np.int8)
        history = np.empty(self._history_size, np.uint8)
        look(self._tables, self._seats[agent], self._views, observation, mask, history)
        if self.terminations.get(agent, True):  # also where a wrapper ended the game (illegal action)
            mask[:] = 0
        return observation, mask, history

    def _info(self, agent: str) -> dict[str, Any]:
        return {} if self._mask_in_obs else {"action_mask": self._look(agent)[1]}

    def _deads_step_first(self) -> str:
        # TerminateIllegalWrapper calls this when it has ended the game: nobody has legal actions now.
        self.infos = {agent: self._info(agent) for agent in self.agents}
        return str(super()._deads_step_first())

    def state(self) -> NDArray[Any]:
        """The full information: North's observation and what North may not see, for critics."""
        out = np.empty(STATE_SIZE, self._dtype)
        look_at_all(self._tables, self._views, out[:OBSERVATION_SIZE], out[OBSERVATION_SIZE:])
        return out

    def render(self) -> NDArray[np.uint8] | str | None:
        """The table as the mode has it, all four hands included: for the spectator, not for agents."""
        if self.render_mode is None:
            gymnasium.logger.warn("You are calling render method without specifying any render mode.")
            return None
        return rendered(self.table, self.render_mode)

    @property
    def table(self) -> Table:
        """The record of the table itself, hidden cards included."""
        return self._tables[0]  # type: ignore[no-any-return]

    # ---- copies -------------------------------------------------------------------------------

    def get_state(self) -> dict[str, Any]:
        """The game between two steps, its future deals included; the environment can go on."""
        return {
            "rules": self.rules,
            "table": self._tables.tobytes(),
            **{name.strip("_"): copy(getattr(self, name)) for name in EPISODE},
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a game saved by `get_state`, here or in another environment of the same rules."""
        if state["rules"] != self.rules:
            raise ValueError(f"a game under {state['rules']} cannot go on under {self.rules}")
        self._tables[:] = np.frombuffer(state["table"], TABLE)
        self._is_seeded = True
        for name in EPISODE:
            setattr(self, name, copy(state[name.strip("_")]))
        self.infos = {agent: self._info(agent) for agent in self.agents}

    def clone(self) -> "raw_env":
        """A second environment with the same options in the same game."""
        twin = type(self)(*self._ezpickle_args, **self._ezpickle_kwargs)  # type: ignore[arg-type]
        twin.set_state(self.get_state())
        return twin

    def __getstate__(self) -> dict[str, Any]:
        # EzPickle alone would keep the options and silently lose the game.
        made = ("observation_spaces", "action_spaces", "state_space")
        game = self.get_state() if hasattr(self, "agent_selection") else None
        own = {name: vars(self)[name] for name in made if name in vars(self)}
        return EzPickle.__getstate__(self) | {"game": game, "spaces": own}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        EzPickle.__setstate__(self, saved)
        self.__dict__.update(saved["spaces"])  # their random numbers go on too
        if saved["game"] is not None:
            self.set_state(saved["game"])


# ---- the page -----------------------------------------------------------------------------------


def _filled(page: str) -> str:
    """The page with every number taken from the code."""
    low, high = observation_bounds()
    return page.format(
        id=ID,
        module=__name__,
        name=raw_env.metadata["name"],
        agents=AGENTS,
        n_agents=N_SEATS,
        n_actions=N_ACTIONS,
        observation_shape=(OBSERVATION_SIZE,),
        observation_values=f"[{low.min():.0f}, {high.max():.0f}]",
        state_shape=(STATE_SIZE,),
        frame_shape=FRAME,
        presets=", ".join(f'`"{name}"`' for name in PRESETS),
        observation_table=observation_table(),
        history_size=HISTORY,
        face_down=FACE_DOWN,
        hidden_table=hidden_table(),
        action_table=actions_table(),
        version=__version__,
    )


__doc__ = _filled(__doc__ or "")

if hasattr(pettingzoo, "register") and "hpenv/hasenpfeffer-v0" not in pettingzoo.aec_registry:
    pettingzoo.register("aec", ID, "hpenv.hasenpfeffer_v0:env")
