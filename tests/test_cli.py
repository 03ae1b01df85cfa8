"""The command `hpenv`: what it prints, its exit status, and a sentence for every error."""

import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from table_talk import RED, red

from agents.human import Human, Quit, hand_text, known_table, play_game, situation
from agents.uniform import Uniform
from hpenv import __version__
from hpenv.actions import ACTION_TEXT, FACE_DOWN
from hpenv.cards import CARD_TEXT, NO_CARD
from hpenv.refusals import refusal
from hpenv.rulebook import DEAL_OVER, NOBODY, new_game
from hpenv.rules import PRESETS, Rules
from hpenv.table import new_tables
from hpenv.view import view_of
from training.cli import COMMANDS, main, unboxed
from training.evaluate import duplicate_match, game_match
from training.progress import Progress
from training.speed import play_randomly

Printed = pytest.CaptureFixture[str]

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


# ---- help and errors --------------------------------------------------------------------------


def test_help_is_quick_and_names_every_command() -> None:
    code = (
        "import sys; from training.cli import main; main(['--help']);"
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
    assert "default" in out


def test_version(capsys: Printed) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"hpenv {__version__}\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("", "give a command"),
        ("evalute", "did you mean evaluate?"),
        ("nonsense", "there are demo, train"),
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
        ("evaluate uniform uniform --games -1", "games: -1"),
        ("evaluate uniform uniform uniform --games 1", "two agents"),
        ("evaluate uniform uniform --nope", "--nope"),
        ("replay", "hpenv replay --help"),
        ("replay no/such.jsonl", "no/such.jsonl: no such file"),
        ("replay .", "is a directory"),
        ("play --seat X", "'X'"),
        ("play --deals 0", "deals: 0"),
        ("play --partner nobody", "no agent 'nobody'"),
        ("play --rules standard,house", "one preset"),
        ("speed --seconds 0", "seconds: 0"),
        ("speed --rules nope", "no preset 'nope'"),
        ("train --tables 0", "tables"),
        ("train --rules nope", "no preset 'nope'"),
    ],
)
def test_a_users_error_is_one_sentence_and_status_2(words: str, says: str, capsys: Printed) -> None:
    assert main(words.split()) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("hpenv: ")
    assert says in said.err
    assert said.err.count("\n") == 1
    assert not set(said.err) & set("│╭─")


def test_the_first_paragraph_of_a_box_becomes_a_sentence() -> None:
    box = "╭─ Title ───╮\n│ It is     │\n│ wrong: x  │\n│ ───────── │\n│ See help  │\n╰───────────╯\n"
    assert unboxed(box) == "It is wrong: x"


def test_an_error_keeps_its_traceback_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HPENV_TRACEBACK", "1")
    with pytest.raises(ValueError, match="no agent"):
        main(["evaluate", "uniform", "nobody"])


def test_the_installed_module_runs_as_a_command() -> None:
    command = [sys.executable, "-m", "training.cli", "evaluate", "uniform", "nobody"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"hpenv: no agent 'nobody' .*\n", done.stderr)


def test_a_reader_that_stops_reading_is_no_error(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    file.write_text((json.dumps(RECORD) + "\n") * 200)
    command = f"{sys.executable} -m training.cli replay {file} | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stdout == "deal 1: W deals, score 0 to 0\n"
    assert done.stderr == ""


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
    assert "30 duplicate deals of seed 1: +0.000 points a deal" in out
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
            assert before.legal() >> int(action) & 1
    assert 1000 / 40 < deals < 1000 / 15


# ---- replay -----------------------------------------------------------------------------------


def replay_file(tmp_path: Path, *records: dict[str, Any]) -> str:
    file = tmp_path / "deals.jsonl"
    file.write_text("\n".join(json.dumps(record) for record in records) + "\n\n")
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
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(RECORD) + "\nnot a record\n"))
    assert main(["replay", "-"]) == 1
    said = capsys.readouterr()
    assert said.out.startswith("deal 1: W deals")
    assert "line 2" in said.err


# ---- a person at the table --------------------------------------------------------------------


class Terminal:
    """A person who answers from `answers`, and everything said to it."""

    def __init__(self, answers: Callable[[str], str] | list[str]) -> None:
        self.answers = answers
        self.said = ""

    def read(self, prompt: str) -> str:
        if callable(self.answers):
            return self.answers(self.said)
        if not self.answers:
            raise EOFError
        return self.answers.pop(0)

    def write(self, text: str) -> None:
        self.said += text + "\n"

    def human(self) -> Human:
        return Human("me", self.read, self.write)


def first_offer(said: str) -> str:
    return re.findall(r"you may: (.*)\n", said)[-1].split(", ")[0]


def test_play_to_the_end_of_a_deal_with_every_entry_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    # Eight times through all 39 actions: what is not legal gets a sentence, and the deal ends.
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(["", "rubbish", *ACTION_TEXT] * 8)))
    record = tmp_path / "mine.jsonl"
    words = "play --partner uniform --opponents uniform --deals 1 --seed 4 --rules set_bid --record"
    assert main([*words.split(), str(record)]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert "no such action: 'rubbish'" in said.out
    assert "(R" in said.out
    assert "Points North-South" in said.out
    assert main(["replay", str(record)]) == 0


def test_leaving_is_polite(monkeypatch: pytest.MonkeyPatch, capsys: Printed) -> None:
    words = ["play", "--partner", "uniform", "--opponents", "uniform", "--seed", "1"]
    for answer in ("", "quit\n"):
        monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
        assert main(words) == 0
        said = capsys.readouterr()
        assert said.out.endswith("Good-bye.\n")
        assert said.err == ""


@pytest.mark.parametrize("seat", range(4))
def test_a_game_goes_to_the_target_and_every_action_is_told(seat: int) -> None:
    terminal = Terminal(first_offer)
    kept: list[Any] = []
    rules = Rules(target=4, defenders_score=True, bidding="pepper")
    table = play_game(
        terminal.human(), seat, [Uniform()] * 4, rules, 7, keep=lambda t: kept.append(t.copy())
    )
    assert table.winner != NOBODY
    assert f"{('North-South', 'East-West')[table.winner]} win the game." in terminal.said
    assert len(kept) == table.deals_played
    actions = sum(int(deal.history_length) for deal in kept)
    assert len(re.findall(r"^(?:North|East|South|West): ", terminal.said, re.M)) == actions


def test_the_game_is_broken_off_at_the_cap_or_after_so_many_deals() -> None:
    terminal = Terminal(first_offer)
    capped = Rules(max_deals=2)
    assert play_game(terminal.human(), 0, [Uniform()] * 4, capped, 1).deals_played == 2
    assert "(R19)" in terminal.said
    stopped = play_game(Terminal(first_offer).human(), 0, [Uniform()] * 4, Rules(), 1, deals=3)
    assert stopped.deals_played == 3


def test_who_won_each_trick_is_told() -> None:
    terminal = Terminal([])
    table = red("standard", "W", ", ".join(LONE_MARCH))
    terminal.human().tell(table)
    assert "North: AC\nNorth won the trick\nNorth: Jo" in terminal.said
    assert terminal.said.count("North won the trick") == 5


@pytest.mark.parametrize("seed", range(6))
def test_the_discard_of_others_is_never_shown(seed: int) -> None:
    # R8, to the end of the deal and after it. The discard is the only card nobody holds or plays.
    terminal = Terminal(first_offer)
    table = play_game(terminal.human(), 2, [Uniform()] * 4, PRESETS["house"], seed, deals=1)
    assert table.phase == DEAL_OVER
    assert table.discard != NO_CARD
    shown = CARD_TEXT[table.discard] in re.split(r"\W+", terminal.said)
    assert shown == (table.maker == 2)


def test_a_bad_entry_gets_a_sentence_and_the_question_stays() -> None:
    table = red("standard", "W", "bid 4, pass, pass, pass, trump H, TS, with partner")
    assert table.to_act == 0
    table.step(ACTION_TEXT.index("Jo"))
    view = view_of(table, 1)  # East: QH TH 9C TC KD 9S, to follow hearts
    terminal = Terminal(["", "foo", "bid 7", "9C", "AS", "pass", "help", "view", "TH"])
    human = terminal.human()
    assert human.act(np.array([view]), np.zeros(1, np.uint64)).tolist() == [ACTION_TEXT.index("TH")]
    assert "no such action: 'foo'" in terminal.said
    assert "no such action: 'bid 7'" in terminal.said
    for wrong in ("9C", "AS", "pass"):
        assert str(refusal(table, ACTION_TEXT.index(wrong))) in terminal.said
    assert "Type an action" in terminal.said
    assert str(view) in terminal.said
    assert "\nyou may: TH, QH\n" in terminal.said


@pytest.mark.parametrize(
    "actions",
    ["", "bid 6", "bid 6, trump H", "bid 6, trump H, AC", "bid 6, trump H, AC, alone", "bid 4, pass"],
)
def test_a_refusal_from_a_view_is_the_one_from_the_table(actions: str) -> None:
    table = red("standard", "W", actions)
    view = view_of(table, int(table.to_act))
    for action in range(len(ACTION_TEXT)):
        if not table.legal() >> action & 1:
            assert str(refusal(known_table(view), action)) == str(refusal(table, action))


def test_ctrl_c_and_the_end_of_input_leave_the_table() -> None:
    def interrupt(said: str) -> str:
        raise KeyboardInterrupt

    for answers in (interrupt, [], ["QUIT"]):
        with pytest.raises(Quit):
            play_game(Terminal(answers).human(), 1, [Uniform()] * 4, Rules(), 1)  # type: ignore[arg-type]


def test_a_hand_is_shown_trumps_first_and_the_situation_after_it() -> None:
    view = view_of(red("standard", "W", "bid 4, pass, pass, pass, trump H"), 0)
    assert hand_text(view) == "Jo JH AH KH AC AS TS"
    assert situation(view) == "North has bid 4; hearts trump"
    assert situation(view_of(red("standard", "W"), 0)) == ""
    alone = red("standard", "W", ", ".join(LONE_MARCH[:13]))
    assert situation(view_of(alone, 1)) == (
        "North has bid 4; hearts trump; alone: N; tricks North-South 1, East-West 0; "
        "on the table North Jo"
    )


# ---- progress ---------------------------------------------------------------------------------


def test_progress_is_silent_at_first_and_then_says_how_long(
    monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    now = 100.0
    monkeypatch.setattr("training.progress.time.perf_counter", lambda: now)
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
