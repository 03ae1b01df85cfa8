"""Worlds: exactly the deals that the rules allow a seat to think of."""

from __future__ import annotations

import copy
import itertools
import json
import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from functools import reduce
from typing import Any

import numpy as np
import pytest

import naive_rules
from hpenv.cards import CARD_TEXT, NO_CARD, parse_card, set_cards
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
from hpenv.worlds import count_worlds, numbered_worlds, sample_each, sample_worlds, world_tables
from naive_rules import SEATS, NaiveDeal, RuleBroken
from random_deals import RULES, copy_of, positions
from table_talk import mixed, say
from world_counts import World, as_worlds, cards, deals_by_suits, late_positions

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


# ---- what is refused --------------------------------------------------------------------------


def test_what_is_no_view_or_no_number_of_worlds_is_refused() -> None:
    """In a sentence; above all a table, which shows what is hidden."""
    table = mixed("standard", "W")
    view = view_of(table, 0)
    for ask in (sample_worlds, world_tables):
        with pytest.raises(TypeError, match="worlds are drawn for a View, not for a Table"):
            ask(table, 1, 0)
        for n in (0, -3, True, 2.0, "4"):
            kind = ValueError if n in (0, -3) else TypeError
            with pytest.raises(kind, match=f"n={n!r} is not a whole number"):
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
