"""The parts of the search over the network, worked by hand or slowly: equal cards, distinct positions,
worlds and their weights, and when an action is better."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hpenv.actions import BID, N_ACTIONS, PASS
from hpenv.agents.agent import make_agent, streams_for
from hpenv.agents.beliefs import LEAST, weigh, weigh_each
from hpenv.agents.search_blueprint import find_distinct, load_blueprint
from hpenv.agents.search_rollouts import write_alike
from hpenv.agents.search_worlds import Drawing, Worlds, compare, still_in_doubt
from hpenv.cards import CARD_TEXT, NO_CARD, parse_card
from hpenv.double_dummy import solve_all_cards
from hpenv.rulebook import PLAY
from hpenv.view import VIEW, view_of
from hpenv.worlds import sample_worlds
from slow_search import choices, slow_weight, told_again, views_at, ways_of
from table_talk import mixed

BLUEPRINT = load_blueprint()


# ---- the network asked about many positions ---------------------------------------------------


def test_distinct_rows_are_numbered_as_they_come() -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(-1, 2, (40, 440)).astype(np.int8)[rng.integers(0, 40, 300)]
    rows[7] = rows[3]
    rows[7, -1] ^= 1
    slots, first, which = np.full(1024, -1, np.int64), np.zeros(300, np.int64), np.zeros(300, np.int64)
    n = find_distinct(rows, slots, first, which)
    assert n == len(np.unique(rows, axis=0))
    assert (rows[first[:n]][which] == rows).all()
    assert (np.diff(first[:n]) > 0).all()
    assert which[7] != which[3]


def test_the_blueprint_answers_as_the_network_does() -> None:
    """Asked about many views, some of them twice, as the network asked about one at a time; and to the
    last digit alike in any company."""
    agent: Any = make_agent("learned")
    views = views_at(list(choices("house", 3, 4))[::3])
    twice = np.concatenate([views, views[::-1]])
    likely, chosen = BLUEPRINT.probabilities(twice), BLUEPRINT.choices(twice)
    for i, view in enumerate(twice):
        np.testing.assert_allclose(likely[i], agent.probabilities(twice[i : i + 1])[0], atol=1e-5)
        assert chosen[i] == agent.act(twice[i : i + 1], np.zeros(1, np.uint64))[0], view
        assert (BLUEPRINT.probabilities(twice[i : i + 1])[0] == likely[i]).all()
    np.testing.assert_allclose(likely.sum(axis=1), 1)


# ---- equal cards ------------------------------------------------------------------------------


def stands_for(view: Any, *liked: str) -> dict[str, str]:
    """Which card stands for each; the network likes some best."""
    likely, alike = np.zeros(N_ACTIONS), np.zeros(N_ACTIONS, np.int64)
    likely[[parse_card(card) for card in liked]] = 1.0
    write_alike(view, likely, alike)
    return {CARD_TEXT[a]: CARD_TEXT[alike[a]] for a in range(25) if alike[a] != NO_CARD}


def view_with(table: Any, held: str, gone: str = "", trick: str = "") -> Any:
    """The view of the seat to act, after its cards and those that have gone were changed by hand; the
    seat at its left played those that have gone, the last of them to the current trick."""
    view = view_of(table, int(table.to_act))
    view.hand = view.legal = sum(1 << parse_card(card) for card in held.split())
    view.played[:], view.discard = 0, NO_CARD
    left = (view.seat + 1) & 3
    view.played[left] = sum(1 << parse_card(card) for card in f"{gone} {trick}".split())
    view.trick[left] = parse_card(trick) if trick else NO_CARD
    return view


def test_equal_cards_worked_by_hand() -> None:
    """Hearts are trumps. K and Q of clubs are neighbours, the nine is not their equal while the ten or
    the jack may be with others; Joker and right bower are neighbours, the left bower's is the ace of
    trumps, since it has left its printed suit."""
    table = mixed("set_bid", "W", "bid 3, pass, pass, pass, trump H, 9C, with partner")
    held = "KC QC 9C Jo JH AH"
    assert stands_for(view_with(table, held)) == {
        "KC": "QC", "QC": "QC", "9C": "9C", "Jo": "JH", "JH": "JH", "AH": "AH",
    }  # fmt: skip
    assert stands_for(view_with(table, held), "KC", "Jo")["QC"] == "KC"
    assert stands_for(view_with(table, held), "Jo")["JH"] == "Jo"
    # Cards played to finished tricks lie between nobody's cards, one on the table does.
    gone = stands_for(view_with(table, held, gone="TC JC JD"), "9C")
    assert gone == {"KC": "9C", "QC": "9C", "9C": "9C", "Jo": "AH", "JH": "AH", "AH": "AH"}
    assert stands_for(view_with(table, held, gone="TC", trick="JC"))["9C"] == "9C"
    assert stands_for(view_with(table, held, trick="JD"))["AH"] == "AH"
    # Diamonds without their jack: Q and T are neighbours.
    assert stands_for(view_with(table, "QD TD KS"))["QD"] == "TD"
    # Before the play only the cards to be put away are compared.
    auction = view_of(mixed("set_bid", "W"), 0)
    alike = np.zeros(N_ACTIONS, np.int64)
    write_alike(auction, np.zeros(N_ACTIONS), alike)
    legal = [a for a in range(N_ACTIONS) if int(auction.legal) >> a & 1]
    assert alike[legal].tolist() == legal
    assert (np.delete(alike, legal) == -1).all()


@pytest.mark.parametrize("rules", ["mini3", "standard"])
def test_equal_cards_are_worth_the_same(rules: str) -> None:
    """With all hands open, in whatever world."""
    pairs = 0
    for table in choices(rules, 31, 12):
        if table.phase != PLAY:
            continue
        alike = np.zeros(N_ACTIONS, np.int64)
        write_alike(view_of(table, int(table.to_act)), np.zeros(N_ACTIONS), alike)
        worth = solve_all_cards(np.array([table], table.dtype), "points")[0]
        for card in range(25):
            if alike[card] not in (NO_CARD, card):
                assert worth[card] == worth[alike[card]], table
                pairs += 1
    assert pairs > 10


# ---- worlds and their weights -----------------------------------------------------------------


def test_weights_of_many_views_at_once_are_those_of_each() -> None:
    def policy(views: Any) -> Any:
        likely = np.full((len(views), N_ACTIONS), 0.5)
        likely[:, PASS] = np.where(views["hand"] & 7, 0.9, 0.2)
        likely[:, :25] = (1 + views["hand"][:, None] % 11) / 12
        return likely

    tables = list(choices("standard", 32, 5))[::4]
    views = np.concatenate([views_at([table]) for table in tables])
    each = [sample_worlds(view, 3 + i % 4, i) for i, view in enumerate(views)]
    owners = np.repeat(np.arange(len(views)), [len(worlds[0]) for worlds in each])
    together = weigh_each(views, owners, *(np.concatenate(part) for part in zip(*each)), policy)  # noqa: B905
    slow = np.concatenate([weigh(view, *worlds, policy) for view, worlds in zip(views, each)])  # noqa: B905
    np.testing.assert_allclose(together, slow)
    assert len(np.unique(together)) > len(views)


def test_a_hopeless_world_is_asked_about_no_more() -> None:
    """A policy by which whoever holds the Joker never does what was done: after two such actions, a
    million times less likely, the world has no weight, and the policy is not asked about it again."""
    asked = []

    def policy(views: Any) -> Any:
        asked.append(len(views))
        likely = np.ones((len(views), N_ACTIONS))
        likely[views["hand"] >> 24 & 1 == 1] = 0.0
        return likely

    view = view_of(mixed("set_bid", "W", "pass, bid 2, pass, bid 3, bid 4, pass"), 0)
    worlds = sample_worlds(view, 300, 1)
    views = np.zeros(1, VIEW)
    views[0] = view
    weights = weigh_each(views, np.zeros(300, np.int64), *worlds, policy)
    holds = worlds[0] >> 24 & 1
    # East bid twice, West bid and passed, South passed; the widow came to East only after that.
    times = holds @ np.array([0, 2, 1, 2]) * (worlds[2] != 24)
    assert set(times.tolist()) == {0, 1, 2}
    expected = np.where(times == 2, 0.0, LEAST**times)
    np.testing.assert_allclose(weights, expected)
    assert asked[0] == 300
    assert asked[-1] < 300


@pytest.mark.parametrize("belief", ["learned", "rule_based", "uniform"])
def test_worlds_kept(belief: str) -> None:
    """All ways where they are no more than wanted, each with its own weight; else a sample that counts
    as many as are wanted."""
    draw, met = Drawing(30, 4, belief, BLUEPRINT.probabilities), {"all": 0, "sample": 0}
    tables = list(choices("mini2", 33, 40))[::3]
    views = views_at(tables)
    worlds = draw(views, streams_for(4, len(views))[:, 0].copy())
    for i, view in enumerate(views):
        mine = worlds.some(np.flatnonzero(worlds.owners == i))
        ways = ways_of(view)
        if ways > 30:
            assert worlds.are_more[i]
            assert mine.weights.sum() == 30
            met["sample"] += 1
            continue
        met["all"] += 1
        assert not worlds.are_more[i]
        assert len(mine.owners) == ways or belief == "learned"
        slow = [
            slow_weight(view, *world)
            if belief == "rule_based"
            else 1.0
            if belief == "uniform"
            else weight_by_network(view, *world)
            for world in zip(mine.hands, mine.discards, mine.widows, strict=True)
        ]
        slow = np.array(slow) / (max(slow) if belief == "learned" else 1.0)
        np.testing.assert_allclose(mine.weights, slow, 1e-3)
    assert min(met.values()) > 3, met


def weight_by_network(view: Any, hands: Any, discard: int, widow: int) -> float:
    """The product of the network's probabilities, one view at a time."""
    weight = 1.0
    for before, action in told_again(view, hands, discard, widow):
        if action != NO_CARD and before.to_act != view.seat:
            weight *= max(BLUEPRINT.probabilities(views_at([before]))[0, action], LEAST)
    return weight


# ---- comparing actions ------------------------------------------------------------------------

BIDS = (PASS, BID + 1, BID + 2)


def worlds_with(weights: list[float], owners: list[int], are_more: list[bool]) -> Worlds:
    n = len(weights)
    nothing = np.zeros(n, np.int8)
    return Worlds(
        np.array(owners),
        np.zeros((n, 4), np.int64),
        nothing,
        nothing,
        np.array(weights, float),
        np.array(are_more),
    )


def test_gains_worked_by_hand() -> None:
    """The first view: a bid gains 2, 0, 2, 0 on passing: 1 on average, the variance of a draw 4 / 3, of
    the mean 1 / 3. Another is known in two worlds only: 3 and -1, 1 +- 2. The second view has all its
    worlds, weights 3 and 1: (3 * 1 - 1 * 5) / 4 without any error. The third has one world of many."""
    points = np.full((7, N_ACTIONS), np.nan)
    points[:4, PASS] = [5, 1, 0, 2]
    points[:4, BID + 1] = [7, 1, 2, 2]
    points[:2, BID + 2] = [8, 0]
    points[4:6, PASS], points[4:6, BID + 1] = 0, [1, -5]
    points[6, PASS], points[6, BID + 1] = 0, 4
    worlds = worlds_with([1, 1, 1, 1, 3, 1, 100], [0, 0, 0, 0, 1, 1, 2], [True, False, True])
    gain, error = compare(points, worlds, np.array([PASS, PASS, PASS]))
    np.testing.assert_allclose(gain[:, BIDS], [[0, 1, 1], [0, -0.5, np.nan], [0, 4, np.nan]])
    np.testing.assert_allclose(error[0, BIDS], [0, np.sqrt(1 / 3), 2])
    assert error[1, BID + 1] == 0
    assert error[2, BID + 1] == np.inf
    assert np.isnan(gain[0, 0])


def test_a_world_picked_twice_counts_twice_but_is_one_draw() -> None:
    """Gains 3 and 0, the first picked twice: 2 on average. The squares (2 * 1) ** 2 + 2 ** 2 over 9,
    and two draws know less than that by a factor of two."""
    points = np.full((2, N_ACTIONS), np.nan)
    points[:, PASS], points[:, BID + 1] = 0, [3, 0]
    gain, error = compare(points, worlds_with([2, 1], [0, 0], [True]), np.array([PASS]))
    assert gain[0, BID + 1] == pytest.approx(2)
    assert error[0, BID + 1] == pytest.approx(np.sqrt(8 / 9 * 2))


def test_what_is_dropped() -> None:
    """Of five others one is surely worse and one exactly as good: both are dropped; of the three in
    doubt all may stay, as they are no more than half of five, rounded up."""
    tried = np.zeros((2, N_ACTIONS), bool)
    tried[:, PASS : PASS + 6] = True
    gain, error = np.full((2, N_ACTIONS), np.nan), np.full((2, N_ACTIONS), np.nan)
    gain[:, PASS : PASS + 6], error[:, PASS : PASS + 6] = 0, 0
    gain[0, PASS + 1 : PASS + 6] = [-2, 0, -0.5, 1, 2]
    error[0, PASS + 1 : PASS + 6] = [1, 0, 1, 1, 1]
    default = np.array([PASS, PASS])
    kept = still_in_doubt(gain, error, default, tried)
    assert np.flatnonzero(kept[0]).tolist() == [PASS, PASS + 3, PASS + 4, PASS + 5]
    assert not kept[1].any(), "nothing is in doubt: the default action needs no more worlds either"
    # Of the three others left only two are tried further.
    kept = still_in_doubt(gain, error, default, kept)
    assert np.flatnonzero(kept[0]).tolist() == [PASS, PASS + 4, PASS + 5]
