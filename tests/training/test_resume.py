"""A run that is stopped, killed or prolonged goes on as if nothing had been."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hpenv.training.cli.main import main
from hpenv.training.ppo import Learner, train
from hpenv.training.reporting import Reporter
from hpenv.training.resume import resume
from hpenv.training.stopping import StopRequest
from small_runs import assert_same_policy, curves, finished_run, small

MIXED = {"opponent_share": 0.3, "fixed_opponents": ("uniform",), "vine_share": 0.1}


class Killed(Exception):
    """The run is gone, without any chance to save."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Learner]:
    """A run that nothing has disturbed."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    return folder, train(small(folder, **MIXED))


def test_a_killed_run_goes_on_to_the_same_policy_and_the_same_curves(
    tmp_path: Path, whole: tuple[Path, Learner], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is killed at the 11th update, after the evaluation that follows its last checkpoint."""
    before = Learner.update

    def killed(self: Learner, rollout: Any) -> dict[str, float]:
        if self.updates == 10:
            raise Killed
        return before(self, rollout)

    with monkeypatch.context() as patch:
        patch.setattr(Learner, "update", killed)
        with pytest.raises(Killed):
            train(small(tmp_path / "cut", **MIXED))
    resumed = resume(tmp_path / "cut")
    assert (resumed.updates, resumed.timesteps) == (whole[1].updates, whole[1].timesteps)
    assert_same_policy(whole[1], resumed)
    assert curves(tmp_path / "cut") == curves(whole[0])


@pytest.mark.parametrize("when", ["between updates", "in an evaluation"])
@pytest.mark.parametrize(
    ("number", "leaves"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)]
)
def test_a_stopped_run_saves_and_goes_on_to_the_same_curves(
    tmp_path: Path,
    whole: tuple[Path, Learner],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    when: str,
    number: signal.Signals,
    leaves: type[BaseException],
) -> None:
    of, name = (Learner, "update") if when == "between updates" else (Reporter, "evaluate")
    before, calls = getattr(of, name), 0

    def stopping(*args: Any, **more: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == (7 if of is Learner else 1):
            signal.raise_signal(number)
        return before(*args, **more)

    run = tmp_path / "cut"
    with monkeypatch.context() as patch:
        patch.setattr(of, name, stopping)
        with pytest.raises(leaves):
            train(small(run, save_interval=10**9, **MIXED))
    said = capsys.readouterr().err
    assert "saving after this update, then stopping" in said
    assert re.search(rf"saved at [\d,]+ timesteps; go on with: hpenv resume {run}\n$", said)
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL, "as it was before"
    resumed = resume(run)
    assert_same_policy(whole[1], resumed)
    assert curves(run) == curves(whole[0])


def test_an_evaluation_given_up_at_the_end_is_made_up_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run, before = tmp_path / "run", Reporter.evaluate

    def stopping(*args: Any) -> bool:
        signal.raise_signal(signal.SIGINT)
        return before(*args)

    with monkeypatch.context() as patch:
        patch.setattr(Reporter, "evaluate", stopping)
        with pytest.raises(KeyboardInterrupt):
            train(small(run, rules=("mini2",), total_timesteps=1))
    assert f"go on with: hpenv resume {run}" in capsys.readouterr().err
    assert "eval/rule_based/mini2/points" not in curves(run)
    learner = resume(run)
    points = curves(run)["eval/rule_based/mini2/points"]
    assert [step for step, _ in points] == [learner.timesteps]
    with pytest.raises(ValueError, match="the run is finished"):
        resume(run)


def test_ctrl_c_twice_leaves_at_once_but_not_under_torchrun(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with StopRequest() as stop:
        signal.raise_signal(signal.SIGINT)
        assert stop.signal == signal.SIGINT
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert "Ctrl-C again leaves without saving" in capsys.readouterr().err
    for name, value in (("RANK", "1"), ("WORLD_SIZE", "2"), ("MASTER_ADDR", "localhost")):
        monkeypatch.setenv(name, value)
    with StopRequest() as stop:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        assert stop
    assert capsys.readouterr().err == "", "the first process speaks for all"


def test_the_command_saves_at_sigterm_and_prints_the_command_that_goes_on(tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = f"train --run-dir {run} --rules mini2 --num-envs 16 --num-steps 8 --hidden-sizes 8 8"
    command = [sys.executable, "-m", "hpenv.training.cli.main", *words.split(), "--num-threads", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 120
        while not list(run.glob("events*")) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        said = process.stderr.read()
        assert process.wait() == 128 + signal.SIGTERM, said
    assert f"go on with: hpenv resume {run}\n" in said
    assert (run / "checkpoint.pt").exists()
    assert "Traceback" not in said


# ---- another length ---------------------------------------------------------------------------


def test_a_finished_run_says_so_and_can_be_prolonged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    first = train(small(run, rules=("mini2",), total_timesteps=1_000, learning_rate=0.001))
    done = first.timesteps
    with pytest.raises(ValueError, match=rf"the run is finished: {done:,} of 1,000 timesteps are done"):
        resume(run)
    with pytest.raises(ValueError, match=rf"finished: {done:,} of 1 timesteps"):
        resume(run, 1)
    capsys.readouterr()
    assert main(["resume", str(run), "--total-timesteps", "4e3"]) == 0
    rate = 0.001 - 0.0009 * done / 4_000
    said = capsys.readouterr().err
    assert f"now 4,000 timesteps instead of 1,000, and {done:,} are done" in said
    assert f"learning_rate goes on from {rate:.3g} instead of" in said
    steps = [step for step, _ in curves(run)["eval/rule_based/mini2/points"]]
    assert steps[0] == done
    assert steps == sorted(set(steps))
    assert steps[-1] >= 4_000
    assert '"total_timesteps": 4000' in (run / "options.json").read_text(encoding="utf-8")


def test_no_other_option_can_be_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = finished_run(tmp_path / "run")
    assert main(["resume", str(run), "--num-envs", "8"]) == 2
    assert "--num-envs" in capsys.readouterr().err
    assert main(["resume", str(tmp_path / "nothing")]) == 2
    assert "nothing/checkpoint.pt: there is no checkpoint" in capsys.readouterr().err
