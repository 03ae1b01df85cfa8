"""Every trick there is, and every hand that must follow, against the slow oracle."""

from itertools import combinations, permutations
from typing import Any

import numba
import numpy as np
import pytest

from hpenv.cards import NO_SUIT, card_text
from hpenv.rulebook import PLAY, legal_actions, new_game, play
from hpenv.rules import Rules
from hpenv.table import Table, new_tables
from naive_rules import CARDS, SEATS, suit_followed, trick_winner

TRUMPS = {
    "C": "Jo JC JS AC KC QC TC 9C",
    "D": "Jo JD JH AD KD QD TD 9D",
    "H": "Jo JH JD AH KH QH TH 9H",
    "S": "Jo JS JC AS KS QS TS 9S",
}


@numba.njit
def trick_winners(table: Any, seats: Any, tricks: Any, winners: Any) -> None:
    """Play each trick, a row of cards, by these seats at the table, and write who is to lead next."""
    for i in range(len(tricks)):
        table.phase = PLAY
        table.tricks_played = 0
        table.cards_in_trick = 0
        table.led_suit = NO_SUIT
        table.to_act = seats[0]
        for j in range(len(seats)):
            if table.to_act != seats[j]:
                winners[i] = -2
                return
            play(table, np.int64(tricks[i, j]))
        winners[i] = table.to_act


def ready_for_tricks(trump: int, sitting_out: str = "") -> Table:
    """A table in the play with this trump and these seats sitting out."""
    table = new_tables(1, Rules())[0]
    new_game(table, 3, 0, 0)
    table.maker, table.bid, table.trump, table.phase = 0, 1, trump, PLAY
    table.sitting_out = sum(1 << SEATS.index(seat) for seat in sitting_out)
    return table


def strengths(trump: str, led: str) -> np.ndarray[Any, Any]:
    """How high each card stands when this suit is led, from the lists above and A K Q J 10 9."""
    order = TRUMPS[trump].split()
    plain = [rank + led for rank in "AKQJT9" if rank + led not in order]
    high_to_low = [*order, *plain]
    return np.array([len(CARDS) - high_to_low.index(c) if c in high_to_low else 0 for c in CARDS])


@pytest.mark.parametrize("trump", "CDHS")
def test_every_ordered_trick_of_four_cards(trump: str) -> None:
    """303,600 tricks for each trump: no later ace beats an earlier ruff, nor anything else."""
    tricks = np.array(list(permutations(range(25), 4)), np.int8)
    assert len(tricks) == 303_600
    found = np.full(len(tricks), -1, np.int64)
    table = ready_for_tricks("CDHS".index(trump))
    trick_winners(table, np.arange(4), tricks, found)
    order = TRUMPS[trump].split()
    led_suits = np.array(["CDHS".index(trump if c in order else c[1]) for c in CARDS])[tricks[:, 0]]
    table_of_strengths = np.array([strengths(trump, led) for led in "CDHS"])
    expected = table_of_strengths[led_suits[:, None], tricks].argmax(axis=1)
    wrong = np.flatnonzero(found != expected)
    assert not len(wrong), [card_text(c) for c in tricks[wrong[0]]]


@pytest.mark.parametrize("trump", "CDHS")
def test_tricks_of_four_cards_against_the_oracle(trump: str) -> None:
    """One in 41 of the same tricks, as the oracle reads its lists."""
    tricks = np.array(list(permutations(range(25), 4))[::41], np.int8)
    found = np.full(len(tricks), -1, np.int64)
    trick_winners(ready_for_tricks("CDHS".index(trump)), np.arange(4), tricks, found)
    for trick, seat in zip(tricks.tolist(), found.tolist(), strict=True):
        cards = [(s, CARDS[card]) for s, card in zip(SEATS, trick, strict=True)]
        assert SEATS[seat] == trick_winner(cards, trump), cards


@pytest.mark.parametrize("trump", "CDHS")
@pytest.mark.parametrize(
    ("seats", "sitting_out"), [("ESW", "N"), ("NEW", "S"), ("WN", "ES"), ("NE", "SW"), ("SE", "NW")]
)
def test_every_ordered_trick_of_loners(trump: str, seats: str, sitting_out: str) -> None:
    """13,800 tricks of three cards, 600 of two: who sits out is passed over, the winner leads next."""
    tricks = np.array(list(permutations(range(25), len(seats))), np.int8)
    found = np.full(len(tricks), -1, np.int64)
    table = ready_for_tricks("CDHS".index(trump), sitting_out)
    trick_winners(table, np.array([SEATS.index(seat) for seat in seats]), tricks, found)
    for trick, seat in zip(tricks.tolist(), found.tolist(), strict=True):
        cards = [(s, CARDS[card]) for s, card in zip(seats, trick, strict=True)]
        assert SEATS[seat] == trick_winner(cards, trump), cards


@pytest.mark.parametrize("trump", "CDHS")
def test_every_lead_and_every_two_cards_held(trump: str) -> None:
    """25 leads x 276 pairs of cards for each trump: what may be played, as the oracle has it."""
    base = ready_for_tricks("CDHS".index(trump))
    base.hands[:] = 0
    base.to_act = 0
    for led in range(25):
        base.hands[0] = 1 << led
        table = base.copy()
        table.step(led)
        suit_led = suit_followed(CARDS[led], trump)
        for pair in combinations([c for c in range(25) if c != led], 2):
            table.hands[1] = sum(1 << c for c in pair)
            follow = [c for c in pair if suit_followed(CARDS[c], trump) == suit_led]
            legal = sum(1 << c for c in follow or pair)
            assert legal_actions(table) == legal, (CARDS[led], [CARDS[c] for c in pair])
