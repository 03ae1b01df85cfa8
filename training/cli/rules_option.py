"""The option `--rules` of several commands: presets and JSON objects of options, as rules."""

import json
import reprlib
from collections.abc import Iterable

from hpenv.rules import PRESETS, Rules, get_rules


def several_rules(words: Iterable[str]) -> list[Rules]:
    """Rules from presets, apart or with commas between them, and from JSON objects of options.

    Raises ValueError with a sentence for words that name none.
    """
    found: list[Rules] = []
    for word in words:
        if word.lstrip().startswith("{"):
            found.append(_from_json(word))
        else:
            found += [get_rules(name.strip()) for name in word.split(",")]
    if not found:
        raise ValueError(f"rules: name at least one preset ({', '.join(PRESETS)})")
    return found


def one_rules(word: str) -> Rules:
    """As `several_rules`, where there can be one only."""
    found = several_rules([word])
    if len(found) > 1:
        raise ValueError(f"rules: one preset at a time here, not {word!r}")
    return found[0]


def _from_json(text: str) -> Rules:
    try:
        options = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"rules: {reprlib.repr(text)} is not a JSON object ({error})") from None
    return get_rules(options)
