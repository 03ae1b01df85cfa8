"""A person at the page in a real browser."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable
from typing import Any

from hpenv.agents.human.game import Game
from hpenv.rules import get_rules
from web_tab import Tab

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
MISSING = [
    *([] if CHROMIUM else ["Chromium is not installed (apt-get install chromium)"]),
    *([] if importlib.util.find_spec("playwright") else ["its driver is not (pip install playwright)"]),
]
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 360, "height": 640}
TABLET, TURNED = {"width": 800, "height": 600}, {"width": 640, "height": 360}
AT_ONCE, SLOW = 0, 1400  # pace: milliseconds that an agent's action is shown
SEEN = """() => { const page = document.documentElement.cloneNode(true);
for (const part of page.querySelectorAll(".store, script, style, #trumps")) part.remove();
return page.outerHTML; }"""
PLACES = """() => Object.fromEntries(["#contract", "#score", "#middle", "#hand", "#status",
"#face-down", "#before", "#seat-0 .plate", "#seat-1 .plate", "#seat-2 .plate", "#seat-3 .plate"
].map((part) => {
  const {x, y, width, height} = document.querySelector(part).getBoundingClientRect();
  return [part, [x + width / 2, y + height / 2].map(Math.round).join()]; }))"""
SHIFTS = """() => { window.shifted = 0; new PerformanceObserver((list) => {
for (const shift of list.getEntries()) window.shifted += shift.value;
}).observe({type: "layout-shift"}); }"""
COVERED = """() => {
const shown = (wanted) => [...document.querySelectorAll(wanted)].filter((part) =>
  part.checkVisibility({visibilityProperty: true})).map((part) => [part, part.getBoundingClientRect()]);
const named = (part) => `${part.className} ${part.textContent}`;
const wrong = [];
const seats = shown(".plate, .call, .dealer, .tag, .who");
const others = shown(".prompt, .panel, #laid .laid, .held-card, #choices button, .result, .row button");
for (const [part, box] of [...seats, ...others]) {
  if (box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1)
    wrong.push(`outside: ${named(part)}`);
}
for (const [part, box] of seats) for (const [other, its] of others) {
  const over = Math.min(box.right, its.right) - Math.max(box.left, its.left) > 1 &&
    Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top) > 1;
  if (over) wrong.push(`${named(part)} and ${named(other)}`);
}
const page = document.documentElement;
if (page.scrollWidth > innerWidth || page.scrollHeight > innerHeight) wrong.push("scrollbar");
return wrong; }"""
NOTED = """() => { window.noted = []; new MutationObserver(() => noted.push(
document.querySelector("#status .prompt").textContent)).observe(
document.querySelector("#status"), {childList: true}); }"""
BUTTONS = """() => [...document.querySelectorAll("button, select, input")].filter((button) =>
  button.checkVisibility({visibilityProperty: true}) &&
  button.closest("dialog") === document.querySelector("dialog[open]")
).map((button) => {
  button.scrollIntoView({block: "center"});
  const box = button.getBoundingClientRect();
  const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return [button.textContent || button.getAttribute("aria-label") || button.name, box.left, box.right,
    hit !== null && (button === hit || button.contains(hit))]; })"""


class Person:
    """Somebody at the page."""

    def __init__(self, tab: Tab, page: Any) -> None:
        self.tab, self.page, self.session = tab, page, tab.session

    @property
    def game(self) -> Game:
        return self.session.game

    def open(self) -> Person:
        self.page.goto(self.tab.server.address)
        return self.ready()

    def ready(self) -> Person:
        """Wait until the page shows the game as it is."""
        with self.session._changing:  # else agents might still be acting
            position = self.session.position
        at = f'body[data-position="{position}"]:not(.busy)'
        self.page.wait_for_selector(at)
        return self

    def click(self, selector: str) -> Person:
        self.page.click(selector)
        return self

    def press(self, *keys: str) -> Person:
        for key in keys:
            self.page.keyboard.press(key)
        return self

    def text(self, selector: str) -> str:
        return str(self.page.inner_text(selector))

    def change(self, act: Callable[[], object]) -> Person:
        """Do something that changes the game, and wait until it has."""
        before = self.session.position
        act()
        self.page.wait_for_selector(f'body:not([data-position="{before}"])')
        return self.ready()

    def offered(self) -> list[str]:
        """The actions that the page offers, cards that are dimmed left out."""
        buttons = self.page.query_selector_all("#choices [data-do=act], #hand .may")
        return [button.get_attribute("data-action") for button in buttons]

    def choose(self, action: str) -> Person:
        return self.change(lambda: self.click(f'[data-action="{action}"]'))


def game_of(seed: int = 7, practice: bool = False, agents: Any = "rule_based", **rules: Any) -> Game:
    return Game(get_rules(rules), seed, 2, agents, practice)
