"""Processes that train together: started here on one machine, or by torchrun on several. In a process
by itself all this is trivial.

Every process must call these functions in the same order.
"""

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import nn

from hpenv.training.stopping import one_of_several

Result = TypeVar("Result")
PATIENCE = 10.0  # seconds for a process to end once its connection is closed


def in_processes(n: int, function: Callable[..., Result], *args: Any) -> Result:
    """Call function(*args) in n processes that train together, of which this one is the first; returns
    what it returns here. Where torchrun has started this one, in this one alone.

    Torch's threads are shared out among them. Raises ValueError if one of the others dies.
    """
    if n == 1 or one_of_several():
        return function(*args)
    threads = torch.get_num_threads()
    # It listens before anybody is told its port, so that no other run can take the port meanwhile.
    store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)  # type: ignore[attr-defined]
    address = {"WORLD_SIZE": str(n), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(store.port)}
    address["TORCHELASTIC_USE_AGENT_STORE"] = "True"  # the store is there: connect to it
    spawned = multiprocessing.get_context("spawn")
    complaints, others = spawned.SimpleQueue(), []
    for other in range(1, n):
        place = address | {"RANK": str(other), "LOCAL_RANK": str(other)}
        words = (place, max(1, threads // n), complaints, function, args)
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
    except RuntimeError as error:  # of a connection that is closed
        raise_for_the_dead(others, complaints, error)
        raise
    finally:
        torch.set_num_threads(threads)
        for name in here:
            del os.environ[name]
        for process in others:
            process.kill()


def raise_for_the_dead(others: list[Any], complaints: Any, error: RuntimeError) -> None:
    """Raise ValueError if one of the processes that train together with this one has died."""
    for number, process in enumerate(others, 2):
        process.join(PATIENCE)
        if process.exitcode:
            why = f"exit code {process.exitcode}" if complaints.empty() else complaints.get()
            raise ValueError(
                f"process {number} of {len(others) + 1} that train together died ({why}); the run is "
                "as it was last saved"
            ) from error


def _in_one(
    place: dict[str, str],
    threads: int,
    complaints: Any,
    function: Callable[..., object],
    args: tuple[Any, ...],
) -> None:
    """One of the other processes. The first one tells it to stop, and says what is wrong with all."""
    os.environ.update(place)
    torch.set_num_threads(threads)
    try:
        with suppress(KeyboardInterrupt):
            function(*args)
    except ValueError as error:
        complaints.put(str(error))
        sys.exit(1)


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
