"""A game at the terminal: what is shown, what can be typed, and how it ends."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

from hpenv.actions import ACTION_TEXT, N_ACTIONS
from hpenv.agents.human.game import Game
from hpenv.agents.human.messages import (
    choices,
)
from hpenv.agents.human.saved_game import as_json
from hpenv.agents.human.table_text import table_text
from hpenv.agents.human.terminal import COMMANDS, Quit
from hpenv.cards import CARD_TEXT, NO_CARD
from hpenv.errors import illegal_action
from hpenv.history import tricks_of
from hpenv.rules import Rules
from terminal import Terminal, first_number, first_offer, shown


@pytest.mark.parametrize("seat", range(4))
def test_a_game_goes_to_the_target_and_every_action_is_shown(seat: int) -> None:
    terminal = Terminal(first_offer)
    kept: list[Any] = []
    finished: list[Any] = []
    game = Game(Rules(target=4, defenders_score=True, bidding="pepper"), 7, seat, "uniform")
    human = terminal.human(game, keep=lambda g: kept.append(as_json(g)), finish=finished.append)
    human.play()
    assert game.is_over
    partner = ("South", "West", "North", "East")[seat]
    theirs = ("East and West", "North and South")[seat % 2]
    winners = f"You and {partner}" if game.view.winner == seat % 2 else theirs
    assert f"{winners} win the game." in terminal.said
    assert finished == game.records
    assert kept[-1] == as_json(game)
    actions = sum(len(deal.actions) for deal in finished)
    assert len(re.findall(r"^(?:North|East|South|West): ", terminal.said, re.M)) == actions
    assert len(re.findall(r"won the trick$", terminal.said, re.M)) == 6 * sum(
        deal.actions[-1] < len(CARD_TEXT) for deal in finished
    )
    assert len(re.findall(r"^--- deal \d+: \w+ deals", terminal.said, re.M)) == len(finished)


def test_the_game_is_broken_off_at_the_cap_or_after_so_many_deals() -> None:
    terminal = Terminal(first_offer)
    terminal.human(Game(Rules(max_deals=2), 1, 0, "uniform")).play()
    assert "After 2 deals nobody has won: the game is broken off." in terminal.said
    game = Game(Rules(), 1, 0, "uniform")
    Terminal(first_offer).human(game).play(deals=3)
    assert game.view.deals_played == 3


@pytest.mark.parametrize("practice", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_the_discard_of_others_is_shown_after_a_practice_deal_only(seed: int, practice: bool) -> None:
    terminal = Terminal(lambda said: "cards" if "\nEnter" in said[-200:] else first_offer(said))
    game = Game("house", seed, 2, "uniform", practice)
    answers = iter(["last", "view", "hint", "score", "cards"])

    def answer(said: str) -> str:
        if game.deal_is_over:
            word = next(answers, None)
            if word is None:
                raise EOFError
            return word
        return first_offer(said)

    terminal.answers = answer
    with pytest.raises(Quit):
        terminal.human(game).play()
    discard = game._table.discard
    assert discard != NO_CARD
    seen = CARD_TEXT[discard] in shown(terminal.said)
    assert seen == (practice or game.view.maker == 2)
    during = terminal.said.split("\nEnter")[0]
    if game.view.maker != 2:
        assert CARD_TEXT[discard] not in shown(during)


def test_a_bad_entry_gets_a_sentence_and_changes_nothing() -> None:
    game = Game("standard", 3, 2, "rule_based")
    wrong = [action for action in range(N_ACTIONS) if not int(game.view.legal) >> action & 1]
    entries = ["", "foo", "bid 7", "99", "\x00\x1b[2J", "undo", "cards", "hint"]
    entries += [ACTION_TEXT[action] for action in wrong] + ["help", "?", "score", "last"]
    terminal = Terminal(list(entries))
    before = game._table.tobytes()
    with pytest.raises(Quit):
        terminal.human(game).play()
    assert game._table.tobytes() == before
    for action in wrong:
        assert f"{illegal_action(game._table, action)}\n" in terminal.said
    for sentence in (
        "no such action: 'foo'",
        "no such action: 'bid 7'",
        "there is no choice 99 here (there are 0, ",
        "no such action: '\\x00\\x1b[2J'",
        "in practice only",
        "cards: the deal is not over",
        "hint: no agent is named for hints",
        "Type the number before a choice",
        "score North-South 0, East-West 0; 10 points win",
        "No trick has been played yet.",
    ):
        assert sentence in terminal.said
    assert terminal.said.count("you may say:") == 1


def test_the_table_is_drawn_with_the_tricks_and_who_sits_where() -> None:
    game = Game("standard", 3, 2, ["uniform", "rule_based", None, "sensible_random"])
    while not game.view.tricks_played:
        game.do(choices(game.view)[first_number(game)]) if game.view.legal else game.next_deal()
    terminal = Terminal(["view"])
    with pytest.raises(Quit):
        terminal.human(game).play()
    assert str(table_text(game.view, game.agents)) in terminal.said
    assert re.search(r"\nSouth \(you(, dealer)?\): ", terminal.said)
    assert re.search(r"\nNorth \(uniform, your partner(, dealer)?\): ", terminal.said)
    n = int(game.view.tricks_played)
    assert n >= 1
    assert re.findall(r"^trick (\d):", terminal.said, re.M) == [str(i) for i in range(1, n + 1)]


def test_every_command_is_in_the_help() -> None:
    terminal = Terminal(["help"])
    with pytest.raises(Quit):
        terminal.human(Game("standard", 3, 2, "rule_based")).play()
    for word in COMMANDS:
        assert re.search(rf"^(.*  )?{re.escape(word)} ", terminal.said, re.M) or word == "?"


def test_forced_cards_play_themselves_and_are_taken_back_with_the_choice_before() -> None:
    game = Game("standard", 3, 2, "uniform", practice=True)
    terminal = Terminal(lambda said: "quit" if "\nEnter" in said[-400:] else first_offer(said))
    with pytest.raises(Quit):
        terminal.human(game, plays_forced=True).play()
    asked = re.findall(r"^you may play:.*", terminal.said, re.M)
    own = [event for event in tricks_of(game.view) if 2 in dict(event.cards)]
    assert 0 < len(asked) < len(own)
    assert all("  2 " in line for line in asked)  # there was a choice each time
    n = int(game.view.history_length)
    again = Terminal(["undo"])
    with pytest.raises(Quit):
        again.human(game, plays_forced=True).play()
    assert game.view.history_length < n - 1
    assert game.view.legal & (game.view.legal - 1)  # more than one choice


def test_the_score_sheet_and_the_analysis_of_a_deal() -> None:
    for practice in (False, True):
        game = Game("standard", 3, 2, "rule_based", practice=practice)
        terminal = Terminal(["analysis", "sheet"])
        with pytest.raises(Quit):
            terminal.human(game).play()
        assert "analysis: no deal is finished yet" in terminal.said
        assert "No deal is finished yet." in terminal.said
        while not game.deal_is_over:
            game.do(choices(game.view)[first_number(game)])
        terminal = Terminal(["analysis", "sheet"])
        with pytest.raises(Quit):
            terminal.human(game).play()
        said = terminal.said.partition("Points lost against what could be known")[2]
        assert (re.search(r"^East +\d", said, re.M) is not None) == practice
        assert ("open hands follow" in said) != practice
        points = game.view.points.tolist()
        row = re.search(r"^1 +.* (\S+) +(\S+)   (\S+) : (\S+)$", said, re.M)
        assert row is not None
        assert [int(row[1]), int(row[2])] == points


def test_undo_shows_the_choices_again() -> None:
    game = Game("standard", 3, 2, "rule_based", practice=True)
    kept: list[Any] = []
    terminal = Terminal(["0", "undo", "undo", "6", "undo"])
    with pytest.raises(Quit):
        terminal.human(game, keep=lambda g: kept.append(as_json(g))).play()
    assert terminal.said.count("Taken back.") == 2
    assert terminal.said.count("nothing in this deal yet") == 1
    questions = re.findall(r"^you may say:.*", terminal.said, re.M)
    assert questions[0] == questions[-1]
    assert kept[-1] == as_json(Game("standard", 3, 2, "rule_based", practice=True))


def test_ctrl_c_and_the_end_of_input_leave_the_table() -> None:
    def interrupt(said: str) -> str:
        raise KeyboardInterrupt

    answers: list[Any] = [interrupt, [], ["QUIT"], ["q"], ["exit"]]
    for answer in answers:
        with pytest.raises(Quit):
            Terminal(answer).human(Game("standard", 1, 1, "uniform")).play()


def test_a_hint_that_needs_a_missing_package_is_a_sentence_and_the_game_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "hpenv.agents.learned", raising=False)
    game = Game("standard", 3, 2, "uniform")
    terminal = Terminal(["hint", first_number(game)])
    with pytest.raises(Quit):
        terminal.human(game, hints=["learned"]).play()
    how = "torch, which is not installed: pip install 'hpenv[train]'"
    assert f"\nagent 'learned' needs {how}\n" in terminal.said
    assert game.events
