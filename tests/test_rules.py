"""The engine, rule by rule, against expectations written by hand: the pack, the auction, the maker, the
first lead (R1 to R10).

R11 to R13 are in test_rules_of_play.py, R14 to R20 in test_scoring.py.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from hpenv.actions import ACTION_TEXT, ALONE, BID, BIG, BIG_PEPPER, FACE_DOWN, N_ACTIONS, PASS
from hpenv.batch import new_games
from hpenv.cards import ALL_CARDS, CARD_TEXT, card_text, pack, set_text
from hpenv.errors import IllegalAction
from hpenv.rulebook import (
    AUCTION,
    DEAL_OVER,
    NAME_TRUMP,
    PLAY,
    deal,
    legal_actions,
    new_game,
    next_deal,
)
from hpenv.rules import Rules
from hpenv.seats import NOBODY, SEAT_LETTERS
from hpenv.table import Table, new_tables
from table_talk import RED, may, mixed, red, say, turn

# ---- rule by rule -----------------------------------------------------------------------------


def test_r1_seats_and_partnerships() -> None:
    """North East South West are 0 1 2 3; a trick of South's is North-South's, of West's East-West's."""
    assert SEAT_LETTERS == "NESW"
    table = mixed("standard", "W")
    seen = [turn(table)]
    for _ in range(3):
        table.step(PASS)
        seen.append(turn(table))
    assert seen == ["N", "E", "S", "W"]
    # North leads KD; South's AD wins it unless West ruffs.
    start = "pass, pass, bid 1, pass, trump S, 9D, with partner"
    table = mixed("standard", "W", start + ", KD, AC, AD, JC")
    assert table.tricks.tolist() == [0, 1]
    table = mixed("standard", "W", start.replace("trump S", "trump C") + ", KD, 9S, AD, JS")
    assert table.tricks.tolist() == [0, 1]
    table = mixed("standard", "W", start.replace("trump S", "trump C") + ", KD, 9S, AD, AS")
    assert table.tricks.tolist() == [1, 0]
    assert turn(table) == "S"


def test_r2_the_pack() -> None:
    """25 cards: 9 10 J Q K A in clubs, diamonds, hearts and spades, and one Joker."""
    deck = "9C TC JC QC KC AC 9D TD JD QD KD AD 9H TH JH QH KH AH 9S TS JS QS KS AS Jo"
    assert " ".join(CARD_TEXT) == deck
    assert pack(6) == list(range(25))
    for seed in range(20):
        table = new_tables(1, Rules(), seed)[0]
        new_game(table, NOBODY, 0, 0)
        dealt = [card for hand in table.hands for card in range(25) if int(hand) >> card & 1]
        assert sorted([*dealt, int(table.widow)]) == list(range(25))


def test_r3_the_first_dealer_is_random() -> None:
    """Over 8,000 games each seat deals first 2,000 times, within five standard deviations (194)."""
    tables = new_tables(8000, Rules(), 3)
    new_games(tables, NOBODY, 0, 0)
    for seat, times in Counter(tables["dealer"].tolist()).items():
        assert abs(times - 2000) < 194, f"seat {seat} dealt first {times} times"
    assert len(set(tables["dealer"].tolist())) == 4


@pytest.mark.parametrize("seed", range(4))
def test_r3_the_deal_moves_left_every_deal(seed: int) -> None:
    """Over 100 deals, half of them thrown in, the dealer is the first dealer + n (mod 4)."""
    rng = np.random.default_rng(seed)
    table = new_tables(1, Rules(target=1000), seed)[0]
    new_game(table, NOBODY, 0, 0)
    first, thrown_in = int(table.dealer), 0
    for n in range(100):
        assert table.dealer == (first + n) % 4
        assert table.to_act == (first + n + 1) % 4
        throw_in = bool(rng.integers(2))
        thrown_in += throw_in
        while table.phase != DEAL_OVER:
            legal = legal_actions(table)
            choices = [a for a in range(N_ACTIONS) if legal >> a & 1 and a != PASS]
            table.step(PASS if throw_in else int(rng.choice(choices)))
        assert table.deals_played == n + 1
        assert (table.maker == NOBODY) == throw_in
        next_deal(table)
    assert 30 < thrown_in < 70


def test_r4_six_cards_each_and_a_widow() -> None:
    """Every card is dealt to every seat and to the widow about as often: 6 or 1 times in 25."""
    n = 20_000
    tables = new_tables(n, Rules(), 4)
    new_games(tables, NOBODY, 0, 0)
    for card in range(25):
        for seat in range(4):
            held = int((tables["hands"][:, seat] >> card & 1).sum())
            assert abs(held - n * 6 / 25) < 5 * (n * 6 / 25 * 19 / 25) ** 0.5
        assert abs(int((tables["widow"] == card).sum()) - n / 25) < 5 * (n / 25 * 24 / 25) ** 0.5
    sizes = {bin(int(hand)).count("1") for hand in tables["hands"].ravel()[:400]}
    assert sizes == {6}


def test_r5_bids_go_up() -> None:
    """Pass, or bid higher than the standing bid up to six; an equal overcall is refused."""
    assert may(red("standard", "W")) == "pass, bid 1, bid 2, bid 3, bid 4, bid 5, bid 6"
    assert may(red("standard", "W", "bid 4")) == "pass, bid 5, bid 6"
    assert may(red("standard", "W", "bid 1, bid 2, bid 5")) == "pass, bid 6"
    with pytest.raises(IllegalAction, match="standing bid 4") as caught:
        red("standard", "W", "bid 4").step(BID + 4)
    assert caught.value.rule == "R5"


def test_r5_a_pass_is_final() -> None:
    """East passes and is not asked again, over three more rounds of bidding."""
    table = red("standard", "W", "bid 1, pass")
    seen = []
    for call in ("bid 2", "bid 3", "bid 4", "pass", "bid 5", "pass"):
        seen.append(turn(table))
        say(table, call)
    assert seen == ["S", "W", "N", "S", "W", "N"]
    assert (table.phase, SEAT_LETTERS[table.maker], table.bid) == (NAME_TRUMP, "W", 5)


@pytest.mark.parametrize("calls", ["bid 6", "pass, bid 6", "bid 1, bid 2, bid 3, bid 6"])
def test_r5_the_top_bid_ends_the_auction_at_once(calls: str) -> None:
    """Nothing can beat six, so nobody else is asked."""
    table = red("standard", "W", calls)
    assert table.phase == NAME_TRUMP
    assert table.to_act == table.maker == calls.count(",")
    with pytest.raises(IllegalAction, match="auction is over") as caught:
        table.step(PASS)
    assert caught.value.rule == "R5"


def test_r6_pass_pass_pass_bid_one() -> None:
    """The fourth seat has its turn: the contract is one."""
    table = red("standard", "E", "pass, pass, pass, bid 1")
    assert (SEAT_LETTERS[table.maker], table.bid, table.phase, turn(table)) == ("E", 1, NAME_TRUMP, "E")


def test_r6_four_passes_throw_the_deal_in() -> None:
    """Nobody scores; new cards, next dealer."""
    table = red("standard", "E", "pass, pass, pass, pass", score=(3, -2))
    assert table.phase == DEAL_OVER
    assert (table.maker, table.to_act, legal_actions(table)) == (NOBODY, NOBODY, 0)
    assert (table.points.tolist(), table.score.tolist()) == ([0, 0], [3, -2])
    before = table.hands.tolist()
    next_deal(table)
    assert (SEAT_LETTERS[table.dealer], turn(table), table.phase) == ("S", "W", AUCTION)
    assert table.hands.tolist() != before
    assert table.score.tolist() == [3, -2]


def test_r6_the_dealer_must_bid() -> None:
    """Under dealer_bids the fourth seat may not pass, but only when all three others have."""
    table = red({"all_pass": "dealer_bids"}, "E", "pass, pass, pass")
    assert may(table) == "bid 1, bid 2, bid 3, bid 4, bid 5, bid 6"
    with pytest.raises(IllegalAction, match="must bid") as caught:
        table.step(PASS)
    assert caught.value.rule == "R6"
    assert may(red({"all_pass": "dealer_bids"}, "E", "pass, pass")).startswith("pass")
    assert may(red({"all_pass": "dealer_bids"}, "E", "bid 1, pass, pass")).startswith("pass")


def test_r7_pepper_form() -> None:
    """Little pepper is six; big pepper beats it, may be bid at any time and ends the auction."""
    top = "bid 4, bid 5, bid 6, big pepper"
    assert may(red("pepper", "W")) == "pass, bid 1, bid 2, bid 3, " + top
    assert may(red("pepper", "W", "bid 5")) == "pass, bid 6, big pepper"
    assert may(red("pepper", "W", "little pepper")) == "pass, big pepper"
    assert may(red("house", "W", "pass, pass, pass")) == "bid 1, bid 2, bid 3, " + top
    assert red("pepper", "W", "little pepper").phase == AUCTION
    table = red("pepper", "W", "big pepper")
    assert (table.phase, table.bid, turn(table)) == (NAME_TRUMP, BIG, "N")
    with pytest.raises(IllegalAction, match="bids are numbers") as caught:
        red("standard", "W").step(BIG_PEPPER)
    assert caught.value.rule == "R7"


def test_r8_the_maker_takes_the_widow_names_trump_and_discards() -> None:
    """A suit, then any one of seven cards: widow card, trump and Joker included."""
    table = red("standard", "W", "bid 6")
    assert may(table) == "trump C, trump D, trump H, trump S"
    say(table, "trump H")
    assert may(table) == "AC, JH, KH, AH, TS, AS, Jo"
    for card in ("AC", "JH", "KH", "AH", "TS", "AS", "Jo"):
        after = table.copy()
        say(after, card)
        assert card_text(after.discard) == card
        assert set_text(after.hands[0]) == " ".join(
            held for held in ("AC", "JH", "KH", "AH", "TS", "AS", "Jo") if held != card
        )
        assert after.tricks.tolist() == [0, 0]
    assert [set_text(hand) for hand in table.hands[1:]] == [
        "9C TC KD TH QH 9S",
        "QC KC JD QD AD 9H",
        "JC 9D TD JS QS KS",
    ]


@pytest.mark.parametrize(
    ("answers", "asked", "alone", "leader"),
    [
        ("with partner", "N", "", "E"),
        ("alone, with partner, with partner", "NEW", "N", "E"),
        ("alone, alone", "NE", "NE", "E"),
        ("alone, with partner, alone", "NEW", "NW", "W"),
    ],
)
def test_r9_who_is_asked_to_play_alone(answers: str, asked: str, alone: str, leader: str) -> None:
    """North is dealer and maker; only if it is alone its left, then its right, are asked (R9, R10)."""
    table = red("standard", "N", "pass, pass, pass, bid 3, trump H, TS")
    seen = ""
    for answer in answers.split(", "):
        assert may(table) == "alone, with partner"
        seen += turn(table)
        say(table, answer)
    assert seen == asked
    assert "".join(SEAT_LETTERS[s] for s in range(4) if int(table.alone) >> s & 1) == alone
    sitting = {SEAT_LETTERS[(SEAT_LETTERS.index(seat) + 2) % 4] for seat in alone}
    assert {SEAT_LETTERS[s] for s in range(4) if int(table.sitting_out) >> s & 1} == sitting
    assert (table.phase, turn(table)) == (PLAY, leader)


def test_r9_tricks_of_three_and_of_two_cards() -> None:
    """A loner's partner sits out with its hand unplayed: three cards, or two with two loners."""
    start = "pass, pass, bid 6, trump H, TS, alone, "
    table = red("standard", "E", start + "with partner, with partner, QH, 9D, AH")
    assert (turn(table), table.tricks.tolist()) == ("N", [1, 0])
    assert set_text(table.hands[2]) == "QC KC JD QD AD 9H"
    # East, at the maker's left, defends alone: N and E play, between them nobody.
    table = red("standard", "E", start + "alone, QH")
    assert turn(table) == "N"
    say(table, "KH")
    assert (turn(table), table.tricks.tolist()) == ("N", [1, 0])
    say(table, "JH, TH, Jo, 9C")
    assert table.tricks.tolist() == [3, 0]
    # West defends alone: from West the turn goes to North, from North past East and South to West.
    table = red("standard", "E", start + "with partner, alone, 9D")
    assert turn(table) == "N"
    say(table, "AC")
    assert (turn(table), table.tricks.tolist()) == ("W", [0, 1])
    say(table, "JC, AS, QS, Jo")
    assert (turn(table), table.tricks.tolist()) == ("N", [1, 2])
    say(table, "AH")
    assert turn(table) == "W"


def test_r9_nobody_is_asked_where_nobody_may() -> None:
    """With alone=False the discard is followed by the first lead."""
    table = red({"alone": False}, "W", "bid 3, pass, pass, pass, trump H, TS")
    assert (table.phase, turn(table)) == (PLAY, "N")


@pytest.mark.parametrize(
    ("dealer", "calls", "leader"),
    [
        ("W", "bid 3, pass, pass, pass, trump H, TS, with partner", "N"),
        ("S", "pass, bid 3, pass, pass, trump H, TS, with partner", "W"),
        # The loner sits at the dealer's right: its left is the dealer, who leads; the dealer's left
        # is the absent partner.
        ("E", "pass, pass, bid 3, pass, trump H, TS, alone, with partner, with partner", "E"),
        ("W", "bid 3, pass, pass, pass, trump H, TS, alone, with partner, with partner", "E"),
        ("W", "bid 3, pass, pass, pass, trump H, TS, alone, with partner, alone", "W"),
        ("S", "pass, bid 3, pass, pass, trump H, TS, alone, alone", "E"),
    ],
)
def test_r10_the_first_lead(dealer: str, calls: str, leader: str) -> None:
    """The dealer's left; with one loner the loner's left; with two the defending loner. North makes."""
    table = red("standard", dealer, calls)
    assert (SEAT_LETTERS[table.maker], turn(table), table.leader) == (
        "N",
        leader,
        SEAT_LETTERS.index(leader),
    )


# ---- the Joker away, the longest auction ------------------------------------------------------


def test_joker_discarded() -> None:
    """The right bower is then the highest card in play, and public facts do not show the Joker."""
    start = "bid 3, pass, pass, pass, trump H, Jo, with partner"
    table = red("standard", "W", start + ", JH, QH, JD, TD")
    assert table.tricks.tolist() == [1, 0]
    assert table.history[5] == FACE_DOWN
    assert not int(table.played.sum()) >> 24 & 1


def auctions(table: Table) -> Iterator[tuple[int, ...]]:
    """Every complete auction from here."""
    if table.phase != AUCTION:
        yield ()
        return
    assert table.history_length < 9, "nine calls are the longest auction"
    legal = legal_actions(table)
    for call in range(N_ACTIONS):
        if legal >> call & 1:
            after = table.copy()
            after.step(call)
            for rest in auctions(after):
                yield (call, *rest)


# An auction is a rising row of bids with passes between. It ends at the top bid after at most two
# passes (with j bids below the top and p passes: C(j+p, p) orders), or with a third pass once m bids
# below the top were made (C(m+2, 2) orders); or three seats pass first and the fourth bids anything or
# passes.
#   numbers: 1*3 + 5*6 + 10*10 + 10*15 + 5*21 + 1*28 = 416;   5*3 + 10*6 + 10*10 + 5*15 + 21 = 271;
#            6 + 1 = 7; together 694.
#   pepper:  1*3 + 6*6 + 15*10 + 20*15 + 15*21 + 6*28 + 1*36 = 1008;
#            6*3 + 15*6 + 20*10 + 15*15 + 6*21 + 28 = 687; 7 + 1 = 8; together 1703.
# A dealer who must bid has one auction less: four passes.
@pytest.mark.parametrize(
    ("rules", "how_many", "longest"),
    [
        ({}, 694, 8),
        ({"bidding": "pepper"}, 1703, 9),
        ({"all_pass": "dealer_bids"}, 693, 8),
        ({"bidding": "pepper", "all_pass": "dealer_bids"}, 1702, 9),
    ],
)
def test_every_auction(rules: dict[str, Any], how_many: int, longest: int) -> None:
    """The longest auction has 8 calls in numbers form and 9 in pepper form."""
    found = list(auctions(red(rules, "N")))
    assert len(found) == len(set(found)) == how_many
    assert max(map(len, found)) == longest
    assert found.count((PASS,) * 4) == (0 if "all_pass" in rules else 1)
    for calls in found:
        bids = [call for call in calls if call != PASS]
        assert bids == sorted(set(bids))


def test_the_39_actions() -> None:
    """Numbered once for the whole project."""
    assert len(ACTION_TEXT) == N_ACTIONS == 39
    texts = {24: "Jo", 25: "pass", 26: "bid 1", 31: "bid 6", 32: "big pepper", 33: "trump C"}
    texts |= {36: "trump S", 37: "alone", 38: "with partner", 0: "9C", 13: "TH", 23: "AS"}
    assert {number: ACTION_TEXT[number] for number in texts} == texts
    assert (PASS, BID, BIG_PEPPER, ALONE) == (25, 25, 32, 37)
    assert ALL_CARDS == 2**25 - 1


def test_deal_deals_the_pack_as_it_lies() -> None:
    """North's cards lie first, the widow last; a deal begun and dealt again is the same deal."""
    table = red("standard", "N")
    hands = [set(map(card_text, table.pack[6 * seat : 6 * seat + 6])) for seat in range(4)]
    assert hands == [set(RED[seat].split()) for seat in SEAT_LETTERS]
    again = red("standard", "N", "bid 6, trump H, TS, with partner, QH, JD")
    deal(again)
    assert again.tobytes() == table.tobytes()
