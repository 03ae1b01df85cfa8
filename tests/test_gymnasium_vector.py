"""Many tables for Gymnasium play the same episodes as one, in either way of starting the next one."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from hpenv.actions import ALONE, N_ACTIONS
from hpenv.batch import Batch
from hpenv.observation import LAYOUT, OBSERVATION_SIZE
from hpenv.rules import PRESETS

ID = "hpenv:Hasenpfeffer-v0"
B = 5


def made(n: int = B, **options: Any) -> Any:
    """Many tables, quick agents at them."""
    chosen = {"opponents": "uniform", "partner": "uniform", "episode": "deal"} | options
    return gymnasium.make_vec(ID, num_envs=n, **chosen)


def choose(masks: Any, rng: np.random.Generator) -> Any:
    """A random legal action at each table, drawn for all tables; 0 where there is none."""
    return (masks * rng.random(masks.shape)).argmax(axis=1)


@pytest.mark.parametrize("mask_in", ["info", "obs"])
def test_spaces_and_metadata(mask_in: str) -> None:
    envs = made(mask_in=mask_in, autoreset_mode="disabled")
    assert envs.metadata["autoreset_mode"] is envs.autoreset_mode is AutoresetMode.DISABLED
    assert made().autoreset_mode is AutoresetMode.SAME_STEP
    seen, infos = envs.reset(seed=1)
    assert seen in envs.observation_space
    assert envs.action_space.shape == (B,)
    assert infos["_action_mask"].all()
    seen, rewards, terminated, truncated, infos = envs.step(
        choose(infos["action_mask"], np.random.default_rng(1))
    )
    assert seen in envs.observation_space
    assert (rewards.dtype, terminated.dtype, truncated.dtype) == (np.float64, np.bool_, np.bool_)
    np.testing.assert_array_equal(envs.unwrapped.action_masks(), infos["action_mask"] == 1)
    bits = envs.unwrapped.legal[:, None] >> np.arange(N_ACTIONS) & 1
    np.testing.assert_array_equal(bits, infos["action_mask"])
    if mask_in == "obs":
        np.testing.assert_array_equal(seen["action_mask"], infos["action_mask"])
        assert seen["observation"].shape == (B, OBSERVATION_SIZE)


def test_the_deals_are_those_of_a_batch() -> None:
    envs, batch = made(partner=None), Batch(B, seed=3)
    envs.reset(seed=3)
    np.testing.assert_array_equal(envs.unwrapped.tables["pack"], batch.tables["pack"])


@pytest.mark.parametrize(
    "options", [{}, {"partner": None, "episode": "game", "rules": {"hand_size": 2, "max_deals": 3}}]
)
def test_each_table_plays_as_one_by_itself(options: Any) -> None:
    seeds = [11, 5, 2**40, 8, 11]
    envs = made(autoreset_mode="same_step", **options)
    singles = [
        gymnasium.make(
            ID, **{"opponents": "uniform", "partner": "uniform", "episode": "deal"} | options
        )
        for _ in seeds
    ]
    seen, infos = envs.reset(seed=seeds)
    for i, (single, seed) in enumerate(zip(singles, seeds, strict=True)):
        np.testing.assert_array_equal(single.reset(seed=seed)[0], seen[i])
    rng = np.random.default_rng(1)
    ended = 0
    for _ in range(60):
        actions = choose(infos["action_mask"], rng)
        seen, rewards, terminated, truncated, infos = envs.step(actions)
        for i, single in enumerate(singles):
            own, reward, over, cut, info = single.step(actions[i])
            assert (reward, over, cut) == (rewards[i], terminated[i], truncated[i])
            if over or cut:
                ended += 1
                np.testing.assert_array_equal(own, infos["final_obs"][i])
                assert infos["_final_obs"][i]
                own, info = single.reset()
            np.testing.assert_array_equal(own, seen[i])
            np.testing.assert_array_equal(info["action_mask"], infos["action_mask"][i])
    assert ended > B


@pytest.mark.parametrize("preset", PRESETS)
def test_both_ways_of_starting_anew_give_the_same_episodes(preset: str) -> None:
    """And the learner's return is what its side scored, as its last observation has it."""
    options: Any = {"rules": preset, "partner": None, "episode": "game", "mask_in": "obs"}
    same = made(autoreset_mode="same_step", **options)
    by_hand = made(autoreset_mode=AutoresetMode.DISABLED, **options)
    seen, _ = same.reset(seed=4)
    other, _ = by_hand.reset(seed=4)
    rng = np.random.default_rng(2)
    returns = np.zeros(B)
    for _ in range(80):
        for name in seen:
            np.testing.assert_array_equal(seen[name], other[name])
        actions = choose(seen["action_mask"], rng)
        seen, rewards, terminated, truncated, infos = same.step(actions)
        other, rewards2, terminated2, truncated2, _ = by_hand.step(actions)
        np.testing.assert_array_equal(rewards, rewards2)
        np.testing.assert_array_equal(terminated, terminated2)
        np.testing.assert_array_equal(truncated, truncated2)
        ended = terminated | truncated
        returns += rewards
        for i in np.flatnonzero(ended):
            last = infos["final_obs"][i]["observation"]
            np.testing.assert_array_equal(last, other["observation"][i])
            mine, theirs = last[LAYOUT["score"]]
            assert returns[i] == int(mine) - int(theirs)
            assert not other["action_mask"][i].any()
            assert not infos["final_obs"][i]["action_mask"].any()
            returns[i] = 0
        if ended.any():
            other, _ = by_hand.reset(options={"reset_mask": ended})


def test_the_others_play_on_where_one_action_is_illegal() -> None:
    for mode in ("same_step", "disabled"):
        envs = made(autoreset_mode=mode, episode="game")
        _, infos = envs.reset(seed=1)
        actions = choose(infos["action_mask"], np.random.default_rng(1))
        actions[2] = ALONE
        _, rewards, terminated, _, infos = envs.step(actions)
        assert rewards[2] == -24
        assert terminated[2]
        assert not np.delete(terminated, 2).any()
        assert infos["action_mask"][2].any() == (mode == "same_step")
        if mode == "same_step":
            assert infos["_final_obs"].tolist() == [False, False, True, False, False]
            assert infos["final_obs"][2].shape == (OBSERVATION_SIZE,)


def test_a_table_that_is_over_waits_to_be_reset() -> None:
    envs = made(autoreset_mode="disabled")
    envs.reset(seed=1)
    envs.step(np.full(B, ALONE))
    with pytest.raises(ValueError, match="the episode at table 0 is over: reset it first"):
        envs.step(np.full(B, ALONE))
    before = envs.unwrapped.tables[1:].tobytes()
    mask = np.arange(B) == 0
    _, infos = envs.reset(options={"reset_mask": mask})
    assert infos["action_mask"].any(axis=1).tolist() == mask.tolist()
    assert envs.unwrapped.tables[1:].tobytes() == before


def test_wrong_arguments_are_refused_in_a_sentence() -> None:
    envs = made(autoreset_mode="disabled")
    with pytest.raises(ValueError, match="the first reset is for all tables"):
        envs.reset(options={"reset_mask": np.arange(B) == 0})
    envs.reset(seed=1)
    for mask, kind in (([True] * B, TypeError), (np.zeros(B, bool), ValueError)):
        with pytest.raises(kind, match="reset_mask"):
            envs.reset(options={"reset_mask": mask})
    with pytest.raises(ValueError, match="seed: 2 given for 5 tables"):
        envs.reset(seed=[1, 2])
    for actions, kind, sentence in (
        (np.zeros(B + 1, int), ValueError, r"actions has shape \(6,\), not \(5,\)"),
        (np.zeros(B), TypeError, "actions are float64, not whole numbers"),
        (np.full(B, N_ACTIONS), ValueError, "table 0: no such action: 39"),
    ):
        with pytest.raises(kind, match=sentence):
            envs.step(actions)
    with pytest.raises(
        ValueError, match="autoreset_mode='next_step' is not one of same_step, disabled"
    ):
        made(autoreset_mode="next_step")
