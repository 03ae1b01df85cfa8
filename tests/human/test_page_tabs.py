"""The page in a real browser: reloads, two tabs, the pace of the agents, a server that is gone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from browser import (
    MISSING,
    NOTED,
    SLOW,
    Person,
    game_of,
)
from hpenv.agents.human.keeper import Keeper
from hpenv.agents.human.saved_game import as_json, save
from hpenv.cards import set_cards
from hpenv.drawing.cards import card_name
from hpenv.seats import SEAT_NAMES
from web_tab import about_to_ask, served, slow_agents

pytestmark = pytest.mark.skipif(bool(MISSING), reason="no browser: " + " and ".join(MISSING))


def test_a_reload_keeps_the_game(at_the_page: Callable[..., Person]) -> None:
    with served(game_of()) as tab:
        person = at_the_page(tab)
        person.choose(person.offered()[0])
        shown, saved = person.text("main"), as_json(person.game)
        person.page.reload()
        person.ready()
        assert person.text("main") == shown
        assert as_json(person.game) == saved


def test_a_stale_click_in_a_second_tab_does_nothing_and_the_tabs_agree(
    at_the_page: Callable[..., Person],
) -> None:
    with served(game_of(4, agents="uniform")) as tab:
        first = at_the_page(tab)
        second = at_the_page(tab, second_to=first)
        old, errors = tab.session.position, []

        def hold(route: Any) -> None:  # the second tab does not hear of the change before its click
            if errors:
                route.continue_()
            else:
                route.fulfill(json={"position": old})

        second.page.on("response", lambda answer: answer.status == 409 and errors.append(answer))
        second.page.route("**/state*", hold)
        first.choose(first.offered()[0])
        saved = as_json(first.game)
        second.click("#choices [data-do=act]" if second.page.query_selector("#choices [data-do=act]")
                     else "#hand .may")  # fmt: skip
        second.page.wait_for_selector("#error:visible")
        assert second.text("#error").startswith("the game has gone on")
        assert as_json(first.game) == saved
        second.ready()
        for part in ("#contract", "#score", "#middle", "#status", "#hand", "#seat-0", "#seat-1"):
            assert second.text(part) == first.text(part)
        second.choose(second.offered()[0])
        assert first.ready().text("main") == second.text("main")


def test_agents_act_one_after_the_other_unless_skipped(at_the_page: Callable[..., Person]) -> None:
    with served(game_of(7)) as tab:
        person = at_the_page(tab, pace=SLOW)
        person.page.evaluate(NOTED)
        person.page.evaluate("document.querySelector('#pace').selectedOptions[0].value = 50")
        person.choose("pass")
        names = dict(zip("NESW", SEAT_NAMES, strict=True)) | {"S": "You"}
        expected = [
            f"{names[frame['won_by']]} won the trick" if frame["won_by"] else frame["words"]
            for frame in tab.state()["frames"]
        ]
        assert len(expected) > 2
        # On a busy machine the page may also have waited for an agent: "East to bid ..."
        noted = [line for line in person.page.evaluate("noted") if not line.endswith("\u2026")]
        assert noted == [*expected, tab.state()["prompt"]]
        person.page.evaluate("document.querySelector('#pace').selectedOptions[0].value = 1400")
        person.click(f'[data-action="{person.offered()[-1]}"]')
        person.page.wait_for_selector("body.busy")
        assert "Skip" in person.text("#status")
        assert not person.page.query_selector("#hand .may")
        person.press("Escape")
        assert not person.page.query_selector("body.busy")
        for event in person.ready().game.events:
            assert names["NESW"[event.seat]] in person.page.text_content("#events")


def test_the_page_follows_agents_that_think(
    at_the_page: Callable[..., Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every action is shown once, though sent more than once; an agent that fails is asked again."""
    slow = slow_agents(monkeypatch)
    slow.go.set()
    with served(about_to_ask("slow")) as tab:
        person = at_the_page(tab, pace=SLOW, bears="status of 500")
        person.page.evaluate("document.querySelector('#pace').selectedOptions[0].value = 50")
        person.page.evaluate(NOTED)
        slow.go.clear()
        person.click('[data-action="bid 1"]')
        status = '#status:has-text("{}")'
        person.page.wait_for_selector(status.format("West to bid"))
        assert not person.page.query_selector("#choices button")
        slow.go.set()
        person.page.wait_for_selector(status.format("Name the trumps"))
        assert person.page.evaluate("noted") == [
            "You bid 1",
            "West to bid \u2026",
            f"West passes. You take the widow: the {card_name(int(person.game.view.widow))}",
            "You have bid 1. Name the trumps.",
        ]
        person.choose("trump H").choose(person.offered()[0])
        slow.fails = True
        person.click('[data-action="with partner"]')
        person.page.wait_for_selector("#error:visible")
        assert "agent slow breaks rule" in person.text("#error")
        slow.fails = False
        person.change(lambda: person.click("#choices [data-do=next]"))
        assert person.offered()


def test_nothing_moves_for_readers_who_prefer_reduced_motion(
    at_the_page: Callable[..., Person],
) -> None:
    moving = """() => { const card = document.createElement("i"); card.className = "from1";
    document.body.append(card); return getComputedStyle(card).animationName; }"""
    with served(game_of()) as tab:
        assert at_the_page(tab).page.evaluate(moving) == "lay"
        assert at_the_page(tab, reduced_motion="reduce").page.evaluate(moving) == "none"


def test_the_page_says_when_the_server_is_gone(at_the_page: Callable[..., Person]) -> None:
    with served(game_of()) as tab:
        person = at_the_page(tab, bears="net::ERR_FAILED")
        person.page.route("**/act", lambda route: route.abort())
        person.page.route("**/state*", lambda route: route.abort())
        person.click("#choices [data-do=act]")
        person.page.wait_for_selector("#error:visible")
        assert "does not answer" in person.text("#error")
        person.page.unroute_all()
        person.page.wait_for_selector("#error", state="hidden")


def test_the_page_says_when_another_window_has_gone_on(
    at_the_page: Callable[..., Person], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    file = tmp_path / "game.json"
    save(game_of(), file)
    game, kept = Keeper.resumed(file)
    with served(game, kept=kept) as tab:
        person = at_the_page(tab)
        person.choose(person.offered()[0])
        assert not person.page.is_visible("#error")
        other, other_kept = Keeper.resumed(file)
        other.do(set_cards(int(other.view.legal))[0])
        other_kept.keep(other)
        person.choose(person.offered()[0])
        person.page.wait_for_selector("#error:visible")
        assert person.text("#error") == kept.notice
        assert kept.notice.startswith(f"another window has gone on with this game in {file}; ")
