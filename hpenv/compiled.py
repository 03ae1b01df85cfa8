"""How this project compiles: numba kernels whose cache cannot go stale, and work with bits.

`kernel` marks a function that runs as machine code. Compiled code is kept on disk. Numba checks only
the file a function stands in, so an edited callee in another file would go unnoticed; here compiled
code carries a stamp over every file of the project that its function can reach through imports. A kept
file that is cut, damaged or of other sources is compiled anew, and where no file can be kept the code
lives in memory.

With the environment variable `NUMBA_DISABLE_JIT=1` every kernel runs as plain Python instead.
"""

import hashlib
import os
import pickle
import re
import secrets
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba.core import event, types
from numba.core.caching import FunctionCache
from numba.core.serialize import dumps
from numba.extending import intrinsic, overload

Function = TypeVar("Function", bound=Callable[..., Any])

Int = Any  # a whole number in a kernel: int64 where compiled, else whatever numpy gives

PARTS = (".", "agents", "training")  # agents and training may be links, which rglob does not follow

WORTH_SAYING = 0.05  # seconds

MASK64 = 0xFFFFFFFFFFFFFFFF
GOLDEN = 0x9E3779B97F4A7C15


def kernel(function: Function, inlined: bool = False) -> Function:
    """Compile `function` on first use and keep the machine code until a file it reaches changes."""
    compile_it = numba.njit(nogil=True, error_model="numpy", forceinline=inlined)
    dispatcher: Any = compile_it(function)
    if dispatcher is not function:  # the same object when the JIT is off
        announcer = _announcer()
        try:
            dispatcher._cache = _Cache(function)
        except RuntimeError:  # numba found no folder that can be written
            announcer.keeps = False
    return cast(Function, dispatcher)


def inlined(function: Function) -> Function:
    """A kernel that becomes part of each kernel that calls it: for small ones with many calls."""
    return kernel(function, inlined=True)


class _Cache(FunctionCache):
    """Numba's cache of one function, with files of our own."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        sources = stamp(function.__code__.co_filename, self._impl.locator.get_source_stamp())
        files: Any = _CodeFiles(Path(self._cache_path), self._impl.filename_base, sources)
        self._cache_file = files
        wished = os.environ.get("NUMBA_CACHE_DIR")
        if wished and Path(wished) not in Path(self._cache_path).parents:
            _say(f"NUMBA_CACHE_DIR={wished} cannot be written: compiled code is kept elsewhere")

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except OSError as error:
            _say(f"compiled code cannot be kept, only used: {error.strerror}")


class _CodeFiles:
    """The compiled code of one function: a file for each signature and processor.

    A file begins with a digest of what the code is for (sources, signature, processor, numba) and one
    of the code. It is put in place whole, so that processes may compile at once.
    """

    def __init__(self, folder: Path, name: str, sources: str) -> None:
        self.folder, self.name, self.sources = folder, name, sources

    def _place(self, key: Any) -> tuple[Path, bytes]:
        """The file of a key, and the digest of what its code is for."""
        number = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        what = hashlib.sha256(repr((numba.__version__, self.sources, key)).encode())
        return self.folder / f"{self.name}.{number}.nbc", what.digest()

    def load(self, key: Any) -> Any:
        """What was saved under a key; None where nothing sound is, or code of other sources."""
        path, what = self._place(key)
        try:
            kept = path.read_bytes()
        except OSError:
            return None
        code = kept[2 * len(what) :]
        sound = kept[: len(what)] == what and kept[len(what) :][: len(what)] == _digest(code)
        return pickle.loads(code) if sound else None

    def save(self, key: Any, data: Any) -> None:
        """Keep compiled code under a key. Raises OSError, and leaves nothing behind, if that fails."""
        path, what = self._place(key)
        code = dumps(data)
        part = path.with_suffix(f".{secrets.token_hex(8)}.nbc")
        try:
            with part.open("xb") as file:
                file.write(what + _digest(code) + code)
            part.replace(path)
        except OSError:
            part.unlink(missing_ok=True)
            raise

    def flush(self) -> None:
        """Forget what was kept, as numba asks before it compiles a function anew."""
        for path in self.folder.glob(f"{self.name}.*.nbc"):
            path.unlink(missing_ok=True)


def _digest(code: bytes) -> bytes:
    return hashlib.sha256(code).digest()


@cache
def _say(sentence: str) -> None:
    """Say something on stderr, once."""
    print(f"hpenv: {sentence}", file=sys.stderr, flush=True)


@cache
def stamp(file: str, numbas_stamp: Any) -> str:
    """One hash over a file of this project and every file of it that it imports, however far. A file
    from elsewhere keeps numba's own stamp, and may reach all files of the project."""
    digest = hashlib.sha256()
    home = Path(__file__).parent
    reached, waiting = set[Path](), [Path(file)]
    if home not in waiting[0].parents:
        digest.update(repr(numbas_stamp).encode())
        waiting = [path for part in PARTS for path in (home / part).rglob("*.py")]
    while waiting:
        path = waiting.pop()
        if path not in reached and path.exists():
            reached.add(path)
            for module in re.findall(r"^from hpenv\.([\w.]+) import", path.read_text("utf-8"), re.M):
                named = home.joinpath(*module.split("."))
                waiting += [named.with_suffix(".py"), named / "__init__.py"]
    for path in sorted(reached):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


class _Announcer(event.Listener):
    """Says on stderr that compilation has started, and how long each compiled function took."""

    def __init__(self) -> None:
        self.keeps = True
        self.depth = 0
        self.started = 0.0
        self.seconds = 0.0

    def on_start(self, event: event.Event) -> None:
        if self.depth or _is_ours(event):
            if self.depth == 0:
                self.started = time.perf_counter()
                how_long = "up to a minute in all on a quiet machine"
                if self.keeps:
                    _say(f"compiling for this machine, once ({how_long}) ...")
                else:
                    _say(
                        f"compiling for this machine ({how_long}), in memory: no folder for compiled "
                        "code can be written, so name one in NUMBA_CACHE_DIR to compile only once ..."
                    )
            self.depth += 1

    def on_end(self, event: event.Event) -> None:
        if self.depth:
            self.depth -= 1
            if self.depth == 0:
                spent = time.perf_counter() - self.started
                self.seconds += spent
                if spent >= WORTH_SAYING:
                    name = event.data["dispatcher"].py_func.__name__
                    print(f"hpenv: compiled {name} in {spent:.1f} s", file=sys.stderr, flush=True)


def _is_ours(compilation: event.Event) -> bool:
    module: str = compilation.data["dispatcher"].py_func.__module__
    return module.partition(".")[0] == "hpenv"


@cache
def _announcer() -> _Announcer:
    listener = _Announcer()
    event.register("numba:compile", listener)
    return listener


# Each of the functions below is plain Python when the JIT is off, and one or a few machine
# instructions when it is on.


def count_bits(bits: Int) -> Int:
    """How many members the set `bits` has."""
    return int(bits).bit_count()


def lowest_bit(bits: Int) -> Int:
    """The number of the lowest member of the set `bits`, which must not be empty."""
    return (int(bits) & -int(bits)).bit_length() - 1


def highest_bit(bits: Int) -> Int:
    """The number of the highest member of the set `bits`, which must not be empty."""
    return int(bits).bit_length() - 1


def mix(x: Int) -> Int:
    """Scramble 64 bits: the finaliser of splitmix64 (Steele, Lea and Flood, OOPSLA 2014)."""
    x = int(x)
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK64
    return x ^ (x >> 31)


def next_state(state: Int) -> Int:
    """The next state of a random stream; `mix` of each state is a random word of 64 bits."""
    return (int(state) + GOLDEN) & MASK64


@intrinsic
def _ctpop(typingctx: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), codegen


@intrinsic
def _cttz(typingctx: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen


@intrinsic
def _ctlz(typingctx: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen


@overload(count_bits, strict=False)
def _count_bits(bits: Any) -> Any:
    return lambda bits: _ctpop(np.int64(bits))


@overload(lowest_bit, strict=False)
def _lowest_bit(bits: Any) -> Any:
    return lambda bits: _cttz(np.int64(bits))


@overload(highest_bit, strict=False)
def _highest_bit(bits: Any) -> Any:
    return lambda bits: 63 - _ctlz(np.int64(bits))


@intrinsic
def _splitmix(typingctx: Any, x: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        x = args[0]
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            x = builder.xor(x, builder.lshr(x, ir.Constant(word, shift)))
            x = builder.mul(x, ir.Constant(word, factor))
        return builder.xor(x, builder.lshr(x, ir.Constant(word, 31)))

    return types.uint64(types.uint64), codegen


@overload(mix, strict=False)
def _mix(x: Any) -> Any:
    return lambda x: _splitmix(np.uint64(x))


@overload(next_state, strict=False)
def _next_state(state: Any) -> Any:
    return lambda state: np.uint64(state) + np.uint64(GOLDEN)
