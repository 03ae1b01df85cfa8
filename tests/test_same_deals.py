"""The same seed deals the same cards everywhere, and the deals are fair."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np

from hpenv.batch import Batch, choose_uniformly
from places import ROOT

# ---- the same deals everywhere ----------------------------------------------------------------

DIGEST = """
import hashlib, sys
import numpy as np
from hpenv.batch import Batch
from hpenv.rules import PRESETS

n, threads, first = map(int, sys.argv[1:])
rules = (list(PRESETS) * 9)[first : first + n]
batch = Batch(n, rules, seed=-77, first_index=first, threads=threads)
number, told = np.arange(first, first + n), slice(4 - first, 7 - first)
digest = hashlib.sha256()
for t in range(120):
    for array in (batch.observations, batch.masks, batch.rewards, batch.seats, batch.deal_over):
        digest.update(array[told].tobytes())
    wish = (number[:, None] * 31 + t * 17 + np.arange(39) * 7) % 41 + 1
    batch.step(np.argmax(wish * batch.masks, axis=1))
print(digest.hexdigest())
"""


def digest_in_a_new_process(n: int, threads: int, first: int, **environment: str) -> str:
    """What tables 4, 5 and 6 showed in 120 steps, as a digest, from a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", DIGEST, str(n), str(threads), str(first)],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_the_same_deals_in_every_process() -> None:
    """Whatever the batch's size, the table's place in it, threads, hash seed, compiled or plain."""
    told = digest_in_a_new_process(7, 1, 0, PYTHONHASHSEED="0")
    assert len(told.strip()) == 64
    assert digest_in_a_new_process(40, 2, 0, PYTHONHASHSEED="1") == told
    assert digest_in_a_new_process(3, 1, 4, PYTHONHASHSEED="random", NUMBA_DISABLE_JIT="1") == told


def test_place_size_and_threads_change_no_deal() -> None:
    """Table i of a seed is dealt the same cards wherever it stands; another seed deals others."""
    packs = Batch(64, "house", seed=9).tables["pack"].copy()
    assert Batch(3, "house", seed=9).tables["pack"].tolist() == packs[:3].tolist()
    assert Batch(64, "house", seed=9, threads=2).tables["pack"].tolist() == packs.tolist()
    later = Batch(10, "house", seed=9, first_index=30).tables
    assert later["pack"].tolist() == packs[30:40].tolist()
    assert len({pack.tobytes() for pack in packs}) == 64
    assert len({Batch(1, seed=seed).tables["pack"].tobytes() for seed in range(-20, 20)}) == 40


def test_a_reset_goes_on_with_new_cards() -> None:
    """The random numbers go on: the third deal of two equal batches is the same, and new."""
    one, two = Batch(5, seed=1), Batch(5, seed=1)
    seen = {pack.tobytes() for pack in one.tables["pack"]}
    for _ in range(2):
        one.reset()
        two.reset()
        assert one.tables.tobytes() == two.tables.tobytes()
        seen |= {pack.tobytes() for pack in one.tables["pack"]}
    assert len(seen) == 15


# ---- fair deals -------------------------------------------------------------------------------


def chi_square(counts: Any, expected: Any) -> float:
    """How many standard deviations counts lie above what chance would give."""
    freedom = np.prod([size - 1 for size in counts.shape if size > 1])
    statistic = ((counts - expected) ** 2 / expected).sum()
    return float((statistic - freedom) / np.sqrt(2 * freedom))


def crossed(rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    """How often each pair of values came together."""
    return np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1]).reshape(shape)


def test_every_card_is_equally_likely_everywhere_and_every_seat_to_deal() -> None:
    """R3, R4: first dealers, cards by place; and no deal tells of the next, its neighbour or its
    dealer. Chi-square with five standard deviations of room."""
    n, batch = 50_000, Batch(50_000, seed=123)
    places = np.argsort(batch.tables["pack"], axis=1)  # where each card lies: [table, card]
    dealers = batch.tables["dealer"].astype(int)
    cards = np.array([np.bincount(places[:, card], minlength=25) for card in range(25)])
    batch.reset()
    next_places, next_dealers = np.argsort(batch.tables["pack"], axis=1), batch.tables["dealer"]
    flat = {
        "dealers": (np.bincount(dealers, minlength=4), n / 4),
        "cards by place": (cards, n / 25),
        "Joker, then ace of spades": (crossed(places[:, 24], next_places[:, 23], (25, 25)), n / 625),
        "the neighbour's Joker": (crossed(places[:-1, 24], places[1:, 24], (25, 25)), (n - 1) / 625),
        "dealer and Joker": (crossed(dealers, places[:, 24], (4, 25)), n / 100),
        "dealer, then dealer": (crossed(dealers, next_dealers, (4, 4)), n / 16),
    }
    for name, (counts, expected) in flat.items():
        assert abs(chi_square(counts, expected)) < 5, name


def test_chance_favours_neither_side() -> None:
    """Four seats that choose at random, over 100,000 deals and the games they make up: North-South's
    points and wins are within three standard deviations of none."""
    batch = Batch(2000, seed=18)
    wins = Batch(2000, seed=18, reward="win")
    states, actions = np.arange(2000, dtype=np.uint64), np.zeros(2000, np.int64)
    points, won = [], []
    while sum(map(len, points)) < 100_000:
        choose_uniformly(batch.legal, states, actions)
        batch.step(actions)
        wins.step(actions)
        points.append(batch.rewards[batch.deal_over, 0].copy())
        won.append(wins.rewards[wins.terminated | wins.truncated, 0].copy())
    for results in (np.concatenate(points), np.concatenate(won)):
        assert results.std() > 0.5
        assert abs(results.mean()) < 3 * results.std() / np.sqrt(len(results))


def test_choose_uniformly_chooses_uniformly() -> None:
    """Each of the legal actions as often as the next."""
    legal = np.full(40_000, 1 << 3 | 1 << 24 | 1 << 25 | 1 << 38)
    actions = np.zeros(40_000, np.int64)
    choose_uniformly(legal, np.arange(40_000, dtype=np.uint64), actions)
    counts = np.bincount(actions, minlength=39)
    assert np.flatnonzero(counts).tolist() == [3, 24, 25, 38]
    assert abs(chi_square(counts[counts > 0], 10_000)) < 5
