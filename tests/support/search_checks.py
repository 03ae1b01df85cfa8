"""What must hold of every agent that searches worlds of its view."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hpenv.agents.agent import Agent
from hpenv.agents.opinion import opinion_of
from hpenv.view import view_of
from hpenv.worlds import world_tables


def assert_blind(agent: Agent, table: Any, worlds: int, number: int, seed: int) -> None:
    """Tables that look the same to the seat and differ in all that it cannot see, the discard and the
    widow included, give the same action and the same opinion. number: of the worlds drawn."""
    seat = int(table.to_act)
    others = world_tables(view_of(table, seat), worlds, number)
    assert any(other.hands.tolist() != table.hands.tolist() for other in others)
    first, *more = (opinion_of(agent, view_of(each, seat), seed) for each in (table, *others))
    for opinion in more:
        assert opinion.action == first.action
        np.testing.assert_array_equal(opinion.points, first.points)
        np.testing.assert_array_equal(opinion.spread, first.spread)
        np.testing.assert_array_equal(opinion.probabilities, first.probabilities)


def assert_no_deal_is_refused(agent: Agent, views: Any, acts: bool = True) -> None:
    """A view (1,) of no deal: no opinion is given of it, and no action where the agent searches for it
    (`acts`)."""
    if acts:
        with pytest.raises(ValueError, match="no deal allows this view"):
            agent.act(views, np.zeros(1, np.uint64))
    with pytest.raises(ValueError, match="no deal allows this view"):
        opinion_of(agent, views[0])
