"""`hpenv replay`: recorded deals, checked and shown."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from hpenv.training.cli.shown import FLAG

if TYPE_CHECKING:
    from hpenv.notation import Record, Replay


@dataclass
class Options:
    """Play recorded deals through, every action checked, and show them.

    A file holds one deal a line, as JSON; - reads from stdin. At the first fault the exit status is 1
    and a sentence on stderr names the line, the action and the rule.

    examples:
      hpenv replay deals.jsonl
      hpenv replay deals.jsonl --json
    """

    file: Annotated[str, Positional, arg(metavar="FILE")]
    """Records, one a line."""
    json: Annotated[bool, FLAG] = False
    """One JSON object a line: points, tricks, leaders, turns and legal actions."""


def run(options: Options) -> int:
    """Replay and show the records; returns the exit status."""
    from hpenv.notation import replay  # noqa: PLC0415
    from hpenv.training.cli.records import each_record  # noqa: PLC0415

    deals = count(1)

    def show(record: "Record", line: int) -> None:
        played = replay(record)
        print(
            played.json_text() if options.json else f"deal {next(deals)}: {deal_text(record, played)}"
        )

    return each_record(options.file, show)


def deal_text(record: "Record", played: "Replay") -> str:
    """A replayed deal for reading: the cards, the calls, the tricks, the points."""
    from hpenv.actions import ACTION_TEXT  # noqa: PLC0415
    from hpenv.cards import CARD_TEXT  # noqa: PLC0415
    from hpenv.history import tricks_of  # noqa: PLC0415
    from hpenv.seats import SEAT_LETTERS  # noqa: PLC0415

    def line(acts: Iterable[tuple[int, int]]) -> str:
        return ", ".join(f"{SEAT_LETTERS[seat]} {ACTION_TEXT[action]}" for seat, action in acts)

    tricks = tricks_of(played.table)
    before_play = len(record.actions) - sum(len(trick.cards) for trick in tricks)
    called = zip(played.seats[:before_play].tolist(), record.actions, strict=False)
    points = played.points
    return "\n".join(
        [
            f"{SEAT_LETTERS[record.dealer]} deals, score {record.score[0]} to {record.score[1]}",
            *(
                f"  {seat} {' '.join(CARD_TEXT[card] for card in hand)}"
                for seat, hand in zip(SEAT_LETTERS, record.hands, strict=True)
            ),
            f"  widow {CARD_TEXT[record.widow]}",
            f"  {line(called) or 'nothing called yet'}",
            *(f"  trick {trick.number}: {line(trick.cards)}" for trick in tricks),
            "  not over" if points is None else f"  points {points[0]} and {points[1]}",
        ]
    )
