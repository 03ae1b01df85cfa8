"""The first layer as a sum of rows gives what the matrix product does, forwards and backwards."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from hpenv.actions import N_ACTIONS
from hpenv.agents.network import Network
from hpenv.agents.row_sums import RowSums, list_inputs
from hpenv.observation import HIDDEN_SIZE, OBSERVATION_SIZE
from plain_python import said_compiled_and_plain


def case(n: int, places: int, width: int, share: float) -> tuple[Any, ...]:
    """Random int8 inputs of which a share is not zero, weights, bias and scale."""
    generator = torch.Generator().manual_seed(n * places + width)
    inputs = torch.randint(-128, 128, (n, places), generator=generator)
    inputs = (inputs * (torch.rand(n, places, generator=generator) < share)).to(torch.int8)
    weights, bias = torch.randn(places, width, generator=generator), torch.randn(width)
    scale = torch.rand(places, generator=generator)
    return inputs, weights.requires_grad_(), bias.requires_grad_(), scale


def dense(inputs: Tensor, weights: Tensor, bias: Tensor, scale: Tensor) -> Tensor:
    return functional.linear(inputs.double() * scale, weights.double().t(), bias.double())


def test_by_hand() -> None:
    inputs = torch.tensor([[0, 2, 0], [-1, 0, 3], [0, 0, 0]], dtype=torch.int8)
    weights = torch.tensor([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0]], requires_grad=True)
    bias = torch.tensor([0.5, -0.5], requires_grad=True)
    scale = torch.tensor([1.0, 0.5, 1.0])
    out = RowSums.apply(inputs, None, weights, bias, scale)
    assert out.tolist() == [[2.5, 19.5], [11.5, 109.5], [0.5, -0.5]]
    out.backward(torch.tensor([[1.0, 0.0], [0.0, 1.0], [5.0, 7.0]]))
    assert weights.grad is not None
    assert bias.grad is not None
    assert weights.grad.tolist() == [[0.0, -1.0], [1.0, 0.0], [0.0, 3.0]]
    assert bias.grad.tolist() == [6.0, 8.0]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("places", [1, 8, 23])
def test_any_inputs(places: int, share: float, threads: int) -> None:
    inputs, weights, bias, scale = case(300, places, 5, share)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        out = RowSums.apply(inputs, None, weights, bias, scale)
        gradient = torch.randn(out.shape, generator=torch.Generator().manual_seed(1))
        found = torch.autograd.grad(out, (weights, bias), gradient)
    finally:
        torch.set_num_threads(before)
    right = dense(inputs, weights, bias, scale)
    torch.testing.assert_close(out.double(), right, rtol=1e-5, atol=1e-3)
    expected = torch.autograd.grad(right, (weights, bias), gradient.double())
    for got, wanted in zip(found, expected, strict=True):
        torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-2)


def test_two_inputs_are_one_next_to_the_other() -> None:
    inputs, weights, bias, scale = case(50, 23, 7, 0.3)
    parts = inputs[:, :10].contiguous(), inputs[:, 10:].contiguous()
    together = RowSums.apply(inputs, None, weights, bias, scale)
    assert torch.equal(RowSums.apply(*parts, weights, bias, scale), together)


def test_no_rows() -> None:
    inputs, weights, bias, scale = case(0, 8, 5, 0.5)
    out = RowSums.apply(inputs, None, weights, bias, scale)
    out.backward(torch.zeros(0, 5))
    assert out.shape == (0, 5)
    assert weights.grad.abs().sum() == 0


def test_every_number_of_a_byte_is_found_at_every_place() -> None:
    """Zeros are told from all other values whatever stands next to them."""
    scale = np.ones(16, np.float32)
    for neighbour in (0, 1, -1, 127, -128):
        inputs = np.full((256, 16), neighbour, np.int8)
        inputs[:, 3] = inputs[:, 15] = np.arange(-128, 128)
        ends = np.zeros(256, np.int64)
        places, values = np.zeros((256, 16), np.int32), np.zeros((256, 16), np.float32)
        list_inputs(inputs, 0, scale, ends, places, values)
        for row, end, place, value in zip(inputs, ends, places, values, strict=True):
            assert place[:end].tolist() == np.flatnonzero(row).tolist()
            assert value[:end].tolist() == row[row != 0].tolist()


@pytest.mark.parametrize("hidden", [False, True])
def test_a_network_is_the_same_function_with_and_without_them(hidden: bool) -> None:
    torch.manual_seed(3)
    network = Network(N_ACTIONS, [40, 8], hidden)
    seen = torch.randint(-2, 3, (60, OBSERVATION_SIZE), dtype=torch.int8)
    unseen = torch.randint(0, 2, (60, HIDDEN_SIZE), dtype=torch.int8) if hidden else None
    by_products = network.double()(seen, unseen)  # only float32 is summed by rows
    torch.testing.assert_close(network.float()(seen, unseen), by_products, rtol=1e-4, atol=1e-4)


def test_compiled_and_plain_python_give_the_same_bits() -> None:
    code = (
        "import torch\n"
        "from hpenv.agents.row_sums import RowSums\n"
        "torch.manual_seed(1)\n"
        "inputs = (torch.randint(-9, 9, (20, 30)) * (torch.rand(20, 30) < 0.3)).to(torch.int8)\n"
        "weights = torch.randn(30, 5, requires_grad=True)\n"
        "out = RowSums.apply(inputs, None, weights, torch.randn(5), torch.rand(30))\n"
        "out.backward(torch.randn(20, 5))\n"
        "print(out.tolist(), weights.grad.tolist())\n"
    )
    compiled, plain = said_compiled_and_plain(code)
    assert plain == compiled != ""
