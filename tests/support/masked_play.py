"""Random legal actions by masks, and what a deal must bring the seats."""

from __future__ import annotations

from typing import Any

import numpy as np

from hpenv.observation import LAYOUT

STEPS = 100_000  # in the tests of every form of the game
ILLEGAL = -24  # what an illegal action costs a learner of Gymnasium


def choose(masks: Any, rng: np.random.Generator) -> Any:
    """A random legal action (...) of masks (..., A)."""
    return (masks * rng.random(masks.shape)).argmax(axis=-1)


def margins(observations: Any) -> Any:
    """What a deal brought (...) those who observe its end (..., F): their points less the others'."""
    points = observations[..., LAYOUT["points"]].astype(int)
    return points[..., 0] - points[..., 1]


def assert_is_return(returns: Any, table: Any) -> None:
    """The returns of the four seats at the end of a deal are what the table says."""
    assert table.is_over
    margin = int(table.points[0]) - int(table.points[1])
    assert list(returns) == [margin, -margin] * 2
