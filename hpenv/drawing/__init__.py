"""One drawing of a table: a Table with all its cards, or a View with what its seat may know.

`picture` and `text_picture` draw a table, as SVG and for a terminal; `deal_picture` and `deal_slider` a
whole deal, on one sheet and step by step; `card_svg` and `card_back_svg` a card. `pixels` makes an
array of colours.
"""

from typing import Any

from hpenv.drawing.ansi import text_picture
from hpenv.drawing.cards import card_back_svg, card_svg, card_symbols
from hpenv.drawing.deal import deal_picture, deal_slider
from hpenv.drawing.raster import pixels
from hpenv.drawing.table import picture
from hpenv.notation import Record, RecordError

__all__ = [
    "card_back_svg",
    "card_svg",
    "card_symbols",
    "deal_picture",
    "deal_slider",
    "in_notebook",
    "picture",
    "pixels",
    "text_picture",
]


def in_notebook(shown: Any) -> dict[str, str]:
    """What a notebook shows of a Table or a View (a picture) and of a Record (a deal to step through),
    by MIME type; empty for a Record that breaks the rules."""
    if not isinstance(shown, Record):
        return {"image/svg+xml": str(picture(shown))}
    try:
        return {"text/html": str(deal_slider(shown))}
    except RecordError:
        return {}
