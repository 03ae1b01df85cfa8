"""Processes that train together, as torchrun starts them. In a process by itself all this is trivial.

Every process must call these functions in the same order.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed as dist
from torch import nn


@contextmanager
def processes() -> Iterator[None]:
    """Join the other processes that torchrun has started, if it has, and leave them at the end."""
    join = started_by_torchrun() and not dist.is_initialized()
    if join:
        dist.init_process_group("gloo")
    try:
        yield
    finally:
        if join:
            dist.destroy_process_group()


def started_by_torchrun() -> bool:
    """Whether this process is one of those that torchrun has started."""
    return {"RANK", "WORLD_SIZE", "MASTER_ADDR"} <= set(os.environ)


def rank() -> int:
    """This process's number, from 0."""
    return dist.get_rank() if dist.is_initialized() else 0


def world_size() -> int:
    """How many processes train together."""
    return dist.get_world_size() if dist.is_initialized() else 1


def total(number: int) -> int:
    """The sum of a number over all processes."""
    return _reduced(number, dist.ReduceOp.SUM)


def least(number: int) -> int:
    """The least of a number over all processes."""
    return _reduced(number, dist.ReduceOp.MIN)


def _reduced(number: int, operation: Any) -> int:
    if not dist.is_initialized():
        return number
    shared = torch.tensor(number)
    dist.all_reduce(shared, operation)
    return int(shared)


def gathered(value: Any) -> list[Any]:
    """The values of all processes, in their order."""
    values = [value] * world_size()
    if dist.is_initialized():
        dist.all_gather_object(values, value)
    return values


def average_gradients(network: nn.Module) -> None:
    """Give each parameter the mean of its gradients in all processes."""
    if dist.is_initialized():
        gradients = [p.grad for p in network.parameters() if p.grad is not None]
        flat = torch.cat([gradient.reshape(-1) for gradient in gradients])
        dist.all_reduce(flat)
        flat /= dist.get_world_size()
        start = 0
        for gradient in gradients:
            gradient.copy_(flat[start : start + gradient.numel()].view_as(gradient))
            start += gradient.numel()
