"""Records read one after the other, for `hpenv replay` and `hpenv solve`: the same file is good or bad
for both."""

import os
import sys
from collections.abc import Callable, Iterator
from typing import BinaryIO

from hpenv.notation import Record, RecordError, parse_record
from hpenv.training.cli.progress import Progress

FAULT = 1  # exit status: what was asked for was done, and something is wrong with what it found
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def each_record(source: str, use: Callable[[Record, int], None]) -> int:
    """Use the records of a source in turn, each with the number of its line, from 1.

    source: a file with one record a line, `-` for stdin, or one record as JSON. No more than one line
    is in memory. At the first RecordError, of the text or raised by `use`, a sentence on stderr names
    the source and the line. Returns the exit status: 0 or FAULT.
    """
    literal = source.lstrip().startswith("{")
    try:
        if literal:
            _use_line(source.encode(), 1, use)
        elif source == "-":
            _use_lines(sys.stdin.buffer, use)
        else:
            with open(source, "rb") as file:
                _use_lines(file, use, os.fstat(file.fileno()).st_size)
    except RecordError as fault:
        sys.stdout.flush()
        print(f"hpenv: {'the record' if literal else source}, {fault}", file=sys.stderr)
        return FAULT
    return 0


def _use_lines(file: BinaryIO, use: Callable[[Record, int], None], size: int = 0) -> None:
    """Where the size is known and no terminal shows the records, stderr says how far it has come."""
    watched, done = size and not sys.stdout.isatty(), 0
    with Progress("records", "bytes") as progress:
        for number, line in enumerate(_without_mark(file), 1):
            _use_line(line, number, use)
            done += len(line)
            if watched:
                progress(done, size)


def _without_mark(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file, which end at a line feed and nowhere else, without a byte order mark."""
    yield file.readline().removeprefix(BYTE_ORDER_MARK)
    yield from file


def _use_line(line: bytes, number: int, use: Callable[[Record, int], None]) -> None:
    try:
        text = line.decode("utf-8")
        if text.strip():
            use(parse_record(text), number)
    except UnicodeDecodeError:
        raise RecordError("notation", f"line {number}: this is no text in UTF-8", line=number) from None
    except RecordError as fault:
        raise RecordError(fault.rule, f"line {number}: {fault}", fault.at, number) from None
