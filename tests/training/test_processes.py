"""Two processes that torchrun starts: one policy, one checkpoint, one way to stop and go on."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hpenv.agents.learned import load_policy
from hpenv.training.checkpoint import read_checkpoint, write_checkpoint
from hpenv.training.resume import resume
from small_runs import curves, finished_run

TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone"]
HPENV = ["-m", "hpenv.training.cli.main"]
SMALL = [
    *("--rules", "mini2", "--num-envs", "16", "--num-steps", "8", "--minibatch-size", "64"),
    *("--hidden-sizes", "8", "8", "--eval-deals", "10", "--num-threads", "1", "--precision", "float32"),
]


def started(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [*TORCHRUN, *HPENV, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)


def test_two_processes_train_one_policy_and_go_on_with_it(tmp_path: Path) -> None:
    """A run cut in two ends with the policy of one that was not: both processes' tables were saved."""
    lengths = ("--total-timesteps", "3000", "--save-interval", "1000", "--eval-interval", "1500")
    done = started("train", "--run-dir", tmp_path / "run", *SMALL, *lengths)
    assert done.returncode == 0, done.stderr[-3000:]
    state = read_checkpoint(tmp_path / "run")
    assert len(state["self_play"]) == 2
    assert not state["self_play"][0]["tables"].equal(state["self_play"][1]["tables"])
    assert sorted(path.name for path in (tmp_path / "run").glob("checkpoint*")) == ["checkpoint.pt"]
    assert done.stderr.count("finished: ") == 1
    with pytest.raises(
        ValueError, match="saved by 2 processes together and is resumed by 1: start as many"
    ):
        resume(tmp_path / "run", 6_000)
    done = started("resume", tmp_path / "run", "--total-timesteps", "6000")
    assert done.returncode == 0, done.stderr[-3000:]
    assert read_checkpoint(tmp_path / "run")["timesteps"] >= 6_000
    load_policy(tmp_path / "run" / "policy")


def test_two_processes_stop_together(tmp_path: Path) -> None:
    run = tmp_path / "run"
    command = [*TORCHRUN, *HPENV, "train", "--run-dir", str(run), *SMALL]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 120
        while not list(run.glob("events*")) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)  # whatever the second process is just doing
        assert process.stderr is not None
        said = process.stderr.read()
    goes_on = rf"go on with: torchrun --nproc-per-node 2 -m hpenv\.training\.cli\.main resume {run}\n"
    assert re.search(goes_on, said), said
    before = read_checkpoint(run)["timesteps"]
    done = started("resume", run, "--total-timesteps", str(before + 500))
    assert done.returncode == 0, done.stderr[-3000:]
    assert read_checkpoint(run)["timesteps"] >= before + 500
    steps = [step for step, _ in curves(run)["eval/rule_based/mini2/points"]]
    assert steps == sorted(set(steps))
    assert steps[-1] >= before + 500


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
