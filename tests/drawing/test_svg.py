"""Drawings as SVG and as pixels: valid, in both themes, and in need of nothing from outside."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from drawings import (
    LONERS,
    SPADES_LED,
    SVG,
    as_written,
    recorded_deals,
    stands_alone,
    titles,
)
from hpenv.cards import N_CARDS
from hpenv.drawing.ansi import text_picture
from hpenv.drawing.canvas import COLOURS
from hpenv.drawing.cards import (
    card_back_svg,
    card_svg,
)
from hpenv.drawing.deal import deal_picture, deal_slider
from hpenv.drawing.raster import pixels, rastered
from hpenv.drawing.table import HEIGHT, WIDTH, picture
from hpenv.notation import RecordError, parse_record, record_of
from hpenv.rules import PRESETS, get_rules
from hpenv.table import TABLE, new_tables
from hpenv.view import VIEW, view_of
from table_talk import may, mixed, red


def all_drawings() -> list[str]:
    table = mixed("house", "N", "bid 2")
    loners = red({"bidding": "pepper", "target": 1000}, "S", LONERS, score=(-1_000_000, 999))
    deals = recorded_deals()
    drawings = [picture(table), picture(view_of(table, 1), dark=True), picture(loners, dark=False)]
    drawings += [picture(deal) for deal in deals[::5]] + [deal_picture(deal) for deal in deals[::5]]
    drawings += [deal_picture(table, dark=True), deal_picture(loners)]
    return drawings + [card_svg(card) for card in range(N_CARDS)] + [card_back_svg()]


def test_every_drawing_is_xml_that_needs_nothing_from_outside() -> None:
    for svg in all_drawings():
        root = ElementTree.fromstring(svg)
        assert root.tag == f"{SVG}svg"
        assert svg.isascii()
        stands_alone(svg)
        ids = [e.attrib["id"] for e in root.iter() if "id" in e.attrib]
        assert len(ids) == len(set(ids))
        for use in root.iter(f"{SVG}use"):
            assert use.attrib["href"][1:] in ids
        for element in root.iter():
            assert element.tag.removeprefix(SVG) in {
                "svg", "g", "path", "rect", "circle", "ellipse", "use", "title", "desc", "defs", "style"
            }  # fmt: skip


def test_drawings_on_one_page_do_not_clash() -> None:
    seen: set[str] = set()
    drawings = list(dict.fromkeys(svg for svg in all_drawings() if "id=" in svg))
    for svg in drawings:
        ids = set(re.findall(r'id="([^"]+)"', svg))
        assert ids
        assert not ids & seen
        seen |= ids


def test_light_and_dark_themes_and_the_readers_setting() -> None:
    table = red("standard", "W", SPADES_LED)
    light, dark, either = (picture(table, dark=choice) for choice in (False, True, None))
    assert "<style>" not in light + dark
    assert "prefers-color-scheme:dark" in either
    for role in ("felt", "edge", "panel", "call", "muted", "won"):
        day, night = COLOURS[role]
        assert light.count(day) == dark.count(night) > dark.count(day) == 0
    assert COLOURS["felt"][0] in light and COLOURS["felt"][0] not in dark  # noqa: PT018
    assert np.array_equal(rastered(either, 200), rastered(light, 200))
    felt = tuple(int(COLOURS["felt"][1][i : i + 2], 16) for i in (1, 3, 5))
    assert tuple(pixels(table, dark=True)[368, 335]) == felt


def test_tables_views_and_records_are_drawn_in_a_notebook() -> None:
    table = red("standard", "W", SPADES_LED)
    assert table._repr_mimebundle_() == {"image/svg+xml": picture(table)}
    view = view_of(table, 3)
    assert view._repr_mimebundle_() == {"image/svg+xml": picture(view, bottom=3)}
    assert picture(table)._repr_svg_() == picture(table)
    assert type(picture(table)._repr_svg_()) is str
    assert deal_slider(table)._repr_html_().startswith("<div")
    record = record_of(table)
    shown = record._repr_mimebundle_(include=None, exclude=None)  # as notebooks ask
    assert list(shown) == ["text/html"]
    assert shown["text/html"].startswith("<div")
    broken = replace(record, actions=(*record.actions, 0), points=None)
    assert broken._repr_mimebundle_() == {}


def test_a_picture_scales() -> None:
    table = red("standard", "W", SPADES_LED)
    for width in (400, 760.5, np.int64(1200)):
        root = ElementTree.fromstring(picture(table, width=width))
        assert root.attrib["viewBox"] == f"0 0 {WIDTH} {HEIGHT}"
        assert float(root.attrib["width"]) == float(width)


def test_a_table_without_cards_can_be_drawn() -> None:
    for name in PRESETS:
        empty = new_tables(1, get_rules(name))[0]
        assert titles(picture(empty)) == {}
        assert "nothing is dealt yet" in text_picture(empty)
    picture(np.zeros(1, VIEW)[0])
    text_picture(np.zeros(1, TABLE)[0])


def test_pixels_are_colours_of_the_size_wanted() -> None:
    table = red("standard", "W", SPADES_LED)
    for width in (100, 400, 1000):
        frame = pixels(table, width=width)
        assert frame.dtype == np.uint8
        assert frame.shape == (math.ceil(width * HEIGHT / WIDTH), width, 3)
    assert frame.flags.writeable
    assert len(np.unique(frame.reshape(-1, 3), axis=0)) > 100
    assert not np.array_equal(pixels(table), pixels(view_of(table, 2)))


@pytest.mark.parametrize("package", ["resvg_py", "PIL"])
def test_missing_packages_for_pixels_are_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"pixels need {package}, .*pip install .hpenv.pictures"):
        pixels(red("standard", "W"))


def test_bad_arguments_are_errors_that_name_them() -> None:
    table = red("standard", "W")
    for draw in (picture, text_picture, pixels):
        for thing in (None, 5, "table", np.zeros(1, TABLE), np.zeros(3, VIEW)):
            with pytest.raises(TypeError, match="a drawing is made of a Table, a View or a Record"):
                draw(thing)
    for seat in (-1, 4, "X", "NS", 1.0, True):
        kind = TypeError if seat in (1.0, True) else ValueError
        with pytest.raises(kind, match="neither 0 to 3 nor N, E, S or W"):
            picture(table, bottom=seat)
        with pytest.raises(kind, match="neither 0 to 3 nor N, E, S or W"):
            deal_slider(table, bottom=seat)
    for width in (0, -5, "wide", None, True, float("nan")):
        kind = TypeError if width in ("wide", None, True) else ValueError
        for sheet in (picture, deal_picture, deal_slider):
            with pytest.raises(kind, match="is not a number of pixels above 0"):
                sheet(table, width=width)
        with pytest.raises((TypeError, ValueError), match=f"width={width!r} is not a whole number"):
            pixels(table, width=width)
    with pytest.raises(ValueError, match="dark='yes' is not one of"):
        picture(table, dark="yes")
    for start in (1, -2, 0.5, True):
        kind = TypeError if type(start) is not int else ValueError
        with pytest.raises(kind, match=f"start={start} is not a whole number"):
            deal_slider(table, start=start)
    for sheet in (deal_picture, deal_slider):
        with pytest.raises(TypeError, match="whole Table"):
            sheet(view_of(table, 0))
    broken = parse_record({**as_written(record_of(table)), "actions": ["pass", "bid 1", "bid 1"]})
    for draw in (picture, text_picture, deal_picture, deal_slider):
        with pytest.raises(RecordError, match="R5"):
            draw(broken)
    assert may(table).startswith("pass")
