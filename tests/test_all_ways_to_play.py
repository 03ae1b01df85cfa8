"""All ways to play small games, counted by the engine and by the slow oracle."""

import json
from typing import Any

import pytest

from hpenv.actions import ACTION_TEXT
from hpenv.notation import parse_record, record_of, record_text, replay
from hpenv.rulebook import DEAL_OVER, NAME_TRUMP, legal_actions, new_game
from hpenv.rules import PRESETS, Rules
from hpenv.seats import NOBODY
from hpenv.table import Table, new_tables
from naive_rules import SEATS, NaiveDeal, full_rules


def leaves(table: Table) -> int:
    """In how many ways a deal can go on from here."""
    if table.phase == DEAL_OVER:
        return 1
    total, legal = 0, legal_actions(table)
    for action in range(len(ACTION_TEXT)):
        if legal >> action & 1:
            after = table.copy()
            after.step(action)
            total += leaves(after)
    return total


def oracle_leaves(record: dict[str, Any], actions: list[str]) -> int:
    """The same count by the oracle, which starts again for every position."""
    hands = {seat: record["hands"][seat].split() for seat in SEATS}
    oracle = NaiveDeal(full_rules(record["rules"]), record["dealer"], hands, record["widow"])
    for action in actions:
        oracle.do(action)
    if oracle.is_over:
        return 1
    return sum(oracle_leaves(record, [*actions, action]) for action in oracle.legal())


# One card each, by hand: any of four seats may be the maker of bid 1; then 4 trumps x 2 discards x
# 4 ways to answer (with partner; alone and nobody; alone and the left; alone and the right), and the
# cards play themselves: 4 * 32; and four passes. In pepper form there are 14 auctions with a contract:
# big pepper after 0 to 2 passes 3, after a bid of one among 0 to 2 passes 1 + 2 + 3, bid one and three
# passes 3, three passes and either bid 2.
@pytest.mark.parametrize(
    ("changes", "ways"),
    [
        ({}, 4 * 32 + 1),
        ({"all_pass": "dealer_bids"}, 4 * 32),
        ({"alone": False}, 4 * 8 + 1),
        ({"bidding": "pepper"}, 14 * 32 + 1),
    ],
)
def test_every_deal_of_one_card_each(changes: dict[str, Any], ways: int) -> None:
    """As many as counted by hand, and as the oracle counts."""
    rules = Rules(hand_size=1, **changes)
    table = new_tables(1, rules, 1)[0]
    new_game(table, NOBODY, 0, 0)
    assert leaves(table) == ways
    assert oracle_leaves(json.loads(record_text(record_of(table))), []) == ways


@pytest.mark.parametrize("seed", range(3))
def test_every_deal_of_two_cards_each(seed: int) -> None:
    """All ways to go on after an auction of `mini2`, for each maker, counted twice."""
    table = new_tables(1, PRESETS["mini2"], seed)[0]
    new_game(table, seed, 0, 0)
    record = json.loads(record_text(record_of(table)))
    for passes in range(4):
        calls = ["pass"] * passes + ["bid 1"] + ["pass"] * (3 - passes)
        after = replay(parse_record(record | {"actions": calls})).table
        assert (after.phase, after.maker) == (NAME_TRUMP, (seed + 1 + passes) % 4)
        assert leaves(after) == oracle_leaves(record, calls), record_text(record_of(after))
