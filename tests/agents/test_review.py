"""A deal looked back on: what each choice lost with all hands open, and against what could be known."""

from __future__ import annotations

import numpy as np
import pytest

from hand_solved import ONE_TRICK, TWO_TRICKS
from hpenv.actions import ACTION_TEXT, N_ACTIONS
from hpenv.agents.analysis.review import Choice, review, totals, worst
from hpenv.agents.opinion import Opinion
from hpenv.cards import set_cards
from hpenv.notation import parse_record
from hpenv.view import View

NORTH, EAST, SOUTH, WEST = range(4)


class Likes:
    """Expects two points of the action it is told to like, and none of any other."""

    name = "likes"

    def __init__(self, liked: str) -> None:
        self.liked = ACTION_TEXT.index(liked)
        self.seen: list[View] = []

    def opinion(self, view: View, stream: object) -> Opinion:
        self.seen.append(view)
        legal = set_cards(int(view.legal))
        points = np.full(N_ACTIONS, np.nan)
        points[legal] = 0.0
        if self.liked in legal:
            points[self.liked] = 2.0
        return Opinion(legal[0], np.zeros(N_ACTIONS), points, points)

    def act(self, views: object, streams: object) -> object:
        raise NotImplementedError


def lost(choices: list[Choice]) -> list[tuple[str, str, int | None, float]]:
    return [
        ("NESW"[choice.seat], ACTION_TEXT[choice.action], choice.lost_open, choice.lost_known)
        for choice in choices
        if choice.is_lost
    ]


def test_with_all_hands_open_the_losses_are_those_worked_out_by_hand() -> None:
    """In the deal of one trick going alone costs two points; in that of two the lead of AC does."""
    choices = review(parse_record(ONE_TRICK), Likes("alone"))
    assert lost(choices) == [
        ("N", "alone", 2, 0.0),
        ("E", "with partner", 0, 2.0),
        ("W", "with partner", 0, 2.0),
    ]
    (alone,) = [choice for choice in choices if choice.lost_open]
    assert (alone.at, alone.trick, alone.best_open) == (3, 0, (ACTION_TEXT.index("with partner"),))
    (lead,) = [c for c in review(parse_record(TWO_TRICKS), Likes("pass")) if c.lost_open]
    assert (ACTION_TEXT[lead.action], lead.lost_open, lead.trick) == ("AC", 4, 1)
    assert lead.best_open == (ACTION_TEXT.index("Jo"),)


def test_forced_choices_are_left_out_and_calls_have_no_open_loss() -> None:
    """Cards of one-card hands are forced; the only call made is North's bid of one."""
    choices = review(parse_record(ONE_TRICK), Likes("pass"))
    assert [c.at for c in choices] == [0, 1, 2, 3, 4, 5]
    assert (choices[0].lost_open, choices[0].best_open) == (None, ())
    assert (choices[0].lost_known, ACTION_TEXT[choices[0].best_known]) == (2.0, "pass")


def test_a_seat_by_itself_shows_the_search_no_view_but_its_own() -> None:
    agent = Likes("pass")
    choices = review(parse_record(TWO_TRICKS), agent, [WEST], is_open=False)
    assert {int(view.seat) for view in agent.seen} == {WEST}
    assert {choice.lost_open for choice in choices} == {None}
    assert [choice.seat for choice in choices] == [WEST] * len(choices)


def test_the_worst_come_first_by_what_could_be_known_then_by_the_open_hands() -> None:
    def choice(at: int, lost_open: int | None, lost_known: float) -> Choice:
        return Choice(at, EAST, 0, 1, lost_open, (1,), lost_known, 1)

    losses = [(3, 0.0), (None, 0.5), (0, 0.0), (2, 0.5), (1, 2.0)]
    choices = [choice(at, *lost) for at, lost in enumerate(losses)]
    assert [c.at for c in worst(choices)] == [4, 3, 1]
    assert [c.at for c in worst(choices, 9)] == [4, 3, 1, 0]
    assert totals(choices) == [(0, 0.0), (6, 3.0), (0, 0.0), (0, 0.0)]


def test_a_search_finds_the_lost_lead_and_an_agent_without_points_is_an_error() -> None:
    """Whoever counts trumps sees that the Joker draws them first: pimc finds it without the cards."""
    found = review(parse_record(TWO_TRICKS), "pimc:worlds=50")
    (lead,) = [c for c in found if c.seat == NORTH and c.trick == 1]
    assert lead.lost_known > 0.5
    assert ACTION_TEXT[lead.best_known] == "Jo"
    assert found == review(parse_record(TWO_TRICKS), "pimc:worlds=50")
    with pytest.raises(ValueError, match="rule_based does not say what points it expects"):
        review(parse_record(TWO_TRICKS), "rule_based")
