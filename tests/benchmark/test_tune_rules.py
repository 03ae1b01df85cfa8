"""The search for the numbers of rule_based: the shipped ones play as the agent does, and a small search
improves on numbers that know nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hpenv.agents.agent import make_agent, play_deals, streams_for
from hpenv.agents.rule_based.weights import WEIGHTS, Judgement, Temper
from hpenv.rules import PRESETS, get_rules
from hpenv.training.benchmark.matches import deal_tables, duplicate_match
from hpenv.training.benchmark.tune_rules import (
    Candidate,
    TuneRules,
    as_vector,
    flat_weights,
    from_vector,
    least_of_each,
    tune,
    weights_text,
)

SMALL = TuneRules(
    start="flat", generations=3, candidates=12, elite=4, deals=100, check_deals=1000, seed=3
)


@pytest.mark.parametrize("rules", PRESETS)
def test_the_shipped_numbers_play_as_rule_based_does(rules: str) -> None:
    played = []
    for agent in (make_agent("rule_based"), Candidate(WEIGHTS)):
        tables = deal_tables(get_rules(rules), 5, 0, 300)
        play_deals(tables, [agent] * 4, streams_for(5, 300))
        played.append(tables.tobytes())
    assert played[0] == played[1]


@pytest.mark.parametrize("stakes", [0, 1, 2])
def test_a_vector_holds_one_temper_and_the_three_judgements(stakes: int) -> None:
    """Each number in its own place, the tempers of other stakes as they were."""
    vector = as_vector(WEIGHTS, stakes)
    numbers = sum(np.hstack(tuple(part)).size for part in (WEIGHTS.tempers[0], *WEIGHTS.judgements))
    assert vector.shape == (numbers,)
    assert from_vector(vector, stakes) == WEIGHTS
    counted = from_vector(np.arange(numbers, dtype=float), stakes)
    assert counted.tempers[stakes].partner_bid == 0
    assert counted.judgements[2].side_risk == numbers - 1
    assert as_vector(counted, stakes).tolist() == list(range(numbers))
    for other in {0, 1, 2} - {stakes}:
        assert counted.tempers[other] == WEIGHTS.tempers[other]


def test_what_probabilities_are_divided_by_stays_positive() -> None:
    """The spread of the count, that of the nerve, and how likely trumps are with the maker, thrice."""
    least = from_vector(np.nan_to_num(least_of_each(0), neginf=-9.0), 0)
    assert (least.tempers[0].spread, least.tempers[0].nerve_spread) == (0.05, 0.05)
    assert [judgement.maker_trumps for judgement in least.judgements] == [0.05] * 3
    assert sorted(set(as_vector(least, 0).tolist())) == [-9.0, 0.05]
    assert as_vector(least, 0).tolist().count(0.05) == 5


def test_what_is_printed_can_be_put_in_the_file() -> None:
    for stakes in (0, 1, 2):
        text = re.sub(r"^#.*\n", "", weights_text(WEIGHTS, stakes), flags=re.M)
        parts: Any = [
            eval(part + ")", {"Temper": Temper, "Judgement": Judgement})
            for part in text.split("\n)")[:4]
        ]
        assert tuple(parts) == (WEIGHTS.tempers[stakes], *WEIGHTS.judgements)


def test_flat_numbers_know_nothing() -> None:
    assert set(as_vector(flat_weights(), 1).tolist()) == {0.5}
    assert duplicate_match(Candidate(flat_weights()), "rule_based", "set_bid", 500, seed=2).high < -0.5


def test_a_small_search_improves_on_a_flat_start_and_is_the_same_again() -> None:
    told: list[str] = []
    found = tune(SMALL, told.append)
    assert [line.split(":")[0] for line in told] == [f"generation {n} of 3" for n in (1, 2, 3)]
    assert found.against_start.names == ("found", "start")
    assert found.against_start.low > 0
    again = tune(replace(SMALL, check_deals=50), told.append)
    assert again.weights == found.weights
    assert told[:3] == told[3:]
    other = tune(replace(SMALL, generations=1, check_deals=50, seed=4), told.append)
    assert other.weights != found.weights


def test_a_search_of_no_generations_finds_the_start() -> None:
    found = tune(replace(SMALL, start="shipped", generations=0, check_deals=50))
    assert found.weights == WEIGHTS
    assert found.against_shipped.mean == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"rules": "bridge"}, "rules: no preset 'bridge'"),
        ({"start": "good"}, "start: 'good' is neither shipped nor flat"),
        ({"generations": -1}, "generations: -1 is less than 0"),
        ({"candidates": 0}, "candidates: 0 is less than 1"),
        ({"elite": 0}, "elite: 0 is less than 1"),
        ({"elite": 13}, "elite: 13 is more than the 12 candidates"),
        ({"deals": 0}, "deals: 0 is less than 1"),
        ({"seed": -1}, "seed: -1 is less than 0"),
        ({"check_deals": 49}, "check-deals: 49 is less than 50"),
        ({"spread": 0.0}, "spread: 0.0 is not a number above 0"),
        ({"spread": float("nan")}, "spread: nan is not a number above 0"),
    ],
)
def test_bad_options_are_refused_in_a_sentence(options: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        tune(replace(SMALL, **options))
