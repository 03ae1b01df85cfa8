"""A drawing shows every card that may be seen, and none that is hidden."""

from __future__ import annotations

import random
import re

import pytest

from drawings import (
    laid_open,
    some_positions,
    titles,
)
from hpenv.cards import CARD_TEXT, NO_CARD
from hpenv.drawing.ansi import text_picture
from hpenv.drawing.table import picture
from hpenv.rulebook import AUCTION, DISCARD
from hpenv.seats import N_SEATS
from hpenv.view import view_of
from hpenv.worlds import world_tables
from random_deals import RULES, positions


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("seed", range(2))
def test_a_table_shows_every_card(name: str, seed: int) -> None:
    for table in some_positions(name, seed):
        discard = NO_CARD if table.phase <= DISCARD else int(table.discard)
        expected = laid_open(table, list(table.hands), int(table.widow), discard)
        assert titles(picture(table)) == expected, f"{table}"


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("seed", range(2))
def test_a_view_shows_its_own_cards_and_the_others_face_down(name: str, seed: int) -> None:
    for table in some_positions(name, seed, 9):
        for seat in range(N_SEATS):
            view = view_of(table, seat)
            shown = titles(picture(view))
            hidden = sum(int(table.hands[s]).bit_count() for s in range(N_SEATS) if s != seat)
            took = table.maker == seat and table.phase != AUCTION and table.bid > 0
            hidden += not took
            hidden += table.bid > 0 and table.phase > DISCARD and not took
            assert shown.pop("face down", 0) == hidden, f"seat {seat}\n{table}"
            widow = int(table.widow) if took else NO_CARD
            discard = int(table.discard) if took else NO_CARD
            expected = laid_open(table, [int(table.hands[seat])], widow, discard)
            assert shown == expected, f"seat {seat}\n{table}"


@pytest.mark.parametrize("name", RULES)
def test_redealing_the_hidden_cards_changes_no_drawing_of_a_view(name: str) -> None:
    rng = random.Random(name)
    looked = changed = 0
    for n, table in enumerate(positions(name, 5, 4)):
        if n % 5:
            continue
        seat = rng.randrange(N_SEATS)
        view = view_of(table, seat)
        before = (
            picture(view),
            text_picture(view),
            text_picture(view, colour=True),
            view._repr_mimebundle_(),
        )
        for world in world_tables(view, 3, stream=n):
            other = view_of(world, seat)
            after = (
                picture(other),
                text_picture(other),
                text_picture(other, colour=True),
                other._repr_mimebundle_(),
            )
            assert after == before, f"seat {seat}\n{table}\n{world}"
            changed += picture(world) != picture(table)
        looked += 1
    assert looked > 4
    assert changed > looked  # where cards are hidden, the whole tables differ


@pytest.mark.parametrize("name", RULES)
def test_the_drawings_of_a_view_name_no_unseen_card(name: str) -> None:
    """Neither in a title nor in an id, in the description, or in the text."""
    for table in some_positions(name, 3, 5):
        for seat in range(N_SEATS):
            view = view_of(table, seat)
            known = int(view.hand)
            for played in view.played:
                known |= int(played)
            for card in (int(view.widow), int(view.discard)):
                known |= 1 << card if card != NO_CARD else 0
            unseen = "|".join(t for c, t in enumerate(CARD_TEXT) if not known >> c & 1) or "never"
            for drawn in (picture(view), text_picture(view), text_picture(view, colour=True)):
                assert not re.search(rf"(?<![0-9A-Za-z])({unseen})(?![0-9A-Za-z])", plain(drawn)), (
                    f"{table}"
                )


def plain(drawn: str) -> str:
    """A drawing without its paths and what its ids begin with, where letters mean nothing."""
    without_paths = re.sub(r' d="[^"]*"', "", drawn)
    return re.sub(r"h[0-9a-f]{10}", "", without_paths)
