"""The game served as a page: what it tells, what it refuses, and that nothing hidden ever leaves it."""

from __future__ import annotations

import http.client
import json
import random
import re
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hpenv.actions import ACTION_TEXT, ALONE, PASS
from hpenv.agents import agent as agents_by_name
from hpenv.agents.human.game import Game
from hpenv.agents.human.saved_game import as_json, resume, save
from hpenv.agents.human.web.page import page
from hpenv.agents.human.web.server import HERE, LARGEST_BODY, Server
from hpenv.agents.human.web.session import Session
from hpenv.cards import CARD_TEXT, N_CARDS, NO_CARD, set_cards
from hpenv.drawing.cards import card_name
from hpenv.errors import illegal_action
from hpenv.notation import parse_record, replay
from hpenv.rules import Rules, get_rules
from hpenv.seats import SEAT_LETTERS
from hpenv.training.cli.main import main
from hpenv.worlds import world_tables

RULES: dict[str, Any] = {
    "standard": {"target": 4, "max_deals": 3},
    "house": get_rules("house").differences() | {"max_deals": 3},
    "three cards": {"hand_size": 3, "target": 3, "max_deals": 4},
}
CHANCY = ("uniform", "sensible_random", "mixed:rule_based,lead=uniform", "uniform")
ANY_CARD = re.compile(r"(?<![A-Za-z0-9])(?:[9TJQKA][CDHS]|Jo)(?![A-Za-z0-9])")
NAMED = {card_name(card): CARD_TEXT[card] for card in range(N_CARDS)}


class Kept:
    """A place where a game is kept, in a file or nowhere."""

    def __init__(self, path: Path = Path("nowhere")) -> None:
        self.path, self.failed, self.times = path, False, 0

    def keep(self, game: Game) -> None:
        self.times += 1
        if self.path.suffix:
            save(game, self.path)

    def farewell(self, game: Game) -> str:
        return ""


class Tab:
    """One tab of a browser, as far as requests go."""

    def __init__(self, server: Server) -> None:
        self.server, self.session = server, server.session
        self.heard: list[bytes] = []

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(HERE, self.server.server_port, timeout=20)
        sent = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if sent is not None:
            headers.setdefault("Content-Type", "application/json")
        if not path.startswith("/"):
            path = f"/{self.server.token}/{path}"
        try:
            connection.request(method, path, sent, headers)
            answer = connection.getresponse()
            said = answer.read()
        finally:
            connection.close()
        self.heard.append(said)
        is_json = answer.headers.get_content_type() == "application/json"
        return answer.status, json.loads(said) if is_json else said

    def state(self) -> Any:
        return self.ask("GET", "state")[1]

    def act(self, action: str, seat: str = "S", position: int | None = None) -> tuple[int, Any]:
        at = self.session.position if position is None else position
        return self.ask("POST", "act", {"position": at, "seat": seat, "action": action})

    def at(self, what: str) -> tuple[int, Any]:
        return self.ask("POST", what, {"position": self.session.position})


@contextmanager
def served(game: Game, hints: tuple[str, ...] = ("rule_based",), **more: Any) -> Iterator[Tab]:
    begin = more.pop("begin", lambda game: Kept())
    session = Session(game, more.pop("kept", Kept()), begin, hints, **more)
    with Server(session) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield Tab(server)
        server.shutdown()
        thread.join()


def new(name: str = "standard", seed: int = 7, practice: bool = False, agents: Any = CHANCY) -> Game:
    return Game(get_rules(RULES[name]), seed, 2, agents, practice)


def choose(game: Game, rng: random.Random) -> str:
    """A legal action; passes and lone hands favoured, so that every kind of deal comes up."""
    legal = set_cards(int(game.view.legal))
    for favoured, chance in ((PASS, 0.5), (ALONE, 0.5)):
        if favoured in legal and rng.random() < chance:
            return ACTION_TEXT[favoured]
    return ACTION_TEXT[rng.choice(legal)]


def about_to_ask(agents: str) -> Game:
    """A game in which an agent calls after the person: West deals."""
    games = (new(seed=n, agents=agents) for n in range(99))
    return next(game for game in games if game.view.dealer == 3)


def at_play(seed: int = 7) -> Game:
    """The person is to follow, holds a card that follows and one that may not be played."""
    for more in range(200):
        game, rng = new(seed=seed + more), random.Random(more)
        while not game.deal_is_over:
            if game.view.cards_in_trick and int(game.view.hand) & ~int(game.view.legal):
                return game
            game.do(choose(game, rng))
    raise AssertionError("no such deal")


# ---- what is told ---------------------------------------------------------------------------------


def cards_in(told: bytes) -> set[str]:
    """Every card that is mentioned, in notation or by its name."""
    text = told.decode()
    return set(ANY_CARD.findall(text)) | {card for name, card in NAMED.items() if name in text}


def known_cards(game: Game) -> set[str]:
    """The cards that the person's view holds."""
    view = game.view
    cards = {*set_cards(int(view.hand))}
    for played in view.played:
        cards |= {*set_cards(int(played))}
    return {CARD_TEXT[card] for card in cards | ({int(view.widow), int(view.discard)} - {NO_CARD})}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", RULES)
def test_no_answer_ever_names_a_hidden_card(name: str, seed: int) -> None:
    rng, game = random.Random(f"{name} {seed}"), new(name, seed)
    with served(game) as tab:
        while True:
            tab.heard.clear()
            tab.state()
            if game.deal_is_over:
                before = known_cards(game)
                tab.ask("GET", f"replay?deal={len(game.records)}")
            else:
                tab.at("hint")
                tried = rng.choice(sorted({*CARD_TEXT} - known_cards(game)))
                assert tab.act(tried)[0] == 409
                tab.heard[-1] = tab.heard[-1].replace(f"tried {tried}".encode(), b"")
                tab.act(choose(game, rng))
                before = known_cards(game)
            for told in tab.heard:
                assert cards_in(told) <= before, (game.so_far, told)
            if game.is_over:
                break
            if game.deal_is_over:
                tab.at("next")
                assert cards_in(tab.heard[-1]) <= known_cards(game), game.so_far


def test_that_search_finds_what_practice_lays_open() -> None:
    game, rng = new(practice=True), random.Random(1)
    with served(game) as tab:
        while not game.deal_is_over:
            tab.act(choose(game, rng))
        assert {*CARD_TEXT} - known_cards(game)
        tab.ask("GET", "replay?deal=1")
        assert cards_in(tab.heard[-1]) == {*CARD_TEXT}


@pytest.mark.parametrize("seed", range(4))
def test_other_hidden_cards_change_no_byte(seed: int) -> None:
    """Whatever the others hold, the state and the hint are the same as long as the view is."""
    rng, game = random.Random(seed), new("house", seed)
    with served(game, ("rule_based", "uniform")) as tab:
        session, compared = tab.session, 0
        refusals: dict[tuple[int, str], str] = {}
        while not game.is_over:
            if game.deal_is_over:
                tab.at("next")
                continue
            told, hint = session.state(), session.hint(session.position)
            own = game._table
            for world in world_tables(game.view, 3, seed):
                game._table = world
                session._said = (-1, None)
                session._publish()
                assert session.state() == told, world
                assert session.hint(session.position) == hint, world
                for card in sorted({*CARD_TEXT} - known_cards(game))[:3]:
                    with pytest.raises(ValueError, match=f"tried {card}") as error:
                        session.act(session.position, "S", card)
                    said = str(error.value)
                    assert refusals.setdefault((session.position, card), said) == said
                compared += any(world.hands != own.hands)
            game._table = own
            session._publish()
            tab.act(choose(game, rng))
        assert compared


def test_the_state_has_the_facts_of_the_view() -> None:
    game = at_play()
    with served(game) as tab:
        state, view = tab.state(), game.view
        table = state["table"]
        assert [choice["action"] for choice in state["choices"]] == [
            card for card in table["hands"]["S"] if card in state["legal"]
        ]
        assert {*table["hands"]["S"]} == {CARD_TEXT[card] for card in set_cards(int(view.hand))}
        assert {*table["hands"]["N"]} == {None}
        assert table["trick"]["cards"][0][0] == SEAT_LETTERS[view.leader]
        assert table["to_act"] == state["seat"] == "S"
        assert table["score"] == view.score.tolist()
        assert table["dealer"] == SEAT_LETTERS[view.dealer]
        assert state["seed"] is None  # the cards would follow from it
        assert state["frames"][-1]["position"] == state["position"]
        assert tab.ask("GET", f"state?since={state['position']}") == (
            200,
            {"position": state["position"]},
        )


def test_every_action_is_told_once_in_its_order() -> None:
    game, rng = new("house"), random.Random(3)
    with served(game) as tab:
        seen = {frame["position"]: frame["words"] for frame in tab.state()["frames"]}
        while not game.deal_is_over:
            for frame in tab.act(choose(game, rng))[1]["frames"]:
                assert frame["position"] not in seen
                seen[frame["position"]] = frame["words"]
        positions = list(seen)
        assert positions == list(range(positions[0], positions[0] + len(positions)))
        steps = tab.ask("GET", "replay?deal=1")[1]["steps"]
        assert len(steps) == 1 + len(seen) == 1 + game.view.history_length
        assert [step["won_by"] for step in steps if step["won_by"]]


# ---- what is refused ------------------------------------------------------------------------------

GOOD = {"position": 0, "seat": "S", "action": "pass"}  # position: that of the game, where it is 0
FORM = "application/x-www-form-urlencoded"
TWICE = b'{"position": 1, "seat": "S", "action": "pass", "action": "bid 3"}'
DEEP = b'{"position":' + b"[" * 8000 + b"]" * 8000 + b"}"
REFUSED: dict[str, tuple[int, str, str, Any, dict[str, str]]] = {
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
NEW = {
    "position": 0, "rules": "standard", "seed": 5, "seat": "S", "practice": False,
    "agents": {"N": "uniform", "E": "uniform", "W": "uniform"},
}  # fmt: skip
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
    """One game that everything is refused at: it never moves."""
    with served(at_play()) as tab:
        yield tab


def refused(tab: Tab, method: str, path: str, body: Any, headers: dict[str, str]) -> tuple[int, str]:
    """The status and the sentence; the game is as it was."""
    before, saved = tab.session.state(), as_json(tab.session.game)
    if isinstance(body, dict) and body.get("position") == 0:
        body = body | {"position": tab.session.position}
    port = str(tab.server.server_port)
    status, told = tab.ask(
        method, path, body, **{k: v.replace("PORT", port) for k, v in headers.items()}
    )
    assert tab.session.state() == before
    assert as_json(tab.session.game) == saved
    assert set(told) == {"error", "rule"}
    assert re.fullmatch(r"[^\n]{10,300}", told["error"])
    assert "Traceback" not in told["error"]
    return status, told["error"]


@pytest.mark.parametrize("what", REFUSED)
def test_refused_with_a_sentence_and_the_game_intact(standing: Tab, what: str) -> None:
    status, method, path, body, headers = REFUSED[what]
    assert refused(standing, method, path, body, headers)[0] == status


@pytest.mark.parametrize("what", NO_GAME)
def test_no_new_game_of_wrong_parts(standing: Tab, what: str) -> None:
    status, sentence = refused(standing, "POST", "new", NEW | NO_GAME[what], {})
    assert status in (400, 409), sentence


@pytest.mark.parametrize("off", [-1, 1, -(10**9), 10**18])
def test_a_position_that_is_not_the_games_is_refused(standing: Tab, off: int) -> None:
    """Whatever is asked, even what would be legal now."""
    at, legal = standing.session.position, standing.state()["legal"][0]
    act = {"position": at + off, "seat": "S", "action": legal}
    for what, body in (("act", act), *((what, {"position": at + off}) for what in ("hint", "next"))):
        status, sentence = refused(standing, "POST", what, body, {})
        assert status == 409
        assert sentence.startswith("the game has gone on")


def test_an_illegal_card_is_refused_with_its_rule(standing: Tab) -> None:
    game = standing.session.game
    card = set_cards(int(game.view.hand) & ~int(game.view.legal))[0]
    status, told = standing.act(CARD_TEXT[card])
    assert (status, told["rule"]) == (409, "R11")
    assert told["error"] == str(illegal_action(game._table, card))


def test_answers_carry_the_strictest_headers(standing: Tab) -> None:
    connection = http.client.HTTPConnection(HERE, standing.server.server_port, timeout=20)
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


# ---- one change after the other -------------------------------------------------------------------


def test_a_position_is_used_once() -> None:
    """Two tabs, a double click: one is done, the other refused."""
    game = new(agents="uniform")
    with served(game) as tab:
        action = choose(game, random.Random(1))
        position, before = tab.session.position, int(game.view.history_length)
        answers: list[tuple[int, Any]] = []
        clicks = [
            threading.Thread(target=lambda: answers.append(tab.act(action, position=position)))
            for _ in range(8)
        ]
        with tab.session._changing:  # all of them are let in together
            for click in clicks:
                click.start()
            for click in clicks:
                click.join(0.1)
        for click in clicks:
            click.join()
        assert sorted(status for status, _ in answers) == [200] + [409] * 7
        for status, told in answers:
            assert status == 200 or told["error"].startswith("the game has gone on")
        seats = game.view.history_seat[before : game.view.history_length].tolist()
        assert seats.count(game.seat) == 1


def slow_agents(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Agents that think until they are told to go on, and that fail when they are told to."""
    control = SimpleNamespace(go=threading.Event(), thinks=threading.Event(), fails=False)

    def act(views: Any, streams: Any) -> Any:
        control.thinks.set()
        assert control.go.wait(20)
        if control.fails:
            return np.full(len(views), 24)  # the Joker, out of its time
        return np.array([set_cards(int(view.legal))[0] for view in views])

    made = SimpleNamespace(make=lambda name, options: SimpleNamespace(name=name, act=act))
    monkeypatch.setitem(sys.modules, "agents.slow", made)  # type: ignore[arg-type]
    monkeypatch.setitem(agents_by_name.AGENTS, "slow", "agents.slow")
    return control


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    return slow_agents(monkeypatch)


def test_reading_waits_for_no_agent(slow: SimpleNamespace) -> None:
    slow.go.set()
    game = about_to_ask("slow")
    with served(game, ("slow",)) as tab:
        for what in ("act", "hint"):
            slow.go.clear()
            slow.thinks.clear()
            position = tab.session.position
            if what == "act":
                thread = threading.Thread(target=tab.act, args=["bid 1"])
            else:
                thread = threading.Thread(target=tab.at, args=["hint"])
            thread.start()
            assert slow.thinks.wait(10)
            began = time.monotonic()
            state = tab.state()
            assert time.monotonic() - began < 2
            assert thread.is_alive()
            assert state["position"] == position + (what == "act")
            assert bool(state["legal"]) == (what == "hint")
            slow.go.set()
            thread.join()
        assert json.loads(tab.heard[-1])["opinions"][0]["agent"] == "slow"


def test_an_agent_that_fails_is_told_and_may_try_again(slow: SimpleNamespace) -> None:
    slow.go.set()
    game = about_to_ask("slow")
    with served(game) as tab:
        slow.fails = True
        status, told = tab.act("bid 1")
        assert status == 500
        assert told["error"].startswith("agent slow breaks rule")
        assert not tab.state()["legal"]
        assert tab.act("pass")[1]["error"].endswith("turn")
        slow.fails = False
        assert tab.at("next")[0] == 200
        assert tab.state()["legal"]


# ---- kept, taken back, recorded -------------------------------------------------------------------


def test_the_game_is_kept_after_every_action_and_goes_on(tmp_path: Path) -> None:
    path, rng = tmp_path / "game.json", random.Random(2)
    game = new("house", practice=True)
    with served(game, kept=Kept(path)) as tab:
        for _ in range(6):
            assert (tab.at("next") if game.deal_is_over else tab.act(choose(game, rng)))[0] == 200
            assert as_json(resume(path)) == as_json(game)
        assert tab.at("undo")[0] == 200
        assert as_json(resume(path)) == as_json(game)
        assert tab.ask("POST", "save", {}) == (200, {"told": f"kept in {path}"})
        told = tab.state()
    with served(resume(path)) as tab:
        assert tab.state()["table"] == told["table"]


def test_a_deal_is_recorded_once_even_if_its_end_is_taken_back() -> None:
    finished: list[Any] = []
    game, rng = new(practice=True), random.Random(2)
    with served(game, finish=finished.append) as tab:
        for _ in range(2):
            while not game.deal_is_over:
                tab.act(choose(game, rng))
            once = game.records[-1]
            while tab.at("undo")[0] == 200:
                pass
            while not game.deal_is_over:
                tab.act(ACTION_TEXT[set_cards(int(game.view.legal))[-1]])
            assert game.records[-1] != once
            assert tab.at("next")[0] == 200 or game.is_over
        tab.session.close()
        tab.session.close()
        assert finished == game.records
        lines = tab.ask("GET", "records")[1].decode().splitlines()
        assert [replay(parse_record(line)).points for line in lines] == [
            record.points for record in game.records
        ]


def test_a_new_game_leaves_the_old_one_kept(tmp_path: Path) -> None:
    kept = {"old": Kept(tmp_path / "old.json"), "new": Kept(tmp_path / "new.json")}
    game = new()
    with served(game, kept=kept["old"], begin=lambda game: kept["new"]) as tab:
        tab.act(choose(game, random.Random(1)))
        status, state = tab.ask("POST", "new", NEW | {"position": tab.session.position, "seat": "S"})
        assert (status, state["rules"]) == (200, "standard")
        assert as_json(resume(tmp_path / "old.json")) == as_json(game)
        assert as_json(resume(tmp_path / "new.json")) == as_json(tab.session.game)
        assert tab.session.game.rules == Rules()
        old = tab.act("pass", position=state["position"] - 1)
        assert old[0] == 409
        again = Game("standard", 5, 2, "uniform")
        assert as_json(again) == as_json(tab.session.game)


# ---- the command ----------------------------------------------------------------------------------


def test_the_command_serves_until_it_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    words = ["--web", "--no-open", "--opponents", "uniform", "--seed", "3", "--save", str(path)]
    command = [sys.executable, "-m", "hpenv.training.cli.main", "play", *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        assert running.stdout is not None
        try:
            assert select.select([running.stdout], [], [], 60)[0]
            address = running.stdout.readline().split()[-1]
            _, place, token, _ = address.replace("//", "/").split("/")
            connection = http.client.HTTPConnection(place, timeout=20)
            connection.request("GET", f"/{token}/state")
            state = json.loads(connection.getresponse().read())
            assert state["seat"] == "S"
            connection.close()
        finally:
            running.send_signal(signal.SIGINT)
        said = running.stdout.read()
        assert running.wait(20) == 0, said
    assert f"hpenv play --resume {path}" in said
    assert as_json(resume(path))["seed"] == 3


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--port", "8000"], "add --web"),
        (["--no-open"], "add --web"),
        (["--web", "--deals", "1"], "leave --deals out"),
        (["--web", "--port", "70000"], "not 0 to 65535"),
        (["--web", "--port", "-1"], "not 0 to 65535"),
        (["--web", "--port", "TAKEN"], "cannot be had"),
    ],
)
def test_the_command_refuses(
    words: list[str],
    sentence: str,
    standing: Tab,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    taken = str(standing.server.server_port)
    assert main(["play", *(word.replace("TAKEN", taken) for word in words)]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
