"""The game for RLlib, with the mask where RLlib's `ActionMaskingTorchRLModule` looks for it.

``` python
from ray.tune.registry import register_env

from hpenv.clients import rllib

register_env("hasenpfeffer", lambda config: rllib.env(**config))
```

RLlib checks an environment by actions that may be illegal: `disable_env_checking=True` spares it that.
"""

from typing import Any

from gymnasium import spaces
from pettingzoo.utils import BaseWrapper
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv

from hpenv import hasenpfeffer_v0


class _Renamed(BaseWrapper):  # type: ignore[misc]
    """What agents observe is named `observations`, in the plural."""

    def observe(self, agent: str) -> dict[str, Any]:
        seen = super().observe(agent)
        return {"observations": seen["observation"], "action_mask": seen["action_mask"]}

    def observation_space(self, agent: str) -> spaces.Dict:
        space = super().observation_space(agent)
        return spaces.Dict({"observations": space["observation"], "action_mask": space["action_mask"]})


def env(*, dtype: str = "float32", **options: Any) -> PettingZooEnv:
    """One table for RLlib. Options are those of `hpenv.hasenpfeffer_v0`, with neither `mask_in` nor
    `history`: observations are dictionaries of `observations` (F,) and `action_mask` (A,). An illegal
    action raises `hpenv.errors.IllegalAction`."""
    return PettingZooEnv(_Renamed(hasenpfeffer_v0.raw_env(dtype=dtype, **options)))
