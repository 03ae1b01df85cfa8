"""`hpenv train`: a policy by self-play. All of it stands in `hpenv.training.ppo`."""

from hpenv.training.options import Args as Options

__all__ = ["Options", "run"]


def run(options: Options) -> None:
    """Train."""
    from hpenv.training.ppo import train  # noqa: PLC0415  (torch takes seconds)

    train(options)
