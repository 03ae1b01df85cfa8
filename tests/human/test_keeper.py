"""Where a game is kept: two windows on one saved game, and machines where nothing can be kept."""

from __future__ import annotations

import json
import pwd
from pathlib import Path
from typing import Any

import pytest

from hpenv.agents.human.game import Game
from hpenv.agents.human.keeper import Keeper, last_game, own_folder
from hpenv.agents.human.saved_game import as_json, save
from hpenv.agents.human.web.session import Session
from hpenv.training.cli.main import main
from human_games import resume
from terminal import UNIFORM, Terminal, first_number, typed

Printed = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's own folder for games."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "hpenv"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A game just begun, in a file that the person named."""
    path = tmp_path / "game.json"
    save(Game("standard", 7, 2, "uniform", practice=True), path)
    return path


@pytest.fixture
def no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither HOME nor an entry in the list of users."""
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)

    def unknown(uid: int) -> Any:
        raise KeyError(uid)

    monkeypatch.setattr(pwd, "getpwuid", unknown)


class Window:
    """A window in which a saved game is open."""

    def __init__(self, path: Path) -> None:
        self.game, self.keeper = Keeper.resumed(path)
        self.notices: list[str] = []
        self.keeper.notify = self.notices.append

    def act(self) -> None:
        """One more action of the person."""
        if self.game.deal_is_over:
            self.game.next_deal()
        else:
            self.game.do(int(self.game.view.legal).bit_length() - 1)
        self.keeper.keep(self.game)

    @property
    def kept(self) -> Any:
        """The game as it is in this window's file."""
        assert self.keeper.path is not None
        return json.loads(self.keeper.path.read_text(encoding="utf-8"))


# ---- two windows on one game ------------------------------------------------------------------


def test_the_second_window_to_act_goes_on_in_a_file_of_its_own(file: Path, folder: Path) -> None:
    slow, quick = Window(file), Window(file)
    for _ in range(3):
        quick.act()
    before = file.read_bytes()
    slow.act()
    assert file.read_bytes() == before
    assert slow.kept == as_json(slow.game)
    assert slow.keeper.path != file
    assert slow.keeper.path is not None
    assert slow.keeper.path.parent == folder
    assert slow.notices == [
        f"another window has gone on with this game in {file}; "
        f"what you do here is kept in {slow.keeper.path}"
    ]
    for window in (quick, slow, slow, quick):
        window.act()
        assert quick.kept == as_json(quick.game)
        assert slow.kept == as_json(slow.game)
    assert quick.keeper.path == file
    assert (len(slow.notices), quick.notices) == (1, [])
    assert f"--resume {slow.keeper.path}\n" in slow.keeper.farewell(slow.game)


def test_three_windows_that_act_in_turn_lose_nothing(file: Path) -> None:
    windows = [Window(file) for _ in range(3)]
    for window in windows * 4:
        window.act()
    assert len({window.keeper.path for window in windows}) == 3
    for window in windows:
        assert window.kept == as_json(window.game)


def test_windows_that_only_look_change_nothing(file: Path) -> None:
    before = file.read_bytes()
    looking, acting = Window(file), Window(file)
    assert f"--resume {file}\n" in looking.keeper.farewell(looking.game)
    assert file.read_bytes() == before
    acting.act()
    assert f"--resume {file}\n" in looking.keeper.farewell(looking.game)
    assert acting.kept == as_json(acting.game)


def test_the_end_of_a_game_deletes_no_file_that_another_window_has_written(folder: Path) -> None:
    folder.mkdir(parents=True)
    path = folder / "game.json"
    save(Game({"max_deals": 1}, 7, 2, "uniform"), path)
    ended, other = Window(path), Window(path)
    while not ended.game.is_over:
        ended.act()
    other.act()
    assert ended.keeper.farewell(ended.game) == ""
    assert not path.exists()
    assert other.kept == as_json(other.game)


def test_a_page_and_a_terminal_on_one_game_say_who_has_gone_on(file: Path, capsys: Printed) -> None:
    """Whichever acts second says so, the page to its person too."""

    def page_acts(session: Session) -> Any:
        action = json.loads(session.state())["legal"][0]
        return json.loads(session.act(session.position, "S", action))

    game, kept = Keeper.resumed(file)
    session = Session(game, kept, Keeper.in_own_folder)
    typed_game, typed_kept = Keeper.resumed(file)
    human = Terminal([first_number(typed_game)]).human(typed_game, keep=typed_kept.keep)
    assert page_acts(session)["notice"] == ""
    human.game.watch = human.happen
    human.take_turn()
    said = capsys.readouterr().err
    assert said.startswith(f"(another window has gone on with this game in {file}; ")
    assert said.count("\n") == 1
    assert as_json(resume(file)) == as_json(game)
    assert typed_kept.path is not None
    assert as_json(resume(typed_kept.path)) == as_json(typed_game)
    again, again_kept = Keeper.resumed(file)
    Session(again, again_kept, Keeper.in_own_folder)
    page_acts(session)
    second = Session(again, again_kept, Keeper.in_own_folder)
    assert page_acts(second)["notice"] == again_kept.notice != ""
    assert json.loads(second.save())["told"] == f"kept in {again_kept.path}"
    assert as_json(resume(file)) == as_json(game)


def test_two_games_begun_in_one_second_get_two_files(folder: Path) -> None:
    games = [Game("standard", 7, 2, "uniform") for _ in range(3)]
    keepers = [Keeper.in_own_folder(game) for game in games]
    for game, keeper in zip(games, keepers, strict=True):
        keeper.notify = lambda sentence: None
        keeper.keep(game)
        game.do("pass")
        keeper.keep(game)
    assert len({keeper.path for keeper in keepers}) == len(list(folder.iterdir())) == 3


# ---- where nothing can be kept ----------------------------------------------------------------


def test_without_a_home_the_game_goes_on_and_says_once_that_it_is_not_kept(
    no_home: None, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    assert own_folder() is None
    typed("\n".join(["0", *"123456"] * 20), monkeypatch)
    assert main(["play", *UNIFORM, "--seed", "3", "--deals", "1"]) == 0
    said = capsys.readouterr()
    assert said.err == (
        "(the game cannot be kept: there is no home folder; "
        "name a file with --save, or set HOME or XDG_DATA_HOME)\n"
    )
    assert "You and North " in said.out
    assert "To go on" not in said.out


def test_without_a_home_there_is_no_last_game(no_home: None, capsys: Printed) -> None:
    with pytest.raises(ValueError, match="no home folder"):
        last_game()
    assert main(["play", "--resume", "last"]) == 2
    assert (
        capsys.readouterr().err == "hpenv: resume: there is no home folder with games; name the file\n"
    )


def test_without_a_home_a_named_file_is_kept(
    no_home: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    typed("0\n", monkeypatch)
    assert main(["play", *UNIFORM, "--save", str(tmp_path / "mine.json")]) == 0
    assert capsys.readouterr().err == ""
    other = Window(tmp_path / "mine.json")
    Window(tmp_path / "mine.json").act()
    other.act()
    assert other.notices == [
        f"another window has gone on with this game in {tmp_path / 'mine.json'}; "
        "what you do here is not kept"
    ]
    other.act()
    assert len(other.notices) == 1


def test_a_folder_that_cannot_be_made_is_named_once(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder")
    game = Game("standard", 7, 2, "uniform")
    notices: list[str] = []
    keeper = Keeper.in_own_folder(game)
    keeper.notify = notices.append
    keeper.keep(game)
    keeper.keep(game)
    assert len(notices) == 1
    assert notices[0].startswith(f"the game cannot be kept: {keeper.path}: ")
    (tmp_path / "data").unlink()
    keeper.keep(game)
    assert keeper.path is not None
    assert as_json(resume(keeper.path)) == as_json(game)
