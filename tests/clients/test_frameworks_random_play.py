"""100,000 random legal actions through every form of the game: none is illegal, and every seat's return
is what the engine's table says its side scored."""

from __future__ import annotations

import random
from typing import Any

import gymnasium
import numpy as np
import pyspiel
import pytest

from hpenv import hasenpfeffer_v0
from hpenv.batch import Batch, choose_uniformly
from hpenv.clients import openspiel
from hpenv.clients.sb3 import TablesVecEnv
from hpenv.hasenpfeffer_parallel_v0 import parallel_env
from hpenv.observation import LAYOUT
from hpenv.rulebook import is_truncated, new_game, next_deal
from hpenv.rules import PRESETS, get_rules
from hpenv.seats import NOBODY
from hpenv.table import new_tables
from masked_play import ILLEGAL, STEPS, choose, margins

SHARE = STEPS // len(PRESETS)
QUICK = {"opponents": "uniform", "partner": "uniform"}


@pytest.mark.parametrize("preset", PRESETS)
def test_batch(preset: str) -> None:
    """Against single tables that are dealt and played by hand."""
    n = 8
    batch, rules = Batch(n, preset, seed=5), get_rules(preset)
    singles = [new_tables(1, rules, 5, i)[0] for i in range(n)]
    for table in singles:
        new_game(table, NOBODY, 0, 0)
    streams, actions = np.arange(n, dtype=np.uint64), np.zeros(n, np.int64)
    ended = 0
    for _ in range(SHARE // n):
        choose_uniformly(batch.legal, streams, actions)
        batch.step(actions)
        for i, table in enumerate(singles):
            assert batch.deal_over[i] == (not table.step(int(actions[i])) and table.is_over)
            margin = int(table.points[0]) - int(table.points[1]) if table.is_over else 0
            assert batch.rewards[i].tolist() == [margin, -margin] * 2
            over = bool(table.is_over and (table.winner != NOBODY or is_truncated(table)))
            assert over == (batch.terminated[i] or batch.truncated[i])
            if over:
                new_game(table, NOBODY, 0, 0)
                ended += 1
            elif table.is_over:
                next_deal(table)
    assert ended > 0


@pytest.mark.parametrize("preset", PRESETS)
def test_pettingzoo_in_turns_and_parallel(preset: str) -> None:
    env, turns = hasenpfeffer_v0.env(rules=preset), parallel_env(rules=preset)
    rng, steps = random.Random(1), 0
    while steps < SHARE:
        env.reset(seed=steps)
        turns.reset(seed=steps)
        totals = np.zeros((2, 4))
        while turns.agents:
            legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
            action = int(rng.choice(legal))
            env.step(action)
            _, rewards, _, _, _ = turns.step(dict.fromkeys(turns.agents, action))
            totals += [list(env.rewards.values()), list(rewards.values())]
            steps += 1
        score = [int(points) for points in env.unwrapped.table.score]
        expected = [score[0] - score[1], score[1] - score[0]] * 2
        np.testing.assert_array_equal(totals, [expected] * 2)


def test_gymnasium_at_one_table() -> None:
    env, rng = gymnasium.make("hpenv:Hasenpfeffer-v0", **QUICK), np.random.default_rng(1)
    _, info = env.reset(seed=1)
    total, episodes = 0.0, 0
    for _ in range(STEPS):
        _, reward, terminated, truncated, info = env.step(int(choose(info["action_mask"], rng)))
        total += float(reward)
        assert reward != ILLEGAL
        if terminated or truncated:
            score = env.unwrapped.table.score
            assert total == score[0] - score[1]
            total, episodes = 0.0, episodes + 1
            _, info = env.reset()
    assert episodes > 100


@pytest.mark.parametrize("mode", ["same_step", "disabled"])
def test_gymnasium_at_many_tables(mode: str) -> None:
    """The last observation of an episode has its points. Half a million decisions."""
    envs: Any = gymnasium.make_vec(
        "hpenv:Hasenpfeffer-v0", 256, episode="deal", autoreset_mode=mode, **QUICK
    )
    rng, returns, episodes = np.random.default_rng(1), np.zeros(256), 0
    _, infos = envs.reset(seed=1)
    for _ in range(2000):
        seen, rewards, terminated, truncated, infos = envs.step(choose(infos["action_mask"], rng))
        assert not (rewards == ILLEGAL).any()
        returns += rewards
        ended = terminated | truncated
        if ended.any():
            last = np.stack(infos["final_obs"][ended]) if mode == "same_step" else seen[ended]
            np.testing.assert_array_equal(returns[ended], margins(last))
            episodes += int(ended.sum())
            returns[ended] = 0
            if mode == "disabled":
                _, infos = envs.reset(options={"reset_mask": ended})
    assert episodes > 10_000


def test_sb3s_vector_env() -> None:
    """A million decisions; the last observation of an episode has the score."""
    envs, rng = TablesVecEnv(512, **QUICK), np.random.default_rng(1)
    envs.seed(1)
    envs.reset()
    episodes = 0
    for _ in range(2000):
        masks = np.stack(envs.env_method("action_masks"))
        _, rewards, over, infos = envs.step(choose(masks, rng))
        assert not (rewards == ILLEGAL).any()
        for i in np.flatnonzero(over):
            mine, theirs = infos[i]["terminal_observation"][LAYOUT["score"]].astype(int)
            clipped = max(abs(mine), abs(theirs)) == 100
            assert clipped or infos[i]["episode"]["r"] == mine - theirs
            episodes += 1
    assert episodes > 1000


@pytest.mark.parametrize("preset", PRESETS)
def test_openspiel(preset: str) -> None:
    game = pyspiel.load_game(f"{openspiel.NAME}(rules={preset},episode=game)")
    rng, steps = random.Random(1), 0
    while steps < SHARE:
        state, totals = game.new_initial_state(), np.zeros(4)
        while not state.is_terminal():
            decided = not state.is_chance_node()
            state.apply_action(rng.choice(state.legal_actions()))
            if decided:
                totals += state.rewards()
                steps += 1
        score = [int(points) for points in state.table.score]
        assert state.returns() == [score[0] - score[1], score[1] - score[0]] * 2
        assert totals.tolist() == state.returns()
