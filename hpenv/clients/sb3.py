"""Many tables as the `VecEnv` of Stable-Baselines3, with the masks for MaskablePPO of sb3-contrib.

``` python
from hpenv.clients.sb3 import TablesVecEnv

envs = TablesVecEnv(256, opponents="rule_based", episode="deal", dtype="float32")
model = MaskablePPO("MlpPolicy", envs)
```

One table needs no more than `gymnasium.make("hpenv:Hasenpfeffer-v0")`.
"""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from hpenv.gymnasium_envs import HasenpfefferVectorEnv


class TablesVecEnv(VecEnv):  # type: ignore[misc]
    """`hpenv.gymnasium_envs.HasenpfefferVectorEnv` with the options it has, less `autoreset_mode`.

    The info of a table whose episode ended holds `terminal_observation`, `TimeLimit.truncated` and
    `episode` (return `r`, length `l` in the learner's decisions, seconds `t`), as SB3's Monitor does.
    """

    def __init__(self, num_envs: int, **options: Any) -> None:
        self.envs = HasenpfefferVectorEnv(num_envs, **options)
        super().__init__(num_envs, self.envs.single_observation_space, self.envs.single_action_space)
        self._seed: int | None = None
        self._actions: NDArray[np.int64] = np.zeros(num_envs, np.int64)
        self._returns: NDArray[np.float64] = np.zeros(num_envs)
        self._lengths: NDArray[np.int64] = np.zeros(num_envs, np.int64)
        self._began = time.time()

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """The seed of the next reset."""
        self._seed = seed
        return [seed] * self.num_envs

    def reset(self) -> Any:
        seen, _ = self.envs.reset(seed=self._seed)
        self._seed = None
        self._returns[:], self._lengths[:] = 0, 0
        return seen

    def step_async(self, actions: NDArray[np.int64]) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        seen, rewards, terminated, truncated, more = self.envs.step(self._actions)
        self._returns += rewards
        self._lengths += 1
        over = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(over):
            infos[i] = {
                "terminal_observation": more["final_obs"][i],
                "TimeLimit.truncated": bool(truncated[i]),
                "episode": {
                    "r": float(self._returns[i]),
                    "l": int(self._lengths[i]),
                    "t": time.time() - self._began,
                },
            }
        self._returns[over], self._lengths[over] = 0, 0
        return seen, rewards.astype(np.float32), over, infos

    def close(self) -> None:
        self.envs.close()

    def has_attr(self, attr_name: str) -> bool:
        return hasattr(self.envs, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.envs, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        setattr(self.envs, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """What a method gives, table by table: for `action_masks`, one mask (A,) each."""
        given = getattr(self.envs, method_name)(*method_args, **method_kwargs)
        return [given[i] for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * len(list(self._get_indices(indices)))
