"""A Ctrl-C at the prompt counts, even one that the wait for keys has not noticed."""

from __future__ import annotations

import subprocess
import sys

LOSES_THE_FIRST = """
import os, signal, sys, time
from types import SimpleNamespace
from hpenv.agents.human.keyboard import read_line

def ask(prompt):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(600)
    except KeyboardInterrupt:
        pass  # as if it had come too early
    time.sleep(600)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.stdin = SimpleNamespace(isatty=lambda: True)
try:
    read_line("> ", ask)
except KeyboardInterrupt:
    print("interrupted")
print(read_line("> ", lambda prompt: f"{prompt}typed"))
"""


def test_a_ctrl_c_that_was_lost_is_sent_again() -> None:
    run = subprocess.run(
        [sys.executable, "-c", LOSES_THE_FIRST], capture_output=True, text=True, timeout=300, check=True
    )
    assert run.stdout.split("\n") == ["interrupted", "> typed", ""]
