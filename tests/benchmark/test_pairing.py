"""What pairing is worth: by hand, and in simulated deals whose luck is known."""

from __future__ import annotations

import numpy as np
import pytest

from hpenv.training.benchmark.pairing import pairing_of


def test_by_hand() -> None:
    # Values 2, 0, 4: variance 4, so ±0.05 takes (1.959964 x 2 / 0.05)^2 = 6146.3 deals. The first
    # tables have variance 16, the second none: two tables with different cards
    # (16 + 0) / 4 = 4, the same.
    alike = pairing_of(np.array([[4.0, 0.0], [0.0, 0.0], [8.0, 0.0]]))
    assert (alike.sd, alike.gain, alike.deals_needed) == (2.0, 1.0, 6147)
    # Values 1, 0, 2 of variance 1; tables of variance 16 and 4: (16 + 4) / 4 = 5.
    luck = pairing_of(np.array([[4.0, -2.0], [0.0, 0.0], [8.0, -4.0]]))
    assert (luck.sd, luck.gain) == (1.0, 5.0)
    # What the cards give at one table they take at the other: nothing varies.
    assert pairing_of(np.array([[4.0, -4.0], [0.0, 0.0]])).deals_needed == 0


def test_it_finds_how_much_luck_is_cancelled() -> None:
    # The cards give one side L, the other way round -L; each table has noise of its own, variance
    # 1. Unpaired (9 + 1) / 2, paired 1 / 2: ten times.
    random = np.random.default_rng(3)
    luck, noise = random.normal(0, 3, (20_000, 1)), random.normal(0, 1, (20_000, 2))
    pairing = pairing_of(np.hstack([luck, -luck]) + noise)
    assert pairing.gain == pytest.approx(10, rel=0.05)
    assert pairing.sd == pytest.approx(0.5**0.5, rel=0.03)
    assert "divides the variance by " in pairing.sentence()


def test_of_one_deal_nothing_is_known() -> None:
    pairing = pairing_of(np.zeros((1, 2)))
    assert pairing.as_json() == {
        "sd": None,
        "variance_ratio": None,
        "half_width": 0.05,
        "deals_needed": None,
    }
    assert pairing.sentence() == "the values of the deals do not vary"
