"""The first layer of a network as a sum of rows: fast, since few of its inputs are not zero.

An observation has about 60 numbers that are not zero, of more than 400. So its product with the first
weights is the sum of some 60 of their rows, a seventh of the work of a matrix product; likewise the
gradient of the weights, row by row.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hpenv.compiled import Int, kernel, lowest_bit

AT_ONCE = 8  # rows that are added together; lists are filled up to a multiple of it
LOW_BITS = np.uint64(0x7F7F7F7F7F7F7F7F)  # all but the top bit of each byte of a word
WORTH_SHARING = 256  # sums below which one thread is quicker


@kernel
def list_inputs(inputs: Any, first: Int, scale: Any, ends: Any, places: Any, values: Any) -> None:
    """Append to the list of each row the places and values of its inputs that are not zero.

    inputs: (B, N) int8, which stand from place `first` on. scale: (F,), what an input is multiplied by.
    ends: (B,), how long each list is. places, values: (B, L), the lists.
    """
    n = inputs.shape[1]
    padded = np.zeros((n + 7) & ~7, np.int8)
    words = padded.view(np.uint64)
    for b in range(len(inputs)):
        padded[:n] = inputs[b]
        end = ends[b]
        for w in range(len(words)):
            # The top bit of each byte that is not zero: adding 127 carries into it from any lower bit.
            tops = (((words[w] & LOW_BITS) + LOW_BITS) | words[w]) & ~LOW_BITS
            while tops:
                place = 8 * w + (lowest_bit(tops) >> 3)
                places[b, end] = first + place
                values[b, end] = scale[first + place] * np.float32(padded[place])
                end += 1
                tops &= tops - np.uint64(1)
        ends[b] = end


@kernel
def pad_lists(ends: Any, places: Any, values: Any) -> None:
    """Fill each list up to a multiple of AT_ONCE with zeros."""
    for b in range(len(ends)):
        while ends[b] % AT_ONCE:
            places[b, ends[b]] = 0
            values[b, ends[b]] = 0
            ends[b] += 1


@kernel
def turn_lists(ends: Any, places: Any, values: Any, starts: Any, rows: Any, factors: Any) -> None:
    """The same numbers listed by place: for each of the F places, in which rows it is not zero.

    starts: (F + 1,). The list of place f is rows[starts[f]:starts[f + 1]], factors likewise, filled up
    to a multiple of AT_ONCE.
    """
    count = np.zeros(len(starts) - 1, np.int64)
    for b in range(len(ends)):
        for k in range(ends[b]):
            count[places[b, k]] += values[b, k] != 0
    end = np.int64(0)
    for f in range(len(count)):
        starts[f] = end
        end += (count[f] + AT_ONCE - 1) // AT_ONCE * AT_ONCE
        count[f] = starts[f]
    starts[len(count)] = end
    rows[:end] = 0
    factors[:end] = 0
    for b in range(len(ends)):
        for k in range(ends[b]):
            if values[b, k] != 0:
                f = places[b, k]
                rows[count[f]] = b
                factors[count[f]] = values[b, k]
                count[f] += 1


@kernel
def add_rows(places: Any, values: Any, start: Int, end: Int, weights: Any, out: Any) -> None:
    """Add to `out` (W,) the rows of `weights` (F, W) that a list names, times its values."""
    for k in range(start, end, AT_ONCE):
        w0, w1 = weights[places[k]], weights[places[k + 1]]
        w2, w3 = weights[places[k + 2]], weights[places[k + 3]]
        w4, w5 = weights[places[k + 4]], weights[places[k + 5]]
        w6, w7 = weights[places[k + 6]], weights[places[k + 7]]
        v0, v1, v2, v3 = values[k], values[k + 1], values[k + 2], values[k + 3]
        v4, v5, v6, v7 = values[k + 4], values[k + 5], values[k + 6], values[k + 7]
        for j in range(len(out)):
            left = (v0 * w0[j] + v1 * w1[j]) + (v2 * w2[j] + v3 * w3[j])
            right = (v4 * w4[j] + v5 * w5[j]) + (v6 * w6[j] + v7 * w7[j])
            out[j] += left + right


@kernel
def sum_rows(
    low: Int, high: Int, ends: Any, places: Any, values: Any, weights: Any, bias: Any, out: Any
) -> None:
    """Write the products of rows `low` to `high` of the inputs with the weights, plus bias: (B, W)."""
    for b in range(low, high):
        out[b] = bias
        add_rows(places[b], values[b], 0, ends[b], weights, out[b])


@kernel
def sum_gradients(
    low: Int, high: Int, starts: Any, rows: Any, factors: Any, gradients: Any, out: Any
) -> None:
    """Write rows `low` to `high` of the gradient of the weights: (F, W)."""
    for f in range(low, high):
        out[f] = 0
        add_rows(rows, factors, starts[f], starts[f + 1], gradients, out[f])


class RowSums(torch.autograd.Function):
    """inputs (B, N) int8, more (B, M) int8 or None, weights (F, W), bias (W,), scale (F,), with
    F = N + M, to (B, W): what `linear` gives for the inputs next to each other times scale."""

    @staticmethod
    def forward(
        ctx: Any, inputs: Tensor, more: Tensor | None, weights: Tensor, bias: Tensor, scale: Tensor
    ) -> Tensor:
        n, longest = len(inputs), len(weights) + AT_ONCE
        ends = np.zeros(n, np.int64)
        places, values = np.empty((n, longest), np.int32), np.empty((n, longest), np.float32)
        list_inputs(contiguous(inputs), 0, contiguous(scale), ends, places, values)
        if more is not None:
            first = inputs.shape[1]
            list_inputs(contiguous(more), first, contiguous(scale), ends, places, values)
        pad_lists(ends, places, values)
        out = np.empty((n, weights.shape[1]), np.float32)
        arrays = (ends, places, values, contiguous(weights), contiguous(bias), out)
        share_out(sum_rows, n, arrays)
        ctx.lists, ctx.sizes = (ends, places, values), weights.shape
        return torch.from_numpy(out)

    @staticmethod
    def backward(ctx: Any, gradients: Tensor) -> Any:
        ends, places, values = ctx.lists
        n_places, width = ctx.sizes
        starts = np.zeros(n_places + 1, np.int64)
        room = int(ends.sum()) + AT_ONCE * n_places
        rows, factors = np.empty(room, np.int32), np.empty(room, np.float32)
        turn_lists(ends, places, values, starts, rows, factors)
        out = np.empty((n_places, width), np.float32)
        share_out(sum_gradients, n_places, (starts, rows, factors, contiguous(gradients), out))
        return None, None, torch.from_numpy(out), gradients.sum(0), None


def contiguous(tensor: Tensor) -> NDArray[Any]:
    """A tensor's numbers as an array, in place where they lie row by row."""
    array: NDArray[Any] = tensor.detach().contiguous().numpy()
    return array


def share_out(work: Callable[..., None], n: int, arrays: tuple[Any, ...]) -> None:
    """Call `work(low, high, *arrays)` for the ranges of 0 to n, in as many threads as torch has."""
    threads = torch.get_num_threads() if n >= WORTH_SHARING else 1
    if threads == 1:
        work(0, n, *arrays)
        return
    marks = [n * i // threads for i in range(threads + 1)]
    for done in [pool(threads).submit(work, *part, *arrays) for part in pairwise(marks)]:
        done.result()


@cache
def pool(threads: int) -> ThreadPoolExecutor:
    """Threads that stay."""
    return ThreadPoolExecutor(threads, "row_sums")
