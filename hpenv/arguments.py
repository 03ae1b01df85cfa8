"""Arguments of public functions, checked before any kernel sees them: kernels check nothing, and what
numba says of a wrong argument is pages long.

Whole numbers may be NumPy's of any width. Seats may be numbers, letters or names. A value of the wrong
type is a TypeError; one of the right type that is out of range, or is none of the values there are, is
a ValueError.
"""

from numbers import Integral
from typing import Any

import numpy as np

from hpenv.compiled import MASK64
from hpenv.seats import N_SEATS, SEAT_LETTERS, SEAT_NAMES

_SEAT_NUMBER = {
    word.lower(): seat for words in (SEAT_LETTERS, SEAT_NAMES) for seat, word in enumerate(words)
}


def whole_number(name: str, value: Any, least: int | None = None, most: int | None = None) -> int:
    """The argument `name` as a Python int. Raises TypeError for anything that is no whole number, a
    bool included, and ValueError for one below `least` or above `most`."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise TypeError(f"{name}={value!r} is not a whole number")
    number = int(value)
    if (least is not None and number < least) or (most is not None and number > most):
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name}={number} is not a whole number {bounds}")
    return number


def random_word(name: str, value: Any) -> Any:
    """A seed or the state of a random stream as a uint64: any whole number, taken modulo 2**64."""
    return np.uint64(whole_number(name, value) & MASK64)


def seat_number(seat: Any, name: str = "seat") -> int:
    """A seat given as 0 to 3, as N, E, S, W or by its name, in any letter case.

    Raises ValueError for any other number or word, and TypeError for anything else.
    """
    if isinstance(seat, str) and seat.lower() in _SEAT_NUMBER:
        return _SEAT_NUMBER[seat.lower()]
    is_number = isinstance(seat, Integral) and not isinstance(seat, bool)
    if is_number and 0 <= int(seat) < N_SEATS:
        return int(seat)
    kind = ValueError if is_number or isinstance(seat, str) else TypeError
    raise kind(f"{name} {seat!r} is neither 0 to 3 nor N, E, S or W (R1)")


def check_kind(value: Any, kind: type, what: str) -> None:
    """Raise TypeError unless `value` is a `kind`: `what` says what is made of it, as in "a view"."""
    if not isinstance(value, kind):
        raise TypeError(f"{what} is made from a {kind.__name__}, not from {_kind_of(value)}")


def check_array(value: Any, dtype: np.dtype[Any], name: str) -> None:
    """Raise TypeError unless `value` is an array of shape (B,) of tables or views, whose records have
    the type `dtype`."""
    if not isinstance(value, np.ndarray) or value.dtype != dtype or value.ndim != 1:
        kind = dtype.type.__name__
        raise TypeError(
            f"{name}: wanted is an array of {kind.upper()} of shape (B,), not {_kind_of(value)}"
        )


def _kind_of(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}; take one of it, as in tables[0]"
    return f"a {type(value).__name__}"
