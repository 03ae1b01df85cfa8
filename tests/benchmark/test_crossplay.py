"""Cross-play: partners sit where they should, twins lose nothing, and a private convention is seen."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from hpenv.actions import BID, PASS
from hpenv.compiled import lowest_bit
from hpenv.rulebook import AUCTION
from hpenv.training.benchmark.crossplay import Partners, cross_play
from hpenv.training.benchmark.matches import duplicate_match
from hpenv.training.cli.main import main
from scripted import Scripted, highest, lowest


def test_the_first_sits_in_norths_or_easts_seat() -> None:
    seats: dict[str, set[int]] = {"first": set(), "second": set()}

    def watcher(name: str) -> Scripted:
        def watch(view: Any, i: int) -> int:
            seats[name].add(int(view.seat))
            return int(lowest_bit(view.legal))

        return Scripted(name, watch)

    duplicate_match(Partners(watcher("first"), watcher("second")), "uniform", "mini3", 20)
    assert seats == {"first": {0, 1}, "second": {2, 3}}


def test_partners_that_are_the_same_are_that_agent() -> None:
    alone = duplicate_match("uniform", "rule_based", "house", 60)
    twins = cross_play(["uniform", "uniform"], "rule_based", "house", 60)
    for values in twins.values.values():
        assert np.array_equal(values, alone.values)
    assert twins.as_json()["loss"] == {"mean": 0.0, "low": 0.0, "high": 0.0}


def test_what_is_lost_is_the_mean_of_both_seatings_less_that_of_each_alone() -> None:
    found = cross_play([lowest(), highest()], "uniform", "set_bid", 60, 3)
    a, b = (
        duplicate_match(lowest(), "uniform", "set_bid", 60, 3),
        duplicate_match(highest(), "uniform", "set_bid", 60, 3),
    )
    ab = duplicate_match(Partners(lowest(), highest()), "uniform", "set_bid", 60, 3)
    ba = duplicate_match(Partners(highest(), lowest()), "uniform", "set_bid", 60, 3)
    expected = (a.mean + b.mean) / 2 - (ab.mean + ba.mean) / 2
    assert found.losses.mean() == pytest.approx(expected)
    assert found.as_json()["self_play"] == [a.mean, b.mean]


def test_a_private_convention_costs_what_it_is_worth() -> None:
    # Under set_bid with nobody else bidding: "odd" bids 1 and "even" bids 2 if its partner has not bid,
    # and each raises the other's bid, which it takes for an invitation, to the top. With itself either
    # stays at its own low bid.
    def agent(own: int) -> Scripted:
        def choose(view: Any, i: int) -> int:
            if view.phase != AUCTION:
                return int(lowest_bit(view.legal))
            if view.bid == 0:
                return BID + own
            return int(lowest_bit(view.legal)) if view.bid == own else BID + 6

        return Scripted(f"bids {own}", choose)

    passes = Scripted(
        "passes", lambda view, i: PASS if view.phase == AUCTION else lowest_bit(view.legal)
    )
    found = cross_play([agent(1), agent(2)], passes, "set_bid", 60)
    assert found.as_json()["loss"]["low"] > 2
    assert found.as_json()["pairs"][0]["a"] == "bids 1"


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["crossplay", "uniform", "sensible_random", "--rules", "mini2", "--deals", "60"]
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    expected = cross_play(["uniform", "sensible_random"], "rule_based", "mini2", 60)
    assert found == json.loads(json.dumps(expected.as_json(), allow_nan=False))
    assert main(words) == 0
    assert "all pairs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("uniform", "two agents or more"),
        ("uniform unifrom", "did you mean uniform?"),
        ("uniform oracle_all", "sees hidden cards"),
        ("uniform uniform --deals 0", "deals: 0"),
    ],
)
def test_wrong_input_is_one_sentence(words: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["crossplay", *words.split()]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
