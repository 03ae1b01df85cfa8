"""The engine against expectations written by hand: following suit, the order of the cards, who takes a
trick (R11 to R13)."""

import pytest

from hpenv.cards import card_set, card_text, left_bower, parse_card, right_bower, set_text, trump_order
from hpenv.errors import IllegalAction
from hpenv.rulebook import legal_actions
from hpenv.seats import SEAT_LETTERS
from table_talk import may, mixed, red, say, turn, voids

FOLLOWING = [
    ("H", "KD", "JD 9S", "JD 9S"),  # a diamond led: the left bower is no diamond
    ("H", "KD", "JD 9D", "9D"),
    ("H", "KH", "JD 9D", "JD"),  # hearts led: the left bower follows
    ("H", "JD", "9D 9H", "9H"),  # the left bower led asks for hearts
    ("H", "JD", "9D 9S", "9D 9S"),
    ("H", "9H", "Jo AC", "Jo"),  # trumps led and the Joker the only trump: it must be played
    ("H", "JD", "Jo AC", "Jo"),
    ("H", "9C", "Jo AC", "AC"),  # clubs led and a club held: the Joker may not be played
    ("H", "9C", "Jo AS", "AS Jo"),
    ("H", "Jo", "9H AC", "9H"),  # the Joker led is a trump led
    ("H", "Jo", "JD AD", "JD"),
    ("H", "Jo", "AD AC", "AC AD"),
    ("S", "JC", "9C 9S", "9S"),  # spades trump, the left bower JC led
    ("S", "JC", "9C AH", "9C AH"),
    ("S", "KC", "JC 9C", "9C"),
    ("C", "JS", "AS 9C", "9C"),
    ("D", "JH", "AH 9D", "9D"),
    ("D", "AH", "JH 9H", "9H"),
]


@pytest.mark.parametrize(("trump", "led", "hand", "legal"), FOLLOWING)
def test_r11_follow_the_suit_led_if_able(trump: str, led: str, hand: str, legal: str) -> None:
    """Otherwise any card; no duty to trump or to beat."""
    table = red("standard", "W", f"bid 6, trump {trump}, TS, with partner")
    table.hands[0] = card_set([parse_card(led)])
    table.hands[1] = card_set(parse_card(card) for card in hand.split())
    say(table, led)
    assert set_text(legal_actions(table)) == legal
    for card in hand.split():
        after = table.copy()
        if card in legal.split():
            say(after, card)
        else:
            with pytest.raises(IllegalAction, match="must follow") as caught:
                say(after, card)
            assert caught.value.rule == "R11"


def test_r11_no_duty_to_trump_or_to_beat() -> None:
    """West is void in diamonds and may throw any card; East follows the Joker with either heart."""
    start = "pass, pass, bid 1, pass, trump S, 9D, with partner"
    assert may(mixed("standard", "W", start + ", KD, AC, AD")) == "JC, QC, JS, QS, KS, AS"
    assert may(red("standard", "W", "bid 6, trump H, TS, with partner, AH")) == "TH, QH"
    assert may(red("standard", "W", "bid 6, trump C, TS, with partner, AC")) == "9C, TC"


ORDER = {
    "C": "Jo JC JS AC KC QC TC 9C",
    "D": "Jo JD JH AD KD QD TD 9D",
    "H": "Jo JH JD AH KH QH TH 9H",
    "S": "Jo JS JC AS KS QS TS 9S",
}


@pytest.mark.parametrize("trump", "CDHS")
def test_r12_the_trumps_best_first(trump: str) -> None:
    """Joker, right bower, left bower, A K Q 10 9; each beats the next when led to it."""
    suit = "CDHS".index(trump)
    order = ORDER[trump].split()
    assert [card_text(card) for card in trump_order(suit)] == order
    assert (card_text(right_bower(suit)), card_text(left_bower(suit))) == (order[1], order[2])


def test_r12_plain_suits_run_a_k_q_j_10_9_without_the_left_bower() -> None:
    """Hearts trump: JD is a heart, and diamonds are AD KD QD TD 9D; black jacks are plain cards."""
    assert winner("H", "N9D ETD SQD WAD") == "W"
    assert winner("H", "NAD ETD SQD WJD") == "W"  # ruffed by the left bower
    assert winner("H", "NTC EJC SQC W9C") == "S"
    assert winner("H", "NTC EJC S9C W9S") == "E"
    assert winner("S", "N9D EJD STD WAC") == "E"  # spades trump: JD is a diamond


def winner(trump: str, trick: str) -> str:
    """Who takes a trick: seat and card by seat and card, the leader first."""
    table = red("standard", "W", f"bid 6, trump {trump}, TS, with partner")
    cards = {SEAT_LETTERS.index(word[0]): parse_card(word[1:]) for word in trick.split()}
    for seat, card in cards.items():
        table.hands[seat] = 1 << card
    table.to_act = table.leader = next(iter(cards))
    say(table, ", ".join(card_text(card) for card in cards.values()))
    assert table.leader == table.to_act
    return turn(table)


@pytest.mark.parametrize(
    ("trump", "trick", "takes"),
    [
        ("H", "N9C E9H SAC WKC", "E"),  # the nine of trumps beats a plain ace
        ("H", "N9C E9H SAC W9S", "E"),
        ("H", "NKC EAC S9H WTH", "W"),
        ("H", "E9H SAC WAD NAS", "E"),
        ("H", "NAH EJD SJH WKH", "S"),  # right bower over left bower over ace
        ("H", "NJH EJo SJD WAH", "E"),  # the Joker over all
        ("H", "NTD E9S SAS WAC", "N"),  # a higher card of another plain suit wins nothing
        ("C", "SQC WKC NJS EAC", "N"),
        ("D", "WAS NKS EJC S9D", "S"),
    ],
)
def test_r13_who_takes_the_trick(trump: str, trick: str, takes: str) -> None:
    """The highest trump, else the highest card of the suit led."""
    assert winner(trump, trick) == takes


def test_r13_the_winner_leads_next() -> None:
    """Not the first player again: West's left bower JC, North's Joker, then North leads."""
    start = "bid 4, pass, pass, pass, trump S, 9D, with partner"
    table = red("standard", "S", start + ", JC, AS, 9S, QC")
    assert (turn(table), table.leader) == ("W", 3)
    say(table, "JS, Jo, 9C, KC")
    assert (turn(table), table.leader) == ("N", 0)


def test_r12_a_void_is_booked_in_the_suit_followed() -> None:
    """Spades trump, JC led, South throws a club: void in spades; of its clubs nothing is known."""
    start = "bid 4, pass, pass, pass, trump S, 9D, with partner"
    table = red("standard", "S", start + ", JC, AS, 9S, QC")
    assert voids(table) == {"S": "S"}
    say(table, "JS, Jo, 9C, KC, AH, TH, 9H, QS")
    assert voids(table) == {"E": "S", "S": "S", "W": "H"}
    # The Joker led is a heart led: West throws 9D.
    table = red("standard", "W", "bid 6, trump H, TS, with partner, Jo, TH, 9H, 9D")
    assert voids(table) == {"W": "H"}
