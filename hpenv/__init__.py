"""Hasenpfeffer for AI research: rules, views, observations, batches and environment faces.

Importing this package imports nothing heavy. The names below load their module on first use.

>>> import hpenv
>>> table = hpenv.deal("standard", seed=1, dealer="South")
>>> table.step("bid 3")
>>> table.legal_actions()
['pass', 'bid 4', 'bid 5', 'bid 6']
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hpenv.registration import register_with_gymnasium

if TYPE_CHECKING:
    from hpenv.batch import Batch
    from hpenv.double_dummy import solve
    from hpenv.drawing.table import picture
    from hpenv.errors import IllegalAction
    from hpenv.notation import Record, RecordError, parse_record, record_of, record_text, replay
    from hpenv.observation import observe
    from hpenv.rules import PRESETS, Rules
    from hpenv.table import Table, deal, new_tables
    from hpenv.view import View, view_of
    from hpenv.worlds import sample_worlds

__version__ = "0.1.0"

_HOMES = {
    "Batch": "batch",
    "IllegalAction": "errors",
    "PRESETS": "rules",
    "Record": "notation",
    "RecordError": "notation",
    "Rules": "rules",
    "Table": "table",
    "View": "view",
    "deal": "table",
    "new_tables": "table",
    "observe": "observation",
    "parse_record": "notation",
    "picture": "drawing.table",
    "record_of": "notation",
    "record_text": "notation",
    "replay": "notation",
    "sample_worlds": "worlds",
    "solve": "double_dummy",
    "view_of": "view",
}

__all__ = [
    "PRESETS",
    "Batch",
    "IllegalAction",
    "Record",
    "RecordError",
    "Rules",
    "Table",
    "View",
    "__version__",
    "deal",
    "new_tables",
    "observe",
    "parse_record",
    "picture",
    "record_of",
    "record_text",
    "replay",
    "sample_worlds",
    "solve",
    "view_of",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"hpenv.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'hpenv' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__


register_with_gymnasium()
