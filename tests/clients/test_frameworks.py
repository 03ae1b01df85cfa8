"""Frameworks that share one environment: `make test-clients`. Their own checks, and the examples."""

from __future__ import annotations

import random
from importlib.metadata import version
from typing import Any

import gymnasium
import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms.best_response import BestResponsePolicy
from stable_baselines3.common.env_checker import check_env
from torchrl.envs import GymWrapper
from torchrl.envs.utils import check_env_specs

from hpenv.clients import openspiel
from hpenv.gymnasium_envs import HasenpfefferVectorEnv
from hpenv.notation import record_of, replay
from hpenv.rules import PRESETS
from hpenv.training.clients import (
    maskable_ppo,
    openspiel_ismcts,
    supersuit_vector,
    tianshou_dqn,
    torchrl_pettingzoo,
    torchrl_ppo,
)
from hpenv.training.clients.table import releases

QUICK = {"opponents": "uniform", "partner": "uniform"}


def test_these_are_the_releases_of_the_table() -> None:
    assert {name: version(name).split("+")[0] for name in releases("frameworks")} == releases(
        "frameworks"
    )


# ---- the frameworks -------------------------------------------------------------------------------


@pytest.mark.parametrize("mask_in", ["info", "obs"])
@pytest.mark.filterwarnings("ignore")
def test_check_env_of_sb3(mask_in: str) -> None:
    check_env(gymnasium.make("hpenv:Hasenpfeffer-v0", mask_in=mask_in, **QUICK).unwrapped)


def test_check_env_specs_of_torchrl() -> None:
    options: Any = {"autoreset_mode": "disabled", "mask_in": "obs", "dtype": "float32"}
    check_env_specs(GymWrapper(HasenpfefferVectorEnv(8, **QUICK, **options)))


def test_maskable_ppo_learns() -> None:
    """And at many tables it chooses legal actions only: an illegal one would cost 24 points."""
    maskable_ppo.train_at_one(256)
    model, _ = maskable_ppo.train_at_many(20_000, tables=256)
    returns = [episode["r"] for episode in model.ep_info_buffer]
    assert len(returns) == 100
    assert min(returns) > -24


def test_torchrl_learns() -> None:
    assert abs(torchrl_ppo.train(updates=3)) < 24
    assert torchrl_pettingzoo.train(updates=2) > 0


def test_tianshou_learns() -> None:
    losses = tianshou_dqn.train(steps=200, updates=2)
    assert losses
    assert np.isfinite(list(losses.values())).all()


@pytest.mark.filterwarnings("ignore")
def test_supersuit_wraps() -> None:
    assert supersuit_vector.play_many() == 0
    assert supersuit_vector.stack() == (3 * 440,)


# ---- OpenSpiel ------------------------------------------------------------------------------------


def load(**parameters: Any) -> Any:
    text = ",".join(f"{name}={value}" for name, value in parameters.items())
    return pyspiel.load_game(f"{openspiel.NAME}({text})")


def random_state(game: Any, rng: random.Random, steps: int) -> Any:
    """A state some random steps from the beginning, the end if it comes before."""
    state = game.new_initial_state()
    for _ in range(steps):
        if state.is_terminal():
            break
        state.apply_action(rng.choice(state.legal_actions()))
    return state


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("episode", ["deal", "game"])
def test_random_sim_test(preset: str, episode: str) -> None:
    game = load(rules=preset, episode=episode, max_deals=4)
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)


def test_parameters_of_openspiel() -> None:
    for preset, rules in PRESETS.items():
        assert load(rules=preset).rules == rules
    assert load(hand_size=2, alone=0, bidding="pepper").rules.differences() == {
        "hand_size": 2,
        "alone": False,
        "bidding": "pepper",
    }
    with pytest.raises(Exception, match="no preset 'mini9'"):
        load(rules="mini9")


@pytest.mark.parametrize("preset", PRESETS)
def test_returns_are_the_engines(preset: str) -> None:
    """The deal that OpenSpiel played, played again by the engine from its record."""
    game, rng = load(rules=preset), random.Random(1)
    for _ in range(20):
        state = random_state(game, rng, 1000)
        points = replay(record_of(state.table)).points
        assert state.returns() == [points[0] - points[1], points[1] - points[0]] * 2


def test_resampled_states_look_the_same_and_differ() -> None:
    game, rng = load(rules="house"), random.Random(1)
    for steps in range(25, 50):
        state = random_state(game, rng, steps)
        if state.is_terminal():
            continue
        player = rng.randrange(4)
        twins = [state.resample_from_infostate(player, rng.random) for _ in range(5)]
        for twin in twins:
            assert twin.information_state_string(player) == state.information_state_string(player)
            assert twin.observation_tensor(player) == state.observation_tensor(player)
            assert twin.legal_actions() == state.legal_actions() or twin.current_player() != player
        assert len({str(twin) for twin in twins}) > 1 or steps > 45


def test_ismcts_and_mccfr_of_openspiel() -> None:
    points = openspiel_ismcts.play(simulations=5)
    assert points[0] == points[2] == -points[1] == -points[3]
    assert openspiel_ismcts.learn(3) > 50


def test_best_response_of_openspiel() -> None:
    """One card each: the dealer's partner wins something of players at random, but less than a trick
    is worth to both sides."""
    game = load(rules="set_bid", hand_size=1, dealer="N", alone=0)
    response = BestResponsePolicy(game, 2, policy.UniformRandomPolicy(game))
    assert 0 < response.value(game.new_initial_state()) < 2
