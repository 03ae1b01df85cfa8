"""Tables and views as plain text for people: what everybody knows first, then what is held."""

from typing import Any

from hpenv.actions import BIG, BIG_PEPPER, PASS, action_text
from hpenv.cards import N_CARDS, N_SUITS, NO_CARD, NO_SUIT, SUIT_NAMES, card_text, set_text
from hpenv.rulebook import AUCTION, DEAL_OVER
from hpenv.seats import N_SEATS, NOBODY, SEAT_LETTERS, SIDE_LETTERS

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
    return " ".join(SEAT_LETTERS[s] for s in range(N_SEATS) if int(seats) >> s & 1) or "nobody"


def bid_text(level: int) -> str:
    """`bid 3`, `big pepper`, or `no bid`."""
    return "big pepper" if level == BIG else f"bid {level}" if level else "no bid"


def public_text(record: Any) -> str:
    """What everybody at the table knows, for a table or a view: a line each for the deal, the auction,
    the contract, every trick in the order of play, the count of tricks, and the end."""
    over = record.phase == DEAL_OVER
    lines = [
        f"deal {record.deals_played + (not over)}, dealer {SEAT_LETTERS[record.dealer]}, "
        f"score NS {record.score[0]} EW {record.score[1]}, {PHASE_TEXT[record.phase]}"
        + (f", {SEAT_LETTERS[record.to_act]} to act" if record.to_act != NOBODY else ""),
        f"auction: {_auction_text(record)}",
    ]
    if record.maker != NOBODY and record.phase != AUCTION:
        lines.append(_contract_text(record))
    lines += _trick_lines(record)
    if over:
        won = f", {SIDE_LETTERS[record.winner]} win the game" if record.winner != NOBODY else ""
        lines.append(f"points: NS {record.points[0]} EW {record.points[1]}{won}")
    return "\n".join(lines)


def _done(record: Any) -> list[tuple[int, int]]:
    """The seats and actions of the deal so far, in order; the discard as FACE_DOWN."""
    n = record.history_length
    return [(int(s), int(a)) for s, a in zip(record.history_seat[:n], record.history[:n], strict=True)]


def _line(acts: list[tuple[int, int]]) -> str:
    return ", ".join(f"{SEAT_LETTERS[seat]} {action_text(action)}" for seat, action in acts)


def _auction_text(record: Any) -> str:
    calls = [(seat, action) for seat, action in _done(record) if PASS <= action <= BIG_PEPPER]
    return _line(calls) or "no call yet"


def _contract_text(record: Any) -> str:
    text = f"contract: {SEAT_LETTERS[record.maker]} {bid_text(record.bid)}"
    if record.trump != NO_SUIT:
        text += f", {SUIT_NAMES[record.trump]} trump"
    if record.alone:
        text += f", alone: {seat_set_text(record.alone)}"
    return text


def _trick_lines(record: Any) -> list[str]:
    tricks: dict[int, list[tuple[int, int]]] = {}
    for seat, action in _done(record):
        if action < N_CARDS:
            tricks.setdefault(int(record.played_in[action]), []).append((seat, action))
    if not tricks:
        return []
    won = f"tricks won: NS {record.tricks[0]} EW {record.tricks[1]}"
    voids = [
        f"{SEAT_LETTERS[seat]} {SUIT_NAMES[suit]}"
        for seat in range(N_SEATS)
        for suit in range(N_SUITS)
        if int(record.voids) >> N_SUITS * seat + suit & 1
    ]
    lines = [f"trick {number}: {_line(cards)}" for number, cards in tricks.items()]
    return [*lines, won + (f"; void: {', '.join(voids)}" if voids else "")]


def held_text(table: Any) -> str:
    """What the seats hold, a line each, and the widow and the discard: for those who may see it all."""
    lines = [f"{SEAT_LETTERS[seat]} holds {set_text(table.hands[seat])}" for seat in range(N_SEATS)]
    if table.maker == NOBODY or table.phase == AUCTION:
        return "\n".join([*lines, f"widow {card_text(table.widow)}"])
    lines[table.maker] += own_text(table)
    return "\n".join(lines)


def own_text(record: Any) -> str:
    """`, took TS, discarded 9C`: the maker's own secrets, as far as the record has them."""
    took = f", took {card_text(record.widow)}" if record.widow != NO_CARD else ""
    return took + (f", discarded {card_text(record.discard)}" if record.discard != NO_CARD else "")
