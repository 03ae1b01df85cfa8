"""What a seat may know: nothing hidden reaches a view, and nothing seen is forgotten."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numba.core.errors import TypingError

from hpenv.actions import FACE_DOWN, N_ACTIONS, TRUMP
from hpenv.batch import Batch
from hpenv.cards import ALL_CARDS, CARD_TEXT, NO_CARD, card_set, pack, parse_card, set_cards
from hpenv.compiled import kernel
from hpenv.decoder import pieces
from hpenv.observation import action_mask, history_tokens, observe, write_observation
from hpenv.rulebook import (
    AUCTION,
    DEAL_OVER,
    DEFENDER_ALONE,
    DISCARD,
    MAKER_ALONE,
    N_PHASES,
    NAME_TRUMP,
    PLAY,
    deal,
    legal_actions,
    new_game,
)
from hpenv.rules import get_rules
from hpenv.seats import NOBODY
from hpenv.suits import suit_order
from hpenv.table import HIDDEN, PUBLIC, TABLE, new_tables
from hpenv.view import OWN, PUBLIC_BYTES, VIEW, public_part, see, see_each, view_of
from random_deals import RULES, copy_of, positions
from table_talk import RED, red, say

TRUMPS = range(TRUMP, TRUMP + 4)


# ---- the shape of the records -----------------------------------------------------------------


def test_the_public_part_comes_first_in_table_and_view() -> None:
    """Both records begin with PUBLIC at the same offsets; then come the secrets."""
    offset = 0
    for field in PUBLIC:
        name, size = field[0], np.dtype([field]).itemsize
        assert TABLE.fields[name] == VIEW.fields[name]
        assert TABLE.fields[name][1] == offset
        offset += size
    assert offset == PUBLIC_BYTES
    assert TABLE.names[len(PUBLIC) :] == tuple(field[0] for field in HIDDEN)
    assert VIEW.names[len(PUBLIC) :] == ("hand", "legal", "seat", "widow", "discard")
    assert TABLE.itemsize == PUBLIC_BYTES + np.dtype(HIDDEN).itemsize
    assert VIEW.itemsize == PUBLIC_BYTES + np.dtype(OWN).itemsize


def test_the_ways_to_see_agree() -> None:
    """One seat, many tables, and the plain Python of `see` write the same bytes."""
    for table in positions("pepper", 1, 6):
        tables = np.array([copy_of(table)] * 4)
        many = np.zeros(4, VIEW)
        see_each(tables.view(TABLE), np.arange(4), many)
        for seat in range(4):
            view = view_of(table, seat)
            assert view.tobytes() == many[seat].tobytes()
            plain: Any = np.zeros(1, VIEW)[0]
            getattr(see, "py_func", see)(table, seat, plain)
            assert view.tobytes() == plain.tobytes()
            assert view.tobytes()[:PUBLIC_BYTES] == table.tobytes()[:PUBLIC_BYTES]


# ---- nothing hidden reaches a view ------------------------------------------------------------


def redeal_hidden(table: Any, seat: int, rng: random.Random) -> Any:
    """Another table that `seat` cannot tell from this one: every card it may not see changes places,
    with no regard to anything but how many cards lie where."""
    other = copy_of(table)
    is_maker = table.maker == seat and table.phase != AUCTION
    taken = table.maker != NOBODY and table.phase != AUCTION
    places = [("hand", s) for s in range(4) for _ in set_cards(table.hands[s]) if s != seat]
    cards = [card for s in range(4) for card in set_cards(table.hands[s]) if s != seat]
    if not taken:
        places.append(("widow", 0))
        cards.append(int(table.widow))
    if table.discard != NO_CARD and not is_maker:
        places.append(("discard", 0))
        cards.append(int(table.discard))
    rng.shuffle(cards)
    for s in range(4):
        if s != seat:
            other.hands[s] = 0
    for (place, s), card in zip(places, cards, strict=True):
        if place == "hand":
            other.hands[s] |= 1 << card
        else:
            other[place] = card
    if taken and not is_maker:  # where the taken widow went, only the maker knows
        other.widow = rng.choice(pack(table.hand_size))
    rng.shuffle(other.pack)
    other.key = rng.getrandbits(64)
    other.deals_dealt = rng.getrandbits(40)
    return other


def everything_shown(view: Any) -> dict[str, Any]:
    """All that leaves the package about a view."""
    relabelled = np.zeros_like(observe(view))
    write_observation(view, suit_order(view), relabelled)
    return {
        "view": view.tobytes(),
        "observation": observe(view).tobytes(),
        "float observation": observe(view, np.float32).tobytes(),
        "relabelled observation": relabelled.tobytes(),
        "mask": action_mask(view).tobytes(),
        "tokens": history_tokens(view).tobytes(),
        "text": str(view),
        "repr": repr(view),
    }


def observed_by(batches: list[Batch], table: Any, seat: int) -> list[bytes]:
    """What batches of one table show a seat of it: they observe the table itself, not a view."""
    for batch in batches:
        batch.tables[0] = table
    return [batch.observe_seats([seat])[0].tobytes() for batch in batches]


@pytest.mark.parametrize("name", RULES)
def test_changing_only_hidden_cards_changes_nothing_that_is_shown(name: str) -> None:
    """In every phase, for every seat, acting or not."""
    rng = random.Random(f"redeal {name}")
    rules = get_rules(RULES[name])
    batches = [Batch(1, rules), Batch(1, rules, suits="canonical", dtype=np.float32)]
    phases, changed, moved = set(), 0, np.zeros(4, bool)
    for table in positions(name, 2, 14 if name == "one card" else 4):
        phases.add(int(table.phase))
        for seat in range(4):
            shown = everything_shown(view_of(table, seat))
            observed = observed_by(batches, table, seat)
            assert observed[0] == shown["observation"]
            other = redeal_hidden(table, seat, rng)
            moved |= other.hands != table.hands
            changed += other.widow != table.widow or other.discard != table.discard
            assert everything_shown(view_of(other, seat)) == shown, f"seat {seat} of\n{table}\n{other}"
            assert observed_by(batches, other, seat) == observed, f"seat {seat} of\n{table}\n{other}"
    asked = {MAKER_ALONE, DEFENDER_ALONE} if get_rules(RULES[name]).alone else set()
    assert phases == {AUCTION, NAME_TRUMP, DISCARD, PLAY, DEAL_OVER} | asked
    assert moved.all()
    assert changed


@kernel
def first_hand(public: Any) -> Any:
    """North's hand."""
    return public.hands[0]


def test_the_public_part_of_a_table_has_no_hidden_field() -> None:
    """It lies in the table itself, and a kernel that reads a hidden field of it does not compile."""
    tables = new_tables(3, get_rules("standard"))
    public = public_part(tables)
    assert set(public.dtype.names) <= {field[0] for field in PUBLIC}
    tables["score"] = [[1, 2], [3, 4], [5, 6]]
    assert public[2].score.tolist() == [5, 6]
    assert first_hand(tables[0]) == 0
    with pytest.raises((KeyError, TypingError), match="hands"):
        first_hand(public[0])


@pytest.mark.parametrize("name", RULES)
def test_the_discard_is_nowhere_but_with_its_maker(name: str) -> None:
    """No other seat's view, numbers, tokens or text has it in any place where a card can stand (R8)."""
    found = 0
    for table in positions(name, 3, 6):
        if table.discard == NO_CARD:
            continue
        found += 1
        card, k = int(table.discard), int(table.history_length)
        for seat in range(4):
            view = view_of(table, seat)
            tokens = {(token - 1) // 4 for token in history_tokens(view).tolist() if token}
            lit = cards_shown(observe(view)) | cards_shown(observe(view, np.float32))
            text = re.search(rf"\b{CARD_TEXT[card]}\b", str(view))
            if seat == table.maker:
                assert (view.discard, view.widow) == (card, table.widow)
                assert card in tokens
                assert FACE_DOWN not in tokens
                assert card in lit
                assert text
                continue
            assert (view.discard, view.widow) == (NO_CARD, NO_CARD)
            assert card not in view.history[:k].tolist()
            assert FACE_DOWN in tokens
            assert card not in tokens
            assert card not in lit
            assert text is None
            assert not (view.hand | view.legal | np.bitwise_or.reduce(view.played)) >> card & 1
            assert view.played_in[card] == 0
            assert action_mask(view)[card] == 0
    assert found > 50 or get_rules(RULES[name]).hand_size < 4
    assert found > 5


def cards_shown(observation: Any) -> set[int]:
    """Every card that any piece of an observation speaks of."""
    piece = pieces(observation)
    rows = [piece[name].reshape(-1, 25) for name in ("hand", "takes", "widow", "discard", "trick")]
    rows += [piece["played"].reshape(-1, 25), piece["played_in"].reshape(-1, 25)]
    return {int(card) for row in rows for card in np.nonzero(row)[1]}


# ---- what each seat does see ------------------------------------------------------------------


@pytest.mark.parametrize("name", RULES)
def test_only_the_seat_to_act_has_legal_actions(name: str) -> None:
    """All other masks are zero: of waiting, sitting-out and finished seats."""
    for table in positions(name, 4, 6):
        for seat in range(4):
            view = view_of(table, seat)
            acting = seat == table.to_act
            assert view.legal == (legal_actions(table) if acting else 0)
            assert action_mask(view).any() == acting
            assert action_mask(view).tolist() == [int(view.legal) >> a & 1 for a in range(N_ACTIONS)]
            assert view.seat == seat
            assert view.hand == table.hands[seat]
            if table.sitting_out >> seat & 1:
                assert not acting


def test_the_maker_sees_widow_and_discard_once_they_are_its_own() -> None:
    """North stands highest during the auction but sees the widow only when it is taken (R8)."""
    table = red("standard", "W")
    holds = card_set(parse_card(card) for card in RED["N"].split())
    secrets = []
    for action in [
        "bid 3",
        "pass",
        "pass",
        "pass",
        "trump H",
        "AC",
        "with partner",
        "Jo",
        "TH",
        "9H",
        "9D",
    ]:
        secrets.append(secret_text(table))
        say(table, action)
    nothing, took, discarded = "", "N took TS", "N took TS and discarded AC"
    assert secrets == [*[nothing] * 4, took, took, *[discarded] * 5]
    assert secret_text(table) == discarded
    in_hand = holds | 1 << parse_card("TS")
    assert view_of(table, 0).hand == in_hand & ~(1 << parse_card("AC") | 1 << parse_card("Jo"))
    assert [int(view_of(table, seat).played[0]) for seat in range(4)] == [1 << parse_card("Jo")] * 4


def secret_text(table: Any) -> str:
    """Which widow and discard the four views show."""
    found = []
    for seat in range(4):
        view = view_of(table, seat)
        if view.widow != NO_CARD:
            found.append(f"{'NESW'[seat]} took {CARD_TEXT[view.widow]}")
        if view.discard != NO_CARD:
            found.append(f"discarded {CARD_TEXT[view.discard]}")
    return " and ".join(found)


def test_between_them_the_seats_hold_the_pack() -> None:
    """What is held, played, discarded and face down is each card once."""
    for table in positions("house", 5, 6):
        views = [view_of(table, seat) for seat in range(4)]
        held = [int(view.hand) for view in views] + [int(cards) for cards in views[0].played]
        taken = table.maker != NOBODY and table.phase != AUCTION
        last = table.discard if taken else table.widow
        if last != NO_CARD:
            held.append(1 << int(last))
        assert sum(held) == np.bitwise_or.reduce(held) == ALL_CARDS


# ---- nothing seen is forgotten ----------------------------------------------------------------


def all_lines(table: Any, done: list[tuple[int, int]]) -> Iterator[tuple[Any, list[tuple[int, int]]]]:
    """Every position that can come of this one, with what was done by whom to get there."""
    yield table, done
    legal = legal_actions(table)
    for action in range(N_ACTIONS):
        if legal >> action & 1:
            after = copy_of(table)
            after.step(action)
            yield from all_lines(after, [*done, (int(table.to_act), action)])


def seen_by(seat: int, table: Any, first_hand: int, done: list[tuple[int, int]]) -> Any:
    """What a player at `seat` witnessed, told by a bystander who saw everything: the cards dealt to it,
    the widow if it took it, and who did what; the action after a trump is named is the discard."""
    took = int(table.widow) if table.maker == seat and table.phase != AUCTION else None
    before = [None, *(action for _, action in done)]
    acts = [
        (who, "face down" if last in TRUMPS and who != seat else action)
        for (who, action), last in zip(done, before, strict=False)
    ]
    return seat, first_hand, took, tuple(acts)


def test_two_stories_that_differ_for_a_seat_give_it_different_views() -> None:
    """Every line of play of some deals with one card each, in pepper form: perfect recall. And what a
    seat cannot tell apart gives it the same view."""
    story_of: dict[bytes, Any] = {}
    view_of_story: dict[Any, bytes] = {}
    rng = random.Random(6)
    for _ in range(4):
        table = new_tables(1, get_rules(RULES["one card"]))[0]
        new_game(table, 0, 0, 0)
        cards = pack(1)
        rng.shuffle(cards)
        table.pack[:5] = cards
        deal(table)
        first = [int(hand) for hand in table.hands]
        for position, done in all_lines(table, []):
            for seat in range(4):
                view = view_of(position, seat)
                story = seen_by(seat, position, first[seat], done)
                shown = view.tobytes()
                assert story_of.setdefault(shown, story) == story
                assert view_of_story.setdefault(story, shown) == shown
    assert len(story_of) > 10_000
    assert set(range(N_PHASES)) == {int(np.frombuffer(shown, VIEW)[0]["phase"]) for shown in story_of}
