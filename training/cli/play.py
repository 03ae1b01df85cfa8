"""`hpenv play`: a game with a person at the terminal, kept in a file as it goes."""

import os
import secrets
import sys
from dataclasses import dataclass
from errno import ENOENT
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from rich.console import Console
from tyro.conf import arg

from hpenv.training.cli.rules_option import one_rules
from hpenv.training.cli.shown import FLAG, given

if TYPE_CHECKING:
    from hpenv.agents.human.game import Game
    from hpenv.agents.human.keeper import Keeper
    from hpenv.notation import Record

SEAT_OPTIONS = ("north", "east", "south", "west")
LAST = "last"  # instead of a file: the game played last
DEFAULT_AGENT = "rule_based"
DEFAULT_HINTS = ("learned", "pimc")


@dataclass
class Options:
    """Play a game at the terminal with agents in the other seats.

    You type the number of a choice or the action itself; help explains, quit or Ctrl-D leaves. The game
    is kept after every action and can be resumed. With the same seed the cards are the same again.

    examples:
      hpenv play
      hpenv play --seat N --partner learned --opponents rule_based --rules house
      hpenv play --practice --hints learned rule_based
      hpenv play --deals 1 --seed 7 --record mine.jsonl
      hpenv play --resume last
      hpenv play --web --practice
    """

    seat: Annotated[Literal["N", "E", "S", "W"] | None, given("{N,E,S,W}", "S")] = None
    """Yours."""
    partner: Annotated[str | None, given("AGENT", DEFAULT_AGENT)] = None
    """The agent opposite."""
    opponents: Annotated[str | None, given("AGENT", DEFAULT_AGENT)] = None
    """The agent of the other two seats."""
    north: Annotated[str | None, given("AGENT")] = None
    """The agent of this seat, whatever else is said."""
    east: Annotated[str | None, given("AGENT")] = None
    """Likewise."""
    south: Annotated[str | None, given("AGENT")] = None
    """Likewise."""
    west: Annotated[str | None, given("AGENT")] = None
    """Likewise."""
    rules: Annotated[str | None, given("PRESET", "standard")] = None
    """A preset, or options as a JSON object."""
    practice: Annotated[bool, FLAG] = False
    """Actions can be taken back; after a deal all cards can be seen and every choice is analysed."""
    forced: Annotated[bool, FLAG] = False
    """At the terminal: a card that is the only legal one plays itself."""
    hints: Annotated[tuple[str, ...], arg(metavar="AGENT ...")] = DEFAULT_HINTS
    """The agents that give hints."""
    deals: Annotated[int | None, given("INT")] = None
    """Stop after so many deals; without it a whole game is played."""
    seed: Annotated[int | None, given("INT")] = None
    """Chooses the cards and everything random; at random if not given."""
    record: Annotated[Path | None, given("FILE")] = None
    """Add each finished deal, all cards included, to this file, for hpenv replay."""
    save: Annotated[Path | None, given("FILE")] = None
    """Keep the game in this new file; else it is kept in a folder of yours until it is over."""
    resume: Annotated[Path | None, given("FILE")] = None
    """Go on with the game in this file, or with the last one: --resume last."""
    web: Annotated[bool, FLAG] = False
    """Play on a page in the browser instead, served to this machine only."""
    port: Annotated[int, given("PORT")] = 0
    """The page's port; without it any that is free."""
    no_open: Annotated[bool, FLAG] = False
    """Only print the page's address; the browser is not opened."""


def run(options: Options) -> None:
    """Play the game to its end, or until the person leaves."""
    from hpenv.agents.agent import make_player  # noqa: PLC0415

    if options.deals is not None and options.deals < 1:
        raise ValueError(f"deals: {options.deals} is less than 1")
    if options.web and options.deals is not None:
        raise ValueError("deals: on the page you stop when you like; leave --deals out")
    if not options.web and (options.port or options.no_open):
        raise ValueError("port, no-open: these are for the page; add --web")
    for path in (options.record, options.save):
        if path and not path.parent.is_dir():  # said before the agents play, which may compile
            raise FileNotFoundError(ENOENT, os.strerror(ENOENT), str(path))
    if options.hints != DEFAULT_HINTS:  # the default is made when it is asked: torch takes seconds
        for name in options.hints:
            make_player(name)
    game, keeper = resumed(options) if options.resume else begun(options)
    if options.record:
        options.record.open("a", encoding="utf-8").close()
    if options.save:
        keeper.write(game)
    if options.web:
        at_a_page(options, game, keeper)
    else:
        at_the_terminal(options, game, keeper)


def at_the_terminal(options: Options, game: "Game", keeper: "Keeper") -> None:
    from hpenv.agents.human.keyboard import read_line  # noqa: PLC0415
    from hpenv.agents.human.terminal import Human, Quit  # noqa: PLC0415
    from hpenv.agents.human.wrapping import wrapped  # noqa: PLC0415

    for stream in (sys.stdin, sys.stdout):
        if hasattr(stream, "reconfigure"):  # bytes that are no text shall be told, not raise
            stream.reconfigure(errors="replace")
    console = Console()
    human = Human(
        game,
        read=read_line,
        write=lambda text: console.print(
            wrapped(text, console.width) if console.is_terminal else text,
            markup=False,
            highlight=False,
            soft_wrap=True,
        ),
        hints=options.hints,
        symbols=has_symbols(console),
        plays_forced=options.forced,
        keep=keeper.keep,
        finish=lambda record: add_record(options.record, record),
    )
    human.greet()
    try:
        human.play(options.deals, resumed=options.resume is not None)
    except (Quit, KeyboardInterrupt):
        print()
        if not game.is_over:
            print("You have left the table.")
    print(f"{keeper.farewell(game)}Good-bye.")


def at_a_page(options: Options, game: "Game", keeper: "Keeper") -> None:
    from hpenv.agents.human.keeper import Keeper  # noqa: PLC0415
    from hpenv.training.cli.web_play import play_in_browser  # noqa: PLC0415

    play_in_browser(
        game,
        keeper,
        begin=Keeper.in_own_folder,
        hints=options.hints,
        finish=lambda record: add_record(options.record, record),
        resumed=options.resume is not None,
        port=options.port,
        is_opened=not options.no_open,
    )


# ---- the game ---------------------------------------------------------------------------------


def begun(options: Options) -> tuple["Game", "Keeper"]:
    """A new game, and where it is kept."""
    from hpenv.agents.human.game import Game  # noqa: PLC0415
    from hpenv.agents.human.keeper import Keeper, check_unused  # noqa: PLC0415
    from hpenv.seats import SEAT_LETTERS  # noqa: PLC0415

    seat = SEAT_LETTERS.index(options.seat or "S")
    if getattr(options, SEAT_OPTIONS[seat]) is not None:
        raise ValueError(f"{SEAT_OPTIONS[seat]}: that seat is yours, no agent plays it")
    agents = [
        getattr(options, name)
        or (options.partner if s % 2 == seat % 2 else options.opponents)
        or DEFAULT_AGENT
        for s, name in enumerate(SEAT_OPTIONS)
    ]
    if options.save:
        check_unused(options.save)
    seed = secrets.randbelow(1_000_000) if options.seed is None else options.seed
    game = Game(one_rules(options.rules or "standard"), seed, seat, agents, options.practice)
    if options.save:
        return game, Keeper(options.save)
    return game, Keeper.in_own_folder(game)


def resumed(options: Options) -> tuple["Game", "Keeper"]:
    """The game of a file, and where it is kept from now on."""
    from hpenv.agents.human.keeper import Keeper, last_game  # noqa: PLC0415

    told = ("seat", "partner", "opponents", *SEAT_OPTIONS, "rules", "practice", "seed")
    for name in told:
        if getattr(options, name) not in (None, False):
            raise ValueError(f"{name}: the game resumed has its own; leave --{name} out")
    path = options.resume or Path(LAST)
    return Keeper.resumed(last_game() if path == Path(LAST) else path, options.save)


# ---- the terminal -----------------------------------------------------------------------------


def add_record(path: Path | None, record: "Record") -> None:
    from hpenv.notation import record_text  # noqa: PLC0415

    if path:
        with path.open("a", encoding="utf-8") as file:
            file.write(record_text(record) + "\n")


def has_symbols(console: Console) -> bool:
    """Can the terminal show the symbols of the suits?"""
    from hpenv.agents.human.messages import SYMBOLS  # noqa: PLC0415

    try:
        SYMBOLS.encode(console.encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return console.is_terminal
