"""The engine and the slow oracle side by side: written and random deals, games, saved positions."""

import json
import random
from collections.abc import Iterator
from itertools import product
from typing import Any

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
)
from hpenv.rules import PRESETS, Rules
from hpenv.seats import NOBODY
from hpenv.table import TABLE, Table, new_tables
from naive_rules import CARDS, SEATS, NaiveDeal, NaiveGame, full_rules
from naive_rules import pack as naive_pack
from places import HANDS
from plain_python import said_compiled_and_plain

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


@pytest.mark.parametrize("k", range(1, 7))
def test_the_packs(k: int) -> None:
    """The cards of a game of k (R20)."""
    assert [card_text(card) for card in pack(k)] == in_order(naive_pack(k))


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
    """With the JIT off every byte of every table is the same."""
    compiled, plain = said_compiled_and_plain(TRANSCRIPT)
    assert len(compiled.splitlines()) == 4 * len(PRESETS)
    assert plain == compiled
