"""The page in a real browser: deals with the mouse, the keyboard, and in small windows."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from browser import (
    BUTTONS,
    MISSING,
    PHONE,
    SEEN,
    TABLET,
    TURNED,
    Person,
    game_of,
)
from hpenv.agents.human.saved_game import as_json
from hpenv.cards import CARD_TEXT, set_cards
from hpenv.rules import get_rules
from web_tab import cards_in, known_cards, served

pytestmark = pytest.mark.skipif(bool(MISSING), reason="no browser: " + " and ".join(MISSING))


def test_a_game_with_the_mouse_and_no_hidden_card_in_the_page(
    at_the_page: Callable[..., Person],
) -> None:
    """The first deal is searched for hidden cards after every click; the game goes on to its end."""
    rng, game = random.Random(1), game_of(target=1, max_deals=9, bidding="pepper")
    with served(game) as tab:
        person = at_the_page(tab)
        while not game.deal_is_over:
            offered = person.offered()
            assert sorted(offered) == sorted(tab.state()["legal"])
            person.choose(rng.choice(offered))
            seen = cards_in(person.page.evaluate(SEEN).encode())
            assert seen <= known_cards(game), game.so_far
            assert seen >= {CARD_TEXT[card] for card in set_cards(int(game.view.hand))}
        while not game.is_over:
            if game.deal_is_over:
                for line in game.result.split("\n"):
                    assert line in person.text(".result")
                person.change(lambda: person.click("#ending [data-do=next]"))
            else:
                person.choose(rng.choice(person.offered()))
        assert "win the game" in person.text(".result .ending")
        person.click("#ending [data-do=open-new]")
        assert person.page.is_visible("#new")


def test_a_game_with_the_keyboard(at_the_page: Callable[..., Person]) -> None:
    """Digits, or arrows and Enter, in turn; nothing else is touched."""
    rng, game = random.Random(2), game_of(3, target=1, max_deals=6)
    with served(game) as tab:
        person, turn = at_the_page(tab), 0
        while not game.is_over:
            if game.deal_is_over:
                person.change(lambda: person.press("n"))
                continue
            turn += 1
            choice = rng.choice(tab.state()["choices"])
            if turn % 2:
                person.change(lambda key=choice["key"]: person.press(key))
                continue
            for _ in range(20):
                person.press("ArrowRight")
                focused = person.page.evaluate("document.activeElement.dataset.action")
                if focused == choice["action"]:
                    break
                if focused not in person.offered():
                    continue
                if (focused in CARD_TEXT) != (choice["action"] in CARD_TEXT):
                    person.press("ArrowDown")
            outline = "getComputedStyle(document.activeElement).outlineStyle"
            assert person.page.evaluate(outline) == "solid"
            person.change(lambda: person.press("Enter"))
            assert person.page.evaluate("document.activeElement !== document.body")
        assert game.so_far[-1].points
        heard = person.page.text_content("#events")
        assert game.result.split("\n")[-1] in heard
        assert "won the trick" in heard


def test_keys_that_choose_nothing(at_the_page: Callable[..., Person]) -> None:
    with served(game_of()) as tab:
        person = at_the_page(tab).press("9")
        assert "There is no choice 9 here" in person.text("#error")
        for key, row in (("Left", "choices"), ("Down", "hand"), ("Up", "choices"), ("Up", "hand")):
            person.press(f"Arrow{key}")
            assert person.page.evaluate("document.activeElement.parentElement.id") == row
        person.press("?")
        assert person.page.is_visible("#help")
        person.press("1", "Escape")
        assert not person.page.is_visible("#help")
        assert person.ready().session.position == tab.session.position


def test_clicking_an_illegal_card_says_what_to_follow(at_the_page: Callable[..., Person]) -> None:
    rng = random.Random(1)
    game = game_of(5)
    with served(game) as tab:
        while not (game.view.cards_in_trick and int(game.view.hand) & ~int(game.view.legal)):
            if game.deal_is_over:
                tab.at("next")
            else:
                tab.act(rng.choice(tab.state()["legal"]))
        person = at_the_page(tab)
        card = set_cards(int(game.view.hand) & ~int(game.view.legal))[0]
        before = as_json(game)
        person.click(f'#hand .not[data-action="{CARD_TEXT[card]}"]')
        person.page.wait_for_selector("#error:visible")
        led = ("clubs", "diamonds", "hearts", "spades")[game.view.led_suit]
        assert person.text("#error") == f"You must follow {led}."
        assert as_json(game) == before
        person.choose(person.offered()[0])
        assert not person.page.is_visible("#error")


def reachable(person: Person) -> None:
    """Nothing is wider than the window, and every button can be clicked in its middle."""
    page = person.page
    width = page.viewport_size["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    buttons = page.evaluate(BUTTONS)
    assert buttons
    for name, left, right, is_hit in buttons:
        assert name
        assert left >= 0, name
        assert right <= width, name
        assert is_hit, f"{name} is covered"
    page.evaluate("scrollTo(0, 0)")


@pytest.mark.parametrize("window", [PHONE, TABLET, TURNED], ids=["phone", "tablet", "turned"])
def test_every_button_is_reached_in_a_small_window(
    at_the_page: Callable[..., Person], window: dict[str, int]
) -> None:
    rules = get_rules("house").differences() | {"max_deals": 3}
    game = game_of(3, practice=True, agents="uniform", **rules)
    with served(game) as tab:
        person = at_the_page(tab, viewport=window, has_touch=True, color_scheme="dark")
        for wanted in ("big pepper", "trump S"):
            reachable(person)
            person.choose(wanted)
        assert len(person.offered()) == 7  # one of them is the widow
        while not game.deal_is_over:
            reachable(person)
            person.choose("alone" if "alone" in person.offered() else person.offered()[0])
        reachable(person)
        for key, shown in (("g", "#new"), ("?", "#help"), ("r", "#step")):
            person.press(key)
            person.page.wait_for_selector(shown)
            reachable(person)
            person.press("Escape")
        person.change(lambda: person.click("#ending [data-do=next]"))
        reachable(person)
