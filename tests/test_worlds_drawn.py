"""Worlds drawn at random: hidden cards vary and voids hold, each world is as likely as any other, and
nothing but the view and the stream decides."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import numpy as np
import pytest

from hpenv.cards import CARD_TEXT, NO_CARD, card_set, pack, set_cards
from hpenv.rulebook import AUCTION, DISCARD, NAME_TRUMP, PLAY
from hpenv.view import VIEW, view_of
from hpenv.worlds import count_worlds, draw_below, sample_each, sample_worlds, world_tables
from naive_rules import SEATS
from plain_python import said_compiled_and_plain
from random_deals import positions
from table_talk import mixed, say, table_after, voids
from world_counts import as_worlds, cards, even_positions, named, surprise

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
import hashlib
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
    """With the JIT off every byte is the same."""
    compiled, plain = said_compiled_and_plain(DIGEST)
    assert len(compiled.strip()) == 64
    assert plain == compiled
