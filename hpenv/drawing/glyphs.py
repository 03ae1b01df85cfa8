"""Letters, figures and signs as pen strokes, so that words look the same wherever a picture is shown.

A glyph is its width and the path of the pen, in a box 10 high whose top line is y = 0 and whose
baseline is y = 10. There are capitals only: small letters are written as capitals.
"""

import re
from functools import cache

HEIGHT = 10.0  # of a capital
GAP = 2.6  # between two glyphs
SPACE = 4.2

GLYPHS: dict[str, tuple[float, str]] = {
    "A": (7.2, "M0 10L3.6 0L7.2 10M1.2 6.8H6"),
    "B": (6.3, "M0 0V10H3.5A2.8 2.75 0 0 0 3.5 4.5H0M0 0H3.1A2.3 2.25 0 0 1 3.1 4.5"),
    "C": (7, "M7 1.7A4 5 0 1 0 7 8.3"),
    "D": (7, "M0 0V10H2.5A4.5 5 0 0 0 2.5 0Z"),
    "E": (5.6, "M5.6 0H0V10H5.6M0 4.9H4.8"),
    "F": (5.6, "M5.6 0H0V10M0 4.9H4.6"),
    "G": (7.4, "M7 1.7A4 5 0 1 0 7.4 7.6V5.4H4.6"),
    "H": (7, "M0 0V10M7 0V10M0 4.9H7"),
    "I": (0.2, "M.1 0V10"),
    "J": (5, "M5 0V7A2.5 3 0 0 1 0 7"),
    "K": (6.5, "M0 0V10M6.2 0L0 6.3M2.4 3.9L6.5 10"),
    "L": (5.4, "M0 0V10H5.4"),
    "M": (8.4, "M0 10V0L4.2 6.4L8.4 0V10"),
    "N": (7, "M0 10V0L7 10V0"),
    "O": (8, "M4 0A4 5 0 1 1 4 10A4 5 0 1 1 4 0Z"),
    "P": (6.3, "M0 10V0H3.4A2.9 2.9 0 0 1 3.4 5.8H0"),
    "Q": (8.2, "M4 0A4 5 0 1 1 4 10A4 5 0 1 1 4 0ZM5 7L8.2 10.6"),
    "R": (6.5, "M0 10V0H3.4A2.8 2.8 0 0 1 3.4 5.6H0M3.4 5.6L6.5 10"),
    "S": (6, "M5.7 1.9C5.2 .6 4.2 0 3 0C1.4 0 .3 1 .3 2.5C.3 5.6 6 4.2 6 7.4C6 9 4.8 10 3 10"
             "C1.5 10 .4 9.2 0 7.9"),
    "T": (6.6, "M0 0H6.6M3.3 0V10"),
    "U": (7, "M0 0V6.4A3.5 3.6 0 0 0 7 6.4V0"),
    "V": (7, "M0 0L3.5 10L7 0"),
    "W": (10.4, "M0 0L2.7 10L5.2 1.5L7.7 10L10.4 0"),
    "X": (6.6, "M0 0L6.6 10M6.6 0L0 10"),
    "Y": (6.8, "M0 0L3.4 5L6.8 0M3.4 5V10"),
    "Z": (6.4, "M0 0H6.4L0 10H6.4"),
    "0": (6.4, "M3.2 0A3.2 5 0 1 1 3.2 10A3.2 5 0 1 1 3.2 0Z"),
    "1": (2.8, "M0 2L2.8 0V10"),
    "2": (6.2, "M.2 2.6A2.9 2.7 0 0 1 6 2.7C6 5 2 7 0 10H6.2"),
    "3": (6, "M.4 1.6C1 .6 1.9 0 3 0A2.4 2.3 0 0 1 3 4.6H2.4M3 4.6A2.9 2.7 0 0 1 3 10"
             "C1.6 10 .5 9.3 0 8.1"),
    "4": (6.6, "M4.9 10V0L0 7H6.6"),
    "5": (6, "M5.4 0H1L.5 4.6C1.2 4 2 3.7 2.9 3.7A3.1 3.15 0 0 1 2.9 10C1.6 10 .5 9.4 0 8.3"),
    "6": (6.2, "M5.2 .3C2.5 1 0 3.6 0 6.9A3.1 3.1 0 1 0 3.1 3.8C1.6 3.8 .5 4.6 .1 5.9"),
    "7": (6, "M0 0H6L2.2 10"),
    "8": (6, "M3 0A2.4 2.3 0 1 1 3 4.6A2.4 2.3 0 1 1 3 0ZM3 4.6A3 2.7 0 1 1 3 10A3 2.7 0 1 1 3 4.6Z"),
    "9": (6.2, "M1 9.7C3.7 9 6.2 6.4 6.2 3.1A3.1 3.1 0 1 0 3.1 6.2C4.6 6.2 5.7 5.4 6.1 4.1"),
    "+": (5, "M2.5 3V8M0 5.5H5"),
    "-": (4.4, "M0 5.4H4.4"),
    ":": (0.2, "M.1 3.4V3.5M.1 8.8V8.9"),
    ".": (0.2, "M.1 9.8V9.9"),
    ",": (0.8, "M.8 9.6L.1 11.4"),
    "/": (4, "M0 10.8L4 -.8"),
    "_": (5.6, "M0 11.2H5.6"),
    "=": (5, "M0 4H5M0 7H5"),
    "(": (2.2, "M2.2 -.8A8 8 0 0 0 2.2 10.8"),
    ")": (2.2, "M0 -.8A8 8 0 0 1 0 10.8"),
    "%": (8.4, "M1.9 0A1.9 2 0 1 1 1.9 4A1.9 2 0 1 1 1.9 0ZM7.4 0L1 10"
               "M6.5 6A1.9 2 0 1 1 6.5 10A1.9 2 0 1 1 6.5 6Z"),
    "?": (5.4, "M0 2.3A2.7 2.4 0 0 1 5.4 2.5C5.4 4.4 2.7 4.6 2.7 7M2.7 9.8V9.9"),
}  # fmt: skip

_ARGUMENTS = {"M": "xy", "L": "xy", "H": "x", "V": "y", "C": "xyxyxy", "A": "rrrffxy", "Z": ""}


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"


def _moved(path: str, right: float) -> str:
    """The path moved to the right."""
    moved = []
    for command, written in re.findall(r"([MLHVCAZ])([^MLHVCAZ]*)", path):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", written)]
        kinds = _ARGUMENTS[command]
        shifted = [n + right if kind == "x" else n for n, kind in zip(numbers, kinds, strict=True)]
        moved.append(command + " ".join(_number(n) for n in shifted))
    return "".join(moved)


@cache
def written(words: str, gap: float = GAP) -> tuple[float, str]:
    """The width of some words and the path of the pen, in a box 10 high.

    Raises ValueError for a sign that there is no glyph for.
    """
    right, paths = 0.0, []
    for sign in words.upper():
        if sign == " ":
            right += SPACE
            continue
        if sign not in GLYPHS:
            raise ValueError(f"no glyph for {sign!r} in {words!r}")
        width, path = GLYPHS[sign]
        paths.append(_moved(path, right))
        right += width + gap
    return max(right - gap, 0.0), "".join(paths)
