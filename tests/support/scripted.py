"""Agents made of a function, for tests that want to know what an agent does."""

from __future__ import annotations

from typing import Any

import numpy as np

from hpenv.compiled import count_bits, highest_bit, lowest_bit


class Scripted:
    """An agent made of a function from (view, place in the batch) to an action."""

    def __init__(self, name: str, choose: Any) -> None:
        self.name = name
        self.choose = choose

    def act(self, views: Any, streams: Any) -> Any:
        return np.array([self.choose(view, i) for i, view in enumerate(views)], np.int64)


def nth_legal(view: Any, n: int) -> int:
    """The legal action in place n, counted round and round."""
    choices = int(view.legal)
    for _ in range(n % count_bits(choices)):
        choices &= choices - 1
    return int(lowest_bit(choices))


def lowest() -> Scripted:
    """Always the first legal action: passes, and plays low."""
    return Scripted("lowest", lambda view, i: lowest_bit(view.legal))


def highest() -> Scripted:
    """Always the last legal action: makes the top bid, never plays alone, and plays high."""
    return Scripted("highest", lambda view, i: highest_bit(view.legal))
