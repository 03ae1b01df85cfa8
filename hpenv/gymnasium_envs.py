"""# Hasenpfeffer for Gymnasium

A learner at a table of Hasenpfeffer, where agents have the other seats:

``` python
import gymnasium

env = gymnasium.make("hpenv:Hasenpfeffer-v0", opponents="rule_based", partner="rule_based")
envs = gymnasium.make_vec("hpenv:Hasenpfeffer-v0", num_envs=1024, opponents="rule_based")
```

`make` gives one table; `make_vec` gives many that are stepped together, each agent asked once for all
that wait for it. Table i of `make_vec` is dealt the same cards as table i of a `hpenv.Batch` of that
seed, and table 0 those of `make`.

### Arguments

``` python
gymnasium.make("hpenv:Hasenpfeffer-v0", rules="standard", opponents="rule_based", partner=None,
               seat="North", episode="game", reward="points", mask_in="info", dtype="int8",
               score=(0, 0), dealer=None, suits="as_dealt", skip_forced=False,
               illegal_reward=-24, render_mode=None)
gymnasium.make_vec("hpenv:Hasenpfeffer-v0", num_envs=1024, autoreset_mode="same_step", ...)
```

`rules`: a preset ({presets}), a dictionary of options, or a `hpenv.Rules`.

`opponents`: an agent for both, or a pair for the learner's left and right opponent. An agent is a name
with options, as in `"pimc:worlds=20"` (see `hpenv.agents.make_agent`), or any object with a name and
a method `act(views, streams)`.

`partner`: an agent for the learner's partner. With `None` the learner plays both seats of its side,
each from what that seat may know.

`seat`: the learner's seat, 0 to 3 or its name. The game looks the same from all of them.

`episode`: `"game"`, deals up to the target, truncated after the `max_deals` of the rules; or `"deal"`.

`reward`: `"points"`, at the end of each deal the learner's side's points minus the other side's; or
`"win"`, at the end of the game +1 or -1, and 0 where it is truncated. What comes while other seats play
is part of the reward of the learner's action before.

`mask_in`: `"info"`, where the observation is an array of {observation_shape}; or `"obs"`, where it is a
dictionary of `observation` and `action_mask`. The info has the `action_mask` in either case, and
`action_masks()` returns it, as sb3-contrib wants it.

`dtype`: `"int8"` or `"float32"`, of the observation. The numbers are the same.

`score`, `dealer`: of the first deal of each episode; a dealer of `None` is random.

`suits`: `"as_dealt"`, or `"canonical"`, where at each decision the suits are renamed so that trumps are
suit 0: observation, mask and action then speak of suits by these names.

`skip_forced`: whether an action is done by itself where it is the only legal one.

`illegal_reward`: an illegal action ends the episode with this reward.

`render_mode`: of `make` only: `"rgb_array"`, `"ansi"` or `"human"`, as in `hpenv.hasenpfeffer_v0`. All
four hands are shown.

`autoreset_mode`: of `make_vec` only: `"same_step"` or `"disabled"`, or Gymnasium's `AutoresetMode` of
that name. In `same_step` the last observation of an episode is in `infos["final_obs"]` and its info in
`infos["final_info"]`. In `disabled` the caller starts the next episodes by
`reset(options={{"reset_mask": terminated | truncated}})`.

### Spaces

The observation is that of `hpenv.hasenpfeffer_v0`, relative to the seat that is to decide, and so are
the {n_actions} actions. The mask is all zero once the episode is over.

An episode in which the learner has nothing to decide (its partner plays alone before its turn) is not
shown: the next one is dealt.
"""

import os
from collections.abc import Sequence
from operator import index
from typing import Any, ClassVar, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from hpenv import registration
from hpenv.actions import N_ACTIONS
from hpenv.agents.agent import Agent
from hpenv.batch import RuleChoice
from hpenv.drawing.modes import RENDER_MODES, rendered
from hpenv.learner_tables import LearnerTables, Players
from hpenv.observation import OBSERVATION_SIZE, observation_bounds
from hpenv.rules import PRESETS
from hpenv.table import Table, Tables

# An array, or a dictionary of arrays with the mask: see `mask_in`. Of a vector env with tables (B,) in
# front.
Observation: TypeAlias = NDArray[Any] | dict[str, NDArray[Any]]
Info: TypeAlias = dict[str, Any]

MASK_PLACES = ("info", "obs")
ILLEGAL_REWARD = -24.0  # a lone big pepper that fails, both doubled (R16): no deal costs more
AUTORESET_MODES = {"same_step": AutoresetMode.SAME_STEP, "disabled": AutoresetMode.DISABLED}


class HasenpfefferEnv(gymnasium.Env[Observation, np.int64]):
    """One table; the module's page has the options and the spaces."""

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
    }

    def __init__(
        self,
        rules: RuleChoice = "standard",
        *,
        opponents: Players = "rule_based",
        partner: Agent | str | None = None,
        seat: int | str = "North",
        episode: str = "game",
        reward: str = "points",
        mask_in: str = "info",
        dtype: str = "int8",
        score: tuple[int, int] = (0, 0),
        dealer: int | str | None = None,
        suits: str = "as_dealt",
        skip_forced: bool = False,
        illegal_reward: float = ILLEGAL_REWARD,
        render_mode: str | None = None,
    ) -> None:
        _check_choice("mask_in", mask_in, MASK_PLACES)
        _check_choice("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        self._learner = LearnerTables(
            1,
            rules,
            opponents=opponents,
            partner=partner,
            seat=seat,
            episode=episode,
            reward=reward,
            score=score,
            dealer=dealer,
            suits=suits,
            dtype=dtype,
            skip_forced=skip_forced,
            illegal_reward=illegal_reward,
            restart=False,
        )
        self.rules = self._learner.rules
        self.render_mode = render_mode
        self._mask_in_obs = mask_in == "obs"
        self.observation_space = observation_space(dtype, self._mask_in_obs)
        self.action_space = spaces.Discrete(N_ACTIONS)
        self._was_reset = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Start an episode. With a seed the random numbers start anew, without one they go on, from a
        random beginning. There are no `options`; any are ignored."""
        super().reset(seed=seed)
        if seed is None and not self._was_reset:
            seed = _random_seed()
        self._learner.reset(seed)
        self._was_reset = True
        if self.render_mode == "human":
            self.render()
        return self._seen(), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, Info]:
        """Do the learner's action and what the agents do after it.

        Raises ResetNeeded once the episode is over, ValueError for a number that is no action, and
        TypeError for anything but a whole number.
        """
        if self._learner.over[0]:
            raise ResetNeeded("the episode is over: call reset() to begin another")
        try:
            number = index(action)
        except TypeError:
            raise TypeError(f"action={action!r} is not a whole number") from None
        self._learner.step([number])
        if self.render_mode == "human":
            self.render()
        learner = self._learner
        return (
            self._seen(),
            float(learner.rewards[0]),
            bool(learner.terminated[0]),
            bool(learner.truncated[0]),
            self._info(),
        )

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now: shape (A,) of bool, for sb3-contrib."""
        mask: NDArray[np.bool_] = self._learner.masks[0].astype(np.bool_)
        return mask

    def _seen(self) -> Observation:
        observation, mask = self._learner.observations[0], self._learner.masks[0]
        return {"observation": observation, "action_mask": mask} if self._mask_in_obs else observation

    def _info(self) -> Info:
        return {"action_mask": self._learner.masks[0].copy()}

    @property
    def table(self) -> Table:
        """The record of the table itself, hidden cards included."""
        table: Table = self._learner.tables[0]
        return table

    def render(self) -> Any:
        """The table as the mode has it, all four hands included: for the spectator, not for agents."""
        if self.render_mode is None:
            gymnasium.logger.warn("You are calling render method without specifying any render mode.")
            return None
        return rendered(self.table, self.render_mode)


class HasenpfefferVectorEnv(VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """B tables stepped together; the module's page has the options and the spaces."""

    def __init__(
        self,
        num_envs: int = 1,
        rules: RuleChoice = "standard",
        *,
        opponents: Players = "rule_based",
        partner: Agent | str | None = None,
        seat: int | str = "North",
        episode: str = "game",
        reward: str = "points",
        mask_in: str = "info",
        dtype: str = "int8",
        score: tuple[int, int] = (0, 0),
        dealer: int | str | None = None,
        suits: str = "as_dealt",
        skip_forced: bool = False,
        illegal_reward: float = ILLEGAL_REWARD,
        autoreset_mode: str | AutoresetMode = "same_step",
        render_mode: None = None,
    ) -> None:
        _check_choice("mask_in", mask_in, MASK_PLACES)
        _check_choice("render_mode", render_mode, (None,))
        if isinstance(autoreset_mode, str):
            _check_choice("autoreset_mode", autoreset_mode, tuple(AUTORESET_MODES))
            autoreset_mode = AUTORESET_MODES[autoreset_mode]
        _check_choice("autoreset_mode", autoreset_mode, tuple(AUTORESET_MODES.values()))
        self.autoreset_mode = autoreset_mode
        self.metadata = {"autoreset_mode": autoreset_mode}
        self._learner = LearnerTables(
            num_envs,
            rules,
            opponents=opponents,
            partner=partner,
            seat=seat,
            episode=episode,
            reward=reward,
            score=score,
            dealer=dealer,
            suits=suits,
            dtype=dtype,
            skip_forced=skip_forced,
            illegal_reward=illegal_reward,
            restart=autoreset_mode == AutoresetMode.SAME_STEP,
        )
        self.rules = self._learner.rules
        self.num_envs = self._learner.n
        self._mask_in_obs = mask_in == "obs"
        self.single_observation_space = observation_space(dtype, self._mask_in_obs)
        self.single_action_space = spaces.Discrete(N_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._was_reset = False

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, Info]:
        """Start an episode at each table, or where `options["reset_mask"]` (B,) of bool is true.

        seed: one number, or one for each table; without one the random numbers go on, from a random
        beginning. Raises ValueError or TypeError for another mask.
        """
        super().reset(seed=seed if isinstance(seed, int) else None)
        if seed is None and not self._was_reset:
            seed = _random_seed()
        mask = (options or {}).get("reset_mask")
        self._learner.reset(seed, None if mask is None else self._rows(mask))
        self._was_reset = True
        return self._seen(), self._infos()

    def _rows(self, mask: Any) -> NDArray[np.int64]:
        """The tables to reset. Tables that were never dealt have to be among them."""
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise TypeError("options['reset_mask'] is an array of bool")
        if mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(
                f"options['reset_mask'] has shape ({self.num_envs},) and is true somewhere, not "
                f"{mask.shape} with {int(mask.sum())} true"
            )
        if not self._was_reset and not mask.all():
            raise ValueError("options['reset_mask']: the first reset is for all tables")
        return np.flatnonzero(mask)

    def step(
        self, actions: ArrayLike
    ) -> tuple[Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Info]:
        """Do the learner's action (B,) at each table and what the agents do after it.

        Raises ValueError for a number that is no action, an array of another shape, or a table whose
        episode is over, and TypeError for anything but whole numbers; the tables are then unchanged.
        """
        learner = self._learner
        learner.step(actions)
        infos = self._infos()
        if learner.restart:
            self._add_final(infos, learner.terminated | learner.truncated)
        return (
            self._seen(),
            learner.rewards.copy(),
            learner.terminated.copy(),
            learner.truncated.copy(),
            infos,
        )

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now: shape (B, A) of bool, for sb3-contrib."""
        return self._learner.masks.astype(np.bool_)

    def _seen(self) -> Observation:
        observations, masks = self._learner.observations, self._learner.masks
        if self._mask_in_obs:
            return {"observation": observations, "action_mask": masks}
        return observations

    def _infos(self) -> Info:
        everywhere = np.ones(self.num_envs, np.bool_)
        return {"action_mask": self._learner.masks.copy(), "_action_mask": everywhere}

    def _add_final(self, infos: Info, ended: NDArray[np.bool_]) -> None:
        """The last observations and infos of the episodes that ended, as Gymnasium has them."""
        if not ended.any():
            return
        rows = np.flatnonzero(ended)
        last = self._learner.last_observations[rows]
        final = np.full(self.num_envs, None, dtype=object)
        for row, observation in zip(rows, last, strict=True):
            final[row] = observation
            if self._mask_in_obs:
                final[row] = {"observation": observation, "action_mask": np.zeros(N_ACTIONS, np.int8)}
        masks = np.zeros((self.num_envs, N_ACTIONS), np.int8)
        infos["final_obs"], infos["_final_obs"] = final, ended
        infos["final_info"] = {"action_mask": masks, "_action_mask": ended.copy()}
        infos["_final_info"] = ended.copy()

    @property
    def legal(self) -> NDArray[np.int64]:
        """The legal actions (B,) as sets of bits, as in a `hpenv.Batch`."""
        return self._learner.legal

    @property
    def tables(self) -> Tables:
        """The records of the tables (B,), hidden cards included."""
        return self._learner.tables


def observation_space(dtype: str, mask_in_obs: bool) -> spaces.Space[Any]:
    """The space of one table's observation."""
    low, high = observation_bounds()
    kind = np.dtype(dtype)
    box = spaces.Box(low.astype(kind), high.astype(kind), (OBSERVATION_SIZE,), kind.type)
    if not mask_in_obs:
        return box
    return spaces.Dict({"observation": box, "action_mask": spaces.Box(0, 1, (N_ACTIONS,), np.int8)})


def _check_choice(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name}={value!r} is not one of {', '.join(map(str, allowed))}")


def _random_seed() -> int:
    return int.from_bytes(os.urandom(8), "little")


__doc__ = (__doc__ or "").format(
    presets=", ".join(f'`"{name}"`' for name in PRESETS),
    observation_shape=(OBSERVATION_SIZE,),
    n_actions=N_ACTIONS,
)

registration.register()
