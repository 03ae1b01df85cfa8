"""Duplicate matches: equal agents score exactly 0, luck cancels, and the intervals are right."""

import json
from typing import Any

import numpy as np
import pytest
import torch

from hpenv.actions import BID, N_ACTIONS, PASS
from hpenv.agents.agent import play_deals, streams_for
from hpenv.agents.learned import Learned, Network
from hpenv.agents.uniform import Uniform
from hpenv.batch import Batch
from hpenv.compiled import count_bits, highest_bit, lowest_bit
from hpenv.errors import IllegalAction
from hpenv.rulebook import AUCTION
from hpenv.rules import PRESETS, Rules
from hpenv.seats import NOBODY
from hpenv.table import TABLE
from hpenv.training.benchmark.intervals import mean_interval, share_interval
from hpenv.training.benchmark.matches import (
    deal_tables,
    duplicate_match,
    game_match,
    outcomes_at,
    tournament,
)
from hpenv.training.benchmark.results import (
    OUTCOME,
    A,
    B,
    MatchResult,
    contracts_grid,
    games_sentence,
    match_headline,
    tournament_grid,
)
from table_talk import red


class Scripted:
    """An agent made of a function from (view, place in the batch) to an action."""

    def __init__(self, name: str, choose: Any) -> None:
        self.name = name
        self.choose = choose

    def act(self, views: Any, streams: Any) -> Any:
        return np.array([self.choose(view, i) for i, view in enumerate(views)], np.int64)


def nth_legal(view: Any, n: int) -> int:
    """The legal action in place n, counted round and round."""
    choices = int(view.legal)
    for _ in range(n % count_bits(choices)):
        choices &= choices - 1
    return int(lowest_bit(choices))


def lowest() -> Scripted:
    """Always the first legal action: passes, and plays low."""
    return Scripted("lowest", lambda view, i: lowest_bit(view.legal))


def highest() -> Scripted:
    """Always the last legal action: makes the top bid, never plays alone, and plays high."""
    return Scripted("highest", lambda view, i: highest_bit(view.legal))


# ---- duplicate deals --------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_equal_agents_score_exactly_zero_on_every_deal(preset: str) -> None:
    match = duplicate_match("uniform", "uniform", preset, 300, seed=5)
    assert not match.values.any()
    assert (match.mean, match.low, match.high) == (0.0, 0.0, 0.0)
    assert match.contracts(A) == match.contracts(B)
    assert match.contracts(A).contracts > 0


def test_equal_agents_score_zero_even_if_they_act_by_their_place_in_the_batch() -> None:
    # A network's last bits may depend on the batch it is asked with: both tables must ask alike.
    first, second = Scripted("first", nth_legal), Scripted("second", nth_legal)
    match = duplicate_match(first, second, "house", 150, chunk=64)
    assert not match.values.any()
    assert np.ptp(match.outcomes["points"]) > 0


def test_equal_networks_score_zero() -> None:
    torch.manual_seed(2)
    network = Network(N_ACTIONS, 32, 1)
    first, second = (Learned(network, name, chance=True) for name in ("first", "second"))
    match = duplicate_match(first, second, "standard", 300, chunk=128)
    assert not match.values.any()
    assert match.contracts(A).contracts > 0


def test_one_object_on_both_sides_scores_zero() -> None:
    agent = Uniform()
    assert not duplicate_match(agent, agent, "set_bid", 100).values.any()


@pytest.mark.parametrize("preset", ["standard", "house"])
def test_swapping_the_agents_negates_every_value(preset: str) -> None:
    there = duplicate_match("uniform", lowest(), preset, 200)
    back = duplicate_match(lowest(), "uniform", preset, 200)
    assert there.values.any()
    assert np.array_equal(there.values, -back.values)
    assert there.mean == -back.mean
    assert there.contracts(A) == back.contracts(B)


def test_a_deal_is_the_same_however_many_are_played_and_however_they_are_chunked() -> None:
    whole = duplicate_match("uniform", lowest(), "standard", 200)
    assert whole.values.any()
    for deals, chunk in ((200, 64), (200, 7), (50, 1024), (1, 1)):
        part = duplicate_match("uniform", lowest(), "standard", deals, chunk=chunk)
        assert np.array_equal(part.outcomes, whole.outcomes[:deals]), (deals, chunk)


def test_seeds_differ_and_repeat() -> None:
    one, again, other = (duplicate_match("uniform", lowest(), "pepper", 50, s) for s in (1, 1, 2))
    assert np.array_equal(one.outcomes, again.outcomes)
    assert not np.array_equal(one.values, other.values)


def test_every_seat_deals_in_turn_and_any_deal_can_be_dealt_alone() -> None:
    tables = deal_tables(Rules(), 1, 0, 40)
    assert tables["dealer"].tolist() == [0, 1, 2, 3] * 10
    assert np.array_equal(deal_tables(Rules(), 1, 33, 7), tables[33:])
    assert len(np.unique(tables["pack"], axis=0)) == 40


def test_training_with_the_same_seed_never_meets_the_deals_of_the_benchmark() -> None:
    benchmark = {pack.tobytes() for pack in deal_tables(Rules(), 1, 0, 2000)["pack"]}
    training = {pack.tobytes() for pack in Batch(2000, seed=1).tables["pack"]}
    assert len(benchmark) == len(training) == 2000
    assert not benchmark & training


def test_no_seat_is_better_than_another_for_equal_agents() -> None:
    # Undealt, the first table of each deal: North-South less East-West, within 4 standard errors of 0.
    match = duplicate_match("uniform", "uniform", "set_bid", 20_000, seed=3)
    points = match.outcomes["points"][:, 0].astype(float)
    difference = points[:, A] - points[:, B]
    assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(len(difference))


def test_an_agent_that_only_passes_beats_one_that_overbids_where_bids_cost() -> None:
    # R15: a failed bid of six costs 6. Who always bids six makes it now and then.
    match = duplicate_match(lowest(), highest(), "set_bid", 300)
    assert match.low > 3
    assert match.contracts(A).contracts == 0
    assert match.contracts(B).bids == [0, 0, 0, 0, 0, 0, 600, 0]
    assert match.thrown_in == 0
    assert not duplicate_match(lowest(), lowest(), "set_bid", 20).outcomes["bid"].any()


def test_progress_is_told_up_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    duplicate_match("uniform", "uniform", "mini2", 25, progress=lambda *t: told.append(t), chunk=10)
    assert told == [(0, 25), (10, 25), (20, 25), (25, 25)]


@pytest.mark.parametrize("deals", [0, -1, 10_000_001])
def test_a_number_of_deals_out_of_range_is_refused(deals: int) -> None:
    with pytest.raises(ValueError, match="deals: "):
        duplicate_match("uniform", "uniform", deals=deals)
    with pytest.raises(ValueError, match="games: "):
        game_match("uniform", "uniform", games=deals)


# ---- what became of a deal --------------------------------------------------------------------

LONE_MARCH = (
    "bid 4, pass, pass, pass, trump H, TS, alone, with partner, with partner, 9C, JC, AC, "
    "Jo, TH, 9D, JH, QH, TD, AH, KD, JS, KH, TC, QS, AS, 9S, KS"
)


def told(outcome: Any) -> list[Any]:
    return [*outcome.tolist()[:-1], *outcome["points"].tolist()]


def test_outcomes_are_told_for_a_and_b() -> None:
    tables = np.zeros(2, TABLE)
    tables[0] = red("standard", "W", LONE_MARCH)  # North's; worth a point a trick (R14)
    tables[1] = red("standard", "W", "pass, pass, pass, pass")
    as_ns, as_ew = outcomes_at(tables, 0), outcomes_at(tables, 1)
    #                           makers, bid, made, march, alone, points of A and B
    assert told(as_ns[0]) == [A, 4, True, True, True, 6, 0]
    assert told(as_ew[0]) == [B, 4, True, True, True, 0, 6]
    assert told(as_ns[1]) == told(as_ew[1]) == [NOBODY, 0, False, False, False, 0, 0]


def a_match() -> MatchResult:
    """Two duplicate deals: A makes 4 and B is set in 6; then B makes big pepper alone, and all pass."""
    outcomes = np.zeros((2, 2), OUTCOME)
    outcomes[0, 0] = (A, 4, True, False, False, [5, 0])
    outcomes[0, 1] = (B, 6, False, False, False, [0, -6])
    outcomes[1, 0] = (B, 7, True, True, True, [0, 12])
    outcomes[1, 1] = (NOBODY, 0, False, False, False, [0, 0])
    return MatchResult(("one", "two"), PRESETS["pepper"], 1, outcomes)


def test_the_value_of_a_deal_is_the_mean_of_its_two_tables() -> None:
    match = a_match()
    assert match.values.tolist() == [5.5, -6.0]  # (5 + 6) / 2 and (-12 + 0) / 2
    assert match.mean == -0.25
    assert match.interval == (-6.0, 5.5)  # one resample in four has either deal twice
    assert match.won == 0.5
    assert match.thrown_in == 0.25


def test_contracts_are_counted_for_each_agent() -> None:
    found = a_match().as_json()
    assert found["agents"][0] == {
        "name": "one",
        "contracts": 1,
        "bids": {"1": 0, "2": 0, "3": 0, "4": 1, "5": 0, "6": 0, "big pepper": 0},
        "average_bid": 4.0,
        "made": 1.0,
        "set": 0.0,
        "marches": 0.0,
        "alone": 0.0,
        "points_per_contract": 5.0,
    }
    two = found["agents"][1]
    assert (two["contracts"], two["bids"]["6"], two["bids"]["big pepper"]) == (2, 1, 1)
    assert (two["average_bid"], two["made"], two["set"], two["marches"]) == (6.0, 0.5, 0.5, 0.5)
    assert (two["alone"], two["points_per_contract"]) == (0.5, 3.0)


def test_results_are_json_and_readable() -> None:
    match = duplicate_match(lowest(), highest(), "pepper", 20)
    found = json.loads(json.dumps(match.as_json(), allow_nan=False))
    assert found["mean"] == match.mean
    assert found["low"] <= found["mean"] <= found["high"]
    assert (found["deals"], found["rules"], found["seed"]) == (20, "pepper", 1)
    assert found["agents"][0]["made"] is None  # a share of no contracts
    assert f"{match.mean:+.3f} points per deal" in match_headline(match)
    assert contracts_grid(match).row_count > 5
    one = duplicate_match("uniform", "uniform", "mini2", 1).as_json()
    assert (one["mean"], one["low"], one["high"]) == (0.0, None, None)  # a single deal bounds nothing


# ---- whole games and tournaments --------------------------------------------------------------


def test_equal_agents_win_one_of_each_two_games() -> None:
    games = game_match("uniform", "uniform", "house", 60)
    decided = games.winners[:, 0] >= 0
    assert decided.any()
    assert np.array_equal(games.winners[decided, 0], 1 - games.winners[decided, 1])
    assert np.array_equal(games.lengths[:, 0], games.lengths[:, 1])
    assert games.won == 0.5
    assert games.decided == 2 * decided.sum()


def test_games_end_at_the_target_or_are_truncated() -> None:
    # Who only passes never scores when all pass; an overbidder alone decides the game.
    nobody = game_match(lowest(), lowest(), Rules(max_deals=7), 3)
    assert nobody.decided == 0
    assert (nobody.lengths == 7).all()
    assert nobody.as_json()["won"] is None
    assert (nobody.interval, nobody.as_json()["truncated"]) == ((0.0, 1.0), 6)
    assert "none was decided" in games_sentence(nobody)
    defended = Rules(set_penalty="bid", defenders_score=True)
    games = game_match(lowest(), highest(), defended, 40)
    assert games.won > 0.9
    assert games.interval[0] > 0.8
    assert (games.lengths[games.winners >= 0] < 100).all()
    mirrored = game_match(highest(), lowest(), defended, 40)
    assert mirrored.won == pytest.approx(1 - games.won)


def test_a_game_and_its_mirror_have_the_same_cards_deal_by_deal() -> None:
    seen: list[dict[tuple[int, int], int]] = [{}, {}]

    def watcher(who: int, place: int) -> Scripted:
        def watch(view: Any, i: int) -> int:
            if view.phase == AUCTION:
                hand = seen[who].setdefault((int(view.deals_played), int(view.seat)), int(view.hand))
                assert hand == view.hand
            return nth_legal(view, place)

        return Scripted(f"watcher {who}", watch)

    game_match(watcher(A, 0), watcher(B, 1), Rules(max_deals=8), 1)
    # A sat North and South in the first game, East and West in its mirror; B the other way round.
    both = seen[A].keys() & seen[B].keys()
    assert len(both) > 8
    assert {seat for _, seat in both} == {0, 1, 2, 3}
    assert all(seen[A][key] == seen[B][key] for key in both)


def test_a_tournament_plays_all_pairs_on_the_same_deals() -> None:
    told: list[tuple[int, int]] = []
    result = tournament([lowest(), highest(), "uniform"], "set_bid", 50, 2, lambda *t: told.append(t))
    alone = duplicate_match(highest(), "uniform", "set_bid", 50, 2)
    assert np.array_equal(result.matches[1, 2].values, alone.values)
    mean, low, high = result.against(2, 1)
    assert (mean, low, high) == (-alone.mean, -alone.high, -alone.low)
    assert sum(result.average(i) for i in range(3)) == pytest.approx(0)
    assert told[-1] == (150, 150)
    assert tournament_grid(result).row_count == 3
    assert len(json.loads(json.dumps(result.as_json(), allow_nan=False))["matches"]) == 3
    with pytest.raises(ValueError, match="two agents or more"):
        tournament(["uniform"], "set_bid", 50)


# ---- agents at the table ----------------------------------------------------------------------


def test_an_illegal_action_is_refused_with_the_agents_name_and_the_rule() -> None:
    bidder = Scripted("bidder", lambda view, i: BID + 2)
    with pytest.raises(IllegalAction, match=r"agent bidder: .*must bid more than the standing"):
        duplicate_match(bidder, "uniform", "standard", 10)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (lambda n: np.full(n, float(PASS)), "float64"),
        (lambda n: np.full(n + 1, PASS), "shape"),
        (lambda n: np.full((n, 1), PASS), "shape"),
        (lambda n: PASS, "shape"),
    ],
)
def test_anything_but_one_whole_number_a_view_is_refused(answer: Any, complaint: str) -> None:
    agent = Uniform("odd")
    agent.act = lambda views, streams: answer(len(views))  # type: ignore[method-assign]
    tables = deal_tables(Rules(), 1, 0, 5)
    with pytest.raises(TypeError, match=rf"agent odd: .*{complaint}"):
        play_deals(tables, [agent] * 4, streams_for(1, 5))


def test_every_decision_takes_the_streams_on_from_where_the_seat_left_them() -> None:
    asked: list[tuple[int, int]] = []

    def act(views: Any, streams: Any) -> Any:
        asked.extend(zip(views["seat"].tolist(), streams.tolist(), strict=True))
        streams += np.uint64(1)
        return np.array([lowest_bit(view.legal) for view in views], np.int64)

    agent = lowest()
    agent.act = act  # type: ignore[method-assign]
    streams = 1000 * np.arange(4, dtype=np.uint64).reshape(1, 4)
    play_deals(deal_tables(PRESETS["house"], 1, 0, 1), [agent, Uniform(), agent, agent], streams)
    for seat in (0, 2, 3):
        mine = [stream for asked_seat, stream in asked if asked_seat == seat]
        assert mine == list(range(1000 * seat, 1000 * seat + len(mine)))
        assert streams[0, seat] == 1000 * seat + len(mine)
    assert streams[0, 1] != 1000


def test_small_and_unsigned_whole_numbers_are_taken() -> None:
    for kind in (np.int8, np.uint8, np.int32, np.uint64):
        agent = lowest()
        agent.act = lambda views, streams, kind=kind: np.array(  # type: ignore[method-assign,misc]
            [lowest_bit(view.legal) for view in views], kind
        )
        tables = deal_tables(Rules(), 1, 0, 5)
        play_deals(tables, [agent] * 4, streams_for(1, 5))
        assert (tables["deals_played"] == 1).all()


# ---- intervals --------------------------------------------------------------------------------


def test_bootstrap_of_two_values_by_hand() -> None:
    # Resamples of {0, 2} have mean 0, 1, 2 with chances 1/4, 1/2, 1/4: both 2.5 % tails are extremes.
    assert mean_interval([0, 2]) == (0.0, 2.0)
    # Of nine 0s and a 10 the mean is k with k binomial(10, 0.1): P(0) = 0.349 and P(k > 3) = 0.013.
    assert mean_interval([0] * 9 + [10]) == (0.0, 3.0)


def test_bootstrap_without_chance() -> None:
    assert mean_interval([1.5] * 20) == (1.5, 1.5)
    assert mean_interval([1.5]) == (-np.inf, np.inf)


def test_bootstrap_agrees_with_the_standard_error_for_many_values() -> None:
    values = np.random.default_rng(4).integers(-6, 7, 5000)
    low, high = mean_interval(values)
    error = values.std() / np.sqrt(len(values))
    assert low == pytest.approx(values.mean() - 1.96 * error, abs=0.1 * error)
    assert high == pytest.approx(values.mean() + 1.96 * error, abs=0.1 * error)


def test_bootstrap_covers_the_truth_95_times_in_100() -> None:
    rng = np.random.default_rng(8)
    truth = 0.3 * 6 - 0.7 * 2
    samples = [np.where(rng.random(200) < 0.3, 6, -2) for _ in range(400)]
    covered = sum(low <= truth <= high for low, high in map(mean_interval, samples))
    assert 0.92 * 400 <= covered <= 0.98 * 400


def test_wilson_by_hand() -> None:
    # None of ten: the upper bound is z^2 / (n + z^2) = 3.8415 / 13.8415.
    assert share_interval(0, 10) == pytest.approx((0.0, 0.27753), abs=1e-5)
    assert share_interval(10, 10) == pytest.approx((0.72247, 1.0), abs=1e-5)
    # Half of a hundred: 1/2 -+ z / (2 sqrt(n + z^2)) = 1/2 -+ 1.95996 / 20.38056.
    low, high = share_interval(50, 100)
    assert low == pytest.approx(0.40383, abs=1e-5)
    assert high == pytest.approx(0.59617, abs=1e-5)
    assert share_interval(0, 0) == (0.0, 1.0)
