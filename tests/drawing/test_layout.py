"""Where the picture of a table has its seats, cards and marks."""

from __future__ import annotations

import re
from typing import Any

import pytest

from drawings import (
    SPADES_LED,
    cards_at,
    some_positions,
    titles,
    words_of,
)
from hpenv.cards import card_text, set_cards
from hpenv.drawing.canvas import COLOURS
from hpenv.drawing.glyphs import written
from hpenv.drawing.table import HEIGHT, WIDTH, picture
from hpenv.seats import N_SEATS
from hpenv.view import view_of
from random_deals import RULES
from table_talk import red


@pytest.mark.parametrize("name", RULES)
def test_the_cards_of_two_places_never_overlap(name: str) -> None:
    """Hands, trick, panels and the edge keep clear of each other, whoever sits at the bottom."""
    panels = [(x, y, x + 302, y + 196) for x in (18, 680) for y in (18, 522)]
    for table in some_positions(name, 4, 6):
        for bottom in range(N_SEATS):
            places: dict[Any, list[tuple[float, float, float, float]]] = {}
            for title, x, y, scale in cards_at(picture(table, bottom=bottom)):
                box = (x, y, x + 100 * scale, y + 140 * scale)
                assert box[0] > 0
                assert box[1] > 0
                assert box[2] < WIDTH
                assert box[3] < HEIGHT
                if scale == 1:
                    key: Any = (y, x > 500 if y == 298 else 0)
                elif scale == 0.95:
                    key = title
                else:
                    assert any(within(box, panel) for panel in panels), title
                    continue
                places.setdefault(key, []).append(box)
            groups = [*((around(boxes)) for boxes in places.values()), *panels]
            for i, one in enumerate(groups):
                for other in groups[i + 1 :]:
                    assert apart(one, other), f"bottom {bottom}\n{table}"


def around(boxes: list[tuple[float, float, float, float]]) -> tuple[float, float, float, float]:
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


def apart(one: Any, other: Any) -> bool:
    return bool(one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1])


def within(box: Any, panel: Any) -> bool:
    return bool(box[0] > panel[0] and box[1] > panel[1] and box[2] < panel[2] and box[3] < panel[3])


@pytest.mark.parametrize("bottom", range(N_SEATS))
def test_the_seats_go_clockwise_from_the_one_at_the_bottom(bottom: int) -> None:
    table = red("standard", "W", SPADES_LED)
    at = {title: (x, y) for title, x, y, scale in cards_at(picture(table, bottom=bottom)) if scale == 1}
    places = [at[card_text(set_cards(table.hands[(bottom + i) % 4])[0])] for i in range(4)]
    below, left, above, right = places
    assert below[1] > left[1] == right[1] > above[1]
    assert left[0] < 300
    assert right[0] > 600


def test_who_is_at_the_bottom() -> None:
    table = red("standard", "W", SPADES_LED)
    assert (
        picture(table) == picture(table, bottom=2) == picture(table, bottom="S") == picture(table, "s")
    )
    for seat in range(N_SEATS):
        view = view_of(table, seat)
        assert picture(view) == picture(view, bottom=seat) != picture(view, bottom=(seat + 1) % 4)
        assert titles(picture(view)) == titles(picture(view, bottom=(seat + 1) % 4))


def test_the_turn_the_winner_and_the_dealer_are_marked() -> None:
    """The colour of the turn fills one plate and rims one card of the trick and one of the last."""
    turn = COLOURS["turn"][0]
    table = red(
        "standard", "W", "bid 3, pass, pass, pass, trump H, TS, with partner, Jo, TH, 9H, 9D, JH"
    )
    svg = picture(table, dark=False)
    plates = re.findall(rf'<rect [^>]*height="26"[^>]*fill="{turn}"/>', svg)
    rims = re.findall(rf'<rect [^>]*stroke="{turn}" fill="none" stroke-width="([\d.]+)"/>', svg)
    assert len(plates) == 1
    assert len([width for width in rims if float(width) > 2]) == 2  # the rest ring the tricks needed
    assert len(rims) == 2 + 3
    over = picture(red("standard", "W", "pass, pass, pass, pass"), dark=False)
    assert turn not in over
    bidding = picture(red("standard", "W", "bid 3"), dark=False)
    assert written("maker")[1] not in words_of(bidding).split(" | ")
    for drawing in (svg, over):
        drawn = words_of(drawing).split(" | ")
        assert drawn.count(written("D")[1]) == 1
        assert drawn.count(written("led")[1]) == drawn.count(written("maker")[1]) == (drawing is svg)
