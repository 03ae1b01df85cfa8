"""A person at the terminal: reads what happens, sees its own view and types its actions."""

from collections.abc import Callable, Sequence

from rich.text import Text

from hpenv.actions import BIG_PEPPER, FACE_DOWN
from hpenv.agents.human.game import Event, Game
from hpenv.agents.human.looking_back import analysis_text, sheet_text
from hpenv.agents.human.messages import (
    choices_text,
    chosen,
    greeting,
    hand_text,
    hints_text,
    last_trick_text,
    open_cards_text,
    score_text,
    seats_text,
    tricks_text,
    widow_text,
)
from hpenv.agents.human.table_text import table_text
from hpenv.agents.human.words import prompt
from hpenv.cards import set_cards
from hpenv.errors import IllegalAction
from hpenv.notation import Record
from hpenv.rulebook import DEFENDER_ALONE, MAKER_ALONE, NAME_TRUMP, PLAY
from hpenv.seats import NOBODY, SEAT_NAMES

HELP = """\
Type the number before a choice, or the action itself: a card as rank then suit (TH, AS, Jo for the
Joker), pass, bid 3, big pepper, trump H, alone or with partner; any letter case. A star marks the
cards you may play. In the auction the number is the bid, and 0 passes.
  hint   what agents would do here       undo   take your last action back (in practice)
  view   the table and all tricks        last   the last trick
  cards  after a deal: the cards         score  the score
  sheet  the score of every deal         help   this text
  analysis  what the choices of the last finished deal lost
  quit   leave; Ctrl-D and Ctrl-C too"""

QUIT = ("quit", "exit", "q")


class Quit(Exception):
    """The person has left the table."""


class Human:
    """A game shown at the terminal.

    hints: names of the agents asked for a hint. symbols: suits as symbols. plays_forced: a card that
    is the only legal one plays itself. keep: called with the game after every action. finish: called
    with the record of every finished deal.
    """

    def __init__(
        self,
        game: Game,
        read: Callable[[str], str] = input,
        write: Callable[[Text | str], None] = print,
        hints: Sequence[str] = (),
        symbols: bool = False,
        plays_forced: bool = False,
        keep: Callable[[Game], None] = lambda game: None,
        finish: Callable[[Record], None] = lambda record: None,
    ) -> None:
        self.game = game
        self.read = read
        self.write = write
        self.hints = hints
        self.symbols = symbols
        self.plays_forced = plays_forced
        self.keep = keep
        self.finish = finish
        self.deals: int | None = None  # how many are played
        self.announced = 0  # the deal last announced

    def play(self, deals: int | None = None, resumed: bool = False) -> None:
        """Play the game to its end, or until so many deals of it are played.

        resumed: the game was begun before, so that what it holds has been kept already. Raises Quit
        when the person leaves.
        """
        game, self.deals = self.game, deals
        for event in game.events:
            self.show_event(event)
        if game.deal_is_over and not resumed:
            self.finish(game.records[-1])
        game.watch = self.happen
        while True:
            if self.plays_forced and self.forced_card() is not None:
                self.game.do(self.forced_card() or 0)
                continue
            self.show()
            if not self.take_turn():
                continue
            if self.is_last():
                return
            game.next_deal()
            self.keep(game)

    def forced_card(self) -> int | None:
        """The only card that may be played now, or None."""
        view = self.game.view
        legal = set_cards(int(view.legal))
        return legal[0] if view.phase == PLAY and len(legal) == 1 else None

    def is_last(self) -> bool:
        """Is the deal that is over the last one to be played now?"""
        return self.game.is_over or (
            self.deals is not None and self.game.view.deals_played >= self.deals
        )

    def take_turn(self) -> bool:
        """Read lines until something is done or taken back; True if the person goes on from the end of
        a deal."""
        game = self.game
        while True:
            words = self.line()
            word = words.lower()
            if not words and game.deal_is_over:
                return True
            if word in COMMANDS:
                try:
                    self.write(COMMANDS[word](self))
                except ValueError as error:
                    self.write(f"{error}")
                    continue
            if word == "undo" or (word not in COMMANDS and words and self.do(words)):
                return False

    def line(self) -> str:
        """What the person types."""
        try:
            words = self.read("> ").strip()
        except (EOFError, KeyboardInterrupt):
            raise Quit from None
        if words.lower() in QUIT:
            raise Quit
        return words

    def do(self, words: str) -> bool:
        """Do the action that words name; False, after a sentence, if it is none or not legal."""
        try:
            action = chosen(self.game.view, words)
        except ValueError as error:
            self.write(f"{error}; help explains")
            return False
        try:
            self.game.do(action)
        except IllegalAction as error:
            if self.game.view.to_act not in (self.game.seat, NOBODY):
                raise  # the error is an agent's
            self.write(f"{error}")
            return False
        return True

    # ---- showing ------------------------------------------------------------------------------

    def greet(self) -> None:
        """The rules, the seed, and who sits where."""
        game = self.game
        practice = ", practice" if game.practice else ""
        self.write(f"Hasenpfeffer, {game.rules.name()}, seed {game.seed}{practice}. help explains.")
        self.write(greeting(game))

    def happen(self, event: Event) -> None:
        """An action has been done: keep the game and show the action."""
        self.keep(self.game)
        self.show_event(event)
        if self.game.deal_is_over:
            self.finish(self.game.records[-1])

    def announce(self) -> None:
        """A new deal: who deals, and the score before it."""
        view = self.game.view
        number = int(view.deals_played) + (not self.game.deal_is_over)
        if number == self.announced:
            return
        self.announced = number
        before = [int(score - points) for score, points in zip(view.score, view.points, strict=True)]
        self.write(
            f"\n--- deal {number}: {SEAT_NAMES[view.dealer]} deals; score "
            f"North-South {before[0]}, East-West {before[1]} ---"
        )

    def show_event(self, event: Event) -> None:
        """`South: TH`, and who won the trick that it completed."""
        self.announce()
        who = SEAT_NAMES[event.seat]
        done = "discards" if event.action == FACE_DOWN else event.text
        self.write(Text(f"{who}: ").append(done, "bold"))
        if event.view.phase == NAME_TRUMP and event.action <= BIG_PEPPER:
            self.write(widow_text(event.view))
        if event.trick_won_by >= 0:
            self.write(Text(f"{SEAT_NAMES[event.trick_won_by]} won the trick", "green"))

    def show(self) -> None:
        """What the person has before it: the table, the hand and the choices, or the result."""
        game, view = self.game, self.game.view
        self.announce()
        if game.deal_is_over:
            self.write(Text(f"\n{game.result}", "bold"))
            self.write(seats_text(view, game.agents))
            after = "ends" if self.is_last() else "goes on"
            undo = "undo takes your last action back, " if game.practice else ""
            more = "cards shows the cards, analysis what choices lost"
            self.write(f"Enter {after}; {more}, {undo}quit leaves")
            return
        self.write(Text("\n").append_text(table_text(view, game.agents)))
        self.write(Text("\nyou hold ").append_text(hand_text(view, self.symbols)))
        if view.phase in (MAKER_ALONE, DEFENDER_ALONE):
            self.write(prompt(view))
        self.write(choices_text(view, self.symbols))

    def undo(self) -> str:
        self.game.undo()
        while self.plays_forced and self.forced_card() is not None:
            self.game.undo()  # else the card would play itself again
        self.keep(self.game)
        return "Taken back."

    def hint(self) -> str:
        if not self.hints:
            raise ValueError("hint: no agent is named for hints")
        return hints_text(self.game.hint(self.hints))

    def cards(self) -> str:
        return open_cards_text(self.game.open_cards, self.game.practice)

    def all_known(self) -> Text:
        view = self.game.view
        text = table_text(view, self.game.agents).append(f"\n\n{seats_text(view, self.game.agents)}")
        for line in tricks_text(view):
            text.append(f"\n{line}")
        return text


COMMANDS: dict[str, Callable[[Human], Text | str]] = {
    "help": lambda human: HELP,
    "?": lambda human: HELP,
    "hint": Human.hint,
    "undo": Human.undo,
    "last": lambda human: last_trick_text(human.game.view),
    "cards": Human.cards,
    "view": Human.all_known,
    "score": lambda human: score_text(human.game.view),
    "sheet": lambda human: sheet_text(human.game),
    "analysis": lambda human: analysis_text(human.game),
}
