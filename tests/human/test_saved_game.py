"""A game saved and read back; forged and damaged files."""

from __future__ import annotations

import json
import os
import random
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hpenv.actions import PASS
from hpenv.agents.human.saved_game import as_json, from_json, save
from hpenv.cards import CARD_TEXT
from hpenv.notation import record_text, replay
from hpenv.rules import Rules
from human_games import RULES, choose, error_of, new, resume, step


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", RULES)
def test_saved_and_resumed_at_every_step_the_game_is_the_same(
    name: str, seed: int, tmp_path: Path
) -> None:
    seat, file, practice = seed % 4, tmp_path / "game.json", seed == 1
    whole, broken = (new(name, seed, seat, practice=practice) for _ in range(2))
    rngs = [random.Random(seed) for _ in range(2)]
    while not whole.is_over:
        save(broken, file)
        broken = resume(file)
        assert broken._table.tobytes() == whole._table.tobytes()
        assert broken.view.tobytes() == whole.view.tobytes()
        for game, rng in zip((whole, broken), rngs, strict=True):
            if practice and rng.random() < 0.3:
                with suppress(ValueError):  # nothing to take back yet
                    game.undo()
            else:
                step(game, rng)
    assert broken.is_over
    assert as_json(whole) == as_json(broken)
    assert [record_text(r) for r in whole.records] == [record_text(r) for r in broken.records]


@pytest.mark.parametrize("seed", range(4))
def test_a_game_saved_at_an_agents_turn_goes_on_as_it_would_have(seed: int) -> None:
    game, rng = new("standard", seed), random.Random(seed)
    snapshots: list[dict[str, Any]] = []
    game.watch = lambda event: snapshots.append(as_json(game))
    for _ in range(12):
        snapshots.clear()
        (game.next_deal if game.deal_is_over else lambda: game.do(choose(game, rng)))()
        for snapshot in snapshots:
            assert as_json(from_json(json.loads(json.dumps(snapshot)))) == as_json(game)
        if game.is_over:
            break


def test_a_crash_while_saving_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, file = new("standard", 1), tmp_path / "game.json"
    save(game, file)
    before = file.read_bytes()
    game.do(PASS)

    def crash(number: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", crash)
    with pytest.raises(OSError, match="no space"):
        save(game, file)
    assert file.read_bytes() == before
    resume(file)


def saved(**changes: Any) -> dict[str, Any]:
    """A sound saved game, some keys changed."""
    return as_json(new("standard", 1, agents="rule_based")) | changes


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"format": 2}, "format 2, but this program reads format 1"),
        ({"format": "1"}, "format is '1'"),
        ({"format": True}, "format"),
        ({"rules": "nope"}, "no preset 'nope'"),
        ({"rules": {"hand_size": 9}}, "hand_size=9"),
        ({"rules": 3}, "neither a preset's name"),
        ({"seed": "1"}, "seed is '1'"),
        ({"seed": -5}, "seed: -5"),
        ({"seat": "X"}, "seat is 'X'"),
        ({"seat": "NE"}, "seat is 'NE'"),
        ({"seat": "N"}, "agents are not named"),
        ({"agents": {"N": "uniform", "E": "uniform"}}, "agents are not named"),
        ({"agents": {"N": "uniform", "E": "uniform", "W": 3}}, "agents are not named"),
        ({"agents": {"N": "uniform", "E": "uniform", "W": "os.system"}}, "no agent 'os.system'"),
        ({"practice": 1}, "practice is 1"),
        ({"hands": {"N": "Jo JH"}}, "'hands' is no part of a saved game"),
        ({"table": "..."}, "'table' is no part of a saved game"),
        ({"streams": [1, 2, 3, 4]}, "'streams' is no part of a saved game"),
        ({"deals": []}, "deals is not"),
        ({"deals": ["pass"]}, "deals is not"),
        ({"deals": [[25]]}, "deals is not"),
        ({"deals": [["open"]]}, "deal 1, action 1, 'open': no such action"),
        ({"deals": [["face down"]]}, "no such action"),
        ({"deals": [["bid 7"]]}, "no such action"),
        ({"deals": [["big pepper"]]}, "'big pepper': not legal there (R7)"),
        ({"deals": [["bid 3", "bid 3"]]}, "deal 1, action 2, 'bid 3': not legal there (R5)"),
        ({"deals": [["trump H"]]}, "not legal there (R8)"),
        ({"deals": [["AS"]]}, "not legal there (R5)"),
        ({"deals": [["bid 6", "trump H", *["AS", "AH", "AD"]]]}, "not legal there (R8)"),
        ({"deals": [["pass"], []]}, "deal 1 is not over, and deal 2 follows"),
        ({"deals": [["pass"] * 4, ["pass"] * 5]}, "deal 2, action 5, 'pass': not legal there (over)"),
        ({"rules": {"max_deals": 1}, "deals": [["pass"] * 4, []]}, "the game is over after deal 1"),
    ],
)
def test_a_forged_save_is_an_error_that_names_the_file(
    changes: dict[str, Any], says: str, tmp_path: Path
) -> None:
    file = tmp_path / "game.json"
    file.write_text(json.dumps(saved()))
    resume(file)
    file.write_text(json.dumps(saved(**changes)))
    with pytest.raises(ValueError, match=re.escape(says)) as caught:
        resume(file)
    assert str(caught.value).startswith(f"{file}: not a saved game, or damaged: ")
    assert "\n" not in str(caught.value)


def test_the_error_for_a_forged_card_names_no_other_card(tmp_path: Path) -> None:
    """The sentence for a forged card names that card, and none of those its seat holds."""
    game, rng = new("standard", 4, agents="rule_based"), random.Random(4)
    while not game.view.tricks_played:
        step(game, rng)
    data = as_json(game)
    errors = 0
    for at in range(len(data["deals"][-1])):
        if data["deals"][-1][at] not in CARD_TEXT:
            continue
        for card in CARD_TEXT:
            forged = json.loads(json.dumps(data))
            forged["deals"][-1][at:] = [card]
            sentence = error_of(lambda data=forged: from_json(data))
            errors += sentence is not None
            assert set(re.findall(r"\b(?:[9TJQKA][CDHS]|Jo)\b", sentence or card)) == {card}
    assert errors > 20


@pytest.mark.parametrize("key", list(saved()))
def test_a_save_that_lacks_a_part_is_an_error(key: str) -> None:
    data = saved()
    del data[key]
    with pytest.raises(ValueError, match=f"'{key}' is missing"):
        from_json(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00\xff\xfe",
        b"null",
        b"[]",
        b"3",
        b"[" * 100_000,
        b'{"format": 1, "format": 1}',
        b'{"format": ' + b"9" * 5000 + b"}",
        b"\x80\x04K\x01.",  # a pickle
        json.dumps(saved()).encode()[:-1],
        json.dumps(saved()).encode() + b"}",
        json.dumps(saved()).encode("utf-16"),
        json.dumps(saved()).replace('"seed": 1', '"seed": NaN').encode(),
    ],
)
def test_a_damaged_file_is_an_error_that_names_it(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    file.write_bytes(data)
    sentence = error_of(lambda: resume(file))
    if sentence is None:
        assert data.startswith(b"\xff\xfe"), "only another encoding of the same text may pass"
        assert as_json(resume(file)) == saved()
    else:
        assert sentence.startswith(f"{file}: not a saved game, or damaged: ")
        assert len(sentence) < len(str(file)) + 300


@pytest.mark.parametrize("seed", range(2))
def test_every_cut_and_many_bit_flips_give_an_error_or_a_legal_game(seed: int, tmp_path: Path) -> None:
    game, rng = new("three cards", seed, agents="rule_based"), random.Random(seed)
    while not game.deal_is_over:
        step(game, rng)
    file = tmp_path / "game.json"
    whole = json.dumps(as_json(game)).encode()
    damaged = [whole[:n] for n in range(len(whole))]
    for _ in range(150):
        flipped = bytearray(whole)
        flipped[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        damaged.append(bytes(flipped))
    errors = 0
    for data in damaged:
        file.write_bytes(data)
        sentence = error_of(lambda: resume(file))
        if sentence is None:
            for record in resume(file).so_far:
                replay(record)
        else:
            errors += 1
            assert sentence.startswith(f"{file}: ")
    assert errors >= len(whole)


def test_a_missing_file_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        resume(tmp_path / "no.json")


def test_a_saved_game_holds_the_choices_and_the_actions_only() -> None:
    data = saved()
    assert sorted(data) == ["agents", "deals", "format", "practice", "rules", "seat", "seed"]
    assert from_json(data).rules == Rules(target=4, max_deals=4)
