"""How the help shows options that have no value worth telling unless they are given."""

from typing import Any

from tyro.conf import arg

FLAG = arg(help_behavior_hint="")  # off unless it is given


def given(metavar: str, default: str = "") -> Any:
    """An option of this kind of value; default: what holds without it, in words."""
    return arg(metavar=metavar, help_behavior_hint=f"(default: {default})" if default else "")
