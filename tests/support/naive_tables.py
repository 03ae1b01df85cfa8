"""Deals for the slow oracle: two to play on from, and those that are written down."""

from __future__ import annotations

import json
from typing import Any

from naive_rules import SEATS, NaiveDeal, full_rules
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
