"""How a Table, a View and a Record show themselves in a notebook: as `hpenv.drawing` draws them.

The drawing imports what it draws, so it is imported here in turn only when a notebook asks for it.
"""

from typing import Any


class Shown:
    """Has a picture in a notebook."""

    __slots__ = ()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """The picture by its MIME type; empty for what cannot be drawn."""
        from hpenv.drawing import in_notebook  # noqa: PLC0415

        return in_notebook(self)
