"""The environment in PettingZoo's parallel form, for libraries that take no other.

``` python
env = hasenpfeffer_parallel_v0.parallel_env(rules="standard", illegal_reward=-1, ...)
```

The game is played in turns all the same. Every agent gives an action at every step, and only that of
the agent to act is done. A mask is never empty: an agent that is not to act has the one action `pass`,
which then does nothing, and so has every agent once the episode is over. Whose turn it is stands in the
observation, in `to_act`.

The options but one, the spaces and the rewards are those of `hpenv.hasenpfeffer_v0`. An illegal action
of the agent to act ends the episode, and that agent gets `illegal_reward`.
"""

from typing import Any, ClassVar

import numpy as np
import pettingzoo
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import EzPickle
from numpy.typing import NDArray

from hpenv.actions import PASS
from hpenv.errors import IllegalAction
from hpenv.hasenpfeffer_v0 import AGENTS, ID, Observation, raw_env

__all__ = ["parallel_env"]


class parallel_env(pettingzoo.ParallelEnv[str, Any, Any], EzPickle):  # type: ignore[misc]
    """One table where every agent gives an action at every step; see the module's page."""

    metadata: ClassVar[dict[str, Any]] = {**raw_env.metadata, "is_parallelizable": True}

    def __init__(self, rules: Any = "standard", *, illegal_reward: float = -1, **options: Any) -> None:
        EzPickle.__init__(self, rules, illegal_reward=illegal_reward, **options)
        self._game = raw_env(rules, **options)
        self._illegal_reward = float(illegal_reward)
        self.render_mode = self._game.render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []

    @property
    def observation_spaces(self) -> dict[str, spaces.Space[Any]]:
        """What each agent observes."""
        return self._game.observation_spaces

    @property
    def action_spaces(self) -> dict[str, spaces.Space[Any]]:
        """What each agent can do."""
        return self._game.action_spaces

    @property
    def state_space(self) -> spaces.Box:
        """The bounds of `state()`."""
        return self._game.state_space

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The agent's observation space, always the same object."""
        return self._game.observation_space(agent)

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The agent's action space, always the same object."""
        return self._game.action_space(agent)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Start a new episode, as in `hpenv.hasenpfeffer_v0`."""
        self._game.reset(seed, options)
        self.agents = list(AGENTS)
        return self._observations(), self._infos()

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Do the action of the agent to act. Raises ResetNeeded if no agent is left, and KeyError if
        that agent gave no action."""
        if not self.agents:
            raise ResetNeeded("no agent is left: the episode is over, call reset() to begin another")
        game = self._game
        agent = game.agent_selection
        try:
            game.step(actions[agent])
            rewards = dict(game.rewards)
        except IllegalAction:
            rewards = dict.fromkeys(AGENTS, 0.0) | {agent: self._illegal_reward}
            game.terminations = dict.fromkeys(AGENTS, True)
        terminations, truncations = dict(game.terminations), dict(game.truncations)
        if terminations[agent] or truncations[agent]:
            self.agents = []
        return self._observations(), rewards, terminations, truncations, self._infos()

    def _observations(self) -> dict[str, Observation]:
        seen = {agent: self._game.observe(agent) for agent in AGENTS}
        for agent, observation in seen.items():
            if isinstance(observation, dict):
                self._let_pass(agent, observation["action_mask"])
        return seen

    def _infos(self) -> dict[str, dict[str, Any]]:
        infos = {agent: self._game._info(agent) for agent in AGENTS}
        for agent, info in infos.items():
            if info:
                self._let_pass(agent, info["action_mask"])
        return infos

    def _let_pass(self, agent: str, mask: NDArray[np.int8]) -> None:
        if not (self.agents and agent == self._game.agent_selection):
            mask[PASS] = 1

    def state(self) -> NDArray[Any]:
        """The full information, for critics."""
        return self._game.state()

    def render(self) -> Any:
        """The table as the mode has it."""
        return self._game.render()

    def __str__(self) -> str:
        return str(self.metadata["name"])


if hasattr(pettingzoo, "register") and "hpenv/hasenpfeffer-v0" not in pettingzoo.parallel_registry:
    pettingzoo.register("parallel", ID, "hpenv.hasenpfeffer_parallel_v0:parallel_env")
