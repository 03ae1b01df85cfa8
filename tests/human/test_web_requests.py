"""Bad requests to the page, and the headers of every answer."""

from __future__ import annotations

import http.client
import re
from collections.abc import Iterator
from typing import Any

import pytest

from hpenv.agents.human.saved_game import as_json
from hpenv.agents.human.web.page import page
from hpenv.agents.human.web.server import HERE, LARGEST_BODY
from hpenv.cards import CARD_TEXT, set_cards
from web_tab import (
    NEW,
    Tab,
    at_play,
    served,
)

GOOD = {"position": 0, "seat": "S", "action": "pass"}  # position: that of the game, where it is 0
FORM = "application/x-www-form-urlencoded"
TWICE = b'{"position": 1, "seat": "S", "action": "pass", "action": "bid 3"}'
DEEP = b'{"position":' + b"[" * 8000 + b"]" * 8000 + b"}"
BAD: dict[str, tuple[int, str, str, Any, dict[str, str]]] = {
    "no token": (404, "GET", "/state", None, {}),
    "wrong token": (404, "GET", "/wrong/state", None, {}),
    "token of other letters": (404, "GET", "/w%C3%B6rong/state", None, {}),
    "wrong token to act": (404, "POST", "/wrong/act", GOOD, {}),
    "foreign host": (403, "GET", "state", None, {"Host": "evil.example"}),
    "foreign host with the port": (403, "POST", "act", GOOD, {"Host": "evil.example:PORT"}),
    "this host without the port": (403, "GET", "state", None, {"Host": HERE}),
    "foreign page": (403, "POST", "act", GOOD, {"Origin": "http://evil.example"}),
    "nameless page": (403, "POST", "act", GOOD, {"Origin": "null"}),
    "another program's page": (403, "POST", "act", GOOD, {"Origin": "http://127.0.0.1:1"}),
    "foreign link": (403, "GET", "", None, {"Sec_Fetch_Site": "cross-site"}),
    "another port's link": (403, "GET", "state", None, {"Sec_Fetch_Site": "same-site"}),
    "nothing there": (404, "GET", "table", None, {}),
    "a file": (404, "GET", "page.html", None, {}),
    "a path upwards": (404, "GET", "../../session.py", None, {}),
    "act by GET": (404, "GET", "act", None, {}),
    "state by POST": (404, "POST", "state", GOOD, {}),
    "PUT": (501, "PUT", "act", GOOD, {}),
    "no JSON": (400, "POST", "act", b"pass", {}),
    "no text": (400, "POST", "act", b"\xff\xfe{", {}),
    "half of it": (400, "POST", "act", b'{"position": 1', {}),
    "a key twice": (400, "POST", "act", TWICE, {}),
    "deep": (400, "POST", "act", DEEP[:12000], {}),
    "a huge number": (400, "POST", "act", b'{"position": ' + b"9" * 9000 + b"}", {}),
    "a list": (400, "POST", "act", [1], {}),
    "nothing": (400, "POST", "act", b"", {}),
    "too long": (413, "POST", "act", b" " * (LARGEST_BODY + 1), {}),
    "much too long": (413, "POST", "act", b" " * 900_000, {}),
    "a form": (
        415,
        "POST",
        "act",
        b"position=1",
        {"Content_Type": "application/x-www-form-urlencoded"},
    ),
    "as text": (415, "POST", "act", GOOD, {"Content_Type": "text/plain"}),
    "no length": (411, "POST", "act", b"{}", {"Content_Length": "many"}),
    "in pieces": (411, "POST", "act", b"2\r\n{}\r\n0\r\n\r\n", {"Transfer_Encoding": "chunked"}),
    "a part missing": (400, "POST", "act", {"position": 0, "seat": "S"}, {}),
    "a part too many": (400, "POST", "act", GOOD | {"hand": "AS"}, {}),
    "position as text": (400, "POST", "act", GOOD | {"position": "1"}, {}),
    "position as truth": (400, "POST", "act", GOOD | {"position": True}, {}),
    "position no number": (400, "POST", "act", b'{"position": NaN, "seat": "S", "action": "pass"}', {}),
    "action as a number": (400, "POST", "act", GOOD | {"action": 25}, {}),
    "another seat": (403, "POST", "act", GOOD | {"seat": "N"}, {}),
    "no seat": (403, "POST", "act", GOOD | {"seat": "Q"}, {}),
    "no action": (409, "POST", "act", GOOD | {"action": "fold"}, {}),
    "an action of markup": (409, "POST", "act", GOOD | {"action": "<script>alert(1)</script>"}, {}),
    "face down": (409, "POST", "act", GOOD | {"action": "face down"}, {}),
    "a bid in the play": (409, "POST", "act", GOOD | {"action": "bid 3"}, {}),
    "next in the middle": (409, "POST", "next", {"position": 0}, {}),
    "undo where it counts": (409, "POST", "undo", {"position": 0}, {}),
    "replay of this deal": (409, "GET", "replay?deal=1", None, {}),
    "replay of no deal": (409, "GET", "replay", None, {}),
    "replay of a word": (400, "GET", "replay?deal=one", None, {}),
    "two deals": (400, "GET", "replay?deal=1&deal=2", None, {}),
    "since of a sign": (400, "GET", "state?since=-1", None, {}),
    "records before the end": (409, "GET", "records", None, {}),
}
NO_GAME: dict[str, dict[str, Any]] = {
    "no such rules": {"rules": "bridge"},
    "no such option": {"rules": {"jokers": 2}},
    "an option of a list": {"rules": {"target": [1]}},
    "no seat": {"seat": "Q"},
    "seed too small": {"seed": -1},
    "seed too large": {"seed": 1 << 64},
    "no such agent": {"agents": {"N": "stockfish", "E": "uniform", "W": "uniform"}},
    "an agent's name too long": {"agents": {"N": "u" * 999, "E": "uniform", "W": "uniform"}},
    "an agent that is a number": {"agents": {"N": 1, "E": "uniform", "W": "uniform"}},
    "an agent of no file": {"agents": {"N": "learned:/no/such", "E": "uniform", "W": "uniform"}},
    "two agents": {"agents": {"N": "uniform", "E": "uniform"}},
    "a stranger": {"agents": {"N": "uniform", "E": "uniform", "W": "uniform", "X": "uniform"}},
    "an old position": {"position": -1},
}


@pytest.fixture(scope="module")
def standing() -> Iterator[Tab]:
    """One game for all bad requests: it never moves."""
    with served(at_play()) as tab:
        yield tab


def error_answer(
    tab: Tab, method: str, path: str, body: Any, headers: dict[str, str]
) -> tuple[int, str]:
    """The status and the sentence; the game is as it was."""
    before, saved = tab.session.state(), as_json(tab.session.game)
    if isinstance(body, dict) and body.get("position") == 0:
        body = body | {"position": tab.session.position}
    port = str(tab.server.server_port)
    status, answer = tab.ask(
        method, path, body, **{k: v.replace("PORT", port) for k, v in headers.items()}
    )
    assert tab.session.state() == before
    assert as_json(tab.session.game) == saved
    assert set(answer) == {"error", "rule"}
    assert re.fullmatch(r"[^\n]{10,300}", answer["error"])
    assert "Traceback" not in answer["error"]
    return status, answer["error"]


@pytest.mark.parametrize("what", BAD)
def test_a_bad_request_gets_a_sentence_and_changes_nothing(standing: Tab, what: str) -> None:
    status, method, path, body, headers = BAD[what]
    assert error_answer(standing, method, path, body, headers)[0] == status


@pytest.mark.parametrize("what", NO_GAME)
def test_a_new_game_with_wrong_parts_is_an_error(standing: Tab, what: str) -> None:
    status, sentence = error_answer(standing, "POST", "new", NEW | NO_GAME[what], {})
    assert status in (400, 409), sentence


@pytest.mark.parametrize("off", [-1, 1, -(10**9), 10**18])
def test_a_request_for_another_position_does_nothing(standing: Tab, off: int) -> None:
    """Whatever is asked, even what would be legal now."""
    at, legal = standing.session.position, standing.state()["legal"][0]
    act = {"position": at + off, "seat": "S", "action": legal}
    for what, body in (("act", act), *((what, {"position": at + off}) for what in ("hint", "next"))):
        status, sentence = error_answer(standing, "POST", what, body, {})
        assert status == 409
        assert sentence.startswith("the game has gone on")


def test_an_illegal_card_is_an_error_with_its_rule(standing: Tab) -> None:
    game = standing.session.game
    card = set_cards(int(game.view.hand) & ~int(game.view.legal))[0]
    status, answer = standing.act(CARD_TEXT[card])
    assert (status, answer["rule"]) == (409, "R11")
    led = ("clubs", "diamonds", "hearts", "spades")[game.view.led_suit]
    assert answer["error"] == f"You must follow {led}."


def test_answers_carry_the_strictest_headers(standing: Tab) -> None:
    connection = http.client.HTTPConnection(HERE, standing.server.server_port, timeout=60)
    for path in ("", "state"):
        connection.request("GET", f"/{standing.server.token}/{path}")
        answer = connection.getresponse()
        answer.read()
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["Cache-Control"] == "no-store"
        assert "Access-Control-Allow-Origin" not in answer.headers
    connection.close()
    assert standing.server.server_address[0] == "127.0.0.1"
    assert len(standing.server.token) >= 24


def test_the_page_needs_nothing_from_outside() -> None:
    html = page()[0].decode()
    assert set(re.findall(r"https?://[^\s\"'<]+", html)) <= {"http://www.w3.org/2000/svg"}
    assert not re.findall(r"\b(?:src|action)=|@import|url\(", html)
    assert set(re.findall(r'href="([^"]*)"', html)) == set(re.findall(r'href="(data:[^"]*)"', html))
    assert not re.findall(r"\son\w+=|<[a-z][^>]*\sstyle=", html)  # what the policy forbids
