"""Duels: an agent that differs in one part differs there only, and what is left over is the rest."""

from __future__ import annotations

import json

import numpy as np
import pytest

from hpenv.training.benchmark.duel import LEFT_OVER, ROWS, SINGLE, WHOLE, Part, duel, duel_grid
from hpenv.training.benchmark.matches import duplicate_match
from hpenv.training.cli.main import main
from scripted import highest, lowest

PART_OF_ROW = dict(
    zip(
        SINGLE,
        ("auction=sensible_random", "trump=uniform", "lead=uniform", "follow=uniform"),
        strict=True,
    )
)


@pytest.mark.parametrize("row", SINGLE)
def test_agents_that_differ_in_one_part_differ_in_that_row_only(row: str) -> None:
    other = f"mixed:rule_based,{PART_OF_ROW[row]}"
    result = duel(other, "rule_based", "set_bid", 60)
    found = {part.name: part for part in result.parts}
    whole = duplicate_match(other, "rule_based", "set_bid", 60)
    assert whole.values.any()
    assert np.array_equal(found[WHOLE].values, whole.values)
    assert np.array_equal(found[row].values, whole.values)
    for name in {*SINGLE, LEFT_OVER} - {row}:
        assert not found[name].values.any(), name
        assert found[name].interval == (0.0, 0.0)
    after_the_auction = found["all but the auction"].values
    assert np.array_equal(after_the_auction, np.zeros(60) if row == "auction" else whole.values)


def test_an_agent_against_itself_is_zero_in_every_row() -> None:
    assert not any(part.values.any() for part in duel("uniform", "uniform", "house", 40).parts)


def test_what_is_left_over_is_the_whole_less_the_single_parts_deal_by_deal() -> None:
    found = {part.name: part.values for part in duel(highest(), lowest(), "set_bid", 60).parts}
    assert list(found) == [*ROWS, LEFT_OVER]
    assert found[LEFT_OVER].any()
    assert np.array_equal(found[WHOLE], found[LEFT_OVER] + sum(found[row] for row in SINGLE))


def test_the_interval_of_a_part_is_paired() -> None:
    # Two parts that cancel on every deal leave exactly nothing over, however much each varies.
    values = np.random.default_rng(1).normal(0, 5, 200)
    assert Part("left over", values - values).interval == (0.0, 0.0)
    low, high = Part("left over", values - values + np.arange(200) % 2).interval
    assert (low, high) == pytest.approx((0.43, 0.57), abs=0.01)


def test_the_command_prints_json_and_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["duel", "rule_based", "uniform", "--deals", "60", "--rules", "mini3"]
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    expected = duel("rule_based", "uniform", "mini3", 60)
    assert found == json.loads(json.dumps(expected.as_json(), allow_nan=False))
    assert duel_grid(expected).row_count == len(ROWS) + 1
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "trump and discard" in shown
    assert LEFT_OVER in shown


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("uniform", "required"),
        ("uniform unifrom", "did you mean uniform?"),
        ("uniform oracle_all", "sees hidden cards"),
        ("uniform uniform --deals 0", "deals: 0"),
    ],
)
def test_wrong_input_is_one_sentence(words: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["duel", *words.split()]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


def test_an_agent_that_sees_hidden_cards_has_no_parts() -> None:
    with pytest.raises(ValueError, match="oracle_all sees hidden cards and has no parts"):
        duel("oracle_all", "uniform", "mini2", 1)
