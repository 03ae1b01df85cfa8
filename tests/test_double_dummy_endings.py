"""The open-hand solver on endings worked out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from hpenv.cards import CARD_TEXT, card_set, parse_card, set_cards
from hpenv.double_dummy import solve
from hpenv.rulebook import PLAY, new_game
from hpenv.rules import get_rules
from hpenv.table import new_tables


def ending(trump: str, lead: str, hands: dict[str, str], laid: str = "", **fields: Any) -> Any:
    """A table with few cards left, North the maker of a bid of six: `laid` lies on the table, the first
    card of it led by the seat `lead`; the makers have taken all tricks before unless said otherwise."""
    rules = get_rules(fields.pop("rules", "standard"))
    table = new_tables(1, rules)[0]
    new_game(table, 0, 0, 0)
    sets = {seat: card_set(parse_card(card) for card in cards.split()) for seat, cards in hands.items()}
    table.hands[:] = [sets.get(seat, 0) for seat in "NESW"]
    table.maker, table.bid, table.trump, table.phase = 0, 6, "CDHS".index(trump), PLAY
    table.leader = table.to_act = "NESW".index(lead)
    table.tricks_played = 6 - max(len(set_cards(cards)) for cards in sets.values())
    table.tricks[:] = fields.pop("tricks", (table.tricks_played, 0))
    for field, value in fields.items():
        table[field] = value
    for card in laid.split():
        table.step(parse_card(card))
    return table


def tricks(table: Any) -> dict[str, int]:
    """The tricks each card brings its side."""
    values = solve(table).card_tricks
    return {CARD_TEXT[c]: int(values[c]) for c in np.flatnonzero(~np.isnan(values))}


def test_finesse() -> None:
    """North leads a club to South's ace-queen, no trumps left. The king before the queen (East) is
    caught: whichever of K and J East plays, South plays just above it and the other falls later. The
    king behind (West) makes a trick: it takes the queen, or waits for it under the ace."""
    caught = ending("H", "N", {"N": "TC 9C", "E": "KC JC", "S": "AC QC", "W": "9S TS"})
    assert tricks(caught) == {"TC": 2, "9C": 2}
    behind = ending("H", "N", {"N": "TC 9C", "E": "9S TS", "S": "AC QC", "W": "KC JC"})
    assert tricks(behind) == {"TC": 1, "9C": 1}


def test_throw_in() -> None:
    """South holds AC QC over nothing and cannot lead clubs without losing the queen to West's guarded
    king. Led the 9D, West must take it with its only diamond, the ace, and lead a club into AC QC."""
    table = ending("H", "S", {"N": "TS 9S TD", "E": "QS JS KS", "S": "AC QC 9D", "W": "KC JC AD"})
    assert tricks(table) == {"9D": 2, "AC": 1, "QC": 1}


def test_overruff() -> None:
    """Hearts are trumps, North has led KC and East has no club. If East ruffs with the 9H South ruffs
    over it, but the lead is then South's and East's AD takes the last trick. If East keeps its trump
    and throws AD away, KC holds, and North's spade lets South ruff over the 9H after all."""
    table = ending("H", "N", {"N": "KC 9S", "E": "9H AD", "S": "TH 9D", "W": "9C QD"}, laid="KC")
    assert tricks(table) == {"9H": 1, "AD": 0}


def test_left_bower_is_drawn() -> None:
    """Hearts are trumps, so West's JD is one: it must fall on the Joker, and the QH takes the other
    trick. If North leads the QH first, JD beats it, and only the Joker is left to win."""
    table = ending("H", "N", {"N": "Jo QH", "E": "9C TC", "S": "9S TS", "W": "JD 9D"})
    assert tricks(table) == {"Jo": 2, "QH": 1}


def test_makers_who_must_fail_throw_tricks_away() -> None:
    """The makers have bid six and lost a trick. Leading AC brings two more, as East's only club falls
    on it: minus five if a failed bid costs the tricks won (R15). Leading 9C brings none: East takes
    it and its KD takes the last trick, so they lose three. Where a failed bid costs the bid both
    cards lose six."""
    hands = {"N": "AC 9C", "E": "TC KD", "S": "9S TS", "W": "9D TD"}
    for rules, points in (("standard", {"AC": -5, "9C": -3}), ("set_bid", {"AC": -6, "9C": -6})):
        table = ending("H", "N", hands, rules=rules, tricks=(3, 1))
        solution = solve(table)
        assert tricks(table) == {"AC": 2, "9C": 0}
        assert {c: solution.card_points[parse_card(c)] for c in points} == points
        assert solution.points == max(points.values())
        assert solution.tricks.tolist() == [2, 0]
        assert solution.seat == 0


def test_two_partners_next_to_each_other_sit_out() -> None:
    """North and East play alone; South and West sit out, their trumps and aces with them. If East leads
    its trump the AH takes it and North's last card wins too. If East leads the 9D, North may ruff it,
    and then East ruffs the 9C; or throw the 9C away, and then has the last trick only."""
    hands = {"N": "AH 9C", "E": "KH 9D", "S": "Jo JH", "W": "JD AC"}
    table = ending("H", "E", hands, alone=0b0011, sitting_out=0b1100)
    assert tricks(table) == {"KH": 0, "9D": 1}
