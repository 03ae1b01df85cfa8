"""The score sheet of a game: a line for each finished deal."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from hpenv.notation import Record, replay
from hpenv.rulebook import was_made
from hpenv.seats import NOBODY
from hpenv.text import bid_text


@dataclass(frozen=True)
class Line:
    """One finished deal. maker: a seat, or NOBODY if the deal was thrown in. bid: in words. took: the
    tricks of the maker's side. made: did they suffice. points: of each side. score: of each side, after
    the deal."""

    maker: int
    bid: str
    took: int
    made: bool
    points: tuple[int, int]
    score: tuple[int, int]


def score_sheet(records: Iterable[Record]) -> list[Line]:
    """The lines of finished deals, in order."""
    return [_line(record) for record in records]


@lru_cache(maxsize=1024)
def _line(record: Record) -> Line:
    table = replay(record).table
    points, score = table.points.tolist(), table.score.tolist()
    maker = int(table.maker)
    took = 0 if maker == NOBODY else int(table.tricks[maker & 1])
    return Line(
        maker,
        "thrown in" if maker == NOBODY else bid_text(table, int(table.bid)),
        took,
        maker != NOBODY and bool(was_made(took, int(table.bid), int(table.hand_size))),
        (points[0], points[1]),
        (score[0], score[1]),
    )
