"""Seeds, saved states and copies of the PettingZoo environment."""

from __future__ import annotations

import copy
import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from episodes import decisions, play, transcript
from hpenv.actions import N_ACTIONS
from hpenv.hasenpfeffer_v0 import env, raw_env
from hpenv.rules import Rules
from naive_rules import PRESETS
from places import ROOT

TRANSCRIPT = """
import importlib, random, sys, warnings
sys.path[:0] = sys.argv[1:]
import numpy as np
state = random.getstate(), np.random.get_state()[1].tobytes()
from episodes import transcript
from hpenv import hasenpfeffer_v0
print(transcript(seed=77))
assert state == (random.getstate(), np.random.get_state()[1].tobytes())
warnings.simplefilter("error")
importlib.reload(hasenpfeffer_v0)  # registers once only
"""


def test_a_seed_gives_one_transcript_in_any_process() -> None:
    done = subprocess.run(
        [sys.executable, "-c", TRANSCRIPT, str(ROOT), str(ROOT / "tests")],
        env=os.environ | {"PYTHONHASHSEED": "4711"},  # ours is another, as a rule a random one
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == transcript(seed=77)
    assert transcript(seed=78) != transcript(seed=77)


def cards_dealt(game: Any) -> bytes:
    return bytes(game.unwrapped.table.pack.tobytes())


@pytest.mark.parametrize("seed", [np.int8(5), np.uint64(2**64 - 3), -3, 2**64 + 5, 10**30])
def test_a_seed_is_any_whole_number(seed: Any) -> None:
    """Taken modulo 2**64."""
    game, same = raw_env(), raw_env()
    game.reset(seed=seed)
    same.reset(seed=int(seed) % 2**64)
    assert cards_dealt(game) == cards_dealt(same)


@pytest.mark.parametrize("seed", ["x", 1.0, [1], np.float32(3)])
def test_a_seed_that_is_no_whole_number_is_an_error_and_changes_nothing(seed: Any) -> None:
    game = raw_env()
    game.reset(seed=4)
    before = game.get_state()
    with pytest.raises(TypeError, match=r"^seed=.* is not a whole number$"):
        game.reset(seed=seed)
    assert game.get_state() == before


def test_a_seed_starts_the_random_numbers_anew_and_without_one_they_go_on() -> None:
    one, two = env(), raw_env()
    for game in (one, two):
        game.reset(seed=np.int64(5))
    first = cards_dealt(one)
    dealt = [first]
    for _ in range(3):
        one.reset()
        two.reset()
        assert cards_dealt(one) == cards_dealt(two)
        dealt.append(cards_dealt(one))
    assert len(set(dealt)) == 4
    one.reset(seed=5)
    assert cards_dealt(one) == first
    unseeded = set()
    for _ in range(5):
        game = raw_env()
        game.reset()
        unseeded.add(cards_dealt(game))
    assert len(unseeded) == 5


COPIED: list[dict[str, Any]] = [
    {"rules": {"max_deals": 2}, "history": True},
    {
        "rules": {**PRESETS["house"], "max_deals": 2},
        "reward": "win",
        "score": (8, 7),
        "dealer": 2,
        "dtype": "float32",
        "history": True,
    },
]


def by_set_state(game: Any) -> Any:
    other = raw_env(**next(each for each in COPIED if Rules(**each["rules"]) == game.rules))
    other.reset(seed=99)
    other.set_state(pickle.loads(pickle.dumps(game.get_state())))
    return other


COPIES: dict[str, Callable[[Any], Any]] = {
    "clone": lambda game: game.clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda game: pickle.loads(pickle.dumps(game)),
    "get_state": by_set_state,
}


def two_episodes(game: Any) -> list[Any]:
    """The rest of the episode, as every agent sees it, and all of the next one."""
    turns = play(game, random.Random(9))
    game.reset()
    return [turns, play(game, random.Random(10)), game.state().tobytes()]


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("options", COPIED)
def test_a_copy_taken_at_any_decision_ends_like_a_game_never_copied(
    options: dict[str, Any], way: str
) -> None:
    game = raw_env(**options)
    game.reset(seed=41)
    rng = random.Random(4)
    done: list[int | None] = []
    phases = set()
    while game.agents:
        reference = raw_env(**options)
        reference.reset(seed=41)
        for action in done:
            reference.step(action)
        phases.add(int(game.table.phase))
        state = game.get_state()
        before = copy.deepcopy(state)
        twin = COPIES[way](game)
        assert type(twin) is raw_env
        assert twin.get_state() == before == reference.get_state()
        assert two_episodes(twin) == two_episodes(reference)
        assert game.get_state() == before  # playing the copy did not touch the game
        observation, _, terminated, truncated, _ = game.last()
        over = terminated or truncated
        done.append(None if over else int(rng.choice(observation["action_mask"].nonzero()[0])))
        game.step(done[-1])
        assert state == before  # nor did playing on touch the saved state
    assert len(phases) >= 6


@pytest.mark.parametrize("way", ["deepcopy", "pickle"])
@pytest.mark.parametrize("mask_in", ["obs", "info"])
def test_a_wrapped_environment_is_copied_with_its_wrappers(way: str, mask_in: str) -> None:
    game = env(rules={"max_deals": 1}, mask_in=mask_in)
    COPIES[way](game).reset(seed=1)  # a copy before the first reset
    game.reset(seed=42)
    for _ in decisions(game, random.Random(4)):
        twin = COPIES[way](game)
        assert type(twin) is type(game)
        assert twin.unwrapped is not game.unwrapped
        assert twin.unwrapped.get_state() == game.unwrapped.get_state()
        assert play(twin, random.Random(1)) == play(COPIES[way](game), random.Random(1))
    game.reset()
    game.step(N_ACTIONS - 1)  # illegal in the auction
    twin = COPIES[way](game)
    assert twin.unwrapped.get_state() == game.unwrapped.get_state()
    assert play(twin, random.Random(1)) == play(game, random.Random(1))


def test_a_copy_keeps_the_action_sampler_and_shares_nothing() -> None:
    game = raw_env()
    game.reset(seed=1)
    game.action_space("player_0").seed(5)
    for twin in (copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        assert twin.action_space("player_0") is not game.action_space("player_0")
    twin = copy.deepcopy(game)
    drawn = [game.action_space("player_0").sample() for _ in range(20)]
    assert [twin.action_space("player_0").sample() for _ in range(20)] == drawn
    assert game.clone().action_space("player_0") is not game.action_space("player_0")


def test_a_wrapped_game_can_go_back_to_a_saved_state() -> None:
    game = env(rules={"max_deals": 1})
    game.reset(seed=6)
    for _ in decisions(game, random.Random(2)):
        saved = game.get_state()
        first = play(game, random.Random(3))
        game.set_state(saved)
        assert play(game, random.Random(3)) == first
        game.set_state(saved)
        game.last()


def test_a_state_of_other_rules_is_an_error() -> None:
    game, other = raw_env("mini2"), raw_env("mini3")
    for each in (game, other):
        each.reset(seed=1)
    before = other.get_state()
    with pytest.raises(ValueError, match="cannot go on under"):
        other.set_state(game.get_state())
    assert other.get_state() == before
