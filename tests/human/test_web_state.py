"""What the server sends to the page, and that it never names a hidden card."""

from __future__ import annotations

import random

import pytest

from hpenv.cards import CARD_TEXT, set_cards
from hpenv.seats import SEAT_LETTERS
from hpenv.worlds import world_tables
from web_tab import (
    RULES,
    at_play,
    cards_in,
    choose,
    known_cards,
    new,
    served,
)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", RULES)
def test_no_answer_names_a_hidden_card(name: str, seed: int) -> None:
    rng, game = random.Random(f"{name} {seed}"), new(name, seed)
    with served(game) as tab:
        while True:
            tab.heard.clear()
            tab.state()
            if game.deal_is_over:
                before = known_cards(game)
                if game.is_over:
                    break
                for what in ("replay", "analysis"):
                    assert tab.ask("GET", f"{what}?deal={len(game.records)}")[0] == 200
            else:
                tab.at("hint")
                tried = rng.choice(sorted({*CARD_TEXT} - known_cards(game)))
                assert tab.act(tried)[0] == 409
                tab.act(choose(game, rng))
                before = known_cards(game)
            for answer in tab.heard:
                assert cards_in(answer) <= before, (game.so_far, answer)
            if game.deal_is_over:
                tab.at("next")
                assert cards_in(tab.heard[-1]) <= known_cards(game), game.so_far


def test_that_search_finds_the_cards_shown_in_practice() -> None:
    game, rng = new(practice=True), random.Random(1)
    with served(game) as tab:
        while not game.deal_is_over:
            tab.act(choose(game, rng))
        assert {*CARD_TEXT} - known_cards(game)
        tab.ask("GET", "replay?deal=1")
        assert cards_in(tab.heard[-1]) == {*CARD_TEXT}


@pytest.mark.parametrize("seed", range(4))
def test_redealing_the_hidden_cards_changes_no_byte(seed: int) -> None:
    """Whatever the others hold, the state and the hint are the same as long as the view is."""
    rng, game = random.Random(seed), new("house", seed)
    with served(game, ("rule_based", "uniform")) as tab:
        session, compared = tab.session, 0
        errors: dict[tuple[int, str], str] = {}
        while not game.is_over:
            if game.deal_is_over:
                tab.at("next")
                continue
            answer, hint = session.state(), session.hint(session.position)
            own = game._table
            for world in world_tables(game.view, 3, seed):
                game._table = world
                session._last_hint = (-1, None)
                session._publish()
                assert session.state() == answer, world
                assert session.hint(session.position) == hint, world
                for card in sorted({*CARD_TEXT} - known_cards(game))[:3]:
                    with pytest.raises(ValueError, match=r"^You|^The auction") as error:
                        session.act(session.position, "S", card)
                    said = str(error.value)
                    assert errors.setdefault((session.position, card), said) == said
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
            {"position": state["position"], "is_ready": True},
        )


def test_every_action_is_sent_once_and_in_order() -> None:
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


def test_the_analysis_opens_the_others_only_when_their_cards_are_open() -> None:
    """Before: the person's own choices, with no word of the open hands. When the game is over: all."""
    rng, game = random.Random(5), new(seed=5)
    with served(game) as tab:
        while not game.is_over:
            if not game.deal_is_over:
                tab.act(choose(game, rng))
                continue
            found = tab.ask("GET", f"analysis?deal={len(game.records)}")[1]
            assert not found["is_open"]
            assert {choice["seat"] for choice in found["choices"]} <= {"S"}
            assert {choice["lost_open"] for choice in found["choices"]} <= {None}
            tab.at("next")
        found = tab.ask("GET", "analysis?deal=1")[1]
        assert found["is_open"]
        assert {choice["seat"] for choice in found["choices"]} == {*SEAT_LETTERS}
        assert tab.ask("GET", "analysis?deal=9")[0] == 409


def test_the_advisers_say_when_they_are_ready() -> None:
    with served(new(agents="uniform"), ("rule_based", "nobody at all")) as tab:
        advisers, known = tab.session.advisers, f"state?since={tab.session.position}"
        advisers.is_ready = False
        assert not tab.ask("GET", known)[1]["is_ready"]
        advisers.get_ready()  # an agent that is none says so when it is asked
        assert tab.ask("GET", known)[1]["is_ready"]
        assert "nobody at all" in tab.at("hint")[1]["error"]
