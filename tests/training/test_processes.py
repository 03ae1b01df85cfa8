"""Two processes, started by the option or by torchrun: one policy, one checkpoint, one way to stop and
to go on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hpenv.agents.learned import load_policy
from hpenv.training import distributed
from hpenv.training.checkpoint import read_checkpoint, write_checkpoint
from hpenv.training.ppo import train
from hpenv.training.resume import resume
from small_runs import curves, finished_run, small

TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone"]
HPENV = ["-m", "hpenv.training.cli.main"]
SMALL = [
    *("--rules", "mini2", "--num-envs", "16", "--num-steps", "8", "--minibatch-size", "64"),
    *("--hidden-sizes", "8", "8", "--eval-deals", "10", "--num-threads", "1", "--precision", "float32"),
]


def started(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *HPENV, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)


def test_two_processes_train_one_policy_and_go_on_with_it(tmp_path: Path) -> None:
    """A run cut in two ends with the policy of one that was not: both processes' tables were saved."""
    lengths = ("--total-timesteps", "3000", "--save-interval", "1000", "--eval-interval", "1500")
    done = started("train", "--run-dir", tmp_path / "run", "--processes", "2", *SMALL, *lengths)
    assert done.returncode == 0, done.stderr[-3000:]
    state = read_checkpoint(tmp_path / "run")
    assert len(state["self_play"]) == 2
    assert not state["self_play"][0]["tables"].equal(state["self_play"][1]["tables"])
    assert sorted(path.name for path in (tmp_path / "run").glob("checkpoint*")) == ["checkpoint.pt"]
    assert done.stderr.count("finished: ") == 1
    done = started("resume", tmp_path / "run", "--total-timesteps", "6000")
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stderr.count("the run's length is now 6,000 timesteps instead of 3,000") == 1
    state = read_checkpoint(tmp_path / "run")
    assert state["timesteps"] >= 6_000
    assert len(state["self_play"]) == 2
    load_policy(tmp_path / "run" / "policy")


@pytest.mark.parametrize("by", ["torchrun", "the option"])
def test_two_processes_stop_together(tmp_path: Path, by: str) -> None:
    run = tmp_path / "run"
    start = [sys.executable, *HPENV, "train", "--processes", "2"]
    if by == "torchrun":
        start = [*TORCHRUN, *HPENV, "train"]
    command = [*start, "--run-dir", str(run), *SMALL]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 120
        while not list(run.glob("events*")) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)  # whatever the second process is just doing
        assert process.stderr is not None
        said = process.stderr.read()
    assert f"go on with: hpenv resume {run}\n" in said, said
    before = read_checkpoint(run)["timesteps"]
    done = started("resume", run, "--total-timesteps", str(before + 500))
    assert done.returncode == 0, done.stderr[-3000:]
    assert read_checkpoint(run)["timesteps"] >= before + 500
    steps = [step for step, _ in curves(run)["eval/rule_based/mini2/points"]]
    assert steps == sorted(set(steps))
    assert steps[-1] >= before + 500


def test_a_process_that_is_killed_ends_the_run_with_a_sentence(tmp_path: Path) -> None:
    """The second process gets no chance to say anything; the run goes on from its checkpoint."""
    run = tmp_path / "run"
    command = [sys.executable, *HPENV, "train", "--processes", "2", "--run-dir", str(run), *SMALL]
    command += ["--save-interval", "200"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 120
        while not (run / "checkpoint.pt").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii")
        (second,) = (pid for pid in map(int, children.split()) if of_spawn(pid))
        os.kill(second, signal.SIGKILL)
        assert process.stderr is not None
        said = process.stderr.read()
    assert process.returncode == 2, said
    assert "process 2 of 2 that train together died (exit code -9); the run is as it was last" in said
    assert "Traceback" not in said
    done = started("resume", run, "--total-timesteps", str(read_checkpoint(run)["timesteps"] + 500))
    assert done.returncode == 0, done.stderr[-3000:]


def of_spawn(pid: int) -> bool:
    """Whether a process was started to train, not to clean up after others."""
    return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()


def fails_in_the_second() -> int:
    """What the second process of two may run into alone."""
    with distributed.processes():
        if distributed.rank() == 1:
            raise ValueError("only here")
        return distributed.total(1)


def test_what_only_another_process_runs_into_is_said_here() -> None:
    with pytest.raises(ValueError, match=r"process 2 of 2 that train together died \(only here\)"):
        distributed.in_processes(2, fails_in_the_second)
    assert "RANK" not in os.environ


def test_a_process_that_comes_late_finds_the_run_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the first process of several asks whether the folder is free."""
    run = finished_run(tmp_path / "run")
    monkeypatch.setattr("hpenv.training.distributed.rank", lambda: 1)
    monkeypatch.setattr("hpenv.training.distributed.in_processes", lambda *_: "trained")
    assert train(small(run)) == "trained"


def test_a_run_of_one_process_is_not_resumed_by_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = finished_run(tmp_path / "run")
    before = (run / "checkpoint.pt").read_bytes()
    monkeypatch.setattr("hpenv.training.distributed.world_size", lambda: 2)
    with pytest.raises(ValueError, match="saved by 1 processes together and is resumed by 2: start as"):
        resume(run, 5_000)
    assert (run / "checkpoint.pt").read_bytes() == before


def test_the_tables_of_all_processes_must_be_there(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run")
    state = read_checkpoint(run)
    write_checkpoint(run, state | {"self_play": []})
    with pytest.raises(ValueError, match=r"checkpoint\.pt: damaged: .* there are no tables"):
        resume(run, 5_000)


def test_what_is_wrong_is_said_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Both processes find that the checkpoint's tables are of other rules; the first one says so."""
    run = finished_run(tmp_path / "run", processes=2)
    state = read_checkpoint(run)
    options = json.loads(state["options"]) | {"rules": ["mini3"], "total_timesteps": 10_000}
    write_checkpoint(run, state | {"options": json.dumps(options)})
    capfd.readouterr()
    with pytest.raises(ValueError, match="its tables were not dealt under the rules of this run"):
        resume(run)
    assert "Traceback" not in capfd.readouterr().err
    assert "RANK" not in os.environ
