"""Beliefs: worlds weighed by what the others did in them, against weights found slowly and by hand."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from hpenv.actions import BID, N_ACTIONS, PASS
from hpenv.agents.agent import make_agent
from hpenv.agents.beliefs import (
    LEAST,
    OTHER_BID,
    OTHER_CALL,
    OTHER_CARD,
    resample,
    weigh,
    weigh_by_rules,
    whereabouts,
)
from hpenv.cards import JOKER, NO_CARD, pack, parse_card, set_cards
from hpenv.rulebook import AUCTION, DEAL_OVER, DISCARD, NAME_TRUMP, PLAY, legal_actions
from hpenv.rules import get_rules
from hpenv.training.benchmark.matches import deal_tables
from hpenv.view import view_of
from hpenv.worlds import sample_worlds
from random_deals import RULES, copy_of, positions
from slow_search import choices, done_by, slow_weight, told_again, views_at
from table_talk import mixed

Worlds = tuple[Any, Any, Any]


def by_rules(view: Any, worlds: Worlds) -> Any:
    """The weights of worlds by `rule_based`."""
    weights = np.full(len(worlds[0]), np.nan)
    weigh_by_rules(view, *worlds, weights)
    return weights


def true_world(table: Any) -> Worlds:
    """The cards as they lie, as worlds of which there is one."""
    discard, widow = np.array([table.discard], np.int8), np.array([table.widow], np.int8)
    return table.hands[None].copy(), discard, widow


# ---- weighed by rule_based --------------------------------------------------------------------


@pytest.mark.parametrize("name", RULES)
def test_weights_are_those_found_slowly(name: str) -> None:
    """In every phase, for every seat: each world dealt again, told again, and `rule_based` asked."""
    phases, met = set(), set()
    deals = 12 if name == "one card" else 2
    for number, table in enumerate(positions(name, 21, deals)):
        if table.phase == DEAL_OVER:
            continue
        phases.add(int(table.phase))
        view = view_of(table, number % 4)
        worlds = sample_worlds(view, 3, number)
        weights = by_rules(view, worlds)
        slow = [slow_weight(view, *world) for world in zip(*worlds, strict=True)]
        np.testing.assert_allclose(weights, slow, rtol=1e-12, err_msg=f"seat {number % 4} of\n{table}")
        met |= {round(weight, 6) for weight in slow}
    assert phases >= {AUCTION, NAME_TRUMP, DISCARD, PLAY}
    assert len(met) > 5


def test_what_another_action_costs() -> None:
    """North's Joker, three trumps and two aces are worth a bid; a pass, another number and another card
    each cost their own factor, and the seat's own actions cost nothing."""
    assert 0 < OTHER_CALL < OTHER_BID < OTHER_CARD < 1
    table = mixed("set_bid", "W")
    usual = done_by(make_agent("rule_based"), table)
    world = true_world(table)
    for action in set_cards(legal_actions(table)):
        after = copy_of(table)
        after.step(action)
        cost = OTHER_CALL if PASS in (action, usual) else OTHER_BID
        expected = 1.0 if action == usual else cost
        assert by_rules(view_of(after, 1), world) == [pytest.approx(expected)]
        assert by_rules(view_of(after, 0), world) == [1.0]


@pytest.mark.parametrize("rules", ["set_bid", "house", "mini3"])
def test_what_rule_based_did_is_what_it_would_have_done(rules: str) -> None:
    """Where it really made all the calls and played all the cards the true world loses nothing, others
    lose much; and the weights make it likelier that the cards lie where they do."""
    agent, gains, rest = make_agent("rule_based"), [], []
    for number, table in enumerate(deal_tables(get_rules(rules), 22, 0, 60)):
        while table.phase != DEAL_OVER:
            if table.history_length % 3 == 2 and table.phase != NAME_TRUMP:
                view = view_of(table, int(table.to_act))
                assert by_rules(view, true_world(table)) == [1.0], table
                worlds = sample_worlds(view, 200, number)
                weights = by_rules(view, worlds)
                rest.append(weights.mean())
                gains.append(gain_of(table, view, worlds, weights))
            table.step(done_by(agent, table))
    assert len(gains) > 150
    assert np.mean(rest) < 0.6
    error = np.std(gains) / np.sqrt(len(gains))
    assert np.mean(gains) > 4 * error, f"{np.mean(gains):+.4f} +- {error:.4f}"


def gain_of(table: Any, view: Any, worlds: Worlds, weights: Any) -> float:
    """How much likelier the weights make it that a card lies where it does: the mean of the logarithm
    over the cards that others hold. Each place has a small chance whatever the worlds say."""
    before = 0.99 * whereabouts(worlds[0], worlds[1], np.ones(len(weights))) + 0.0025
    after = 0.99 * whereabouts(worlds[0], worlds[1], weights) + 0.0025
    others = [seat for seat in range(4) if seat != view.seat]
    held = [(card, seat) for seat in others for card in set_cards(table.hands[seat])]
    return float(np.mean([np.log(after[place] / before[place]) for place in held]))


# ---- weighed by any policy --------------------------------------------------------------------


def test_weights_by_a_policy_worked_by_hand() -> None:
    """North passes, East bids two, South thinks. A policy passes with the Joker 4 times in 10, without
    it 8 times; bids two with the Joker 9 times, without it once. So the Joker is with East for 72 and
    with North for 4 against 8 elsewhere; in South's own place nobody is asked."""

    def policy(views: Any) -> Any:
        likely = np.zeros((len(views), N_ACTIONS))
        has_joker = (views["hand"] >> JOKER & 1).astype(bool)
        likely[:, PASS] = np.where(has_joker, 0.4, 0.8)
        likely[:, BID + 2] = np.where(has_joker, 0.9, 0.1)
        return likely

    view = view_of(mixed("set_bid", "W", "pass, bid 2"), 2)
    worlds = sample_worlds(view, 300, 1)
    holds = worlds[0] >> JOKER & 1
    expected = np.where(holds[:, 1], 1.0, np.where(holds[:, 0], 4 / 72, 8 / 72))
    np.testing.assert_allclose(weigh(view, *worlds, policy), expected)
    assert len(set(expected.tolist())) == 3
    # North does not weigh its own pass, and East had no Joker yet if it was the widow.
    view = view_of(mixed("set_bid", "W", "pass, bid 2, pass, pass"), 0)
    worlds = sample_worlds(view, 300, 1)
    holds = worlds[0] >> JOKER & 1
    expected = np.where(holds[:, 1], 0.9 * 0.8 * 0.8, 0.1 * 0.4 * 0.8)
    expected[worlds[2] == JOKER] = 0.1 * 0.8 * 0.8
    np.testing.assert_allclose(weigh(view, *worlds, policy), expected / expected.max())
    assert len(set(expected.tolist())) == 3


def test_the_secret_discard_is_weighed_as_each_world_has_it() -> None:
    """A policy that puts away a nine half the time and another card one time in a hundred; what a
    policy would never do counts one in a thousand, not nothing."""
    nines = [parse_card(f"9{suit}") for suit in "CDHS"]

    def policy(views: Any) -> Any:
        likely = np.ones((len(views), N_ACTIONS))
        discarding = views["phase"] == DISCARD
        likely[discarding, :25] = 0.01
        likely[np.ix_(discarding, nines)] = 0.5
        likely[np.ix_(discarding, [JOKER])] = 0.0
        return likely

    view = view_of(mixed("set_bid", "W", "bid 3, pass, pass, pass, trump H, 9C, with partner"), 3)
    hands, discards, widows = sample_worlds(view, 400, 1)
    expected = np.where(np.isin(discards, nines), 1.0, 0.02)
    expected[discards == JOKER] = LEAST / 0.5
    np.testing.assert_allclose(weigh(view, hands, discards, widows, policy), expected)
    assert len(set(expected.tolist())) == 3
    # The maker knows its own discard: nothing tells its worlds apart.
    own = view_of(mixed("set_bid", "W", "bid 3, pass, pass, pass, trump H, 9C, with partner"), 0)
    assert (weigh(own, *sample_worlds(own, 50, 1), policy) == 1).all()


@pytest.mark.parametrize("name", ["house", "mini3"])
def test_a_policy_without_opinion_leaves_all_worlds_equal(name: str) -> None:
    def policy(views: Any) -> Any:
        return np.ones((len(views), N_ACTIONS))

    for number, table in enumerate(itertools.islice(positions(name, 23, 3), 40)):
        view = view_of(table, number % 4)
        weights = weigh(view, *sample_worlds(view, 5, 1), policy)
        assert (weights == 1).all()


def test_weights_by_the_network() -> None:
    """The product of its probabilities, one view at a time."""
    agent: Any = make_agent("learned")
    for table in list(choices("set_bid", 24, 3))[::5]:
        view = view_of(table, int(table.to_act))
        worlds = sample_worlds(view, 4, 1)
        slow = np.ones(4)
        for w, world in enumerate(zip(*worlds, strict=True)):
            for before, action in told_again(view, *world):
                if action != NO_CARD and before.to_act != view.seat:
                    slow[w] *= max(agent.probabilities(views_at([before]))[0, action], LEAST)
        np.testing.assert_allclose(weigh(view, *worlds, agent.probabilities), slow / slow.max(), 1e-3)


# ---- worlds with weights ----------------------------------------------------------------------


def picked(weights: Any, wanted: int, word: int) -> list[int]:
    """Which worlds are kept, by their numbers."""
    n = len(weights)
    hands = np.arange(4 * n, dtype=np.int64).reshape(n, 4)
    discards = (np.arange(n) % 25).astype(np.int8)
    widows = (np.arange(n) % 7).astype(np.int8)
    kept = resample(np.asarray(weights, float), wanted, np.uint64(word), hands, discards, widows)
    numbers = hands[:kept, 0] // 4
    assert (hands[:kept] == 4 * numbers[:, None] + np.arange(4)).all(), "hands stay together"
    assert (discards[:kept] == numbers % 25).all()
    assert (widows[:kept] == numbers % 7).all()
    return list(numbers.tolist())


LAST_WORD = 2**64 - 1


@pytest.mark.parametrize("seed", range(8))
def test_each_world_is_kept_as_often_as_its_weight_says(seed: int) -> None:
    """To within one, and as many as are wanted, whatever the random word; the same again."""
    rng = np.random.default_rng(seed)
    for n, wanted in [(8, 1), (80, 10), (17, 17), (5, 1), (200, 199), (1, 1), (3, 3)]:
        weights = rng.choice([1e-30, 0.001, 0.05, 0.3, 1.0], n) * rng.choice([1.0, 1e-20])
        for word in (0, LAST_WORD, int(rng.integers(0, LAST_WORD, dtype=np.uint64))):
            kept = picked(weights, wanted, word)
            assert len(kept) == wanted
            assert kept == sorted(kept)
            assert kept == picked(weights, wanted, word)
            off = np.bincount(kept, minlength=n) - wanted * weights / weights.sum()
            assert (abs(off) < 1 + 1e-9).all(), (weights, word)


def test_worlds_kept_worked_by_hand() -> None:
    """Weights 1, 2, 3 and 2, four wanted: marks two apart, the first at a quarter of two: 0.5, 2.5,
    4.5, 6.5; at three quarters: 1.5, 3.5, 5.5, 7.5; at nothing: 0, 2, 4, 6."""
    weights = [1.0, 2.0, 3.0, 2.0]
    assert picked(weights, 4, 2**62) == [0, 1, 2, 3]
    assert picked(weights, 4, 3 * 2**62) == [1, 2, 2, 3]
    assert picked(weights, 4, 0) == [0, 1, 2, 3]
    for word in (0, 2**63, LAST_WORD):
        assert picked([0.0, 7.0, 0.0], 3, word) == [1, 1, 1], "one world has all the weight"
    assert picked([5.0] * 6, 6, 2**63) == list(range(6)), "all are wanted"


def test_over_all_words_each_world_comes_by_its_weight() -> None:
    weights = np.array([0.1, 1.0, 0.3, 0.6])
    often = np.zeros(4)
    for i in range(2000):
        often += np.bincount(picked(weights, 1, i * (2**64 // 2000)), minlength=4)
    np.testing.assert_allclose(often / 2000, weights / weights.sum(), atol=0.001)


def test_whereabouts_worked_by_hand() -> None:
    """Two worlds, one three times as likely: card 0 is East's in both, card 1 South's or face down."""
    hands = np.array([[0b1000, 0b0001, 0b0010, 0], [0b1000, 0b0001, 0b0100, 0]])
    places = whereabouts(hands, np.array([2, 1]), [3.0, 1.0])
    assert places.shape == (25, 5)
    assert places[:4].tolist() == [
        [0, 1, 0, 0, 0],
        [0, 0, 0.75, 0, 0.25],
        [0, 0, 0.25, 0, 0.75],
        [1, 0, 0, 0, 0],
    ]
    assert (places[4:] == 0).all()


@pytest.mark.parametrize("name", ["standard", "house", "mini3", "one card"])
def test_every_card_is_somewhere(name: str) -> None:
    """In every phase: a card unseen in one place or another, an own card in hand for certain, one that
    has been played nowhere, one that is not in the pack nowhere."""
    phases = set()
    for number, table in enumerate(positions(name, 25, 14 if name == "one card" else 3)):
        seat = number % 4
        view = view_of(table, seat)
        worlds = sample_worlds(view, 30, number)
        taken = table.maker >= 0 and table.phase != AUCTION
        places = whereabouts(worlds[0], worlds[1] if taken else worlds[2], by_rules(view, worlds))
        played = {card for cards in table.played for card in set_cards(cards)}
        here = set(pack(int(table.hand_size))) - played
        np.testing.assert_allclose(places[sorted(here)].sum(axis=1), 1)
        assert (places[sorted(set(range(25)) - here)] == 0).all()
        np.testing.assert_allclose(places[set_cards(view.hand), seat], 1)
        np.testing.assert_allclose(places.sum(axis=0)[:4], [len(set_cards(h)) for h in table.hands])
        phases.add(int(table.phase))
    assert phases >= {AUCTION, NAME_TRUMP, DISCARD, PLAY, DEAL_OVER}
