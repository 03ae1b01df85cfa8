"""How this project compiles: numba kernels whose cache cannot go stale, and work with bits.

`kernel` marks a function that runs as machine code. Compiled code is kept on disk. Numba checks only
the file a function stands in, so an edited callee in another file would go unnoticed; here a kernel's
cache entry carries a stamp over every file of the project that it can reach through imports.

With the environment variable `NUMBA_DISABLE_JIT=1` every kernel runs as plain Python instead.
"""

import hashlib
import re
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
from numba.extending import intrinsic, overload

Function = TypeVar("Function", bound=Callable[..., Any])

Int = Any  # a whole number in a kernel: int64 where compiled, else whatever numpy gives

PARTS = (".", "agents", "training")  # agents and training may be links, which rglob does not follow

WORTH_SAYING = 0.05  # seconds

MASK64 = 0xFFFFFFFFFFFFFFFF
GOLDEN = 0x9E3779B97F4A7C15


def kernel(function: Function) -> Function:
    """Compile `function` on first use and keep the machine code until a file it reaches changes."""
    dispatcher: Any = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    if dispatcher is not function:  # the same object when the JIT is off
        entry = dispatcher._cache._cache_file
        entry._source_stamp = stamp(function.__code__.co_filename, entry._source_stamp)
        _announcer()
    return cast(Function, dispatcher)


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
        self.depth = 0
        self.started = 0.0
        self.seconds = 0.0

    def on_start(self, event: event.Event) -> None:
        if self.depth or _is_ours(event):
            if self.depth == 0:
                self.started = time.perf_counter()
                if self.seconds == 0.0:
                    print(
                        "hpenv: compiling for this machine, once (up to a minute in all) ...",
                        file=sys.stderr,
                        flush=True,
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


def spreader(n: int) -> Callable[[Any, Int, Int], None]:
    """Make a function `spread(out, start, bits)` that writes the lowest n bits of a set as n numbers,
    0 or 1, from `out[start]` on; `out` is a contiguous row of int8, uint8 or float32. Compiled, it is
    a handful of vector instructions without a branch."""
    # Two overlapping vectors: LLVM lowers a vector of a power of two of bits well on every processor,
    # and other lengths badly, or on some processors (AVX-512) not at all.
    width = 1 << (n.bit_length() - 1)

    def spread(out: Any, start: Int, bits: Int) -> None:
        for i in range(n):
            out[start + i] = (int(bits) >> i) & 1

    @intrinsic
    def store(typingctx: Any, out: Any, start: Any, bits: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, args[0])
            element = array.data.type.pointee
            lanes = ir.VectorType(ir.IntType(1), width)
            vector = ir.VectorType(element, width)
            widen = builder.zext if isinstance(element, ir.IntType) else builder.uitofp
            for skipped in sorted({0, n - width}):
                these = builder.lshr(args[2], ir.Constant(ir.IntType(64), skipped))
                lit = builder.bitcast(builder.trunc(these, ir.IntType(width)), lanes)
                place = builder.gep(
                    array.data, [builder.add(args[1], ir.Constant(ir.IntType(64), skipped))]
                )
                builder.store(widen(lit, vector), builder.bitcast(place, vector.as_pointer()), align=1)
            return context.get_dummy_value()

        return types.void(out, types.int64, types.int64), codegen

    @overload(spread, strict=False)
    def _spread(out: Any, start: Any, bits: Any) -> Any:
        return lambda out, start, bits: store(out, np.int64(start), np.int64(bits))

    return spread


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
