"""Sets and short rows written as vectors: the right numbers, and code for every processor."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hpenv.compiled import kernel
from hpenv.vectors import copier, rows_of, spreader
from places import ROOT

WORDS = [0, 1, 2, 3, 63, 1 << 24, (1 << 25) - 1, 1 << 38, 1 << 62, (1 << 62) - 1, (1 << 63) - 1]
WORDS += [int(word) for word in np.random.default_rng(1).integers(1, 1 << 63, 300, np.int64)]
WIDTHS = [5, 25, 39, 43, 50, 60]
WRITERS = [spreader(n) for n in WIDTHS]
spread_5, spread_25, spread_39, spread_43, spread_50, spread_60 = WRITERS
copy_6, copy_25 = copier(6), copier(25)


@kernel
def spread_all(out: Any, start: Any, bits: Any) -> None:
    """Write a set in all widths, one after the other."""
    spread_5(out, start, bits)
    spread_25(out, start + 5, bits)
    spread_39(out, start + 30, bits)
    spread_43(out, start + 69, bits)
    spread_50(out, start + 112, bits)
    spread_60(out, start + 162, bits)


@kernel
def copy_all(out: Any, start: Any, row: Any) -> None:
    """Copy the beginning of a row in all widths, one after the other."""
    copy_6(out, start, row, 1)
    copy_25(out, start + 6, row, 2)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.float32])
def test_sets_are_spread_the_same_compiled_and_plain(dtype: Any) -> None:
    """The lowest members as zeros and ones, from the place asked for, and nothing beside them."""
    for word in WORDS:
        for start in (0, 3):
            compiled, plain = np.full(230, 7, dtype), np.full(230, 7, dtype)
            spread_all(compiled, start, word)
            at = start
            for spread, width in zip(WRITERS, WIDTHS, strict=True):
                spread(plain, at, np.int64(word))
                at += width
            digits = [int(digit) for digit in f"{word:064b}"[::-1]]
            written = [digit for width in WIDTHS for digit in digits[:width]]
            assert compiled.tolist() == [7] * start + written + [7] * (230 - start - len(written))
            assert plain.tolist() == compiled.tolist()


@pytest.mark.parametrize("dtype", [np.int8, np.float32])
def test_rows_are_copied_the_same_compiled_and_plain(dtype: Any) -> None:
    """Every number of it, negative ones too, and nothing beside them."""
    row = np.random.default_rng(2).integers(-128, 128, 30).astype(np.int8)
    numbers = row.tolist()
    compiled, plain = np.full(50, 7, dtype), np.full(50, 7, dtype)
    copy_all(compiled, 3, row)
    copy_6(plain, 3, row, 1)
    copy_25(plain, 9, row, 2)
    expected = [7] * 3 + numbers[1:7] + numbers[2:27] + [7] * 16
    assert compiled.tolist() == plain.tolist() == expected


def test_rows_as_records_share_the_memory_of_their_array() -> None:
    """One record a row, an array without rows included."""
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    rows = rows_of(array)
    assert rows[1].numbers.tolist() == [4, 5, 6, 7]
    rows[2].numbers[0] = 99
    assert array[2, 0] == 99
    assert rows_of(np.zeros((0, 4), np.int8)).shape == (0,)


COMPILE_ALL = """
from numba import types
import test_vectors

start = bits = types.int64
row = types.Array(types.int8, 1, "C")
for number in (types.int8, types.uint8, types.float32):
    out = types.Array(number, 1, "C")
    test_vectors.spread_all.compile((out, start, bits))
    if number != types.uint8:
        test_vectors.copy_all.compile((out, start, row))
print("compiled")
"""


X86 = ("generic", "haswell", "znver2", "skylake-avx512", "znver4")
PROCESSORS = X86 if platform.machine() in ("x86_64", "AMD64") else ("generic",)


@pytest.mark.parametrize("processor", PROCESSORS)
def test_every_processor_gets_its_code(processor: str, tmp_path: Path) -> None:
    """LLVM aborts the whole process where it cannot lower a vector, as it does for one of 50 lanes on
    AMD's Zen 2. Only compiled, not run: this machine need not have the instructions."""
    folders = [str(ROOT), str(Path(__file__).parent), str(Path(__file__).parent / "support")]
    environment = {
        **os.environ,
        "NUMBA_CPU_NAME": processor,
        "NUMBA_CPU_FEATURES": "",  # those that come with the processor
        "NUMBA_CACHE_DIR": str(tmp_path),
        "PYTHONPATH": os.pathsep.join(folders),
    }
    done = subprocess.run(
        [sys.executable, "-c", COMPILE_ALL],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "compiled\n"), done.stderr
