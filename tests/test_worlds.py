"""Worlds: exactly the deals that the rules allow a seat to think of, each as likely as any other."""

from __future__ import annotations

import copy
import itertools
import json
import math
import os
import random
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from functools import cache, reduce
from typing import Any

import numpy as np
import pytest

import naive_rules
from hpenv.cards import CARD_TEXT, NO_CARD, card_set, pack, parse_card, set_cards
from hpenv.notation import record_of, record_text, replay
from hpenv.rulebook import (
    AUCTION,
    DEAL_OVER,
    DEFENDER_ALONE,
    DISCARD,
    MAKER_ALONE,
    N_PHASES,
    NAME_TRUMP,
    PLAY,
)
from hpenv.rules import get_rules
from hpenv.seats import NOBODY
from hpenv.table import TABLE, new_tables, rules_of
from hpenv.view import PUBLIC_BYTES, VIEW, view_of
from hpenv.worlds import (
    count_worlds,
    draw_below,
    lay_worlds,
    numbered_worlds,
    sample_each,
    sample_worlds,
    world_tables,
)
from naive_rules import SEATS, NaiveDeal, RuleBroken
from places import ROOT
from random_deals import RULES, choose, copy_of, positions
from table_talk import mixed, say, table_after, voids

World = tuple[int, ...]  # the four hands as sets, the discard, the widow


def as_worlds(hands: Any, discards: Any, widows: Any) -> list[World]:
    """The worlds of three arrays, one after the other."""
    rows = np.column_stack([hands, discards, widows]).tolist()
    return [tuple(row) for row in rows]


def cards(text: str) -> int:
    """A set of cards written in notation."""
    return card_set(parse_card(word) for word in text.split())


def named(text: str) -> set[str]:
    """The texts of cards written in notation."""
    return set(text.split())


# ---- all worlds, found by asking the rules ----------------------------------------------------


def splits(unseen: list[str], sizes: list[int]) -> Iterator[list[list[str]]]:
    """All ways to part the cards into heaps of these sizes."""
    if not sizes:
        yield []
        return
    for heap in itertools.combinations(unseen, sizes[0]):
        rest = [card for card in unseen if card not in heap]
        for heaps in splits(rest, sizes[1:]):
            yield [list(heap), *heaps]


def thinkable_deals(table: Any, seat: int) -> list[tuple[dict[str, list[str]], str]]:
    """Every deal, hands and widow, that leaves `seat` its cards and everybody what they played; no
    thought is given to voids."""
    texts = [[CARD_TEXT[card] for card in set_cards(cards)] for cards in table.hands]
    played = [[CARD_TEXT[card] for card in set_cards(cards)] for cards in table.played]
    maker = int(table.maker) if table.maker != NOBODY and table.phase != AUCTION else NOBODY
    face_down = [CARD_TEXT[c] for c in [table.widow if maker == NOBODY else table.discard] if c >= 0]
    hidden = [s for s in range(4) if s != seat]
    unseen = [card for s in hidden for card in texts[s]]
    sizes = [len(texts[s]) for s in hidden]
    if maker != seat:
        unseen += face_down
        sizes.append(len(face_down))
    deals = {}
    for heaps in splits(unseen, sizes):
        held = {s: list(texts[s]) for s in range(4)} | dict(zip(hidden, heaps, strict=False))
        down = face_down if maker == seat else heaps[-1]
        had = [held[s] + played[s] + (down if s == maker else []) for s in range(4)]
        widows = down if maker == NOBODY else had[maker]
        for widow in [CARD_TEXT[table.widow]] if maker == seat else widows:
            dealt = {SEATS[s]: sorted(set(had[s]) - {widow}) for s in range(4)}
            deals[str((dealt, widow))] = dealt, widow
    return list(deals.values())


def told(table: Any) -> list[str]:
    """What has been done in the deal, in notation, the discard included."""
    return list(json.loads(record_text(record_of(table)))["actions"])


def as_world(deal: NaiveDeal) -> World:
    """A deal of the oracle in the numbers of the package."""
    hands = [cards(" ".join(deal.hands[seat])) for seat in SEATS]
    discard = NO_CARD if deal.discard is None else parse_card(deal.discard)
    return *hands, discard, parse_card(deal.widow)


def is_allowed(deal: NaiveDeal, action: str) -> bool:
    """Do the action if the rules allow it."""
    try:
        deal.do(action)
    except RuleBroken:
        return False
    return True


def thoughts(table: Any, seat: int, deals: Any, actions: list[str], played: int = 0) -> Iterator[Any]:
    """What `seat` must think possible at first and after each action: every thinkable deal is played
    by the oracle, with each discard that another maker could make, until a rule forbids what was done.
    Cards in `played` are known not to have been discarded."""
    me, widow = SEATS[seat], CARD_TEXT[table.widow]
    rules = asdict(rules_of(table))
    possible = [NaiveDeal(rules, SEATS[table.dealer], *copy.deepcopy(deal)) for deal in deals]
    yield possible
    for action in actions:
        actor, phase = possible[0].turn, possible[0].phase
        assert actor is not None
        if phase == "discard" and actor != me:
            branches = []
            for deal in possible:
                for card in deal.hands[actor]:
                    if not cards(card) & played:
                        branches.append(copy.deepcopy(deal))
                        branches[-1].do(card)
            possible = branches
        else:
            possible = [deal for deal in possible if is_allowed(deal, action)]
        if possible[0].phase == "trump" and possible[0].maker == me:
            possible = [deal for deal in possible if deal.widow == widow]
        yield possible


def check_all_worlds(table: Any, seat: int, possible: Iterable[NaiveDeal]) -> int:
    """The numbered worlds are those deals, each once, and the true one among them."""
    view = view_of(table, seat)
    n = count_worlds(view)
    found = as_worlds(*numbered_worlds(view, np.arange(n)))
    expected = [as_world(deal) for deal in possible]
    assert len(set(found)) == n, f"seat {seat} gets a world twice at\n{table}"
    assert set(found) == set(expected), f"seat {seat} of\n{table}"
    assert len(expected) == n
    true: World = (*table.hands.tolist(), int(table.discard), int(table.widow))
    assert true in found
    return n


def lines(name: str, seed: int, deals: int) -> Iterator[list[Any]]:
    """Each deal as the list of its positions."""
    so_far: list[Any] = []
    for table in positions(name, seed, deals):
        so_far.append(copy_of(table))
        if table.phase == DEAL_OVER:
            yield so_far
            so_far = []


@pytest.mark.parametrize(("name", "seed", "deals"), [("one card", 1, 25), ("mini2", 3, 4)])
def test_the_worlds_are_the_deals_the_rules_allow(name: str, seed: int, deals: int) -> None:
    """In small games at every position, for every seat: no deal missing, none too many, none twice."""
    phases, lone, with_voids, sizes = set(), 0, 0, set()
    for line in lines(name, seed, deals):
        actions = told(line[-1])
        for seat in range(4):
            thought = thoughts(line[-1], seat, thinkable_deals(line[0], seat), actions)
            for table, possible in zip(line, thought, strict=True):
                phases.add(int(table.phase))
                sizes.add(check_all_worlds(table, seat, possible))
                lone += table.sitting_out != 0
                with_voids += (int(table.voids) & ~(15 << 4 * seat)) != 0
    assert phases == set(range(N_PHASES))
    assert lone > 10
    assert with_voids > 10
    assert len(sizes) > 5


def late_positions(seed: int) -> Iterator[Any]:
    """The last trick and the end of a deal of six cards whose maker, East, has put away the Joker."""
    rng = random.Random(f"late {seed}")
    table = mixed("pepper", "N", "bid 3, pass, pass, pass, trump H, Jo")
    say(table, rng.choice(["alone", "with partner"]))
    while table.phase != DEAL_OVER:
        table.step(choose(table, rng))
        if table.tricks_played >= 5:
            yield copy_of(table)


def ways_to_part(table: Any, seat: int) -> int:
    """In how many ways the cards that others hold or discarded can be parted, voids forgotten."""
    sizes = [len(set_cards(table.hands[s])) for s in range(4) if s != seat]
    sizes.append(int(table.maker != seat))
    return math.factorial(sum(sizes)) // math.prod(math.factorial(size) for size in sizes)


@pytest.mark.parametrize("seed", range(5))
def test_the_worlds_late_in_a_deal_of_six_cards(seed: int) -> None:
    """With partners and alone, voids in trumps among them: all that the rules allow and nothing else,
    and to the other seats the Joker may lie face down (R8)."""
    joker, checked = parse_card("Jo"), 0
    for table in late_positions(seed):
        played = int(reduce(int.__or__, table.played.tolist()))
        for seat in range(4):
            if ways_to_part(table, seat) > 510:
                continue
            *_, possible = thoughts(table, seat, thinkable_deals(table, seat), told(table), played)
            check_all_worlds(table, seat, possible)
            assert joker in numbered_worlds(view_of(table, seat), np.arange(len(possible)))[1]
            checked += 1
    assert checked >= 6


# ---- worlds in every phase --------------------------------------------------------------------


@pytest.mark.parametrize("name", RULES)
def test_every_world_looks_the_same_to_its_seat(name: str) -> None:
    """In every phase, for every seat, acting or not: a world's table shows the seat the same view byte
    for byte, the oracle finds nothing against the rules in its record, and its deal comes to the same
    position."""
    phases, held = set(), 0
    for number, table in enumerate(positions(name, 4, 14 if name == "one card" else 4)):
        phases.add(int(table.phase))
        for seat in range(4):
            view = view_of(table, seat)
            worlds = world_tables(view, 2, number)
            assert worlds.dtype == TABLE
            assert as_worlds(worlds["hands"], worlds["discard"], worlds["widow"]) == as_worlds(
                *sample_worlds(view, 2, number)
            )
            for world in worlds:
                assert view_of(world, seat).tobytes() == view.tobytes(), f"seat {seat} of\n{world}"
                assert world.tobytes()[:PUBLIC_BYTES] == table.tobytes()[:PUBLIC_BYTES]
                check_record(world)
            held += (worlds["hands"] != table.hands).sum()
    asked = {MAKER_ALONE, DEFENDER_ALONE} if get_rules(RULES[name]).alone else set()
    assert phases == {AUCTION, NAME_TRUMP, DISCARD, PLAY, DEAL_OVER} | asked
    assert held > 0


def check_record(world: Any) -> None:
    """The world's deal, written down and played again by package and oracle, has the same cards."""
    record = record_of(world)
    deal = naive_rules.replay(json.loads(record_text(record)))
    assert as_world(deal) == (*world.hands.tolist(), int(world.discard), int(world.widow))
    again = replay(record).table
    again.deals_played, again.key, again.deals_dealt = world.deals_played, world.key, world.deals_dealt
    assert again.tobytes() == world.tobytes(), f"\n{world}\n{again}"


@pytest.mark.parametrize("name", ["standard", "house", "five cards"])
def test_there_are_as_many_worlds_as_deals(name: str) -> None:
    """Counted in another way for every seat at every position; and other numbers are other worlds."""
    rng = random.Random(f"count {name}")
    for table in positions(name, 5, 4):
        for seat in range(4):
            view = view_of(table, seat)
            n = count_worlds(view)
            assert n == deals_by_suits(table, seat), f"seat {seat} of\n{table}"
            numbers = sorted({0, n - 1, *(rng.randrange(n) for _ in range(20))})
            found = as_worlds(*numbered_worlds(view, numbers))
            assert len(set(found)) == len(numbers)


def deals_by_suits(table: Any, seat: int) -> int:
    """How many deals the seat must think possible: the hands are filled one after another, each with
    so many cards of each suit, and what is left lies face down."""
    taken = table.maker != NOBODY and table.phase != AUCTION
    mine = taken and table.maker == seat
    hidden = [set_cards(table.hands[s]) for s in range(4) if s != seat]
    sizes = [len(hand) for hand in hidden]
    barred = [int(table.voids) >> 4 * s & 15 for s in range(4) if s != seat]
    unseen = list(itertools.chain(*hidden))
    down = int(table.discard if taken else table.widow)
    if not mine and down != NO_CARD:
        unseen.append(down)
    trump = "CDHS"[table.trump] if table.trump < 4 else "none"
    suits = ["CDHS".find(naive_suit(CARD_TEXT[card], trump)) for card in unseen]
    amounts = tuple(suits.count(suit) for suit in range(-1, 4))  # the Joker alone before trump is named
    factor = int(table.hand_size) + 1 if taken and not mine else 1
    return factor * fillings(amounts, tuple(sizes), tuple(barred))


def naive_suit(card: str, trump: str) -> str:
    """The suit the oracle counts a card to, `o` for the Joker before there is a trump."""
    return card[1] if trump == "none" else naive_rules.suit_followed(card, trump)


@cache
def fillings(amounts: tuple[int, ...], sizes: tuple[int, ...], barred: tuple[int, ...]) -> int:
    """Ways to fill the hands in turn from so many cards of each suit, the first being suitless."""
    if not sizes:
        return 1
    total = 0
    free = [0 if suit and barred[0] >> (suit - 1) & 1 else n for suit, n in enumerate(amounts)]
    for taken in itertools.product(*(range(min(n, sizes[0]) + 1) for n in free)):
        if sum(taken) == sizes[0]:
            ways = math.prod(math.comb(n, t) for n, t in zip(amounts, taken, strict=True))
            left = tuple(n - t for n, t in zip(amounts, taken, strict=True))
            total += ways * fillings(left, sizes[1:], barred[1:])
    return total


def test_how_many_worlds_there_are_before_the_play() -> None:
    """19 unseen cards: three hands and the widow; the widow taken tells the others nothing; any of
    seven may be the discard. The maker sees both and has only the hands to guess."""
    table = mixed("standard", "W")
    three_hands = math.factorial(18) // math.factorial(6) ** 3
    assert [count_worlds(view_of(table, seat)) for seat in range(4)] == [19 * three_hands] * 4
    say(table, "bid 3, pass, pass, pass")
    maker_and_others = [three_hands, *[19 * three_hands] * 3]
    assert [count_worlds(view_of(table, seat)) for seat in range(4)] == maker_and_others
    say(table, "trump H, 9C")
    maker_and_others = [three_hands, *[7 * 19 * three_hands] * 3]
    assert [count_worlds(view_of(table, seat)) for seat in range(4)] == maker_and_others


# ---- hidden cards vary, voids hold ------------------------------------------------------------


def places_met(table: Any, seat: int, n: int = 3000) -> dict[str, set[str]]:
    """Which unseen cards stand where in n worlds: with the other seats, discarded, and as the widow."""
    hands, discards, widows = sample_worlds(view_of(table, seat), n, 6)
    assert (hands[:, seat] == view_of(table, seat).hand).all()
    met = {SEATS[s]: int(np.bitwise_or.reduce(hands[:, s])) for s in range(4) if s != seat}
    met |= {"discard": card_set(set(discards.tolist()) - {NO_CARD}), "widow": card_set(widows.tolist())}
    return {place: {CARD_TEXT[card] for card in set_cards(found)} for place, found in met.items()}


def test_every_hidden_card_varies() -> None:
    """From the auction to the first trick each card that East has not seen turns up in each place that
    is hidden from it, a partner's who sits out and the discard among them."""
    table = mixed("standard", "W")
    whole = {CARD_TEXT[card] for card in pack()}
    unseen = whole - named("Jo KH TH AC KC 9S")
    places = dict.fromkeys(["N", "S", "W", "widow"], unseen)
    assert places_met(table, 1) == places | {"discard": set()}
    say(table, "bid 3, pass, pass, pass")
    assert places_met(table, 1) == places | {"discard": set()}
    say(table, "trump H, 9C")
    assert places_met(table, 1) == places | {"discard": unseen}
    say(table, "alone, with partner, with partner, Jo, QC, JH")  # East leads, West and North follow
    assert (table.phase, voids(table)) == (PLAY, {"W": "H"})
    unseen -= {"QC", "JH"}
    met = places_met(table, 1)
    assert met["S"] == met["N"] == met["discard"] == unseen
    assert met["W"] == unseen - named("JD AH QH 9H")
    assert met["widow"] == unseen | {"JH"}


def test_the_maker_knows_widow_and_discard() -> None:
    """They never vary for the maker, and its worlds hold neither elsewhere."""
    table = mixed("standard", "W", "bid 3, pass, pass, pass, trump H, 9C, with partner")
    hands, discards, widows = sample_worlds(view_of(table, 0), 500, 1)
    assert {CARD_TEXT[card] for card in discards} == {"9C"}
    assert {CARD_TEXT[card] for card in widows} == {"9D"}
    assert not (np.bitwise_or.reduce(hands, axis=0) & cards("9C")).any()
    assert not (np.bitwise_or.reduce(hands[:, 1:], axis=0) & cards("9D")).any()
    assert [len(set(hands[:, seat].tolist())) > 400 for seat in range(1, 4)] == [True] * 3


def test_a_void_in_trumps_bars_joker_and_left_bower_but_not_from_the_discard() -> None:
    """Spades are trumps and North, who made them, cannot follow the left bower: North holds no trump
    and may hold any club; East and its left bower tell nothing of clubs. What North put away may be
    any card, a trump among them."""
    hands = {
        "N": "9D TD QD KD AD TC",
        "E": "JC QS KC AC QC 9C",
        "S": "9S TS KS AS JS 9H",
        "W": "Jo JH AH KH QH TH",
    }
    said = "pass, pass, pass, bid 1, trump S, TC, with partner, JC, 9S, Jo, 9D"
    table = table_after("standard", "N", hands, "JD", said)
    assert voids(table) == {"N": "S"}
    unseen = {CARD_TEXT[card] for card in pack()} - {"JC", "9S", "Jo", "9D"}
    unseen -= named("JH AH KH QH TH")
    trumps = {"QS", "TS", "KS", "AS", "JS"}
    met = places_met(table, 3)
    assert met["N"] == unseen - trumps
    assert met["E"] == met["S"] == met["discard"] == unseen
    say(table, "KH, TD, KC, 9H")
    assert voids(table) == {"N": "HS", "E": "H"}
    met = places_met(table, 3)
    left = unseen - {"TD", "KC", "9H"}
    assert met["N"] == left - trumps
    assert met["discard"] == met["S"] == met["E"] == left
    assert {"9D", "TD"} < met["widow"]


# ---- as likely as any other -------------------------------------------------------------------


def surprise(found: list[World], n: int) -> float:
    """How many standard deviations the chi-square of worlds drawn lies from what even chances give."""
    counts = np.unique(np.array(found), axis=0, return_counts=True)[1]
    expected = len(found) / n
    square = ((counts - expected) ** 2).sum() / expected + (n - len(counts)) * expected
    return float((square - (n - 1)) / math.sqrt(2 * (n - 1)))


def even_positions() -> Iterator[tuple[Any, int]]:
    """Positions of all phases with some tens to some thousands of worlds, and a seat."""
    for name, seed, deals in (("mini2", 8, 4), ("one card", 8, 6)):
        for number, table in enumerate(positions(name, seed, deals)):
            yield copy_of(table), number % 4
    for table in late_positions(2):
        for seat in range(4):
            yield table, seat


def test_every_world_is_as_likely_as_any_other() -> None:
    """Drawn many times from one stream, and once from each of many."""
    found, tried, phases = [], 0, set()
    for table, seat in even_positions():
        view = view_of(table, seat)
        n = count_worlds(view)
        if not 20 <= n <= 1000:
            continue
        many = 20 * n
        found.append(surprise(as_worlds(*sample_worlds(view, many, 9 + tried)), n))
        views = np.zeros(many, VIEW)
        views[:] = view
        streams = np.arange(many, dtype=np.uint64)
        hands = np.zeros((many, 1, 4), np.int64)
        discards, widows = np.zeros((2, many, 1), np.int8)
        assert sample_each(views, streams, hands, discards, widows) == -1
        found.append(surprise(as_worlds(hands[:, 0], discards[:, 0], widows[:, 0]), n))
        tried += 1
        phases.add(int(table.phase))
    assert tried > 30
    assert phases >= {AUCTION, NAME_TRUMP, DISCARD, PLAY}
    assert max(found) < 4.5
    assert min(found) > -4.5
    assert abs(np.mean(found)) < 0.5


# ---- for an average, and with a partner's hand shown ------------------------------------------


def laid(view: Any, shown: int, most: int, stream: int) -> tuple[list[World], bool]:
    """The worlds laid for an average, at most so many, and whether there are more ways."""
    hands, (discards, widows) = np.zeros((most, 4), np.int64), np.zeros((2, most), np.int8)
    _, n, are_more = lay_worlds(view, np.int64(shown), np.uint64(stream), hands, discards, widows)
    return as_worlds(hands[:n], discards[:n], widows[:n]), bool(are_more)


def worlds_with(view: Any, shown: int) -> list[World]:
    """All worlds of a view in which the partner holds what it has shown, if anything."""
    found = as_worlds(*numbered_worlds(view, np.arange(count_worlds(view))))
    return [world for world in found if shown in (0, world[(int(view.seat) + 2) % 4])]


def shown_positions() -> Iterator[tuple[Any, int, int]]:
    """Small and late positions, each as it is and with the partner's hand shown: table, seat, shown."""
    for number, (table, seat) in enumerate(even_positions()):
        if table.phase != DEAL_OVER and count_worlds(view_of(table, seat)) <= 2000:
            yield table, seat, 0
            yield table, seat, int(table.hands[(seat + 2) % 4])
            if number % 3 == 0 and table.phase in (NAME_TRUMP, DISCARD):
                yield table, (int(table.maker) + 2) % 4, int(table.hands[table.maker])


def test_each_way_once_where_there_is_room() -> None:
    """No way missing, none twice, none that belies what the partner has shown, the true one among them
    but for the widow; and the first way too many makes it a sample of as many as there is room for."""
    met, shrunk = set(), 0
    for number, (table, seat, shown) in enumerate(shown_positions()):
        view, where = view_of(table, seat), f"seat {seat}, shown {shown}\n{table}"
        possible = worlds_with(view, shown)
        ways = {world[:5] for world in possible}
        for room in (len(ways), len(ways) + 3):
            found, are_more = laid(view, shown, room, number)
            assert not are_more, where
            assert len(found) == len(ways), where
            assert {world[:5] for world in found} == ways, where
            assert set(found) <= set(possible), where
        assert (*table.hands.tolist(), int(table.discard)) in ways
        if len(ways) > 1:
            found, are_more = laid(view, shown, len(ways) - 1, number)
            assert are_more, where
            assert len(found) == len(ways) - 1
            assert set(found) <= set(possible), where
        shrunk += 0 < len(possible) < count_worlds(view)
        met.add((int(table.phase), shown != 0, table.maker == (seat + 2) % 4))
    assert shrunk > 30
    assert met >= {(phase, True, True) for phase in (NAME_TRUMP, DISCARD, PLAY)}
    assert met >= {(phase, True, False) for phase in (AUCTION, NAME_TRUMP, DISCARD, PLAY)}


def test_a_sample_is_even_and_so_is_the_widow() -> None:
    """Half as many as there are ways, drawn many times: every world as likely as any other; and where
    each way comes once, each widow as often as any other."""
    samples, widows = [], []
    for number, (table, seat, shown) in enumerate(shown_positions()):
        view = view_of(table, seat)
        possible = worlds_with(view, shown)
        ways = len({world[:5] for world in possible})
        if not 20 <= len(possible) <= 700 or ways < 2 or number % 2:
            continue
        times = range(40 * len(possible) // ways + 1)
        drawn = [laid(view, shown, ways // 2, (number << 16) + i)[0] for i in times]
        samples.append(surprise(list(itertools.chain(*drawn)), len(possible)))
        if len(possible) > ways:
            drawn = [laid(view, shown, ways, (number << 16) + i)[0] for i in range(1000)]
            first = [worlds[0][5:] for worlds in drawn]
            widows.append(surprise(first, len(possible) // ways))
    assert len(samples) > 30
    assert len(widows) > 10
    for found in (samples, widows):
        assert max(found) < 5
        assert abs(np.mean(found)) < 0.6


@pytest.mark.parametrize("name", ["standard", "house", "five cards"])
def test_a_shown_hand_in_deals_of_many_cards(name: str) -> None:
    """In every phase, for every seat: the worlds are the seat's worlds, its partner's hand is in all of
    them, and they are as many as a count in another way finds."""
    for number, table in enumerate(positions(name, 16, 3)):
        seat = number % 4
        partner, view = (seat + 2) % 4, view_of(table, seat)
        shown = int(table.hands[partner])
        worlds, are_more = laid(view, shown, 20, number)
        open_table = copy_of(table)
        # The seat's own hand, and its partner's as if it had been played: nothing else is unseen.
        unseen = [s for s in range(4) if s not in (seat, partner)]
        left = [len(set_cards(table.hands[s])) for s in unseen]
        assert worlds
        assert are_more == (ways_shown(open_table, seat, partner) > 20)
        for world in worlds:
            assert world[partner] == shown
            assert world[seat] == view.hand
            assert [len(set_cards(world[s])) for s in unseen] == left
            others = reduce(int.__or__, world[:4])
            assert others.bit_count() == sum(len(set_cards(hand)) for hand in table.hands)
            for s in range(4):
                for card in set_cards(world[s]):
                    suit = "CDHS".find(
                        naive_suit(CARD_TEXT[card], "CDHS"[table.trump] if table.trump < 4 else "none")
                    )
                    assert suit < 0 or s == seat or not int(table.voids) >> (4 * s + suit) & 1


def ways_shown(table: Any, seat: int, partner: int) -> int:
    """Ways to lay what neither of two partners holds: those of `deals_by_suits` when the partner's
    cards are played already, but for the widow."""
    taken = table.maker != NOBODY and table.phase != AUCTION
    gone = copy_of(table)
    gone.hands[partner] = 0
    n = deals_by_suits(gone, seat)
    return n // (int(table.hand_size) + 1 if taken and table.maker != seat else 1)


def test_what_cannot_have_been_shown_makes_no_world() -> None:
    """A card of one's own, one that has been played, a card too many; and a view of no deal."""
    done = "bid 3, pass, pass, pass, trump H, 9C, with partner, 9H, KH, JD, QC"
    table = mixed("standard", "W", done)
    view, true = view_of(table, 2), int(table.hands[0])
    lowest = true & -true
    assert laid(view, true, 5, 1)[0]
    for other in ("", "AD", "9H"):
        assert laid(view, true ^ lowest | cards(other), 5, 1) == ([], False)
    assert laid(view, true | cards("KC"), 5, 1) == ([], False)
    view.hand &= view.hand - 1
    assert laid(view, 0, 5, 1) == ([], False)


def test_numbers_drawn_are_the_leading_bits_of_the_product() -> None:
    """For every number of worlds there can be: exactly n times 62 random bits, cut off."""
    rng = random.Random(11)
    largest = 7 * math.factorial(19) // math.factorial(6) ** 3
    for n in [1, 2, 3, 7, 1890, 2**31, largest]:
        for state in [0, 2**64 - 1, *(rng.getrandbits(64) for _ in range(200))]:
            after, number = draw_below(np.uint64(state), n)
            word, z = (state + 0x9E3779B97F4A7C15) % 2**64, 0
            z = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % 2**64
            z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
            assert int(after) == word
            assert int(number) == ((z ^ z >> 31) >> 2) * n >> 62


# ---- from the view and the stream alone -------------------------------------------------------


@pytest.mark.parametrize("name", ["standard", "house", "mini3"])
def test_the_same_view_and_stream_give_the_same_worlds(name: str) -> None:
    """Whatever the others really hold, whatever else stands in the batch."""
    moved = 0
    views = np.zeros(100, VIEW)
    expected = []
    for i, table in enumerate(itertools.islice(positions(name, 12, 20), 100)):
        seat = i % 4
        views[i] = view_of(table, seat)
        drawn = as_worlds(*sample_worlds(view_of(table, seat), 5, 77 + i))
        for world in world_tables(view_of(table, seat), 3, 1000 + i):
            moved += (world.hands != table.hands).any()
            assert as_worlds(*sample_worlds(view_of(world, seat), 5, 77 + i)) == drawn
        expected.append(drawn)
    assert moved > 150
    streams = np.arange(77, 177, dtype=np.uint64)
    hands, (discards, widows) = np.zeros((100, 5, 4), np.int64), np.zeros((2, 100, 5), np.int8)
    assert sample_each(views, streams, hands, discards, widows) == -1
    assert [as_worlds(hands[i], discards[i], widows[i]) for i in range(100)] == expected
    # Each stream has moved on by five draws: what follows is what ten draws would have brought.
    sample_each(views, streams, hands, discards, widows)
    for i in range(100):
        assert as_worlds(*sample_worlds(views[i], 10, 77 + i))[5:] == as_worlds(
            hands[i], discards[i], widows[i]
        )


def test_deals_to_come_are_not_the_true_ones() -> None:
    """A world's table does not carry the true table's key, and no two carry the same."""
    table = next(positions("standard", 13, 1))
    worlds = world_tables(view_of(table, 0), 50, 5)
    assert len({int(key) for key in [*worlds["key"], table.key]}) == 51
    assert (worlds["deals_dealt"] == 0).all()


DIGEST = """
import hashlib, sys
sys.path.insert(0, "tests")
import numpy as np
from random_deals import positions
from hpenv.view import view_of
from hpenv.worlds import count_worlds, numbered_worlds, world_tables
digest = hashlib.sha256()
for name in ("house", "mini3"):
    for number, table in enumerate(positions(name, 14, 1)):
        view = view_of(table, number % 4)
        digest.update(world_tables(view, 3, number).tobytes())
        for array in numbered_worlds(view, [0, count_worlds(view) - 1]):
            digest.update(array.tobytes())
print(digest.hexdigest())
"""


def test_plain_python_draws_the_same_worlds() -> None:
    """With the JIT off and warnings as errors every byte is the same."""

    def digest(jit_off: str) -> str:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", DIGEST],
            cwd=ROOT,
            env={**os.environ, "NUMBA_DISABLE_JIT": jit_off},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert digest("1") == digest("0")


# ---- what is refused --------------------------------------------------------------------------


def test_what_is_no_view_or_no_number_of_worlds_is_refused() -> None:
    """In a sentence; above all a table, which shows what is hidden."""
    table = mixed("standard", "W")
    view = view_of(table, 0)
    for ask in (sample_worlds, world_tables):
        with pytest.raises(TypeError, match="worlds are drawn for a View, not for a Table"):
            ask(table, 1, 0)
        for n in (0, -3, True, 2.0, "4"):
            with pytest.raises(ValueError, match=r"n=.* is not a whole number of worlds from 1 on"):
                ask(view, n, 0)
        with pytest.raises(TypeError, match=r"stream=1.5 is not a whole number"):
            ask(view, 1, 1.5)
    with pytest.raises(TypeError, match="not for a Table"):
        count_worlds(table)
    for numbers in ([-1], [count_worlds(view)], [[0]]):
        with pytest.raises(IndexError, match="numbers: wanted are some of 0 to"):
            numbered_worlds(view, numbers)


def test_a_view_that_no_deal_allows_is_refused() -> None:
    """No cards dealt, a card too few in the hand, or all others void in suits somebody must hold."""
    undealt = view_of(new_tables(1, get_rules("standard"))[0], 0)
    short = view_of(mixed("standard", "W"), 0)
    short.hand &= short.hand - 1
    void = view_of(mixed("standard", "W", "bid 3, pass, pass, pass, trump H, 9C, with partner"), 0)
    void.voids = 0b1000_1000_1000_0000
    for view in (undealt, short, void):
        with pytest.raises(ValueError, match="no deal allows this view"):
            sample_worlds(view, 3, 0)
        with pytest.raises(ValueError, match="no deal allows this view"):
            count_worlds(view)
    views = np.zeros(3, VIEW)
    views[:] = [view_of(mixed("standard", "W"), 0), void, short]
    hands, (discards, widows) = np.zeros((3, 2, 4), np.int64), np.zeros((2, 3, 2), np.int8)
    assert sample_each(views, np.zeros(3, np.uint64), hands, discards, widows) == 1
    assert hands[0].all()
    assert not hands[1:].any()
