"""Where a game is kept while it is played: one file, written after every action.

Two windows may have the same game open. Each compares the file with what it last read or wrote there
before it writes. A window that finds another's move goes on in a new file of its own and says so; the
other's game stays untouched. This takes no lock, so there is none to be left behind by a crash.
"""

import os
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path

from hpenv.agents.human.game import Game
from hpenv.agents.human.saved_game import game_of, read, save

NO_FOLDER = "there is no home folder; name a file with --save, or set HOME or XDG_DATA_HOME"


def own_folder() -> Path | None:
    """Where games are kept that no file was named for; None where there is no home folder."""
    if data := os.environ.get("XDG_DATA_HOME"):
        return Path(data) / "hpenv"
    try:
        return Path.home() / ".local" / "share" / "hpenv"
    except RuntimeError:  # neither HOME nor an entry in the list of users
        return None


def last_game() -> Path:
    """The game kept last. Raises ValueError if there is none."""
    folder = own_folder()
    if folder is None:
        raise ValueError("resume: there is no home folder with games; name the file")
    found = sorted(folder.glob("*.json"), key=lambda path: (path.stat().st_mtime, path.name))
    if not found:
        raise ValueError(f"resume: there is no game to go on with in {folder}")
    return found[-1]


def print_note(sentence: str) -> None:
    print(f"({sentence})", file=sys.stderr, flush=True)


class Keeper:
    """Keeps one game in a file.

    path: the file, or None if there is no place for one. is_own: the file was not asked for, so it is
    deleted when the game is over. known: its content, if this window has read it. notify:
    called with a sentence when the game cannot be kept, or is kept elsewhere from now on.
    """

    def __init__(
        self,
        path: Path | None,
        is_own: bool = False,
        known: bytes | None = None,
        notify: Callable[[str], None] = print_note,
    ) -> None:
        self.path, self.is_own, self.notify = path, is_own, notify
        self.notice = ""  # the last sentence
        self.failed = False
        self._known = known

    @classmethod
    def in_own_folder(cls, game: Game) -> "Keeper":
        """A place for a game that no file was named for."""
        return cls(_unused_path(game), is_own=True)

    @classmethod
    def resumed(cls, path: Path, elsewhere: Path | None = None) -> tuple[Game, "Keeper"]:
        """The game of a file, kept there from now on, or in the new file `elsewhere`.

        Raises what `read` and `game_of` raise, and ValueError if that is there already.
        """
        known = read(path)
        game = game_of(known, path)
        if elsewhere is not None and not (elsewhere.exists() and elsewhere.samefile(path)):
            check_unused(elsewhere)
            return game, cls(elsewhere)
        folder = own_folder()
        is_own = elsewhere is None and folder is not None and path.resolve().parent == folder.resolve()
        return game, cls(elsewhere or path, is_own, known)

    def write(self, game: Game) -> None:
        """Write the game into the file.

        Raises OSError if that fails, and ValueError if there is no file or another window has written
        there.
        """
        if self.path is None:
            raise ValueError(NO_FOLDER)
        if self.is_own:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        if self._is_changed():
            raise ValueError(f"{self.path} has been written by another window")
        self._known = save(game, self.path)

    def keep(self, game: Game) -> None:
        """Write the game, or say why it cannot be kept, once; the game goes on either way."""
        try:
            if self._is_changed():
                self._part(game)
            self.write(game)
            self.failed = False
        except (OSError, ValueError) as error:
            if not self.failed:
                where = f"{self.path}: {error.strerror}" if isinstance(error, OSError) else f"{error}"
                self._notify(f"the game cannot be kept: {where}")
            self.failed = True

    def farewell(self, game: Game) -> str:
        """How to go on with a game that is not over; our own file of one that is over is deleted."""
        if self.path is None or not self.path.exists():
            return ""
        if not game.is_over:
            return f"To go on: hpenv play --resume {shlex.quote(str(self.path))}\n"
        if self.is_own and not self._is_changed():
            self.path.unlink()
        return ""

    def _is_changed(self) -> bool:
        """Is there something in the file that this window has neither read nor written?"""
        try:
            return self.path is not None and read(self.path) != self._known
        except (FileNotFoundError, NotADirectoryError):
            return False

    def _part(self, game: Game) -> None:
        """Leave the file to the other window."""
        left, self.path, self.is_own = self.path, _unused_path(game), True
        self.failed = self.path is None  # and said here
        where = "is not kept" if self.failed else f"is kept in {self.path}"
        self._notify(f"another window has gone on with this game in {left}; what you do here {where}")

    def _notify(self, sentence: str) -> None:
        self.notice = sentence
        self.notify(sentence)


def check_unused(path: Path) -> None:
    """Raise ValueError if there is a file already."""
    if path.exists():
        raise ValueError(f"{path} is there already: --resume goes on with it")


def _unused_path(game: Game) -> Path | None:
    folder = own_folder()
    if folder is None:
        return None
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{game.seed}"
    path, n = folder / f"{name}.json", 1
    while path.exists():
        n += 1
        path = folder / f"{name}-{n}.json"
    return path
