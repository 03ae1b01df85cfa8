"""A folder of recorded decisions: a .npy file for each column, or Parquet as Hugging Face wants it.

The folder has `metadata.json`: who played, under which rules, the columns, and the SHA-256 hash of each
file. As .npy, `numpy.load("observation.npy", mmap_mode="r")` reads a column without loading it. As
Parquet, `datasets.load_dataset(FOLDER)` and `pandas.read_parquet(f"{FOLDER}/data")` read it; a
`README.md` is its card.

It is written under another name beside its place and takes its own name once it is whole.
"""

import hashlib
import json
import os
import secrets
import shutil
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.lib.format import write_array_header_1_0

import hpenv
from hpenv.files import write_whole
from hpenv.strict_json import parse_json
from hpenv.training.trajectories.decisions import COLUMNS, Columns, encoding

FORMAT = 1
METADATA = "metadata.json"
KINDS = ("npy", "parquet")
ROWS_OF_A_SHARD = 1_000_000
CARD = """\
---
pretty_name: Hasenpfeffer, decisions of {players}
tags:
- card-game
- imitation-learning
- offline-reinforcement-learning
configs:
- config_name: default
  data_files:
  - split: train
    path: data/train-*.parquet
---

# Hasenpfeffer, decisions of {players}

{decisions:,} decisions of {deals:,} deals of the card game Hasenpfeffer, rules `{rules}`, recorded by

    {command}

| column | meaning |
|---|---|
{columns}

Decisions stand deal by deal in the order of play. The encoding is `{encoding}` of hpenv {hpenv}.
"""


class DecisionsFolder:
    """A folder that decisions are written into, and that is there once all of them are.

    Use it in a `with` statement; where that ends with an error there is no folder. facts: what its
    metadata hold besides the columns, as values for JSON, with `agents`, `rules` and `command` among
    them. Raises as `check_place`.
    """

    def __init__(self, folder: Path, kind: str, facts: dict[str, Any]) -> None:
        check_place(folder, kind)
        self.folder, self.kind, self.facts = folder, kind, facts
        self.part = folder.with_name(f".{secrets.token_hex(16)}.part")
        self.decisions = self.deals = 0

    def __enter__(self) -> "DecisionsFolder":
        self.part.mkdir()
        self.writer: NpyColumns | ParquetShards = (
            NpyColumns(self.part) if self.kind == "npy" else ParquetShards(self.part)
        )
        return self

    def add(self, rows: Columns) -> None:
        """Write some decisions, whole deals that come after those written before."""
        self.writer.write(rows)
        self.decisions += len(rows["deal"])
        self.deals = int(rows["deal"][-1]) + 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self.writer.close()
            if kind is None:
                self._describe()
                self.part.rename(self.folder)
        finally:
            shutil.rmtree(self.part, ignore_errors=True)

    def _describe(self) -> None:
        """Write the metadata, and the card of a folder of Parquet."""
        metadata = {
            "format": FORMAT,
            "hpenv": hpenv.__version__,
            "encoding": encoding(),
            "kind": self.kind,
            **self.facts,
            "decisions": self.decisions,
            "deals": self.deals,
            "columns": {
                name: {"dtype": np.dtype(dtype).name, "shape": [self.decisions, *shape], "is": meaning}
                for name, (dtype, shape, meaning) in COLUMNS.items()
            },
            "files": {
                path.relative_to(self.part).as_posix(): {
                    "bytes": path.stat().st_size,
                    "sha256": hash_of(path),
                }
                for path in sorted(self.part.rglob("*"))
                if path.is_file()
            },
        }
        write_whole(self.part / METADATA, (json.dumps(metadata, indent=1) + "\n").encode())
        if self.kind == "parquet":
            players = ", ".join(dict.fromkeys(metadata["agents"]))
            rows = "\n".join(f"| `{name}` | {column.meaning} |" for name, column in COLUMNS.items())
            card = CARD.format(**metadata | {"players": players, "columns": rows})
            write_whole(self.part / "README.md", card.encode())


def check_place(folder: Path, kind: str) -> None:
    """Raise ValueError for another kind of files, FileExistsError for a folder that is there,
    FileNotFoundError for one in no folder, and ModuleNotFoundError for Parquet without pyarrow."""
    if kind not in KINDS:
        raise ValueError(f"record: the files are {' or '.join(KINDS)}, not {kind!r}")
    if os.path.lexists(folder):
        raise FileExistsError(17, "is there already", str(folder))
    if not folder.absolute().parent.is_dir():
        raise FileNotFoundError(2, "no such folder", str(folder.absolute().parent))
    if kind == "parquet":
        import pyarrow.parquet  # noqa: F401, PLC0415


def hash_of(path: Path) -> str:
    """The SHA-256 hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# ---- writing ------------------------------------------------------------------------------------


class NpyColumns:
    """A .npy file for each column. The header, which has room to grow, is written again at the end."""

    def __init__(self, folder: Path) -> None:
        self.files = {name: (folder / f"{name}.npy").open("xb") for name in COLUMNS}
        self.rows = 0
        self._write_headers()

    def _write_headers(self) -> None:
        for name, (dtype, shape, _) in COLUMNS.items():
            descr = np.lib.format.dtype_to_descr(np.dtype(dtype))
            header = {"descr": descr, "fortran_order": False, "shape": (self.rows, *shape)}
            self.files[name].seek(0)
            write_array_header_1_0(self.files[name], header)

    def write(self, rows: Columns) -> None:
        for name, column in COLUMNS.items():
            np.ascontiguousarray(rows[name], column.dtype).tofile(self.files[name])
        self.rows += len(rows["deal"])

    def close(self) -> None:
        self._write_headers()
        for file in self.files.values():
            file.flush()
            os.fsync(file.fileno())
            file.close()


class ParquetShards:
    """`data/train-00000-of-0000N.parquet`, with a row group for each `write`."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.shards, self.rows = folder / "data", 0, 0
        self.folder.mkdir()
        self.writer: Any = None

    def write(self, rows: Columns) -> None:
        import pyarrow as pa  # noqa: PLC0415
        from pyarrow.parquet import ParquetWriter  # noqa: PLC0415

        if self.writer is None or self.rows >= ROWS_OF_A_SHARD:
            self._close_shard()
            path = self.folder / f"{self.shards}.parquet"
            self.writer, self.rows, self.shards = (
                ParquetWriter(path, schema(), compression="zstd"),
                0,
                self.shards + 1,
            )
        columns = []
        for name, (dtype, shape, _) in COLUMNS.items():
            flat = pa.array(np.ascontiguousarray(rows[name], dtype).reshape(-1))
            columns.append(pa.FixedSizeListArray.from_arrays(flat, *shape) if shape else flat)
        self.writer.write_table(pa.table(columns, schema=schema()))
        self.rows += len(rows["deal"])

    def _close_shard(self) -> None:
        if self.writer is not None:
            self.writer.close()

    def close(self) -> None:
        self._close_shard()
        for i in range(self.shards):
            place = self.folder / f"train-{i:05}-of-{self.shards:05}.parquet"
            (self.folder / f"{i}.parquet").rename(place)


def schema() -> Any:
    """The columns of Parquet."""
    import pyarrow as pa  # noqa: PLC0415

    kinds = {name: pa.from_numpy_dtype(column.dtype) for name, column in COLUMNS.items()}
    return pa.schema(
        {
            name: pa.list_(kinds[name], *column.shape) if column.shape else kinds[name]
            for name, column in COLUMNS.items()
        }
    )


# ---- reading ------------------------------------------------------------------------------------


def read_metadata(folder: Path | str) -> dict[str, Any]:
    """What a folder says of its decisions.

    Raises ValueError, naming the folder, where none are recorded, and for damage, another version of
    the folder, or another encoding of observations and actions.
    """
    folder = Path(folder)
    if not (folder / METADATA).is_file():
        raise ValueError(f"{folder}: no recorded decisions: it has no {METADATA}")
    try:
        metadata = parse_json((folder / METADATA).read_bytes())
        form, theirs, version = (metadata[name] for name in ("format", "encoding", "hpenv"))
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{folder}: damaged: {METADATA} does not describe decisions") from error
    if form != FORMAT:
        raise ValueError(f"{folder}: made by another version (format {form!r}, this reads {FORMAT})")
    if theirs != encoding():
        raise ValueError(
            f"{folder}: recorded with the encoding {theirs!r} of hpenv {version}, not with "
            f"{encoding()!r} of this hpenv {hpenv.__version__}: record it again"
        )
    return dict(metadata)


def check_files(folder: Path | str) -> dict[str, Any]:
    """The metadata of a folder whose files have all the size and the hash they should. Raises as
    `read_metadata`, and ValueError for a file that is missing or was changed."""
    folder, metadata = Path(folder), read_metadata(folder)
    try:
        for name, facts in metadata["files"].items():
            path = folder / name
            if path.stat().st_size != facts["bytes"] or hash_of(path) != facts["sha256"]:
                raise ValueError(f"{folder}: damaged: {name} is not what was recorded")
    except (OSError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{folder}: damaged: {error}") from error
    return metadata


def open_columns(folder: Path | str) -> Columns:
    """The columns of a folder of .npy files, memory-mapped: nothing is read before it is used.

    Raises as `read_metadata`, and ValueError for columns of another type or length.
    """
    folder, metadata = Path(folder), read_metadata(folder)
    if metadata.get("kind") != "npy":
        raise ValueError(f"{folder}: holds Parquet, which datasets.load_dataset reads; .npy is mapped")
    columns: Columns = {}
    for name, column in COLUMNS.items():
        try:
            array = np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise ValueError(f"{folder}: damaged: {name}.npy: {error}") from error
        expected = (metadata.get("decisions"), *column.shape)
        if array.shape != expected or array.dtype != column.dtype:
            raise ValueError(
                f"{folder}: damaged: {name}.npy holds {array.dtype} of shape {array.shape}, not "
                f"{np.dtype(column.dtype)} of shape {expected}"
            )
        columns[name] = array
    return columns
