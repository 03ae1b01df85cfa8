"""The options of a run: their ranges, how they are written, and what is refused before anything is."""

from __future__ import annotations

import dataclasses
import shlex
from pathlib import Path
from typing import Any

import pytest
import torch
import tyro

from hpenv.training.cli.main import main
from hpenv.training.demo import DemoArgs, demo
from hpenv.training.options import Args, annealed, as_plain, check, command, from_plain, plainly
from hpenv.training.ppo import train
from small_runs import small

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"num_envs": 0}, "num_envs=0 is not a whole number from 1 to 65536"),
    ({"num_envs": 1_000_000_000}, "num_envs=1000000000 is not a whole number from 1 to 65536"),
    ({"num_envs": 65536, "num_steps": 128}, "num_envs=65536 with num_steps=128: a rollout may have"),
    ({"hidden_sizes": (8, 1_000_000_000)}, "hidden_sizes=1000000000 is not a whole number"),
    ({"hidden_sizes": ()}, r"hidden_sizes=\(\): give 1 to 16 layers"),
    ({"critic_hidden_sizes": (8,) * 17}, "give 1 to 16 layers"),
    ({"critic_hidden_sizes": [8]}, r"critic_hidden_sizes=\[8\] is not a tuple"),
    ({"total_timesteps": 1.5}, "total_timesteps=1.5 is not a whole number"),
    ({"total_timesteps": True}, "total_timesteps=True is not a whole number"),
    ({"ent_coef": float("nan")}, "ent_coef=nan is not a number from 0.0 to 100.0"),
    ({"max_grad_norm": float("nan")}, "max_grad_norm=nan is not a number"),
    ({"clip_coef": -1.0}, "clip_coef=-1.0 is not a number"),
    ({"final_learning_rate": -1.0}, "final_learning_rate=-1.0 is not a number from 0.0 to 1.0"),
    ({"learning_rate": 1e30}, r"learning_rate=1e\+30 is not a number from 0.0 to 1.0"),
    ({"learning_rate": float("inf")}, "learning_rate=inf is not a number"),
    ({"reward_scale": 0.0}, "reward_scale=0.0 is not a number"),
    ({"num_threads": -1}, "num_threads=-1 is not a whole number from 0 to 1024"),
    ({"seed": -1}, r"seed=-1 is not a whole number from 0 to 2\^63-1"),
    ({"seed": 2**63}, "seed=9223372036854775808 is not a whole number"),
    ({"opponent_share": 1.5}, "opponent_share=1.5 is not a number from 0.0 to 1.0"),
    ({"rules": ()}, "rules: give at least one preset"),
    ({"rules": ("whist",)}, "no preset 'whist'"),
    ({"fixed_opponents": ("nobody",)}, "no agent 'nobody'"),
    ({"episode": "year"}, "episode='year' is not one of deal, game"),
    ({"reward": "win"}, "reward=win needs episode=game"),
    ({"device": "foo"}, "device='foo' is not one of auto, cpu, cuda"),
    ({"device": "meta"}, "device='meta' is not one of auto, cpu, cuda"),
    ({"device": "cuda:99"}, r"device='cuda:99': torch finds \d+ CUDA devices here"),
    ({"init_from": Path("no/such/run")}, r"no/such/run/checkpoint\.pt: there is no checkpoint"),
]


@pytest.mark.parametrize(("changes", "words"), REFUSED)
def test_what_makes_no_sense_is_refused_and_nothing_is_created(
    tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        train(small(tmp_path / "run", **changes))
    assert not (tmp_path / "run").exists()


def test_cuda_is_refused_where_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(ValueError, match="device='cuda': torch finds 0 CUDA devices here"):
        train(small(tmp_path / "run", device="cuda"))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--ent-coef nan", "ent_coef=nan is not a number from 0.0 to 100.0"),
        ("--learning-rate 1e30", "learning_rate=1e+30 is not"),
        ("--seed -1", "seed=-1 is not a whole number from 0 to 2^63-1"),
        ("--total-timesteps 1.5", "'1.5' is not a whole number"),
        ("--total-timesteps many", "--total-timesteps"),
        ("--num-envs 1e9", "num_envs=1000000000 is not a whole number"),
    ],
)
def test_at_the_command_line_that_is_a_sentence(
    words: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", *words.split()]) == 2
    said = capsys.readouterr().err
    assert says in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("changes", [{"minutes": 0.0}, {"deals": 0}, {"total_timesteps": -1}])
def test_the_demonstration_refuses_before_it_begins(
    tmp_path: Path, changes: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(changes))}=.* is not a"):
        demo(DemoArgs(run_dir=tmp_path / "demo", **changes))
    assert capsys.readouterr().out == ""
    assert not (tmp_path / "demo").exists()


def test_the_defaults_are_in_their_ranges() -> None:
    check(Args())


@pytest.mark.parametrize("word", ["1e6", "1000000", "1_000_000", "1.0e6"])
def test_a_million_can_be_written_in_several_ways(word: str) -> None:
    args = tyro.cli(Args, args=["--total-timesteps", word])
    assert args.total_timesteps == 1_000_000
    assert type(args.total_timesteps) is int


def test_numbers_are_shown_short() -> None:
    assert [plainly(n) for n in (5, 65536, 10**6, 3 * 10**7, 10**15, 0.25)] == [
        "5",
        "65536",
        "1e6",
        "3e7",
        "1e15",
        "0.25",
    ]


EVERY = small(
    Path("runs/a b"),
    init_from=Path("runs/old"),
    seed=7,
    episode="game",
    reward="win",
    fixed_opponents=("rule_based", "mixed:rule_based,lead=uniform"),
    opponent_share=0.5,
    clip_coef=0.1,
    learning_rate=3e-5,
)


@pytest.mark.parametrize("args", [Args(), EVERY])
def test_a_run_can_be_written_as_a_command_and_as_json(args: Args) -> None:
    program, name, *words = shlex.split(command(args))
    assert (program, name) == ("hpenv", "train")
    assert tyro.cli(Args, args=words) == args
    assert from_plain(as_plain(args)) == args


@pytest.mark.parametrize(
    "changes", [{"seed": "1"}, {"seed": -1}, {"rules": 5}, {"run_dir": 5}, {"extra": 1}]
)
def test_options_read_from_a_file_are_checked(changes: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError)):
        from_plain(as_plain(Args()) | changes)


def test_annealing_is_a_straight_line() -> None:
    assert [annealed(1.0, 0.0, fraction) for fraction in (0.0, 0.25, 1.0)] == [1.0, 0.75, 0.0]


def test_every_option_says_what_it_may_be(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--help"]) == 0
    said = " ".join(capsys.readouterr().out.replace("│", " ").split())
    for field in dataclasses.fields(Args):
        assert "--" + field.name.replace("_", "-") in said
    for shown in (
        "--seed 0..2^63-1",
        "--clip-coef 1e-06..10.0",
        "{points,win}",
        "one action of one seat",
    ):
        assert shown in said, shown
