"""A game with one person in it: what it shows, what it refuses, taken back, saved and resumed."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hpenv.actions import ACTION_TEXT, ALONE, FACE_DOWN, N_ACTIONS, PASS
from hpenv.agents import agent as agents_by_name
from hpenv.agents.human.game import Event, Game
from hpenv.agents.human.saved_game import as_json, from_json, resume, save
from hpenv.agents.opinion import opinion_of
from hpenv.cards import CARD_TEXT, set_cards
from hpenv.errors import IllegalAction, illegal_action
from hpenv.notation import parse_record, record_text, replay
from hpenv.rules import Rules, get_rules
from hpenv.seats import NOBODY, SEAT_LETTERS

RULES: dict[str, Any] = {
    "standard": {"target": 4, "max_deals": 4},
    "pepper": {"bidding": "pepper", "max_deals": 3},
    "house": {
        "bidding": "pepper",
        "set_penalty": "bid",
        "defenders_score": True,
        "alone_factor": 2,
        "all_pass": "dealer_bids",
        "max_deals": 4,
    },
    "three cards": {"hand_size": 3, "target": 3, "max_deals": 4, "defenders_score": True},
}
CHANCY = ("uniform", "sensible_random", "mixed:rule_based,lead=uniform", "uniform")


def choose(game: Game, rng: random.Random) -> int:
    """A legal action; passes and lone hands favoured, so that every kind of deal comes up."""
    legal = set_cards(int(game.view.legal))
    for favoured, chance in ((PASS, 0.5), (ALONE, 0.5)):
        if favoured in legal and rng.random() < chance:
            return favoured
    return rng.choice(legal)


def step(game: Game, rng: random.Random) -> list[Event]:
    """One more action of the person, or the next deal."""
    return game.next_deal() if game.deal_is_over else game.do(choose(game, rng))


def new(name: str, seed: int, seat: int = 2, agents: Any = CHANCY, practice: bool = False) -> Game:
    return Game(get_rules(RULES[name]), seed, seat, agents, practice)


def ended(name: str, seed: int, seat: int = 2, practice: bool = False) -> Game:
    """A deal played to its end."""
    game, rng = new(name, seed, seat, practice=practice), random.Random(seed)
    while not game.deal_is_over:
        step(game, rng)
    return game


# ---- the game ---------------------------------------------------------------------------------


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
def test_the_winner_of_each_trick_is_told_with_its_last_card(seed: int) -> None:
    game = ended("standard", seed)
    while game.view.maker == NOBODY:
        game.next_deal()
        while not game.deal_is_over:
            game.do(set_cards(int(game.view.legal))[0])
    deal = replay(game.records[-1])
    told = [event for event in Game(**arguments(game)).events if event.deal == len(game.records)]
    winners = [SEAT_LETTERS[event.trick_won_by] for event in told if event.trick_won_by != NOBODY]
    assert winners[:-1] == deal.leaders[1:]
    sides = [winner in "EW" for winner in winners]
    assert (len(sides) - sum(sides), sum(sides)) == deal.tricks
    assert told[-1].trick_won_by != NOBODY


def arguments(game: Game) -> dict[str, Any]:
    """What makes the same game once more."""
    deals = [[ACTION_TEXT[action] for action in deal.actions] for deal in game.so_far]
    return {
        "rules": game.rules,
        "seed": game.seed,
        "seat": game.seat,
        "agents": game.agents,
        "practice": game.practice,
        "deals": deals,
    }


@pytest.mark.parametrize("seed", range(3))
def test_what_is_illegal_is_refused_in_the_words_of_the_rules_and_nothing_happens(seed: int) -> None:
    game, rng = new("pepper", seed), random.Random(seed)
    while not game.deal_is_over:
        table, events = game._table, game.events
        before = table.tobytes()
        for action in range(N_ACTIONS):
            if not table.legal() >> action & 1:
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


def test_after_a_practice_deal_all_cards_are_laid_open_and_else_only_those_played() -> None:
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
def test_wrong_arguments_get_a_sentence(wrong: dict[str, Any], says: str) -> None:
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
    sentences = [refusal_of(lambda s=seat: Game("standard", 1, s, "uniform")) for seat in range(4)]
    assert sentences.count("agent cheat breaks rule R5") == 3
    assert sentences.count(None) == 1  # whoever opens the auction is asked before any agent


# ---- hints ------------------------------------------------------------------------------------


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


# ---- taking back ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", RULES)
def test_taken_back_and_done_again_comes_to_the_same(name: str, seed: int) -> None:
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
        after, told = game._table.tobytes(), [event.text for event in game.events]
        game.undo()
        assert game._table.tobytes() == before
        assert game.events == []
        if rng.random() < 0.3:  # something else in between leaves no trace
            game.do(rng.choice(set_cards(int(game.view.legal))))
            other += game._table.tobytes() != after
            game.undo()
        game.do(action)
        assert game._table.tobytes() == after
        assert [event.text for event in game.events] == told
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


def test_nothing_is_taken_back_but_in_practice() -> None:
    game = ended("standard", 1)
    before = game._table.tobytes()
    with pytest.raises(ValueError, match="in practice only"):
        game.undo()
    assert game._table.tobytes() == before


# ---- on disk ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", RULES)
def test_saved_and_resumed_at_every_step_the_game_is_the_same(
    name: str, seed: int, tmp_path: Path
) -> None:
    seat, file, practice = seed % 4, tmp_path / "game.json", seed == 1
    whole, broken = (new(name, seed, seat, practice=practice) for _ in range(2))
    rngs = [random.Random(seed) for _ in range(2)]
    while not whole.is_over:
        save(broken, file)
        broken = resume(file)
        assert broken._table.tobytes() == whole._table.tobytes()
        assert broken.view.tobytes() == whole.view.tobytes()
        for game, rng in zip((whole, broken), rngs, strict=True):
            if practice and rng.random() < 0.3:
                with suppress(ValueError):  # nothing to take back yet
                    game.undo()
            else:
                step(game, rng)
    assert broken.is_over
    assert as_json(whole) == as_json(broken)
    assert [record_text(r) for r in whole.records] == [record_text(r) for r in broken.records]


@pytest.mark.parametrize("seed", range(4))
def test_a_game_broken_off_at_an_agents_turn_goes_on_as_it_would_have(seed: int) -> None:
    game, rng = new("standard", seed), random.Random(seed)
    snapshots: list[dict[str, Any]] = []
    game.watch = lambda event: snapshots.append(as_json(game))
    for _ in range(12):
        snapshots.clear()
        (game.next_deal if game.deal_is_over else lambda: game.do(choose(game, rng)))()
        for snapshot in snapshots:
            assert as_json(from_json(json.loads(json.dumps(snapshot)))) == as_json(game)
        if game.is_over:
            break


def test_a_crash_while_saving_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, file = new("standard", 1), tmp_path / "game.json"
    save(game, file)
    before = file.read_bytes()
    game.do(PASS)

    def crash(number: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", crash)
    with pytest.raises(OSError, match="no space"):
        save(game, file)
    assert file.read_bytes() == before
    resume(file)


def refusal_of(attempt: Callable[[], Any]) -> str | None:
    """The sentence of the ValueError that an attempt raises, or None if it raises none."""
    try:
        attempt()
    except ValueError as error:
        return str(error)
    return None


def saved(**changes: Any) -> dict[str, Any]:
    """A sound saved game, some keys changed."""
    return as_json(new("standard", 1, agents="rule_based")) | changes


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"format": 2}, "format 2, but this program reads format 1"),
        ({"format": "1"}, "format is '1'"),
        ({"format": True}, "format"),
        ({"rules": "nope"}, "no preset 'nope'"),
        ({"rules": {"hand_size": 9}}, "hand_size=9"),
        ({"rules": 3}, "neither a preset's name"),
        ({"seed": "1"}, "seed is '1'"),
        ({"seed": -5}, "seed: -5"),
        ({"seat": "X"}, "seat is 'X'"),
        ({"seat": "NE"}, "seat is 'NE'"),
        ({"seat": "N"}, "agents are not named"),
        ({"agents": {"N": "uniform", "E": "uniform"}}, "agents are not named"),
        ({"agents": {"N": "uniform", "E": "uniform", "W": 3}}, "agents are not named"),
        ({"agents": {"N": "uniform", "E": "uniform", "W": "os.system"}}, "no agent 'os.system'"),
        ({"practice": 1}, "practice is 1"),
        ({"hands": {"N": "Jo JH"}}, "'hands' is no part of a saved game"),
        ({"table": "..."}, "'table' is no part of a saved game"),
        ({"streams": [1, 2, 3, 4]}, "'streams' is no part of a saved game"),
        ({"deals": []}, "deals is not"),
        ({"deals": ["pass"]}, "deals is not"),
        ({"deals": [[25]]}, "deals is not"),
        ({"deals": [["open"]]}, "deal 1, action 1, 'open': no such action"),
        ({"deals": [["face down"]]}, "no such action"),
        ({"deals": [["bid 7"]]}, "no such action"),
        ({"deals": [["big pepper"]]}, "'big pepper': not legal there (R7)"),
        ({"deals": [["bid 3", "bid 3"]]}, "deal 1, action 2, 'bid 3': not legal there (R5)"),
        ({"deals": [["trump H"]]}, "not legal there (R8)"),
        ({"deals": [["AS"]]}, "not legal there (R5)"),
        ({"deals": [["bid 6", "trump H", *["AS", "AH", "AD"]]]}, "not legal there (R8)"),
        ({"deals": [["pass"], []]}, "deal 1 is not over, and deal 2 follows"),
        ({"deals": [["pass"] * 4, ["pass"] * 5]}, "deal 2, action 5, 'pass': not legal there (over)"),
        ({"rules": {"max_deals": 1}, "deals": [["pass"] * 4, []]}, "the game is over after deal 1"),
    ],
)
def test_a_forged_save_is_refused_in_one_sentence_that_names_the_file(
    changes: dict[str, Any], says: str, tmp_path: Path
) -> None:
    file = tmp_path / "game.json"
    file.write_text(json.dumps(saved()))
    resume(file)
    file.write_text(json.dumps(saved(**changes)))
    with pytest.raises(ValueError, match=re.escape(says)) as caught:
        resume(file)
    assert str(caught.value).startswith(f"{file}: not a saved game, or damaged: ")
    assert "\n" not in str(caught.value)


def test_a_refused_card_tells_no_hand(tmp_path: Path) -> None:
    """The sentence for a forged card names that card, and none of those its seat holds."""
    game, rng = new("standard", 4, agents="rule_based"), random.Random(4)
    while not game.view.tricks_played:
        step(game, rng)
    data = as_json(game)
    refused = 0
    for at in range(len(data["deals"][-1])):
        if data["deals"][-1][at] not in CARD_TEXT:
            continue
        for card in CARD_TEXT:
            forged = json.loads(json.dumps(data))
            forged["deals"][-1][at:] = [card]
            sentence = refusal_of(lambda data=forged: from_json(data))
            refused += sentence is not None
            assert set(re.findall(r"\b(?:[9TJQKA][CDHS]|Jo)\b", sentence or card)) == {card}
    assert refused > 20


@pytest.mark.parametrize("key", list(saved()))
def test_a_save_that_lacks_a_part_is_refused(key: str) -> None:
    data = saved()
    del data[key]
    with pytest.raises(ValueError, match=f"'{key}' is missing"):
        from_json(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00\xff\xfe",
        b"null",
        b"[]",
        b"3",
        b"[" * 100_000,
        b'{"format": 1, "format": 1}',
        b'{"format": ' + b"9" * 5000 + b"}",
        b"\x80\x04K\x01.",  # a pickle
        json.dumps(saved()).encode()[:-1],
        json.dumps(saved()).encode() + b"}",
        json.dumps(saved()).encode("utf-16"),
        json.dumps(saved()).replace('"seed": 1', '"seed": NaN').encode(),
    ],
)
def test_a_damaged_file_is_refused_in_one_sentence(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    file.write_bytes(data)
    sentence = refusal_of(lambda: resume(file))
    if sentence is None:
        assert data.startswith(b"\xff\xfe"), "only another encoding of the same text may pass"
        assert as_json(resume(file)) == saved()
    else:
        assert sentence.startswith(f"{file}: not a saved game, or damaged: ")
        assert len(sentence) < len(str(file)) + 300


@pytest.mark.parametrize("seed", range(2))
def test_every_cut_and_many_bit_flips_are_refused_or_a_legal_game(seed: int, tmp_path: Path) -> None:
    game, rng = new("three cards", seed, agents="rule_based"), random.Random(seed)
    while not game.deal_is_over:
        step(game, rng)
    file = tmp_path / "game.json"
    whole = json.dumps(as_json(game)).encode()
    damaged = [whole[:n] for n in range(len(whole))]
    for _ in range(150):
        flipped = bytearray(whole)
        flipped[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        damaged.append(bytes(flipped))
    refused = 0
    for data in damaged:
        file.write_bytes(data)
        sentence = refusal_of(lambda: resume(file))
        if sentence is None:
            for record in resume(file).so_far:
                replay(record)
        else:
            refused += 1
            assert sentence.startswith(f"{file}: ")
    assert refused >= len(whole)


def test_a_missing_file_is_the_systems_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        resume(tmp_path / "no.json")


def test_a_saved_game_holds_no_more_than_what_was_chosen_and_done() -> None:
    data = saved()
    assert sorted(data) == ["agents", "deals", "format", "practice", "rules", "seat", "seed"]
    assert from_json(data).rules == Rules(target=4, max_deals=4)
