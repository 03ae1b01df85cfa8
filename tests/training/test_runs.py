"""What a run leaves, what it refuses, and that it learns."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from hpenv.agents.agent import make_agent
from hpenv.agents.learned import Learned
from hpenv.batch import Batch
from hpenv.training.benchmark.matches import duplicate_match
from hpenv.training.demo import DemoArgs, demo, two_digits
from hpenv.training.options import Args
from hpenv.training.ppo import Diverged, Learner, train
from hpenv.training.run_folder import begin_run, fresh_folder
from hpenv.training.self_play import frozen
from small_runs import assert_same_policy, curves, finished_run, finite, small

Printed = pytest.CaptureFixture[str]


def test_a_run_leaves_options_curves_and_a_policy_that_plays(tmp_path: Path, capsys: Printed) -> None:
    run = tmp_path / "run"
    learner = train(small(run, rules=("mini2", "house")))
    options = json.loads((run / "options.json").read_text(encoding="utf-8"))
    assert options["num_envs"] == 16
    assert set(options) == {field.name for field in dataclasses.fields(Args)}
    logged = curves(run)
    for tag in (
        "charts/learning_rate",
        "charts/ent_coef",
        "charts/points_per_deal",
        "charts/own_share",
        "losses/policy_loss",
        "losses/value_loss",
        "losses/entropy",
        "losses/approx_kl",
        "losses/clipfrac",
        "losses/policy_grad_norm",
        "losses/value_grad_norm",
        "losses/explained_variance",
        "eval/rule_based/mini2/points",
        "eval/sensible_random/house/won",
    ):
        assert logged.pop(tag), tag
    events = EventAccumulator(str(run)).Reload().Tags()
    assert {"charts/SPS", "charts/torch_share"} <= set(events["scalars"])
    assert "eval/rule_based/house/bids" in events["histograms"]
    assert {"options/text_summary", "custom_scalars__config__"} <= set(events["tensors"])
    agent = make_agent(f"learned:{run}")
    assert isinstance(agent, Learned)
    saved = agent.network.state_dict()
    for name, tensor in learner.policy.state_dict().items():
        assert torch.equal(tensor.half().float(), saved[name])
    said = capsys.readouterr().err
    assert said.endswith(
        f"finished: {learner.timesteps:,} timesteps; the policy is {run}/policy.safetensors\n"
        f"  play against it:  hpenv play --opponents learned:{run}\n"
        f"  measure it:       hpenv evaluate learned:{run} rule_based\n"
    )


def test_the_last_evaluation_is_of_the_policy_at_the_end(tmp_path: Path) -> None:
    learner = train(
        small(tmp_path / "run", rules=("mini2",), total_timesteps=2_000, eval_interval=10**9)
    )
    points = curves(tmp_path / "run")["eval/rule_based/mini2/points"]
    assert [step for step, _ in points] == [learner.timesteps]
    match = duplicate_match(Learned(frozen(learner.policy)), "rule_based", "mini2", 60, 20_000_001)
    assert points[0][1] == pytest.approx(match.mean)


def test_a_policy_says_how_it_came_about(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run", seed=9)
    facts = json.loads((run / "policy.json").read_text(encoding="utf-8"))
    weights = (run / "policy.safetensors").read_bytes()
    assert facts["sha256"] == hashlib.sha256(weights).hexdigest()
    assert facts["seed"] == 9
    assert facts["command"].startswith(f"hpenv train --run-dir {run} --rules mini2 --seed 9 ")
    assert {"timesteps", "updates", "seconds", "processes", "written", "options"} <= set(facts)


def test_a_run_can_begin_with_the_networks_of_another(tmp_path: Path) -> None:
    first = train(small(tmp_path / "first", total_timesteps=600))
    still = {"total_timesteps": 1, "learning_rate": 0.0, "final_learning_rate": 0.0}
    second = train(small(tmp_path / "second", init_from=tmp_path / "first", **still))
    assert_same_policy(first, second)
    first_facts, facts = (
        json.loads((tmp_path / name / "policy.json").read_text(encoding="utf-8"))
        for name in ("first", "second")
    )
    origin = facts["init_from"]
    assert (origin["command"], origin["sha256"]) == (first_facts["command"], first_facts["sha256"])
    assert "init_from" not in first_facts


def test_a_run_can_begin_with_the_networks_of_a_narrower_one(tmp_path: Path) -> None:
    first = train(small(tmp_path / "first", total_timesteps=600))
    begin = {"init_from": tmp_path / "first", "total_timesteps": 1}
    wider = {"hidden_sizes": (24, 40), "critic_hidden_sizes": (30, 50)}
    still = {"learning_rate": 0.0, "final_learning_rate": 0.0}
    second = train(small(tmp_path / "second", **begin, **wider, **still))
    batch = Batch(64, "standard", seed=1, with_hidden=True)
    observations, hidden = torch.from_numpy(batch.observations), torch.from_numpy(batch.hidden)
    for before, after, inputs in (
        (first.policy, second.policy, (observations,)),
        (first.critic, second.critic, (observations, hidden)),
    ):
        torch.testing.assert_close(after(*inputs), before(*inputs), rtol=1e-5, atol=1e-6)
    moved = train(small(tmp_path / "moved", **begin, **wider)).policy.layers[2]
    assert moved.weight[:, 16:].abs().sum() > 0  # the units added have learned something


@pytest.mark.parametrize("sizes", [(8, 8), (16,), (16, 16, 16)])
def test_networks_that_do_not_fit_are_refused(tmp_path: Path, sizes: tuple[int, ...]) -> None:
    train(small(tmp_path / "first", total_timesteps=600))
    with pytest.raises(ValueError, match=r"init_from: the networks in .*first do not fit into"):
        train(small(tmp_path / "third", init_from=tmp_path / "first", hidden_sizes=sizes))
    assert not (tmp_path / "third").exists()


def test_learning_learns_mini2(tmp_path: Path) -> None:
    """Some thousand deals of the two-card game are enough to beat random play clearly."""
    args = small(
        tmp_path / "run",
        rules=("mini2",),
        total_timesteps=60_000,
        learning_rate=3e-3,
        num_envs=128,
        minibatch_size=256,
        hidden_sizes=(64, 64),
        update_epochs=2,
        eval_interval=10**9,
    )
    learner = train(args)
    match = duplicate_match(Learned(frozen(learner.policy)), "uniform", "mini2", 2_000, 3)
    assert match.low > 0.3
    assert 0 < curves(tmp_path / "run")["eval/rule_based/mini2/made"][-1][1] < 1


@pytest.mark.parametrize(
    "changes",
    [
        {"num_envs": 2, "num_steps": 2, "total_timesteps": 200, "opponent_share": 1.0},
        {
            "num_envs": 8,
            "num_steps": 8,
            "minibatch_size": 1,
            "opponent_share": 0.8,
            "fixed_opponents": ("rule_based",),
            "total_timesteps": 1_500,
        },
        {"num_envs": 1, "num_steps": 1, "total_timesteps": 60, "explore_prob": 1.0},
    ],
    ids=["rollouts without a row", "fewer rows than minibatches", "all explored"],
)
def test_rollouts_with_few_rows_or_none_are_trained_through(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    learner = train(small(tmp_path / "run", rules=("standard",), **changes))
    assert finite(learner)
    logged = curves(tmp_path / "run")
    assert all(np.isfinite(value) for points in logged.values() for _, value in points)


def test_a_run_that_diverges_stops_and_leaves_the_last_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, before = tmp_path / "run", Learner.update
    kept: dict[str, bytes] = {}

    def poisoned(self: Learner, rollout: Any) -> dict[str, float]:
        if self.updates == 8:
            kept.update((path.name, path.read_bytes()) for path in run.glob("[cp]*"))
            rollout.rewards[3, 0, :] = np.inf
        return before(self, rollout)

    monkeypatch.setattr(Learner, "update", poisoned)
    sentence = r"training diverged at update 8, [\d,]+ timesteps: .* not finite; .*checkpoint\.pt is as"
    with pytest.raises(Diverged, match=sentence):
        train(small(run))
    assert set(kept) == {"checkpoint.pt", "policy.json", "policy.safetensors"}
    for name, data in kept.items():
        assert (run / name).read_bytes() == data


# ---- folders ----------------------------------------------------------------------------------


def test_a_folder_that_holds_a_run_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run")
    before = {path: path.read_bytes() for path in run.iterdir()}
    sentence = f"run_dir: {run} holds a run already: go on with it .hpenv resume {run}. or give another"
    with pytest.raises(ValueError, match=sentence):
        train(small(run))
    with pytest.raises(ValueError, match=sentence):
        demo(DemoArgs(run_dir=run))
    assert {path: path.read_bytes() for path in run.iterdir()} == before


@pytest.mark.parametrize("left", ["options.json", "policy.safetensors", "events.out.tfevents.1.host"])
def test_what_a_killed_run_left_is_not_overwritten_either(tmp_path: Path, left: str) -> None:
    (tmp_path / left).write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match=f"{tmp_path} holds a run already: give another folder"):
        train(small(tmp_path))


def test_an_empty_folder_will_do_and_two_runs_cannot_begin_in_it(tmp_path: Path) -> None:
    begin_run(tmp_path, {"seed": 1})
    with pytest.raises(ValueError, match="holds a run already"):
        begin_run(tmp_path, {"seed": 2})
    assert json.loads((tmp_path / "options.json").read_text(encoding="utf-8")) == {"seed": 1}


def test_without_a_folder_each_run_gets_a_fresh_one_by_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("hpenv.training.run_folder.stamp", lambda: "20261130-101500")
    first = fresh_folder("train")
    first.mkdir(parents=True)
    assert [str(first), str(fresh_folder("train"))] == [
        "runs/train-20261130-101500",
        "runs/train-20261130-101500-2",
    ]
    learner = train(small(None, rules=("mini2",), total_timesteps=1))
    assert str(learner.folder) == "runs/train-20261130-101500-2"
    assert (learner.folder / "checkpoint.pt").exists()


# ---- the demonstration ------------------------------------------------------------------------


def test_the_demonstration_trains_measures_and_names_its_folder(
    tmp_path: Path, capsys: Printed
) -> None:
    demo(DemoArgs(run_dir=tmp_path / "demo", total_timesteps=1_000, deals=60))
    said = capsys.readouterr().out
    assert "by self-play under standard and set_bid: 1,000 timesteps (actions of all seats)." in said
    assert "against" in said
    assert said.count("the learned policy") == 6
    assert f"hpenv play --opponents learned:{tmp_path}/demo" in said


def test_the_demonstration_goes_by_the_minutes(
    tmp_path: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hpenv.training.demo.timesteps_per_second", lambda *_: 123.4)
    monkeypatch.setattr("hpenv.training.demo.train", _not_reached)
    monkeypatch.setattr("hpenv.training.demo.MOST_PROCESSES", 1)
    with pytest.raises(AssertionError):
        demo(DemoArgs(run_dir=tmp_path / "demo", minutes=2.0))
    said = " ".join(capsys.readouterr().out.split())
    assert "15,000 timesteps (actions of all seats), about 2 minutes at the 120 a second" in said
    assert [two_digits(number) for number in (0.2, 7.0, 1_249.0, 3_456_789.0)] == [
        1,
        7,
        1200,
        3_500_000,
    ]


def _not_reached(_: Args) -> Learner:
    raise AssertionError
