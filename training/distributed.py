"""Processes that train together: started here on one machine, or by torchrun on several. In a process
by itself all this is trivial.

Every process must call these functions in the same order.
"""

import multiprocessing
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import nn

from hpenv.training.stopping import one_of_several

Result = TypeVar("Result")


def in_processes(n: int, function: Callable[..., Result], *args: Any) -> Result:
    """Call function(*args) in n processes that train together, of which this one is the first; returns
    what it returns here. Where torchrun has started this one, in this one alone.

    Torch's threads are shared out among them.
    """
    if n == 1 or one_of_several():
        return function(*args)
    threads = torch.get_num_threads()
    address = {"WORLD_SIZE": str(n), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(_free_port())}
    spawned = multiprocessing.get_context("spawn")
    others = []
    for other in range(1, n):
        place = address | {"RANK": str(other), "LOCAL_RANK": str(other)}
        words = (place, max(1, threads // n), function, args)
        others.append(spawned.Process(target=_in_one, args=words, daemon=True))
        others[-1].start()
    here = address | {"RANK": "0", "LOCAL_RANK": "0"}
    os.environ.update(here)
    torch.set_num_threads(max(1, threads // n))
    try:
        result = function(*args)
        for process in others:
            process.join()
        return result
    finally:
        torch.set_num_threads(threads)
        for name in here:
            del os.environ[name]
        for process in others:
            process.kill()


def _in_one(
    place: dict[str, str], threads: int, function: Callable[..., object], args: tuple[Any, ...]
) -> None:
    """One of the other processes. The first one tells it to stop, and says what is wrong."""
    os.environ.update(place)
    torch.set_num_threads(threads)
    with suppress(KeyboardInterrupt, ValueError):
        function(*args)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def processes() -> Iterator[None]:
    """Join the other processes, if this is one of several, and leave them at the end."""
    join = one_of_several() and not dist.is_initialized()
    if join:
        dist.init_process_group("gloo")
    try:
        yield
    finally:
        if join:
            dist.destroy_process_group()


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
