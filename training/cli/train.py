"""`hpenv train`: a policy by self-play. All of it stands in `hpenv.training.ppo`."""

from hpenv.training.ppo import Args as Options
from hpenv.training.ppo import train as run

__all__ = ["Options", "run"]
