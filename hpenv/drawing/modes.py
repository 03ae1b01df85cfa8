"""A table as an environment's render mode has it."""

import os
import sys

import numpy as np
from numpy.typing import NDArray

from hpenv.drawing.ansi import text_picture
from hpenv.drawing.raster import pixels
from hpenv.table import Table

RENDER_MODES = ("human", "ansi", "rgb_array")


def rendered(table: Table, mode: str) -> NDArray[np.uint8] | str | None:
    """A table with all four hands: pixels for `rgb_array`, text for `ansi`; `human` prints the text."""
    if mode == "rgb_array":
        return pixels(table)
    if mode == "ansi":
        return text_picture(table)
    print(text_picture(table, colour=sys.stdout.isatty() and "NO_COLOR" not in os.environ))
    return None
