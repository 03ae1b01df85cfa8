"""An observation reads back to the very view it was written from: nothing is lost."""

from __future__ import annotations

import numpy as np
import pytest

from hpenv.decoder import TURNED, decode, pieces, read, turn
from hpenv.observation import (
    OBSERVATION_SIZE,
    action_mask,
    observe,
)
from hpenv.rulebook import DEAL_OVER, N_PHASES
from hpenv.rules import get_rules
from hpenv.seats import NOBODY
from hpenv.view import view_of
from random_deals import RULES, positions


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_decoder_rebuilds_the_view(name: str, seed: int) -> None:
    """From the vector and the mask alone, byte for byte, seats turned: every phase, every seat."""
    phases = set()
    deals = {"one card": 20, "mini2": 12, "mini3": 8}.get(name, 5)
    for n, table in enumerate(positions(name, seed, deals)):
        phases.add(int(table.phase))
        for seat in range(4):
            view = view_of(table, seat)
            vector = observe(view, (np.int8, np.float32)[(n + seat) % 2])
            turned = turn(view, -seat)
            assert decode(vector, action_mask(view)).tobytes() == turned.tobytes(), f"{seat}: {view}"
            if n % 8 == seat:
                assert read(vector, action_mask(view)) == f"{TURNED}\n{turned}"
    assert phases == set(range(N_PHASES)) - (set() if get_rules(RULES[name]).alone else {3, 4})


def test_the_decoder_tells_who_won_the_game() -> None:
    """Either side, and the makers when both are at the target (R18)."""
    winners = set()
    for table in positions("five cards", 4, 150):
        if table.phase == DEAL_OVER:
            winners.add((int(table.winner), bool((table.score >= table.target).all())))
            view = view_of(table, 1)
            assert decode(observe(view), action_mask(view)).winner == turn(view, -1).winner, str(view)
    assert winners == {(NOBODY, False), (0, False), (1, False), (0, True), (1, True)}


def test_the_decoder_refuses_other_shapes() -> None:
    """With a sentence that names the vector and its shape."""
    view = view_of(next(positions("standard", 1, 1)), 0)
    with pytest.raises(ValueError, match=rf"observation has shape \(3,\), not \({OBSERVATION_SIZE},\)"):
        decode(np.zeros(3), action_mask(view))
    with pytest.raises(ValueError, match=rf"observation has shape \(1, {OBSERVATION_SIZE}\)"):
        pieces(observe(view)[None])
    with pytest.raises(ValueError, match=r"mask has shape \(38,\), not \(39,\)"):
        read(observe(view), action_mask(view)[1:])
