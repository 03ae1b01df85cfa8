"""A page served to a test, and one tab of a browser as far as requests go."""

from __future__ import annotations

import http.client
import json
import random
import re
import sys
import threading
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
from hpenv.agents.human.saved_game import save
from hpenv.agents.human.web.server import HERE, Server
from hpenv.agents.human.web.session import Session
from hpenv.cards import CARD_TEXT, N_CARDS, NO_CARD, set_cards
from hpenv.drawing.cards import card_name
from hpenv.rules import get_rules

RULES: dict[str, Any] = {
    "standard": {"target": 4, "max_deals": 3},
    "house": get_rules("house").differences() | {"max_deals": 3},
    "three cards": {"hand_size": 3, "target": 3, "max_deals": 4},
}
CHANCY = ("uniform", "sensible_random", "mixed:rule_based,lead=uniform", "uniform")
ANY_CARD = re.compile(r"(?<![A-Za-z0-9])(?:[9TJQKA][CDHS]|Jo)(?![A-Za-z0-9])")
NAMED = {card_name(card): CARD_TEXT[card] for card in range(N_CARDS)}

NEW = {
    "position": 0, "rules": "standard", "seed": 5, "seat": "S", "practice": False,
    "agents": {"N": "uniform", "E": "uniform", "W": "uniform"},
}  # fmt: skip


class Kept:
    """A place where a game is kept, in a file or nowhere."""

    def __init__(self, path: Path = Path("nowhere")) -> None:
        self.path, self.failed, self.notice, self.times = path, False, "", 0

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
        connection = http.client.HTTPConnection(HERE, self.server.server_port, timeout=60)
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


def cards_in(answer: bytes) -> set[str]:
    """Every card that is mentioned, in notation or by its name."""
    text = answer.decode()
    return set(ANY_CARD.findall(text)) | {card for name, card in NAMED.items() if name in text}


def known_cards(game: Game) -> set[str]:
    """The cards that the person's view holds."""
    view = game.view
    cards = {*set_cards(int(view.hand))}
    for played in view.played:
        cards |= {*set_cards(int(played))}
    return {CARD_TEXT[card] for card in cards | ({int(view.widow), int(view.discard)} - {NO_CARD})}


def slow_agents(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Agents that wait for `go` before they act, and act illegally if `fails` is set."""
    control = SimpleNamespace(go=threading.Event(), thinks=threading.Event(), fails=False)

    def act(views: Any, streams: Any) -> Any:
        control.thinks.set()
        assert control.go.wait(300)
        if control.fails:
            return np.full(len(views), 24)  # the Joker, out of its time
        return np.array([set_cards(int(view.legal))[0] for view in views])

    made = SimpleNamespace(make=lambda name, options: SimpleNamespace(name=name, act=act))
    monkeypatch.setitem(sys.modules, "agents.slow", made)  # type: ignore[arg-type]
    monkeypatch.setitem(agents_by_name.AGENTS, "slow", "agents.slow")
    return control
