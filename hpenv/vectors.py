"""Sets and short rows written as vectors: a few machine instructions without a branch.

LLVM lowers vectors of a power of two of lanes well on every processor, and other lengths badly or, on
some, not at all. So a length between two powers is written as two vectors that overlap.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

from hpenv.compiled import Int

BYTE, WORD = ir.IntType(8), ir.IntType(64)
MOST_LANES = 32


def _overlapping(n: int) -> tuple[int, list[int]]:
    """How many lanes vectors that cover n numbers have, and where each begins."""
    lanes = min(1 << (n.bit_length() - 1), MOST_LANES)
    return lanes, sorted({*range(0, n - lanes + 1, lanes), n - lanes})


def _place(context: Any, builder: Any, array_type: Any, array: Any, start: Any, more: int) -> Any:
    """The address of element `start + more` of a contiguous row, and the type of its elements."""
    data = context.make_array(array_type)(context, builder, array).data
    index = builder.add(start, ir.Constant(WORD, more))
    return builder.gep(data, [index]), data.type.pointee


def _store(builder: Any, vector: Any, place: Any) -> None:
    builder.store(vector, builder.bitcast(place, vector.type.as_pointer()), align=1)


def rows_of(array: Any) -> Any:
    """The rows of a contiguous array (B, N) in place, as B records with the one field `numbers` (N,).
    A kernel that hands on a row of an array counts the references to the array, an atomic operation
    each time; to a record it does not."""
    row = np.dtype((np.record, [("numbers", array.dtype, (array.shape[1],))]))
    return array.view(row).reshape(len(array))


def spreader(n: int) -> Callable[[Any, Int, Int], None]:
    """Make a function `spread(out, start, bits)` that writes the lowest n <= 64 bits of a set as n
    numbers, 0 or 1, from `out[start]` on; `out` is a contiguous row of int8, uint8 or float32."""
    lanes, starts = _overlapping(n)

    def spread(out: Any, start: Int, bits: Int) -> None:
        for i in range(n):
            out[start + i] = (int(bits) >> i) & 1

    def bytes_of(builder: Any, bits: Any) -> Any:
        """Each byte of `bits` in eight lanes, of which each keeps its own bit, made 0 or 1."""
        narrow = builder.trunc(bits, ir.IntType(max(lanes, 8)))
        packed = builder.bitcast(narrow, ir.VectorType(BYTE, max(lanes // 8, 1)))
        source = ir.Constant(ir.VectorType(ir.IntType(32), lanes), [i // 8 for i in range(lanes)])
        vector = ir.VectorType(BYTE, lanes)
        repeated = builder.shuffle_vector(packed, ir.Constant(packed.type, None), source)
        own_bit = ir.Constant(vector, [1 << i % 8 for i in range(lanes)])
        lit = builder.icmp_unsigned("!=", builder.and_(repeated, own_bit), ir.Constant(vector, None))
        return builder.zext(lit, vector)

    def floats_of(builder: Any, bits: Any) -> Any:
        """The bits in every lane, of which each keeps its own, made 0.0 or 1.0."""
        vector, word = ir.VectorType(ir.FloatType(), lanes), ir.IntType(32)
        words = ir.VectorType(word, lanes)
        first = ir.Constant(word, 0)
        lowest = builder.insert_element(
            ir.Constant(words, ir.Undefined), builder.trunc(bits, word), first
        )
        repeated = builder.shuffle_vector(lowest, lowest, ir.Constant(words, [0] * lanes))
        own_bit = ir.Constant(words, [1 << i for i in range(lanes)])
        lit = builder.icmp_unsigned("!=", builder.and_(repeated, own_bit), ir.Constant(words, None))
        return builder.select(lit, ir.Constant(vector, [1.0] * lanes), ir.Constant(vector, None))

    @intrinsic
    def store(typingctx: Any, out: Any, start: Any, bits: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array, start, bits = args
            for skipped in starts:
                place, element = _place(context, builder, signature.args[0], array, start, skipped)
                these = builder.lshr(bits, ir.Constant(WORD, skipped))
                written = bytes_of if isinstance(element, ir.IntType) else floats_of
                _store(builder, written(builder, these), place)
            return context.get_dummy_value()

        return types.void(out, types.int64, types.int64), codegen

    @overload(spread, strict=False)
    def _spread(out: Any, start: Any, bits: Any) -> Any:
        return lambda out, start, bits: store(out, np.int64(start), np.int64(bits))

    return spread


def copier(n: int) -> Callable[[Any, Int, Any, Int], None]:
    """Make a function `copy(out, start, row, first)` that writes n numbers of `row`, int8, from
    `row[first]` on into `out[start]` and after; `out` is a contiguous row of int8 or float32."""
    lanes, starts = _overlapping(n)

    def copy(out: Any, start: Int, row: Any, first: Int) -> None:
        for i in range(n):
            out[start + i] = row[first + i]

    @intrinsic
    def move(typingctx: Any, out: Any, start: Any, row: Any, first: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array, start, row, first = args
            for skipped in starts:
                place, element = _place(context, builder, signature.args[0], array, start, skipped)
                source, _ = _place(context, builder, signature.args[2], row, first, skipped)
                source = builder.bitcast(source, ir.VectorType(BYTE, lanes).as_pointer())
                vector = builder.load(source, align=1)
                if not isinstance(element, ir.IntType):
                    vector = builder.sitofp(vector, ir.VectorType(element, lanes))
                _store(builder, vector, place)
            return context.get_dummy_value()

        return types.void(out, types.int64, row, types.int64), codegen

    @overload(copy, strict=False)
    def _copy(out: Any, start: Any, row: Any, first: Any) -> Any:
        return lambda out, start, row, first: move(out, np.int64(start), row, np.int64(first))

    return copy
