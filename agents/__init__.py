"""Everything that decides: agents see views and nothing else.

`make_agent` makes an agent by name, `ask` asks it for one decision. Importing this package imports
nothing heavy; the names below load their module on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hpenv.agents.agent import Agent, make_agent
    from hpenv.agents.opinion import Opinion, ask

_HOMES = {"Agent": "agent", "Opinion": "opinion", "ask": "opinion", "make_agent": "agent"}

__all__ = ["Agent", "Opinion", "ask", "make_agent"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"hpenv.agents.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'hpenv.agents' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
