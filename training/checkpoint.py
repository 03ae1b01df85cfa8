"""Checkpoints: everything a run needs to go on to the same learning curve, checked before it is used.

A checkpoint is one file for all processes of a run: a plain dictionary of tensors, numbers, strings,
lists and dictionaries with a hash over all of it, loaded with `weights_only=True`, so that nothing in
it can run.
"""

import hashlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from hpenv.files import write_whole
from hpenv.training.run_folder import CHECKPOINT

FORMAT = 2
PARTS: dict[str, type] = {  # what a checkpoint holds besides format and hash
    "options": str,  # of the run, as JSON
    "timesteps": int,
    "updates": int,
    "seconds": float,  # the run has taken
    "evaluation_due": bool,  # it was stopped before the evaluation at this point
    "policy": dict,
    "critic": dict,
    "optimizer": dict,
    "past_selves": list,
    "self_play": list,  # the tables and random streams of each process
}


def write_checkpoint(folder: Path, parts: dict[str, Any]) -> None:
    """Write the checkpoint of a run, in one step or not at all. parts: see PARTS."""
    buffer = io.BytesIO()
    torch.save({"format": FORMAT, "sha256": content_hash(parts), **parts}, buffer)
    write_whole(folder / CHECKPOINT, buffer.getvalue())


def read_checkpoint(folder: Path) -> dict[str, Any]:
    """The parts of the checkpoint in a run's folder.

    Raises ValueError, naming the file, if it is missing, damaged or of another version.
    """
    path = folder / CHECKPOINT
    if not path.exists():
        raise ValueError(f"{path}: there is no checkpoint to go on from")
    data = path.read_bytes()
    try:
        state = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
        form = state["format"]
    except Exception as error:  # torch raises a dozen kinds of error for a damaged file
        raise ValueError(f"{path}: damaged, not a checkpoint") from error
    if type(form) is not int or form != FORMAT:
        raise ValueError(f"{path}: made by another version (format {form!r}, this one reads {FORMAT})")
    parts = {key: value for key, value in state.items() if key not in ("format", "sha256")}
    if content_hash(parts) != state.get("sha256"):
        raise ValueError(f"{path}: damaged: its content is not what its hash says")
    for name, kind in PARTS.items():
        if type(parts.get(name)) is not kind:
            raise ValueError(f"{path}: damaged: {name} is not {kind.__name__}")
    if min(parts["timesteps"], parts["updates"], parts["seconds"]) < 0 or not parts["self_play"]:
        raise ValueError(f"{path}: damaged: a count is less than 0, or there are no tables")
    for tensor in _tensors(parts):
        if tensor.is_floating_point() and not tensor.isfinite().all():
            raise ValueError(f"{path}: some numbers in it are not finite")
    return parts


def content_hash(value: object) -> str:
    """A SHA-256 over nested dictionaries, lists, tensors and plain values, their types and order."""
    digest = hashlib.sha256()

    def add(value: object) -> None:
        if isinstance(value, Tensor):
            digest.update(f"tensor {value.dtype} {tuple(value.shape)};".encode())
            digest.update(value.detach().cpu().contiguous().numpy().tobytes())
        elif isinstance(value, dict):
            digest.update(f"dict {len(value)};".encode())
            for key, item in value.items():
                add(key)
                add(item)
        elif isinstance(value, list | tuple):
            digest.update(f"{type(value).__name__} {len(value)};".encode())
            for item in value:
                add(item)
        else:
            digest.update(f"{type(value).__name__} {value!r};".encode())

    add(value)
    return digest.hexdigest()


def _tensors(value: object) -> Iterator[Tensor]:
    """All tensors in nested dictionaries and lists."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _tensors(item)
