"""The slow oracle by itself: the rules' vectors, the hand-written deals, and the refusals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from naive_rules import (
    ACTIONS,
    PRESETS,
    SEATS,
    NaiveDeal,
    NaiveGame,
    RuleBroken,
    full_rules,
    pack,
    replay,
    suit_followed,
    trick_winner,
    trump_order,
)
from places import HANDS

RED = {
    "N": "Jo JH AH KH AC AS",
    "E": "QH TH 9C TC KD 9S",
    "S": "JD 9H QC KC QD AD",
    "W": "JC TD 9D JS QS KS",
}
MIXED = {
    "N": "JH AH 9H KD QD 9C",
    "E": "Jo KH TH AC KC 9S",
    "S": "JD QH AD TD TC TS",
    "W": "JC QC JS QS KS AS",
}
WIDOW_OF = {"red": "TS", "mixed": "9D"}


def records(*names: str) -> list[dict[str, Any]]:
    """The records of the named files of hand-written deals."""
    return [
        json.loads(line)
        for name in names
        for line in (HANDS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]


PLAYED = records("auction", "bowers_and_joker", "alone", "scoring", "small_games")
REFUSED = records("refused")


def by_name(name: str) -> dict[str, Any]:
    """One hand-written deal."""
    (found,) = [record for record in PLAYED if record["name"] == name]
    return found


def table(rules: str | dict[str, Any], dealer: str, cards: dict[str, str], widow: str) -> NaiveDeal:
    """A deal just dealt."""
    hands = {seat: cards[seat].split() for seat in SEATS}
    return NaiveDeal(full_rules(rules), dealer, hands, widow)


def red(rules: str | dict[str, Any], dealer: str, *actions: str) -> NaiveDeal:
    """North holds Joker, right bower, ace and king of hearts and two black aces; then actions."""
    deal = table(rules, dealer, RED, WIDOW_OF["red"])
    for action in actions:
        deal.do(action)
    return deal


def mixed(rules: str | dict[str, Any], dealer: str, *actions: str) -> NaiveDeal:
    """Hearts are spread over North, East and South, black jacks are West's; then actions."""
    deal = table(rules, dealer, MIXED, WIDOW_OF["mixed"])
    for action in actions:
        deal.do(action)
    return deal


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
