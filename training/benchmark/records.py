"""The deals of matches as records in a file: JSON lines, or Parquet for pandas and polars.

Both hold the same, one row for each table of each duplicate deal, in the order of play. A row is a deal
record (`hpenv.notation`), so the engine can replay it, with more columns about the match:

| column | type | meaning |
|---|---|---|
| `a`, `b` | string | the two agents; results are seen from `a` |
| `seed` | int64 | of the match |
| `deal` | int64 | number of the deal among those of the seed, from 0 |
| `a_side` | string | where `a` sat: `NS` at the first table of a duplicate deal, `EW` at the second |
| `rules` | string | a preset's name, or a JSON object of the options that differ |
| `dealer` | string | `N`, `E`, `S` or `W` |
| `score` | list of int32 | before the deal, North-South's and East-West's |
| `hands` | struct of strings | the cards dealt to `N`, `E`, `S` and `W` |
| `widow` | string | the card dealt face down |
| `actions` | list of strings | all that was done, in order; the discard as its card |
| `points` | list of int32 | of the deal, North-South's and East-West's |
| `tricks` | list of int8 | won by North-South and by East-West |
| `maker` | string | the seat of the high bidder; null if the deal was thrown in, as in the next four |
| `bid` | int8 | 1 to 6, or 7 for big pepper |
| `trump` | string | `C`, `D`, `H` or `S` |
| `alone` | bool | the maker played alone |
| `made` | bool | the makers won as many tricks as they bid (R14) |
| `margin` | int32 | points of `a`'s side less the other side's |

    pandas.read_parquet("deals.parquet").groupby("a_side").margin.mean()
"""

import json
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from hpenv.cards import SUITS
from hpenv.notation import Record, parse_record, record_of, record_text
from hpenv.seats import NOBODY, SEAT_LETTERS, SIDE_LETTERS
from hpenv.training.benchmark.matches import Seating
from hpenv.training.benchmark.outcomes import A, B, outcomes_at

KINDS = (".jsonl", ".parquet")


def check_records(path: Path, seed: int) -> None:
    """Refuse a file of records that cannot be written. Raises ValueError, FileExistsError or
    FileNotFoundError naming it, and ModuleNotFoundError for Parquet without pyarrow."""
    if not -(2**63) <= seed < 2**63:
        raise ValueError(f"records: the seed {seed} does not fit into 64 bits")
    if path.suffix not in KINDS:
        raise ValueError(f"records: {path} ends neither in {' nor in '.join(KINDS)}")
    if path.exists():
        raise FileExistsError(17, "is there already", str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(2, "no such folder", str(path.parent))
    if path.suffix == ".parquet":
        import pyarrow.parquet  # noqa: F401, PLC0415


class RecordsFile:
    """A file of records that is written while matches are played, and is there once all of it is.

    Use it in a `with` statement; where that ends with an error there is no file. Raises as
    `check_records`.
    """

    def __init__(self, path: Path, seed: int) -> None:
        check_records(path, seed)
        self.path, self.seed = path, seed
        self.part = path.with_name(f".{secrets.token_hex(16)}.part")

    def __enter__(self) -> "RecordsFile":
        kind = ParquetLines if self.path.suffix == ".parquet" else JsonLines
        self.writer: ParquetLines | JsonLines = kind(self.part)
        return self

    def add(self, names: tuple[str, str], at: Seating) -> None:
        """Write the finished deals of some tables of a match between two agents."""
        self.writer.write(list(rows_of_match(names, self.seed, at)))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self.writer.close()
            if kind is None:
                self.part.replace(self.path)
        finally:
            with suppress(FileNotFoundError):
                self.part.unlink()


def rows_of_match(names: tuple[str, str], seed: int, at: Seating) -> Iterator[dict[str, Any]]:
    """A row for each finished table, as JSON lines hold it."""
    outcomes = outcomes_at(at.tables, at.side_of_a)
    margins = outcomes["points"][:, A].astype(int) - outcomes["points"][:, B]
    for i, table in enumerate(at.tables):
        record, outcome = record_of(table), outcomes[i]
        bid = outcome["makers"] != NOBODY
        yield {
            "a": names[A],
            "b": names[B],
            "seed": seed,
            "deal": at.first + i,
            "a_side": SIDE_LETTERS[at.side_of_a],
            **json.loads(record_text(record)),
            "tricks": table.tricks.tolist(),
            "maker": SEAT_LETTERS[table.maker] if bid else None,
            "bid": int(table.bid) if bid else None,
            "trump": SUITS[table.trump] if bid else None,
            "alone": bool(outcome["alone"]) if bid else None,
            "made": bool(outcome["made"]) if bid else None,
            "margin": int(margins[i]),
        }


class JsonLines:
    """Rows as JSON, one a line."""

    def __init__(self, path: Path) -> None:
        self.file = open(path, "x", encoding="utf-8")  # noqa: SIM115  (closed by `close`)

    def write(self, rows: list[dict[str, Any]]) -> None:
        self.file.writelines(json.dumps(row) + "\n" for row in rows)

    def close(self) -> None:
        self.file.close()


class ParquetLines:
    """Rows as Parquet, a row group for each `write`."""

    def __init__(self, path: Path) -> None:
        from pyarrow.parquet import ParquetWriter  # noqa: PLC0415

        self.schema = schema()
        self.writer = ParquetWriter(path, self.schema, compression="zstd")

    def write(self, rows: list[dict[str, Any]]) -> None:
        import pyarrow  # noqa: PLC0415

        flat = [row | {"rules": _rules_text(row["rules"])} for row in rows]
        self.writer.write_table(pyarrow.Table.from_pylist(flat, self.schema))

    def close(self) -> None:
        self.writer.close()


def _rules_text(rules: str | dict[str, Any]) -> str:
    return rules if isinstance(rules, str) else json.dumps(rules)


def schema() -> Any:
    """The columns of a Parquet file of records."""
    import pyarrow as pa  # noqa: PLC0415

    numbers = pa.list_(pa.int32())
    return pa.schema(
        {
            "a": pa.string(),
            "b": pa.string(),
            "seed": pa.int64(),
            "deal": pa.int64(),
            "a_side": pa.string(),
            "rules": pa.string(),
            "dealer": pa.string(),
            "score": numbers,
            "hands": pa.struct({seat: pa.string() for seat in SEAT_LETTERS}),
            "widow": pa.string(),
            "actions": pa.list_(pa.string()),
            "points": numbers,
            "tricks": pa.list_(pa.int8()),
            "maker": pa.string(),
            "bid": pa.int8(),
            "trump": pa.string(),
            "alone": pa.bool_(),
            "made": pa.bool_(),
            "margin": pa.int32(),
        }
    )


def record_from(row: dict[str, Any]) -> Record:
    """The deal record of a row, as JSON lines or as Parquet hold it: for `hpenv.notation.replay`."""
    rules = row["rules"]
    if isinstance(rules, str) and rules.startswith("{"):
        row = row | {"rules": json.loads(rules)}
    return parse_record(row)
