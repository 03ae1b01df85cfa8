"""Recorded decisions: each is what the seat saw and did, a folder is whole or not there, and a network
learns from it."""

from __future__ import annotations

import json
import pickle
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

from hpenv.agents.agent import make_agent
from hpenv.compiled import highest_bit, lowest_bit
from hpenv.notation import record_of, replay
from hpenv.observation import LAYOUT, action_mask, observe
from hpenv.rules import get_rules
from hpenv.table import new_tables
from hpenv.training.benchmark.matches import deal_tables, start_games
from hpenv.training.cli.main import main
from hpenv.training.trajectories import decisions, folder, imitation
from hpenv.training.trajectories.decisions import COLUMNS, Columns, encoding, played_decisions, seated
from hpenv.training.trajectories.folder import check_files, open_columns, read_metadata
from hpenv.training.trajectories.torch_dataset import Decisions
from hpenv.view import view_of
from scripted import highest, lowest

parquet: Any = pytest.importorskip("pyarrow.parquet")


def recorded(rules: Any, n: int, chunk: int | None = None, seed: int = 7) -> Columns:
    """Decisions of a North-South that takes the lowest legal action and an East-West that takes the
    highest."""
    agents = seated([lowest(), highest()])
    parts = list(played_decisions(agents, get_rules(rules), n, seed, chunk=chunk))
    return {name: np.concatenate([part[name] for part in parts]) for name in COLUMNS}


# ---- what is recorded -----------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["standard", "house", "mini2"])
def test_each_decision_is_what_the_seat_saw_and_did(rules: str) -> None:
    """Against the same deals, played by single tables from the recorded actions."""
    rows, at = recorded(rules, 300), 0
    for deal in range(rows["deal"][-1] + 1):
        tables = new_tables(1, get_rules(rules), 7, deal)
        start_games(tables, deal)
        table = tables[0]
        assert table.dealer == deal % 4
        seats = []
        while not table.is_over:
            view = view_of(table, table.to_act)
            assert (rows["deal"][at], rows["seat"][at]) == (deal, table.to_act)
            np.testing.assert_array_equal(rows["observation"][at], observe(view))
            np.testing.assert_array_equal(rows["action_mask"][at], action_mask(view))
            assert rows["phase"][at] == table.phase
            chosen = highest_bit(view.legal) if table.to_act & 1 else lowest_bit(view.legal)
            assert rows["action"][at] == chosen
            seats.append(table.to_act)
            table.step(int(chosen))
            at += 1
        points = replay(record_of(table)).points or (0, 0)
        expected = [points[seat & 1] - points[1 - seat & 1] for seat in seats]
        assert rows["points"][at - len(seats) : at].tolist() == expected
    assert at == len(rows["deal"])


def test_whole_deals_are_recorded_however_many_are_played_at_once() -> None:
    rows = recorded("mini2", 200, chunk=50)
    for chunk in (1, 7):
        for name, column in recorded("mini2", 200, chunk).items():
            np.testing.assert_array_equal(column, rows[name])
    _, lengths = np.unique(rows["deal"], return_counts=True)
    assert lengths.sum() >= 200 > lengths[:-1].sum()


def test_the_deals_are_not_those_of_matches_of_the_seed() -> None:
    """What a policy was trained on is not what it is measured on."""
    rules = get_rules("standard")
    first = np.flatnonzero(np.diff(recorded("standard", 300)["deal"], prepend=-1))
    hands = recorded("standard", 300)["observation"][first, LAYOUT["hand"]]
    dealt = deal_tables(rules, 7, 0, len(first))
    matches = np.array([observe(view_of(table, table.to_act))[LAYOUT["hand"]] for table in dealt])
    assert not (hands == matches).all(axis=1).any()


def test_each_agent_has_its_seats() -> None:
    a, b, c, d = (make_agent("uniform") for _ in range(4))
    assert seated([a]) == [a, a, a, a]
    assert seated([a, b]) == [a, b, a, b]
    assert seated([a, b, c, d]) == [a, b, c, d]


# ---- the folder -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of some thousand decisions of `rule_based`."""
    place = tmp_path_factory.mktemp("recorded") / "rule_based"
    assert main(["record", "rule_based", "--decisions", "2e4", "--out", str(place)]) == 0
    return place


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A small folder, to be damaged."""
    place = tmp_path / "small"
    assert main(f"record uniform --decisions 300 --rules mini2 --out {place}".split()) == 0
    return place


def test_a_folder_holds_what_was_played(whole: Path) -> None:
    columns, metadata = open_columns(whole), check_files(whole)
    agents = seated([make_agent("rule_based")])
    n = metadata["decisions"]
    assert n >= 20_000
    expected = next(played_decisions(agents, get_rules("standard"), 1000, chunk=50))
    for name, column in columns.items():
        assert isinstance(column, np.memmap)
        assert column.shape == (n, *COLUMNS[name].shape)
        np.testing.assert_array_equal(column[:1000], expected[name][:1000])
    assert metadata["agents"] == ["rule_based"] * 4
    assert metadata["deals"] == columns["deal"][-1] + 1
    assert metadata["encoding"] == encoding()
    words = "hpenv record rule_based --decisions 20000 --rules standard --seed 1 --format npy --out"
    assert metadata["command"] == f"{words} {whole}"
    assert [path.name for path in whole.parent.iterdir()] == [whole.name]


def test_parquet_in_shards_holds_the_same(
    tmp_path: Path, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "ROWS_OF_A_SHARD", 200)
    monkeypatch.setattr(decisions, "deals_in_lockstep", lambda _: 10)
    place = tmp_path / "shards"
    words = f"record uniform --decisions 300 --rules mini2 --seed 1 --format parquet --out {place}"
    assert main(words.split()) == 0
    table = parquet.read_table(place / "data")
    for name, column in open_columns(small).items():
        kept = table[name].combine_chunks()
        np.testing.assert_array_equal(np.stack(kept.to_numpy(zero_copy_only=False)), column)
    shards = [path.name for path in sorted((place / "data").iterdir())]
    assert shards == ["train-00000-of-00002.parquet", "train-00001-of-00002.parquet"]
    card = (place / "README.md").read_text(encoding="utf-8")
    assert re.match(r"---\n.*\nconfigs:\n.*path: data/train-\*\.parquet\n---\n", card, re.DOTALL)
    assert words in card
    assert all(f"| `{name}` |" in card for name in COLUMNS)
    check_files(place)
    with pytest.raises(ValueError, match=r"shards: holds Parquet"):
        open_columns(place)


def test_where_playing_fails_there_is_no_folder(tmp_path: Path) -> None:
    def play() -> None:
        with folder.DecisionsFolder(tmp_path / "new", "npy", {}) as place:
            place.add(recorded("mini2", 20))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        play()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", folder.KINDS)
def test_ctrl_c_keeps_the_deals_so_far_and_a_second_one_none(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before, times = decisions.play, 0

    def play(*args: Any) -> Columns:
        nonlocal times
        times += 1
        for _ in range(interrupts if times == 3 else 0):
            signal.raise_signal(signal.SIGINT)
        return before(*args)

    monkeypatch.setattr(decisions, "play", play)
    words = f"record uniform --rules mini2 --format {kind} --out {tmp_path / 'new'}".split()
    for interrupts in (2, 1):
        times = 0
        assert main(words) == 130
        assert "saving after these deals" in capsys.readouterr().err
        assert (tmp_path / "new").exists() == (interrupts == 1)
    metadata = check_files(tmp_path / "new")
    assert metadata["deals"] == 2 * 1024
    if kind == "npy":
        assert open_columns(tmp_path / "new")["deal"][-1] == 2 * 1024 - 1
    assert len(list(tmp_path.iterdir())) == 1


def test_recording_needs_no_torch(tmp_path: Path) -> None:
    code = (
        "import sys; from hpenv.training.cli.main import main;"
        "sys.exit(main(sys.argv[1:]) or 'torch' in sys.modules)"
    )
    words = f"record uniform --decisions 100 --rules mini2 --out {tmp_path / 'new'}"
    done = subprocess.run(
        [sys.executable, "-c", code, *words.split()], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert re.match(r"111 decisions of 9 deals in ", done.stdout)


def change(place: Path, **facts: Any) -> None:
    """Change what a folder says of itself."""
    path = place / "metadata.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | facts), encoding="utf-8")


def test_a_folder_that_is_none_or_of_another_version_is_an_error(small: Path) -> None:
    with pytest.raises(ValueError, match=r"no recorded decisions: it has no metadata\.json"):
        open_columns(small.parent)
    change(small, encoding="0123456789ab", hpenv="0.0.7")
    theirs = f"small: recorded with the encoding '0123456789ab' of hpenv 0.0.7, not with '{encoding()}'"
    with pytest.raises(ValueError, match=theirs):
        open_columns(small)
    change(small, format=9)
    with pytest.raises(ValueError, match=r"small: made by another version \(format 9, this reads 1\)"):
        open_columns(small)
    (small / "metadata.json").write_text("[1]", encoding="utf-8")
    with pytest.raises(ValueError, match=r"small: damaged: metadata.json"):
        read_metadata(small)


def test_damage_is_an_error(small: Path) -> None:
    path = small / "observation.npy"
    data = bytearray(path.read_bytes())
    data[500] ^= 1
    path.write_bytes(data)
    open_columns(small)  # looks at sizes only
    with pytest.raises(ValueError, match=r"small: damaged: observation.npy is not what was recorded"):
        Decisions(small, check=True)
    path.write_bytes(data[:-1])
    with pytest.raises(ValueError, match=r"small: damaged: observation.npy"):
        open_columns(small)
    np.save(path, np.zeros((3, 440), np.int8))
    with pytest.raises(ValueError, match=r"holds int8 of shape \(3, 440\), not int8 of shape \(313, "):
        open_columns(small)
    np.save(path, np.array([{}]), allow_pickle=True)
    with pytest.raises(ValueError, match=r"small: damaged: observation.npy"):
        open_columns(small)
    path.unlink()
    with pytest.raises(ValueError, match=r"small: damaged: observation.npy"):
        open_columns(small)


# ---- for torch ------------------------------------------------------------------------------------


def test_items_and_batches_are_rows_of_the_columns(whole: Path) -> None:
    data, columns = Decisions(whole, check=True), open_columns(whole)
    assert len(data) == len(columns["deal"])
    kinds = {"observation": torch.int8, "action_mask": torch.bool}
    plain = next(iter(DataLoader(data, 8)))
    for name, column in columns.items():
        kind = kinds.get(name, torch.int64)
        for numbers, rows in ((3, 3), ([5, 2, -1], [5, 2, -1]), (slice(2, 9), slice(2, 9))):
            assert data[numbers][name].dtype == kind
            np.testing.assert_array_equal(data[numbers][name], column[rows])
        np.testing.assert_array_equal(plain[name], column[:8])
    seen = [batch["deal"] for batch in data.batches(512, shuffle=True, num_workers=1)]
    assert len(seen) == -(-len(data) // 512)
    assert seen[0].tolist() != columns["deal"][:512].tolist()
    np.testing.assert_array_equal(torch.cat(seen).sort()[0], columns["deal"])


def test_parts_have_no_deal_in_common_and_go_to_other_processes(whole: Path) -> None:
    data = Decisions(whole)
    first, rest = data.split(0.75)
    assert len(first) + len(rest) == len(data)
    assert abs(len(first) - 0.75 * len(data)) < 60
    assert first[-1]["deal"] + 1 == rest[0]["deal"]
    inner, last = rest.split(0.5)
    assert inner[-1]["deal"] + 1 == last[0]["deal"]
    kept = pickle.dumps(last)
    assert len(kept) < 1000
    np.testing.assert_array_equal(pickle.loads(kept)[:]["observation"], last[:]["observation"])
    for share in (0, 1, 1.5, 1e-9):
        with pytest.raises(ValueError, match=f"share={share} of {len(data):,} decisions"):
            data.split(share)


def test_a_network_learns_to_do_as_the_agent_did(whole: Path) -> None:
    torch.manual_seed(1)
    cloned, uniform = imitation.train(whole, epochs=1)
    assert 0.3 < uniform < 0.4
    assert cloned > uniform + 0.15
