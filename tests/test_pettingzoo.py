"""The PettingZoo environment: PettingZoo's own tests, and what they do not look at.

The slow oracle plays along and says who is to act, what is legal and what a deal is worth. A batch
with the same seed must make the same decisions. Copies taken at every decision must end alike.
"""

from __future__ import annotations

import copy
import hashlib
import importlib
import os
import pickle
import random
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest

from hpenv import hasenpfeffer_v0
from hpenv.actions import ACTION_TEXT, ALONE, BIG_PEPPER, N_ACTIONS, TRUMP, action_text
from hpenv.batch import Batch
from hpenv.cards import NO_CARD, card_text, set_cards, set_text
from hpenv.drawing.ansi import text_picture
from hpenv.drawing.raster import pixels
from hpenv.errors import IllegalAction
from hpenv.hasenpfeffer_v0 import env, raw_env
from hpenv.observation import (
    HIDDEN_PIECES,
    HIDDEN_SIZE,
    LAYOUT,
    OBSERVATION_SIZE,
    STATE_SIZE,
    history_tokens,
    observation_bounds,
)
from hpenv.rulebook import AUCTION, DEAL_OVER, DISCARD, NAME_TRUMP
from hpenv.rules import Rules
from hpenv.spec import observation_table
from hpenv.table import HISTORY, rules_of
from hpenv.view import view_of
from naive_rules import ACTIONS, PRESETS, SEATS, NaiveGame, full_rules
from places import ROOT

with warnings.catch_warnings():
    # With pygame installed PettingZoo's tests import a game of PettingZoo's in a way it deprecates.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, render_test, seed_test
    from pettingzoo.test.state_test import state_test

# PettingZoo's api_test knows the names of its own games whose observations are dictionaries or whose
# masks are zero at the end, and warns of any other.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{text}:UserWarning")
    for text in (
        "Observation is not a NumPy array",
        "Observation space for each agent probably should be",
        "Action mask numpy array is all zeros",
    )
]

OFFICIAL = list(PRESETS)
SEAT_OF = {f"player_{seat}": seat for seat in range(4)}
NON_DEFAULT = {
    "rules": {
        "bidding": "pepper",
        "set_penalty": "bid",
        "all_pass": "dealer_bids",
        "alone": False,
        "alone_factor": 2,
        "defenders_score": True,
        "target": 7,
        "max_deals": 2,
        "hand_size": 4,
    },
    "dtype": "float32",
    "score": (3, -2),
    "dealer": 2,
    "render_mode": "ansi",
}


def mask_of(game: Any, observation: Any) -> Any:
    """The mask, wherever the environment puts it."""
    if isinstance(observation, dict):
        return observation["action_mask"]
    return game.infos[game.agent_selection]["action_mask"]


def play(game: Any, rng: random.Random) -> list[Any]:
    """Play legal actions to the end of the episode; gives every agent's turn as `last()` gave it."""
    turns = []
    while game.agents:
        agent = game.agent_selection
        observation, reward, terminated, truncated, _ = game.last()
        action = None
        if not (terminated or truncated):
            action = rng.choice([int(a) for a in mask_of(game, observation).nonzero()[0]])
        turns.append((agent, flat(observation), reward, terminated, truncated, action))
        game.step(action)
    return turns


def flat(observation: Any) -> bytes:
    """An observation as bytes."""
    if isinstance(observation, dict):
        return b"".join(observation[key].tobytes() for key in sorted(observation))
    return bytes(observation.tobytes())


def infos(game: Any) -> dict[str, Any]:
    """What the infos hold, as bytes."""
    return {agent: {key: flat(each[key]) for key in each} for agent, each in game.infos.items()}


def decisions(game: Any, rng: random.Random) -> Iterator[tuple[str, Any]]:
    """Each decision of one random episode: the agent and what it observes."""
    for agent in game.agent_iter():
        observation, _, terminated, truncated, _ = game.last()
        if terminated or truncated:
            game.step(None)
            continue
        yield agent, observation
        game.step(rng.choice([int(a) for a in mask_of(game, observation).nonzero()[0]]))


# ---- PettingZoo's own tests ---------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("mask_in", ["obs", "info"])
@pytest.mark.parametrize("episode", ["game", "deal"])
@pytest.mark.parametrize("preset", OFFICIAL)
def test_api_test_passes(preset: str, episode: str, mask_in: str, dtype: str) -> None:
    api_test(env(rules=preset, episode=episode, mask_in=mask_in, dtype=dtype), num_cycles=1000)


@pytest.mark.parametrize(
    "options",
    [{}, {"history": True}, {"mask_in": "info"}, {"dtype": "float32", "reward": "win"}, NON_DEFAULT],
)
def test_seed_test_passes(options: dict[str, Any]) -> None:
    seed_test(lambda: env(**options), num_cycles=100)


def test_render_test_passes(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(env)
    assert capsys.readouterr().out.count("dealer") > 5


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.filterwarnings("error")
def test_state_test_passes(dtype: str) -> None:
    state_test(env(dtype=dtype), env(dtype=dtype), num_cycles=20)


@pytest.mark.filterwarnings("error")
def test_api_test_warns_of_nothing_where_observations_are_arrays() -> None:
    with warnings.catch_warnings():
        api_test(env(mask_in="info"), num_cycles=100)


# ---- the rules, played along by the oracle ------------------------------------------------------


class Oracle:
    """The slow rules playing along with an environment, from the cards lying on its table."""

    def __init__(self, game: Any, rules: Any, score: tuple[int, int] = (0, 0)) -> None:
        self.table = game.unwrapped.table
        self.naive = NaiveGame(full_rules(rules), SEATS[self.table.dealer], self.cards)
        self.naive.score = list(score)

    def cards(self, n: int) -> tuple[dict[str, list[str]], str]:
        assert self.table.deals_played == n
        hands = {seat: set_text(self.table.hands[i]).split() for i, seat in enumerate(SEATS)}
        return hands, action_text(int(self.table.widow))


def play_along(game: Any, rules: Any, rng: random.Random, score: tuple[int, int] = (0, 0)) -> Any:
    """One episode with the oracle beside it: turn, mask and the deals' points must agree. Returns the
    oracle, each seat's sum of rewards from `last()`, and the seats that sat a deal out."""
    oracle = Oracle(game, rules, score)
    naive = oracle.naive
    returns, sat_out, after = [0.0] * 4, set(), list(score)
    for agent in game.agent_iter():
        observation, reward, terminated, truncated, _ = game.last()
        seat = SEAT_OF[agent]
        returns[seat] += reward
        if terminated or truncated:
            assert not mask_of(game, observation).any()
            assert (terminated, truncated) == (naive.winner is not None, naive.truncated)
            game.step(None)
            continue
        assert naive.turn == SEATS[seat]
        legal = [ACTIONS[a] for a in mask_of(game, observation).nonzero()[0]]
        assert legal == naive.legal(), f"{game.unwrapped.table}"
        assert SEATS[seat] not in naive.deal.sitting_out
        sat_out |= set(naive.deal.sitting_out)
        word = rng.choice(legal)
        game.step(ACTIONS.index(word))
        naive.do(word)
        assert all(type(reward) is float for reward in game.rewards.values())
        difference = (naive.score[0] - after[0]) - (naive.score[1] - after[1])
        after = list(naive.score)
        assert list(game.rewards.values()) == [difference, -difference] * 2, f"{game.unwrapped.table}"
        assert set(game.terminations.values()) == {naive.winner is not None}
        assert set(game.truncations.values()) == {naive.truncated}
    return naive, returns, sat_out


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("preset", OFFICIAL)
def test_the_oracle_agrees_and_each_seat_is_paid_its_sides_score(preset: str, seed: int) -> None:
    rng = random.Random(seed)
    game = raw_env(preset, score=(4, -3))
    game.reset(seed=seed)
    naive, returns, sat_out = play_along(game, preset, rng, (4, -3))
    change = (naive.score[0] - 4) - (naive.score[1] + 3)
    assert returns == [change, -change, change, -change]
    assert list(game.table.score) == naive.score
    assert naive.deals_done > 1
    assert sat_out or PRESETS[preset]["hand_size"] < 6


@pytest.mark.parametrize("mask_in", ["obs", "info"])
def test_the_oracle_agrees_with_the_wrapped_environment(mask_in: str) -> None:
    for seed, (preset, target) in enumerate([("standard", 1), ("house", 20)]):
        rules = {**PRESETS[preset], "target": target, "max_deals": 12}
        game = env(rules=rules, mask_in=mask_in, history=mask_in == "obs")
        game.reset(seed=seed)
        naive, returns, _ = play_along(game, rules, random.Random(seed))
        change = naive.score[0] - naive.score[1]
        assert returns == [change, -change, change, -change]


def test_winning_pays_one_to_both_partners_and_a_truncated_game_nothing() -> None:
    ends = set()
    for seed in range(30):
        game = raw_env(rules={"target": 3, "max_deals": 8}, reward="win")
        game.reset(seed=seed)
        returns = dict.fromkeys(SEAT_OF, 0.0)
        for agent, _, reward, terminated, truncated, _ in play(game, random.Random(seed)):
            returns[agent] += reward
            assert not (terminated and truncated)
        winner = int(game.table.winner)
        ends.add(winner)
        ours = {0: 1.0, 1: -1.0, -1: 0.0}[winner]
        assert list(returns.values()) == [ours, -ours, ours, -ours]
    assert ends == {0, 1, -1}


def test_an_episode_of_one_deal_ends_with_the_deal_and_pays_its_points() -> None:
    for seed in range(20):
        game = raw_env("house", episode="deal")
        game.reset(seed=seed)
        turns = play(game, random.Random(seed))
        assert game.table.phase == DEAL_OVER
        assert game.table.deals_played == 1
        ours = float(game.table.points[0] - game.table.points[1])
        last_four = turns[-4:]
        assert [t[0] for t in last_four] == list(SEAT_OF)
        assert [t[2] for t in last_four] == [ours, -ours, ours, -ours]
        assert all(t[3] is True and t[4] is False and t[5] is None for t in last_four)
        assert not any(t[3] or t[4] for t in turns[:-4])


# ---- masks --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mask_in", ["obs", "info"])
def test_100_000_random_steps_never_meet_an_empty_mask(mask_in: str) -> None:
    steps = 0
    sat_out = 0
    for n in range(1_000_000):
        game = raw_env(OFFICIAL[n % len(OFFICIAL)], mask_in=mask_in)
        game.reset(seed=n)
        rng = random.Random(n)
        while True:
            agent = game.agent_selection
            observation, _, terminated, truncated, _ = game.last()
            if terminated or truncated:
                break
            mask = mask_of(game, observation)
            legal = mask.nonzero()[0]
            assert len(legal)
            assert not game.table.sitting_out >> SEAT_OF[agent] & 1
            if steps % 50 == 0:
                assert set_cards(game.table.legal()) == list(legal)
                others = [each for each in SEAT_OF if each != agent]
                seen = [game.observe(each) for each in others]
                assert not any(o["action_mask"].any() for o in seen if isinstance(o, dict))
                told = [game.infos[each] for each in others if game.infos[each]]
                assert not any(info["action_mask"].any() for info in told)
                sat_out += game.table.sitting_out > 0
            game.step(int(rng.choice(legal)))
            steps += 1
        assert not mask.all()
        everyone = [game.observe(each) for each in SEAT_OF]
        assert not any(o["action_mask"].any() for o in everyone if isinstance(o, dict))
        assert not any(info["action_mask"].any() for info in game.infos.values() if info)
        if steps >= 50_000:
            break
    assert sat_out > 0


def test_a_mask_can_sample_an_action() -> None:
    game = env()
    game.reset(seed=3)
    game.action_space("player_0").seed(3)
    for agent, observation in decisions(game, random.Random(3)):
        mask = observation["action_mask"]
        assert mask.dtype == np.int8
        assert mask.shape == (N_ACTIONS,)
        assert mask[game.action_space(agent).sample(mask)] == 1


def test_the_mask_is_in_one_place_only_and_infos_have_constant_keys() -> None:
    for mask_in in ("obs", "info"):
        game = env(mask_in=mask_in)
        game.reset(seed=1)
        for agent, observation in decisions(game, random.Random(1)):
            keys = {"obs": set(), "info": {"action_mask"}}[mask_in]
            assert [set(game.infos[each]) for each in SEAT_OF] == [keys] * 4
            assert isinstance(observation, dict) == (mask_in == "obs")
            if mask_in == "info":
                masks = [game.infos[each]["action_mask"] for each in SEAT_OF]
                assert [bool(mask.any()) for mask in masks] == [each == agent for each in SEAT_OF]


# ---- options ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "more",
    [
        {"episode": "deal", "history": True},
        {"episode": "deal", "mask_in": "info"},
        {"reward": "win", "history": True},
    ],
)
@pytest.mark.parametrize("seeds", [(8, 8), (8, None), (None, None)])
def test_every_option_outlasts_resets(more: dict[str, Any], seeds: tuple[int | None, ...]) -> None:
    options = NON_DEFAULT | more
    game = env(**options)
    for seed in (*seeds, *seeds):
        game.reset(seed=seed, options={"score": (1, 1), "dealer": 0, "anything": 1})
        table = game.unwrapped.table
        assert rules_of(table) == game.unwrapped.rules == Rules(**options["rules"])
        assert table.dealer == 2
        assert list(table.score) == [3, -2]
        assert isinstance(game.render(), str)
        observation = game.last()[0]
        if options.get("mask_in") == "info":
            assert game.infos[game.agent_selection]["action_mask"].any()
            assert observation.dtype == np.float32
        else:
            assert set(observation) == {"observation", "action_mask", "history"}
            assert observation["observation"].dtype == np.float32
        turns = play(game, random.Random(5))
        rewards = {turn[2] for turn in turns}
        ours = float(table.points[0] - table.points[1])
        if options.get("episode") == "deal":
            assert table.deals_played == 1
            assert rewards <= {0.0, ours, -ours}
        else:
            assert 1 <= table.deals_played <= 2
            assert rewards <= {0.0, 1.0, -1.0}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"rules": "skat"}, "no preset 'skat'"),
        ({"rules": {"targets": 3}}, "no option 'targets'"),
        ({"episode": "hand"}, "episode='hand' is not one of game, deal"),
        ({"reward": "tricks"}, "reward='tricks' is not one of points, win"),
        ({"reward": "win", "episode": "deal"}, "needs episode='game'"),
        ({"mask_in": "both"}, "mask_in='both' is not one of obs, info"),
        ({"dtype": "float64"}, "dtype='float64' is not one of int8, float32"),
        ({"score": (10, 0)}, "below the target of 10"),
        ({"dealer": 4}, "dealer=4 is not a seat"),
        ({"history": "yes"}, "history='yes' is not one of False, True"),
        ({"history": True, "mask_in": "info"}, "history=True .* needs mask_in='obs'"),
        ({"render_mode": "rgb"}, "render_mode='rgb' is not one of None, human, ansi"),
    ],
)
def test_a_wrong_option_is_refused_with_a_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        env(**options)


# ---- seeds --------------------------------------------------------------------------------------

TRANSCRIPT = """
import importlib, random, sys, warnings
sys.path[:0] = sys.argv[1:]
import numpy as np
state = random.getstate(), np.random.get_state()[1].tobytes()
from test_pettingzoo import transcript
from hpenv import hasenpfeffer_v0
print(transcript(seed=77))
assert state == (random.getstate(), np.random.get_state()[1].tobytes())
warnings.simplefilter("error")
importlib.reload(hasenpfeffer_v0)  # registers once only
"""


def transcript(seed: int) -> str:
    """A hash over everything that a seeded environment shows in one game and the next."""
    game = env(rules="house", history=True, render_mode="ansi")
    game.reset(seed=seed)
    rng = random.Random(seed)
    said = hashlib.sha256(repr(play(game, rng)).encode())
    game.reset()
    said.update(repr(play(game, rng)).encode())
    said.update(str(game.render()).encode() + game.state().tobytes())
    return said.hexdigest()


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


@pytest.mark.parametrize(
    ("preset", "options"),
    [
        ("standard", {}),
        ("pepper", {"score": (7, -4), "dealer": 3}),
        ("set_bid", {"reward": "win"}),
        ("house", {"episode": "deal"}),
        ("mini2", {"episode": "deal", "dealer": 0}),
        ("mini3", {"score": (9, 9)}),
        ({"max_deals": 2, "target": 3}, {"reward": "win"}),
    ],
)
def test_it_makes_the_decisions_of_a_batch_with_its_seed(preset: Any, options: dict[str, Any]) -> None:
    batch = Batch(1, preset, seed=1234, **options)
    game = raw_env(preset, **options)
    game.reset(seed=1234)
    rng = random.Random(1)
    ends = {"terminated": 0, "truncated": 0}
    for step in range(12_000):
        if step >= 1500 and sum(ends.values()) >= 2:
            break
        agent = game.agent_selection
        seen = game.last()[0]
        assert SEAT_OF[agent] == batch.seats[0]
        assert np.array_equal(seen["observation"], batch.observations[0])
        assert np.array_equal(seen["action_mask"], batch.masks[0])
        action = int(rng.choice(seen["action_mask"].nonzero()[0]))
        batch.step([action])
        game.step(action)
        assert list(game.rewards.values()) == list(batch.rewards[0])
        assert set(game.terminations.values()) == {bool(batch.terminated[0])}
        assert set(game.truncations.values()) == {bool(batch.truncated[0])}
        if batch.terminated[0] or batch.truncated[0]:
            ends["terminated" if batch.terminated[0] else "truncated"] += 1
            game.reset()
    assert sum(ends.values()) >= 2


# ---- copies -------------------------------------------------------------------------------------


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


def test_a_state_of_other_rules_is_refused() -> None:
    game, other = raw_env("mini2"), raw_env("mini3")
    for each in (game, other):
        each.reset(seed=1)
    before = other.get_state()
    with pytest.raises(ValueError, match="cannot go on under"):
        other.set_state(game.get_state())
    assert other.get_state() == before


# ---- secrets ------------------------------------------------------------------------------------


def complaints(game: Any) -> list[str]:
    """What the environment says to each illegal action, nothing being changed by them."""
    said = []
    for action in range(-1, N_ACTIONS + 1):
        if action < 0 or not game.table.legal() >> action & 1:
            with pytest.raises(IllegalAction) as refused:
                game.step(action)
            said.append(str(refused.value))
    return said


@pytest.mark.parametrize("mask_in", ["obs", "info"])
@pytest.mark.parametrize("preset", ["standard", "house", "mini3"])
def test_nobody_but_the_maker_can_tell_what_was_discarded(preset: str, mask_in: str) -> None:
    game = raw_env(preset, episode="deal", mask_in=mask_in, history=mask_in == "obs")
    looked = 0
    for seed in range(12):
        game.reset(seed=seed)
        for agent, _ in decisions(game, random.Random(seed)):
            table = game.table
            if table.discard == NO_CARD:
                continue
            maker, real = f"player_{table.maker}", int(table.discard)
            others = [each for each in SEAT_OF if each != maker]

            def seen(agents: list[str], actor: str = agent) -> list[Any]:
                shown: list[Any] = [(flat(game.observe(each)), infos(game)[each]) for each in agents]
                return shown + (complaints(game) if actor in agents else [])

            theirs, own = seen(others), flat(game.observe(maker))
            table.discard = next(c for c in set_cards((1 << 25) - 1) if c != real)
            assert seen(others) == theirs, f"{table}"
            assert flat(game.observe(maker)) != own
            table.discard = real
            looked += 1
    assert looked > 100


# ---- illegal actions ----------------------------------------------------------------------------


def test_the_raw_environment_refuses_an_illegal_action_and_stays_as_it_was() -> None:
    game = raw_env({**PRESETS["house"], "max_deals": 2}, mask_in="info")
    owed = False
    for seed in range(4):
        game.reset(seed=seed)
        for _ in decisions(game, random.Random(seed)):
            owed |= game.last()[1] != 0
            before, before_infos = game.get_state(), infos(game)
            said = complaints(game)
            assert said[0] == "no such action: -1 (actions are 0 to 38)"
            assert said[-1] == "no such action: 39 (actions are 0 to 38)"
            assert all(re.search(r"\(R\d+\).*tried", sentence) for sentence in said[1:-1])
            for junk in (None, "pass", 2.0, 2**70, np.array([25, 26]), np.float32(25)):
                with pytest.raises(IllegalAction, match="no such action"):
                    game.step(junk)
            assert game.get_state() == before
            assert infos(game) == before_infos
    assert owed  # some of them while a reward was waiting for the agent


def test_the_first_illegal_call_is_named_with_its_rule() -> None:
    game = raw_env(dealer=0)
    game.reset(seed=1)
    with pytest.raises(IllegalAction, match=r"^East must pass or bid.*, tried alone$"):
        game.step(ALONE)
    game.step(ACTION_TEXT.index("bid 4"))
    with pytest.raises(IllegalAction, match=r"South must bid more than the standing bid 4 \(R5\)"):
        game.step(ACTION_TEXT.index("bid 4"))


@pytest.mark.parametrize("mask_in", ["obs", "info"])
@pytest.mark.parametrize("turn", [0, 3, 9, 20])
def test_the_wrapped_environment_ends_the_game_at_an_illegal_action(mask_in: str, turn: int) -> None:
    game = env(mask_in=mask_in)
    game.reset(seed=8)
    for n, (agent, observation) in enumerate(decisions(game, random.Random(8))):
        if n == turn:
            offender, illegal = agent, int(np.argmin(mask_of(game, observation)))
            owed = dict(game.unwrapped.get_state()["cumulative_rewards"])
            break
    game.step(illegal)
    assert game.rewards == {each: -1.0 if each == offender else 0 for each in SEAT_OF}
    assert set(game.terminations.values()) == set(game.truncations.values()) == {True}
    for agent in game.agent_iter():
        observation, reward, terminated, truncated, _ = game.last()
        assert terminated
        assert truncated
        assert reward == (-1 if agent == offender else owed[agent])
        assert not mask_of(game, observation).any()
        game.step(None)
    assert game.agents == []
    game.reset(seed=8)
    assert len(play(game, random.Random(1))) > 4


def test_an_action_outside_the_space_is_caught_by_the_wrapper() -> None:
    game = env()
    game.reset(seed=1)
    with pytest.raises(AssertionError, match="not in action space"):
        game.step(N_ACTIONS)


def test_stepping_the_dead_wants_none() -> None:
    game = raw_env("mini2", episode="deal")
    game.reset(seed=1)
    while not any(game.terminations.values()):
        game.step(int(game.last()[0]["action_mask"].argmax()))
    with pytest.raises(ValueError, match="only valid action is None"):
        game.step(25)


@pytest.mark.parametrize("kind", [int, np.int32, np.int64, np.int8])
@pytest.mark.parametrize("make", [raw_env, env])
def test_an_action_may_be_any_whole_number(make: Any, kind: Any) -> None:
    game, reference = make(episode="deal"), raw_env(episode="deal")
    for each in (game, reference):
        each.reset(seed=2)
    while not any(game.terminations.values()):
        action = int(reference.last()[0]["action_mask"].nonzero()[0][-1])
        game.step(kind(action))
        reference.step(action)
        assert flat(game.last()[0]) == flat(reference.last()[0])


# ---- spaces, state, text ------------------------------------------------------------------------

EXTREMES: list[dict[str, Any]] = [
    {},
    {"rules": {"target": 1000, "max_deals": 10_000}, "score": (999, -10_000)},
    {"rules": {"target": 1, "max_deals": 1, "hand_size": 1}, "score": (0, -10_000)},
    {"rules": "house", "score": (-9, 9)},
]


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("mask_in", ["obs", "info"])
@pytest.mark.parametrize("options", EXTREMES)
def test_the_spaces_contain_whatever_is_seen(options: Any, mask_in: str, dtype: str) -> None:
    game = env(mask_in=mask_in, dtype=dtype, history=mask_in == "obs", **options)
    for seed in range(4):
        game.reset(seed=seed)
        for n, agent in enumerate(game.agent_iter()):
            observation, _, terminated, truncated, info = game.last()
            assert game.observation_space(agent).contains(observation)
            assert game.state_space.contains(game.state())
            for other in SEAT_OF if n % 10 == 0 else ():
                assert game.observation_space(other).contains(game.observe(other))
            if mask_in == "info":
                assert info["action_mask"].dtype == np.int8
            legal = mask_of(game, observation).nonzero()[0]
            game.step(None if terminated or truncated else int(legal[seed % len(legal)]))
            if n == 300:
                break


def test_lone_big_peppers_reach_the_bounds_of_the_points() -> None:
    game = raw_env("house", episode="deal")
    low, high = observation_bounds()
    points = set()
    for seed in range(300):
        game.reset(seed=seed)
        rng = random.Random(seed)
        while not any(game.terminations.values()):
            legal = game.last()[0]["action_mask"].nonzero()[0]
            action = int(rng.choice(legal))
            if game.table.phase == AUCTION:
                action = BIG_PEPPER
            elif game.table.phase == NAME_TRUMP:  # the longest suit
                hand = int(game.table.hands[game.table.maker])
                action = TRUMP + max(range(4), key=lambda s: (hand >> 6 * s & 63).bit_count())
            elif game.table.phase == DISCARD:  # the shortest
                suit = game.table.trump
                action = min(map(int, legal), key=lambda c: (c // 6 == suit or c == 24, c % 6))
            elif ALONE in legal:
                action = ALONE
            game.step(action)
        seen = game.observe("player_0")["observation"]
        assert game.observation_space("player_0").contains(game.last()[0])
        points |= set(map(int, seen[LAYOUT["points"]]))
    assert min(points) == low[LAYOUT["points"]][0] == -24
    assert max(points) <= high[LAYOUT["points"]][0] == 24


def test_spaces_are_the_same_object_each_time_and_of_the_sizes_of_the_code() -> None:
    game = env(history=True)
    for agent in game.possible_agents:
        space = game.observation_space(agent)
        assert space is game.observation_space(agent)
        assert game.action_space(agent) is game.action_space(agent)
        assert game.action_space(agent) == gymnasium.spaces.Discrete(N_ACTIONS)
        assert game.action_space(agent).dtype == np.int64
        assert space["observation"].shape == (OBSERVATION_SIZE,)
        assert space["action_mask"] == gymnasium.spaces.Box(0, 1, (N_ACTIONS,), np.int8)
        assert space["history"].shape == (HISTORY,)
    assert game.state_space.shape == (STATE_SIZE,)
    assert len({id(game.action_space(agent)) for agent in game.possible_agents}) == 4


def test_observations_are_new_arrays_and_the_history_is_the_views() -> None:
    game = env(history=True)
    game.reset(seed=4)
    for agent, observation in decisions(game, random.Random(4)):
        again = game.observe(agent)
        for key, values in observation.items():
            assert np.array_equal(values, again[key])
            assert not np.shares_memory(values, again[key])
            again[key][:] = 0
        view = view_of(game.unwrapped.table, SEAT_OF[agent])
        assert np.array_equal(observation["history"], history_tokens(view))
        assert flat(game.observe(agent)) == flat(observation)
        assert not np.shares_memory(game.state(), game.state())


def test_both_dtypes_show_the_same_numbers() -> None:
    one, two = raw_env("house"), raw_env("house", dtype="float32")
    for game in (one, two):
        game.reset(seed=12)
    for (agent, small), (other, large) in zip(
        decisions(one, random.Random(1)), decisions(two, random.Random(1)), strict=True
    ):
        assert agent == other
        assert np.array_equal(small["observation"], large["observation"])
        assert np.array_equal(one.state(), two.state())


@pytest.mark.parametrize("seed", range(3))
def test_the_state_is_norths_observation_and_what_the_others_hold(seed: int) -> None:
    game = raw_env()
    game.reset(seed=seed)
    for _ in decisions(game, random.Random(seed)):
        state, table = game.state(), game.table
        assert np.array_equal(state[:OBSERVATION_SIZE], game.observe("player_0")["observation"])
        hidden = [set(part.nonzero()[0]) for part in np.split(state[OBSERVATION_SIZE:], 5)]
        assert hidden[:3] == [set(set_cards(table.hands[s])) for s in (1, 2, 3)]
        assert hidden[3] == {int(table.widow)}
        assert hidden[4] == ({int(table.discard)} if table.discard != NO_CARD else set())


def test_the_text_shows_all_hands_and_rendering_without_a_mode_warns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = env(render_mode="ansi")
    game.reset(seed=1)
    text = game.render()
    assert text == text_picture(game.unwrapped.table)
    for hand in game.unwrapped.table.hands:
        assert all(card_text(card) in text for card in set_cards(hand))
    assert capsys.readouterr().out == ""
    game = env(render_mode="human")
    game.reset(seed=1)
    assert capsys.readouterr().out == text + "\n"
    game.step(25)
    assert "pass" in capsys.readouterr().out
    assert game.render() is None
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    capsys.readouterr()
    game.render()
    assert capsys.readouterr().out == text_picture(game.unwrapped.table, colour=True) + "\n"
    monkeypatch.setenv("NO_COLOR", "1")
    game.render()
    assert capsys.readouterr().out == text_picture(game.unwrapped.table) + "\n"
    game = env()
    game.reset(seed=1)
    with pytest.warns(UserWarning, match="without specifying any render mode"):
        assert game.render() is None


def test_the_frames_have_one_size_and_show_the_table() -> None:
    game = env(rules="mini2", render_mode="rgb_array", episode="deal")
    game.reset(seed=5)
    frames = []
    for _ in decisions(game, random.Random(5)):
        frames.append(game.render())
        assert np.array_equal(frames[-1], pixels(game.unwrapped.table))
    frames.append(game.render())
    assert {frame.shape for frame in frames} == {(736, 1000, 3)}
    assert {frame.dtype for frame in frames} == {np.dtype(np.uint8)}
    assert len({frame.tobytes() for frame in frames}) == len(frames) > 8
    assert "(736, 1000, 3)" in (hasenpfeffer_v0.__doc__ or "")


# ---- name and page ------------------------------------------------------------------------------


def test_it_is_found_by_name() -> None:
    make = getattr(pettingzoo, "make", lambda kind, name, **options: env(**options))
    for name in ("hpenv/hasenpfeffer_v0", "hpenv/hasenpfeffer-v0", "hpenv/hasenpfeffer"):
        game = make("aec", name, rules="mini2", dtype="float32")
        game.reset(seed=1)
        assert type(game) is type(env())
        assert game.unwrapped.rules.hand_size == 2
        assert game.last()[0]["observation"].dtype == np.float32


def test_its_text_is_its_name() -> None:
    assert str(env()) == str(raw_env()) == env().metadata["name"] == "hasenpfeffer_v0"
    assert env().metadata["name"] == Path(str(hasenpfeffer_v0.__file__)).stem
    assert env().metadata["is_parallelizable"] is False
    assert isinstance(env().unwrapped, raw_env)
    assert env().possible_agents == list(SEAT_OF)


def test_calls_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(AssertionError, match="reset"):
        env().step(25)
    with pytest.raises(AttributeError, match="reset"):
        env().agents  # noqa: B018


def test_the_pages_numbers_are_the_codes() -> None:
    page = importlib.import_module("hpenv.hasenpfeffer_v0").__doc__ or ""
    assert observation_table() in page
    assert "{" not in page
    game = env()
    rows = dict(re.findall(r"^\| ([A-Z][A-Za-z ]+?) +\| (.+?) +\|$", page, re.M))
    assert rows["Action Values"] == f"Discrete({game.action_space('player_0').n})"
    box = game.observation_space("player_0")["observation"]
    assert rows["Observation Shape"] == str(box.shape)
    assert rows["Observation Values"] == f"[{box.low.min()}, {box.high.max()}]"
    assert rows["State Shape"] == str(game.state_space.shape)
    hidden = re.findall(r"^\| (\d+)-(\d+) \| `(\w+)` \| (\d+) \|", page.split("critics only")[1], re.M)
    assert [name for _, _, name, _ in hidden] == [piece[0] for piece in HIDDEN_PIECES]
    assert int(hidden[0][0]) == OBSERVATION_SIZE
    assert int(hidden[-1][1]) == STATE_SIZE - 1
    assert sum(int(size) for *_, size in hidden) == HIDDEN_SIZE


def test_the_pages_action_table_names_each_action_once() -> None:
    page = hasenpfeffer_v0.__doc__ or ""
    table = page.split("### Action Space")[1].split("###")[0]
    listed: list[str] = []
    for first, last, texts in re.findall(r"^\| (\d+)(?:-(\d+))? \| ([^:]+):", table, re.M):
        named = texts.split(", ")
        assert int(first) == len(listed)
        assert len(named) == int(last or first) - int(first) + 1
        listed += named
    assert listed == ACTION_TEXT
