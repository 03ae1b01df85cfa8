"""`hpenv resume`: going on with a training run. All of it stands in `hpenv.training.resume`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from hpenv.training.options import MANY, Bounds, check_values


@dataclass
class Options:
    """Go on with a training run from its checkpoint, with the options it was begun with.

    The curves become those of a run that was never stopped. Nothing but the length can be changed:
    for other options begin a new run, from the same networks if you like (hpenv train --init-from RUN).

    examples:
      hpenv resume runs/mine
      hpenv resume runs/mine --total-timesteps 60e6
    """

    run_dir: Positional[Path]
    """The folder of the run."""
    total_timesteps: Annotated[int, Bounds(0, MANY)] = 0
    """A new length for the whole run, over which learning rate and entropy coefficient are annealed;
    0 keeps the length it was begun with."""


def run(options: Options) -> None:
    """Go on with the run."""
    from hpenv.training.resume import resume  # noqa: PLC0415

    check_values(options)
    resume(options.run_dir, options.total_timesteps or None)
