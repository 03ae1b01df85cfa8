"""The four seats and the two sides (R1): their names, and who sits where.

Seats go clockwise: North, East, South, West = 0, 1, 2, 3. North and South are side 0, East and West
side 1. The functions run in kernels as well as in plain Python.
"""

from hpenv.compiled import Int, kernel

N_SEATS = 4
NORTH, EAST, SOUTH, WEST = range(N_SEATS)
NORTH_SOUTH, EAST_WEST = range(2)
NOBODY = -1  # stands where a seat or a side would, and there is none

SEAT_NAMES = ("North", "East", "South", "West")
SEAT_LETTERS = "NESW"
SIDE_NAMES = ("North-South", "East-West")
SIDE_LETTERS = ("NS", "EW")


@kernel
def left_of(seat: Int) -> Int:
    """The next seat clockwise."""
    return (seat + 1) & 3


@kernel
def partner_of(seat: Int) -> Int:
    """The seat across the table."""
    return (seat + 2) & 3


@kernel
def right_of(seat: Int) -> Int:
    """The seat before it."""
    return (seat + 3) & 3


@kernel
def side_of(seat: Int) -> Int:
    """The side a seat plays for: 0 North-South, 1 East-West."""
    return seat & 1


@kernel
def turned(seat: Int, me: Int) -> Int:
    """A seat as `me` counts: 0 itself, 1 the left opponent, 2 the partner, 3 the right opponent."""
    return (seat - me) & 3
