"""The moving picture of the README: a deal at the page, with a hint and its analysis.

    python tests/support/film.py notebooks/images/deal.gif     (make film)

It needs Chromium and its driver, as the tests of the page do. The person plays as rule_based would.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

from PIL import Image

from browser import ARGS, CHROMIUM, MISSING, Person
from hpenv.actions import ACTION_TEXT
from hpenv.agents.agent import make_agent
from hpenv.agents.human.game import Game
from hpenv.agents.opinion import opinion_of
from web_tab import served

SEED, SOUTH = 393, 2
WINDOW, SHOWN = {"width": 1120, "height": 700}, (800, 500)
TURN, TRICK, READ = 900, 800, 2800  # milliseconds


class Film:
    """Pictures of a page, each with the time that it is shown."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.pictures: list[Image.Image] = []
        self.times: list[int] = []

    def take(self, milliseconds: int) -> None:
        self.page.wait_for_timeout(400)  # cards have come to rest
        seen = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        small = seen.resize(SHOWN, Image.Resampling.LANCZOS)
        self.pictures.append(small.quantize(96, dither=Image.Dither.NONE))
        self.times.append(milliseconds)

    def write(self, path: Path) -> None:
        first, *more = self.pictures
        first.save(path, save_all=True, append_images=more, duration=self.times, loop=0, optimize=True)


def shoot(person: Person, film: Film) -> None:
    """One deal: a hint first, every trick, the result, the analysis, and the moment of the worst."""
    adviser, game = make_agent("rule_based"), person.game
    person.press("h")
    person.page.wait_for_selector("#hint table")
    film.take(READ)
    while not game.deal_is_over:
        action = ACTION_TEXT[opinion_of(adviser, game.view).action]
        film.take(TURN)
        before = person.session.position
        person.click(f'[data-action="{action}"]')
        while person.session.position == before:
            person.page.wait_for_timeout(20)
        with person.session._changing:
            position = person.session.position
        ready = f'body[data-position="{position}"]:not(.busy)'
        while True:
            person.page.wait_for_selector(f"{ready}, #status:has-text('won the trick')")
            if person.page.query_selector(ready):
                break
            film.take(TRICK)
            person.press("Escape")
    film.take(READ)
    person.press("a")
    person.page.wait_for_selector("#analysis-body .moment")
    film.take(READ)
    person.click("#analysis-body .moment")
    film.take(READ)


def main(path: Path) -> None:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    if MISSING:
        raise SystemExit(f"film: {' and '.join(MISSING)}")
    game = Game("standard", SEED, SOUTH, "rule_based", practice=True)
    with sync_playwright() as driver, served(game, ("learned", "pimc")) as tab:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        context = browser.new_context(viewport=WINDOW)
        context.set_default_timeout(120_000)
        context.add_init_script("localStorage.setItem('pace', 'click')")
        person = Person(tab, context.new_page()).open()
        film = Film(person.page)
        shoot(person, film)
        film.write(path)
        browser.close()
    print(f"{path}: {len(film.pictures)} pictures, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
