"""What the PettingZoo environment shows: spaces, state, text, frames, its name and its page."""

from __future__ import annotations

import importlib
import random
import re
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest

from episodes import SEAT_OF, decisions, flat, mask_of
from hpenv import hasenpfeffer_v0
from hpenv.actions import ACTION_TEXT, ALONE, BIG_PEPPER, N_ACTIONS, TRUMP
from hpenv.cards import NO_CARD, card_text, set_cards
from hpenv.drawing.ansi import text_picture
from hpenv.drawing.raster import pixels
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
from hpenv.rulebook import AUCTION, DISCARD, NAME_TRUMP
from hpenv.spec import observation_table
from hpenv.table import HISTORY
from hpenv.view import view_of

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


def test_pettingzoo_makes_it_by_name() -> None:
    make = getattr(pettingzoo, "make", lambda kind, name, **options: env(**options))
    for name in ("hpenv/hasenpfeffer_v0", "hpenv/hasenpfeffer-v0", "hpenv/hasenpfeffer"):
        game = make("aec", name, rules="mini2", dtype="float32")
        game.reset(seed=1)
        assert type(game) is type(env())
        assert game.unwrapped.rules.hand_size == 2
        assert game.last()[0]["observation"].dtype == np.float32


def test_str_is_its_name() -> None:
    assert str(env()) == str(raw_env()) == env().metadata["name"] == "hasenpfeffer_v0"
    assert env().metadata["name"] == Path(str(hasenpfeffer_v0.__file__)).stem
    assert env().metadata["is_parallelizable"] is False
    assert isinstance(env().unwrapped, raw_env)
    assert env().possible_agents == list(SEAT_OF)


def test_calls_in_the_wrong_order_are_errors() -> None:
    with pytest.raises(AssertionError, match="reset"):
        env().step(25)
    with pytest.raises(AttributeError, match="reset"):
        env().agents  # noqa: B018


def test_the_numbers_on_the_page_are_those_of_the_code() -> None:
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
