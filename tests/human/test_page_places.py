"""The page in a real browser: everything keeps its place, and nothing covers anything at any size."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from browser import COVERED, DESK, MISSING, PLACES, SHIFTS, Person, game_of
from hpenv.rules import get_rules
from web_tab import served

pytestmark = pytest.mark.skipif(bool(MISSING), reason="no browser: " + " and ".join(MISSING))

SIZES = [(1280, 800), (1024, 600), (390, 844), (844, 390), (1920, 1080), (2560, 1440)]


def test_nothing_moves_while_deals_are_played(at_the_page: Callable[..., Person]) -> None:
    """Names, panels, the middle and the hand stand where they stood, from the first call on; the
    browser itself counts a shift of less than 0.02."""
    game = game_of(3, target=3, max_deals=3)
    with served(game) as tab:
        person = at_the_page(tab)
        person.page.evaluate(SHIFTS)
        places = person.page.evaluate(PLACES)
        while not game.is_over:
            if game.deal_is_over:
                person.change(lambda: person.press("n"))
            else:
                person.choose(person.offered()[-1])
            assert person.page.evaluate(PLACES) == places
        assert person.page.evaluate("shifted") < 0.02


def test_every_phase_fits_every_window(at_the_page: Callable[..., Person]) -> None:
    """No scrollbar, and no name, call or card is covered or cut off."""
    rules = get_rules("house").differences() | {"target": 2}
    game = game_of(3, practice=True, **rules)
    with served(game) as tab:
        person = at_the_page(tab)

        def look() -> None:
            for width, height in SIZES:
                person.page.set_viewport_size({"width": width, "height": height})
                assert person.page.evaluate(COVERED) == [], (width, height)
            person.page.set_viewport_size(DESK)

        look()
        while not game.is_over:
            if game.deal_is_over:
                look()
                person.change(lambda: person.press("n"))
                continue
            person.choose(person.offered()[-1])
            if not game.view.tricks_played or game.view.cards_in_trick == 3:
                look()
        look()


def test_cards_grow_with_the_window(at_the_page: Callable[..., Person]) -> None:
    with served(game_of(3)) as tab:
        person = at_the_page(tab)
        widths = []
        for width, height in ((1280, 800), (1920, 1080), (2560, 1440)):
            person.page.set_viewport_size({"width": width, "height": height})
            widths.append(person.page.query_selector(".held-card").bounding_box()["width"])
        assert widths[0] * 1.25 < widths[1]
        assert widths[1] * 1.25 < widths[2]
