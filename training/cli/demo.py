"""`hpenv demo`: some minutes of training and what came of it. All of it stands in
`hpenv.training.demo`."""

from hpenv.training.demo import DemoArgs as Options
from hpenv.training.demo import demo as run

__all__ = ["Options", "run"]
