"""Compiled code: never stale, the same as plain Python, and heard of only once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hpenv.compiled import (
    count_bits,
    highest_bit,
    kernel,
    lowest_bit,
    mix,
    next_state,
    spreader,
)
from places import ROOT

CALLEE = """
from hpenv.compiled import kernel

@kernel
def bonus(x):
    return x + {bonus}
"""
BETWEEN = """
from hpenv.agents.callee import bonus
from hpenv.compiled import kernel

@kernel
def twice(x):
    return bonus(x) + bonus(x)
"""
CALLER = """
from hpenv.agents.between import twice
from hpenv.compiled import kernel

@kernel
def total(x):
    return twice(x) + 1
"""
OWN_SCRIPT = """
from hpenv.agents.between import twice
from hpenv.agents.caller import total
from hpenv.compiled import kernel

@kernel
def own(x):
    return twice(x) + {more}

print(total(10), own(10))
"""


def run(folder: Path, code: str, **environment: str) -> tuple[str, str]:
    """What a new Python process started in `folder` says on stdout and stderr."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, done.stderr


def test_an_edited_callee_changes_its_callers_in_other_files(tmp_path: Path) -> None:
    """The cache of a caller, however far up, is not used once a file below it has changed; nor is that
    of somebody's own script. The first run says that it compiles, and a second one says nothing."""
    for package in ("hpenv", "agents"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
    (tmp_path / "hpenv" / "agents").symlink_to("../agents")
    shutil.copy(ROOT / "hpenv" / "compiled.py", tmp_path / "hpenv")
    (tmp_path / "agents" / "callee.py").write_text(CALLEE.format(bonus=1), encoding="utf-8")
    (tmp_path / "agents" / "between.py").write_text(BETWEEN, encoding="utf-8")
    (tmp_path / "agents" / "caller.py").write_text(CALLER, encoding="utf-8")
    (tmp_path / "own_script.py").write_text(OWN_SCRIPT.format(more=0), encoding="utf-8")
    value, said = run(tmp_path, "import own_script")
    assert value == "23 22\n"
    assert said.startswith("hpenv: compiling for this machine, once")
    assert "hpenv: compiled total in " in said
    assert run(tmp_path, "import own_script") == ("23 22\n", "")
    (tmp_path / "agents" / "callee.py").write_text(CALLEE.format(bonus=500), encoding="utf-8")
    value, said = run(tmp_path, "import own_script")
    assert value == "1021 1020\n"
    assert said.startswith("hpenv: compiling for this machine, once")
    (tmp_path / "own_script.py").write_text(OWN_SCRIPT.format(more=7000), encoding="utf-8")
    assert run(tmp_path, "import own_script") == ("1021 8020\n", "")


# ---- compiled and plain -----------------------------------------------------------------------

WORDS = [1, 2, 3, 63, 1 << 24, (1 << 25) - 1, 1 << 38, 1 << 62, (1 << 62) - 1, (1 << 63) - 1]
WORDS += [int(word) for word in np.random.default_rng(1).integers(1, 1 << 63, 300, np.int64)]
WORDS += [word >> shift for shift in (10, 25, 39) for word in WORDS[-100:]]


@kernel
def bits_of(words: Any, out: Any) -> None:
    """Write count, lowest and highest member of each set."""
    for i in range(len(words)):
        out[i, 0] = count_bits(words[i])
        out[i, 1] = lowest_bit(words[i])
        out[i, 2] = highest_bit(words[i])


@kernel
def streams_of(words: Any, out: Any) -> None:
    """Write the scrambled word and the next state of each."""
    for i in range(len(words)):
        out[i, 0] = mix(words[i])
        out[i, 1] = next_state(words[i])


def test_members_of_sets_are_the_same_compiled_and_plain() -> None:
    """And what they ought to be, told from the set written in binary."""
    out = np.zeros((len(WORDS), 3), np.int64)
    bits_of(np.array(WORDS), out)
    for word, found in zip(WORDS, out.tolist(), strict=True):
        written = f"{word:b}"
        last = len(written) - 1
        assert found == [written.count("1"), last - written.rindex("1"), last]
        assert found == [count_bits(word), lowest_bit(word), highest_bit(word)]
        assert found == [f(np.int64(word)) for f in (count_bits, lowest_bit, highest_bit)]
    bits_of(np.zeros(1, np.int64), out)
    assert out[0, 0] == count_bits(0) == 0


def test_random_words_are_the_same_compiled_and_plain() -> None:
    """And the first ones of seed 0 are those of the published generator."""
    words = [0, (1 << 64) - 1, *WORDS, *(word << 1 | 1 for word in WORDS[:200])]
    out = np.zeros((len(words), 2), np.uint64)
    streams_of(np.array(words, np.uint64), out)
    assert out.tolist() == [[mix(word), next_state(word)] for word in words]
    assert out.tolist() == [[mix(np.uint64(word)), next_state(np.uint64(word))] for word in words]
    state, drawn = 0, []
    for _ in range(3):
        state = next_state(state)
        drawn.append(f"{mix(state):016x}")
    assert drawn == ["e220a8397b1dcdaf", "6e789e6aa1b965f4", "06c45d188009454f"]


spread_5, spread_25, spread_50 = spreader(5), spreader(25), spreader(50)


@kernel
def spread_all(out: Any, start: Any, bits: Any) -> None:
    """Write a set in three widths, one after the other."""
    spread_5(out, start, bits)
    spread_25(out, start + 5, bits)
    spread_50(out, start + 30, bits)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.float32])
def test_sets_are_spread_the_same_compiled_and_plain(dtype: Any) -> None:
    """The lowest members as zeros and ones, from the place asked for, and nothing beside them."""
    for word in [0, *WORDS]:
        for start in (0, 3):
            compiled, plain = np.full(90, 7, dtype), np.full(90, 7, dtype)
            spread_all(compiled, start, word)
            for spread, at in ((spread_5, 0), (spread_25, 5), (spread_50, 30)):
                spread(plain, start + at, np.int64(word))
            digits = [int(digit) for digit in f"{word:064b}"[::-1]]
            expected = [7] * start + digits[:5] + digits[:25] + digits[:50] + [7] * (10 - start)
            assert compiled.tolist() == plain.tolist() == expected


def test_these_tests_pass_without_compiling_too() -> None:
    """The same functions as plain Python, in a process with NUMBA_DISABLE_JIT=1."""
    folder = str(Path(__file__).parent)
    code = f"""
import sys
sys.path.insert(0, {folder!r})
import numpy as np, test_compiled as tests
assert not hasattr(tests.bits_of, "py_func")
tests.test_members_of_sets_are_the_same_compiled_and_plain()
tests.test_random_words_are_the_same_compiled_and_plain()
tests.test_sets_are_spread_the_same_compiled_and_plain(np.int8)
"""
    assert run(ROOT, code, NUMBA_DISABLE_JIT="1") == ("", "")
