"""The engine against the slow oracle: written and random deals, games, tricks, all of small games."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations, permutations, product
from typing import Any

import numba
import numpy as np
import pytest

from hpenv.actions import ACTION_TEXT, PASS
from hpenv.cards import NO_CARD, NO_SUIT, card_text, pack, set_text
from hpenv.notation import deal_from, parse_record, record_of, record_text, replay
from hpenv.rulebook import (
    AUCTION,
    DEAL_OVER,
    DEFENDER_ALONE,
    DISCARD,
    MAKER_ALONE,
    NAME_TRUMP,
    PLAY,
    is_truncated,
    legal_actions,
    new_game,
    next_deal,
    play,
)
from hpenv.rules import PRESETS, Rules
from hpenv.seats import NOBODY
from hpenv.table import TABLE, Table, new_tables
from naive_rules import (
    CARDS,
    SEATS,
    NaiveDeal,
    NaiveGame,
    full_rules,
    suit_followed,
    trick_winner,
)
from naive_rules import pack as naive_pack
from places import HANDS, ROOT

WRITTEN = [
    json.loads(line)
    for path in sorted(HANDS.glob("*.jsonl"))
    if path.stem != "refused"
    for line in path.read_text(encoding="utf-8").splitlines()
]
PHASES = {
    AUCTION: "auction",
    NAME_TRUMP: "trump",
    DISCARD: "discard",
    MAKER_ALONE: "alone",
    DEFENDER_ALONE: "alone",
    PLAY: "play",
    DEAL_OVER: "over",
}
# Every combination of the options that change a deal.
COMBINATIONS = [
    Rules(*choices, hand_size=k)
    for k in range(1, 7)
    for choices in product(
        ("numbers", "pepper"),
        ("tricks_won", "bid"),
        ("redeal", "dealer_bids"),
        (True, False),
        (1, 2),
        (False, True),
    )
]


# ---- a table and the oracle side by side -------------------------------------------------------


def dealt_cards(table: Table) -> tuple[dict[str, list[str]], str]:
    """The cards as they were dealt, in words."""
    record = record_of(table)
    hands = {
        seat: [card_text(card) for card in hand] for seat, hand in zip(SEATS, record.hands, strict=True)
    }
    return hands, card_text(record.widow)


def oracle_for(table: Table) -> NaiveDeal:
    """The oracle with the same deal before it."""
    record = json.loads(record_text(record_of(table)))
    return NaiveDeal(full_rules(record["rules"]), record["dealer"], *dealt_cards(table))


def seats_of(seats: int) -> set[str]:
    """A set of seats in words."""
    seats = int(seats)
    return {seat for s, seat in enumerate(SEATS) if seats >> s & 1}


def at_table(table: Table) -> dict[str, Any]:
    """What there is to know at a table, in words."""
    over, playing = table.phase == DEAL_OVER, table.phase == PLAY
    voids, trick = int(table.voids), table.trick.tolist()
    return {
        "phase": PHASES[table.phase],
        "turn": None if over else SEATS[table.to_act],
        "legal": table.legal_actions(),
        "hands": [set_text(hand) for hand in table.hands],
        "voids": [{suit for i, suit in enumerate("CDHS") if voids >> 4 * s + i & 1} for s in range(4)],
        "passed": seats_of(table.passed),
        "alone": seats_of(table.alone),
        "sitting out": seats_of(table.sitting_out),
        "bidder": None if table.maker == NOBODY else SEATS[table.maker],
        "trump": None if table.trump == NO_SUIT else "CDHS"[table.trump],
        "discard": None if table.discard == NO_CARD else card_text(table.discard),
        "trick": {SEATS[s]: card_text(c) for s, c in enumerate(trick) if playing and c != NO_CARD},
        "leader": SEATS[table.leader] if playing else None,
        "tricks": table.tricks.tolist(),
        "points": table.points.tolist() if over else None,
    }


def at_oracle(oracle: NaiveDeal) -> dict[str, Any]:
    """The same of the oracle."""
    playing = oracle.phase == "play"
    return {
        "phase": oracle.phase,
        "turn": oracle.turn,
        "legal": oracle.legal(),
        "hands": [" ".join(in_order(oracle.hands[seat])) or "-" for seat in SEATS],
        "voids": [oracle.voids[seat] for seat in SEATS],
        "passed": oracle.passed,
        "alone": oracle.alone,
        "sitting out": oracle.sitting_out,
        "bidder": oracle.bidder,
        "trump": oracle.trump,
        "discard": oracle.discard,
        "trick": oracle.trick if playing else {},
        "leader": next(iter(oracle.trick), oracle.turn) if playing else None,
        "tricks": oracle.tricks,
        "points": oracle.points,
    }


def assert_same(table: Table, oracle: NaiveDeal) -> None:
    """Everything there is to know at the table is the same at the oracle's."""
    here, there = at_table(table), at_oracle(oracle)
    differ = {key: (here[key], there[key]) for key in here if here[key] != there[key]}
    assert not differ, f"{differ} in {record_text(record_of(table))}"


def in_order(cards: list[str]) -> list[str]:
    """Cards in the order of their numbers."""
    return sorted(cards, key=CARDS.index)


def choice(table: Table, rng: random.Random) -> int:
    """A random legal action; in the auction a pass half of the time, so that low bids win too."""
    choices = legal_actions(table)
    legal = [action for action in range(len(ACTION_TEXT)) if choices >> action & 1]
    if PASS in legal and rng.random() < 0.5:
        return PASS
    return rng.choice(legal)


# ---- deals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("written", WRITTEN, ids=lambda written: written["name"])
def test_hand_written_deal(written: dict[str, Any]) -> None:
    """Points, tricks and leaders are those worked out by hand; all between is as the oracle has it."""
    record = parse_record(written)
    played = replay(record)
    assert list(played.points or ()) == written["points"]
    assert list(played.tricks) == written["tricks"]
    assert played.leaders == written["leaders"]
    table = deal_from(record)
    oracle = oracle_for(table)
    for at, action in enumerate(record.actions):
        assert_same(table, oracle)
        assert played.turns[at] == oracle.turn
        assert played.legal[at] == oracle.legal()
        table.step(action)
        oracle.do(written["actions"][at])
    assert_same(table, oracle)
    score = written.get("score", [0, 0])
    assert table.score.tolist() == [score[0] + written["points"][0], score[1] + written["points"][1]]


@pytest.mark.parametrize("seed", range(24))
def test_random_deals_under_every_combination_of_options(seed: int) -> None:
    """384 combinations in all, hand sizes 1 to 6, six deals of each: the same at every decision."""
    rng = random.Random(seed)
    for rules in COMBINATIONS[seed::24]:
        for table in new_tables(6, rules, rng.randrange(2**64)):
            new_game(table, NOBODY, 0, 0)
            oracle = oracle_for(table)
            while table.phase != DEAL_OVER:
                assert_same(table, oracle)
                action = choice(table, rng)
                table.step(action)
                oracle.do(ACTION_TEXT[action])
            assert_same(table, oracle)
            assert [SEATS[s] for s in leaders(table)] == oracle.leaders


def leaders(table: Table) -> Iterator[int]:
    """The seats that led to the tricks of a finished deal, from its history."""
    seen = set()
    n = table.history_length
    for seat, action in zip(table.history_seat[:n], table.history[:n], strict=True):
        if action < len(CARDS):
            trick = int(table.played_in[action])
            if trick not in seen:
                yield int(seat)
            seen.add(trick)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("preset", list(PRESETS))
def test_random_games(preset: str, seed: int) -> None:
    """Score, dealer, winner and truncation go with the oracle's from the first deal to the end."""
    rng = random.Random(f"{preset} {seed}")
    options = {"target": rng.choice([1, 3, 5, 10]), "max_deals": rng.choice([1, 2, 5, 8])}
    rules = Rules(**{**PRESETS[preset].differences(), **options})
    table = new_tables(1, rules, seed)[0]
    new_game(table, NOBODY, 0, 0)
    game = NaiveGame(
        full_rules(rules.differences()), SEATS[table.dealer], lambda _number: dealt_cards(table)
    )
    while True:
        assert_same(table, game.deal)
        assert table.score.tolist() == game.score
        assert SEATS[table.dealer] == game.deal.dealer
        assert int(table.deals_played) == game.deals_done
        action = choice(table, rng)
        where = record_text(record_of(table))
        table.step(action)
        over = table.phase == DEAL_OVER
        ended = over and (table.winner != NOBODY or bool(is_truncated(table)))
        score = table.score.tolist()
        if over and not ended:
            next_deal(table)
        game.do(ACTION_TEXT[action])
        assert game.score == score, where
        assert game.is_over == ended, where
        if ended:
            break
    assert game.winner == (None if table.winner == NOBODY else ("NS", "EW")[table.winner])
    assert game.truncated == is_truncated(table)
    assert game.deals_done == table.deals_played


# ---- save and restore -------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_save_and_restore_at_every_decision(seed: int) -> None:
    """A table saved as bytes at any decision of a game and played on ends like the one it was."""
    rng = random.Random(seed)
    rules = Rules(**{**PRESETS[("standard", "house")[seed % 2]].differences(), "max_deals": 4})
    table = new_tables(1, rules, seed)[0]
    new_game(table, NOBODY, 0, 0)
    saved, actions = [], []
    while True:
        saved.append(table.tobytes())
        actions.append(choice(table, rng))
        if not on(table, actions[-1]):
            break
    end = table.tobytes()
    for at in range(0, len(saved), 3):
        restored = np.frombuffer(saved[at], TABLE).copy()[0]
        record = parse_record(record_text(record_of(restored)))
        assert record == record_of(restored)
        assert replay(record).legal == replay(record_of(restored)).legal
        for action in actions[at:]:
            on(restored, action)
        assert restored.tobytes() == end


def on(table: Table, action: int) -> bool:
    """Do an action, and deal again if it ends a deal; False at the end of the game."""
    table.step(action)
    if table.phase == DEAL_OVER:
        if table.winner != NOBODY or is_truncated(table):
            return False
        next_deal(table)
    return True


# ---- tricks -----------------------------------------------------------------------------------

TRUMPS = {
    "C": "Jo JC JS AC KC QC TC 9C",
    "D": "Jo JD JH AD KD QD TD 9D",
    "H": "Jo JH JD AH KH QH TH 9H",
    "S": "Jo JS JC AS KS QS TS 9S",
}


@numba.njit
def trick_winners(table: Any, seats: Any, tricks: Any, winners: Any) -> None:
    """Play each trick, a row of cards, by these seats at the table, and write who is to lead next."""
    for i in range(len(tricks)):
        table.phase = PLAY
        table.tricks_played = 0
        table.cards_in_trick = 0
        table.led_suit = NO_SUIT
        table.to_act = seats[0]
        for j in range(len(seats)):
            if table.to_act != seats[j]:
                winners[i] = -2
                return
            play(table, np.int64(tricks[i, j]))
        winners[i] = table.to_act


def ready_for_tricks(trump: int, sitting_out: str = "") -> Table:
    """A table in the play with this trump and these seats sitting out."""
    table = new_tables(1, Rules())[0]
    new_game(table, 3, 0, 0)
    table.maker, table.bid, table.trump, table.phase = 0, 1, trump, PLAY
    table.sitting_out = sum(1 << SEATS.index(seat) for seat in sitting_out)
    return table


def strengths(trump: str, led: str) -> np.ndarray[Any, Any]:
    """How high each card stands when this suit is led, from the lists above and A K Q J 10 9."""
    order = TRUMPS[trump].split()
    plain = [rank + led for rank in "AKQJT9" if rank + led not in order]
    high_to_low = [*order, *plain]
    return np.array([len(CARDS) - high_to_low.index(c) if c in high_to_low else 0 for c in CARDS])


@pytest.mark.parametrize("trump", "CDHS")
def test_every_ordered_trick_of_four_cards(trump: str) -> None:
    """303,600 tricks for each trump: no later ace beats an earlier ruff, nor anything else."""
    tricks = np.array(list(permutations(range(25), 4)), np.int8)
    assert len(tricks) == 303_600
    found = np.full(len(tricks), -1, np.int64)
    table = ready_for_tricks("CDHS".index(trump))
    trick_winners(table, np.arange(4), tricks, found)
    order = TRUMPS[trump].split()
    led_suits = np.array(["CDHS".index(trump if c in order else c[1]) for c in CARDS])[tricks[:, 0]]
    table_of_strengths = np.array([strengths(trump, led) for led in "CDHS"])
    expected = table_of_strengths[led_suits[:, None], tricks].argmax(axis=1)
    wrong = np.flatnonzero(found != expected)
    assert not len(wrong), [card_text(c) for c in tricks[wrong[0]]]


@pytest.mark.parametrize("trump", "CDHS")
def test_tricks_of_four_cards_against_the_oracle(trump: str) -> None:
    """One in 41 of the same tricks, as the oracle reads its lists."""
    tricks = np.array(list(permutations(range(25), 4))[::41], np.int8)
    found = np.full(len(tricks), -1, np.int64)
    trick_winners(ready_for_tricks("CDHS".index(trump)), np.arange(4), tricks, found)
    for trick, seat in zip(tricks.tolist(), found.tolist(), strict=True):
        cards = [(s, CARDS[card]) for s, card in zip(SEATS, trick, strict=True)]
        assert SEATS[seat] == trick_winner(cards, trump), cards


@pytest.mark.parametrize("trump", "CDHS")
@pytest.mark.parametrize(
    ("seats", "sitting_out"), [("ESW", "N"), ("NEW", "S"), ("WN", "ES"), ("NE", "SW"), ("SE", "NW")]
)
def test_every_ordered_trick_of_loners(trump: str, seats: str, sitting_out: str) -> None:
    """13,800 tricks of three cards, 600 of two: who sits out is passed over, the winner leads next."""
    tricks = np.array(list(permutations(range(25), len(seats))), np.int8)
    found = np.full(len(tricks), -1, np.int64)
    table = ready_for_tricks("CDHS".index(trump), sitting_out)
    trick_winners(table, np.array([SEATS.index(seat) for seat in seats]), tricks, found)
    for trick, seat in zip(tricks.tolist(), found.tolist(), strict=True):
        cards = [(s, CARDS[card]) for s, card in zip(seats, trick, strict=True)]
        assert SEATS[seat] == trick_winner(cards, trump), cards


@pytest.mark.parametrize("trump", "CDHS")
def test_every_lead_and_every_two_cards_held(trump: str) -> None:
    """25 leads x 276 pairs of cards for each trump: what may be played, as the oracle has it."""
    base = ready_for_tricks("CDHS".index(trump))
    base.hands[:] = 0
    base.to_act = 0
    for led in range(25):
        base.hands[0] = 1 << led
        table = base.copy()
        table.step(led)
        suit_led = suit_followed(CARDS[led], trump)
        for pair in combinations([c for c in range(25) if c != led], 2):
            table.hands[1] = sum(1 << c for c in pair)
            follow = [c for c in pair if suit_followed(CARDS[c], trump) == suit_led]
            legal = sum(1 << c for c in follow or pair)
            assert legal_actions(table) == legal, (CARDS[led], [CARDS[c] for c in pair])


@pytest.mark.parametrize("k", range(1, 7))
def test_the_packs(k: int) -> None:
    """The cards of a game of k (R20)."""
    assert [card_text(card) for card in pack(k)] == in_order(naive_pack(k))


# ---- all ways to play a small game ------------------------------------------------------------


def leaves(table: Table) -> int:
    """In how many ways a deal can go on from here."""
    if table.phase == DEAL_OVER:
        return 1
    total, legal = 0, legal_actions(table)
    for action in range(len(ACTION_TEXT)):
        if legal >> action & 1:
            after = table.copy()
            after.step(action)
            total += leaves(after)
    return total


def oracle_leaves(record: dict[str, Any], actions: list[str]) -> int:
    """The same count by the oracle, which starts again for every position."""
    hands = {seat: record["hands"][seat].split() for seat in SEATS}
    oracle = NaiveDeal(full_rules(record["rules"]), record["dealer"], hands, record["widow"])
    for action in actions:
        oracle.do(action)
    if oracle.is_over:
        return 1
    return sum(oracle_leaves(record, [*actions, action]) for action in oracle.legal())


# One card each, by hand: any of four seats may be the maker of bid 1; then 4 trumps x 2 discards x
# 4 ways to answer (with partner; alone and nobody; alone and the left; alone and the right), and the
# cards play themselves: 4 * 32; and four passes. In pepper form there are 14 auctions with a contract:
# big pepper after 0 to 2 passes 3, after a bid of one among 0 to 2 passes 1 + 2 + 3, bid one and three
# passes 3, three passes and either bid 2.
@pytest.mark.parametrize(
    ("changes", "ways"),
    [
        ({}, 4 * 32 + 1),
        ({"all_pass": "dealer_bids"}, 4 * 32),
        ({"alone": False}, 4 * 8 + 1),
        ({"bidding": "pepper"}, 14 * 32 + 1),
    ],
)
def test_every_deal_of_one_card_each(changes: dict[str, Any], ways: int) -> None:
    """As many as counted by hand, and as the oracle counts."""
    rules = Rules(hand_size=1, **changes)
    table = new_tables(1, rules, 1)[0]
    new_game(table, NOBODY, 0, 0)
    assert leaves(table) == ways
    assert oracle_leaves(json.loads(record_text(record_of(table))), []) == ways


@pytest.mark.parametrize("seed", range(3))
def test_every_deal_of_two_cards_each(seed: int) -> None:
    """All ways to go on after an auction of `mini2`, for each maker, counted twice."""
    table = new_tables(1, PRESETS["mini2"], seed)[0]
    new_game(table, seed, 0, 0)
    record = json.loads(record_text(record_of(table)))
    for passes in range(4):
        calls = ["pass"] * passes + ["bid 1"] + ["pass"] * (3 - passes)
        after = replay(parse_record(record | {"actions": calls})).table
        assert (after.phase, after.maker) == (NAME_TRUMP, (seed + 1 + passes) % 4)
        assert leaves(after) == oracle_leaves(record, calls), record_text(record_of(after))


# ---- as plain Python --------------------------------------------------------------------------

TRANSCRIPT = """
import random
import numpy as np
from hpenv.notation import record_of, record_text
from hpenv.rulebook import DEAL_OVER, legal_actions, new_game, next_deal
from hpenv.seats import NOBODY
from hpenv.rules import PRESETS
from hpenv.table import new_tables
for preset, rules in PRESETS.items():
    rng = random.Random(preset)
    for table in new_tables(2, rules, 2**64 - 5):
        new_game(table, NOBODY, 0, 0)
        for _ in range(2):
            while table.phase != DEAL_OVER:
                legal = [a for a in range(39) if legal_actions(table) >> a & 1]
                table.step(rng.choice(legal))
            print(record_text(record_of(table)), table.tobytes().hex())
            next_deal(table)
"""


def test_plain_python_plays_the_same_deals() -> None:
    """With the JIT off and warnings as errors every byte of every table is the same."""

    def transcript(**more: str) -> str:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", TRANSCRIPT],
            cwd=ROOT,
            env={**os.environ, **more},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    compiled = transcript(NUMBA_DISABLE_JIT="0")
    assert len(compiled.splitlines()) == 4 * len(PRESETS)
    assert transcript(NUMBA_DISABLE_JIT="1") == compiled
