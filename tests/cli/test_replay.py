"""`hpenv replay`; and how records are read, by it and by `hpenv solve` alike."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hpenv.training.cli import progress
from hpenv.training.cli.main import main
from table_talk import RED

Printed = pytest.CaptureFixture[str]
BOTH = pytest.mark.parametrize("command", ["replay", "solve"])

LONE_MARCH = [
    *("bid 4", "pass", "pass", "pass", "trump H", "TS", "alone", "with partner", "with partner"),
    *("9C", "JC", "AC", "Jo", "TH", "9D", "JH", "QH", "TD", "AH", "KD", "JS", "KH", "TC", "QS"),
    *("AS", "9S", "KS"),
]
RECORD: dict[str, Any] = {
    "rules": "standard",
    "dealer": "W",
    "score": [0, 0],
    "hands": RED,
    "widow": "TS",
    "actions": LONE_MARCH,
    "points": [6, 0],
}


def replay_file(tmp_path: Path, *records: dict[str, Any]) -> str:
    file = tmp_path / "deals.jsonl"
    file.write_text("\n".join(json.dumps(record) for record in records) + "\n\n", encoding="utf-8")
    return str(file)


def test_replay_prints_an_object_a_line(tmp_path: Path, capsys: Printed) -> None:
    file = replay_file(tmp_path, RECORD, RECORD | {"actions": LONE_MARCH[:1], "points": None})
    assert main(["replay", file, "--json"]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["points"], first["tricks"], first["leaders"]) == ([6, 0], [6, 0], list("ENNNNN"))
    assert second["points"] is None
    assert second["turns"] == ["N"]


def test_replay_shows_deals(tmp_path: Path, capsys: Printed) -> None:
    thrown_in = RECORD | {"actions": ["pass"] * 4, "points": [0, 0]}
    assert main(["replay", replay_file(tmp_path, RECORD, thrown_in)]) == 0
    out = capsys.readouterr().out
    assert "  N AC JH KH AH AS Jo\n" in out
    assert (
        "N trump H, N TS, N alone, E with partner, W with partner\n  trick 1: E 9C, W JC, N AC" in out
    )
    assert "  trick 6: N AS, E 9S, W KS\n  points 6 and 0\n" in out
    assert "  N pass, E pass, S pass, W pass\n  points 0 and 0\n" in out


def test_replay_stops_at_the_first_fault_with_status_1(tmp_path: Path, capsys: Printed) -> None:
    fault = RECORD | {"actions": [*LONE_MARCH[:12], "AH", "QC"]}  # South sits out: it is East's turn
    assert main(["replay", replay_file(tmp_path, RECORD, fault, RECORD), "--json"]) == 1
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 1
    assert said.err.count("\n") == 1
    assert "line 2" in said.err
    assert "action 14, 'QC'" in said.err
    assert "R11" in said.err


def test_replay_reads_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: Printed) -> None:
    lines = f"{json.dumps(RECORD)}\nnot a record\n".encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines), encoding="utf-8"))
    assert main(["replay", "-"]) == 1
    said = capsys.readouterr()
    assert said.out.startswith("deal 1: W deals")
    assert "line 2" in said.err


def test_a_reader_that_stops_reading_is_no_error(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    file.write_text((json.dumps(RECORD) + "\n") * 200, encoding="utf-8")
    command = f"{sys.executable} -m hpenv.training.cli.main replay {file} | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stdout == "deal 1: W deals, score 0 to 0\n"
    assert [line for line in done.stderr.splitlines() if "compil" not in line] == []


# ---- reading, the same for both commands --------------------------------------------------------


def read(command: str, data: bytes, tmp_path: Path, capsys: Printed) -> tuple[int, list[str], str]:
    """Exit status, what was printed for each record, and stderr: the same from file and stdin."""
    file = tmp_path / "deals.jsonl"
    file.write_bytes(data)
    status = main([command, str(file), "--json"])
    said = capsys.readouterr()
    stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
    try:
        assert main([command, "-", "--json"]) == status
    finally:
        sys.stdin = stdin
    again = capsys.readouterr()
    assert (again.out, again.err) == (said.out, said.err.replace(str(file), "-"))
    return status, said.out.splitlines(), said.err


@BOTH
def test_lines_end_at_a_line_feed_and_nowhere_else(
    command: str, tmp_path: Path, capsys: Printed
) -> None:
    """Other ends of lines may stand in a text, and a byte order mark before the first."""
    named = json.dumps(RECORD | {"name": "a\u2028b\x85c\u2029d"}, ensure_ascii=False)
    data = f"\ufeff{named}\r\n\n  \r\n{json.dumps(RECORD)}".encode()
    status, printed, err = read(command, data, tmp_path, capsys)
    assert (status, len(printed), err) == (0, 2, "")


@BOTH
@pytest.mark.parametrize(
    ("second", "says"),
    [
        (b"\xff\xfe", "line 2: this is no text in UTF-8"),
        (b"\xef\xbb\xbf{}", "line 2: notation"),
        (b"[1]", "line 2: notation: a record is one JSON object"),
        (b'{"a":' * 100_000, "line 2: notation"),
        (json.dumps(RECORD | {"points": [5, 0]}).encode(), "line 2: the points come to [6, 0]"),
        (json.dumps(RECORD | {"actions": ["bid 9"]}).encode(), "line 2: action 1, 'bid 9'"),
    ],
)
def test_a_bad_line_is_bad_for_both(
    command: str, second: bytes, says: str, tmp_path: Path, capsys: Printed
) -> None:
    good = json.dumps(RECORD).encode()
    status, printed, err = read(command, good + b"\n" + second + b"\n" + good, tmp_path, capsys)
    assert (status, len(printed), err.count("\n")) == (1, 1, 1)
    assert f"deals.jsonl, {says}" in err


@BOTH
def test_a_record_is_shown_before_the_next_is_read(command: str, tmp_path: Path) -> None:
    """So that memory does not grow with the file."""
    words = [sys.executable, "-u", "-m", "hpenv.training.cli.main", command, "-", "--json"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        for _ in range(3):
            process.stdin.write(json.dumps(RECORD).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["points" if command == "replay" else "line"]
        process.stdin.close()
        assert process.wait() == 0


def test_a_long_file_says_how_far_it_has_come(
    tmp_path: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "QUIET_FOR", 0.0)
    monkeypatch.setattr(progress, "BETWEEN_LINES", 0.0)
    file = replay_file(tmp_path, RECORD, RECORD)
    size = os.stat(file).st_size
    assert main(["replay", file]) == 0
    assert f"records: {size:,} of {size:,} bytes" in capsys.readouterr().err
