"""The rule-based agent in positions that a card player would recognise, each with its reason; and what
it works out for itself: the cards unseen, the chances in a trick, the points of a contract."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from hpenv.actions import BIG, action_text
from hpenv.agents.agent import make_agent, play_deals, streams_for
from hpenv.agents.rule_based.bidding import points_expected, stakes_of
from hpenv.agents.rule_based.play import chance_to_beat, may_hold, trick_matters, unseen_cards
from hpenv.agents.rule_based.weights import WEIGHTS
from hpenv.cards import FOLLOWERS, NO_CARD, STRENGTH, set_cards
from hpenv.rulebook import AUCTION, PLAY, deal, score_deal
from hpenv.rules import PRESETS, get_rules
from hpenv.seats import NOBODY
from hpenv.table import new_tables
from hpenv.training.benchmark.matches import deal_tables
from hpenv.view import VIEW, view_of
from random_deals import RULES, copy_of, positions
from table_talk import MIXED, RED, table_after

# Hands of North, East, South and West, and the widow.
DEALS = {
    "red": (*RED.values(), "TS"),
    "mixed": (*MIXED.values(), "9D"),
    # North wins all six tricks with hearts, East has nothing
    "giant": ("Jo JH JD AH KH QH", "9C TC 9D TD 9S TS", "QC KC QD KD QS KS", "JC AC AD JS AS TH", "9H"),
    # with spades trumps, North has the two highest diamonds
    "fourth": (
        "AD KD 9C TC 9H TH",
        "TD JD QC KC JH QH",
        "9D AC KH AH 9S TS",
        "QD JC JS QS KS AS",
        "Jo",
    ),
    # with hearts trumps, North can ruff spades
    "ruff": ("9H AH QC KC AC KD", "KS QS 9D TD 9C TC", "9S TS QD KH TH JC", "AS JS AD QH JH JD", "Jo"),
    # and here West can too
    "overruff": (
        "9H KH AH QC KC AC",
        "KS QS 9D TD 9C TC",
        "9S TS AS JS QD TH",
        "QH JH JD AD KD JC",
        "Jo",
    ),
    # South's ace wins a spade lead for North, who could ruff it
    "ace": ("9H KH TC 9C QC KD", "9S QS 9D TD AC JC", "AS KS QD TH QH KC", "TS JS AD JD JH AH", "Jo"),
    # North has two kings, West their aces
    "kings": ("Jo JH AH KH KC KD", "QH TH 9C TC 9D 9S", "JD 9H QC TS QD TD", "AC AD JS QS KS JC", "AS"),
}

# Four lines each: the reason; rules, dealer and deal; the actions so far; what may be chosen.
POSITIONS = """
the auction: what is all but sure is bid at once
set_bid W giant
-
bid 5, bid 6

the auction: six sure tricks are worth double stakes
pepper W giant
-
big pepper

the auction: nothing in hand, pass over five
set_bid W giant
bid 5
pass

the auction: six stops the opponents' five where a lost bid is cheap
standard W giant
bid 5
bid 6

the auction: partner's five stands
standard W giant
bid 5, pass
pass

the auction: one who must bid on nothing bids one
house E giant
pass, pass, pass
bid 1

the auction: one trick is hardly ever missed, so the last to speak bids it on nothing
set_bid E giant
pass, pass, pass
bid 1

trump: the suit with both bowers
set_bid S mixed
bid 5, pass, pass, pass
trump S

the discard: a void is made
set_bid S mixed
bid 5, pass, pass, pass, trump S
9D, QC

the discard: trumps and aces are kept
set_bid W red
bid 4, pass, pass, pass, trump H
TS

alone: it scores double
house W giant
bid 5, pass, pass, pass, trump H, 9H
alone

alone: it gains nothing without a bonus
set_bid W giant
bid 5, pass, pass, pass, trump H, 9H
with partner

alone: a bid made only to stop the opponents loses fewest tricks alone
standard S giant
pass, bid 5, bid 6, trump H, 9H
alone

defending alone: not with a hand full of winners, where tricks should be lost
standard S giant
pass, bid 5, bid 6, trump H, 9H, alone, with partner
with partner

leading: the maker draws trumps from the top
set_bid W red
bid 4, pass, pass, pass, trump H, TS, with partner
Jo, JH

leading: a defender begins with a side ace
set_bid E mixed
pass, bid 5, pass, pass, trump S, 9D, with partner
AD

leading: the king of clubs is high once the ace of clubs is gone
set_bid W kings
bid 4, pass, pass, pass, trump H, AS, with partner,\
 Jo, TH, 9H, AC, JH, QH, JD, JC, AH, 9C, TS, JS, KH, TC, TD, QS
KC

leading: the king of diamonds is high once the ace of diamonds is gone
set_bid W kings
bid 4, pass, pass, pass, trump H, AS, with partner,\
 Jo, TH, 9H, AD, JH, QH, JD, JC, AH, 9C, TS, JS, KH, TC, TD, QS
KD

following: the smallest trump goes under partner's Joker
set_bid W red
bid 4, pass, pass, pass, trump H, TS, with partner, Jo, TH
9H

following: a worthless card is thrown off, not a king
set_bid W red
bid 4, pass, pass, pass, trump H, TS, with partner, Jo, TH, 9H
9D, TD

following: the last to play wins as cheaply as it can
set_bid N fourth
pass, pass, bid 5, pass, trump S, QS, with partner, TD, 9D, QD
KD

following: the lowest trump ruffs
set_bid N ruff
pass, pass, bid 4, pass, trump H, JS, with partner, QS, 9S, AS
9H

following: the lowest trump that is high enough goes over a ruff
set_bid N overruff
pass, pass, bid 4, pass, trump H, KD, with partner, QS, AS, QH
KH

following: partner's ace is not ruffed
set_bid N ace
pass, pass, bid 4, pass, trump H, JS, with partner, 9S, AS, TS
TC, 9C, QC, KD

while the contract can be made, the maker takes the trick, and cheaply
standard N ruff
pass, pass, bid 4, pass, trump H, JS, with partner, QS, 9S, AS, 9H, AH, TC, TH
JD

when it is lost, the maker ducks: every trick won would cost one more
standard N ruff
pass, pass, bid 6, trump H, JS, with partner, QS, 9S, AS, 9H, AH, TC, TH
QH

when it is lost, the maker throws an ace away rather than ruff
standard N ruff
pass, pass, bid 6, trump H, JS, with partner, QS, 9S, AS, 9H, QC, 9C, JC
AD

while the contract can be lost, a defender takes the trick
standard N ruff
pass, pass, bid 4, pass, trump H, JS, with partner,\
 QS, 9S, AS, AH, KD, 9D, QD, AD, QH, 9H, TC
KH

when it is made, every further trick still counts
standard N ruff
pass, pass, bid 1, pass, trump H, JS, with partner,\
 QS, 9S, AS, AH, KD, 9D, QD, AD, QH, 9H, TC
KH

when it is lost, a defender gives the trick away
standard N ruff
pass, pass, bid 6, trump H, JS, with partner,\
 QS, 9S, AS, AH, KD, 9D, QD, AD, QH, 9H, TC
TH

when it is lost and defenders score, they take the trick
{"set_penalty":"bid","defenders_score":true} N ruff
pass, pass, bid 6, trump H, JS, with partner,\
 QS, 9S, AS, AH, KD, 9D, QD, AD, QH, 9H, TC
KH
"""


def position(rules: str, dealer: str, cards: str, actions: str) -> Any:
    """The view of the seat to act."""
    *hands, widow = DEALS[cards]
    options: Any = json.loads(rules) if rules.startswith("{") else rules
    done = "" if actions == "-" else actions
    table = table_after(options, dealer, dict(zip("NESW", hands, strict=True)), widow, done)
    return view_of(table, int(table.to_act))


@pytest.mark.parametrize("text", POSITIONS.strip().split("\n\n"), ids=lambda text: text.split("\n")[0])
def test_the_choice_in_a_position(text: str) -> None:
    reason, setting, actions, wanted = text.split("\n")
    views = np.zeros(1, VIEW)
    views[0] = position(*setting.split(), actions)
    chosen = action_text(int(make_agent("rule_based").act(views, np.zeros(1, np.uint64))[0]))
    assert chosen in wanted.split(", "), f"{reason}: chose {chosen}\n{views[0]}"
    assert int(views[0].legal).bit_count() > len(wanted.split(", ")), "there is nothing to choose"


# ---- what it remembers ------------------------------------------------------------------------


def in_play(rules: str, seed: int, deals: int) -> Iterator[Any]:
    """Tables in the middle of the play."""
    return (table for table in positions(rules, seed, deals) if table.phase == PLAY)


@pytest.mark.parametrize("rules", RULES)
def test_unseen_are_the_cards_that_others_hide(rules: str) -> None:
    for table in positions(rules, 1, 40):
        for seat in range(4):
            hidden = sum(int(table.hands[s]) for s in range(4) if s != seat)
            if table.discard != NO_CARD and table.maker != seat:
                hidden |= 1 << int(table.discard)
            elif table.phase == AUCTION or table.maker == NOBODY:
                hidden |= 1 << int(table.widow)
            assert unseen_cards(view_of(table, seat)) == hidden


@pytest.mark.parametrize("rules", RULES)
def test_what_a_seat_may_hold_includes_what_it_holds(rules: str) -> None:
    known_voids = 0
    for table in in_play(rules, 2, 60):
        seat = int(table.to_act)
        view = view_of(table, seat)
        unseen = unseen_cards(view)
        for other in range(4):
            held = may_hold(view, unseen, other)
            if table.sitting_out >> other & 1:
                assert held == 0
            elif other != seat:
                assert int(table.hands[other]) & ~held == 0
                known_voids += held != unseen
    assert known_voids or get_rules(RULES[rules]).hand_size == 1


# ---- what it works out ------------------------------------------------------------------------


def counted_chance(view: Any, cards: list[int], led: int, strength: int) -> float:
    """The share of all hands from these cards that can beat a strength if played by the rules."""
    hands = list(combinations(cards, int(view.hand_size - view.tricks_played)))
    able = 0
    for hand in hands:
        following = [card for card in hand if FOLLOWERS[view.trump, led] >> card & 1]
        able += any(STRENGTH[view.trump, led, card] > strength for card in following or hand)
    return able / len(hands)


@pytest.mark.parametrize("rules", ["standard", "mini3", "five cards"])
def test_the_chance_to_beat_a_card_is_exact(rules: str) -> None:
    """For seats of whom nothing but their voids is known, by counting all the hands they may have."""
    checked = 0
    for table in in_play(rules, 3, 40):
        view = view_of(table, int(table.to_act))
        follower = (int(view.seat) + 1) & 3
        cards = may_hold(view, unseen_cards(view), follower)
        small = int(view.hand_size - view.tricks_played) <= 3
        if view.cards_in_trick or not small or view.sitting_out >> follower & 1:
            continue
        for card in set_cards(view.hand):
            led = next(s for s in range(4) if FOLLOWERS[view.trump, s] >> card & 1)
            strength = int(STRENGTH[view.trump, led, card])
            chance = chance_to_beat(view, cards, led, strength, 1.0)
            assert chance == pytest.approx(counted_chance(view, set_cards(cards), led, strength))
            checked += 1
    assert checked > 50


@pytest.mark.parametrize("rules", [*RULES, "lone stakes"])
def test_points_of_a_count_that_is_certain_are_the_score(rules: str) -> None:
    """Without doubt about the tricks the expected points are those of the rules (R14 to R17)."""
    options = {"alone_factor": 2, "bidding": "pepper"} if rules == "lone stakes" else RULES[rules]
    table = new_tables(1, get_rules(options))[0]
    k = int(table.hand_size)
    for bid, won, alone in product([*range(1, k + 1), BIG], range(k + 1), [False, True]):
        done = finished(table, bid, won, alone)
        view = view_of(done, 1)
        certain = WEIGHTS.tempers[stakes_of(view)]._replace(spread=1e-3)
        points = points_expected(view, bid, float(won), alone, certain)
        assert points == pytest.approx(int(done.points[0]) - int(done.points[1])), (bid, won, alone)


def finished(table: Any, bid: int, won: int, alone: bool) -> Any:
    """The table scored with North as maker."""
    done = copy_of(table)
    done.maker, done.bid, done.alone = 0, bid, alone
    done.tricks[:] = won, done.hand_size - won
    score_deal(done)
    return done


@pytest.mark.parametrize("rules", [*PRESETS, "no alone", "five cards"])
def test_when_tricks_are_wanted(rules: str) -> None:
    """Once a contract is lost, tricks are wanted or not by what one more is worth to the makers."""
    table = new_tables(1, get_rules(RULES[rules]))[0]
    k = int(table.hand_size)
    for bid, lost, alone in product([*range(1, k + 1), BIG], range(k), [False, True]):
        table.maker, table.bid, table.alone = 0, bid, alone
        table.tricks[:] = 0, lost
        table.tricks_played = lost
        wanted = trick_matters(view_of(table, 1))
        if k - lost >= min(bid, k):
            assert wanted == 1
        else:
            one, none = (finished(table, bid, won, alone).points.astype(int) for won in (1, 0))
            assert wanted == np.sign((one - none) @ [1, -1]), (bid, lost, alone)


@pytest.mark.parametrize("rules", ["standard", "house"])
def test_every_seat_plays_alike(rules: str) -> None:
    """The same cards one seat further on: the same actions, one seat further on."""
    here = deal_tables(get_rules(rules), 4, 0, 1000)
    there = here.copy()
    for table in there:
        table.pack[:24] = np.roll(table.pack[:24], 6)
        table.dealer = (table.dealer + 1) & 3
        deal(table)
    for tables in (here, there):
        play_deals(tables, [make_agent("rule_based")] * 4, streams_for(4, 1000))
    assert (here["history"] == there["history"]).all()
    assert (here["points"] == there["points"][:, ::-1]).all()
