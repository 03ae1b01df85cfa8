"""The deal so far, read back from the history that every table and view keeps: calls and tricks."""

from typing import Any, NamedTuple

from hpenv.actions import BIG_PEPPER, PASS
from hpenv.cards import N_CARDS, STRENGTH, SUIT_FOLLOWED


class Trick(NamedTuple):
    """One trick, finished or not: its number from 1, the seats and their cards in the order of play,
    and the seat that wins it so far."""

    number: int
    cards: tuple[tuple[int, int], ...]
    winner: int

    @property
    def leader(self) -> int:
        """The seat that led to it."""
        return self.cards[0][0]


def acts_of(record: Any) -> list[tuple[int, int]]:
    """Seats and what they did, in order, at a table or in a view; the discard as FACE_DOWN."""
    n = int(record.history_length)
    return list(zip(record.history_seat[:n].tolist(), record.history[:n].tolist(), strict=True))


def calls_of(record: Any) -> list[tuple[int, int]]:
    """Seats and their calls in the auction, in order."""
    return [(seat, action) for seat, action in acts_of(record) if PASS <= action <= BIG_PEPPER]


def tricks_of(record: Any) -> list[Trick]:
    """The tricks that have begun, in order."""
    found: dict[int, list[tuple[int, int]]] = {}
    played_in = record.played_in.tolist()
    for seat, action in acts_of(record):
        if action < N_CARDS:
            found.setdefault(played_in[action], []).append((seat, action))
    trump = int(record.trump)
    return [Trick(number, tuple(cards), _winner(trump, cards)) for number, cards in found.items()]


def _winner(trump: int, cards: list[tuple[int, int]]) -> int:
    """The highest trump wins, else the highest card of the suit led (R13)."""
    strength = STRENGTH[trump, SUIT_FOLLOWED[trump, cards[0][1]]].tolist()
    return max(cards, key=lambda played: strength[played[1]])[0]
