"""One game behind a page: one change after the other, kept, recorded, replaced."""

from __future__ import annotations

import json
import random
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hpenv.actions import ACTION_TEXT
from hpenv.agents.human.game import Game
from hpenv.agents.human.saved_game import as_json
from hpenv.cards import set_cards
from hpenv.notation import parse_record, replay
from hpenv.rules import Rules
from human_games import resume
from web_tab import (
    NEW,
    Kept,
    about_to_ask,
    choose,
    new,
    served,
    slow_agents,
)


def test_a_position_is_used_once() -> None:
    """Two tabs, a double click: one is done, the other is an error."""
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
        for status, answer in answers:
            assert status == 200 or answer["error"].startswith("the game has gone on")
        seats = game.view.history_seat[before : game.view.history_length].tolist()
        assert seats.count(game.seat) == 1


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    return slow_agents(monkeypatch)


def test_the_state_is_read_while_an_agent_decides(slow: SimpleNamespace) -> None:
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
            assert slow.thinks.wait(60)
            state = tab.state()  # would fail if it waited for the agent
            assert thread.is_alive()
            assert state["position"] == position + (what == "act")
            assert bool(state["legal"]) == (what == "hint")
            slow.go.set()
            thread.join()
        assert json.loads(tab.heard[-1])["opinions"][0]["agent"] == "slow"


def test_an_agent_that_fails_is_named_and_may_try_again(slow: SimpleNamespace) -> None:
    slow.go.set()
    game = about_to_ask("slow")
    with served(game) as tab:
        slow.fails = True
        status, answer = tab.act("bid 1")
        assert status == 500
        assert answer["error"].startswith("agent slow breaks rule")
        assert not tab.state()["legal"]
        assert tab.act("pass")[1]["error"].endswith("turn")
        slow.fails = False
        assert tab.at("next")[0] == 200
        assert tab.state()["legal"]


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
        answer = tab.state()
    with served(resume(path)) as tab:
        assert tab.state()["table"] == answer["table"]


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


def test_an_agent_that_needs_a_missing_package_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "hpenv.agents.learned", raising=False)
    sentence = "agent 'learned' needs torch, which is not installed: pip install 'hpenv[train]'"
    with served(new(), ("learned",)) as tab:
        assert tab.at("hint") == (409, {"error": sentence, "rule": ""})
        seated = {"agents": {"N": "learned", "E": "uniform", "W": "uniform"}}
        parts = NEW | seated | {"position": tab.session.position}
        assert tab.ask("POST", "new", parts) == (409, {"error": sentence, "rule": ""})
        assert tab.act(choose(tab.session.game, random.Random(1)))[0] == 200
