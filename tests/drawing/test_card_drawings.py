"""The drawings of single cards, and the letters."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest

from drawings import (
    SVG,
    titles,
)
from hpenv.cards import CARD_TEXT, N_CARDS
from hpenv.drawing.cards import (
    SUIT_PATHS,
    card_back_svg,
    card_name,
    card_svg,
    card_symbols,
)
from hpenv.drawing.glyphs import GAP, GLYPHS, written


def test_every_card_differs_in_shape_too() -> None:
    drawn = [card_svg(card) for card in range(N_CARDS)]
    shapes = {
        re.sub(r"#[0-9a-f]{3,6}|<title>.*?</title>|aria-label=\"[^\"]*\"", "", svg) for svg in drawn
    }
    assert len(shapes) == N_CARDS
    assert len(set(SUIT_PATHS)) == 4
    pips = [svg.count(SUIT_PATHS[0]) for svg in drawn[:6]]
    assert pips[:2] == [9 + 2, 10 + 2]
    assert pips[5] == 1 + 2


def test_a_card_is_labelled_with_its_name() -> None:
    assert card_name(CARD_TEXT.index("TH")) == "ten of hearts"
    assert card_name(24) == "Joker"
    for card in range(N_CARDS):
        root = ElementTree.fromstring(card_svg(card))
        assert root.attrib["aria-label"] == card_name(card)
        assert titles(card_svg(card)) == {CARD_TEXT[card]: 1}
    assert titles(card_back_svg()) == {"face down": 1}


def test_symbols_for_a_page() -> None:
    page = f'<svg xmlns="http://www.w3.org/2000/svg"><defs>{card_symbols()}</defs></svg>'
    symbols = [e.attrib["id"] for e in ElementTree.fromstring(page).iter(f"{SVG}symbol")]
    assert symbols == [*(f"card-{text}" for text in CARD_TEXT), "card-back"]
    assert re.findall(r'id="([^"]*)"', card_symbols("x", [24, "back"])) == ["xJo", "xback"]


@pytest.mark.parametrize("card", [-1, 25, "TH", None, True, 2.0])
def test_a_bad_card_number_is_an_error(card: Any) -> None:
    kind = ValueError if card in (-1, 25) else TypeError
    with pytest.raises(kind, match=f"card={card!r} is not a whole number"):
        card_svg(card)
    with pytest.raises(kind, match=f"card={card!r} is not a whole number"):
        card_symbols(cards=[card])


def test_letters_stand_side_by_side() -> None:
    width, path = written("AB")
    assert width == GLYPHS["A"][0] + GAP + GLYPHS["B"][0]
    assert path.startswith(written("A")[1])
    assert written("ab") == written("AB")
    assert written("") == (0, "")
    assert len({glyph for _, glyph in GLYPHS.values()}) == len(GLYPHS)
    with pytest.raises(ValueError, match="no glyph"):
        written("50 ~")
