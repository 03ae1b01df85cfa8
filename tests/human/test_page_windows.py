"""The page in a real browser: hint, undo, replay and a new game."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from browser import (
    MISSING,
    Person,
    game_of,
)
from hpenv.actions import N_ACTIONS
from hpenv.agents import agent as agents_by_name
from hpenv.agents.human.offers import OPPONENTS
from hpenv.agents.human.saved_game import as_json
from hpenv.agents.human.words import PRESET_WORDS
from hpenv.agents.opinion import Opinion
from hpenv.cards import set_cards
from hpenv.rules import get_rules
from web_tab import Kept, served

pytestmark = pytest.mark.skipif(bool(MISSING), reason="no browser: " + " and ".join(MISSING))


@pytest.fixture
def knowing(monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent that says what it expects: one point more for each legal action."""

    def opinion(view: Any, stream: Any) -> Opinion:
        legal = set_cards(int(view.legal))
        shares, points = np.zeros(N_ACTIONS), np.full(N_ACTIONS, np.nan)
        for i, action in enumerate(legal):
            shares[action], points[action] = (0.75, 0.25, *[0] * 9)[i], i - 1.5
        note = "too close to call: <b>bid 6</b> is ahead by 2.50 points"
        return Opinion(legal[0], shares, points, np.full(N_ACTIONS, 0.5), worlds=12, note=note)

    agent = SimpleNamespace(name="knowing", opinion=opinion)
    made = SimpleNamespace(make=lambda name, options: agent)
    monkeypatch.setitem(sys.modules, "agents.knowing", made)  # type: ignore[arg-type]
    monkeypatch.setitem(agents_by_name.AGENTS, "knowing", "agents.knowing")


def test_a_hint_has_every_legal_action_with_its_bar(
    at_the_page: Callable[..., Person], knowing: None
) -> None:
    with served(game_of(4), ("knowing", "rule_based")) as tab:
        person = at_the_page(tab).press("h")
        person.page.wait_for_selector("#hint table")
        shown = person.text("#hint")
        assert "too close to call: <b>bid 6</b> is ahead by 2.50 points" in shown
        assert len(person.page.query_selector_all("#hint .note")) == 1  # rule_based has no note
        assert "knowing looked at 12 worlds" in shown
        heads = [head.inner_text() for head in person.page.query_selector_all("#hint thead th")]
        assert heads == ["", "knowing", "rule_based", "action", "likely", "points", "likely"]
        assert person.page.is_visible("#hint thead")
        rows = person.page.query_selector_all("#hint tbody tr")
        assert len(rows) == len(tab.state()["legal"])
        row = {cells[0]: cells[1:] for cells in (each.inner_text().split("\t") for each in rows)}
        assert row["pass"][:2] == ["75 %", "\u22121.5"]
        assert "knowing would choose pass" in person.page.text_content("#events")
        best = person.page.query_selector_all("#hint .best")
        assert [cell.inner_text() for cell in best[:2]] == ["75 %", "\u22121.5"]
        person.choose("pass")
        assert not person.page.is_visible("#hint")


def test_undo_and_replay_in_practice(at_the_page: Callable[..., Person]) -> None:
    rng, game = random.Random(4), game_of(4, practice=True)
    with served(game) as tab:
        person, before = at_the_page(tab), as_json(game)
        person.choose(person.offered()[-1])
        person.change(lambda: person.press("u"))
        assert as_json(game) == before
        while not game.deal_is_over:
            person.choose(rng.choice(person.offered()))
        assert len(person.page.query_selector_all(".held.open .laid")) == 18  # the other three hands
        assert len(person.page.query_selector_all("#hand .held-card")) == 6
        assert len(person.page.query_selector_all("#face-down [aria-label='a card face down']")) == 0
        length = int(game.view.history_length)
        result = person.text(".result")
        person.click("#ending [data-do=replay]")
        person.page.wait_for_selector("#step")
        assert "The cards are dealt" in person.text("#status")
        assert len(person.page.query_selector_all(".held .laid")) == 18
        person.press("ArrowRight")
        assert person.text("#count") == f"1 of {length}"
        person.click("[data-do=step-on]")
        assert person.text("#count") == f"2 of {length}"
        person.page.focus("#step")
        person.press("End")
        assert person.text("#count") == f"{length} of {length}"
        person.press("Escape")
        assert person.text(".result") == result
        person.change(lambda: person.click("#b-undo"))
        assert not game.deal_is_over


def test_a_new_game_from_the_window(at_the_page: Callable[..., Person], tmp_path: Path) -> None:
    new = Kept(tmp_path / "new.json")
    with served(game_of(), begin=lambda game: new) as tab:
        person = at_the_page(tab).click("#b-new")
        page = person.page
        page.select_option("[name=seat]", "W")
        page.select_option("[name=preset]", "pepper")
        assert person.text("#preset-words") == PRESET_WORDS["pepper"]
        page.select_option("[name=partner]", "rule_based")
        page.select_option("[name=opponents]", "sensible_random")
        assert person.text("#opponents-words") == OPPONENTS[0].words
        page.click("#more summary")
        page.fill("[name=N]", "nobody at all")
        page.fill("[name=S]", "uniform")
        page.fill("[name=target]", "3")
        page.fill("[name=seed]", "11")
        page.check("[name=practice]")
        person.click("#new [data-do=begin]")
        page.wait_for_selector("#new-error:not(:empty)")
        assert "no agent 'nobody at all'" in person.text("#new-error")
        page.fill("[name=N]", "")
        person.change(lambda: person.press("Enter"))
        game = tab.session.game
        assert game.rules == get_rules({"bidding": "pepper", "target": 3})
        assert (game.seat, game.seed, game.practice) == (3, 11, True)
        assert game.agents == ("sensible_random", "rule_based", "uniform", None)
        assert person.text("#about").startswith("West is your seat \u00b7 pepper \u00b7 practice")
        person.press("?").click("[data-do=save]")
        page.wait_for_selector("#help-note:not(:empty)")
        assert person.text("#help-note") == f"kept in {new.path}"


def test_the_page_says_while_hints_are_getting_ready(at_the_page: Callable[..., Person]) -> None:
    with served(game_of()) as tab:
        tab.session.advisers.is_ready = False
        tab.session._publish()
        person = at_the_page(tab)
        assert "hints are getting ready" in person.text("#about")
        tab.session.advisers.get_ready()
        person.page.wait_for_selector("#about:not(:has-text('getting ready'))")
