"""Lines typed at the terminal, with a Ctrl-C that counts at any moment."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

with suppress(ImportError):  # gives `input` the arrow keys and a history
    import readline  # noqa: F401

SEND_AGAIN = 0.1  # seconds


def read_line(prompt: str, ask: Callable[[str], str] = input) -> str:
    """As `input`. Raises KeyboardInterrupt at Ctrl-C.

    Python notes a Ctrl-C and raises the error when it next runs Python code, or when the wait for keys
    is interrupted. One that comes after the prompt is printed and before that wait begins would count
    only at the next key. So a thread sends every Ctrl-C again until it has had its effect.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not (is_main and sys.stdin.isatty() and hasattr(signal, "pthread_kill")):
        return ask(prompt)
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    over = threading.Event()
    watcher = threading.Thread(target=_send_again, args=(reading, over), daemon=True)
    watcher.start()
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    try:
        return ask(prompt)
    finally:
        over.set()
        signal.set_wakeup_fd(before)
        os.close(writing)  # ends the watcher's wait
        watcher.join()
        os.close(reading)


def _send_again(reading: int, over: threading.Event) -> None:
    """Wait for signals, whose numbers can be read; return when nothing more can be."""
    main = threading.main_thread().ident
    assert main is not None
    while number := os.read(reading, 1):
        while number[0] == signal.SIGINT and not over.wait(SEND_AGAIN):
            signal.pthread_kill(main, signal.SIGINT)
