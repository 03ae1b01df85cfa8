"""The page in a real browser: finished tricks, the score sheet, and what each choice lost."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from browser import MISSING, Person, game_of
from hpenv.agents.human.game import Game
from hpenv.cards import CARD_TEXT
from hpenv.history import tricks_of
from web_tab import Tab, served

pytestmark = pytest.mark.skipif(bool(MISSING), reason="no browser: " + " and ".join(MISSING))


def played(tab: Tab, game: Game, seed: int) -> None:
    """A deal played at random, to its end."""
    rng = random.Random(seed)
    while not game.deal_is_over:
        tab.act(rng.choice(tab.state()["legal"]))


def looked_at(person: Person) -> tuple[str, list[str]]:
    cards = person.page.query_selector_all("#before .laid use")
    return person.text("#before h2"), [use.get_attribute("href")[len("#card-") :] for use in cards]


def test_the_last_trick_and_every_one_before_it_can_be_looked_at(
    at_the_page: Callable[..., Person],
) -> None:
    game = game_of(4)
    with served(game) as tab:
        played(tab, game, 4)
        tricks = tricks_of(game.view)
        person = at_the_page(tab)
        heads = []
        for trick in [*reversed(tricks), tricks[-1]]:
            head, cards = looked_at(person)
            assert head.lower().startswith(f"trick {trick.number} to ")
            assert cards == [CARD_TEXT[card] for _, card in trick.cards]
            heads.append(head)
            person.press("t")
        assert heads[0] == heads[-1]
        person.click("#before [data-trick='2']")
        assert looked_at(person)[0] == heads[-3]


def test_the_analysis_of_a_practice_deal_leads_to_the_moment(
    at_the_page: Callable[..., Person],
) -> None:
    game = game_of(4, practice=True)
    with served(game) as tab:
        played(tab, game, 4)
        facts = tab.ask("GET", "analysis?deal=1")[1]
        person = at_the_page(tab).press("a")
        page = person.page
        page.wait_for_selector("#analysis-body .moment")
        moments = page.query_selector_all("#analysis-body .moment")
        assert len(moments) == len(facts["worst"]) == 3
        by_place = {choice["at"]: choice for choice in facts["choices"]}
        worst = by_place[facts["worst"][0]]
        assert worst["words"] in moments[0].inner_text()
        assert f"better: {worst['best_words']}" in moments[0].inner_text()
        moments[0].click()
        page.wait_for_selector("#step")
        assert page.input_value("#step") == str(worst["at"])
        assert person.text("#status").startswith(f"{worst['words']}: \u2212")
        for look, action in (("did", worst["action"]), ("better", worst["best_known"])):
            marked = page.query_selector_all(f".{look}[data-card]")
            names = [element.get_attribute("data-card") for element in marked]
            assert names == ([action] if action in CARD_TEXT else [])
        person.press("Escape")
        assert page.is_visible(".result")
        person.change(lambda: person.press("u"))  # the deal ends otherwise: what was said of it is gone
        played(tab, game, 5)
        person.ready().press("r")
        page.wait_for_selector("#step")
        page.fill("#step", str(worst["at"]))
        assert "better" not in person.text("#status")


def test_the_score_sheet_has_every_deal_and_the_records(at_the_page: Callable[..., Person]) -> None:
    game = game_of(4, practice=True)
    with served(game) as tab:
        played(tab, game, 4)
        line = tab.state()["sheet"][0]
        person = at_the_page(tab).press("s")
        row = person.text("#sheet tbody tr")
        assert line["bid"] in row
        assert ("made" if line["made"] else "set") in row
        with person.page.expect_download() as download:
            person.click("#sheet [data-do=records]")
        with open(download.value.path(), encoding="utf-8") as file:
            assert len(file.readlines()) == 1
        person.click("#sheet [data-do=analysis]")
        person.page.wait_for_selector("#analysis-body h3")


def test_a_trick_stays_until_a_click_if_so_wished(at_the_page: Callable[..., Person]) -> None:
    game = game_of(3)
    with served(game) as tab:
        while not game.view.tricks_played and not game.deal_is_over:
            before = game.view.copy()
            if before.cards_in_trick:
                break
            tab.act(tab.state()["legal"][0])
        person = at_the_page(tab, pace="click")
        person.click("#hand .may")
        person.page.wait_for_selector("#status:has-text('won the trick')")
        person.page.wait_for_timeout(2500)
        assert "won the trick" in person.text("#status")
        assert len(person.page.query_selector_all("#laid .laid")) >= 2
        person.press("Escape")
        assert "won the trick" not in person.text("#status")
