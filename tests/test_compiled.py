"""Compiled code: never stale, the same as plain Python, and heard of only once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from hpenv.compiled import (
    count_bits,
    highest_bit,
    kernel,
    lowest_bit,
    mix,
    next_state,
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


def toy_package(folder: Path) -> None:
    """A small package with kernels in three files and a script of its own, in an empty folder."""
    for package in ("hpenv", "agents"):
        (folder / package).mkdir()
        (folder / package / "__init__.py").touch()
    (folder / "hpenv" / "agents").symlink_to("../agents")
    shutil.copy(ROOT / "hpenv" / "compiled.py", folder / "hpenv")
    (folder / "agents" / "callee.py").write_text(CALLEE.format(bonus=1), encoding="utf-8")
    (folder / "agents" / "between.py").write_text(BETWEEN, encoding="utf-8")
    (folder / "agents" / "caller.py").write_text(CALLER, encoding="utf-8")
    (folder / "own_script.py").write_text(OWN_SCRIPT.format(more=0), encoding="utf-8")


def test_an_edited_callee_changes_its_callers_in_other_files(tmp_path: Path) -> None:
    """The cache of a caller, however far up, is not used once a file below it has changed; nor is that
    of somebody's own script. The first run says that it compiles, and a second one says nothing."""
    toy_package(tmp_path)
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


# ---- the cache and the machine ----------------------------------------------------------------

DAMAGE: list[Callable[[bytes], bytes]] = [
    lambda kept: b"",
    lambda kept: kept[: len(kept) // 2],
    lambda kept: kept[:-99] + bytes([kept[-99] ^ 4]) + kept[-98:],
    lambda kept: kept[:-500] + bytes(500),
]


def test_a_damaged_file_of_the_cache_is_compiled_anew(tmp_path: Path) -> None:
    """Empty, cut, a bit turned, zeros at its end, as a full disk or a kill leaves it: then it is whole
    again."""
    toy_package(tmp_path)
    run(tmp_path, "import own_script")
    kept = sorted(tmp_path.rglob("*.nbc"))
    sizes = [path.stat().st_size for path in kept]
    for path, damaged in zip(kept, DAMAGE, strict=True):
        path.write_bytes(damaged(path.read_bytes()))
    value, said = run(tmp_path, "import own_script")
    assert value == "23 22\n"
    assert said.startswith("hpenv: compiling for this machine, once")
    assert sorted(tmp_path.rglob("*.nbc")) == kept
    assert [path.stat().st_size for path in kept] == sizes
    assert run(tmp_path, "import own_script") == ("23 22\n", "")


def no_place(folder: Path) -> dict[str, str]:
    """The environment of a process that can keep compiled code nowhere."""
    toy_package(folder)
    for package in (folder, folder / "hpenv", folder / "agents"):
        (package / "__pycache__").touch()  # a plain file, where numba wants a folder
    nowhere = str(folder / "own_script.py" / "below a file")
    return {"HOME": nowhere, "XDG_CACHE_HOME": nowhere, "NUMBA_CACHE_DIR": ""}


def test_without_a_folder_to_write_code_lives_in_memory(tmp_path: Path) -> None:
    """An install that cannot be written and no home: it compiles, and says what would help."""
    environment = no_place(tmp_path)
    value, said = run(tmp_path, "import own_script", **environment)
    assert value == "23 22\n"
    first, *others = said.splitlines()
    assert first.startswith("hpenv: compiling for this machine (")
    assert "name one in NUMBA_CACHE_DIR to compile only once" in first
    assert all(line.startswith("hpenv: compiled ") for line in others)
    assert not list(tmp_path.rglob("*.nbc"))


def test_a_cache_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """Once; the code is then kept beside the sources."""
    toy_package(tmp_path)
    wished = str(tmp_path / "own_script.py" / "cache")
    value, said = run(tmp_path, "import own_script", NUMBA_CACHE_DIR=wished)
    assert value == "23 22\n"
    sentence = f"hpenv: NUMBA_CACHE_DIR={wished} cannot be written: compiled code is kept elsewhere"
    assert said.splitlines().count(sentence) == 1
    assert len(list((tmp_path / "agents").rglob("*.nbc"))) == 3


def test_a_full_disk_is_told_and_play_goes_on(tmp_path: Path) -> None:
    """No file may grow: one sentence, the right values, and nothing left behind."""
    toy_package(tmp_path)
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); import own_script"
    value, said = run(tmp_path, full)
    assert value == "23 22\n"
    sentence = "hpenv: compiled code cannot be kept, only used: File too large"
    assert said.splitlines().count(sentence) == 1
    assert not list(tmp_path.rglob("*.nbc"))


def test_processes_may_compile_at_once(tmp_path: Path) -> None:
    """Three at the same time on a cold cache, of different signatures: each right, then and later; and
    a file that has come under the name of another is not taken for it."""
    toy_package(tmp_path)
    code = "from hpenv.agents.callee import bonus; print({})"
    calls = ["bonus(1)", "bonus(1.5)", "bonus(1)"]
    with ThreadPoolExecutor(3) as pool:
        told = list(pool.map(lambda call: run(tmp_path, code.format(call))[0], calls))
    assert told == ["2\n", "2.5\n", "2\n"]
    both = code.format("bonus(1), bonus(1.5)")
    assert run(tmp_path, both) == ("2 2.5\n", "")
    one, two = tmp_path.rglob("*.nbc")
    shutil.copy(one, two)
    assert run(tmp_path, both)[0] == "2 2.5\n"


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


def test_these_tests_pass_without_compiling_too() -> None:
    """The same functions as plain Python, in a process with NUMBA_DISABLE_JIT=1."""
    folder = str(Path(__file__).parent)
    code = f"""
import sys
sys.path.insert(0, {folder!r})
import test_compiled as tests
assert not hasattr(tests.bits_of, "py_func")
tests.test_members_of_sets_are_the_same_compiled_and_plain()
tests.test_random_words_are_the_same_compiled_and_plain()
"""
    assert run(ROOT, code, NUMBA_DISABLE_JIT="1") == ("", "")
