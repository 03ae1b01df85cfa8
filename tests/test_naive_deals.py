"""The slow oracle by itself: whole games, the hand-written deals, and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from naive_rules import ACTIONS, PRESETS, SEATS, NaiveGame, RuleBroken, full_rules, replay
from naive_tables import MIXED, PLAYED, REFUSED, WIDOW_OF, by_name

# Whole games ------------------------------------------------------------------------------------

SMALL_WIN = ["pass", "pass", "pass", "bid 1", "trump S", "9D", "with partner"]


def cards_of(_deal_number: int) -> tuple[dict[str, list[str]], str]:
    """The same cards every deal."""
    return {seat: MIXED[seat].split() for seat in SEATS}, WIDOW_OF["mixed"]


def started(rules: str | dict[str, Any], dealer: str, score: tuple[int, int]) -> NaiveGame:
    """A game standing at a score with a new deal on the table."""
    game = NaiveGame(full_rules(rules), dealer, cards_of)
    game.score = list(score)
    return game


def play_deal(game: NaiveGame, name: str) -> None:
    """The actions of a hand-written deal, at this game's table."""
    for action in by_name(name)["actions"]:
        game.do(action)


def test_the_deal_moves_left() -> None:
    """R3: one seat clockwise after every deal, also after one thrown in."""
    game = started("standard", "S", (0, 0))
    play_deal(game, "minus one and one is nothing")
    dealers = [game.deal.dealer]
    for _ in range(6):
        for _ in range(4):
            game.do("pass")
        dealers.append(game.deal.dealer)
    assert dealers == ["W", "N", "E", "S", "W", "N", "E"]
    assert game.score == [1, 0]
    assert game.deals_done == 7
    assert game.turn == "S"


@pytest.mark.parametrize(
    ("rules", "dealer", "before", "name", "after", "winner"),
    [
        ("standard", "W", (8, 5), "eight and two is ten", [10, 5], "NS"),
        ("standard", "S", (8, 9), "eight and one is nine", [9, 9], None),
        ("standard", "S", (-1, 4), "minus one and one is nothing", [0, 4], None),
        ("house", "W", (8, 9), "both sides pass the target", [11, 12], "NS"),
        ("house", "W", (6, 9), "both sides pass the target", [9, 12], "EW"),
        ("house", "W", (7, 7), "both sides pass the target", [10, 10], "NS"),
        ({"defenders_score": True}, "W", (9, 6), "bid 3 won 2, tricks won", [7, 10], "EW"),
        ("set_bid", "W", (9, 9), "bid 3 won 2, bid", [6, 9], None),
        ({"target": 5}, "W", (0, 0), "bid 3 won 5", [5, 0], "NS"),
        ({"target": 6}, "W", (0, 0), "bid 3 won 5", [5, 0], None),
    ],
)
def test_end_of_the_game(
    rules: str | dict[str, Any],
    dealer: str,
    before: tuple[int, int],
    name: str,
    after: list[int],
    winner: str | None,
) -> None:
    """R18: at least the target wins at once; if both reach it on one deal, the makers win."""
    game = started(rules, dealer, before)
    play_deal(game, name)
    assert game.score == after
    assert game.winner == winner
    assert game.is_over == (winner is not None)
    assert not game.truncated
    if winner:
        assert game.turn is None
        assert game.legal() == []
        with pytest.raises(RuleBroken, match="over"):
            game.do("pass")


def test_truncation() -> None:
    """R19: after max_deals the game is cut off and nobody has won."""
    game = started({"max_deals": 3}, "E", (0, 0))
    for _ in range(3):
        assert not game.is_over
        for _ in range(4):
            game.do("pass")
    assert game.truncated
    assert game.is_over
    assert game.winner is None
    assert game.deals_done == 3


def test_a_win_on_the_last_deal_is_no_truncation() -> None:
    """R18, R19: the target reached on the last deal allowed is a win."""
    game = started({"max_deals": 1}, "W", (8, 0))
    play_deal(game, "eight and two is ten")
    assert game.winner == "NS"
    assert not game.truncated


# Hand-written deals -----------------------------------------------------------------------------


@pytest.mark.parametrize("record", PLAYED, ids=lambda record: record["name"])
def test_hand_written_deal(record: dict[str, Any]) -> None:
    """Points, tricks and leaders were worked out by hand."""
    deal = replay({key: value for key, value in record.items() if key != "points"})
    assert deal.is_over
    assert deal.points == record["points"]
    assert deal.tricks == record["tricks"]
    assert deal.leaders == record["leaders"]
    assert len(record["why"]) > 20
    assert "R" in record["why"]


def test_names_differ() -> None:
    """A deal is found by its name."""
    names = [record["name"] for record in PLAYED + REFUSED]
    assert len(names) == len(set(names))


def test_every_preset_and_option_has_a_deal() -> None:
    """The hand-written deals use every preset and every value of the options of one deal."""
    presets = {record["rules"] for record in PLAYED if isinstance(record["rules"], str)}
    assert presets == set(PRESETS)
    seen = {item for record in PLAYED for item in full_rules(record["rules"]).items()}
    for option, values in {
        "bidding": ("numbers", "pepper"),
        "set_penalty": ("tricks_won", "bid"),
        "all_pass": ("redeal", "dealer_bids"),
        "alone": (True, False),
        "alone_factor": (1, 2),
        "defenders_score": (True, False),
        "hand_size": (1, 2, 3, 4, 5, 6),
    }.items():
        assert {(option, value) for value in values} <= seen
    assert {record["dealer"] for record in PLAYED} == set(SEATS)
    trumps = {action for record in PLAYED for action in record["actions"] if "trump" in action}
    assert trumps == {"trump C", "trump D", "trump H", "trump S"}
    rules_cited = {word.strip(":,;.()") for record in PLAYED for word in record["why"].split()}
    assert {f"R{n}" for n in range(5, 19)} <= rules_cited


@pytest.mark.parametrize("record", REFUSED, ids=lambda record: record["name"])
def test_refused(record: dict[str, Any]) -> None:
    """The fault is found where it is, under the rule it breaks."""
    with pytest.raises(RuleBroken) as caught:
        replay(record)
    assert (caught.value.breaks, caught.value.at) == (record["breaks"], record["at"])
    assert str(caught.value).startswith(record["breaks"] + ": ")


@pytest.mark.parametrize(
    "record", [r for r in REFUSED if r["at"] is not None], ids=lambda record: record["name"]
)
def test_a_refused_action_is_not_among_the_legal(record: dict[str, Any]) -> None:
    """The actions before the fault are sound, and the fault is not offered."""
    before, fault = record["actions"][: record["at"]], record["actions"][record["at"]]
    deal = replay(record | {"actions": before})
    assert fault not in deal.legal()
    assert deal.is_over or deal.legal()


def test_every_legal_list_is_exact() -> None:
    """At every step of every deal: what is listed can be done, and nothing else."""
    for record in PLAYED:
        for length in range(len(record["actions"])):
            prefix = {"actions": record["actions"][:length], "points": None}
            offered = replay(record | prefix).legal()
            assert offered == [action for action in ACTIONS if action in offered]
            deal = replay(record | prefix)
            for action in ACTIONS:
                if action in offered:
                    replay(record | prefix).do(action)
                else:
                    with pytest.raises(ValueError, match=": "):
                        deal.do(action)
            assert deal.legal() == offered  # being refused changes nothing


def test_ten_may_be_written_in_full() -> None:
    """The notation takes 10H for TH."""
    record = by_name("six as the first call")
    text = json.dumps(record).replace("TH", "10H").replace("TS", "10S")
    assert "10H" in text
    assert "10S" in text
    assert replay(json.loads(text)).points == [6, 0]
