"""JSON in which every object has each of its keys once."""

import json
from typing import Any


def parse_json(text: str | bytes) -> Any:
    """What JSON text says.

    Raises ValueError for text that is no JSON, for an object that gives a key twice, and for nesting
    too deep to be read.
    """
    try:
        return json.loads(text, object_pairs_hook=_object)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is given twice")
    return found
