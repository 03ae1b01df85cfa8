"""Ray: RLlib on a local cluster of two env runners, where an illegal action in the raw environment is
an error; and a tournament on two workers."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import numpy as np
from pyarrow import parquet

from hpenv.clients import rllib
from hpenv.hasenpfeffer_v0 import AGENTS
from hpenv.training.benchmark.ladder import RECORDS, Plan, play_tournament
from hpenv.training.benchmark.ladder_ray import on_ray
from hpenv.training.clients import rllib_ppo
from hpenv.training.clients.table import releases
from masked_play import STEPS, assert_is_return, choose


def test_these_are_the_releases_of_the_table() -> None:
    assert {name: version(name).split("+")[0] for name in releases("rllib")} == releases("rllib")


def test_it_runs() -> None:
    result = rllib_ppo.train()["env_runners"]
    assert result["num_episodes"] > 0
    assert abs(result["episode_return_mean"]) < 24


def test_random_play() -> None:
    """100,000 actions: none is illegal, and every seat's return is what the table says."""
    env, rng = rllib.env(episode="deal"), np.random.default_rng(1)
    table, space = env.env.unwrapped.table, env.observation_spaces["player_0"]
    seen, _ = env.reset(seed=1)
    returns, deals = dict.fromkeys(AGENTS, 0.0), 0
    for _ in range(STEPS):
        [(agent, observed)] = seen.items()
        assert space.contains(observed)
        action = int(choose(observed["action_mask"], rng))
        seen, rewards, ends, _, _ = env.step({agent: action})
        for each, reward in rewards.items():
            returns[each] += reward
        if ends["__all__"]:
            assert_is_return(list(returns.values()), table)
            returns, deals = dict.fromkeys(AGENTS, 0.0), deals + 1
            seen, _ = env.reset()
    assert deals > STEPS // 100


def test_a_tournament_on_two_workers_is_the_one_of_a_single_process(tmp_path: Path) -> None:
    plan = Plan(("uniform", "sensible_random", "rule_based"), "mini3", 1500, 4)
    alone, on_two = tmp_path / "alone", tmp_path / "two"
    play_tournament(plan, alone)
    steps: list[tuple[int, int]] = []
    play_tournament(plan, on_two, 2, lambda *step: steps.append(step), on_ray("local"))
    assert len(list((on_two / "parts").iterdir())) == 6
    assert (steps[0], steps[-1]) == ((0, 4500), (4500, 4500))
    assert parquet.read_table(on_two / RECORDS).equals(parquet.read_table(alone / RECORDS))
