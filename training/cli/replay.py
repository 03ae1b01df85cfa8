"""`hpenv replay`: recorded deals, checked and shown."""

import json
from dataclasses import dataclass
from itertools import count
from typing import Annotated, Any

from tyro.conf import Positional, arg


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
    json: bool = False
    """One JSON object a line: points, tricks, leaders, turns and legal actions."""


def run(options: Options) -> int:
    """Replay and show the records; returns the exit status."""
    from hpenv.notation import Record, replay  # noqa: PLC0415
    from hpenv.training.cli.records import each_record  # noqa: PLC0415

    deals = count(1)

    def show(record: Record, line: int) -> None:
        facts = replay(record).as_json()
        text = json.dumps(facts) if options.json else deal_text(record, facts)
        print(text if options.json else f"deal {next(deals)}: {text}")

    return each_record(options.file, show)


def deal_text(record: Any, facts: dict[str, Any]) -> str:
    """A replayed deal for reading: the cards, the calls, the tricks, the points."""
    from hpenv.actions import ACTION_TEXT, ALONE, TRUMP, WITH_PARTNER  # noqa: PLC0415
    from hpenv.cards import CARD_TEXT, N_SUITS  # noqa: PLC0415
    from hpenv.seats import SEAT_LETTERS  # noqa: PLC0415

    actions = record.actions
    done = [f"{seat} {ACTION_TEXT[a]}" for seat, a in zip(facts["turns"], actions, strict=True)]
    named = next((i for i, a in enumerate(actions) if TRUMP <= a < TRUMP + N_SUITS), len(actions))
    first_lead = named + 2 + sum(a in (ALONE, WITH_PARTNER) for a in actions)
    cards = 4 - actions.count(ALONE)
    tricks = range(first_lead, len(actions), cards)
    points = facts["points"]
    return "\n".join(
        [
            f"{SEAT_LETTERS[record.dealer]} deals, score {record.score[0]} to {record.score[1]}",
            *(
                f"  {seat} {' '.join(CARD_TEXT[card] for card in hand)}"
                for seat, hand in zip(SEAT_LETTERS, record.hands, strict=True)
            ),
            f"  widow {CARD_TEXT[record.widow]}",
            f"  {', '.join(done[:first_lead]) or 'nothing called yet'}",
            *(f"  trick {n}: {', '.join(done[i : i + cards])}" for n, i in enumerate(tricks, 1)),
            "  not over" if points is None else f"  points {points[0]} and {points[1]}",
        ]
    )
