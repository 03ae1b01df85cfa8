"""What parts of the search over the network are worth: the judge, and gains worked out by hand."""

from __future__ import annotations

from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from hpenv.actions import N_ACTIONS
from hpenv.agents.agent import make_agent
from hpenv.training.benchmark.search_ablation import (
    JUDGE,
    Judged,
    Row,
    as_grid,
    judged_positions,
    measure,
    positions,
)


@pytest.fixture
def quick_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(JUDGE, "worlds", "10")
    monkeypatch.setitem(JUDGE, "drawn", "2")


@pytest.mark.usefixtures("quick_judge")
def test_the_network_gains_nothing_and_nobody_more_than_the_judge_allows() -> None:
    """Every legal action is judged, that of the network with 0, to which its own choices add up."""
    judged = judged_positions("mini3", 12, seed=5)
    legal = (judged.views["legal"][:, None] >> np.arange(N_ACTIONS) & 1) == 1
    assert (np.isfinite(judged.gains) == legal).all()
    assert (judged.gains[legal.nonzero()].size) > 24
    network = measure("learned", judged, seed=5)
    assert not network.gains.any()
    assert network.departs == 0
    most = np.nanmax(judged.gains, axis=1)
    other = measure("uniform", judged, seed=5, chunk=5)
    assert (other.gains <= most).all()
    assert other.departs > 0
    assert other.gains.tolist() == measure("uniform", judged, seed=5).gains.tolist()


def test_positions_have_a_choice_and_are_those_of_the_seed() -> None:
    judge = make_agent("learned_search")
    views = positions(judge, "set_bid", 20, seed=6)  # type: ignore[arg-type]
    assert len(views) == 20
    assert (views["legal"] & (views["legal"] - 1) != 0).all()
    again = positions(judge, "set_bid", 20, seed=6)  # type: ignore[arg-type]
    assert views.tobytes() == again.tobytes()


def test_the_table() -> None:
    """Means over all positions and by phase: 60 in the auction that gain 1 or 0, 40 plays that lose."""
    judge = make_agent("learned_search")
    views = positions(judge, "set_bid", 100, seed=7)  # type: ignore[arg-type]
    views["phase"] = [0] * 60 + [5] * 40
    gains = np.array([1.0, 0.0] * 30 + [-0.5] * 40)
    judged = Judged(views, np.zeros((100, N_ACTIONS)))
    console = Console(width=160, record=True, file=StringIO())
    console.print(as_grid([Row("somebody", gains, 0.7, 12.3)], judged, "set_bid"))
    text = console.export_text()
    for told in ("auction (60)", "trump (0)", "play (40)", "+0.100 [", "+0.500", "-0.500", "70%", "12"):
        assert told in text
