"""Weights on disk: what a policy's two files must be before it plays."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load, save

from hpenv.actions import N_ACTIONS
from hpenv.agents.agent import make_agent
from hpenv.agents.learned import WEIGHTS, load_policy, save_policy
from hpenv.agents.network import Network


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """The path of a small policy, without its endings."""
    torch.manual_seed(1)
    save_policy(Network(N_ACTIONS, [8, 8]), tmp_path / "policy", {"seed": 1})
    return tmp_path / "policy"


def edit(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change the description of a policy."""
    file = path.with_suffix(".json")
    facts = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(change(facts)), encoding="utf-8")


def put(path: Path, weights: bytes) -> None:
    """Put other weights, with the hash that belongs to them."""
    path.with_suffix(".safetensors").write_bytes(weights)
    edit(path, lambda facts: facts | {"sha256": hashlib.sha256(weights).hexdigest()})


def test_a_policy_comes_back_in_half_precision(policy: Path) -> None:
    torch.manual_seed(1)
    before, (after, facts) = Network(N_ACTIONS, [8, 8]), load_policy(policy)
    for name, tensor in before.state_dict().items():
        assert torch.equal(tensor.half().float(), after.state_dict()[name])
    assert facts["seed"] == 1


def test_the_published_weights_say_how_they_came_about() -> None:
    _, facts = load_policy(WEIGHTS / "learned")
    assert facts["format"] == 3
    runs = [facts, facts["init_from"], facts["init_from"]["init_from"]]
    begun = [run["command"].split(" --rules ")[0] for run in runs]
    assert begun == [f"hpenv train --run-dir runs/{name}" for name in ("refined", "wide", "narrow")]
    assert [(run["seed"], run["timesteps"], run["seconds"]) for run in runs] == [
        (3, 28_040_840, 4030),
        (2, 80_007_442, 4996),
        (1, 150_000_927, 8369),
    ]
    assert "/runs" not in json.dumps(facts)  # no path of the machine it was trained on


def test_one_byte_flipped_anywhere_in_the_weights_is_refused(policy: Path) -> None:
    file = policy.with_suffix(".safetensors")
    whole = file.read_bytes()
    for place in np.linspace(0, len(whole) - 1, 50).astype(int):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(ValueError, match=r"policy\.safetensors: damaged, or not the weights that"):
            load_policy(policy)


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda whole: b"",
    "cut": lambda whole: whole[:-40],
    "half zeroed": lambda whole: whole[: len(whole) // 2] + bytes(len(whole) - len(whole) // 2),
    "brackets": lambda whole: struct.pack("<Q", 100_000) + b"[" * 100_000,
    "a huge header": lambda whole: struct.pack("<Q", 2**60) + whole[8:],
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_weights_are_refused_by_name(policy: Path, damage: str) -> None:
    file = policy.with_suffix(".safetensors")
    file.write_bytes(DAMAGE[damage](file.read_bytes()))
    with pytest.raises(
        ValueError, match=r"policy\.safetensors: damaged, or not the weights"
    ) as refused:
        make_agent(f"learned:{policy.parent}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("damage", ["empty", "cut", "brackets", "a huge header"])
def test_what_is_no_file_of_weights_is_refused_though_its_hash_is_right(
    policy: Path, damage: str
) -> None:
    put(policy, DAMAGE[damage](policy.with_suffix(".safetensors").read_bytes()))
    with pytest.raises(ValueError, match=r"policy\.safetensors: damaged, not a file of weights"):
        load_policy(policy)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_are_refused(policy: Path, bad: float) -> None:
    tensors = load(policy.with_suffix(".safetensors").read_bytes())
    tensors["layers.1.weight"][3, 3] = bad
    put(policy, save(tensors))
    with pytest.raises(ValueError, match=r"policy\.safetensors: some weights are not finite numbers"):
        load_policy(policy)


@pytest.mark.parametrize(
    "change",
    [
        lambda tensors: {k: v for k, v in tensors.items() if k != "layers.1.bias"},
        lambda tensors: tensors | {"layers.9.bias": torch.zeros(3)},
        lambda tensors: tensors | {"layers.1.bias": torch.zeros(9)},
    ],
    ids=["one less", "one more", "another shape"],
)
def test_tensors_must_be_those_of_the_network(policy: Path, change: Callable[[Any], Any]) -> None:
    put(policy, save(change(load(policy.with_suffix(".safetensors").read_bytes()))))
    with pytest.raises(
        ValueError, match=r"its tensors are not those of hidden layers of \[8, 8\] units"
    ):
        load_policy(policy)


def test_weights_of_another_policy_are_refused(policy: Path, tmp_path: Path) -> None:
    torch.manual_seed(2)
    save_policy(Network(N_ACTIONS, [8, 8]), tmp_path / "other", {})
    (tmp_path / "other.safetensors").replace(policy.with_suffix(".safetensors"))
    with pytest.raises(ValueError, match=r"not the weights that policy\.json describes"):
        load_policy(policy)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hidden_sizes": [8, -1]}, r"policy\.json: .*: -1 is not a whole number from 1 to 65536"),
        ({"hidden_sizes": [10**9]}, "1000000000 is not"),
        ({"hidden_sizes": ["8", 8]}, "'8' is not"),
        ({"hidden_sizes": [True]}, "True is not"),
        ({"hidden_sizes": [1e400]}, "inf is not"),
        ({"hidden_sizes": None}, "hidden_sizes=None is not a list of 1 to 64 numbers"),
        ({"hidden_sizes": []}, "is not a list of 1 to 64 numbers"),
        ({"hidden_sizes": [8] * 65}, "is not a list of 1 to 64 numbers"),
        ({"hidden_sizes": [8, 16]}, r"its tensors are not those of hidden layers of \[8, 16\] units"),
        ({"pieces": [["hand", 25]]}, "made for another version of the observation"),
        ({"pieces": None}, "made for another version of the observation"),
        ({"format": 2}, "made by another version"),
        ({"format": "2"}, "damaged, not the description of a network"),
        ({"sha256": 5}, "has no hash of the weights"),
        ({"sha256": ""}, "not the weights that"),
    ],
)
def test_a_description_is_checked_entry_by_entry(
    policy: Path, changes: dict[str, Any], words: str
) -> None:
    edit(policy, lambda facts: facts | changes)
    with pytest.raises(ValueError, match=words):
        load_policy(policy)


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[" * 100_000, b"[]", b"5", b'"x"', b"{}", b"\xff\xfe", b"null"]
)
def test_a_damaged_description_is_refused_by_name(policy: Path, text: bytes) -> None:
    policy.with_suffix(".json").write_bytes(text)
    with pytest.raises(ValueError, match=r"policy\.json: damaged, not the description of a network"):
        load_policy(policy)


@pytest.mark.parametrize("ending", [".json", ".safetensors"])
def test_a_missing_file_is_named(policy: Path, ending: str) -> None:
    policy.with_suffix(ending).unlink()
    with pytest.raises(ValueError, match=rf"policy\{ending}: there is no such file of weights"):
        load_policy(policy)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("learned:play=chance", "play='chance' is not one of greedy, sample"),
        ("learned:plays=greedy", "there is no option 'plays' .*; did you mean play"),
    ],
)
def test_options_that_are_none_are_refused(spec: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        make_agent(spec)
