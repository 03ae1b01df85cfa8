"""Where the networks compute, and in which precision."""

import os

import torch


def device_called(name: str) -> torch.device:
    """cpu, cuda, cuda:1, or auto. Raises ValueError for what this machine does not have."""
    local = int(os.environ.get("LOCAL_RANK", "0"))
    if name == "auto":
        if not torch.cuda.is_available():
            return torch.device("cpu")
        return torch.device("cuda", local % torch.cuda.device_count())
    try:
        device = torch.device(name)
    except RuntimeError:
        device = torch.device("meta")
    if device.type not in ("cpu", "cuda"):
        raise ValueError(f"device={name!r} is not one of auto, cpu, cuda, cuda:0, cuda:1 and so on")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ValueError(f"device={name!r}: torch finds {torch.cuda.device_count()} CUDA devices here")
    return device


def choose_precision(wish: str, device: torch.device) -> torch.dtype:
    """bfloat16 where the processor multiplies it natively, unless a precision is asked for."""
    if wish == "auto":
        fast = (
            torch.ops.mkldnn._is_mkldnn_bf16_supported()
            if device.type == "cpu"
            else torch.cuda.is_bf16_supported()
        )
        return torch.bfloat16 if fast else torch.float32
    return torch.bfloat16 if wish == "bfloat16" else torch.float32
