"""`learned`: a network that plays from its view, and how its weights are kept.

The network sees the observation with canonical suits (`hpenv.suits.suit_order`) and gives one logit for
each of the 39 actions. Published weights are two files, NAME.safetensors and NAME.json; neither can run
code when loaded, and both are checked whole before they are used.
"""

import hashlib
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from hpenv.actions import N_ACTIONS
from hpenv.agents.agent import Actions, Streams, Views, check_asked
from hpenv.agents.network import Network
from hpenv.agents.opinion import Opinion
from hpenv.agents.options import PATH, Choice, Option, Words, read_options
from hpenv.compiled import Int, inlined, kernel, lowest_bit, mix, next_state
from hpenv.files import write_whole
from hpenv.observation import OBSERVATION_SIZE, PIECES, observe_each
from hpenv.rulebook import unit
from hpenv.suits import UNLABEL, relabel_actions
from hpenv.view import VIEW, View

WEIGHTS = Path(__file__).parent / "weights"
FORMAT = 3
WIDEST, DEEPEST = 65536, 64  # networks beyond these are taken for damage


@kernel
def choose_greedily(logits: Any, legal: Any, actions: Any) -> None:
    """Write the legal action with the highest logit: logits (B, A), legal (B,) bits, actions (B,)."""
    for i in range(len(legal)):
        choices = legal[i]
        best = lowest_bit(choices)
        while choices:
            action = lowest_bit(choices)
            if logits[i, action] > logits[i, best]:
                best = action
            choices &= choices - 1
        actions[i] = best


@inlined
def highest_logit(logits: Any, i: Int, choices: Int) -> Any:
    """The highest of the logits (B, A) in row i, of the actions in a set that is not empty."""
    top = np.float32(-np.inf)
    while choices:
        top = max(top, logits[i, lowest_bit(choices)])
        choices &= choices - 1
    return top


@kernel
def sample_actions(logits: Any, legal: Any, streams: Any, actions: Any, log_probs: Any) -> None:
    """Draw a legal action from the softmax of the legal logits, and write its log-probability (B,)."""
    for i in range(len(legal)):
        choices = legal[i]
        top = highest_logit(logits, i, choices)
        total = 0.0
        while choices:
            total += np.exp(np.float64(logits[i, lowest_bit(choices)] - top))
            choices &= choices - 1
        streams[i] = next_state(streams[i])
        left = unit(mix(streams[i])) * total
        choices = legal[i]
        action = lowest_bit(choices)
        while choices:
            action = lowest_bit(choices)
            left -= np.exp(np.float64(logits[i, action] - top))
            if left < 0:
                break
            choices &= choices - 1
        actions[i] = action
        log_probs[i] = logits[i, action] - top - np.log(total)


@kernel
def write_softmax(logits: Any, legal: Any, orders: Any, likely: Any) -> None:
    """Write the softmax of the legal logits (B, A), suits as dealt, into `likely` (B, A) of zeros."""
    for i in range(len(legal)):
        choices = legal[i]
        top = highest_logit(logits, i, choices)
        total = 0.0
        while choices:
            action = lowest_bit(choices)
            weight = np.exp(np.float64(logits[i, action]) - np.float64(top))
            likely[i, UNLABEL[orders[i], action]] = weight
            total += weight
            choices &= choices - 1
        for action in range(likely.shape[1]):
            likely[i, action] /= total


@kernel
def canonical_legal(views: Any, orders: Any, legal: Any) -> None:
    """Write each view's legal actions, suits made canonical by its order, as bits (B,)."""
    for i in range(len(views)):
        legal[i] = relabel_actions(views[i].legal, orders[i])


def canonical(views: Any) -> tuple[Any, Any, Any]:
    """Views (B,) with canonical suits: their legal actions as bits (B,), the orders of the suits (B,),
    and the observations (B, F)."""
    n = len(views)
    observations = np.zeros((n, OBSERVATION_SIZE), np.int8)
    masks, orders = np.zeros((n, N_ACTIONS), np.int8), np.zeros(n, np.int64)
    legal = np.zeros(n, np.int64)
    observe_each(views, True, observations, masks, orders)
    canonical_legal(views, orders, legal)
    return legal, orders, observations


class Learned:
    """Plays greedily, the action with the highest logit, or samples one from the softmax."""

    def __init__(self, network: Network, name: str = "learned", sample: bool = False) -> None:
        self.network = network.eval()
        self.name = name
        self.sample = sample

    def act(self, views: Views, streams: Streams) -> Actions:
        check_asked(self, views, streams)
        n = len(views)
        legal, orders, logits = self.seen(views)
        actions = np.zeros(n, np.int64)
        if self.sample:
            sample_actions(logits, legal, streams, actions, np.zeros(n, np.float32))
        else:
            choose_greedily(logits, legal, actions)
        played: Actions = UNLABEL[orders, actions].astype(np.int64)
        return played

    def seen(self, views: Any) -> tuple[Any, Any, Any]:
        """The views as the network sees them, with canonical suits: their legal actions as bits (B,),
        the orders of the suits (B,), and its logits (B, A)."""
        legal, orders, observations = canonical(views)
        return legal, orders, self.logits(observations)

    def probabilities(self, views: Any) -> Any:
        """How likely the network's softmax does each action, float64 (B, A), 0 for illegal ones."""
        legal, orders, logits = self.seen(views)
        likely = np.zeros((len(views), N_ACTIONS))
        write_softmax(logits, legal, orders, likely)
        return likely

    def opinion(self, view: View, stream: Any) -> Opinion:
        """Its probabilities; it expects no points in numbers. See `hpenv.agents.opinion`."""
        views = np.zeros(1, VIEW)
        views[0] = view
        action = int(self.act(views, np.array([stream], np.uint64))[0])
        unknown = np.full(N_ACTIONS, np.nan)
        return Opinion(action, self.probabilities(views)[0], unknown, unknown)

    def logits(self, observations: Any) -> Any:
        """The network's logits for observations (B, F) int8 with canonical suits: (B, A) float32."""
        device = self.network.scale.device
        with torch.inference_mode():
            out: Tensor = self.network(torch.from_numpy(observations).to(device))
        return out.cpu().numpy()


# ---- weights on disk --------------------------------------------------------------------------


def save_policy(network: Network, path: Path, facts: dict[str, Any]) -> None:
    """Write PATH.safetensors (half precision) and PATH.json, each in one step or not at all.

    facts: what else the description shall hold, as values for JSON.
    """
    tensors = {k: v.detach().cpu().half().contiguous() for k, v in network.state_dict().items()}
    weights = save(tensors)
    description = {
        "format": FORMAT,
        "sha256": hashlib.sha256(weights).hexdigest(),
        "hidden_sizes": network.sizes[1:-1],
        "pieces": _pieces(),
        **facts,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path.with_suffix(".safetensors"), weights)
    write_whole(path.with_suffix(".json"), (json.dumps(description, indent=1) + "\n").encode())


def load_policy(path: Path) -> tuple[Network, dict[str, Any]]:
    """Read what `save_policy` wrote: the network, and its description.

    Raises ValueError, naming the file, if one is missing, damaged, of another version, or does not
    belong to the other.
    """
    described, weighed = path.with_suffix(".json"), path.with_suffix(".safetensors")
    for file in (described, weighed):
        if not file.exists():
            raise ValueError(f"{file}: there is no such file of weights")
    description = _read_description(described)
    weights = weighed.read_bytes()
    if hashlib.sha256(weights).hexdigest() != description["sha256"]:
        raise ValueError(f"{weighed}: damaged, or not the weights that {described.name} describes")
    try:
        tensors = load(weights)
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{weighed}: damaged, not a file of weights") from error
    sizes = description["hidden_sizes"]
    if {k: tuple(v.shape) for k, v in tensors.items()} != _shapes(sizes):
        raise ValueError(
            f"{weighed}: its tensors are not those of hidden layers of {sizes} units, as "
            f"{described.name} says"
        )
    if not all(v.is_floating_point() and v.isfinite().all() for v in tensors.values()):
        raise ValueError(f"{weighed}: some weights are not finite numbers")
    network = Network(N_ACTIONS, sizes)
    network.load_state_dict({k: v.float() for k, v in tensors.items()})
    return network, description


def _read_description(path: Path) -> dict[str, Any]:
    """The JSON beside the weights, its entries checked."""
    damaged = f"{path}: damaged, not the description of a network"
    try:
        description = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(damaged) from error
    if not isinstance(description, dict) or type(description.get("format")) is not int:
        raise ValueError(damaged)
    if description["format"] != FORMAT:
        raise ValueError(
            f"{path}: made by another version (format {description['format']}, this one reads {FORMAT})"
        )
    sizes = description.get("hidden_sizes")
    if not isinstance(sizes, list) or not 1 <= len(sizes) <= DEEPEST:
        raise ValueError(f"{path}: hidden_sizes={sizes!r} is not a list of 1 to {DEEPEST} numbers")
    for size in sizes:
        if type(size) is not int or not 1 <= size <= WIDEST:
            raise ValueError(
                f"{path}: hidden_sizes={sizes!r}: {size!r} is not a whole number from 1 to {WIDEST}"
            )
    if description.get("pieces") != _pieces():
        raise ValueError(f"{path}: made for another version of the observation")
    if not isinstance(description.get("sha256"), str):
        raise ValueError(f"{path}: has no hash of the weights (sha256)")
    return description


def _shapes(hidden_sizes: list[int]) -> dict[str, tuple[int, ...]]:
    """The tensors of a policy's network by name."""
    sizes = [OBSERVATION_SIZE, *hidden_sizes, N_ACTIONS]
    shapes: dict[str, tuple[int, ...]] = {}
    for i, pair in enumerate(pairwise(sizes)):
        shapes[f"layers.{i}.weight"] = pair[::-1]
        shapes[f"layers.{i}.bias"] = pair[1:]
    return shapes


def _pieces() -> list[list[Any]]:
    return [[name, size] for name, size, _ in PIECES]


OPTIONS: dict[str, Option] = {
    PATH: Words(str(WEIGHTS / "learned")),
    "play": Choice("greedy", ("greedy", "sample")),
}


def make(spec: str, options: dict[str, str]) -> Learned:
    """`learned`, `learned:FOLDER_OR_FILE`, `learned:FOLDER,play=sample`."""
    chosen = read_options(spec, options, OPTIONS)
    path = Path(chosen[PATH])
    network, _ = load_policy(path / "policy" if path.is_dir() else path)
    return Learned(network, spec, chosen["play"] == "sample")
