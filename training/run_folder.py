"""The folder of a training run: a fresh name, and never two runs in one."""

import json
import time
from pathlib import Path
from typing import Any

from hpenv.files import write_whole

CHECKPOINT, OPTIONS, POLICY = "checkpoint.pt", "options.json", "policy"
LEFT_BY_A_RUN = (
    CHECKPOINT,
    OPTIONS,
    f"{POLICY}.json",
    f"{POLICY}.safetensors",
    "events.out.tfevents.*",
)


def fresh_folder(kind: str) -> Path:
    """`runs/KIND-YYYYmmdd-HHMMSS`, a folder that is not there yet; it is not created."""
    name = Path("runs") / f"{kind}-{stamp()}"
    folder, number = name, 1
    while folder.exists():
        number += 1
        folder = name.with_name(f"{name.name}-{number}")
    return folder


def stamp() -> str:
    """Date and time, to the second."""
    return time.strftime("%Y%m%d-%H%M%S")


def refuse_a_used_folder(folder: Path) -> None:
    """Raise ValueError if a folder holds a run, saying how to go on with it."""
    if any(any(folder.glob(pattern)) for pattern in LEFT_BY_A_RUN):
        goes_on = f"go on with it (hpenv resume {folder}) or " if (folder / CHECKPOINT).exists() else ""
        raise ValueError(f"run_dir: {folder} holds a run already: {goes_on}give another folder")


def begin_run(folder: Path, options: dict[str, Any]) -> None:
    """Create a run's folder and write its options. Raises ValueError if it holds a run, even one that
    began this very moment."""
    refuse_a_used_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        (folder / OPTIONS).touch(exist_ok=False)
    except FileExistsError:
        refuse_a_used_folder(folder)
        raise
    write_options(folder, options)


def write_options(folder: Path, options: dict[str, Any]) -> None:
    """Write a run's options, for people to read; a resumed run takes them from its checkpoint."""
    write_whole(folder / OPTIONS, (json.dumps(options, indent=1) + "\n").encode())
