"""Calibration: estimates are shares of the right worlds, errors are what they are defined to be."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hpenv.actions import N_LEVELS
from hpenv.agents.agent import Agent, make_agent, play_deals, streams_for
from hpenv.agents.analysis.chances import chances_of, write_made
from hpenv.double_dummy import points_apart
from hpenv.rulebook import NAME_TRUMP, was_made
from hpenv.rules import Rules, get_rules
from hpenv.seats import side_of
from hpenv.table import TABLE, deal
from hpenv.training.benchmark import calibration as measuring
from hpenv.training.benchmark.calibration import (
    calibration,
    calibration_error,
    error_if_calibrated,
    measured,
    reliability,
)
from hpenv.training.benchmark.matches import deal_tables
from hpenv.training.cli.main import main
from hpenv.view import VIEW, View, view_of
from hpenv.worlds import count_worlds, numbered_worlds, set_worlds
from random_deals import RULES
from scripted import lowest

DEALER_BIDS = {"hand_size": 2, "all_pass": "dealer_bids", "set_penalty": "bid"}


def after_the_auction(rules: Any, agent: Any, seed: int) -> Any:
    """A table whose auction has just ended, the agent having called for all seats."""
    tables = deal_tables(get_rules(rules), seed, 0, 8)
    play_deals(tables, [agent] * 4, streams_for(seed, 8), until=NAME_TRUMP)
    return next(table for table in tables if table["phase"] == NAME_TRUMP)


def estimate(agent: Any, view: View, worlds: int = 5_000) -> float:
    views = np.zeros(1, VIEW)
    views[0] = view
    return float(chances_of(agent, worlds)(views, np.array([7], np.uint64))[0])


# ---- the estimate -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "goes_on"),
    [
        (lowest(), lowest()),
        # With all hands open, after the calls of rule_based.
        (make_agent("pimc:worlds=1,belief=uniform"), make_agent("oracle_all:bidding=rule_based")),
    ],
    ids=["lowest", "pimc"],
)
def test_it_is_the_share_of_all_worlds_in_which_the_contract_is_made(
    agent: Agent, goes_on: Agent
) -> None:
    table, shares = after_the_auction(DEALER_BIDS, agent, 3), []
    for seat in range(4):
        view = view_of(table, seat)
        worlds = numbered_worlds(view, np.arange(count_worlds(view)))
        tables: Any = np.zeros(len(worlds[0]), TABLE)
        set_worlds(tables, view, np.uint64(1), *worlds)
        play_deals(tables, [goes_on] * 4, streams_for(1, len(tables)))
        won = tables["tricks"][:, int(table.maker) % 2]
        shares.append(was_made(won, tables["bid"], tables["hand_size"]).mean())
        assert estimate(agent, view, 9_000) == pytest.approx(shares[-1])
    assert len({share for share in shares if 0 < share < 1}) >= 3


@pytest.mark.parametrize(
    "name",
    [
        "learned",
        "learned:play=sample",
        "learned_search:worlds=4",
        "pimc:worlds=4,bidding=played",
        "pimc:belief=learned",
    ],
)
def test_every_kind_of_agent_estimates_between_0_and_1_and_the_same_again(name: str) -> None:
    agent = make_agent(name)
    table = after_the_auction("mini3", make_agent("rule_based"), 1)
    shares = [[estimate(agent, view_of(table, seat), 12) for seat in range(4)] for _ in range(2)]
    assert shares[0] == shares[1]
    assert all(0 <= share <= 1 for share in shares[0])


def test_an_agent_that_sees_hidden_cards_estimates_nothing() -> None:
    with pytest.raises(ValueError, match="oracle_all sees hidden cards"):
        chances_of(make_agent("oracle_all"), 10)


@pytest.mark.parametrize("rules", RULES)
def test_points_tell_whether_a_contract_was_made(rules: str) -> None:
    tables = deal_tables(get_rules(RULES[rules]), 5, 0, 300)
    play_deals(tables, [make_agent("uniform")] * 4, streams_for(5, 300))
    tables = tables[tables["maker"] >= 0]
    makers = side_of(tables["maker"].astype(np.int64))
    points = tables["points"].astype(np.float64)
    rows, made = np.arange(len(tables)), np.zeros(len(tables), np.bool_)
    write_made(tables, points[rows, makers] - points[rows, 1 - makers], made)
    assert np.array_equal(
        made, was_made(tables["tricks"][rows, makers], tables["bid"], tables["hand_size"])
    )


def test_a_contract_made_is_always_worth_more_than_one_set() -> None:
    for bidding, penalty, scores, factor, size in product(
        ("numbers", "pepper"), ("tricks_won", "bid"), (False, True), (1, 2), range(1, 7)
    ):
        table = deal(
            Rules(
                bidding=bidding,
                set_penalty=penalty,
                defenders_score=scores,
                alone_factor=factor,
                hand_size=size,
            ),
            seed=1,
        )
        for bid, alone in product((*range(1, size + 1), N_LEVELS), (False, True)):
            called = min(bid, size)
            worth = [points_apart(table, won, bid, alone) for won in range(size + 1)]
            assert max(worth[:called]) < min(worth[called:])


# ---- against what became of it ------------------------------------------------------------------


def test_the_error_by_hand() -> None:
    # Two bins of two: said 10 % and half were made, said 90 % and all were made.
    estimates, made = np.array([0.1, 0.1, 0.9, 0.9]), np.array([False, True, True, True])
    assert calibration_error(estimates, made) == pytest.approx((0.4 + 0.1) / 2)
    found = measured(estimates, made)
    assert found["made"] == 0.75
    assert found["brier"] == pytest.approx((0.01 + 0.81 + 0.01 + 0.01) / 4)
    assert [(row["n"], row["made"]) for row in found["bins"]] == [(2, 0.5), (2, 1.0)]
    assert [row["n"] for row in reliability(np.array([0.0, 1.0, 0.999]), np.full(3, True))] == [1, 2]


def test_right_estimates_seldom_have_a_larger_error_than_they_may(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(measuring, "SAMPLES", 100)
    draws = np.random.default_rng(1)
    right, wrong = 0, 0
    for _ in range(200):
        estimates = draws.random(300)
        limit = error_if_calibrated(estimates)
        right += calibration_error(estimates, draws.random(300) < estimates) > limit
        wrong += calibration_error(estimates, draws.random(300) < 0.5 + 0.6 * (estimates - 0.5)) > limit
    assert 2 <= right <= 20  # 10 expected
    assert wrong > 180


class Lowest:
    """As `scripted.lowest`, for very many views."""

    name = "lowest"

    def act(self, views: Any, streams: Any) -> Any:
        return np.log2(views["legal"] & -views["legal"]).astype(np.int64)


def test_an_agent_that_knows_what_everybody_does_is_calibrated() -> None:
    # Everybody passes whatever the cards, so that the dealer must bid one: all worlds are equally
    # likely, as the agent takes them to be, and it plays on as it does.
    found = calibration(Lowest(), DEALER_BIDS, 400, 100, 2)
    assert found.estimates.shape == (400, 4)
    assert found.estimates.std(axis=0).min() > 0.05
    rows = found.as_json()["rows"]
    assert [row["seat"] for row in rows if row["bid"] == "all"] == ["maker", "left", "partner", "right"]
    for row in rows:
        assert row["error"] < row["error_if_calibrated"], row["seat"]
        assert row["low"] < row["made"] < row["high"]
        assert sum(each["n"] for each in row["bins"]) == row["n"] == 400


# ---- the command --------------------------------------------------------------------------------


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "reliability.png"
    words = ["calibrate", "rule_based", "--rules", "mini3", "mini2", "--deals", "60", "--worlds", "8"]
    assert main([*words, "--json", "--plot", str(picture)]) == 0
    found = json.loads(capsys.readouterr().out)["results"]
    expected = calibration("rule_based", "mini3", 60, 8).as_json()
    assert found[0] == json.loads(json.dumps(expected, allow_nan=False))
    assert [result["rules"] for result in found] == ["mini3", "mini2"]
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert main(words) == 0
    assert "rule_based under mini2: 60 deals of seed 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("rule_basd", "did you mean rule_based?"),
        ("oracle_all", "sees hidden cards"),
        ("rule_based --deals 0", "deals: 0"),
        ("rule_based --worlds 0", "worlds: 0"),
        ("rule_based --rules nope", "no preset 'nope'"),
        ("rule_based --plot picture.txt", "picture.txt is neither a .png nor a .svg"),
    ],
)
def test_wrong_input_is_one_sentence(words: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", *words.split()]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
