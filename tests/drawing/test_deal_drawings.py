"""A whole deal drawn on one sheet and step by step."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser

import pytest

from drawings import (
    recorded_deals,
    stands_alone,
    titles,
    words_of,
)
from hpenv.actions import ACTION_TEXT
from hpenv.cards import N_CARDS, card_text
from hpenv.drawing.deal import deal_picture, deal_slider
from hpenv.drawing.glyphs import written
from hpenv.drawing.scene import scene_of
from hpenv.drawing.table import picture
from hpenv.notation import positions as record_positions


def test_a_deal_on_one_sheet_has_every_card_dealt_and_every_card_played() -> None:
    for record in recorded_deals():
        shown = titles(deal_picture(record))
        expected = Counter(card_text(card) for hand in record.hands for card in hand)
        expected[card_text(record.widow)] += 1
        acts = [a for a in record.actions if a < N_CARDS]  # the discard and the cards played
        expected.update(card_text(card) for card in acts)
        assert shown == expected
        assert deal_picture(record) == deal_picture(list(record_positions(record))[-1])


def test_the_sheet_shows_leaders_winners_and_the_result() -> None:
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


def test_the_elements_that_the_script_of_the_slider_needs_exist() -> None:
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
