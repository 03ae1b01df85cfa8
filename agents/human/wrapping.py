"""Lines for a narrow terminal: broken between choices, else between words, never within one."""

import re
from collections.abc import Iterator

from rich.text import Text

PARTS = re.compile(r" *\S+(?: \S+)*")  # what stands between two spaces or more
WORDS = re.compile(r" *\S+")


def wrapped(text: Text | str, width: int) -> Text:
    """The text with no line wider than `width`, as far as its words allow."""
    whole = text if isinstance(text, Text) else Text(text)
    lines = [row for line in whole.split("\n", allow_blank=True) for row in _rows(line, width)]
    return Text("\n").join(lines)


def _rows(line: Text, width: int) -> Iterator[Text]:
    if line.cell_len <= width:
        yield line
        return
    row = Text()
    for part in _pieces(line, width):
        if row and row.cell_len + part.cell_len > width:
            yield row
            row = Text("    ") + part[len(part.plain) - len(part.plain.lstrip()) :]
        else:
            row = row + part
    yield row


def _pieces(line: Text, width: int) -> Iterator[Text]:
    """What may begin a new row: a choice, or a word of what is wider than a row by itself."""
    for part in PARTS.finditer(line.plain):
        if len(part[0].strip()) < width / 2:
            yield line[part.start() : part.end()]
            continue
        for word in WORDS.finditer(line.plain, *part.span()):
            yield line[word.start() : word.end()]
