"""The slow oracle by itself, against what the rules say of cards, tricks and auctions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from naive_rules import (
    ACTIONS,
    PRESETS,
    full_rules,
    pack,
    replay,
    suit_followed,
    trick_winner,
    trump_order,
)
from naive_tables import RED, by_name, red, table

# Cards and tricks -------------------------------------------------------------------------------


def test_the_pack() -> None:
    """R2, R20: 25 cards, and the k best of J A K Q 10 9 with the Joker."""
    assert len(pack(6)) == len(set(pack(6))) == 25
    assert pack(1) == ["JC", "JD", "JH", "JS", "Jo"]
    assert pack(2) == ["JC", "AC", "JD", "AD", "JH", "AH", "JS", "AS", "Jo"]
    assert [card for card in pack(3) if card[1] == "H"] == ["JH", "KH", "AH"]
    assert [card for card in pack(5) if card[1] == "S"] == ["TS", "JS", "QS", "KS", "AS"]
    assert [len(pack(k)) for k in (1, 2, 3, 4, 5, 6)] == [5, 9, 13, 17, 21, 25]


def test_the_39_actions() -> None:
    """The numbers of the project's actions."""
    assert len(ACTIONS) == 39
    assert ACTIONS[0] == "9C"
    assert ACTIONS[6] == "9D"
    assert ACTIONS[13] == "TH"
    assert ACTIONS[24] == "Jo"
    assert ACTIONS[25] == "pass"
    assert ACTIONS[26] == "bid 1"
    assert ACTIONS[31] == "bid 6"
    assert ACTIONS[32] == "big pepper"
    assert ACTIONS[33:] == ("trump C", "trump D", "trump H", "trump S", "alone", "with partner")


def test_the_presets() -> None:
    """Each preset is complete and differs from the default where the rules say."""
    standard = PRESETS["standard"]
    assert standard == {
        "bidding": "numbers",
        "set_penalty": "tricks_won",
        "all_pass": "redeal",
        "alone": True,
        "alone_factor": 1,
        "defenders_score": False,
        "target": 10,
        "max_deals": 100,
        "hand_size": 6,
    }
    differs = {
        name: {key: value for key, value in preset.items() if value != standard[key]}
        for name, preset in PRESETS.items()
    }
    assert differs == {
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


def test_hearts_trump_best_first() -> None:
    """R12: JD is no diamond when hearts are trumps; diamonds are AD KD QD TD 9D."""
    assert trump_order("H") == ["Jo", "JH", "JD", "AH", "KH", "QH", "TH", "9H"]
    assert trump_order("C") == ["Jo", "JC", "JS", "AC", "KC", "QC", "TC", "9C"]
    assert trump_order("D") == ["Jo", "JD", "JH", "AD", "KD", "QD", "TD", "9D"]
    assert trump_order("S") == ["Jo", "JS", "JC", "AS", "KS", "QS", "TS", "9S"]
    diamonds = [card for card in pack(6) if suit_followed(card, "H") == "D"]
    assert diamonds == ["9D", "TD", "QD", "KD", "AD"]
    for trump in "CDHS":
        assert suit_followed("Jo", trump) == trump


@pytest.mark.parametrize(
    ("cards", "trump", "winner"),
    [
        ("N9C E9H SAC WKC", "H", "E"),  # the nine of trumps beats a plain ace
        ("N9C E9H SAC W9S", "H", "E"),
        ("E9H SAC WAD NAS", "H", "E"),
        ("NAH EJD SJH WKH", "H", "S"),  # right bower over left bower over ace
        ("NAH EJD SKH WQH", "H", "E"),  # left bower over ace
        ("NJH EJo SJD WAH", "H", "E"),  # the Joker over all
        ("NJo EJH SJD W9H", "H", "N"),
        ("NJD E9D SAD WKD", "H", "N"),  # the left bower led asks for hearts
        ("NTD E9D SAS WAC", "H", "N"),  # nobody follows, nobody ruffs
        ("NTD EAS SJS WJC", "H", "N"),  # black jacks are plain cards when hearts are trumps
        ("N9D EJD STD WAD", "S", "W"),  # JD is a plain diamond when spades are trumps
        ("N9D EJD STD WAC", "S", "E"),
        ("SQC WKC NJS EAC", "C", "N"),  # left bower over ace of clubs
        ("WAS NKS EJS SQS", "C", "E"),  # JS ruffs a spade when clubs are trumps
        ("WAS NKS EJC SQS", "D", "W"),
        ("E9S SAH WAD", "D", "W"),  # three cards
        ("E9S SAH WTS", "D", "W"),
        ("EAS NJo", "D", "N"),  # two cards
        ("E9C NAD", "H", "E"),
    ],
)
def test_trick_winner(cards: str, trump: str, winner: str) -> None:
    """R12, R13: the highest trump, else the highest card of the suit led."""
    in_order = [(word[0], word[1:]) for word in cards.split()]
    assert trick_winner(in_order, trump) == winner
    assert trick_winner(dict(in_order), trump) == winner


# Following suit ---------------------------------------------------------------------------------


def last_two(trump: str, led: str, hand: tuple[str, str]) -> list[str]:
    """What a seat with two cards may play on the card led."""
    deal = table("standard", "N", RED, "TS")
    deal.phase, deal.trump, deal.turn = "play", trump, "E"
    deal.trick = {"N": led}
    deal.hands["E"] = list(hand)
    return deal.legal()


def test_left_bower_and_diamonds() -> None:
    """R11, R12: the left bower JD follows hearts and not diamonds."""
    assert last_two("H", "KD", ("JD", "9S")) == ["JD", "9S"]
    assert last_two("H", "KD", ("JD", "9D")) == ["9D"]
    assert last_two("H", "KH", ("JD", "9D")) == ["JD"]
    assert last_two("H", "JD", ("9D", "9H")) == ["9H"]
    assert last_two("H", "JD", ("9D", "9S")) == ["9D", "9S"]


def test_joker_and_following() -> None:
    """R11, R12: the Joker is a trump, to be played on trumps and kept on plain suits."""
    assert last_two("H", "9H", ("Jo", "AC")) == ["Jo"]
    assert last_two("H", "JD", ("Jo", "AC")) == ["Jo"]
    assert last_two("H", "9C", ("Jo", "AC")) == ["AC"]
    assert last_two("H", "9C", ("Jo", "AS")) == ["AS", "Jo"]
    assert last_two("H", "Jo", ("9H", "AC")) == ["9H"]
    assert last_two("H", "Jo", ("JD", "AD")) == ["JD"]
    assert last_two("H", "Jo", ("AD", "AC")) == ["AC", "AD"]


def test_void_in_trumps_says_nothing_of_clubs() -> None:
    """Spades are trumps and JC is led: South is void in spades, its clubs are not spoken of."""
    start = ["bid 4", "pass", "pass", "pass", "trump S", "9D", "with partner"]
    deal = red("standard", "S", *start, "JC", "AS", "9S", "QC")
    assert deal.voids == {"N": set(), "E": set(), "S": {"S"}, "W": set()}
    assert deal.turn == "W"
    assert deal.tricks == [0, 1]
    deal.do("JS")
    assert deal.legal() == ["Jo"]  # North's only trump
    deal.do("Jo")
    deal.do("9C")
    assert deal.voids == {"N": set(), "E": {"S"}, "S": {"S"}, "W": set()}
    deal.do("KC")
    for card in ("AH", "TH", "9H", "QS"):
        deal.do(card)
    assert deal.voids == {"N": set(), "E": {"S"}, "S": {"S"}, "W": {"H"}}


def test_joker_led_shows_void_in_trumps() -> None:
    """The Joker is led as a trump: West throws 9D and is void in hearts only."""
    deal = red("standard", "W", "bid 6", "trump H", "TS", "with partner", "Jo", "TH", "9H", "9D")
    assert deal.voids == {"N": set(), "E": set(), "S": set(), "W": {"H"}}


# Points -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "points"),
    [
        ("bid 3 won 5", [5, 0]),
        ("bid 3 won 3", [3, 0]),
        ("bid 3 won 2, tricks won", [-2, 0]),
        ("bid 3 won 2, bid", [-3, 0]),
        ("bid 6 won 0, tricks won", [0, 0]),
        ("bid 6 won 0, bid", [0, -6]),
        ("big pepper won 6", [12, 0]),
        ("big pepper won 4, tricks won", [-8, 0]),
        ("big pepper won 4, bid", [-12, 0]),
        ("house lone big pepper made", [24, 0]),
        ("nine of trumps beats a plain ace", [5, 0]),
        ("eight and two is ten", [2, 0]),
        ("eight and one is nine", [1, 0]),
        ("minus one and one is nothing", [1, 0]),
    ],
)
def test_points_vectors(name: str, points: list[int]) -> None:
    """R14-R18: the rules' own figures."""
    assert replay(by_name(name)).points == points


def test_joker_discarded() -> None:
    """R8: with the Joker discarded the right bower is the highest card in play."""
    record = by_name("Joker discarded")
    deal = replay(record)
    assert deal.discard == "Jo"
    played = record["actions"][record["actions"].index("with partner") + 1 :]
    assert len(played) == 24
    assert "Jo" not in played
    assert next(card for card in trump_order("C") if card in played) == "JC"


def test_loner_at_the_dealers_right() -> None:
    """R10: the loner's left is the dealer, who leads; the dealer's left is the absent partner."""
    calls = ["pass", "pass", "bid 6", "trump H", "TS", "alone", "with partner", "with partner"]
    deal = red("standard", "E", *calls)
    assert deal.maker == "N"
    assert deal.turn == "E"
    assert deal.sitting_out == {"S"}
    seats = []
    for card in ("QH", "9D", "AH"):
        seats.append(deal.turn)
        deal.do(card)
    assert seats == ["E", "W", "N"]
    assert deal.tricks == [1, 0]
    assert deal.turn == "N"
    assert deal.hands["S"] == RED["S"].split()


def test_pass_pass_pass_bid_one() -> None:
    """R6: the fourth seat has its turn, bids one, and the contract is one."""
    deal = red("standard", "E", "pass", "pass", "pass", "bid 1")
    assert (deal.maker, deal.bid, deal.phase) == ("E", 1, "trump")
    assert deal.turn == "E"
    assert deal.hands["E"] == [*RED["E"].split(), "TS"]


def test_four_passes() -> None:
    """R6: thrown in, no score, nobody to act."""
    deal = red("standard", "E", "pass", "pass", "pass", "pass")
    assert deal.thrown_in
    assert deal.is_over
    assert deal.turn is None
    assert deal.points == [0, 0]
    assert deal.maker is None
    assert deal.legal() == []


# The auction ------------------------------------------------------------------------------------


def auctions(rules: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """Every complete auction, found by trying each legal call in turn."""

    def after(calls: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        deal = table(rules, "N", RED, "TS")
        for call in calls:
            deal.do(call)
        if deal.phase != "auction":
            yield calls
            return
        for call in deal.legal():
            yield from after((*calls, call))

    yield from after(())


# By hand: an auction is an increasing row of bids with passes between. It ends at the top bid
# after at most two passes (with j bids below the top and p passes: C(j+p, p) orders), or with
# a third pass once m bids below the top were made (C(m+2, 2) orders), or three seats pass
# first and the fourth bids anything or passes.
#   numbers: 1*3 + 5*6 + 10*10 + 10*15 + 5*21 + 1*28 = 416;   5*3 + 10*6 + 10*10 + 5*15 + 21 = 271;
#            6 + 1 = 7; together 694.
#   pepper:  1*3 + 6*6 + 15*10 + 20*15 + 15*21 + 6*28 + 1*36 = 1008;
#            6*3 + 15*6 + 20*10 + 15*15 + 6*21 + 28 = 687; 7 + 1 = 8; together 1703.
@pytest.mark.parametrize(
    ("changes", "how_many", "longest"),
    [
        ({}, 694, 8),
        ({"bidding": "pepper"}, 1703, 9),
        ({"all_pass": "dealer_bids"}, 693, 8),
        ({"bidding": "pepper", "all_pass": "dealer_bids"}, 1702, 9),
    ],
)
def test_every_auction(changes: dict[str, Any], how_many: int, longest: int) -> None:
    """The longest auction is 8 calls in numbers form and 9 in pepper form."""
    found = list(auctions(full_rules(changes)))
    assert len(found) == len(set(found)) == how_many
    assert max(len(calls) for calls in found) == longest
    assert min(len(calls) for calls in found) == 1
    throw_ins = 0 if "all_pass" in changes else 1
    assert found.count(("pass",) * 4) == throw_ins


def test_calls_in_order() -> None:
    """R5-R7: only pass and higher bids, in the order of the action numbers."""
    numbers = ["pass", "bid 1", "bid 2", "bid 3", "bid 4", "bid 5", "bid 6"]
    assert red("standard", "W").legal() == numbers
    assert red("standard", "W", "bid 4").legal() == ["pass", "bid 5", "bid 6"]
    assert red("pepper", "W", "bid 4").legal() == ["pass", "bid 5", "bid 6", "big pepper"]
    assert red("pepper", "W", "little pepper").legal() == ["pass", "big pepper"]
    assert red("house", "W", "pass", "pass", "pass").legal() == [*numbers[1:], "big pepper"]
    small = {"N": "JC", "E": "JD", "S": "JH", "W": "JS"}
    one = {"hand_size": 1, "bidding": "pepper"}
    assert table({"hand_size": 1}, "W", small, "Jo").legal() == ["pass", "bid 1"]
    assert table(one, "W", small, "Jo").legal() == ["pass", "bid 1", "big pepper"]


def test_any_of_seven_may_be_discarded() -> None:
    """R8: the widow card, a trump and the Joker included."""
    deal = red("standard", "W", "bid 6")
    assert deal.legal() == ["trump C", "trump D", "trump H", "trump S"]
    deal.do("trump H")
    assert deal.legal() == ["AC", "JH", "KH", "AH", "TS", "AS", "Jo"]
    deal.do("TS")
    assert deal.legal() == ["alone", "with partner"]


@pytest.mark.parametrize(
    ("answers", "alone", "leader"),
    [
        (["with partner"], set(), "E"),
        (["alone", "with partner", "with partner"], {"N"}, "E"),
        (["alone", "alone"], {"N", "E"}, "E"),
        (["alone", "with partner", "alone"], {"N", "W"}, "W"),
    ],
)
def test_who_is_asked_and_who_leads(answers: list[str], alone: set[str], leader: str) -> None:
    """R9, R10: North is the maker and the dealer; its left is asked first."""
    calls = ["pass", "pass", "pass", "bid 3", "trump H", "TS"]
    deal = red("standard", "N", *calls, *answers)
    assert deal.phase == "play"
    assert deal.alone == alone
    assert deal.turn == leader
