"""Hasenpfeffer for AI research: rules, views, observations, batches and environment faces.

Importing this package imports nothing heavy. The names below load their module on first use.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "Batch": "batch",
    "PRESETS": "rules",
    "Rules": "rules",
    "Table": "table",
    "View": "view",
    "new_tables": "table",
    "view_of": "view",
}

__all__ = [
    "PRESETS",
    "Batch",
    "Rules",
    "Table",
    "View",
    "__version__",
    "new_tables",
    "view_of",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"hpenv.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'hpenv' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
