"""The pictures as arrays of colours: for videos, and for programs that take pixels."""

from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from hpenv.arguments import whole_number
from hpenv.drawing.scene import Drawable
from hpenv.drawing.table import HEIGHT, WIDTH, picture
from hpenv.extras import how_to_install

FRAME = (HEIGHT, WIDTH, 3)  # the shape of what `pixels` gives unless another width is wanted


def pixels(
    record: Drawable, bottom: int | str | None = None, dark: bool = False, width: int = WIDTH
) -> NDArray[np.uint8]:
    """A card table as an array of colours (H, W, 3) of type uint8, where W is `width` and H
    0.736 * W, rounded up.

    record, bottom, dark: as for `picture`. Raises what it raises.
    """
    return rastered(picture(record, bottom, dark), width)


def rastered(svg: str, width: int) -> NDArray[np.uint8]:
    """Any of the drawings as an array of colours (H, W, 3) of type uint8, `width` pixels wide.

    Raises TypeError for a width that is no whole number, ValueError for one outside 16 to 8192, and
    ImportError if the packages that it takes are not there.
    """
    width = whole_number("width", width, 16, 8192)
    try:
        import resvg_py  # noqa: PLC0415
        from PIL import Image  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"pixels need {how_to_install(error.name)}", name=error.name
        ) from None
    png = resvg_py.svg_to_bytes(svg_string=svg, width=width, skip_system_fonts=True)
    with Image.open(BytesIO(png)) as image:
        return np.array(image.convert("RGB"))
