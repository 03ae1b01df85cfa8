"""Tables and views as plain text for people: what everybody knows first, then what is held."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from hpenv.actions import BID, BIG, BIG_PEPPER, action_text
from hpenv.cards import N_SUITS, NO_CARD, NO_SUIT, SUIT_NAMES, card_text, set_text
from hpenv.history import calls_of, tricks_of
from hpenv.rulebook import AUCTION, DEAL_OVER, Phase, is_dealt
from hpenv.seats import N_SEATS, NOBODY, SEAT_LETTERS, SIDE_LETTERS

NOTHING_DEALT = "nothing is dealt yet"


class PhaseWords(NamedTuple):
    """How a phase is spoken of: its name, what the seat to act does, and what it must do."""

    name: str
    doing: str
    due: str


PHASE_WORDS = {
    Phase.AUCTION: PhaseWords("auction", "to bid", "pass or bid"),
    Phase.NAME_TRUMP: PhaseWords("naming trump", "names trump", "name a trump suit"),
    Phase.DISCARD: PhaseWords("discarding", "discards", "discard a card"),
    Phase.MAKER_ALONE: PhaseWords("alone or with partner", "alone or not", "say alone or with partner"),
    Phase.DEFENDER_ALONE: PhaseWords(
        "defend alone or with partner", "alone or not", "say alone or with partner"
    ),
    Phase.PLAY: PhaseWords("play", "to play", "play a card"),
    Phase.DEAL_OVER: PhaseWords("deal over", "", ""),
}


def phase_words(record: Any) -> PhaseWords:
    """The words for the phase of a table or a view."""
    return PHASE_WORDS[Phase(int(record.phase))]


def seat_set_text(seats: int) -> str:
    """`N S`, or `nobody`."""
    return " ".join(SEAT_LETTERS[s] for s in range(N_SEATS) if int(seats) >> s & 1) or "nobody"


def bid_text(record: Any, level: int) -> str:
    """A bid as it is called at a table or in a view: `bid 3`, in pepper form `little pepper` for the
    bid of all the tricks (R7), `big pepper`, or `no bid`."""
    if level == BIG:
        return "big pepper"
    if record.pepper and level == record.hand_size:
        return "little pepper"
    return f"bid {level}" if level else "no bid"


def act_text(record: Any, action: int) -> str:
    """An action as it is called under the rules of a table or a view: see `bid_text`."""
    return bid_text(record, action - BID) if BID < action <= BIG_PEPPER else action_text(action)


def public_text(record: Any) -> str:
    """What everybody at the table knows, for a table or a view: a line each for the deal, the auction,
    the contract, every trick in the order of play, the count of tricks, and the end."""
    if not is_dealt(record):
        return NOTHING_DEALT
    over = record.phase == DEAL_OVER
    lines = [
        f"deal {record.deals_played + (not over)}, dealer {SEAT_LETTERS[record.dealer]}, "
        f"score NS {record.score[0]} EW {record.score[1]}, {phase_words(record).name}"
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


def _line(record: Any, acts: Iterable[tuple[int, int]]) -> str:
    return ", ".join(f"{SEAT_LETTERS[seat]} {act_text(record, action)}" for seat, action in acts)


def _auction_text(record: Any) -> str:
    return _line(record, calls_of(record)) or "no call yet"


def _contract_text(record: Any) -> str:
    text = f"contract: {SEAT_LETTERS[record.maker]} {bid_text(record, int(record.bid))}"
    if record.trump != NO_SUIT:
        text += f", {SUIT_NAMES[record.trump]} trump"
    if record.alone:
        text += f", alone: {seat_set_text(record.alone)}"
    return text


def _trick_lines(record: Any) -> list[str]:
    tricks = tricks_of(record)
    if not tricks:
        return []
    won = f"tricks won: NS {record.tricks[0]} EW {record.tricks[1]}"
    voids = [
        f"{SEAT_LETTERS[seat]} {SUIT_NAMES[suit]}"
        for seat in range(N_SEATS)
        for suit in range(N_SUITS)
        if int(record.voids) >> N_SUITS * seat + suit & 1
    ]
    lines = [f"trick {trick.number}: {_line(record, trick.cards)}" for trick in tricks]
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
