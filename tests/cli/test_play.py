"""The command `hpenv play`: options, files, and as another process at a real terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hpenv.actions import ACTION_TEXT
from hpenv.agents.human.game import Game
from hpenv.agents.human.keeper import last_game
from hpenv.agents.human.messages import (
    choices,
)
from hpenv.agents.human.saved_game import as_json, save
from hpenv.training.cli.main import main
from human_games import resume
from terminal import UNIFORM, first_number, first_offer, typed

Printed = pytest.CaptureFixture[str]


COMMAND = [sys.executable, "-m", "hpenv.training.cli.main", "play"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Games that no file is named for are kept here."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "hpenv"


def test_play_to_the_end_of_a_deal_with_every_entry_tried(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    # Eight times through all 39 actions: what is not legal gets a sentence, and the deal ends.
    typed("\n".join(["", "rubbish", *ACTION_TEXT] * 8), monkeypatch)
    record = tmp_path / "mine.jsonl"
    words = ["play", *UNIFORM, "--deals", "1", "--seed", "4", "--rules", "set_bid"]
    assert main([*words, "--record", str(record)]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert "no such action: 'rubbish'" in said.out
    assert "(R" in said.out
    assert "You and North " in said.out
    assert "\x1b" not in said.out
    assert len(record.read_text(encoding="utf-8").splitlines()) == 1
    assert main(["replay", str(record)]) == 0


def test_leaving_at_once_leaves_no_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    for answer in ("", "quit\n"):
        typed(answer, monkeypatch)
        assert main(["play", *UNIFORM, "--seed", "1"]) == 0
        said = capsys.readouterr()
        assert said.out.endswith("You have left the table.\nGood-bye.\n")
        assert said.err == ""
    assert not folder.exists()


def test_agents_are_seated_as_named(monkeypatch: pytest.MonkeyPatch, capsys: Printed) -> None:
    typed("", monkeypatch)
    words = "play --seat E --partner uniform --opponents sensible_random --north rule_based"
    assert main(words.split()) == 0
    assert (
        "You are East; North rule_based, South sensible_random, West uniform.\n"
        in capsys.readouterr().out
    )


def test_a_game_is_resumed_where_it_was_left_and_its_own_file_deleted_at_the_end(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    rules = '{"target": 3, "max_deals": 3, "hand_size": 3}'
    games = (Game(json.loads(rules), seed, 2, "uniform") for seed in range(9))
    begun = next(game for game in games if not game.deal_is_over)
    typed(f"{first_number(begun)}\nquit\n", monkeypatch)
    assert main(["play", *UNIFORM, "--seed", str(begun.seed), "--rules", rules]) == 0
    out = capsys.readouterr().out
    (path,) = re.findall(r"^To go on: hpenv play --resume (.*)$", out, re.M)
    assert Path(path).parent == folder
    assert last_game() == Path(path)
    before = as_json(resume(Path(path)))
    begun.do(choices(begun.view)[first_number(begun)])
    assert before == as_json(begun)
    typed("", monkeypatch)
    assert main(["play", "--resume", "last"]) == 0
    assert f"hpenv play --resume {path}\n" in capsys.readouterr().out
    assert as_json(resume(Path(path))) == before
    typed("\n".join(["", *"0123456"] * 60), monkeypatch)
    assert main(["play", "--resume", path]) == 0
    out = capsys.readouterr().out
    assert re.search(r"win the game|broken off", out)
    assert out.endswith("Good-bye.\n")
    assert "To go on" not in out
    assert list(folder.iterdir()) == []
    assert main(["play", "--resume", "last"]) == 2
    assert "there is no game to go on with" in capsys.readouterr().err


def test_a_file_named_by_the_person_stays_and_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    file = tmp_path / "my game.json"
    rules = '{"hand_size": 2, "max_deals": 2}'
    words = ["play", *UNIFORM, "--seed", "2", "--rules", rules, "--save", str(file)]
    typed("0\n", monkeypatch)
    assert main(words) == 0
    assert f"--resume '{file}'\n" in capsys.readouterr().out
    before = file.read_bytes()
    assert main(words) == 2
    assert "is there already" in capsys.readouterr().err
    assert file.read_bytes() == before
    new = tmp_path / "new.json"
    assert main(["play", *UNIFORM, "--save", str(new), "--record", str(tmp_path)]) == 2
    assert not new.exists(), "a command that fails leaves nothing behind"
    capsys.readouterr()
    other = tmp_path / "other.json"
    typed("\n".join(["", *"0123456"] * 40), monkeypatch)
    assert main(["play", "--resume", str(file), "--save", str(other)]) == 0
    assert file.read_bytes() == before
    assert resume(other).is_over


def test_a_deal_is_recorded_once_however_often_it_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    file, record = tmp_path / "game.json", tmp_path / "deals.jsonl"
    game = Game("standard", 4, 2, "uniform")
    save(game, file)
    for _ in range(40):
        typed(f"\n{first_number(resume(file))}\n", monkeypatch)
        assert main(["play", "--resume", str(file), "--record", str(record), "--deals", "3"]) == 0
        capsys.readouterr()
        if resume(file).view.deals_played == 3:
            break
    assert [json.loads(line)["dealer"] for line in record.read_text(encoding="utf-8").splitlines()] == [
        "NESW"[(int(game.view.dealer) + n) % 4] for n in range(3)
    ]


def test_a_game_that_cannot_be_kept_goes_on_after_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    (tmp_path / "data").write_text("no folder", encoding="utf-8")
    typed("\n".join(["0", *"123456"] * 20), monkeypatch)
    assert main(["play", *UNIFORM, "--seed", "3", "--deals", "1"]) == 0
    said = capsys.readouterr()
    assert said.err.count("the game cannot be kept") == said.err.count("\n") == 1
    assert "You and North " in said.out
    assert "To go on" not in said.out


def test_a_game_killed_at_the_prompt_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    words = [*COMMAND, *UNIFORM, "--seed", "8", "--save", str(file)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as run:
        assert run.stdin
        assert run.stdout
        said = b""
        for turn in range(4):
            while not said.endswith(b"> "):
                more = run.stdout.read(1)
                assert more, said.decode()
                said += more
            if turn < 3:
                run.stdin.write(first_offer(said.decode()).encode() + b"\n")
                said += b"\n"
        run.kill()
    game = resume(file)
    shown = re.findall(r"^(?:> )?(North|East|South|West): (.*)$", said.decode(), re.M)
    done = [
        (("North", "East", "South", "West")["NESW".index(seat)], action)
        for deal in game.so_far
        for seat, action in done_in(deal)
    ]
    assert [(seat, re.sub("discards", "", action)) for seat, action in shown] == [
        (seat, "" if shown[at][1] == "discards" else action) for at, (seat, action) in enumerate(done)
    ]
    assert game.view.legal or game.deal_is_over


def done_in(deal: Any) -> list[tuple[str, str]]:
    """Who did what in a deal."""
    from hpenv.notation import replay  # noqa: PLC0415

    turns = replay(deal).turns
    return [(seat, ACTION_TEXT[action]) for seat, action in zip(turns, deal.actions, strict=True)]


def test_input_that_is_not_text_gets_a_sentence() -> None:
    answers = b"\xff\xfe\x80\n\x00\nbid \xf0\nquit\n"
    strict = os.environ | {"PYTHONIOENCODING": "utf-8:strict"}
    words = [*COMMAND, *UNIFORM, "--seed", "8"]
    done = subprocess.run(words, input=answers, capture_output=True, check=False, env=strict)
    assert done.returncode == 0
    assert done.stdout.count(b"no such action") == 3
    assert b"Traceback" not in done.stderr
    assert not set(done.stdout.decode()) & set("♣♦♥♠\x1b"), "it is no terminal"


@pytest.mark.parametrize(("encoding", "has_symbols"), [("utf-8", True), ("ascii", False)])
def test_at_a_real_terminal_there_is_colour_and_ctrl_c_leaves(encoding: str, has_symbols: bool) -> None:
    pid, terminal = pty.fork()
    if pid == 0:  # the child: becomes the command, at a terminal
        environment = os.environ | {"TERM": "xterm", "PYTHONIOENCODING": encoding}
        environment.pop("NO_COLOR", None)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a run in the background is deaf
        os.execve(COMMAND[0], [*COMMAND, *UNIFORM, "--seed", "8"], environment)
    said, limit = b"", time.monotonic() + 300

    def read(mark: bytes) -> None:
        nonlocal said
        while mark not in said and time.monotonic() < limit:
            if select.select([terminal], [], [], 0.5)[0]:
                try:
                    said += os.read(terminal, 65536)
                except OSError:  # the end
                    return

    read(b"\r\n> ")
    os.write(terminal, b"\x03")
    read(b"Good-bye")
    if b"Good-bye" not in said:
        os.kill(pid, signal.SIGKILL)
    assert os.waitpid(pid, 0)[1] == 0, said
    os.close(terminal)
    assert b"\x1b[" in said
    assert b"Good-bye" in said
    assert b"Traceback" not in said
    assert ("♠".encode() in said or "♣".encode() in said) == has_symbols
