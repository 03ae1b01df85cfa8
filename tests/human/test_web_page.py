"""The page in a real browser: whole deals with the mouse, the keyboard, and in a window as narrow as a
telephone."""

from __future__ import annotations

import importlib.util
import random
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from test_web import Kept, Tab, about_to_ask, cards_in, known_cards, served, slow_agents

from hpenv.actions import N_ACTIONS
from hpenv.agents import agent as agents_by_name
from hpenv.agents.human.game import Game
from hpenv.agents.human.saved_game import as_json
from hpenv.agents.opinion import Opinion
from hpenv.cards import CARD_TEXT, set_cards
from hpenv.errors import illegal_action
from hpenv.rules import get_rules
from hpenv.seats import SEAT_NAMES

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
MISSING = [
    *([] if CHROMIUM else ["Chromium is not installed (apt-get install chromium)"]),
    *([] if importlib.util.find_spec("playwright") else ["its driver is not (pip install playwright)"]),
]
pytestmark = pytest.mark.skipif(bool(MISSING), reason="no browser: " + " and ".join(MISSING))
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
for (const part of page.querySelectorAll(".store, script, style")) part.remove();
return page.outerHTML; }"""
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
        at = f'body[data-position="{self.session.position}"]:not(.busy)'
        self.page.wait_for_selector(at, timeout=10_000)
        return self

    def click(self, selector: str) -> Person:
        self.page.click(selector, timeout=10_000)
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
        self.page.wait_for_selector(f'body:not([data-position="{before}"])', timeout=10_000)
        return self.ready()

    def offered(self) -> list[str]:
        """The actions that the page offers, cards that are dimmed left out."""
        buttons = self.page.query_selector_all("#choices [data-do=act], #hand .may")
        return [button.get_attribute("data-action") for button in buttons]

    def choose(self, action: str) -> Person:
        return self.change(lambda: self.click(f'[data-action="{action}"]'))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        yield browser
        browser.close()


@pytest.fixture
def at_the_page(chromium: Any) -> Iterator[Callable[..., Person]]:
    """Opens pages; at the end nothing has gone wrong in any, and nothing was asked of anybody else."""
    wrong: list[str] = []
    borne = ["status of 409"]  # in the browser's complaints: a refusal, and what a test does on purpose
    contexts: list[Any] = []

    def watched(tab: Tab, page: Any) -> Person:
        def asks(request: Any) -> None:
            if not request.url.startswith((tab.server.address, "data:", "blob:")):
                wrong.append(request.url)

        def says(message: Any) -> None:
            told = any(
                part in message.text for part in ("status of 409", "status of 500", "net::ERR_FAILED")
            )
            if (
                message.type in ("error", "warning") and not told
            ):  # refusals, and what the tests cut off
                wrong.append(message.text)

        page.on("request", asks)
        page.on("console", says)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        return Person(tab, page).open()

    def open_page(
        tab: Tab,
        pace: int = AT_ONCE,  # at which the agents' actions are shown
        second_to: Person | None = None,
        bears: str = "",
        **look: Any,
    ) -> Person:
        borne.extend([bears] if bears else [])
        if second_to:
            return watched(tab, second_to.page.context.new_page())
        context = chromium.new_context(**({"viewport": DESK} | look))
        contexts.append(context)
        context.add_init_script(f"localStorage.setItem('pace', '{pace}')")
        return watched(tab, context.new_page())

    yield open_page
    for context in contexts:
        context.close()
    assert not wrong


def game_of(seed: int = 7, practice: bool = False, agents: Any = "rule_based", **rules: Any) -> Game:
    return Game(get_rules(rules), seed, 2, agents, practice)


# ---- whole deals ----------------------------------------------------------------------------------


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
                person.change(lambda: person.click("#choices [data-do=next]"))
            else:
                person.choose(rng.choice(person.offered()))
        assert "win the game" in person.text(".result .ending")
        person.click("#choices [data-do=open-new]")
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
        assert "there is no choice 9 here" in person.text("#refusal")
        for key, row in (("Left", "choices"), ("Down", "hand"), ("Up", "choices"), ("Up", "hand")):
            person.press(f"Arrow{key}")
            assert person.page.evaluate("document.activeElement.parentElement.id") == row
        person.press("?")
        assert person.page.is_visible("#help")
        person.press("1", "Escape")
        assert not person.page.is_visible("#help")
        assert person.ready().session.position == tab.session.position


def test_a_card_that_may_not_be_played_says_why(at_the_page: Callable[..., Person]) -> None:
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
        person.page.wait_for_selector("#refusal:visible")
        assert person.text("#refusal") == str(illegal_action(game._table, card))
        assert "(R11)" in person.text("#refusal")
        assert as_json(game) == before
        person.choose(person.offered()[0])
        assert not person.page.is_visible("#refusal")


# ---- a narrow window ------------------------------------------------------------------------------


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
        person.change(lambda: person.click("#choices [data-do=next]"))
        reachable(person)


# ---- tabs, reloads, pace --------------------------------------------------------------------------


def test_a_reload_keeps_the_game(at_the_page: Callable[..., Person]) -> None:
    with served(game_of()) as tab:
        person = at_the_page(tab)
        person.choose(person.offered()[0])
        shown, saved = person.text("main"), as_json(person.game)
        person.page.reload()
        person.ready()
        assert person.text("main") == shown
        assert as_json(person.game) == saved


def test_a_stale_click_in_a_second_tab_is_refused_and_the_tabs_agree(
    at_the_page: Callable[..., Person],
) -> None:
    with served(game_of(4, agents="uniform")) as tab:
        first = at_the_page(tab)
        second = at_the_page(tab, second_to=first)
        old, refusals = tab.session.position, []

        def hold(route: Any) -> None:  # the second tab does not hear of the change before its click
            if refusals:
                route.continue_()
            else:
                route.fulfill(json={"position": old})

        second.page.on("response", lambda answer: answer.status == 409 and refusals.append(answer))
        second.page.route("**/state*", hold)
        first.choose(first.offered()[0])
        saved = as_json(first.game)
        second.click("#choices [data-do=act]" if second.page.query_selector("#choices [data-do=act]")
                     else "#hand .may")  # fmt: skip
        second.page.wait_for_selector("#refusal:visible")
        assert second.text("#refusal").startswith("the game has gone on")
        assert as_json(first.game) == saved
        assert second.ready().text("main") == first.text("main")
        second.choose(second.offered()[0])
        assert first.ready().text("main") == second.text("main")


def test_agents_act_one_after_the_other_unless_skipped(at_the_page: Callable[..., Person]) -> None:
    with served(game_of(7)) as tab:
        person = at_the_page(tab, pace=SLOW)
        person.page.evaluate(NOTED)
        person.page.evaluate("document.querySelector('#pace').selectedOptions[0].value = 50")
        person.choose("pass")
        expected = [
            f"{SEAT_NAMES['NESW'.index(frame['won_by'])]} won the trick"
            if frame["won_by"]
            else frame["words"]
            for frame in tab.state()["frames"]
        ]
        assert len(expected) > 2
        noted = person.page.evaluate("noted")
        assert noted == [*expected, f"Your turn: {tab.state()['prompt']}"]
        person.page.evaluate("document.querySelector('#pace').selectedOptions[0].value = 1400")
        person.click(f'[data-action="{person.offered()[-1]}"]')
        person.page.wait_for_selector("body.busy")
        assert person.text("#choices").startswith("Skip")
        assert not person.page.query_selector("#hand .may")
        person.press("Escape")
        assert not person.page.query_selector("body.busy")
        for event in person.ready().game.events:
            assert SEAT_NAMES[event.seat] in person.page.text_content("#events")


def test_the_page_follows_agents_that_think(
    at_the_page: Callable[..., Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every action is shown once, though told more than once; an agent that fails is asked again."""
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
        person.page.wait_for_selector(status.format("Your turn"))
        assert person.page.evaluate("noted") == [
            "South: bid 1",
            "West to bid \u2026",
            "West: pass",
            "Your turn: name trump",
        ]
        person.choose("trump H").choose(person.offered()[0])
        slow.fails = True
        person.click('[data-action="with partner"]')
        person.page.wait_for_selector("#refusal:visible")
        assert "agent slow breaks rule" in person.text("#refusal")
        slow.fails = False
        person.change(lambda: person.click("#choices [data-do=next]"))
        assert person.offered()


def test_nothing_moves_where_the_reader_wants_it_calm(at_the_page: Callable[..., Person]) -> None:
    moving = """() => { const card = document.createElement("i"); card.className = "from1";
    document.body.append(card); return getComputedStyle(card).animationName; }"""
    with served(game_of()) as tab:
        assert at_the_page(tab).page.evaluate(moving) == "lay"
        assert at_the_page(tab, reduced_motion="reduce").page.evaluate(moving) == "none"


def test_a_program_that_has_ended_is_told(at_the_page: Callable[..., Person]) -> None:
    with served(game_of()) as tab:
        person = at_the_page(tab, bears="net::ERR_FAILED")
        person.page.route("**/act", lambda route: route.abort())
        person.page.route("**/state*", lambda route: route.abort())
        person.click("#choices [data-do=act]")
        person.page.wait_for_selector("#refusal:visible")
        assert "does not answer" in person.text("#refusal")
        person.page.unroute_all()
        person.page.wait_for_selector("#refusal", state="hidden")


# ---- hint, undo, replay, new game -----------------------------------------------------------------


@pytest.fixture
def knowing(monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent that says what it expects: one point more for each legal action."""

    def opinion(view: Any, stream: Any) -> Opinion:
        legal = set_cards(int(view.legal))
        shares, points = np.zeros(N_ACTIONS), np.full(N_ACTIONS, np.nan)
        for i, action in enumerate(legal):
            shares[action], points[action] = (0.75, 0.25, *[0] * 9)[i], i - 1.5
        return Opinion(legal[0], shares, points, np.full(N_ACTIONS, 0.5), worlds=12)

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
        told = person.text("#hint section:first-child")
        assert "knowing would choose pass (looked at 12 worlds)" in told
        rows = person.page.query_selector_all("#hint section:first-child tbody tr")
        assert len(rows) == len(tab.state()["legal"])
        assert "75 %" in rows[0].inner_text()
        assert "\u22121.5" in rows[0].inner_text()
        rail, bar = (rows[0].query_selector(what).bounding_box() for what in (".rail", ".bar"))
        assert bar["width"] == pytest.approx(0.75 * rail["width"], abs=1)
        assert "rule_based would choose" in person.text("#hint")
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
        assert len(person.page.query_selector_all(".open .laid")) == 26  # the discard twice
        length = int(game.view.history_length)
        result = person.text(".result")
        person.click("#choices [data-do=replay]")
        person.page.wait_for_selector("#step")
        assert "the cards are dealt" in person.text("#status")
        assert len(person.page.query_selector_all(".held .laid")) == 18
        person.press("ArrowRight")
        assert person.text("#status").startswith(f"1 of {length}")
        person.click("[data-do=step-on]")
        assert person.text("#status").startswith(f"2 of {length}")
        person.page.focus("#step")
        person.press("End")
        assert person.text("#status").startswith(f"{length} of {length}")
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
        page.fill("[name=N]", "nobody at all")
        page.fill("[name=S]", "uniform")
        page.fill("[name=target]", "3")
        page.fill("[name=seed]", "11")
        page.check("[name=practice]")
        person.click("#new [data-do=begin]")
        page.wait_for_selector("#new-told:not(:empty)")
        assert "no agent 'nobody at all'" in person.text("#new-told")
        page.fill("[name=N]", "sensible_random")
        person.change(lambda: person.press("Enter"))
        game = tab.session.game
        assert game.rules == get_rules({"bidding": "pepper", "target": 3})
        assert (game.seat, game.seed, game.practice) == (3, 11, True)
        assert game.agents == ("sensible_random", "rule_based", "uniform", None)
        assert "You are West" in person.text("#about")
        person.press("?").click("[data-do=save]")
        page.wait_for_selector("#help-told:not(:empty)")
        assert person.text("#help-told") == f"kept in {new.path}"
