"""Open-hand play worked out by trying everything: an oracle for the solver that shares no code with it.

Every legal card is tried at every turn, down to the last trick; only what cannot matter any more is
cut off (alpha and beta). Who follows, who wins and what a deal is worth come from the naive rules.

`python tests/minimax.py 100 > tests/solved_deals.txt` writes that file: four hands, North's first, and
the tricks North-South take with clubs, diamonds, hearts, spades as trumps when N, E, S, W lead.
"""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np
from numba import njit

import naive_rules
from hpenv.actions import BIG
from naive_rules import CARDS, SUITS, suit_followed, trick_winner

NONE = -1
FAR = 10_000

SUIT = np.array(
    [[SUITS.index(suit_followed(c, t)) if c != "Jo" else SUITS.index(t) for c in CARDS] for t in SUITS]
)


def _beats(trump: str, led: str, best: str, card: str) -> bool:
    """Does a card take the trick from the best one so far, another card having been led?"""
    if card in (led, best):
        return False
    trick = {"N": led, "S": card} if best == led else {"N": led, "E": best, "S": card}
    return trick_winner(trick, trump) == "S"


# [trump, first card of the trick, best so far, card]
BEATS = np.array(
    [
        [[[_beats(t, led, best, card) for card in CARDS] for best in CARDS] for led in CARDS]
        for t in SUITS
    ]
)


def value(table: Any, payoffs: list[int]) -> int:
    """What North-South get if t tricks of the whole deal are worth `payoffs[t]` to them, they want
    much and East-West want them to get little."""
    hands = np.array(table.hands)
    led = best = best_seat = NONE
    laid = [(seat + int(table.leader)) % 4 for seat in range(4)][: 4 if table.cards_in_trick else 0]
    for seat in laid:
        card = int(table.trick[seat])
        if card == NONE:
            continue
        if led == NONE:
            led = best = card
            best_seat = seat
        elif BEATS[table.trump, led, best, card]:
            best, best_seat = card, seat
    return int(
        minimax(
            SUIT[table.trump],
            BEATS[table.trump],
            hands,
            int(table.sitting_out),
            int(table.to_act),
            led,
            best,
            best_seat,
            int(table.cards_in_trick),
            int(table.hand_size - table.tricks_played),
            int(table.tricks[0]),
            np.array(payoffs),
            -FAR,
            FAR,
        )
    )


@njit(error_model="numpy")
def minimax(
    suit: Any,
    beats: Any,
    hands: Any,
    sitting_out: int,
    turn: int,
    led: int,
    best: int,
    best_seat: int,
    laid: int,
    left: int,
    north_south: int,
    payoffs: Any,
    low: int,
    high: int,
) -> int:
    """One seat's turn: `laid` cards lie on the table, `left` tricks are to come with this one."""
    if left == 0:
        return payoffs[north_south]
    hand = hands[turn]
    follows = False
    for card in range(25):
        if (hand >> card) & 1 and led != NONE and suit[card] == suit[led]:
            follows = True
    players = 4
    for seat in range(4):
        players -= (sitting_out >> seat) & 1
    for card in range(25):
        if not (hand >> card) & 1 or (follows and suit[card] != suit[led]):
            continue
        wins = led == NONE or beats[led, best, card]
        now_best, now_seat = (card, turn) if wins else (best, best_seat)
        hands[turn] = hand & ~(1 << card)
        if laid + 1 == players:
            won = north_south + (1 - now_seat % 2)
            got = minimax(
                suit,
                beats,
                hands,
                sitting_out,
                now_seat,
                NONE,
                NONE,
                NONE,
                0,
                left - 1,
                won,
                payoffs,
                low,
                high,
            )
        else:
            after = (turn + 1) % 4
            while (sitting_out >> after) & 1:
                after = (after + 1) % 4
            first = card if led == NONE else led
            got = minimax(
                suit,
                beats,
                hands,
                sitting_out,
                after,
                first,
                now_best,
                now_seat,
                laid + 1,
                left,
                north_south,
                payoffs,
                low,
                high,
            )
        hands[turn] = hand
        if turn % 2 == 0:
            low = max(low, got)
        else:
            high = min(high, got)
        if low >= high:
            break
    return low if turn % 2 == 0 else high


def payoffs(table: Any, objective: str) -> list[int]:
    """What 0, 1, .. tricks of North-South in the whole deal are worth to them: the tricks won from here
    on, or their points minus the other side's (R14-R17)."""
    k = int(table.hand_size)
    if objective == "tricks":
        return [t - int(table.tricks[0]) for t in range(k + 1)]
    rules = {
        "hand_size": k,
        "set_penalty": "bid" if table.bid_penalty else "tricks_won",
        "alone_factor": int(table.alone_factor),
        "defenders_score": bool(table.defenders_score),
    }
    cards = naive_rules.pack(k)
    hands = {seat: cards[i * k : i * k + k] for i, seat in enumerate("NESW")}
    deal = naive_rules.NaiveDeal(rules, "N", hands, cards[-1])  # any cards: they are not looked at
    deal.maker = "NESW"[table.maker]
    deal.standing = k + 1 if table.bid == BIG else int(table.bid)
    deal.alone = {deal.maker} if int(table.alone) >> int(table.maker) & 1 else set()
    worth = []
    for t in range(k + 1):
        deal.tricks = [t, k - t]
        points = deal.count_points()
        worth.append(points[0] - points[1])
    return worth


def for_side(table: Any, seat: int, objective: str, value: int) -> int:
    """What North-South get, as the side of a seat sees it."""
    if seat % 2 == 0:
        return value
    return int(table.hand_size - table.tricks_played) - value if objective == "tricks" else -value


def north_souths_tricks(hands: list[list[str]], trump: str, leader: int) -> int:
    """What North-South take of a whole deal, four hands of six."""
    bits = np.array([sum(1 << CARDS.index(card) for card in hand) for hand in hands])
    t = SUITS.index(trump)
    worth = np.arange(len(hands[0]) + 1)
    return int(
        minimax(
            SUIT[t], BEATS[t], bits, 0, leader, NONE, NONE, NONE, 0, len(hands[0]), 0, worth, -FAR, FAR
        )
    )


def solved(seed: int) -> str:
    """A random deal and all its answers as a line of solved_deals.txt."""
    cards = random.Random(seed).sample(CARDS, 24)
    hands = [sorted(cards[i : i + 6], key=CARDS.index) for i in range(0, 24, 6)]
    answers = [
        "".join(str(north_souths_tricks(hands, trump, leader)) for leader in range(4))
        for trump in SUITS
    ]
    return " / ".join(" ".join(hand) for hand in hands) + " = " + " ".join(answers)


if __name__ == "__main__":
    for deal_number in range(int(sys.argv[1])):
        print(solved(deal_number), flush=True)
