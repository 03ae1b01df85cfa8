"""Agents' opinions as pictures, and where two agents disagree."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hpenv.actions import ACTION_TEXT, N_ACTIONS, PASS
from hpenv.agents.agent import make_agent, play_deals, streams_for
from hpenv.agents.analysis.disagreements import disagreements, played_out
from hpenv.agents.analysis.panel import ROWS_TOP, opinion_panel, opinions_of, opinions_text
from hpenv.agents.opinion import Opinion, call_text
from hpenv.cards import CARD_TEXT, set_cards
from hpenv.double_dummy import solve
from hpenv.drawing.cards import FACE_DOWN_TITLE
from hpenv.drawing.raster import rastered
from hpenv.notation import parse_record, positions
from hpenv.rulebook import PLAY
from hpenv.rules import get_rules
from hpenv.seats import N_SEATS
from hpenv.table import Table, new_tables
from hpenv.view import View, view_of
from hpenv.worlds import sample_worlds

DEAL = """
{"rules": "set_bid", "dealer": "E", "score": [0, 0],
 "hands": {"N": "KC AC TD TH AH Jo", "E": "JD JH QH TS JS QS",
           "S": "TC 9D QD 9H KH KS", "W": "9C JC QC KD AD AS"},
 "widow": "9S",
 "actions": ["bid 1", "bid 4", "pass", "pass", "pass", "trump C", "9S", "with partner",
             "KS", "AS", "KC", "TS", "AH", "JH", "9H", "9C", "KD", "TD", "JD", "9D",
             "QC", "AC", "JS", "TC", "QS", "QD", "AD", "Jo", "TH", "QH", "KH", "JC"]}
"""
TABLES = list(positions(parse_record(DEAL)))


def to_act(table: Table) -> View:
    return view_of(table, int(table.to_act))


class Teller:
    """Does the lowest legal action and says of each what it is told to say."""

    name = "teller"

    def __init__(self, points: dict[int, float]) -> None:
        self.points = points

    def act(self, views: Any, streams: Any) -> Any:
        return np.array([set_cards(view.legal)[0] for view in views])

    def opinion(self, view: View, stream: Any) -> Opinion:
        legal = set_cards(view.legal)
        probabilities, points = np.zeros(N_ACTIONS), np.full(N_ACTIONS, np.nan)
        probabilities[legal] = 1 / len(legal)
        for action in legal:
            points[action] = self.points.get(action, 0.0)
        spread = np.where(np.isnan(points), np.nan, 2.0)
        return Opinion(legal[0], probabilities, points, spread, worlds=16)


class Highest:
    """Does the highest legal action."""

    name = "highest"

    def act(self, views: Any, streams: Any) -> Any:
        return np.array([set_cards(view.legal)[-1] for view in views])


class Sometimes(Teller):
    """Does the lowest legal action, and gives it a probability that depends on who is asked."""

    def __init__(self, sure: float) -> None:
        super().__init__({})
        self.sure = sure

    def probabilities(self, views: Any) -> Any:
        found = np.zeros((len(views), N_ACTIONS))
        for row, view in zip(found, views, strict=True):
            legal = set_cards(view.legal)
            row[legal[-1]] = 1 - self.sure
            row[legal[0]] += self.sure
        return found


# ---- the panel ----------------------------------------------------------------------------------


@pytest.mark.parametrize("at", range(len(TABLES) - 1))
def test_every_position_is_drawn_with_every_legal_action_named(at: int) -> None:
    view = to_act(TABLES[at])
    drawn = opinion_panel(view, ["rule_based", Teller({})])
    said = re.search(r"<desc>(.*?)</desc>", drawn, re.S)
    assert said
    for action in set_cards(view.legal):
        assert len(re.findall(rf"^  {ACTION_TEXT[action]} +\d", said[1], re.M)) == 2, ACTION_TEXT[
            action
        ]
    rows = re.findall(r'y="([\d.]+)" width="972" height="34"', drawn)
    assert len(rows) == len(set_cards(view.legal))
    assert rastered(drawn, 400).shape[1] == 400


@pytest.mark.parametrize("at", range(0, len(TABLES) - 1, 5))
def test_the_panel_depends_on_nothing_hidden(at: int) -> None:
    """Other hidden cards give the same picture, letter by letter, and no hidden card is in it."""
    table = TABLES[at].copy()
    view = to_act(table)
    agents = ["learned", "rule_based"]
    drawn = opinion_panel(view, agents)
    unseen = {c for seat in range(4) if seat != view.seat for c in set_cards(table.hands[seat])}
    titles = set(re.findall(r"<title>(.*?)</title>", drawn)) - {FACE_DOWN_TITLE}
    assert titles.isdisjoint({CARD_TEXT[card] for card in unseen})
    others = [seat for seat in range(4) if seat != view.seat]
    table.hands[others] = table.hands[np.roll(others, 1)]
    assert opinion_panel(view_of(table, int(view.seat)), agents) == drawn


def test_the_bars_are_as_long_as_the_probabilities() -> None:
    """Three legal actions of a third each: three bars of one length, gold for what is done."""
    view = to_act(TABLES[20])  # West to lead to the fourth trick with three cards
    assert len(set_cards(view.legal)) == 3
    drawn = opinion_panel(view, Teller({}), dark=False)
    bars = re.findall(r'width="([\d.]+)" height="14" rx="[\d.]+" fill="(#\w+)"/', drawn)
    assert len({width for width, _ in bars}) == 1
    assert [colour for _, colour in bars].count("#f3bd3c") == 1
    assert len(bars) == 3


def test_points_stand_on_one_scale() -> None:
    """Three dots below the table, as far apart as the points are."""
    view = to_act(TABLES[20])
    first, second, third = set_cards(view.legal)
    drawn = opinion_panel(view, Teller({first: -3.0, second: 0.0, third: 3.0}), dark=False)
    rings = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="13" height="13"', drawn)
    dots = [float(x) for x, y in rings if float(y) > ROWS_TOP]
    assert len(dots) == 3
    low, middle, high = sorted(dots)
    assert high - middle == pytest.approx(middle - low, abs=0.1)
    assert high - low > 50


def test_the_text_says_what_the_picture_shows() -> None:
    view = to_act(TABLES[20])
    action = set_cards(view.legal)[1]
    _, opinions = opinions_of(view, Teller({action: 1.25}))
    text = opinions_text(view, opinions)
    assert f"  {ACTION_TEXT[action]:<14}     33%   +1.25    2.00" in text
    assert text.startswith(str(view))


def test_a_note_is_drawn_up_to_its_colon_and_said_whole() -> None:
    class Noting(Teller):
        def opinion(self, view: View, stream: Any) -> Opinion:
            return replace(super().opinion(view, stream), note="too close to call: bid 4 is ahead")

    view = to_act(TABLES[0])
    plain, noted = opinion_panel(view, Teller({})), opinion_panel(view, Noting({}))
    assert noted.count("<use ") == plain.count("<use ") + 1
    assert "too close to call: bid 4 is ahead" in noted
    assert "too close to call" not in plain


def test_calls_are_named_as_in_the_form_of_bidding() -> None:
    for rules, name in (("standard", "bid 6"), ("pepper", "little pepper")):
        table = new_tables(1, get_rules(rules))[0]
        assert call_text(view_of(table, 0), PASS + 6) == name
    assert call_text(view_of(table, 0), PASS + 7) == "big pepper"
    assert call_text(view_of(table, 0), PASS) == "pass"


def test_a_panel_is_the_same_for_the_same_seed_and_follows_the_theme() -> None:
    view = to_act(TABLES[20])
    drawn = opinion_panel(view, "sensible_random", seed=4)
    assert drawn == opinion_panel(view, "sensible_random", seed=4) == drawn._repr_svg_()
    assert "prefers-color-scheme" in drawn
    assert "prefers-color-scheme" not in opinion_panel(view, "sensible_random", dark=True)


def test_any_name_can_be_written() -> None:
    teller = Teller({})
    teller.name = "learned:C:\\runs\\ä_1,play=sample;<x>&"
    assert rastered(opinion_panel(to_act(TABLES[20]), teller), 300).any()


@pytest.mark.parametrize(
    ("view", "agents", "error", "sentence"),
    [
        (TABLES[0], "rule_based", TypeError, "a View, not about a Table"),
        (to_act(TABLES[0]), [], ValueError, "one to 4"),
        (to_act(TABLES[0]), ["uniform"] * 5, ValueError, "not 5"),
        (to_act(TABLES[0]), "nobody", ValueError, "no agent 'nobody'"),
        (view_of(TABLES[0], 0), "uniform", ValueError, "not to act"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    view: Any, agents: Any, error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        opinion_panel(view, agents)


# ---- disagreements ------------------------------------------------------------------------------


def test_an_agent_never_disagrees_with_itself() -> None:
    assert disagreements("rule_based", "rule_based", deals=30, judge=None) == []


def test_they_disagree_wherever_they_do_different_things() -> None:
    """Lowest against highest legal action: in every deal, fully apart, and never where forced."""
    found = disagreements(Teller({}), Highest(), "set_bid", deals=40, n=40, judge=None)
    assert sorted(one.deal for one in found) == list(range(40))
    for one in found:
        legal = set_cards(one.view.legal)
        assert one.actions == (legal[0], legal[-1])
        assert len(legal) > 1
        assert one.apart == 1.0
        assert np.isnan(one.gained)


def test_they_are_as_far_apart_as_their_probabilities() -> None:
    """0.9 and 0.1 for one action against certainty for the other: 0.9 of the chance lies elsewhere."""
    found = disagreements(Sometimes(0.9), Highest(), deals=5, n=5, judge=None)
    assert [one.apart for one in found] == pytest.approx([0.9] * len(found))
    assert found


def test_the_judge_ranks_them_and_says_by_how_much() -> None:
    """A judge to whom the Joker is worth four, the nine of clubs three and all else nothing: first come
    the choices about them, the one agent's gains and the other's alike."""
    judge = Teller({24: 4.0, 0: 3.0})
    found = disagreements(Teller({}), Highest(), deals=60, n=40, player="rule_based", judge=judge)
    gains = [abs(one.gained) for one in found]
    assert gains == sorted(gains, reverse=True)
    assert {3.0, -4.0} <= {one.gained for one in found}
    for one in found:
        assert one.gained == judge.points.get(one.actions[0], 0) - judge.points.get(one.actions[1], 0)
        assert one.error == pytest.approx(np.hypot(2, 2) / 4)
        assert f"{one.gained:+.2f} points" in str(one)


def test_the_same_seed_finds_the_same() -> None:
    first, again, other = (
        [str(one) for one in disagreements("learned", "rule_based", "set_bid", 60, seed, 5, judge=None)]
        for seed in (1, np.uint8(1), 2)
    )
    assert first == again != other


def test_more_deals_than_go_together_are_all_played() -> None:
    found = disagreements(Teller({}), Highest(), deals=520, n=2000, judge=None)
    assert {one.deal for one in found} == set(range(520))


@pytest.mark.parametrize(
    "wrong", [{"deals": 0}, {"n": 0}, {"deals": 1.5}, {"n": True}, {"judge": "x"}, {"seed": "x"}]
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError), match=r"whole number|no agent"):
        disagreements("uniform", "rule_based", **{"deals": 3, "judge": None, **wrong})


# ---- playing worlds out -------------------------------------------------------------------------


def test_the_last_card_of_all_is_worth_what_the_deal_comes_to() -> None:
    """One trick is left, one card each: nothing to choose, so every world gives its own result."""
    table = TABLES[28]  # North to lead to the last trick with the ten of hearts
    view = to_act(table)
    (card,) = set_cards(view.legal)
    worlds = sample_worlds(view, 50, 1)
    points = played_out(view, [card], worlds)
    assert points.shape == (50, 1)
    # West and East have three tricks of four bid: they make it with one more, else they are set.
    assert set(points.ravel().tolist()) <= {-4, 4}
    exact = played_out(view, [card], true_world(table))
    assert exact.tolist() == [[-4]]  # West holds the right bower
    assert solve(table).card_points[card] == -4


def true_world(table: Table) -> tuple[Any, Any, Any]:
    return (
        np.array([table.hands], np.int64),
        np.array([table.discard], np.int8),
        np.array([table.widow], np.int8),
    )


@pytest.mark.parametrize("at", [0, 8, 14, 20])
def test_playing_the_true_world_out_is_playing_the_deal_on(at: int) -> None:
    table, player = TABLES[at], make_agent("rule_based")
    view = to_act(table)
    actions = set_cards(view.legal)[:3]
    points = played_out(view, actions, true_world(table), player)
    for action, found in zip(actions, points[0], strict=True):
        after = np.array([table.copy()], table.dtype)
        after[0].step(action)
        play_deals(after, [player] * N_SEATS, streams_for(1, 1))
        side = int(view.seat) & 1
        assert found == after[0].points[side] - after[0].points[1 - side]


def test_actions_are_compared_in_the_same_worlds() -> None:
    view = to_act(TABLES[20])
    assert view.phase == PLAY
    a, b, _ = set_cards(view.legal)
    worlds = sample_worlds(view, 40, 2)
    both = played_out(view, [a, b, a], worlds, "uniform", seed=3)
    assert (both[:, 0] == both[:, 2]).all()
    assert not (both[:, 0] == both[:, 1]).all()


def test_an_action_that_is_not_legal_is_refused() -> None:
    view = to_act(TABLES[0])
    with pytest.raises(ValueError, match="does not allow"):
        played_out(view, [0], sample_worlds(view, 2, 1))
