"""`hpenv play`: what a person at the terminal is told, may type, and finds again after leaving."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hpenv.actions import ACTION_TEXT, N_ACTIONS
from hpenv.agents.human.game import Game
from hpenv.agents.human.messages import (
    choices,
    choices_told,
    chosen,
    hand_told,
    hints_told,
    last_trick_told,
    situation,
    tricks_of,
)
from hpenv.agents.human.saved_game import as_json, resume, save
from hpenv.agents.human.terminal import COMMANDS, Human, Quit
from hpenv.agents.opinion import Opinion
from hpenv.cards import CARD_TEXT, NO_CARD, set_cards
from hpenv.drawing.ansi import text_picture
from hpenv.errors import illegal_action
from hpenv.rules import Rules
from hpenv.training.cli.main import main
from hpenv.training.cli.play import last_game, own_folder
from hpenv.view import view_of
from table_talk import mixed, red

Printed = pytest.CaptureFixture[str]
COMMAND = [sys.executable, "-m", "hpenv.training.cli.main", "play"]
UNIFORM = ["--partner", "uniform", "--opponents", "uniform"]
LONE_MARCH = (
    "bid 4, pass, pass, pass, trump H, TS, alone, with partner, with partner, 9C, JC, AC, Jo, TH, 9D"
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Games that no file is named for are kept here."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return own_folder()


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

    def write(self, text: Any) -> None:
        self.said += f"{text}\n"

    def human(self, game: Game, **more: Any) -> Human:
        return Human(game, self.read, self.write, **more)


def first_offer(said: str) -> str:
    """The number of the first choice, or Enter after a deal."""
    asked = re.findall(
        r"^(?:you may say|you may play|name trump|discard one):  (\d)|^Enter", said, re.M
    )
    return asked[-1]


def typed(answers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(answers))


def shown(said: str) -> set[str]:
    """The cards named."""
    return set(re.findall(r"\b(?:[9TJQKA][CDHS]|Jo)\b", said))


# ---- what is shown ----------------------------------------------------------------------------


def test_a_hand_is_shown_suit_by_suit_trumps_first_and_what_may_be_played_is_marked() -> None:
    view = view_of(red("standard", "W", "bid 4, pass, pass, pass, trump H"), 0)
    assert str(hand_told(view, False)) == "hearts (trump) Jo JH AH KH   clubs AC   spades AS TS"
    assert str(hand_told(view, True)) == "♥ (trump) Jo JH AH KH   ♣ AC   ♠ AS TS"
    assert str(hand_told(view_of(red("standard", "W"), 0), False)) == (
        "Joker: Jo   clubs AC   hearts AH KH JH   spades AS"
    )
    table = red("standard", "W", "bid 4, pass, pass, pass, trump H, TS, with partner, Jo")
    assert str(hand_told(view_of(table, 1), False)) == (
        "hearts (trump) QH* TH*   clubs TC 9C   diamonds KD   spades 9S"
    )
    assert "*" not in str(hand_told(view_of(table, 2), False)), "it is not South's turn yet"


def test_the_situation_is_told() -> None:
    assert situation(view_of(red("standard", "W"), 0)) == ""
    alone = red("standard", "W", LONE_MARCH + ", JH")
    assert situation(view_of(alone, 1)) == (
        "North has bid 4; hearts trump; alone: North; tricks North-South 2, East-West 0; "
        "on the table North JH"
    )
    opening = red("standard", "W", "bid 4, pass, pass, pass, trump H, TS, with partner")
    assert situation(view_of(opening, 0)).endswith("hearts trump; you lead")
    assert situation(view_of(opening, 1)).endswith("hearts trump")


def test_tricks_are_told_with_who_won_them() -> None:
    view = view_of(red("standard", "W", LONE_MARCH), 2)
    assert [[CARD_TEXT[card] for _, card in trick] for trick in tricks_of(view)] == [
        ["9C", "JC", "AC"],
        ["Jo", "TH", "9D"],
    ]
    assert last_trick_told(view) == "trick 2: North Jo, East TH, West 9D; North won it"
    left_bower = "bid 4, pass, pass, pass, trump H, 9C, with partner, AH, KH, JD, JC"
    assert last_trick_told(view_of(mixed("standard", "W", left_bower), 0)).endswith("South won it")
    assert "No trick" in last_trick_told(view_of(red("standard", "W"), 0))


def test_in_the_auction_the_number_is_the_bid() -> None:
    view = view_of(red("pepper", "W", "bid 2"), 1)
    assert {number: ACTION_TEXT[action] for number, action in choices(view).items()} == {
        **{"0": "pass", "3": "bid 3", "4": "bid 4", "5": "bid 5", "6": "bid 6", "7": "big pepper"}
    }
    assert str(choices_told(view, True)) == (
        "you may say:  0 pass  3 bid 3  4 bid 4  5 bid 5  6 bid 6 (little pepper)  7 big pepper"
    )


@pytest.mark.parametrize("actions", ["bid 6", "bid 6, trump H", "bid 6, trump H, AC", LONE_MARCH])
def test_every_legal_action_can_be_chosen_by_its_number_and_by_its_text(actions: str) -> None:
    table = red("standard", "W", actions)
    view = view_of(table, int(table.to_act))
    offered = choices(view)
    assert list(offered) == [str(n) for n in range(1, 1 + len(set_cards(table.legal())))]
    assert sorted(offered.values()) == set_cards(table.legal())
    for number, action in offered.items():
        assert chosen(view, number) == action
        assert chosen(view, ACTION_TEXT[action].lower()) == action
        assert f"  {number} {ACTION_TEXT[action]}" in str(choices_told(view, False))


def test_suits_name_trump_and_symbols_stand_for_letters() -> None:
    view = view_of(red("standard", "W", "bid 6"), 0)
    for words in ("H", "hearts", "Hearts", "trump h", "♥", "trump ♥", "3"):
        assert ACTION_TEXT[chosen(view, words)] == "trump H"
    later = view_of(red("standard", "W", "bid 6, trump H"), 0)
    assert chosen(later, "a♣") == CARD_TEXT.index("AC")
    for words in ("hearts", "9", "²", "-1", "1.0"):
        with pytest.raises(ValueError, match=r"no such action|no choice"):
            chosen(later, words)
    over = view_of(red("standard", "W", "pass, pass, pass, pass"), 0)
    with pytest.raises(ValueError, match="the deal is over"):
        chosen(over, "1")


def test_hints_are_told_with_their_numbers() -> None:
    probabilities, points, spread = np.zeros(N_ACTIONS), np.full((2, N_ACTIONS), np.nan), None
    probabilities[[25, 28]] = 0.25, 0.75
    points[0, [25, 28, 29]] = -0.5, 1.25, -2
    points[1, [25, 28]] = 1, 2.5
    spread = points[1]
    told = hints_told(
        {
            "learned": Opinion(28, probabilities, points[1] * np.nan, points[1] * np.nan),
            "pimc": Opinion(28, probabilities, points[0], spread, 20),
        }
    )
    assert told.split("\n") == [
        "learned would choose bid 3",
        "  bid 3         75 %",
        "  pass          25 %",
        "pimc would choose bid 3 (looked at 20 worlds)",
        "  bid 3         75 %   +1.25 points, spread 2.50",
        "  pass          25 %   -0.50 points, spread 1.00",
        "  bid 4          0 %   -2.00 points",
    ]


# ---- a game -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", range(4))
def test_a_game_goes_to_the_target_and_every_action_is_told(seat: int) -> None:
    terminal = Terminal(first_offer)
    kept: list[Any] = []
    finished: list[Any] = []
    game = Game(Rules(target=4, defenders_score=True, bidding="pepper"), 7, seat, "uniform")
    human = terminal.human(game, keep=lambda g: kept.append(as_json(g)), finish=finished.append)
    human.play()
    assert game.is_over
    assert f"{('North-South', 'East-West')[game.view.winner]} win the game." in terminal.said
    assert finished == game.records
    assert kept[-1] == as_json(game)
    actions = sum(len(deal.actions) for deal in finished)
    assert len(re.findall(r"^(?:North|East|South|West): ", terminal.said, re.M)) == actions
    assert len(re.findall(r"won the trick$", terminal.said, re.M)) == 6 * sum(
        deal.actions[-1] < len(CARD_TEXT) for deal in finished
    )
    assert len(re.findall(r"^--- deal \d+: \w+ deals", terminal.said, re.M)) == len(finished)


def test_the_game_is_broken_off_at_the_cap_or_after_so_many_deals() -> None:
    terminal = Terminal(first_offer)
    terminal.human(Game(Rules(max_deals=2), 1, 0, "uniform")).play()
    assert "(R19)" in terminal.said
    game = Game(Rules(), 1, 0, "uniform")
    Terminal(first_offer).human(game).play(deals=3)
    assert game.view.deals_played == 3


@pytest.mark.parametrize("practice", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_the_discard_of_others_is_shown_after_a_practice_deal_only(seed: int, practice: bool) -> None:
    terminal = Terminal(lambda said: "cards" if "\nEnter" in said[-200:] else first_offer(said))
    game = Game("house", seed, 2, "uniform", practice)
    answers = iter(["last", "view", "hint", "score", "cards"])

    def answer(said: str) -> str:
        if game.deal_is_over:
            word = next(answers, None)
            if word is None:
                raise EOFError
            return word
        return first_offer(said)

    terminal.answers = answer
    with pytest.raises(Quit):
        terminal.human(game).play()
    discard = game._table.discard
    assert discard != NO_CARD
    seen = CARD_TEXT[discard] in shown(terminal.said)
    assert seen == (practice or game.view.maker == 2)
    during = terminal.said.split("\nEnter")[0]
    if game.view.maker != 2:
        assert CARD_TEXT[discard] not in shown(during)


def test_a_bad_entry_gets_a_sentence_and_the_question_stays() -> None:
    game = Game("standard", 3, 2, "rule_based")
    wrong = [action for action in range(N_ACTIONS) if not int(game.view.legal) >> action & 1]
    entries = ["", "foo", "bid 7", "99", "\x00\x1b[2J", "undo", "cards", "hint"]
    entries += [ACTION_TEXT[action] for action in wrong] + ["help", "?", "score", "last"]
    terminal = Terminal(list(entries))
    before = game._table.tobytes()
    with pytest.raises(Quit):
        terminal.human(game).play()
    assert game._table.tobytes() == before
    for action in wrong:
        assert f"{illegal_action(game._table, action)}\n" in terminal.said
    for sentence in (
        "no such action: 'foo'",
        "no such action: 'bid 7'",
        "there is no choice 99 here (there are 0, ",
        "no such action: '\\x00\\x1b[2J'",
        "in practice only",
        "cards: the deal is not over",
        "hint: no agent is named for hints",
        "Type the number before a choice",
        "score North-South 0, East-West 0; 10 points win",
        "No trick has been played yet.",
    ):
        assert sentence in terminal.said
    assert terminal.said.count("you may say:") == 1


def test_the_table_is_drawn_with_the_tricks_and_who_sits_where() -> None:
    game = Game("standard", 3, 2, ["uniform", "rule_based", None, "sensible_random"])
    while not game.view.tricks_played:
        game.do(choices(game.view)[first_number(game)]) if game.view.legal else game.next_deal()
    terminal = Terminal(["view"])
    with pytest.raises(Quit):
        terminal.human(game).play()
    assert text_picture(game.view) in terminal.said
    assert re.search(r"\nSouth \(you(, dealer)?\): ", terminal.said)
    assert re.search(r"\nNorth \(uniform, your partner(, dealer)?\): ", terminal.said)
    n = len(tricks_of(game.view))
    assert n >= 1
    assert re.findall(r"^trick (\d):", terminal.said, re.M) == [str(i) for i in range(1, n + 1)]


def test_every_command_is_in_the_help() -> None:
    terminal = Terminal(["help"])
    with pytest.raises(Quit):
        terminal.human(Game("standard", 3, 2, "rule_based")).play()
    for word in COMMANDS:
        assert re.search(rf"^(.*  )?{re.escape(word)} ", terminal.said, re.M) or word == "?"


def test_taking_back_shows_the_question_again() -> None:
    game = Game("standard", 3, 2, "rule_based", practice=True)
    kept: list[Any] = []
    terminal = Terminal(["0", "undo", "undo", "6", "undo"])
    with pytest.raises(Quit):
        terminal.human(game, keep=lambda g: kept.append(as_json(g))).play()
    assert terminal.said.count("Taken back.") == 2
    assert terminal.said.count("nothing in this deal yet") == 1
    questions = re.findall(r"^you may say:.*", terminal.said, re.M)
    assert questions[0] == questions[-1]
    assert kept[-1] == as_json(Game("standard", 3, 2, "rule_based", practice=True))


def test_ctrl_c_and_the_end_of_input_leave_the_table() -> None:
    def interrupt(said: str) -> str:
        raise KeyboardInterrupt

    answers: list[Any] = [interrupt, [], ["QUIT"], ["q"], ["exit"]]
    for answer in answers:
        with pytest.raises(Quit):
            Terminal(answer).human(Game("standard", 1, 1, "uniform")).play()


# ---- the command ------------------------------------------------------------------------------


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
    assert "Points North-South" in said.out
    assert "\x1b" not in said.out
    assert len(record.read_text().splitlines()) == 1
    assert main(["replay", str(record)]) == 0


def test_leaving_is_polite_and_leaves_no_file_where_nothing_was_done(
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


def test_a_game_left_is_resumed_where_it_was_and_its_own_file_goes_at_the_end(
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


def test_a_file_that_was_asked_for_stays_and_is_not_overwritten(
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
    assert not new.exists(), "what is refused leaves nothing behind"
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
    assert [json.loads(line)["dealer"] for line in record.read_text().splitlines()] == [
        "NESW"[(int(game.view.dealer) + n) % 4] for n in range(3)
    ]


def first_number(game: Game) -> str:
    return next(iter(choices(game.view)), "")


def test_where_nothing_can_be_kept_it_is_said_once_and_the_game_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    (tmp_path / "data").write_text("no folder")
    typed("\n".join(["0", *"123456"] * 20), monkeypatch)
    assert main(["play", *UNIFORM, "--seed", "3", "--deals", "1"]) == 0
    said = capsys.readouterr()
    assert said.err.count("the game cannot be kept") == said.err.count("\n") == 1
    assert "Points North-South" in said.out
    assert "To go on" not in said.out


# ---- as another process -----------------------------------------------------------------------


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
    told = re.findall(r"^(?:> )?(North|East|South|West): (.*)$", said.decode(), re.M)
    done = [
        (("North", "East", "South", "West")["NESW".index(seat)], action)
        for deal in game.so_far
        for seat, action in done_in(deal)
    ]
    assert [(seat, re.sub("discards", "", action)) for seat, action in told] == [
        (seat, "" if told[at][1] == "discards" else action) for at, (seat, action) in enumerate(done)
    ]
    assert game.view.legal or game.deal_is_over


def done_in(deal: Any) -> list[tuple[str, str]]:
    """Who did what in a deal."""
    from hpenv.notation import replay  # noqa: PLC0415

    turns = replay(deal).turns
    return [(seat, ACTION_TEXT[action]) for seat, action in zip(turns, deal.actions, strict=True)]


def test_bytes_that_are_no_text_get_a_sentence() -> None:
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
    said, limit = b"", time.monotonic() + 60

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
