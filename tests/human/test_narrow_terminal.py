"""Sixty columns suffice: the table, and lines broken between choices or words."""

from __future__ import annotations

import pytest
from rich.text import Text

from hpenv.agents.human.game import Game
from hpenv.agents.human.messages import choices
from hpenv.agents.human.table_text import WIDTH, table_text
from hpenv.agents.human.terminal import Quit
from hpenv.agents.human.wrapping import wrapped
from hpenv.rules import get_rules
from hpenv.view import view_of
from table_talk import red
from terminal import LONE_MARCH, Terminal, first_offer

NAMES = ["rule_based", "learned", None, "pimc:worlds=100"]


def test_the_table_by_hand() -> None:
    table = red("standard", "W", "bid 4, pass, pass, pass, trump H, TS, with partner, AH, QH")
    lines = str(table_text(view_of(table, 2), NAMES)).split("\n")
    assert [line.rstrip() for line in lines] == [
        "bid 4 by North, hearts trumps          score you 0, they 0",
        "deal 1, game to 10                    tricks you 0, they 0",
        "",
        "                       North maker",
        "                       club: bid 4",
        "                           AH*",
        "West dealer           --        QH  East",
        "pimc:worlds=100: pass               expert: pass",
        "                           --",
        "                          [You]",
        "                           pass",
    ]


@pytest.mark.parametrize("actions", ["", "bid 4", LONE_MARCH, LONE_MARCH + ", JH, QH"])
@pytest.mark.parametrize("rules", ["standard", "house"])
def test_the_table_is_narrow_and_shows_no_hidden_card(rules: str, actions: str) -> None:
    table = red(rules, "W", actions)
    for seat in range(4):
        view = view_of(table, seat)
        agents = [None if other == seat else "rule_based" for other in range(4)]
        for line in str(table_text(view, agents)).split("\n"):
            assert len(line) <= WIDTH < 60, line


def test_lines_are_broken_between_choices_and_never_within_a_word() -> None:
    line = "you may say:  0 pass  3 bid 3  4 bid 4  5 bid 5  6 bid 6 (little pepper)  7 big pepper"
    assert str(wrapped(line, 60)).split("\n") == [
        "you may say:  0 pass  3 bid 3  4 bid 4  5 bid 5",
        "    6 bid 6 (little pepper)  7 big pepper",
    ]
    sentence = "South must follow hearts (R11): holds 9H JD, tried AS; help explains everything else"
    assert str(wrapped(Text(sentence), 60)).split("\n") == [
        "South must follow hearts (R11): holds 9H JD, tried AS; help",
        "    explains everything else",
    ]
    styled = Text("short ").append("bold", "bold")
    assert wrapped(styled, 60).spans == styled.spans
    assert str(wrapped("one\n\ntwo", 60)) == "one\n\ntwo"


@pytest.mark.parametrize("name", ["standard", "house"])
def test_nothing_that_is_said_in_a_game_is_wider_than_sixty_columns(name: str) -> None:
    rules = get_rules(get_rules(name).differences() | {"max_deals": 2})
    terminal = Terminal(first_offer)
    narrow = terminal.write

    def write(text: object) -> None:
        whole = wrapped(text if isinstance(text, Text) else str(text), 60)
        assert [word for word in str(text).split() if word not in str(whole).split()] == []
        assert all(len(line.rstrip()) <= 60 for line in str(whole).split("\n")), whole
        narrow(text)

    terminal.write = write  # type: ignore[method-assign]
    game = Game(rules, 3, 2, "rule_based", practice=True)
    human = terminal.human(game, hints=["rule_based"])
    human.greet()
    human.play()
    for command in ("help", "view", "cards", "sheet", "analysis"):
        terminal.answers = [command]
        with pytest.raises(Quit):  # nothing more is typed
            human.take_turn()
    assert not choices(game.view)
