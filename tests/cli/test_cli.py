"""The command `hpenv`: what it prints, its exit status, and a sentence for every error."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hpenv import __version__
from hpenv.actions import FACE_DOWN
from hpenv.rulebook import legal_actions, new_game
from hpenv.rules import Rules
from hpenv.seats import NOBODY
from hpenv.table import new_tables
from hpenv.training.benchmark.engine_speed import play_randomly
from hpenv.training.benchmark.matches import duplicate_match, game_match
from hpenv.training.cli.main import COMMANDS, main, unboxed
from hpenv.training.cli.progress import Progress

Printed = pytest.CaptureFixture[str]

# ---- help and errors --------------------------------------------------------------------------


def test_help_is_quick_and_names_every_command() -> None:
    code = (
        "import sys; from hpenv.training.cli.main import main; main(['--help']);"
        "sys.exit(any(heavy in sys.modules for heavy in ('torch', 'numba', 'pettingzoo', 'rich')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all(f"\n  {name} " in done.stdout for name in COMMANDS)


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_explains_itself(name: str, capsys: Printed) -> None:
    assert main([name, "--help"]) == 0
    out = capsys.readouterr().out
    assert f"usage: hpenv {name}" in out
    assert "show this help message" in out
    for noise in ("(default: None)", "(default: )", "(default: False)", "STR", "{None}"):
        assert noise not in " ".join(out.split())


def test_version(capsys: Printed) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"hpenv {__version__}\n"


WRONG = [
    ("evalute", "did you mean evaluate?"),
    ("nonsense", "there are demo, train, resume"),
    ("evaluate uniform", "two agents or more"),
    ("evaluate uniform nobody", "no agent 'nobody'"),
    ("evaluate uniform:x=1 uniform", "no option 'x'"),
    ("evaluate learned:no/such uniform", "no/such"),
    ("evaluate uniform uniform --rules nope", "no preset 'nope'"),
    ("evaluate uniform uniform --rules {x", "not a JSON object"),
    ('evaluate uniform uniform --rules {"hand_size":9}', "hand_size=9"),
    ('evaluate uniform uniform --rules {"nope":9}', "no option 'nope'"),
    ("evaluate uniform uniform --rules", "at least one preset"),
    ("evaluate uniform uniform --deals 0", "deals: 0"),
    ("evaluate uniform uniform --deals many", "--deals"),
    ("evaluate uniform uniform --deals", "--deals"),
    ("evaluate uniform uniform --deals 10000001", "deals: 10000001"),
    ("evaluate uniform uniform --games -1", "games: -1"),
    (
        "evaluate uniform uniform --rules " + '{"a":' * 2000 + "1" + "}" * 2000,
        "is not a JSON object",
    ),
    ("evaluate uniform uniform uniform --games 1", "two agents"),
    ("record nobody --out no/such", "no agent 'nobody'"),
    ("record uniform uniform uniform --out no/such", "one agent for all seats, two for the sides"),
    ("record uniform --out pyproject.toml", "pyproject.toml: is there already"),
    ("record uniform --out no/such", "no such folder"),
    ("record uniform --out new --decisions 0", "decisions=0 is not a whole number from 1"),
    ("record uniform --out new --format csv", "npy or parquet, not 'csv'"),
    ("record uniform", "--out"),
    ("replay --jsn", "no option '--jsn' (did you mean --json?"),
    ("play --partnr uniform", "no option '--partnr' (did you mean --partner?"),
    ("evaluate uniform uniform --nope", "no option '--nope' (there are --agents"),
    ("evaluate uniform uniform --records deals.csv", "neither in .jsonl nor in .parquet"),
    ("duel uniform nobody", "no agent 'nobody'"),
    ("tournament uniform nobody --out no/such", "no agent 'nobody'"),
    ("tournament uniform rule_based --deals 0 --out no/such", "deals: 0"),
    ("tournament uniform rule_based --out pyproject.toml", "is there already"),
    ("exploit nobody", "no agent 'nobody'"),
    ("crossplay uniform", "two agents or more"),
    ("evaluate uniform uniform --delas 3", "did you mean --deals?"),
    ("play --oponents uniform", "did you mean --opponents?"),
    ("replay", "hpenv replay --help"),
    ("replay no/such.jsonl", "no/such.jsonl: no such file"),
    ("replay .", "is a directory"),
    ("play --seat X", "'X'"),
    ("play --deals 0", "deals: 0"),
    ("play --partner nobody", "no agent 'nobody'"),
    ("play --rules standard,house", "one preset"),
    ("play --west nobody", "no agent 'nobody'"),
    ("play --hints rule_based nobody", "no agent 'nobody'"),
    ("play --south uniform", "south: that seat is yours"),
    ("play --seed -1", "seed: -1"),
    ("play --save pyproject.toml", "pyproject.toml is there already"),
    ("play --save no/such/game.json", "no such file"),
    ("play --record no/such/deals.jsonl --seed 1", "no such file"),
    ("play --resume no/such.json", "no/such.json: no such file"),
    ("play --resume pyproject.toml", "pyproject.toml: not a saved game, or damaged"),
    ("play --resume pyproject.toml --seat N", "seat: the game resumed has its own"),
    ("play --resume pyproject.toml --practice", "practice: the game resumed has its own"),
    ("speed --seconds 0", "seconds: 0"),
    ("speed --rules nope", "no preset 'nope'"),
    ("train --num-envs 0", "num_envs=0 is not a whole number from 1 to 65536"),
    ("train --rules nope", "no preset 'nope'"),
]


@pytest.mark.parametrize(("words", "says"), WRONG)
def test_a_users_error_is_one_sentence_and_status_2(words: str, says: str, capsys: Printed) -> None:
    assert main(words.split()) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("hpenv: ")
    assert says in said.err
    assert said.err.count("\n") == 1
    assert not set(said.err) & set("│╭─")


def test_what_is_wrong_is_said_before_anything_compiles(tmp_path: Path) -> None:
    """All of them in one Python whose cache of compiled code is empty: compiling says so on stderr."""
    code = (
        "import json, sys; from hpenv.training.cli.main import main;"
        "print([main(words.split()) for words in json.loads(sys.argv[1])])"
    )
    command = [sys.executable, "-c", code, json.dumps([words for words, _ in WRONG])]
    cold = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(command, env=cold, capture_output=True, text=True, check=False)
    assert done.stdout == f"{[2] * len(WRONG)}\n", done.stderr
    assert len(done.stderr.splitlines()) == len(WRONG), done.stderr


@pytest.mark.parametrize("words", ["train", "demo", "evaluate learned uniform"])
def test_without_torch_there_is_a_sentence(words: str) -> None:
    code = (
        "import sys; sys.modules['torch'] = None; from hpenv.training.cli.main import main;"
        "sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, *words.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    how = "torch, which is not installed: pip install 'hpenv[train]'"
    assert done.stderr == f"hpenv: this needs {how}\n"


def test_alone_it_shows_what_there_is(capsys: Printed) -> None:
    assert main([]) == 0
    assert "evaluate" in capsys.readouterr().out


def test_help_shows_no_values_that_cannot_be_given(capsys: Printed) -> None:
    main(["play", "--help"])
    out = capsys.readouterr().out
    assert "None" not in out
    assert "--partner AGENT" in out
    assert "(default: rule_based)" in out


def test_the_first_paragraph_of_a_box_becomes_a_sentence() -> None:
    box = "╭─ Title ───╮\n│ It is     │\n│ wrong: x  │\n│ ───────── │\n│ See help  │\n╰───────────╯\n"
    assert unboxed(box) == "It is wrong: x"


def test_an_error_keeps_its_traceback_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HPENV_TRACEBACK", "1")
    with pytest.raises(ValueError, match="no agent"):
        main(["evaluate", "uniform", "nobody"])


def test_the_installed_module_runs_as_a_command() -> None:
    command = [sys.executable, "-m", "hpenv.training.cli.main", "evaluate", "uniform", "nobody"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"hpenv: no agent 'nobody' .*\n", done.stderr)


# ---- evaluate and speed -----------------------------------------------------------------------


def test_evaluate_prints_one_json_object(capsys: Printed) -> None:
    words = "evaluate uniform uniform --rules house --deals 40 --games 3 --seed 9 --json"
    assert main(words.split()) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    found = json.loads(out)
    assert found["games"].pop("played") == 6
    expected = duplicate_match("uniform", "uniform", "house", 40, 9).as_json()
    games = game_match("uniform", "uniform", "house", 3, 9).as_json()
    games.pop("played")
    assert found == expected | {"games": games}
    assert (found["mean"], found["low"], found["high"], found["deals"]) == (0, 0, 0, 40)


def test_evaluate_takes_several_rules_and_options(capsys: Printed) -> None:
    words = ["evaluate", "uniform", "uniform", "--deals", "5", "--json", "--rules"]
    assert main([*words, "standard,pepper", "mini2", '{"hand_size": 4}']) == 0
    found = json.loads(capsys.readouterr().out)["results"]
    assert [match["rules"] for match in found] == ["standard", "pepper", "mini2", {"hand_size": 4}]


def test_evaluate_prints_tables_to_read(capsys: Printed) -> None:
    assert main(["evaluate", "uniform", "uniform", "--deals", "30", "--games", "2"]) == 0
    out = capsys.readouterr().out
    assert "30 duplicate deals of seed 1: +0.000 points per deal" in out
    assert "average bid" in out
    assert "2 games, each played both ways round" in out
    assert main(["evaluate", "uniform", "uniform", "uniform", "--deals", "10"]) == 0
    assert "+0.00" in capsys.readouterr().out


def test_speed_measures_its_four_rows(capsys: Printed) -> None:
    assert main(["speed", "--rules", "mini2", "--seconds", "0.01", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in found["rows"]] == ["bare", "batch", "raw_env", "env"]
    for row in found["rows"]:
        assert 0 < row["lowest"] <= row["decisions_per_s"] <= row["highest"]
    assert {"processor", "cores", "python", "numba", "numpy"} <= found["machine"].keys()
    speeds = {row["name"]: row["decisions_per_s"] for row in found["rows"]}
    assert speeds["bare"] > speeds["env"]


def test_bare_play_plays_the_game() -> None:
    table: Any = new_tables(1, Rules(max_deals=3))[0]
    new_game(table, NOBODY, 0, 0)
    stream, deals = np.uint64(1), 0
    for _ in range(1000):
        before = table.copy()
        stream = play_randomly(table, np.uint64(stream), 1)
        assert (table.winner, table.deals_played < 3) == (NOBODY, True)
        if table.deals_dealt > before.deals_dealt:
            deals += 1
            assert table.history_length == 0
        else:
            n = before.history_length
            assert table.history_length == n + 1
            action = table.discard if table.history[n] == FACE_DOWN else table.history[n]
            assert legal_actions(before) >> int(action) & 1
    assert 1000 / 40 < deals < 1000 / 15


# ---- progress ---------------------------------------------------------------------------------


def test_progress_is_silent_at_first_and_then_says_how_long(
    monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    now = 100.0
    monkeypatch.setattr("hpenv.training.cli.progress.time.perf_counter", lambda: now)
    with Progress("standard", "deals") as progress:
        now = 150.0  # what happens before the first call, such as compiling, does not count
        progress(100, 1000)
        now = 151.0
        progress(150, 1000)
        now = 154.0
        progress(300, 1000)
        now = 155.0
        progress(350, 1000)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "standard: 300 of 1,000 deals, 50 deals/s, 14 s left\n"
