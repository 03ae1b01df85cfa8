"""A game with one person in it: its events, what it shows, hints and undo."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest

from hpenv.actions import FACE_DOWN, N_ACTIONS, PASS
from hpenv.agents import agent as agents_by_name
from hpenv.agents.human.game import Event, Game
from hpenv.agents.opinion import opinion_of
from hpenv.cards import CARD_TEXT, set_cards
from hpenv.errors import IllegalAction, illegal_action
from hpenv.notation import parse_record, record_text, replay
from hpenv.rulebook import legal_actions
from hpenv.seats import NOBODY, SEAT_LETTERS
from human_games import RULES, arguments, choose, ended, error_of, new, step


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", RULES)
def test_a_game_is_played_to_its_end_and_every_action_is_an_event(name: str, seed: int) -> None:
    rng, seat = random.Random(f"{name} {seed}"), seed % 4
    game = new(name, seed, seat)
    watched: list[Event] = []
    events = list(game.events)
    game.watch = watched.append
    while not game.is_over:
        assert game.deal_is_over or game.view.to_act == seat
        events += step(game, rng)
    assert [id(event) for event in watched] == [
        id(event) for event in events[len(events) - len(watched) :]
    ]
    records = game.records
    assert [event.deal for event in events] == [
        number for number, record in enumerate(records, 1) for _ in record.actions
    ]
    done = [action for record in records for action in record.actions]
    for event, action in zip(events, done, strict=True):
        assert event.action in (action, FACE_DOWN)
        assert event.view.seat == seat
        assert event.view.history[event.view.history_length - 1] == event.action
    for record in records:
        played = replay(parse_record(record_text(record)))
        assert record.points == played.points
    view = game.view
    assert (view.deals_played, view.legal) == (len(records), 0)
    assert view.winner != NOBODY or len(records) == game.rules.max_deals
    with pytest.raises(ValueError, match="the game is over"):
        game.next_deal()
    with pytest.raises(IllegalAction, match="the deal is over"):
        game.do("pass")


@pytest.mark.parametrize("seed", range(4))
def test_the_last_card_of_a_trick_comes_with_its_winner(seed: int) -> None:
    game = ended("standard", seed)
    while game.view.maker == NOBODY:
        game.next_deal()
        while not game.deal_is_over:
            game.do(set_cards(int(game.view.legal))[0])
    deal = replay(game.records[-1])
    events = [event for event in Game(**arguments(game)).events if event.deal == len(game.records)]
    winners = [SEAT_LETTERS[event.trick_won_by] for event in events if event.trick_won_by != NOBODY]
    assert winners[:-1] == deal.leaders[1:]
    sides = [winner in "EW" for winner in winners]
    assert (len(sides) - sum(sides), sum(sides)) == deal.tricks
    assert events[-1].trick_won_by != NOBODY


@pytest.mark.parametrize("seed", range(3))
def test_an_illegal_action_is_an_error_that_names_the_rule_and_changes_nothing(seed: int) -> None:
    game, rng = new("pepper", seed), random.Random(seed)
    while not game.deal_is_over:
        table, events = game._table, game.events
        before = table.tobytes()
        for action in range(N_ACTIONS):
            if not legal_actions(table) >> action & 1:
                with pytest.raises(IllegalAction, match=re.escape(str(illegal_action(table, action)))):
                    game.do(action)
        for nothing in (-1, 39, 1.5, None):
            with pytest.raises(IllegalAction, match="no such action"):
                game.do(nothing)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="no such action: 'nonsense'"):
            game.do("nonsense")
        with pytest.raises(ValueError, match="the deal is not over"):
            game.next_deal()
        assert (table.tobytes(), game.events) == (before, events)
        step(game, rng)


@pytest.mark.parametrize("seed", range(8))
def test_the_person_is_shown_nothing_hidden(seed: int) -> None:
    """Before the deal is over no view, event or text knows a card that is neither the person's nor
    played; nor, afterwards, the discard of another seat."""
    rng, seat = random.Random(seed), seed % 4
    game = new("house", seed, seat)
    while not game.deal_is_over:
        step(game, rng)
    record = game.records[-1]
    if record.actions.count(PASS) == 4 or game.view.maker == seat:
        return
    discard = CARD_TEXT[int(game._table.discard)]
    held, played = set(record.hands[seat]), set[int]()
    for event in Game(**arguments(game)).events:
        if event.action < FACE_DOWN - 14:
            played.add(event.action)
        known = held | played
        shown = set(re.findall(r"\b(?:[9TJQKA][CDHS]|Jo)\b", f"{event.view} {event.text}"))
        assert shown <= {CARD_TEXT[card] for card in known}, record_text(record)
        assert discard not in shown
    assert discard not in str(game.view) + game.result
    cards = game.open_cards
    assert cards.discard is None
    assert cards.widow is None
    assert int(game._table.discard) not in [card for hand in cards.hands for card in hand or ()]


def test_all_cards_are_shown_after_a_practice_deal_and_else_only_those_played() -> None:
    kinds = set()
    for seed in range(30):
        game = ended("standard", seed)
        record, table, cards = game.records[-1], game._table, game.open_cards
        practice = Game(**(arguments(game) | {"practice": True})).open_cards
        assert practice.hands == record.hands
        assert practice.widow == record.widow
        for seat in range(4):
            hidden = bool(int(table.sitting_out) >> seat & 1) or table.maker == NOBODY
            if seat != game.seat:
                assert (cards.hands[seat] is None) == hidden
                assert set(cards.hands[seat] or ()) == set(set_cards(int(table.played[seat])))
            else:
                assert len(cards.hands[seat] or ()) == 6
            kinds.add((seat == game.seat, hidden))
        own = table.maker == game.seat
        assert (cards.widow is not None, cards.discard is not None) == (own, own)
        assert practice.discard == (None if table.maker == NOBODY else table.discard)
    assert len(kinds) == 4
    with pytest.raises(ValueError, match="the deal is not over"):
        _ = new("standard", 1).open_cards
    with pytest.raises(ValueError, match="the deal is not over"):
        _ = new("standard", 1).result


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"rules": "nope"}, "no preset 'nope'"),
        ({"seed": -1}, "seed: -1"),
        ({"seed": True}, "seed: True"),
        ({"seed": 1 << 64}, "seed"),
        ({"seat": 4}, "seat: 4"),
        ({"seat": "S"}, "seat: 'S'"),
        ({"agents": "nobody"}, "no agent 'nobody'"),
        ({"agents": ["uniform"] * 3}, "3 named for four seats"),
        ({"agents": ["uniform", None, "uniform", "uniform"]}, "none is named for East"),
        ({"practice": 1}, "practice: 1"),
        ({"deals": [["pass", "nonsense"]]}, "deal 1, action 2, 'nonsense': no such action"),
    ],
)
def test_wrong_arguments_are_errors_that_name_them(wrong: dict[str, Any], says: str) -> None:
    right: dict[str, Any] = {"rules": "standard", "seed": 1, "seat": 2, "agents": "uniform"}
    with pytest.raises(ValueError, match=re.escape(says)):
        Game(**(right | wrong))


def test_an_agent_that_breaks_a_rule_is_named_and_its_cards_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Cheat:
        name = "cheat"

        def act(self, views: Any, streams: Any) -> Any:
            return np.full(len(views), CARD_TEXT.index("AS"))

    monkeypatch.setattr("hpenv.agents.human.game.make_player", lambda name: Cheat())
    sentences = [error_of(lambda s=seat: Game("standard", 1, s, "uniform")) for seat in range(4)]
    assert sentences.count("agent cheat breaks rule R5") == 3
    assert sentences.count(None) == 1  # whoever opens the auction is asked before any agent


def test_a_hint_is_an_agents_opinion_of_the_persons_view_and_changes_nothing() -> None:
    game = new("standard", 3)
    before = game._table.tobytes()
    found = game.hint(["rule_based", "uniform"])
    assert list(found) == ["rule_based", "uniform"]
    for name, opinion in found.items():
        expected = opinion_of(agents_by_name.make_agent(name), game.view)
        assert opinion.action == expected.action
        assert opinion.probabilities.tolist() == expected.probabilities.tolist()
        assert int(game.view.legal) >> opinion.action & 1
    assert game._table.tobytes() == before
    with pytest.raises(ValueError, match="no agent 'nobody'"):
        game.hint(["nobody"])
    with pytest.raises(ValueError, match="not your turn"):
        ended("standard", 3).hint(["uniform"])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", RULES)
def test_an_action_taken_back_and_done_again_has_the_same_consequences(name: str, seed: int) -> None:
    rng, seat = random.Random(f"{name} {seed}"), (seed + 1) % 4
    game = new(name, seed, seat, practice=True)
    other = 0
    while not game.is_over:
        if game.deal_is_over:
            game.next_deal()
            continue
        before = game._table.tobytes()
        action = choose(game, rng)
        game.do(action)
        after, texts = game._table.tobytes(), [event.text for event in game.events]
        game.undo()
        assert game._table.tobytes() == before
        assert game.events == []
        if rng.random() < 0.3:  # something else in between leaves no trace
            game.do(rng.choice(set_cards(int(game.view.legal))))
            other += game._table.tobytes() != after
            game.undo()
        game.do(action)
        assert game._table.tobytes() == after
        assert [event.text for event in game.events] == texts
    assert other


def test_all_of_a_deal_can_be_taken_back_step_by_step_but_not_the_deal_before() -> None:
    game, rng = new("standard", 5, practice=True), random.Random(5)
    while not game.deal_is_over:
        step(game, rng)
    game.next_deal()
    start = game._table.tobytes()
    positions = []
    while not game.deal_is_over:
        positions.append(game._table.tobytes())
        step(game, rng)
    for position in reversed(positions):
        game.undo()
        assert game._table.tobytes() == position
    assert game._table.tobytes() == start
    with pytest.raises(ValueError, match="nothing in this deal yet"):
        game.undo()
    assert game._table.tobytes() == start
    assert len(game.records) == 1


def test_actions_are_taken_back_in_practice_only() -> None:
    game = ended("standard", 1)
    before = game._table.tobytes()
    with pytest.raises(ValueError, match="in practice only"):
        game.undo()
    assert game._table.tobytes() == before
