"""What the options of several commands have in common."""

from pathlib import Path
from typing import Any

from tyro.conf import arg

FLAG = arg(help_behavior_hint="")  # off unless it is given


def given(metavar: str, default: str = "") -> Any:
    """An option of this kind of value; default: what holds without it, in words."""
    return arg(metavar=metavar, help_behavior_hint=f"(default: {default})" if default else "")


def check_plot(path: Path | None) -> None:
    """Raise ValueError for a file of another kind than the plots can be, and ModuleNotFoundError where
    nothing can be drawn, before the work and not at its end."""
    if path is None:
        return
    from hpenv.training import plots  # noqa: PLC0415

    plots.look()
    if path.suffix not in (".png", ".svg"):
        raise ValueError(f"plot: {path} is neither a .png nor a .svg")
