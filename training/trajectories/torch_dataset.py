"""Recorded decisions for torch.

train, test = Decisions("data/rule_based").split(0.9)
for batch in train.batches(4096, shuffle=True, num_workers=2):
    loss = cross_entropy(net(batch["observation"].float()), batch["action"])
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler, SequentialSampler

from hpenv.training.trajectories.folder import check_files, open_columns

Sample: TypeAlias = dict[str, Tensor]

KINDS = {"observation": torch.int8, "action_mask": torch.bool}  # int64 for all other columns


class Decisions(Dataset[Sample]):
    """The decisions of a folder of .npy files, memory-mapped: what is not asked for is not read.

    An item is a dictionary with a tensor for each column (`hpenv.training.trajectories.decisions`):
    `observation` int8 (F,), `action_mask` bool (A,), all others int64 (). For a slice or a list of B
    numbers there are B rows of each, read at once, which is what `batches` does.

    check: compare the hash of every file first. rows: those of the folder that are meant, by default
    all. Raises ValueError, naming the folder, for damage or another encoding.
    """

    def __init__(self, folder: Path | str, *, check: bool = False, rows: range | None = None) -> None:
        if check:
            check_files(folder)
        self._open(Path(folder), rows)

    def _open(self, folder: Path, rows: range | None) -> None:
        columns = open_columns(folder)
        self.folder, self.rows = folder, range(len(columns["deal"])) if rows is None else rows
        at = slice(self.rows.start, self.rows.stop)
        self._columns = {name: column[at] for name, column in columns.items()}

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, which: int | slice | Sequence[int]) -> Sample:
        return {
            name: torch.from_numpy(np.array(column[which])).to(KINDS.get(name, torch.int64))
            for name, column in self._columns.items()
        }

    def __getitems__(self, which: Sequence[int]) -> list[Sample]:
        """The items of these numbers, for a plain `DataLoader`; `batches` is several times faster."""
        batch = self[which]
        return [dict(zip(batch, item, strict=True)) for item in zip(*batch.values(), strict=True)]

    def split(self, share: float) -> tuple["Decisions", "Decisions"]:
        """About this share of the decisions, and the rest; no deal is in both. Raises ValueError where
        a part would be empty."""
        deals = self._columns["deal"]
        at = int(np.searchsorted(deals, deals[int(share * len(deals))])) if 0 < share < 1 else 0
        if not at:
            raise ValueError(f"split: with share={share} of {len(deals):,} decisions a part is empty")
        parts = self.rows[:at], self.rows[at:]
        return Decisions(self.folder, rows=parts[0]), Decisions(self.folder, rows=parts[1])

    def batches(
        self, batch_size: int, shuffle: bool = False, seed: int = 1, num_workers: int = 0, **more: Any
    ) -> "DataLoader[Sample]":
        """A `DataLoader` of whole batches, which are shuffled anew each time round. more: as for
        `DataLoader`."""
        order = torch.Generator().manual_seed(seed)
        sampler = RandomSampler(self, generator=order) if shuffle else SequentialSampler(self)
        at_once = BatchSampler(sampler, batch_size, drop_last=False)
        return DataLoader(self, None, sampler=at_once, num_workers=num_workers, **more)

    def __getstate__(self) -> dict[str, Any]:
        """Without the columns: a worker maps them by itself."""
        return {"folder": self.folder, "rows": self.rows}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._open(state["folder"], state["rows"])
