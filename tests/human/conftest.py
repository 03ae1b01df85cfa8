"""A browser for the tests of the page, and pages in it whose every complaint is a failure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from browser import (
    ARGS,
    AT_ONCE,
    CHROMIUM,
    DESK,
    Person,
)
from web_tab import Tab

PATIENCE = 120_000  # milliseconds: the machine may be busy


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        yield browser
        browser.close()


@pytest.fixture
def at_the_page(chromium: Any) -> Iterator[Callable[..., Person]]:
    """Opens pages; at the end no page has logged an error or asked another server for anything."""
    wrong: list[str] = []
    borne = ["status of 409"]  # an error that the page shows itself, and those that a test provokes
    contexts: list[Any] = []

    def watched(tab: Tab, page: Any) -> Person:
        def asks(request: Any) -> None:
            if not request.url.startswith((tab.server.address, "data:", "blob:")):
                wrong.append(request.url)

        def says(message: Any) -> None:
            if message.type in ("error", "warning") and not any(part in message.text for part in borne):
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
        context.set_default_timeout(PATIENCE)
        context.add_init_script(f"localStorage.setItem('pace', '{pace}')")
        return watched(tab, context.new_page())

    yield open_page
    for context in contexts:
        context.close()
    assert not wrong
