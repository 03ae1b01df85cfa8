"""The folder of a training run: a fresh name, and never two runs in one."""

import json
import time
from pathlib import Path
from typing import Any

from hpenv.files import write_whole

CHECKPOINT, OPTIONS, POLICY = "checkpoint.pt", "options.json", "policy"
ORIGIN = "init_from.json"  # how the policy came about that the run began with
ORIGIN_FACTS = ("sha256", "hidden_sizes", "command", "seed", "timesteps", "seconds")
LEFT_BY_A_RUN = (
    CHECKPOINT,
    OPTIONS,
    ORIGIN,
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


def keep_origin(folder: Path, init_from: Path) -> None:
    """Keep in a run's folder how the policy came about that it begins with. Raises ValueError."""
    described = init_from / f"{POLICY}.json"
    if not described.exists():
        raise ValueError(f"{described}: there is no such file")
    facts = json.loads(described.read_text(encoding="utf-8"))
    kept = {key: facts[key] for key in (*ORIGIN_FACTS, "init_from") if key in facts}
    write_whole(folder / ORIGIN, (json.dumps(kept, indent=1) + "\n").encode())


def origin(folder: Path) -> dict[str, Any]:
    """What `keep_origin` kept, as a fact about this run's policy; nothing if the run began afresh."""
    kept = folder / ORIGIN
    return {"init_from": json.loads(kept.read_text(encoding="utf-8"))} if kept.exists() else {}


def write_options(folder: Path, options: dict[str, Any]) -> None:
    """Write a run's options, for people to read; a resumed run takes them from its checkpoint."""
    write_whole(folder / OPTIONS, (json.dumps(options, indent=1) + "\n").encode())
