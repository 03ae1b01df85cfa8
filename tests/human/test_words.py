"""What happens at a table, said to the person who sits there."""

from __future__ import annotations

import pytest

from hpenv.actions import ACTION_TEXT, FACE_DOWN, parse_action
from hpenv.agents.human.score_sheet import Line, score_sheet
from hpenv.agents.human.words import (
    action_words,
    illegal_words,
    preset_of,
    prompt,
    result_words,
    rules_words,
    side_words,
    waiting_words,
)
from hpenv.errors import illegal_action
from hpenv.notation import record_of
from hpenv.rules import PRESETS, Rules
from hpenv.seats import NOBODY
from hpenv.table import Table
from hpenv.view import view_of
from table_talk import red
from terminal import LONE_MARCH

NORTH, EAST, SOUTH, WEST = range(4)
OPENING = "bid 4, pass, pass, pass, trump H, TS, with partner"


def last(table: Table, own: int) -> str:
    n = int(table.history_length) - 1
    return action_words(view_of(table, own), int(table.history_seat[n]), int(table.history[n]), own)


@pytest.mark.parametrize(
    ("actions", "to_north", "to_south"),
    [
        ("bid 4", "You bid 4", "North bids 4"),
        ("bid 4, pass", "East passes", "East passes"),
        (
            "bid 4, pass, pass, pass",
            "West passes. You take the widow: the ten of spades",
            "West passes. North takes the widow",
        ),
        ("bid 4, pass, pass, pass, trump H", "You name trumps: hearts", "North names trumps: hearts"),
        ("bid 4, pass, pass, pass, trump H, TS", "You discard the ten of spades", "North discards"),
        (OPENING, "You play with partner", "North plays with partner"),
        (OPENING + ", AH", "You lead the ace of hearts", "North leads the ace of hearts"),
        ("bid 4, pass, pass, pass, trump H, TS, alone", "You play alone", "North plays alone"),
        (
            "bid 4, pass, pass, pass, trump H, TS, alone, with partner, alone",
            "West defends alone",
            "West defends alone",
        ),
        (
            "bid 4, pass, pass, pass, trump H, TS, alone, with partner",
            "East does not defend alone",
            "East does not defend alone",
        ),
    ],
)
def test_what_is_done(actions: str, to_north: str, to_south: str) -> None:
    table = red("standard", "W", actions)
    assert (last(table, NORTH), last(table, SOUTH)) == (to_north, to_south)


def test_pepper_bids_have_their_names() -> None:
    table = red("pepper", "W", "bid 6")
    assert last(table, SOUTH) == "North bids little pepper"
    assert prompt(view_of(table, EAST)) == "Pass, or bid more than little pepper."


@pytest.mark.parametrize(
    ("actions", "seat", "due"),
    [
        ("", NORTH, "Pass or bid."),
        ("bid 4", EAST, "Pass, or bid more than 4."),
        ("bid 4", NORTH, ""),
        ("bid 6", NORTH, "You have bid 6. Name the trumps."),
        ("bid 6, trump H", NORTH, "Hearts are trumps. Discard one card."),
        ("bid 6, trump H, TS", NORTH, "Will you play alone?"),
        ("bid 6, trump H, TS, alone", EAST, "North plays alone. Defend alone?"),
        ("bid 6, trump H, TS, with partner", NORTH, "Your lead."),
        ("bid 6, trump H, TS, with partner, AH", EAST, "Play a card."),
    ],
)
def test_what_is_due(actions: str, seat: int, due: str) -> None:
    assert prompt(view_of(red("standard", "W", actions), seat)) == due


def test_the_dealer_who_must_bid_and_whom_one_waits_for() -> None:
    table = red("house", "W", "pass, pass, pass")
    assert prompt(view_of(table, WEST)) == "Everybody has passed: you must bid."
    assert waiting_words(view_of(table, NORTH)) == "West to bid"
    assert waiting_words(view_of(red("standard", "W", OPENING), SOUTH)) == "North to lead"


@pytest.mark.parametrize(
    ("rules", "actions", "tried", "words"),
    [
        ("standard", OPENING + ", AH", "9S", "You must follow hearts."),
        ("standard", OPENING + ", AH", "AC", "You do not hold that card."),
        ("standard", "", "AC", "The auction is on: pass or bid."),
        ("standard", "bid 4", "bid 3", "You must bid more than 4, or pass."),
        ("standard", "bid 4", "big pepper", "There is no big pepper under these rules."),
        (
            "house", "pass, pass, pass", "pass",
            "Everybody has passed, and you are the dealer: you must bid.",
        ),
        ("standard", "bid 6", "AC", "You must name a trump suit now."),
        ("standard", "bid 6, trump H", "pass", "You must discard a card now."),
        ("standard", "bid 6, trump H, TS", "pass", "You must say alone or with partner now."),
        ("standard", "pass, pass, pass, pass", "pass", "The deal is over."),
    ],
)  # fmt: skip
def test_why_not(rules: str, actions: str, tried: str, words: str) -> None:
    table = red(rules, "W", actions)
    seat = EAST if table.to_act == NOBODY else int(table.to_act)
    action = parse_action(tried, 6)
    rule = illegal_action(table, action).rule
    assert illegal_words(view_of(table, seat), action, rule) == words


def ended(rules: str, actions: str) -> Table:
    """The deal played on with the first legal action each time."""
    table = red(rules, "W", actions)
    while table.to_act != NOBODY:
        table.step(table.legal_actions()[0])
    return table


def test_how_it_ends() -> None:
    thrown = red("standard", "W", "pass, pass, pass, pass")
    assert result_words(thrown, SOUTH) == ["Everybody passed: the deal is thrown in."]
    table = ended("standard", LONE_MARCH)
    took = int(table.tricks[0])
    verdict = "made" if took >= 4 else "set"
    assert result_words(table, NORTH)[0].startswith(f"You bid 4 alone, took {took}: {verdict}.")
    assert result_words(table, SOUTH)[0].startswith(f"North bid 4 alone, took {took}: {verdict}.")
    points = int(table.points[0])
    assert result_words(table, SOUTH)[1] == (
        f"You and North win {points} points; East and West win no points."
    )
    assert result_words(table, EAST)[1] == (
        f"You and West win no points; North and South win {points} points."
    )


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        ("standard", "Under these rules each trick won costs a point."),
        ("set_bid", "Under these rules a set costs the bid."),
    ],
)
def test_a_set_is_explained(rules: str, why: str) -> None:
    """East, with nothing, has bid six."""
    table = ended(rules, "pass, bid 6, trump C")
    assert int(table.tricks[1]) < 6
    lost = -int(table.points[1])
    head, points = result_words(table, EAST)
    assert head.startswith("You bid 6")
    assert ": set. " + why in head
    unit = "point" if lost == 1 else "points"
    assert (
        points == f"You and West lose {lost or 'no'} {unit}; North and South win no points." or not lost
    )


def test_the_end_of_the_game_is_told_to_winners_and_losers() -> None:
    table = ended("standard", LONE_MARCH)
    table.winner = 0
    assert result_words(table, SOUTH)[-1] == "You and North win the game."
    assert result_words(table, EAST)[-1] == "North and South win the game."
    table.winner, table.deals_played, table.max_deals = NOBODY, 3, 3
    assert result_words(table, EAST)[-1] == "After 3 deals nobody has won: the game is broken off."


def test_sides_and_rules_in_words() -> None:
    assert [side_words(side, WEST) for side in (0, 1)] == ["North and South", "You and East"]
    for name, rules in PRESETS.items():
        assert preset_of(rules) == rules_words(rules) == name
    assert preset_of(Rules(bidding="pepper", target=3)) == "pepper"
    odd = Rules(alone=False, target=5)
    assert preset_of(odd) is None
    assert rules_words(odd) == "no alone, target 5"


def test_the_score_sheet_has_a_line_for_each_deal() -> None:
    thrown = record_of(red("standard", "W", "pass, pass, pass, pass"))
    table = ended("standard", LONE_MARCH)
    took = int(table.tricks[0])
    points = (int(table.points[0]), int(table.points[1]))
    assert score_sheet([thrown, record_of(table)]) == [
        Line(NOBODY, "thrown in", 0, False, (0, 0), (0, 0)),
        Line(NORTH, "bid 4", took, took >= 4, points, points),
    ]


def test_a_discard_of_another_seat_is_never_named() -> None:
    table = red("standard", "W", "bid 6, trump H, TS")
    words = action_words(view_of(table, EAST), NORTH, FACE_DOWN, EAST)
    assert words == "North discards"
    assert ACTION_TEXT[int(table.discard)] == "TS"
