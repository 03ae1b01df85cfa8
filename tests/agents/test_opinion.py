"""What agents think of a view: how likely they do what, and what they expect of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hpenv.actions import BID, N_ACTIONS, PASS
from hpenv.agents.agent import make_agent, streams_for
from hpenv.agents.opinion import TRIES, Opinion, ask, opinion_of
from hpenv.cards import set_cards
from hpenv.rulebook import AUCTION, DEAL_OVER, N_PHASES
from hpenv.suits import RELABEL, UNLABEL
from hpenv.view import VIEW, view_of
from random_deals import RULES
from slow_search import choices

NAMES = ("uniform", "sensible_random", "rule_based", "learned", "pimc:worlds=3", "ismcts:iterations=50")


def some_views(name: str, seed: int, step: int = 9) -> list[Any]:
    """Views of seats that have a choice, from wild deals."""
    return [view_of(table, int(table.to_act)) for table in list(choices(name, seed, 30))[::step]]


def legal_in(view: Any) -> list[int]:
    return set_cards(int(view.legal))


@pytest.mark.parametrize("rules", ["set_bid", "house", "mini3", "one card"])
@pytest.mark.parametrize("name", NAMES)
def test_an_opinion_is_of_legal_actions_and_adds_up(name: str, rules: str) -> None:
    """The same for the same seed, and the view is left as it was."""
    agent = make_agent(name)
    for view in some_views(rules, 41):
        before = view.tobytes()
        opinion, again = opinion_of(agent, view, 5), opinion_of(agent, view, 5)
        assert view.tobytes() == before
        legal = legal_in(view)
        assert opinion.action in legal
        assert (
            opinion.probabilities.shape == opinion.points.shape == opinion.spread.shape == (N_ACTIONS,)
        )
        assert opinion.probabilities.sum() == pytest.approx(1)
        assert (opinion.probabilities >= 0).all()
        assert opinion.probabilities[legal].sum() == pytest.approx(1)
        assert opinion.action == again.action
        for part in ("probabilities", "points", "spread"):
            np.testing.assert_array_equal(getattr(opinion, part), getattr(again, part))
        barred = np.isin(np.arange(N_ACTIONS), legal, invert=True)
        if opinion.worlds:
            assert (np.isnan(opinion.points) == barred).all()
            assert (np.isnan(opinion.spread) == barred).all()
            assert (opinion.spread[legal] >= 0).all()
        else:
            assert np.isnan(opinion.points).all()
            assert np.isnan(opinion.spread).all()
        assert (opinion.worlds > 0) == name.startswith(("pimc", "ismcts"))


@pytest.mark.parametrize("name", ["rule_based", "pimc:worlds=3", "learned"])
def test_the_action_is_what_the_agent_does(name: str) -> None:
    """And one that uses no chance, or has none left to use, does it for certain."""
    agent = make_agent(name)
    for view in some_views("house", 42):
        opinion = opinion_of(agent, view, 6)
        views: Any = np.zeros(1, view.dtype)
        views[0] = view
        assert opinion.action == agent.act(views, streams_for(6, 1)[:, 0].copy())[0]
        if name != "learned":
            assert opinion.probabilities[opinion.action] == 1


def test_chance_is_counted() -> None:
    """Sixty-four tries of an agent that plays anything: nearly even; another seed counts otherwise."""
    agent, unlike, squares, freedom = make_agent("uniform"), 0, 0.0, 0
    views = some_views("set_bid", 43)
    for view in views:
        legal = legal_in(view)
        opinion = opinion_of(agent, view, 7)
        often = opinion.probabilities[legal] * TRIES
        assert (often == often.round()).all()
        assert opinion.probabilities[opinion.action] == opinion.probabilities.max()
        squares += ((often - TRIES / len(legal)) ** 2).sum() / (TRIES / len(legal))
        freedom += len(legal) - 1
        unlike += (opinion.probabilities != opinion_of(agent, view, 8).probabilities).any()
    assert abs(squares - freedom) < 4 * np.sqrt(2 * freedom)
    assert unlike > len(views) // 2


def test_it_is_asked_with_the_chance_of_64_streams() -> None:
    """Each try with a stream of its own, the streams being those of the seed."""
    asked: list[Any] = []

    class Listener:
        name = "listener"

        def act(self, views: Any, streams: Any) -> Any:
            asked.append((views.copy(), streams.copy()))
            legal = legal_in(views[0])
            return np.array([legal[0]] * 16 + [legal[1]] * 48)

    view = some_views("set_bid", 44)[0]
    opinion = opinion_of(Listener(), view, 9)
    ((views, streams),) = asked
    assert (views == view).all()
    assert len(set(streams.tolist())) == TRIES == 64
    assert (streams == streams_for(9, 64)[:, 0]).all()
    legal = legal_in(view)
    assert opinion.action == legal[1]
    assert opinion.probabilities[legal[:2]].tolist() == [0.25, 0.75]


@pytest.mark.parametrize("rules", RULES)
def test_the_network_s_softmax(rules: str) -> None:
    """Its logits, each suit under the name it has in this view, and nothing for what is illegal; many
    views at once as one by one."""
    agent: Any = make_agent("learned")
    views = some_views(rules, 45)
    batch = np.zeros(len(views), views[0].dtype)
    moved = 0
    for i, view in enumerate(views):
        batch[i] = view
        _, orders, logits = agent.seen(batch[i : i + 1])
        legal = legal_in(view)
        worth = np.array([logits[0, RELABEL[orders[0], action]] for action in legal], np.float64)
        chance = np.exp(worth - worth.max())
        opinion = opinion_of(agent, view)
        np.testing.assert_allclose(opinion.probabilities[legal], chance / chance.sum(), rtol=1e-9)
        assert set(np.flatnonzero(opinion.probabilities).tolist()) <= set(legal)
        assert opinion.action == legal[int(worth.argmax())]
        assert opinion.probabilities[opinion.action] == opinion.probabilities.max()
        moved += UNLABEL[orders[0], legal[0]] != legal[0]
    assert moved > 0 or rules == "one card"
    together = agent.probabilities(batch)
    single = [agent.probabilities(batch[i : i + 1])[0] for i in range(len(batch))]
    np.testing.assert_allclose(together, single, atol=1e-5)


def test_learned_that_samples_has_the_same_opinion_of_what_is_likely() -> None:
    greedy, sampling = make_agent("learned"), make_agent("learned:play=sample")
    differ = 0
    for view in some_views("standard", 46, 5):
        opinions = [opinion_of(agent, view, 3) for agent in (greedy, sampling)]
        np.testing.assert_allclose(opinions[0].probabilities, opinions[1].probabilities)
        differ += opinions[0].action != opinions[1].action
    assert differ > 0


@pytest.mark.parametrize("name", NAMES)
def test_a_seat_that_is_not_to_act_has_no_opinion(name: str) -> None:
    table = next(choices("standard", 47, 1))
    for seat in range(4):
        if seat != table.to_act:
            with pytest.raises(ValueError, match="the seat of this view is not to act"):
                opinion_of(make_agent(name), view_of(table, seat))


def test_all_phases_were_asked() -> None:
    """The views of these tests come from every phase in which there is a choice."""
    phases = {int(view.phase) for view in [*some_views("house", 41), *some_views("house", 42)]}
    assert phases == set(range(N_PHASES - 1))


# ---- as a table -------------------------------------------------------------------------------


def auction_view() -> Any:
    """A seat that may pass, bid five, six or big pepper."""
    table = next(t for t in choices("pepper", 48, 60) if t.phase == AUCTION and t.bid == 4)
    return view_of(table, int(table.to_act))


def told(points: dict[int, float], note: str = "") -> Opinion:
    """An opinion made by hand: 60 % pass, 40 % the bid of five."""
    probabilities = np.zeros(N_ACTIONS)
    probabilities[[PASS, BID + 5]] = 0.6, 0.4
    expected = np.full(N_ACTIONS, np.nan)
    expected[list(points)] = list(points.values())
    spread = np.where(np.isnan(expected), np.nan, 2.5)
    return Opinion(PASS, probabilities, expected, spread, 30, note)


class Told:
    """Has one opinion."""

    name = "told"

    def __init__(self, opinion: Opinion) -> None:
        self.said = opinion

    def act(self, views: Any, streams: Any) -> Any:
        return np.full(len(views), self.said.action)

    def opinion(self, view: Any, stream: Any) -> Opinion:
        return self.said


def test_printed_it_is_a_table_of_the_legal_actions_best_first() -> None:
    """What it does, then by probability, then by points; calls named as this auction names them."""
    points = {PASS: -0.5, BID + 5: 0.25, BID + 6: -1.0, BID + 7: 2.0}
    opinion = ask(Told(told(points, "too close to call")), auction_view())
    assert str(opinion) == repr(opinion)
    assert str(opinion).split("\n") == [
        "told: pass (30 worlds)",
        "  action          likely  points  spread",
        "  pass               60%   -0.50    2.50",
        "  bid 5              40%   +0.25    2.50",
        "  big pepper          0%   +2.00    2.50",
        "  little pepper       0%   -1.00    2.50",
        "too close to call",
    ]


def test_points_are_left_out_where_there_are_none() -> None:
    assert str(ask("rule_based", auction_view())).split("\n")[1:] == [
        "  action          likely",
        "  bid 5             100%",
        "  pass                0%",
        "  little pepper       0%",
        "  big pepper          0%",
    ]
    some = str(ask(Told(told({PASS: 1.0})), auction_view())).split("\n")
    assert some[2] == "  pass               60%   +1.00    2.50"
    assert some[3] == "  bid 5              40%       -       -"


def test_in_a_notebook_it_is_a_small_table() -> None:
    opinion = ask(Told(told({PASS: 1.0}, "a < b")), auction_view())
    html = opinion._repr_html_()
    assert html.count("<tr>") == 1 + 4
    assert "<td>little pepper</td><td>0%</td><td>-</td><td>-</td>" in html
    assert html.endswith("a &lt; b")
    assert "<b>told: pass (30 worlds)</b>" in html


def test_asking_by_name_is_asking_the_agent() -> None:
    view = auction_view()
    by_name, by_agent = ask("uniform", view, 5), opinion_of(make_agent("uniform"), view, np.uint32(5))  # type: ignore[arg-type]
    assert str(by_name) == str(by_agent)
    assert (by_name.probabilities != ask("uniform", view, 6).probabilities).any()
    assert by_name.name == "uniform"
    assert by_name.view == view


def test_what_cannot_be_asked_about_is_refused_in_a_sentence() -> None:
    table = next(choices("standard", 47, 1))
    for wrong in (table, np.zeros(1, VIEW), 5, None):
        with pytest.raises(TypeError, match=f"View of one seat, .* a {type(wrong).__name__}$"):
            ask("uniform", wrong)  # type: ignore[arg-type]
    while table.phase != DEAL_OVER:
        table.step(table.legal_actions()[0])
    with pytest.raises(ValueError, match="the seat of this view is not to act"):
        ask("uniform", view_of(table, 0))
    with pytest.raises(ValueError, match="no agent 'nobody'"):
        ask("nobody", view_of(next(choices("standard", 47, 1)), 0))
