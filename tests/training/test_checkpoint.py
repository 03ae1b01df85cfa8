"""A checkpoint that is damaged in any way is refused, by its name, before anything uses it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from hpenv.training.checkpoint import content_hash, read_checkpoint, write_checkpoint
from hpenv.training.options import Args, as_plain
from hpenv.training.ppo import train
from hpenv.training.resume import resume
from small_runs import finished_run, small

LONGER = 5_000


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return finished_run(tmp_path_factory.mktemp("runs") / "run")


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    """A run's folder to do damage in."""
    (tmp_path / "checkpoint.pt").write_bytes((finished / "checkpoint.pt").read_bytes())
    return tmp_path


def test_a_checkpoint_comes_back_as_it_was_written(run: Path, tmp_path: Path) -> None:
    state = read_checkpoint(run)
    write_checkpoint(tmp_path, state)
    assert content_hash(read_checkpoint(tmp_path)) == content_hash(state)


def test_one_byte_flipped_anywhere_is_noticed(run: Path) -> None:
    """Bytes that carry nothing may change: then the content is the same."""
    path, before = run / "checkpoint.pt", content_hash(read_checkpoint(run))
    whole = path.read_bytes()
    refused = 0
    for place in np.linspace(0, len(whole) - 1, 60).astype(int):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        try:
            assert content_hash(read_checkpoint(run)) == before
        except ValueError as error:
            assert str(path) in str(error)  # noqa: PT017
            refused += 1
    assert refused > 40


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda whole: b"",
    "cut": lambda whole: whole[: len(whole) // 2],
    "half zeroed": lambda whole: whole[: len(whole) // 2] + bytes(len(whole) - len(whole) // 2),
    "other text": lambda whole: b"not a checkpoint",
    "brackets": lambda whole: b"[" * 100_000,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_refused_by_name(run: Path, damage: str) -> None:
    path = run / "checkpoint.pt"
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    before = sorted(run.iterdir())
    with pytest.raises(ValueError, match=r"checkpoint\.pt: damaged"):
        resume(run, LONGER)
    with pytest.raises(ValueError, match=r"checkpoint\.pt: damaged"):
        train(small(run / "other", init_from=run))
    assert sorted(run.iterdir()) == before, "nothing is created"


def changed(state: dict[str, Any], tables: Any) -> dict[str, Any]:
    return state | {"self_play": [state["self_play"][0] | {"tables": tables}]}


def random_bytes(tables: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(1).integers(0, 256, tables.shape, np.uint8))


# What no accident makes, since the hash is right: written by another program, say.
UNFIT: dict[str, tuple[Callable[[dict[str, Any]], dict[str, Any]], str]] = {
    "tables of zeros": (
        lambda s: changed(s, torch.zeros_like(s["self_play"][0]["tables"])),
        "does not fit this run",
    ),
    "random tables": (
        lambda s: changed(s, random_bytes(s["self_play"][0]["tables"])),
        "does not fit this run",
    ),
    "fewer tables": (
        lambda s: changed(s, s["self_play"][0]["tables"][:400].clone()),
        "it does not hold 16 tables",
    ),
    "weights not finite": (
        lambda s: s | {"policy": {k: v * math.nan for k, v in s["policy"].items()}},
        "some numbers in it are not finite",
    ),
    "other sizes": (
        lambda s: s | {"policy": {k: v[:1].clone() for k, v in s["policy"].items()}},
        "does not fit this run",
    ),
    "no critic": (lambda s: {k: v for k, v in s.items() if k != "critic"}, "critic is not dict"),
    "odd types": (lambda s: s | {"timesteps": "many"}, "timesteps is not int"),
    "a negative count": (lambda s: s | {"updates": -1}, "a count is less than 0"),
    "odd options": (
        lambda s: s | {"options": json.dumps(as_plain(Args()) | {"num_envs": -1})},
        "num_envs=-1 is not a whole number",
    ),
    "options in brackets": (lambda s: s | {"options": "[" * 100_000}, r"checkpoint\.pt: "),
    "options of another version": (lambda s: s | {"options": "{}"}, "another version of hpenv"),
}


@pytest.mark.parametrize("name", UNFIT)
def test_content_that_does_not_fit_is_refused_though_its_hash_is_right(run: Path, name: str) -> None:
    change, words = UNFIT[name]
    write_checkpoint(run, change(read_checkpoint(run)))
    with pytest.raises(ValueError, match=rf"checkpoint\.pt: .*{words}|{words}"):
        resume(run, LONGER)
    assert [path.name for path in run.iterdir()] == ["checkpoint.pt"]


def test_missing_and_foreign_checkpoints_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"checkpoint\.pt: there is no checkpoint to go on from"):
        resume(tmp_path)
    for form in (1, 999, "2", True):
        torch.save({"format": form}, tmp_path / "checkpoint.pt")
        with pytest.raises(ValueError, match=rf"made by another version \(format {form!r}, this one"):
            resume(tmp_path)


def test_the_hash_sees_types_names_order_and_every_number() -> None:
    values: list[Any] = [
        {"a": 1, "b": [2]},
        {"b": [2], "a": 1},
        {"a": 1, "b": (2,)},
        {"a": 1.0, "b": [2]},
        {"a": True, "b": [2]},
        {"a": 1, "c": [2]},
        {"a": 1, "b": [2, None]},
        {"a": torch.ones(2), "b": [2]},
        {"a": torch.ones(2, 1), "b": [2]},
        {"a": torch.ones(2, dtype=torch.int32), "b": [2]},
        {"a": torch.tensor([1.0, 1.0000001]), "b": [2]},
    ]
    assert len({content_hash(value) for value in values}) == len(values)
    assert content_hash({"a": torch.tensor(3.0)}) == content_hash({"a": torch.tensor(3.0)})
