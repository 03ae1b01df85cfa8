"""What a person at the terminal reads: the hand, the choices, the situation, tricks and hints."""

from __future__ import annotations

import numpy as np
import pytest

from hpenv.actions import ACTION_TEXT, N_ACTIONS
from hpenv.agents.human.messages import (
    choices,
    choices_text,
    chosen,
    hand_text,
    hints_text,
    last_trick_text,
    widow_text,
)
from hpenv.agents.opinion import Opinion
from hpenv.cards import CARD_TEXT, set_cards
from hpenv.history import tricks_of
from hpenv.rulebook import legal_actions
from hpenv.view import view_of
from table_talk import mixed, red
from terminal import LONE_MARCH


def test_a_hand_is_shown_by_suits_trumps_first_with_playable_cards_marked() -> None:
    view = view_of(red("standard", "W", "bid 4, pass, pass, pass, trump H"), 0)
    assert str(hand_text(view, False)) == "hearts (trump) Jo JH AH KH   clubs AC   spades AS TS"
    assert str(hand_text(view, True)) == "♥ (trump) Jo JH AH KH   ♣ AC   ♠ AS TS"
    assert str(hand_text(view_of(red("standard", "W"), 0), False)) == (
        "Joker: Jo   spades AS   hearts AH KH JH   clubs AC"
    )
    table = red("standard", "W", "bid 4, pass, pass, pass, trump H, TS, with partner, Jo")
    assert str(hand_text(view_of(table, 1), False)) == (
        "hearts (trump) QH* TH*   clubs TC 9C   diamonds KD   spades 9S"
    )
    assert "*" not in str(hand_text(view_of(table, 2), False)), "it is not South's turn yet"


def test_tricks_in_words_with_their_winners() -> None:
    view = view_of(red("standard", "W", LONE_MARCH), 2)
    assert [[CARD_TEXT[card] for _, card in trick.cards] for trick in tricks_of(view)] == [
        ["9C", "JC", "AC"],
        ["Jo", "TH", "9D"],
    ]
    assert last_trick_text(view) == "trick 2: North Jo, East TH, West 9D; North won it"
    left_bower = "bid 4, pass, pass, pass, trump H, 9C, with partner, AH, KH, JD, JC"
    assert last_trick_text(view_of(mixed("standard", "W", left_bower), 0)).endswith("South won it")
    assert "No trick" in last_trick_text(view_of(red("standard", "W"), 0))


def test_the_widow_is_announced_and_named_to_its_taker_only() -> None:
    table = red("standard", "W", "bid 6")
    assert widow_text(view_of(table, 0)) == "You take the widow: TS"
    assert widow_text(view_of(table, 1)) == "North takes the widow"


def test_in_the_auction_the_number_is_the_bid() -> None:
    view = view_of(red("pepper", "W", "bid 2"), 1)
    assert {number: ACTION_TEXT[action] for number, action in choices(view).items()} == {
        **{"0": "pass", "3": "bid 3", "4": "bid 4", "5": "bid 5", "6": "bid 6", "7": "big pepper"}
    }
    assert str(choices_text(view, True)) == (
        "you may say:  0 pass  3 bid 3  4 bid 4  5 bid 5  6 bid 6 (little pepper)  7 big pepper"
    )


@pytest.mark.parametrize("actions", ["bid 6", "bid 6, trump H", "bid 6, trump H, AC", LONE_MARCH])
def test_every_legal_action_can_be_chosen_by_its_number_and_by_its_text(actions: str) -> None:
    table = red("standard", "W", actions)
    view = view_of(table, int(table.to_act))
    offered = choices(view)
    assert list(offered) == [str(n) for n in range(1, 1 + len(set_cards(legal_actions(table))))]
    assert sorted(offered.values()) == set_cards(legal_actions(table))
    for number, action in offered.items():
        assert chosen(view, number) == action
        assert chosen(view, ACTION_TEXT[action].lower()) == action
        assert f"  {number} {ACTION_TEXT[action]}" in str(choices_text(view, False))


def test_suits_name_trump_and_symbols_stand_for_letters() -> None:
    view = view_of(red("standard", "W", "bid 6"), 0)
    for words in ("H", "hearts", "Hearts", "trump h", "♥", "trump ♥", "3"):
        assert ACTION_TEXT[chosen(view, words)] == "trump H"
    later = view_of(red("standard", "W", "bid 6, trump H"), 0)
    assert chosen(later, "a♣") == CARD_TEXT.index("AC")
    for words in ("hearts", "9", "²", "-1", "1.0"):
        with pytest.raises(ValueError, match=r"no such action|no choice"):
            chosen(later, words)
    over = view_of(red("standard", "W", "pass, pass, pass, pass"), 0)
    with pytest.raises(ValueError, match="the deal is over"):
        chosen(over, "1")


def test_hints_in_words_with_their_numbers() -> None:
    probabilities, points, spread = np.zeros(N_ACTIONS), np.full((2, N_ACTIONS), np.nan), None
    probabilities[[25, 28]] = 0.25, 0.75
    points[0, [25, 28, 29]] = -0.5, 1.25, -2
    points[1, [25, 28]] = 1, 2.5
    spread = points[1]
    note = "too close to call, keeps the call of rule_based: pass is ahead by 0.10 points"
    text = hints_text(
        {
            "learned": Opinion(28, probabilities, points[1] * np.nan, points[1] * np.nan),
            "pimc": Opinion(28, probabilities, points[0], spread, 20, note),
        }
    )
    assert text.split("\n") == [
        "learned would choose bid 3",
        "  action          likely",
        "  bid 3              75%",
        "  pass               25%",
        "pimc would choose bid 3 (looked at 20 worlds)",
        "  action          likely  points  spread",
        "  bid 3              75%   +1.25    2.50",
        "  pass               25%   -0.50    1.00",
        "  bid 4               0%   -2.00       -",
        note,
    ]


def test_a_hint_names_bids_as_the_rules_do() -> None:
    """In pepper form the bid of all six tricks is little pepper (R7)."""
    view = view_of(red("pepper", "W", "bid 2"), 1)
    sure, unknown = np.zeros(N_ACTIONS), np.full(N_ACTIONS, np.nan)
    sure[31] = 1.0
    lines = hints_text({"uniform": Opinion(31, sure, unknown, unknown, view=view)}).split("\n")
    assert lines[0] == "uniform would choose little pepper"
    assert lines[2] == "  little pepper     100%"
    assert len(lines) == 2 + len(choices(view))
