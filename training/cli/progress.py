"""How far a long run has come: a bar with speed and time left on stderr."""

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

QUIET_FOR = 2.0  # seconds before anything is shown: short runs stay silent
BETWEEN_LINES = 10.0  # seconds between lines where stderr is no terminal


class Progress:
    """Call it with (done, total) as often as you like; use it in a `with` statement.

    Where stderr is a terminal it shows a bar that goes away at the end; else now and then a line.
    Speed and time left count from the first call, which may come with something done already.
    """

    def __init__(self, what: str, unit: str) -> None:
        self.what = what
        self.unit = unit
        self.first: tuple[float, int] | None = None  # when the first call came, and what was done then
        self.next_line = 0.0
        self.bar: Bar | None = None

    def __call__(self, done: int, total: int) -> None:
        now = time.perf_counter()
        if self.first is None:
            self.first = now, done
            self.next_line = now + QUIET_FOR
        if now < self.next_line and self.bar is None:
            return
        per_second = (done - self.first[1]) / max(now - self.first[0], 1e-9)
        speed = f"{per_second:,.{0 if per_second >= 10 else 1}f} {self.unit}/s"
        if sys.stderr.isatty():
            self._draw(done, total, speed)
        else:
            left = f"{(total - done) / per_second:.0f} s left" if per_second else "time unknown"
            print(
                f"{self.what}: {done:,} of {total:,} {self.unit}, {speed}, {left}",
                file=sys.stderr,
                flush=True,
            )
            self.next_line = now + BETWEEN_LINES

    def _draw(self, done: int, total: int, speed: str) -> None:
        if self.bar is None:
            self.bar = Bar(
                TextColumn(self.what),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[speed]}"),
                TimeRemainingColumn(),
                TextColumn("left"),
                console=Console(stderr=True),
                transient=True,
            )
            self.bar.add_task(self.what, completed=done, total=total, speed=speed)
            self.bar.start()
        self.bar.update(self.bar.task_ids[0], completed=done, total=total, speed=speed)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.bar is not None:
            self.bar.stop()
