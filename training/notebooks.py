"""The notebooks: how big they are, and how they are run anew.

    python -m hpenv.training.notebooks notebooks/*.ipynb

runs each from top to bottom in a fresh kernel and writes it back with its outputs, without times and
other traces of the machine, so that a notebook changes only where its results do.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from hpenv.files import write_whole

Size = TypeVar("Size")

SIZES = ("small", "full")
VARIABLE = "HPENV_NOTEBOOK_SIZE"
FIRST_RUN = ("hpenv: compil", "Matplotlib is building the font cache")


def sized(full: Size, small: Size) -> Size:
    """The first, or the second if the environment variable HPENV_NOTEBOOK_SIZE is `small`: for tests,
    and to look around quickly. Raises ValueError if it is neither `small` nor `full`."""
    size = os.environ.get(VARIABLE) or "full"
    if size not in SIZES:
        raise ValueError(f"{VARIABLE}={size!r} is not one of {', '.join(SIZES)}")
    return small if size == "small" else full


def verdict(mean: float, low: float, high: float, unit: str = "points per deal") -> str:
    """A mean with its 95 % interval in words that claim no more than the interval:

    >>> verdict(-0.11, -0.16, -0.06)
    'costs 0.11 points per deal [-0.16, -0.06]'
    """
    interval = f"[{low:+.2f}, {high:+.2f}]"
    if low <= 0 <= high:
        return f"no significant difference, {mean:+.2f} {unit} {interval}"
    return f"{'gains' if mean > 0 else 'costs'} {abs(mean):.2f} {unit} {interval}"


def run(path: Path) -> Any:
    """A notebook run from top to bottom in its folder; returns it with its outputs.

    Raises ImportError if nbclient is not there, and nbclient's CellExecutionError where a cell fails.
    """
    try:
        import nbformat  # noqa: PLC0415
        from nbclient import NotebookClient  # noqa: PLC0415
        from traitlets.config import Config  # noqa: PLC0415
    except ImportError:
        raise ImportError('notebooks need more packages: pip install -e ".[notebooks]"') from None
    notebook = nbformat.read(path, 4)  # type: ignore[no-untyped-call]
    private = Config(KernelManager={"transport_encryption": "auto"})  # or the kernel warns of listeners
    NotebookClient(
        notebook,
        config=private,
        timeout=None,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    return without_traces(notebook)


def without_traces(notebook: Any) -> Any:
    """The notebook without what differs from machine to machine and from run to run."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook.cells:
        cell.metadata = {}
        if "outputs" in cell:
            cell.outputs = [output for output in cell.outputs if not _is_of_a_first_run(output)]
        for output in cell.get("outputs", ()):
            if "metadata" in output:
                output["metadata"] = {}
            data = output.get("data", {})
            if "text/plain" in data and len(data) > 1:  # a picture once more, as text with an address
                data["text/plain"] = "(a picture)"
    return notebook


def _is_of_a_first_run(output: Any) -> bool:
    """Whether an output is only what is said once on a new machine, while hpenv compiles its engine and
    matplotlib looks for fonts."""
    lines = output.get("text", "").splitlines() if output.get("name") == "stderr" else []
    return bool(lines) and all(line.startswith(FIRST_RUN) for line in lines)


def main(names: Sequence[str]) -> int:
    """Run notebooks and write them back; returns the exit status."""
    if not names:
        print("usage: python -m hpenv.training.notebooks NOTEBOOK.ipynb ...", file=sys.stderr)
        return 2
    import nbformat  # noqa: PLC0415

    for name in names:
        print(f"{name} ...", flush=True)
        text = nbformat.writes(run(Path(name)))  # type: ignore[no-untyped-call]
        write_whole(Path(name), text.encode() + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
