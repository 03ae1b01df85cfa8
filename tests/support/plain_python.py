"""Code run in a fresh Python, compiled and not."""

from __future__ import annotations

import os
import subprocess
import sys


def said_compiled_and_plain(code: str) -> list[str]:
    """What a program prints with the compiler and with the compiler switched off."""
    return [
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"NUMBA_DISABLE_JIT": off},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for off in ("0", "1")
    ]
