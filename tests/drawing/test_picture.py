"""The drawings of a table: they show all that may be seen, nothing that is hidden, and need nothing
from outside."""

from __future__ import annotations

import json
import math
import random
import re
import sys
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from hpenv.actions import ACTION_TEXT, ALONE, BIG_PEPPER, FACE_DOWN, PASS, TRUMP
from hpenv.cards import CARD_TEXT, N_CARDS, NO_CARD, SUIT_NAMES, card_text, set_cards
from hpenv.drawing.ansi import HIDDEN_CARD, ansi
from hpenv.drawing.canvas import COLOURS
from hpenv.drawing.cards import (
    SUIT_PATHS,
    card_back_svg,
    card_name,
    card_svg,
    card_symbols,
)
from hpenv.drawing.deal import deal_picture, deal_slider
from hpenv.drawing.glyphs import GAP, GLYPHS, written
from hpenv.drawing.raster import pixels, rastered
from hpenv.drawing.scene import SEAT_NAMES, scene_of, sorted_hand
from hpenv.drawing.table import HEIGHT, WIDTH, picture
from hpenv.notation import RecordError, parse_record, record_of, record_text
from hpenv.notation import positions as record_positions
from hpenv.rulebook import AUCTION, DEAL_OVER, DISCARD
from hpenv.rules import PRESETS, get_rules
from hpenv.seats import N_SEATS
from hpenv.table import TABLE, new_tables
from hpenv.view import VIEW, view_of
from hpenv.worlds import world_tables
from places import HANDS
from random_deals import RULES, positions
from table_talk import RED, may, mixed, red, table_after

SVG = "{http://www.w3.org/2000/svg}"
SPADES_LED = "bid 3, pass, pass, pass, trump H, TS, with partner, Jo, TH, 9H, 9D, JH, QH"
LONERS = (
    "bid 1, bid 2, bid 5, pass, little pepper, pass, big pepper, "
    "trump S, TS, alone, with partner, alone"
)


def some_positions(name: str, seed: int, every: int = 7) -> Any:
    """One position in so many, and every end of a deal."""
    for n, table in enumerate(positions(name, seed, 3)):
        if n % every == seed % every or table.phase == DEAL_OVER:
            yield table


def recorded_deals() -> list[Any]:
    names = ("alone", "auction", "bowers_and_joker", "scoring", "small_games")
    return [parse_record(line) for name in names for line in (HANDS / f"{name}.jsonl").open()]


def titles(svg: str) -> Counter[str]:
    """The titles of all the cards drawn."""
    return Counter(title.text or "" for title in ElementTree.fromstring(svg).iter(f"{SVG}title"))


def cards_at(svg: str) -> list[tuple[str, float, float, float]]:
    """Title, left, top and scale of every card drawn."""
    found = []
    for use in ElementTree.fromstring(svg).iter(f"{SVG}use"):
        title = use.find(f"{SVG}title")
        if title is not None:
            numbers = [float(n) for n in re.findall(r"-?[\d.]+", use.attrib["transform"])]
            found.append((str(title.text), numbers[0], numbers[1], numbers[2]))
    return found


def laid_open(record: Any, hands: list[int], widow: int, discard: int) -> Counter[str]:
    """The cards that a drawing of the whole must show, with those of the trick and of the one before;
    worked out from the history alone."""
    shown: Counter[str] = Counter(card_text(c) for hand in hands for c in set_cards(hand))
    played = [a for a in record.history[: record.history_length] if a < N_CARDS]
    last = int(record.tricks_played) + (record.cards_in_trick > 0 and record.phase != DEAL_OVER)
    wanted = {last} if record.phase == DEAL_OVER else {last, last - 1}
    if record.phase != DEAL_OVER and record.cards_in_trick == 0:
        wanted = {last}
    shown.update(card_text(c) for c in played if record.played_in[c] in wanted)
    shown.update(card_text(c) for c in (widow, discard) if c != NO_CARD)
    return shown


# ---- nothing is missing and nothing is hidden ---------------------------------------------------


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
def test_no_drawing_of_a_view_changes_when_the_hidden_cards_are_dealt_anew(name: str) -> None:
    rng = random.Random(name)
    looked = changed = 0
    for n, table in enumerate(positions(name, 5, 4)):
        if n % 5:
            continue
        seat = rng.randrange(N_SEATS)
        view = view_of(table, seat)
        before = picture(view), ansi(view), ansi(view, colour=True), view._repr_svg_()
        for world in world_tables(view, 3, stream=n):
            other = view_of(world, seat)
            after = picture(other), ansi(other), ansi(other, colour=True), other._repr_svg_()
            assert after == before, f"seat {seat}\n{table}\n{world}"
            changed += picture(world) != picture(table)
        looked += 1
    assert looked > 4
    assert changed > looked  # where cards are hidden, the whole tables differ


@pytest.mark.parametrize("name", RULES)
def test_no_card_unseen_by_a_seat_is_named_anywhere_in_its_drawings(name: str) -> None:
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
            for drawn in (picture(view), ansi(view), ansi(view, colour=True)):
                assert not re.search(rf"(?<![0-9A-Za-z])({unseen})(?![0-9A-Za-z])", plain(drawn)), (
                    f"{table}"
                )


def plain(drawn: str) -> str:
    """A drawing without its paths and what its ids begin with, where letters mean nothing."""
    without_paths = re.sub(r' d="[^"]*"', "", drawn)
    return re.sub(r"h[0-9a-f]{10}", "", without_paths)


# ---- the same facts everywhere ------------------------------------------------------------------


def facts(table: Any) -> list[str]:
    """What the words of a drawing must say about a table."""
    said = [f"deal {int(table.deals_played) + (table.phase != DEAL_OVER)}, game to {table.target}"]
    for action in table.history[: table.history_length]:
        if PASS <= action <= BIG_PEPPER:
            is_little = table.pepper and action == PASS + table.hand_size
            said.append("little pepper" if is_little else ACTION_TEXT[action])
        elif TRUMP <= action < ALONE:
            said.append(SUIT_NAMES[action - TRUMP])
        elif ALONE <= action < FACE_DOWN:
            said.append(ACTION_TEXT[action])
    said += ["sits out"] if table.sitting_out else []
    said += ["void"] if table.voids else []
    return said + ([] if table.phase == DEAL_OVER else [SEAT_NAMES[table.to_act]])


def words_of(svg: str) -> str:
    """The words drawn: found by their shapes."""
    root = ElementTree.fromstring(svg)
    shapes = {e.attrib["id"]: e.attrib["d"] for e in root.iter(f"{SVG}path") if "id" in e.attrib}
    used = [use.attrib["href"][1:] for use in root.iter(f"{SVG}use")]
    return " | ".join(shapes[name] for name in used if name in shapes)


@pytest.mark.parametrize("name", RULES)
def test_picture_and_text_say_the_same(name: str) -> None:
    for table in some_positions(name, 1, 4):
        drawn, text = words_of(picture(table)), ansi(table)
        for fact in facts(table):
            assert written(fact)[1] in drawn, f"{fact}\n{table}"
            assert fact.lower() in text.lower(), f"{fact}\n{text}"
        for side in range(2):
            assert written(str(table.score[side]))[1] in drawn
            assert f"{('NS', 'EW')[side]} {table.score[side]}" in text


def test_the_text_of_a_table_is_this() -> None:
    assert ansi(red("standard", "W", SPADES_LED)).splitlines() == [
        "deal 1, game to 10, score NS 0 EW 0, tricks won NS 1 EW 0 of 6",
        "bid 3 by North, hearts trump",
        "South to play",
        "",
        "                                 NORTH maker",
        "                                 AH KH AC AS",
        "                                 bid 3, with partner",
        "",
        "  WEST dealer                        JH*        EAST",
        "  JC TD KS QS JS                         QH     TC 9C KD 9S",
        "  pass                                          pass",
        "  void: H",
        "",
        "                               > SOUTH",
        "                                 JD KC QC AD QD",
        "                                 pass",
        "",
        "widow TS (taken by North), discard TS",
        "trick 1: N Jo E TH S 9H W 9D, N wins",
        "trick 2: N JH E QH",
    ]


def test_the_text_of_a_view_hides_what_the_seat_may_not_know() -> None:
    text = ansi(view_of(red("standard", "W", SPADES_LED), 1))
    assert "widow ##, discard ##" in text.replace(" (taken by North)", "")
    assert "TC 9C KD 9S" in text
    assert text.count(HIDDEN_CARD) == 4 + 5 + 5 + 2


@pytest.mark.parametrize("name", RULES)
def test_the_text_fits_a_terminal_and_colour_changes_only_colours(name: str) -> None:
    for table in some_positions(name, 2, 3):
        for record in (table, view_of(table, 2)):
            text = ansi(record)
            assert max(map(len, text.splitlines())) <= 80, text
            assert text.isascii()
            coloured = ansi(record, colour=True)
            assert re.sub(r"\x1b\[\d+m", "", coloured) == text
            assert coloured.count("\x1b[0m") * 2 == coloured.count("\x1b[")
            assert "\x1b" not in text
            for line in coloured.splitlines():
                assert line.count("\x1b[") % 2 == 0


def test_the_end_is_told() -> None:
    thrown_in = red("standard", "W", "pass, pass, pass, pass")
    assert "thrown in: NS +0 EW +0" in ansi(thrown_in)
    assert written("thrown in")[1] in words_of(picture(thrown_in))
    deals = {record: ansi(record) for record in recorded_deals() if record.points is not None}
    for record, text in deals.items():
        ns, ew = record.points
        assert f"NS {ns:+d} EW {ew:+d}" in text
        if record.points != (0, 0):
            assert written(f"{ns:+d}" if ns else "0")[1] in words_of(picture(record))
    over = table_after("standard", "W", RED, "TS", "pass, pass, pass, pass", score=(9, 0))
    assert "win the game" not in ansi(over)
    won = next(r for r in deals if r.points and max(r.points) >= 5 and r.rules.target == 10)
    text = ansi(parse_record({**as_written(won), "score": [9, 9]}))
    assert re.search(r"(NS|EW) win the game", text)


def as_written(record: Any) -> dict[str, Any]:
    return json.loads(record_text(record)) | {"points": None}


@pytest.mark.parametrize(
    ("actions", "status"),
    [
        ("", "North to bid"),
        ("bid 3, pass", "South to bid"),
        ("bid 3, pass, bid 6", "South names trump"),
        ("bid 3, pass, bid 6, trump C", "South discards"),
        ("bid 3, pass, bid 6, trump C, TS", "South alone or not"),
        ("bid 3, pass, bid 6, trump C, TS, alone", "West alone or not"),
        ("bid 3, pass, bid 6, trump C, TS, alone, with partner", "East alone or not"),
        ("bid 3, pass, bid 6, trump C, TS, with partner", "North to lead"),
        ("bid 3, pass, bid 6, trump C, TS, with partner, AC", "East to play"),
        ("pass, pass, pass, pass", "deal over"),
    ],
)
def test_it_is_said_who_is_to_do_what(actions: str, status: str) -> None:
    for record in (table := red("standard", "W", actions), view_of(table, 1)):
        assert ansi(record).splitlines()[2] == status
        assert written(status)[1] in words_of(picture(record)).split(" | ")
        assert ElementTree.fromstring(picture(record)).attrib["aria-label"] == f"Card table, {status}"


def test_hands_lie_as_players_hold_them() -> None:
    """Joker and bowers first, then the other trumps, then the suits with the colours in turn."""

    def laid(cards: str, trump: int) -> str:
        numbers = sum(1 << CARD_TEXT.index(card) for card in cards.split())
        return " ".join(card_text(card) for card in sorted_hand(numbers, trump))

    assert laid("9H JD AH Jo JH 9D AC TS", 2) == "Jo JH JD AH 9H AC 9D TS"
    assert laid("JC JS AS AC AD KH 9S", 3) == "JS JC AS 9S AD AC KH"
    assert laid("JC JS AS Jo AD KH TC", 4) == "Jo AS JS KH JC TC AD"


# ---- where things are ---------------------------------------------------------------------------


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


# ---- drawings stand by themselves ---------------------------------------------------------------


def all_drawings() -> list[str]:
    table = mixed("house", "N", "bid 2")
    loners = red({"bidding": "pepper", "target": 1000}, "S", LONERS, score=(-1_000_000, 999))
    deals = recorded_deals()
    drawings = [picture(table), picture(view_of(table, 1), dark=True), picture(loners, dark=False)]
    drawings += [picture(deal) for deal in deals[::5]] + [deal_picture(deal) for deal in deals[::5]]
    drawings += [deal_picture(table, dark=True), deal_picture(loners)]
    return drawings + [card_svg(card) for card in range(N_CARDS)] + [card_back_svg()]


def test_every_drawing_is_xml_and_asks_for_nothing_from_outside() -> None:
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


def stands_alone(page: str) -> None:
    page = page.replace('xmlns="http://www.w3.org/2000/svg"', "")
    for outside in ("http", "//", "url(", "@import", "src=", "data:", "<image", "<text", "font-family"):
        assert outside not in page
    assert all(link.startswith("#") for link in re.findall(r'href="([^"]*)"', page))


def test_drawings_on_one_page_do_not_clash() -> None:
    seen: set[str] = set()
    drawings = list(dict.fromkeys(svg for svg in all_drawings() if "id=" in svg))
    for svg in drawings:
        ids = set(re.findall(r'id="([^"]+)"', svg))
        assert ids
        assert not ids & seen
        seen |= ids


def test_light_dark_and_as_the_reader_likes_it() -> None:
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


def test_the_record_shows_itself_in_a_notebook() -> None:
    table = red("standard", "W", SPADES_LED)
    assert table._repr_svg_() == picture(table)
    view = view_of(table, 3)
    assert view._repr_svg_() == picture(view, bottom=3)
    assert picture(table)._repr_svg_() == picture(table)
    assert type(picture(table)._repr_svg_()) is str
    assert deal_slider(table)._repr_html_().startswith("<div")
    record = record_of(table)
    assert str(record._repr_html_()).startswith("<div")
    assert replace(record, actions=(*record.actions, 0), points=None)._repr_html_() is None


def test_a_picture_scales() -> None:
    table = red("standard", "W", SPADES_LED)
    for width in (400, 760.5, np.int64(1200)):
        root = ElementTree.fromstring(picture(table, width=width))
        assert root.attrib["viewBox"] == f"0 0 {WIDTH} {HEIGHT}"
        assert float(root.attrib["width"]) == float(width)


def test_a_table_without_cards_can_be_shown() -> None:
    for name in PRESETS:
        empty = new_tables(1, get_rules(name))[0]
        assert titles(picture(empty)) == {}
        assert "nothing is dealt yet" in ansi(empty)
    picture(np.zeros(1, VIEW)[0])
    ansi(np.zeros(1, TABLE)[0])


# ---- cards --------------------------------------------------------------------------------------


def test_every_card_looks_different_even_without_colour() -> None:
    drawn = [card_svg(card) for card in range(N_CARDS)]
    shapes = {
        re.sub(r"#[0-9a-f]{3,6}|<title>.*?</title>|aria-label=\"[^\"]*\"", "", svg) for svg in drawn
    }
    assert len(shapes) == N_CARDS
    assert len(set(SUIT_PATHS)) == 4
    pips = [svg.count(SUIT_PATHS[0]) for svg in drawn[:6]]
    assert pips[:2] == [9 + 2, 10 + 2]
    assert pips[5] == 1 + 2


def test_a_card_says_its_name() -> None:
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
def test_what_is_no_card_is_refused(card: Any) -> None:
    with pytest.raises(ValueError, match="is not the number of a card, 0 to 24"):
        card_svg(card)
    with pytest.raises(ValueError, match="is not the number of a card, 0 to 24"):
        card_symbols(cards=[card])


# ---- letters ------------------------------------------------------------------------------------


def test_letters_stand_side_by_side() -> None:
    width, path = written("AB")
    assert width == GLYPHS["A"][0] + GAP + GLYPHS["B"][0]
    assert path.startswith(written("A")[1])
    assert written("ab") == written("AB")
    assert written("") == (0, "")
    assert len({glyph for _, glyph in GLYPHS.values()}) == len(GLYPHS)
    with pytest.raises(ValueError, match="no glyph"):
        written("50 ~")


# ---- whole deals --------------------------------------------------------------------------------


def test_a_deal_on_one_sheet_has_every_card_dealt_and_every_card_played() -> None:
    for record in recorded_deals():
        shown = titles(deal_picture(record))
        expected = Counter(card_text(card) for hand in record.hands for card in hand)
        expected[card_text(record.widow)] += 1
        acts = [a for a in record.actions if a < N_CARDS]  # the discard and the cards played
        expected.update(card_text(card) for card in acts)
        assert shown == expected
        assert deal_picture(record) == deal_picture(list(record_positions(record))[-1])


def test_the_sheet_tells_leader_winner_and_result() -> None:
    record = next(r for r in recorded_deals() if r.rules.hand_size == 6 and len(r.actions) > 30)
    svg = deal_picture(record, dark=False)
    assert words_of(svg).count(written("led")[1]) == 6
    end = list(record_positions(record))[-1]
    winners = Counter(trick.winner & 1 for trick in scene_of(end).tricks)
    assert [winners[0], winners[1]] == list(end.tricks)


class Page(HTMLParser):
    """The ids, the links and the steps of a page, and how its tags are nested."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.steps: list[int] = []
        self.visible: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if "href" in given else []
        for part in ("data-step", "data-still", "data-controls"):
            if part in given and "display:none" not in given.get("style", ""):
                self.visible.append(part)
        if "data-step" in given:
            self.steps.append(int(given["data-step"]))
        if tag != "input":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.open = self.open[:-1] if tag != "input" else self.open

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("place", [0, 3, -1])
def test_a_slider_has_every_step(place: int) -> None:
    record = recorded_deals()[place]
    html = deal_slider(record, start=-1)
    page = Page(html)
    assert page.steps == list(range(len(record.actions) + 1))
    assert page.visible == ["data-still"]  # without scripts the deal stands there on one sheet
    assert len(page.ids) == len(set(page.ids))
    assert all(link[1:] in page.ids for link in page.links)
    stands_alone(html)
    captions = re.findall(r"<p [^>]*>(.*?)</p>", html)
    for action, caption in zip(record.actions, captions[1:], strict=True):
        assert caption.endswith(ACTION_TEXT[action])
    drawn = re.findall(r'<div data-step="\d+" style="display:none">(<svg.*?</svg>)', html)
    for svg, table in zip(drawn, record_positions(record), strict=True):
        assert titles(svg) == titles(picture(table))


def test_the_sliders_script_finds_what_it_looks_for() -> None:
    html = deal_slider(recorded_deals()[0], start=2)
    markup, script = html.split("<script>")
    root = re.findall(r'getElementById\("(\w+)"\)', script)
    assert root == re.findall(r'^<div id="(\w+)"', markup)
    wanted = re.findall(r'querySelector(?:All)?\("\[?([\w-]+)\]?"\)', script)
    assert sorted(wanted) == ["button", "data-controls", "data-step", "data-still", "input"]
    assert all(re.search(rf"<(\w+ )?{name}\b", markup) for name in wanted)
    assert "show(2);" in script


def test_sliders_on_one_page_do_not_clash() -> None:
    record = recorded_deals()[0]
    one, two = Page(deal_slider(record)), Page(deal_slider(record))
    assert not set(one.ids) & set(two.ids)


# ---- pixels -------------------------------------------------------------------------------------


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
def test_without_the_packages_for_pixels_it_is_said_how_to_get_them(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match="pip install resvg-py pillow"):
        pixels(red("standard", "W"))


# ---- what is refused ----------------------------------------------------------------------------


def test_bad_requests_are_refused_in_one_sentence() -> None:
    table = red("standard", "W")
    for draw in (picture, ansi, pixels):
        for thing in (None, 5, "table", np.zeros(1, TABLE), np.zeros(3, VIEW)):
            with pytest.raises(TypeError, match="a drawing is made of a Table, a View or a Record"):
                draw(thing)
    for seat in (-1, 4, "X", "NS", 1.0, True):
        with pytest.raises(ValueError, match="neither 0 to 3 nor N, E, S or W"):
            picture(table, bottom=seat)
        with pytest.raises(ValueError, match="neither 0 to 3 nor N, E, S or W"):
            deal_slider(table, bottom=seat)
    for width in (0, -5, "wide", None, True, float("nan")):
        for sheet in (picture, deal_picture, deal_slider):
            with pytest.raises(ValueError, match="is not a number of pixels above 0"):
                sheet(table, width=width)
        with pytest.raises(ValueError, match="width="):
            pixels(table, width=width)
    with pytest.raises(ValueError, match="dark='yes' is not one of"):
        picture(table, dark="yes")
    for start in (1, -2, 0.5, True):
        with pytest.raises(ValueError, match="is not one of the steps 0 to 0"):
            deal_slider(table, start=start)
    for sheet in (deal_picture, deal_slider):
        with pytest.raises(TypeError, match="whole Table"):
            sheet(view_of(table, 0))
    broken = parse_record({**as_written(record_of(table)), "actions": ["pass", "bid 1", "bid 1"]})
    for draw in (picture, ansi, deal_picture, deal_slider):
        with pytest.raises(RecordError, match="R5"):
            draw(broken)
    assert may(table).startswith("pass")
