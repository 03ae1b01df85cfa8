"""An observation reads back to the very view it was written from: nothing is lost."""

from __future__ import annotations

import numpy as np
import pytest

from hpenv.decoder import TURNED, decode, pieces, read, turn
from hpenv.observation import LAYOUT, OBSERVATION_SIZE, action_mask, observe
from hpenv.rulebook import DEAL_OVER, N_PHASES
from hpenv.rules import get_rules
from hpenv.seats import NOBODY
from hpenv.view import view_of
from random_deals import RULES, positions
from table_talk import red


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


def test_the_decoder_refuses_what_no_view_is_written_as() -> None:
    """Words, numbers out of bounds, and pieces that contradict each other."""
    view = view_of(red("standard", "W", "bid 3, pass, pass, pass, trump H, TS, with partner, JH"), 0)
    numbers, mask = observe(view, np.float32), action_mask(view)
    with pytest.raises(TypeError, match="observation is made of numbers, not of <U1"):
        decode(["a"] * OBSERVATION_SIZE, mask)
    with pytest.raises(TypeError, match="mask is made of numbers, not of object"):
        decode(numbers, [None] * 39)
    for name, place, number, bounds in [
        ("hand", 3, 2, "0 to 1"),
        ("score", 1, -101, "-100 to 100"),
        ("hand_size", 0, 0, "1 to 6"),
        ("trump", 2, np.nan, "0 to 1"),
    ]:
        wrong = numbers.copy()
        wrong[LAYOUT[name]][place] = number
        with pytest.raises(
            ValueError, match=rf"{name}\[{place}\] is {float(number)}, not from {bounds}"
        ):
            decode(wrong, mask)
    with pytest.raises(ValueError, match=r"mask\[7\] is 5, not from 0 to 1"):
        decode(numbers, np.where(np.arange(39) == 7, 5, mask))
    gone = numbers.copy()
    gone[LAYOUT["played"]] = 0  # a card has been played, but by nobody
    with pytest.raises(ValueError, match="its pieces are of no deal"):
        decode(gone, mask)
