"""Code run here, compiled, and in a Python with the compiler switched off."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from contextlib import redirect_stdout
from io import StringIO


def said_compiled_and_plain(code: str) -> tuple[str, str]:
    """What a program prints with the compiler and without it. A warning is an error in both."""
    compiled = StringIO()
    with redirect_stdout(compiled), warnings.catch_warnings(action="error"):
        exec(code, {"__name__": "__main__"})
    plain = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert plain.returncode == 0, plain.stderr
    return compiled.getvalue(), plain.stdout
