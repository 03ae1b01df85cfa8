"""The picture and the text of a table show the same facts."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest

from drawings import (
    SPADES_LED,
    as_written,
    recorded_deals,
    some_positions,
    words_of,
)
from hpenv.actions import ACTION_TEXT, ALONE, BIG_PEPPER, FACE_DOWN, PASS, TRUMP
from hpenv.cards import CARD_TEXT, SUIT_NAMES, card_text
from hpenv.drawing.ansi import HIDDEN_CARD, text_picture
from hpenv.drawing.glyphs import written
from hpenv.drawing.scene import sorted_hand
from hpenv.drawing.table import picture
from hpenv.notation import parse_record
from hpenv.rulebook import DEAL_OVER
from hpenv.seats import SEAT_NAMES
from hpenv.view import view_of
from random_deals import RULES
from table_talk import RED, red, table_after


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


@pytest.mark.parametrize("name", RULES)
def test_picture_and_text_say_the_same(name: str) -> None:
    for table in some_positions(name, 1, 4):
        drawn, text = words_of(picture(table)), text_picture(table)
        for fact in facts(table):
            assert written(fact)[1] in drawn, f"{fact}\n{table}"
            assert fact.lower() in text.lower(), f"{fact}\n{text}"
        for side in range(2):
            assert written(str(table.score[side]))[1] in drawn
            assert f"{('NS', 'EW')[side]} {table.score[side]}" in text


def test_the_text_of_a_table() -> None:
    assert text_picture(red("standard", "W", SPADES_LED)).splitlines() == [
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


def test_the_text_of_a_view_hides_the_other_hands() -> None:
    text = text_picture(view_of(red("standard", "W", SPADES_LED), 1))
    assert "widow ##, discard ##" in text.replace(" (taken by North)", "")
    assert "TC 9C KD 9S" in text
    assert text.count(HIDDEN_CARD) == 4 + 5 + 5 + 2


@pytest.mark.parametrize("name", RULES)
def test_the_text_fits_a_terminal_and_colour_changes_only_colours(name: str) -> None:
    for table in some_positions(name, 2, 3):
        for record in (table, view_of(table, 2)):
            text = text_picture(record)
            assert max(map(len, text.splitlines())) <= 80, text
            assert text.isascii()
            coloured = text_picture(record, colour=True)
            assert re.sub(r"\x1b\[\d+m", "", coloured) == text
            assert coloured.count("\x1b[0m") * 2 == coloured.count("\x1b[")
            assert "\x1b" not in text
            for line in coloured.splitlines():
                assert line.count("\x1b[") % 2 == 0


def test_the_result_of_a_deal_is_shown() -> None:
    thrown_in = red("standard", "W", "pass, pass, pass, pass")
    assert "thrown in: NS +0 EW +0" in text_picture(thrown_in)
    assert written("thrown in")[1] in words_of(picture(thrown_in))
    deals = {record: text_picture(record) for record in recorded_deals() if record.points is not None}
    for record, text in deals.items():
        ns, ew = record.points
        assert f"NS {ns:+d} EW {ew:+d}" in text
        if record.points != (0, 0):
            assert written(f"{ns:+d}" if ns else "0")[1] in words_of(picture(record))
    over = table_after("standard", "W", RED, "TS", "pass, pass, pass, pass", score=(9, 0))
    assert "win the game" not in text_picture(over)
    won = next(r for r in deals if r.points and max(r.points) >= 5 and r.rules.target == 10)
    text = text_picture(parse_record({**as_written(won), "score": [9, 9]}))
    assert re.search(r"(NS|EW) win the game", text)


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
def test_the_status_names_the_seat_to_act_and_its_task(actions: str, status: str) -> None:
    for record in (table := red("standard", "W", actions), view_of(table, 1)):
        assert text_picture(record).splitlines()[2] == status
        assert written(status)[1] in words_of(picture(record)).split(" | ")
        assert ElementTree.fromstring(picture(record)).attrib["aria-label"] == f"Card table, {status}"


def test_hands_are_sorted_as_players_sort_them() -> None:
    """Joker and bowers first, then the other trumps, then the suits with the colours in turn."""

    def laid(cards: str, trump: int) -> str:
        numbers = sum(1 << CARD_TEXT.index(card) for card in cards.split())
        return " ".join(card_text(card) for card in sorted_hand(numbers, trump))

    assert laid("9H JD AH Jo JH 9D AC TS", 2) == "Jo JH JD AH 9H AC 9D TS"
    assert laid("JC JS AS AC AD KH 9S", 3) == "JS JC AS 9S AD AC KH"
    assert laid("JC JS AS Jo AD KH TC", 4) == "Jo AS JS KH JC TC AD"
