"""Ctrl-C and SIGTERM in a long run: a request to save and stop, looked at between its steps."""

import os
import signal
import sys
import threading
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopRequest:
    """Catches the signals in a `with` statement; `signal` is the one that came, or None.

    A second Ctrl-C leaves at once, but not in processes that train together: torchrun passes on a
    Ctrl-C that they have already got from the terminal, and only the first of them says anything. In a
    thread other than the main one nothing is caught. after: what will be finished first, in words.
    """

    def __init__(self, after: str = "this update") -> None:
        self.after = after
        self.signal: signal.Signals | None = None
        self.patient = one_of_several()
        self.quiet = self.patient and os.environ["RANK"] != "0"
        self.before: dict[signal.Signals, Any] = {}

    def __bool__(self) -> bool:
        return self.signal is not None

    def __enter__(self) -> "StopRequest":
        if threading.current_thread() is threading.main_thread():
            self.before = {number: signal.signal(number, self._caught) for number in SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def _caught(self, number: int, _: FrameType | None) -> None:
        if self.signal is not None and number == signal.SIGINT and not self.patient:
            raise KeyboardInterrupt
        self.signal = signal.Signals(number)
        if not self.quiet:
            again = "" if self.patient else " (Ctrl-C again leaves without saving)"
            print(f"\nsaving after {self.after}, then stopping{again}", file=sys.stderr, flush=True)

    def leave(self) -> None:
        """End the program as the signal would have. Raises KeyboardInterrupt or SystemExit."""
        if self.signal == signal.SIGTERM:
            raise SystemExit(128 + signal.SIGTERM)
        raise KeyboardInterrupt


def one_of_several() -> bool:
    """Whether this process is one of several, by torchrun or `hpenv.training.distributed`."""
    return {"RANK", "WORLD_SIZE", "MASTER_ADDR"} <= set(os.environ)
