"""Best responses: the run meets nobody but the agent, and finds a weakness that was planted."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from hpenv.agents.learned import load_policy
from hpenv.agents.rule_based import RuleBased
from hpenv.training.benchmark.best_response import best_response, response_args
from hpenv.training.checkpoint import read_checkpoint, write_checkpoint
from hpenv.training.cli.main import main
from hpenv.training.ppo import Learner
from hpenv.training.self_play import new_self_play
from small_runs import finished_run


def test_the_agent_is_the_only_opponent_and_one_side_is_always_its_own(tmp_path: Path) -> None:
    args = replace(response_args("rule_based", "mini3", 10, tmp_path, 1, None), num_envs=12)
    learner, self_play = Learner(args, torch.device("cpu")), new_self_play(args)
    for update in range(3):
        learner.pool.remember(learner.policy, update)
    opponents = learner.pool.chosen(learner.policy, 4)
    assert [type(opponent) for opponent in opponents] == [RuleBased]
    self_play.seat_opponents(opponents)
    assert np.array_equal(np.unique(self_play.players, axis=0), [[0, 1, 0, 1], [1, 0, 1, 0]])


def test_a_planted_weakness_is_found(tmp_path: Path) -> None:
    # `highest` makes the top bid at the first call whatever it holds and is set (R15): who only passes
    # gains 2.2 points of each deal under mini3. So must the response, from 60,000 timesteps.
    args = response_args("scripted:highest", "mini3", 60_000, tmp_path / "run", 1, None)
    small = replace(
        args,
        num_envs=64,
        num_steps=16,
        minibatch_size=256,
        num_threads=1,
        save_interval=60_000,
        eval_deals=60,
    )
    response = best_response("scripted:highest", small, deals=400)
    found = response.as_json()
    begins = "lower bound on exploitability of scripted:highest under mini3: +"
    assert response.sentence().startswith(begins)
    assert response.sentence().endswith("loses at least that much to some opponent")
    assert found["low"] > 1
    assert found["response"] == f"learned:{tmp_path / 'run'}"
    assert found["timesteps"] >= 60_000


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("rule_basd", "did you mean rule_based?"),
        ("oracle_all", "sees hidden cards"),
        ("rule_based --deals 0", "deals: 0"),
        ("rule_based --rules nope", "no preset 'nope'"),
        ("rule_based --total-timesteps 0", "total_timesteps"),
        ("rule_based --init-from no/such", "no/such"),
    ],
)
def test_wrong_input_is_one_sentence_and_leaves_nothing(
    words: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert main(["exploit", *words.split(), "--run-dir", str(out)]) == 2
    said = capsys.readouterr()
    assert says in said.err.replace("total-timesteps", "total_timesteps")
    assert said.out == ""
    assert not out.exists()


def test_a_response_may_begin_with_networks_of_other_sizes(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run", hidden_sizes=(12, 8), critic_hidden_sizes=(6, 4))
    args = response_args("rule_based", "mini2", 10, tmp_path / "response", 1, run)
    found = best_response(
        "rule_based", replace(args, num_envs=8, num_threads=1, eval_deals=10), deals=10
    )
    policy, facts = load_policy(found.folder / "policy")
    assert policy.sizes[1:-1] == [12, 8]
    assert facts["init_from"]["seed"] == 1
    write_checkpoint(run, read_checkpoint(run) | {"options": "{}"})
    with pytest.raises(ValueError, match="run: its options are those of another version of hpenv"):
        response_args("rule_based", "mini2", 10, None, 1, run)


def test_the_command_reports_a_lower_bound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["exploit", "uniform", "--rules", "mini2", "--total-timesteps", "1", "--deals", "60"]
    assert main([*words, "--run-dir", str(tmp_path / "run"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert {"gain", "low", "high", "deals"} <= found.keys()
    assert found["measure"] == "lower bound on exploitability"
