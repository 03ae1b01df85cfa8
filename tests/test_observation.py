"""The observation: what is written where, and every place of it lives."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from hpenv.actions import ACTION_TEXT, FACE_DOWN, N_ACTIONS, TRUMP
from hpenv.cards import CARD_TEXT, NO_CARD, SUITS, set_cards
from hpenv.decoder import pieces
from hpenv.observation import (
    HIDDEN_PIECES,
    HIDDEN_SIZE,
    LAYOUT,
    N_TOKENS,
    OBSERVATION_SIZE,
    PIECES,
    STATE_SIZE,
    action_mask,
    history_tokens,
    observe,
    observe_each,
    write_hidden,
)
from hpenv.rulebook import DEAL_OVER, PLAY, do, new_game, next_deal
from hpenv.rules import Rules, get_rules
from hpenv.seats import NOBODY
from hpenv.spec import observation_table
from hpenv.table import HISTORY, new_tables
from hpenv.view import VIEW, see_each, view_of
from naive_rules import trick_winner
from random_deals import RULES, choose, positions, random_actions
from table_talk import red

# ---- what is written where --------------------------------------------------------------------


def test_the_pieces_follow_one_another_and_fill_the_vector() -> None:
    """No gap, no overlap; the sizes as a player counts them."""
    end = 0
    for name, size, meaning in PIECES:
        assert LAYOUT[name] == slice(end, end + size)
        assert meaning
        end += size
    own_cards, seats_cards, tricks_of_cards = 4 * 25, 2 * 4 * 25, 25
    auction, seats, contract = 4 * 7, 8 * 4, 7 + 7 + 4 + 4 + 4 * 4
    switches, counts = 5, 2 + 1 + 2 + 2 + 1 + 1 + 1 + 1 + 1
    assert OBSERVATION_SIZE == end == len(observe(view_of(next(positions("mini2", 0, 1)), 0)))
    assert end == (
        own_cards + seats_cards + auction + seats + contract + switches + tricks_of_cards + counts
    )
    assert HIDDEN_SIZE == sum(size for _, size, _ in HIDDEN_PIECES) == 5 * 25
    assert STATE_SIZE == OBSERVATION_SIZE + HIDDEN_SIZE


def test_the_printed_table_names_every_piece_and_place() -> None:
    """The table of the documents covers 0 to F - 1 without a gap."""
    rows = [line.strip("| ").split(" | ") for line in observation_table().splitlines()[2:]]
    assert [(row[1], row[3]) for row in rows] == [(f"`{name}`", text) for name, _, text in PIECES]
    places = [int(end) for row in rows for end in (row[0].split("-") * 2)[:2]]
    assert places[0] == 0
    assert places[-1] == OBSERVATION_SIZE - 1
    assert all(after == before + 1 for before, after in zip(places[1::2], places[2::2], strict=False))
    spans = zip(places[::2], places[1::2], strict=True)
    assert [int(row[2]) for row in rows] == [last - first + 1 for first, last in spans]


LONE_NORTH = "pass, pass, bid 2, pass, trump H, TS, alone, with partner, with partner, QH, 9D, JH"


def cards_in(row: Any) -> str:
    """The cards lit in a piece, as text."""
    return " ".join(CARD_TEXT[card] for card in np.flatnonzero(row))


def test_an_observation_read_piece_by_piece() -> None:
    """West, right of the lone maker North, waits: every piece against the table's story."""
    table = red("house", "E", LONE_NORTH, score=(3, -2))
    piece = {name: row.tolist() for name, row in pieces(observe(view_of(table, 3))).items()}
    seats = {"self": [1, 0, 0, 0], "left": [0, 1, 0, 0], "partner": [0, 0, 1, 0], "right": [0, 0, 0, 1]}
    nobody, all_but_left = [0, 0, 0, 0], [1, 0, 1, 1]
    assert cards_in(piece["hand"]) == "JC TD JS QS KS"
    assert cards_in(piece["takes"]) == cards_in(piece["widow"]) == cards_in(piece["discard"]) == ""
    assert cards_in(np.reshape(piece["trick"], (4, 25)).any(0)) == ""
    played = np.reshape(piece["played"], (4, 25))
    assert [cards_in(row) for row in played] == ["9D", "JH", "QH", ""]
    assert np.reshape(piece["bids"], (4, 7)).tolist() == [[0] * 7, [0, 1] + [0] * 5, [0] * 7, [0] * 7]
    assert piece["passed"] == all_but_left
    assert piece["maker"] == piece["alone"] == piece["leader"] == piece["to_act"] == seats["left"]
    assert piece["dealer"] == seats["partner"]
    assert piece["sitting_out"] == seats["right"]
    assert piece["winning_seat"] == nobody
    assert piece["standing_bid"] == [0, 1, 0, 0, 0, 0, 0]
    assert piece["phase"] == [0, 0, 0, 0, 0, 1, 0]
    assert piece["trump"] == [0, 0, 1, 0]
    assert piece["led_suit"] == nobody
    assert np.reshape(piece["voids"], (4, 4)).tolist() == [[0, 0, 1, 0], nobody, nobody, nobody]
    switches = ("pepper", "bid_penalty", "dealer_must_bid", "alone_allowed", "defenders_score")
    assert [piece[name] for name in switches] == [[1]] * 5
    assert {CARD_TEXT[card]: trick for card, trick in enumerate(piece["played_in"]) if trick} == {
        "9D": 1,
        "JH": 1,
        "QH": 1,
    }
    assert (piece["tricks"], piece["tricks_played"]) == ([0, 1], [1])
    assert (piece["score"], piece["points"], piece["deals_played"]) == ([-2, 3], [0, 0], [0])
    numbers = ("hand_size", "alone_factor", "target", "max_deals")
    assert [piece[name] for name in numbers] == [[6], [2], [10], [100]]


def test_the_hidden_part_is_what_the_others_hold() -> None:
    """Left, partner, right, the widow as dealt, the secret discard: placed by hand."""
    actions = "pass, pass, pass, bid 1, trump S, 9D, with partner, AC"
    table = red("standard", "W", actions)
    held = {
        "N": "Jo JH AH KH AS",
        "E": "QH TH 9C TC KD 9S",
        "S": "JD 9H QC KC QD AD",
        "W": "JC TD JS QS KS TS",
    }
    for seat in range(4):
        others = [held["NESW"[(seat + r) % 4]] for r in (1, 2, 3)]
        expected = np.zeros((5, 25), np.int8)
        for row, cards in enumerate([*others, "TS", "9D"]):
            for card in cards.split():
                expected[row, CARD_TEXT.index(card)] = 1
        out = np.full(HIDDEN_SIZE, 9, np.int8)
        write_hidden(table, seat, 0, out)
        assert out.tolist() == expected.ravel().tolist()


@pytest.mark.parametrize("name", RULES)
def test_takes_are_the_cards_that_would_be_winning(name: str) -> None:
    """Against the slow rules: of the legal cards those that beat what lies (R13); all when leading."""
    asked = 0
    for table in positions(name, 1, 8):
        if table.phase != PLAY:
            assert not pieces(observe(view_of(table, max(table.to_act, 0))))["takes"].any()
            continue
        view, seat = view_of(table, table.to_act), int(table.to_act)
        lying = [(s % 4, int(table.trick[s % 4])) for s in range(table.leader, table.leader + 4)]
        lying = [(s, card) for s, card in lying if card != NO_CARD]
        expected = []
        for card in set_cards(view.legal):
            trick = [("NESW"[s], CARD_TEXT[c]) for s, c in [*lying, (seat, card)]]
            if trick_winner(trick, SUITS[table.trump]) == "NESW"[seat]:
                expected.append(card)
        asked += bool(lying)
        assert np.flatnonzero(pieces(observe(view))["takes"]).tolist() == expected, str(table)
    assert asked


def test_scores_and_counts_are_cut_to_a_hundred() -> None:
    """They must fit one byte; within the cut they are exact."""
    table = new_tables(1, Rules(target=1000, max_deals=10_000))[0]
    cuts = {-40_000: -100, -101: -100, -100: -100, -7: -7, 99: 99, 100: 100, 999: 100}
    for score, cut in cuts.items():
        new_game(table, 0, score, -score)
        assert table.score.tolist() == [score, -score]
        table.deals_played = min(abs(score), 10_000)
        for dtype in (np.int8, np.float32):
            piece = pieces(observe(view_of(table, 0), dtype))
            assert piece["score"].tolist() == [cut, -cut]
            assert piece["deals_played"] == abs(cut)
            assert (piece["target"], piece["max_deals"]) == (100, 100)


@pytest.mark.parametrize("name", RULES)
def test_the_tokens_are_the_deal_as_the_seat_saw_it(name: str) -> None:
    """Every action in order with its relative seat; the discard face down for all but its maker."""
    rng = random.Random(f"tokens {name}")
    table = new_tables(1, get_rules(RULES[name]), 5)[0]
    new_game(table, NOBODY, 0, 0)
    for _ in range(8):
        done: list[tuple[int, int]] = []
        while table.phase != DEAL_OVER:
            discarding = "trump" in ACTION_TEXT[done[-1][1]] if done else False
            action = choose(table, rng)
            done.append((int(table.to_act), action))
            table.step(action)
            face_down = len(done) - 1 if discarding else face_down_at(done)
            for seat in range(4):
                expected = [
                    ((who - seat) % 4, FACE_DOWN if i == face_down and who != seat else what)
                    for i, (who, what) in enumerate(done)
                ]
                tokens = history_tokens(view_of(table, seat))
                assert tokens.max() < N_TOKENS
                assert [((t - 1) % 4, (t - 1) // 4) for t in tokens.tolist() if t] == expected
                assert not tokens[len(done) :].any()
                assert len(tokens) == HISTORY
        next_deal(table)


def face_down_at(done: list[tuple[int, int]]) -> int:
    """Where in the deal the discard was made: just after a trump was named."""
    trumps = [i for i, (_, action) in enumerate(done) if TRUMP <= action < TRUMP + 4]
    return trumps[0] + 1 if trumps else -1


# ---- every place lives ------------------------------------------------------------------------


def mixed_rules(i: int) -> Rules:
    """Rules number i of a mixture of all options; targets and caps run through 1, 2, 3, ..."""
    return Rules(
        bidding=("numbers", "pepper")[i % 2],
        set_penalty=("tricks_won", "bid")[i // 2 % 2],
        all_pass=("redeal", "dealer_bids")[i // 4 % 2],
        alone=i % 5 > 0,
        alone_factor=(1, 2)[i % 3 % 2],
        defenders_score=i % 7 > 3,
        target=i // 2 + 1 if i % 2 else 1000,
        max_deals=i // 2 + 1 if i % 2 else 10_000,
        hand_size=(6, 6, 6, 5, 6, 4, 6, 3, 2, 6, 1)[i % 11],
    )


def test_every_place_takes_every_value_it_claims() -> None:
    """Over 10,000 deals under a mixture of rules, seen from any seat, at any time."""
    rng = np.random.default_rng(8)
    tables = new_tables(300, [mixed_rules(i) for i in range(300)], 8)
    views, orders = np.zeros(300, VIEW), np.zeros(300, np.int64)
    observations = np.zeros((300, OBSERVATION_SIZE), np.int8)
    masks, columns = np.zeros((300, N_ACTIONS), np.int8), np.arange(OBSERVATION_SIZE)
    seen = np.zeros((OBSERVATION_SIZE, 256), bool)
    tables["phase"], tables["winner"], deals = DEAL_OVER, 0, 0
    while deals < 10_000:
        for i in np.flatnonzero(tables["phase"] == DEAL_OVER):
            table, deals = tables[i], deals + 1
            if table.winner == NOBODY:
                next_deal(table)
                continue
            new_game(table, NOBODY, *rng.integers(-120, min(120, table.target), 2))
            table.deals_played = rng.integers(120)
        see_each(tables, tables["to_act"].astype(np.int64), views)
        observe_each(views, False, observations, masks, orders)
        assert masks.any(axis=1).all()
        seen[columns, observations.astype(np.int64) + 128] = True
        for table, action in zip(tables, random_actions(masks, rng).tolist(), strict=True):
            do(table, action)
        see_each(tables, rng.integers(0, 4, len(tables)), views)
        observe_each(views, False, observations, masks, orders)
        seen[columns, observations.astype(np.int64) + 128] = True
    for name, _, _ in PIECES:
        for place in range(LAYOUT[name].start, LAYOUT[name].stop):
            values = set((np.flatnonzero(seen[place]) - 128).tolist())
            if name == "points":  # made, set, doubled, lone and doubled again; defenders' tricks
                assert {*range(-6, 7), -24, -12, -8, 8} <= values <= set(range(-24, 25)), place
            else:
                assert values == CLAIMED.get(name, {0, 1}), f"{name}, place {place}"


CLAIMED: dict[str, set[int]] = {
    "played_in": set(range(7)),
    "tricks": set(range(7)),
    "tricks_played": set(range(7)),
    "score": set(range(-100, 101)),
    "deals_played": set(range(101)),
    "hand_size": set(range(1, 7)),
    "alone_factor": {1, 2},
    "target": set(range(1, 101)),
    "max_deals": set(range(1, 101)),
}


def test_what_is_no_view_is_refused() -> None:
    """In a sentence, before anything compiles; a table shows what is hidden."""
    table = new_tables(1)[0]
    for ask, what in (
        (observe, "an observation"),
        (action_mask, "a mask"),
        (history_tokens, "a token history"),
    ):
        for thing in (table, None, np.zeros(1, VIEW)):
            with pytest.raises(TypeError, match=f"^{what} is made from a View, not from a"):
                ask(thing)
    with pytest.raises(ValueError, match="dtype='int64': an observation is int8 or float32"):
        observe(view_of(table, 0), "int64")
