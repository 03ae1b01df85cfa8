"""The engine against expectations written by hand: points, games and options (R14 to R20)."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

from hpenv.actions import BID, N_ACTIONS, PASS, parse_action
from hpenv.cards import card_text, pack, set_text
from hpenv.rulebook import (
    DEAL_OVER,
    NAME_TRUMP,
    PLAY,
    is_truncated,
    legal_actions,
    new_game,
    next_deal,
    score_deal,
)
from hpenv.rules import OPTIONS, PRESETS, Rules, get_rules
from hpenv.seats import NOBODY
from hpenv.table import Table, new_tables, rules_of
from table_talk import may, red, say

# ---- scoring ----------------------------------------------------------------------------------

# What the makers score with a partner, bid by bid: won one less than bid, just the bid, one more.
TRICKS_WON = {
    "bid 1": (0, 1, 2),
    "bid 2": (-1, 2, 3),
    "bid 3": (-2, 3, 4),
    "bid 4": (-3, 4, 5),
    "bid 5": (-4, 5, 6),
    "bid 6": (-5, 6),
}
BID_LOST = {
    "bid 1": (-1, 1, 2),
    "bid 2": (-2, 2, 3),
    "bid 3": (-3, 3, 4),
    "bid 4": (-4, 4, 5),
    "bid 5": (-5, 5, 6),
    "bid 6": (-6, 6),
}
BID_LOST_TWICE = {
    "bid 1": (-2, 2, 4),
    "bid 2": (-4, 4, 6),
    "bid 3": (-6, 6, 8),
    "bid 4": (-8, 8, 10),
    "bid 5": (-10, 10, 12),
    "bid 6": (-12, 12),
}
# preset: (makers with a partner, a lone maker); the defenders score only in the house.
SCORING: dict[str, tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]] = {
    "standard": (TRICKS_WON, TRICKS_WON),
    "pepper": (
        {**TRICKS_WON, "big pepper": (-10, 12)},
        {**TRICKS_WON, "big pepper": (-10, 12)},
    ),
    "set_bid": (BID_LOST, BID_LOST),
    "house": (
        {**BID_LOST, "big pepper": (-12, 12)},
        {**BID_LOST_TWICE, "big pepper": (-24, 24)},
    ),
    "mini2": ({"bid 1": (-1, 1, 2), "bid 2": (-2, 2)},) * 2,
    "mini3": ({"bid 1": (-1, 1, 2), "bid 2": (-2, 2, 3), "bid 3": (-3, 3)},) * 2,
}


def scored(rules: Rules, maker: int, bid: str, won: int, alone: int) -> list[int]:
    """The points of a deal with this contract and outcome, and that they are added to the score."""
    table = new_tables(1, rules)[0]
    new_game(table, 0, 3, -4)
    table.maker, table.bid = maker, parse_action(bid) - BID
    table.alone = alone
    table.tricks[maker & 1], table.tricks[1 - maker & 1] = won, rules.hand_size - won
    score_deal(table)
    assert (table.phase, table.to_act) == (DEAL_OVER, NOBODY)
    points: list[int] = table.points.tolist()
    assert table.score.tolist() == [3 + points[0], -4 + points[1]]
    return points


@pytest.mark.parametrize("preset", list(SCORING))
def test_r14_to_r17_the_whole_scoring_table(preset: str) -> None:
    """Every bid of every preset, just set, just made and one over, with a partner and alone."""
    rules = PRESETS[preset]
    k = rules.hand_size
    together, single = SCORING[preset]
    bids = [f"bid {n}" for n in range(1, k + 1)]
    assert list(together) == bids + ["big pepper"] * (rules.bidding == "pepper")
    for lone, expected in ((False, together), (True, single)):
        for bid, outcomes in expected.items():
            called = k if bid == "big pepper" else int(bid[-1])
            for won, points in enumerate(outcomes, called - 1):
                for maker in range(4):
                    defence = k - won if preset == "house" else 0
                    both = [points, defence] if maker in (0, 2) else [defence, points]
                    alone = 1 << maker if lone else 0
                    assert scored(rules, maker, bid, won, alone) == both, (preset, bid, won, lone)


@pytest.mark.parametrize(
    ("rules", "bid", "won", "alone", "points"),
    [
        ({}, "bid 3", 5, False, 5),
        ({}, "bid 3", 3, False, 3),
        ({}, "bid 3", 2, False, -2),
        ({"set_penalty": "bid"}, "bid 3", 2, False, -3),
        ({}, "bid 6", 0, False, 0),
        ({"set_penalty": "bid"}, "bid 6", 0, False, -6),
        ({"bidding": "pepper"}, "big pepper", 6, False, 12),
        ({"bidding": "pepper"}, "big pepper", 4, False, -8),
        ({"bidding": "pepper", "set_penalty": "bid"}, "big pepper", 4, False, -12),
        ("house", "big pepper", 6, True, 24),
        ({"alone_factor": 2}, "bid 3", 4, True, 8),
        ({"alone_factor": 2}, "bid 3", 2, True, -4),
        ({"alone_factor": 2, "set_penalty": "bid"}, "bid 3", 2, True, -6),
        ({"alone_factor": 1}, "bid 3", 4, True, 4),
    ],
)
def test_r14_to_r16_points(rules: Any, bid: str, won: int, alone: bool, points: int) -> None:
    """Made: a point per trick. Set: tricks or bid lost. Doubled; alone times the factor."""
    for maker in range(4):
        both = scored(get_rules(rules), maker, bid, won, alone << maker)
        assert both[maker & 1] == points


def test_r16_only_a_lone_maker_multiplies() -> None:
    """A lone defender, or a maker whose partner is not sitting out, changes nothing."""
    rules = get_rules("house")
    for maker in range(4):
        with_lone_defender = scored(rules, maker, "bid 3", 3, 1 << (maker + 1) % 4)
        assert with_lone_defender[maker & 1] == 3
        two = scored(rules, maker, "bid 3", 3, 1 << maker | 1 << (maker + 3) % 4)
        assert (two[maker & 1], two[1 - maker & 1]) == (6, 3)


def test_r17_defenders_score_their_tricks() -> None:
    """One point each, made or set, never multiplied."""
    on, off = Rules(defenders_score=True, alone_factor=2), Rules(alone_factor=2)
    assert scored(on, 0, "bid 4", 4, 0) == [4, 2]
    assert scored(on, 0, "bid 4", 1, 0) == [-1, 5]
    assert scored(on, 3, "bid 4", 1, 1 << 3) == [5, -2]
    assert scored(off, 0, "bid 4", 1, 0) == [-1, 0]
    big = Rules(defenders_score=True, bidding="pepper")
    assert scored(big, 1, "big pepper", 4, 0) == [2, -8]


# ---- the game ---------------------------------------------------------------------------------


def finished(rules: Rules, score: tuple[int, int], maker: int, bid: int, won: int) -> Table:
    """A table after a deal that began at this score."""
    table = new_tables(1, rules)[0]
    new_game(table, 0, *score)
    table.maker, table.bid = maker, bid
    table.tricks[maker & 1], table.tricks[1 - maker & 1] = won, rules.hand_size - won
    score_deal(table)
    return table


@pytest.mark.parametrize(
    ("rules", "score", "maker", "bid", "won", "after", "winner"),
    [
        ({}, (8, 0), 0, 2, 2, [10, 0], 0),
        ({}, (8, 0), 0, 1, 1, [9, 0], NOBODY),
        ({}, (9, 9), 3, 1, 1, [9, 10], 1),
        ({}, (9, 0), 2, 1, 1, [10, 0], 0),
        ({}, (-1, 0), 2, 1, 1, [0, 0], NOBODY),
        ({}, (0, -7), 1, 6, 0, [0, -7], NOBODY),
        ({"set_penalty": "bid"}, (0, -7), 1, 6, 0, [0, -13], NOBODY),
        ({}, (9, 9), 0, 6, 5, [4, 9], NOBODY),
        ({}, (0, 0), 0, 6, 6, [6, 0], NOBODY),
        ({"target": 6}, (0, 0), 0, 6, 6, [6, 0], 0),
        ({"target": 7}, (0, 0), 0, 6, 6, [6, 0], NOBODY),
        # both pass the target on one deal: the makers win
        ({"defenders_score": True}, (8, 9), 0, 3, 3, [11, 12], 0),
        ({"defenders_score": True}, (9, 8), 1, 3, 3, [12, 11], 1),
        ({"defenders_score": True}, (8, 9), 0, 4, 3, [5, 12], 1),
        ({"defenders_score": True}, (6, 9), 2, 3, 3, [9, 12], 1),
    ],
)
def test_r18_the_end_of_the_game(
    rules: dict[str, Any],
    score: tuple[int, int],
    maker: int,
    bid: int,
    won: int,
    after: list[int],
    winner: int,
) -> None:
    """At least `target` points win, on the very deal; there is no floor under a score."""
    table = finished(get_rules(rules), score, maker, bid, won)
    assert table.score.tolist() == after
    assert table.winner == winner
    assert not is_truncated(table)


def test_r18_the_last_card_ends_the_game() -> None:
    """North-South stand at 4: six made tricks make ten, not before the last card of the last trick."""
    calls = "bid 5, pass, pass, pass, trump H, TS, with partner, "
    first_five = "Jo, TH, 9H, 9D, JH, QH, JD, TD, AH, 9S, QC, JC, KH, 9C, KC, JS, AC, TC, QD, QS, "
    table = red("standard", "W", calls + first_five + "AS, KD, AD", score=(4, 9))
    assert (table.winner, table.phase) == (NOBODY, PLAY)
    assert table.score.tolist() == [4, 9]
    say(table, "KS")
    assert (table.winner, table.phase, table.score.tolist()) == (0, DEAL_OVER, [10, 9])


def test_r19_a_longer_game_is_truncated() -> None:
    """After max_deals without a winner, and not before; a win on the last deal is a win."""
    table = new_tables(1, Rules(max_deals=3), 1)[0]
    new_game(table, NOBODY, 0, 0)
    seen = []
    for n in range(3):
        if n:
            next_deal(table)
        assert not is_truncated(table)
        for _ in range(4):
            table.step(PASS)
        seen.append((int(table.deals_played), bool(is_truncated(table))))
    assert seen == [(1, False), (2, False), (3, True)]
    won = finished(Rules(max_deals=1), (8, 0), 0, 2, 2)
    assert (won.winner, is_truncated(won)) == (0, False)


@pytest.mark.parametrize(
    ("k", "hearts", "top"),
    [
        (1, "JH", 1),
        (2, "JH AH", 2),
        (3, "JH KH AH", 3),
        (4, "JH QH KH AH", 4),
        (5, "TH JH QH KH AH", 5),
        (6, "9H TH JH QH KH AH", 6),
    ],
)
@pytest.mark.parametrize("bidding", ["numbers", "pepper"])
def test_r20_small_games(k: int, hearts: str, top: int, bidding: str) -> None:
    """The k best of J A K Q 10 9, k cards each and a widow, bids up to k, k tricks."""
    assert len(pack(k)) == 4 * k + 1
    assert " ".join(card_text(c) for c in pack(k) if card_text(c)[1] == "H") == hearts
    rules = Rules(hand_size=k, bidding=bidding)
    table = new_tables(1, rules, 20)[0]
    new_game(table, 3, 0, 0)
    dealt = sum(int(hand) for hand in table.hands) | 1 << int(table.widow)
    assert set_text(dealt) == " ".join(card_text(c) for c in pack(k))
    assert [bin(int(hand)).count("1") for hand in table.hands] == [k] * 4
    bids = [f"bid {n}" for n in range(1, top + 1)] + ["big pepper"] * (bidding == "pepper")
    assert may(table) == ", ".join(["pass", *bids])
    say(table, bids[-1])
    assert table.phase == NAME_TRUMP
    while table.phase != DEAL_OVER:
        table.step(next(a for a in range(N_ACTIONS) if legal_actions(table) >> a & 1))
    assert table.tricks_played == k
    assert int(table.tricks.sum()) == k


# ---- options ----------------------------------------------------------------------------------


def test_the_defaults_are_the_documented_ones() -> None:
    """The game as it is written down; presets differ from it where they say."""
    assert Rules() == Rules(
        bidding="numbers",
        set_penalty="tricks_won",
        all_pass="redeal",
        alone=True,
        alone_factor=1,
        defenders_score=False,
        target=10,
        max_deals=100,
        hand_size=6,
    )
    assert {name: rules.differences() for name, rules in PRESETS.items()} == {
        "standard": {},
        "pepper": {"bidding": "pepper"},
        "set_bid": {"set_penalty": "bid"},
        "house": {
            "bidding": "pepper",
            "set_penalty": "bid",
            "defenders_score": True,
            "alone_factor": 2,
            "all_pass": "dealer_bids",
        },
        "mini2": {"set_penalty": "bid", "hand_size": 2},
        "mini3": {"set_penalty": "bid", "hand_size": 3},
    }


def first_hand(rules: Rules) -> int:
    """North's cards in the first deal."""
    table = new_tables(1, rules)[0]
    new_game(table, 0, 0, 0)
    return int(table.hands[0])


# Something that happens at a table, for each option to change.
HAPPENS: dict[str, Callable[[Rules], Any]] = {
    "bidding": lambda rules: may(red(rules.differences(), "W")),
    "set_penalty": lambda rules: scored(rules, 0, "bid 4", 2, 0),
    "all_pass": lambda rules: may(red(rules.differences(), "W", "pass, pass, pass")),
    "alone": lambda rules: may(red(rules.differences(), "W", "bid 6, trump H, TS")),
    "alone_factor": lambda rules: scored(rules, 0, "bid 4", 4, 1),
    "defenders_score": lambda rules: scored(rules, 0, "bid 4", 4, 0),
    "target": lambda rules: int(finished(rules, (0, 0), 0, 1, 1).winner),
    "max_deals": lambda rules: bool(is_truncated(finished(rules, (0, 0), 0, 1, 1))),
    "hand_size": first_hand,
}


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("bidding", ("numbers", "pepper")),
        ("set_penalty", ("tricks_won", "bid")),
        ("all_pass", ("redeal", "dealer_bids")),
        ("alone", (True, False)),
        ("alone_factor", (1, 2)),
        ("defenders_score", (False, True)),
        ("target", (10, 1)),
        ("max_deals", (100, 1)),
        ("hand_size", (6, 5, 4, 3, 2, 1)),
    ],
)
def test_each_option_changes_something(option: str, values: tuple[Any, ...]) -> None:
    """The first value is the default, and each value gives another outcome."""
    assert getattr(Rules(), option) == values[0]
    happened = [repr(HAPPENS[option](Rules(**{option: value}))) for value in values]
    assert len(set(happened)) == len(values)


def test_every_option_is_tested() -> None:
    """The list above has them all."""
    assert {option.name for option in fields(Rules)} == set(OPTIONS) == set(HAPPENS)


def test_rules_are_written_in_the_table_and_read_back() -> None:
    """A table carries the rules it is played by."""
    for bidding in OPTIONS["bidding"]:
        for k in range(1, 7):
            rules = Rules(
                bidding, "bid", "dealer_bids", False, 2, True, target=999, max_deals=9_999, hand_size=k
            )
            assert rules_of(new_tables(1, rules)[0]) == rules
    for rules in PRESETS.values():
        assert rules_of(new_tables(1, rules)[0]) == rules
        assert get_rules(rules.name()) == rules == get_rules(rules.differences())


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        ({"hand_size": 9}, "hand_size=9"),
        ({"hand_size": 0}, "hand_size=0"),
        ({"hand_size": True}, "hand_size=True"),
        ({"hand_size": 6.0}, r"hand_size=6\.0"),
        ({"hand_size": "6"}, "hand_size='6'"),
        ({"target": 0}, "target=0"),
        ({"target": -10}, "target=-10"),
        ({"target": True}, "target=True"),
        ({"target": 10**9}, "target=1000000000"),
        ({"max_deals": 0}, "max_deals=0"),
        ({"max_deals": None}, "max_deals=None"),
        ({"bidding": "letters"}, "bidding='letters'"),
        ({"bidding": ["numbers"]}, r"bidding=\['numbers'\]"),
        ({"set_penalty": "double"}, "set_penalty='double'"),
        ({"all_pass": False}, "all_pass=False"),
        ({"alone": 1}, "alone=1"),
        ({"alone": "yes"}, "alone='yes'"),
        ({"alone_factor": 3}, "alone_factor=3"),
        ({"alone_factor": True}, "alone_factor=True"),
        ({"defenders_score": 0}, "defenders_score=0"),
        ({"no_trump": True}, "no option 'no_trump'"),
        ("hearts", "no preset 'hearts'"),
        ("", "no preset ''"),
    ],
)
def test_bad_rules_are_refused_by_name(rules: Any, named: str) -> None:
    """A sentence names the option and the value, and what may stand there."""
    with pytest.raises(ValueError, match=f"^rules: .*{named}") as caught:
        get_rules(rules)
    sentence = str(caught.value)
    assert "(there are " in sentence or " is not one of " in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize("rules", [6, None, ["standard"]])
def test_what_cannot_be_rules_is_refused_by_its_kind(rules: Any) -> None:
    with pytest.raises(TypeError, match=r"is neither a preset's name nor a dictionary of options$"):
        get_rules(rules)
