"""Tables and views as plain text for people: the public facts first, then what is held."""

from typing import Any

from hpenv.actions import BIG, FACE_DOWN, action_text
from hpenv.cards import NO_CARD, NO_SUIT, SUIT_NAMES, card_text, set_text

SEATS = "NESW"
PHASE_TEXT = (
    "auction",
    "naming trump",
    "discarding",
    "alone or with partner",
    "defend alone or with partner",
    "play",
    "deal over",
)


def seat_set_text(seats: int) -> str:
    """`N S`, or `nobody`."""
    return " ".join(SEATS[s] for s in range(4) if int(seats) >> s & 1) or "nobody"


def bid_text(level: int) -> str:
    """`bid 3`, `big pepper`, or `no bid`."""
    return "big pepper" if level == BIG else f"bid {level}" if level else "no bid"


def public_text(record: Any) -> str:
    """What everybody at the table knows, for a table or a view."""
    lines = [
        f"deal {record.deals_played + 1}, dealer {SEATS[record.dealer]}, "
        f"score NS {record.score[0]} EW {record.score[1]}, {PHASE_TEXT[record.phase]}"
        + (f", {SEATS[record.to_act]} to act" if record.to_act >= 0 else "")
    ]
    n = record.history_length
    lines.append(
        "actions: "
        + (
            ", ".join(
                f"{SEATS[s]} {action_text(a)}"
                for s, a in zip(record.history_seat[:n], record.history[:n], strict=True)
            )
            or "none yet"
        )
    )
    if record.maker >= 0:
        contract = f"contract: {SEATS[record.maker]} {bid_text(record.bid)}"
        if record.trump != NO_SUIT:
            contract += f", {SUIT_NAMES[record.trump]} trump"
        if record.alone:
            contract += f", alone: {seat_set_text(record.alone)}"
        lines.append(contract)
    if record.tricks_played or record.cards_in_trick:
        trick = [f"{SEATS[s]} {card_text(c)}" for s, c in enumerate(record.trick) if c != NO_CARD]
        lines.append(
            f"tricks: NS {record.tricks[0]} EW {record.tricks[1]}"
            + (f", on the table: {', '.join(trick)}" if trick else "")
        )
    return "\n".join(lines)


def seats_text(table: Any, seat: int) -> str:
    """What a seat holds, its discard included if it is the maker."""
    text = set_text(table.hands[seat])
    if table.maker == seat and table.discard != NO_CARD:
        text += f" (discarded {card_text(table.discard)})"
    return text


__all__ = ["FACE_DOWN", "bid_text", "public_text", "seat_set_text", "seats_text"]
