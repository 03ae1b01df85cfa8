"""What matches came to: outcomes, contracts, means; as JSON and to read; and tournaments."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from hpenv.agents.uniform import Uniform
from hpenv.rules import PRESETS, Rules
from hpenv.seats import NOBODY
from hpenv.table import TABLE
from hpenv.training.benchmark.matches import duplicate_match
from hpenv.training.benchmark.outcomes import OUTCOME, A, B, outcomes_at
from hpenv.training.benchmark.results import MatchResult, contracts_grid, match_headline
from hpenv.training.benchmark.tournament import tournament, tournament_grid
from scripted import highest, lowest
from table_talk import red

LONE_MARCH = (
    "bid 4, pass, pass, pass, trump H, TS, alone, with partner, with partner, 9C, JC, AC, "
    "Jo, TH, 9D, JH, QH, TD, AH, KD, JS, KH, TC, QS, AS, 9S, KS"
)


def as_list(outcome: Any) -> list[Any]:
    return [*outcome.tolist()[:-1], *outcome["points"].tolist()]


def test_outcomes_are_those_of_a_and_b() -> None:
    tables = np.zeros(2, TABLE)
    tables[0] = red("standard", "W", LONE_MARCH)  # North's; worth a point a trick (R14)
    tables[1] = red("standard", "W", "pass, pass, pass, pass")
    as_ns, as_ew = outcomes_at(tables, 0), outcomes_at(tables, 1)
    #                           makers, bid, made, march, alone, points of A and B
    assert as_list(as_ns[0]) == [A, 4, True, True, True, 6, 0]
    assert as_list(as_ew[0]) == [B, 4, True, True, True, 0, 6]
    assert as_list(as_ns[1]) == as_list(as_ew[1]) == [NOBODY, 0, False, False, False, 0, 0]


def a_match() -> MatchResult:
    """Two duplicate deals: A makes 4 and B is set in 6; then B makes big pepper alone, and all pass."""
    outcomes = np.zeros((2, 2), OUTCOME)
    outcomes[0, 0] = (A, 4, True, False, False, [5, 0])
    outcomes[0, 1] = (B, 6, False, False, False, [0, -6])
    outcomes[1, 0] = (B, 7, True, True, True, [0, 12])
    outcomes[1, 1] = (NOBODY, 0, False, False, False, [0, 0])
    return MatchResult(("one", "two"), PRESETS["pepper"], 1, outcomes, "")


def test_the_value_of_a_deal_is_the_mean_of_its_two_tables() -> None:
    match = a_match()
    assert match.values.tolist() == [5.5, -6.0]  # (5 + 6) / 2 and (-12 + 0) / 2
    assert match.mean == -0.25
    assert match.interval == (-np.inf, np.inf)  # of two deals nothing is known
    assert "no interval from fewer than 50 deals" in match_headline(match)
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
    match = duplicate_match(lowest(), highest(), "pepper", 60)
    found = json.loads(json.dumps(match.as_json(), allow_nan=False))
    assert found["mean"] == match.mean
    assert found["low"] <= found["mean"] <= found["high"]
    assert (found["deals"], found["rules"], found["seed"]) == (60, "pepper", 1)
    assert found["agents"][0]["made"] is None  # a share of no contracts
    assert f"{match.mean:+.3f} points per deal" in match_headline(match)
    assert contracts_grid(match).row_count > 5
    one = duplicate_match(lowest(), highest(), "mini2", 1).as_json()
    assert (one["low"], one["high"]) == (None, None)  # a single deal bounds nothing


def test_an_agent_is_exactly_equal_to_itself_and_others_are_not_known_to_be() -> None:
    assert duplicate_match("uniform", "uniform", "mini2", 1).interval == (0.0, 0.0)
    match = duplicate_match(Uniform("one"), Uniform("two"), "mini2", 60)
    assert not match.values.any()
    assert match.interval == (-np.inf, np.inf)


@pytest.mark.parametrize(("hand_size", "big"), [(2, 2), (6, 6)])
def test_big_pepper_is_a_bid_of_all_the_tricks_there_are(hand_size: int, big: int) -> None:
    # R20: with k cards the top bid is k, whatever its stakes.
    rules = Rules(bidding="pepper", hand_size=hand_size)
    match = duplicate_match(highest(), lowest(), rules, 10)
    assert match.contracts(A).bids == [0, 0, 0, 0, 0, 0, 0, 20]
    assert match.contracts(A).average_bid == big
    agents = duplicate_match("uniform", "uniform", rules, 60).as_json()["agents"]
    assert all(1 <= agent["average_bid"] <= hand_size for agent in agents)


def test_a_tournament_plays_all_pairs_on_the_same_deals() -> None:
    seen: list[tuple[int, int]] = []
    result = tournament([lowest(), highest(), "uniform"], "set_bid", 50, 2, lambda *t: seen.append(t))
    alone = duplicate_match(highest(), "uniform", "set_bid", 50, 2)
    assert np.array_equal(result.matches[1, 2].values, alone.values)
    mean, low, high = result.against(2, 1)
    assert (mean, low, high) == (-alone.mean, -alone.high, -alone.low)
    assert sum(result.average(i) for i in range(3)) == pytest.approx(0)
    assert seen[-1] == (150, 150)
    assert tournament_grid(result).row_count == 3
    assert len(json.loads(json.dumps(result.as_json(), allow_nan=False))["matches"]) == 3
    with pytest.raises(ValueError, match="two agents or more"):
        tournament(["uniform"], "set_bid", 50)
