"""A person at the terminal: is told what happened, sees its own view and types actions in notation."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from agents.agent import Agent, play_deals, streams_for
from hpenv.actions import FACE_DOWN, action_set_text, action_text, parse_action
from hpenv.cards import (
    CARD_TEXT,
    N_CARDS,
    NO_CARD,
    NO_SUIT,
    STRENGTH,
    SUIT_FOLLOWED,
    SUIT_NAMES,
    set_cards,
)
from hpenv.refusals import SEAT_NAMES, refusal
from hpenv.rulebook import NOBODY, is_truncated, new_game, next_deal
from hpenv.rules import Rules
from hpenv.table import TABLE, Table, new_tables
from hpenv.text import bid_text, seat_set_text
from hpenv.view import View, copy_public

HELP = """\
Type an action as it is listed: a card as rank then suit (TH, AS, Jo for the Joker), pass, bid 3,
big pepper, trump H, alone or with partner; any letter case. Also: view (all you know), help, quit."""


class Quit(Exception):
    """The person has left the table."""


class Human:
    """Asks a person for each action of its seat. Raises Quit when the person leaves."""

    def __init__(
        self,
        name: str = "human",
        read: Callable[[str], str] = input,
        write: Callable[[str], None] = print,
    ) -> None:
        self.name = name
        self.read = read
        self.write = write
        self.told = 0  # actions of this deal the person has been told of
        self.trick = 0  # the trick of the last card told, 1..6; 0 before the first

    def act(self, views: Any, streams: Any) -> Any:
        return np.array([self.choose(view) for view in views], np.int64)

    def choose(self, view: View) -> int:
        """One legal action for one view."""
        self.tell(view)
        self.write(f"\n{SEAT_NAMES[view.seat]} holds {hand_text(view)}")
        if situation(view):
            self.write(situation(view))
        self.write(f"you may: {', '.join(action_set_text(view.legal))}")
        while True:
            action = self.answer(view)
            if action is not None:
                return action

    def answer(self, view: View) -> int | None:
        """Read one line: a legal action, or None if it was something else and has been dealt with."""
        try:
            words = self.read("> ").strip()
        except (EOFError, KeyboardInterrupt):
            raise Quit from None
        if words.lower() in ("quit", "exit", "q"):
            raise Quit
        if words.lower() in ("help", "?", "h"):
            self.write(HELP)
        elif words.lower() in ("view", "v"):
            self.write(str(view))
        elif words:
            try:
                action = parse_action(words, int(view.hand_size))
            except ValueError as error:
                self.write(f"{error}; help explains")
                return None
            if int(view.legal) >> action & 1:
                return action
            self.write(f"{refusal(known_table(view), action)}")
        return None

    def tell(self, record: Any) -> None:
        """Tell what has happened since the last time, from a view or a table."""
        n = int(record.history_length)
        if n < self.told:
            self.start_deal()
        for seat, action in zip(
            record.history_seat[self.told : n], record.history[self.told : n], strict=True
        ):
            who = SEAT_NAMES[seat]
            if action < N_CARDS and record.played_in[action] > self.trick:
                if self.trick:
                    self.write(f"{who} won the trick")
                self.trick = int(record.played_in[action])
            self.write(f"{who}: {'discards' if action == FACE_DOWN else action_text(int(action))}")
        self.told = n

    def start_deal(self) -> None:
        """Forget the deal before."""
        self.told = 0
        self.trick = 0


def hand_text(view: View) -> str:
    """The hand suit by suit, trumps first, best first."""
    trump = int(view.trump)

    def place(card: int) -> tuple[bool, int, int]:
        suit = int(SUIT_FOLLOWED[trump, card])
        return suit != trump, suit, -int(STRENGTH[trump, suit, card])

    return " ".join(CARD_TEXT[card] for card in sorted(set_cards(view.hand), key=place))


def situation(view: View) -> str:
    """The contract, the tricks won and the trick on the table, as far as there are any."""
    parts = []
    if view.maker != NOBODY:
        parts.append(f"{SEAT_NAMES[view.maker]} has {bid_text(view.bid)}")
    if view.trump != NO_SUIT:
        parts.append(f"{SUIT_NAMES[view.trump]} trump")
    if view.alone:
        parts.append(f"alone: {seat_set_text(view.alone)}")
    if view.tricks_played:
        parts.append(f"tricks North-South {view.tricks[0]}, East-West {view.tricks[1]}")
    if view.cards_in_trick:
        cards = [f"{SEAT_NAMES[s]} {CARD_TEXT[c]}" for s, c in enumerate(view.trick) if c != NO_CARD]
        parts.append(f"on the table {', '.join(cards)}")
    elif view.leader == view.seat:
        parts.append("you lead")
    return "; ".join(parts)


def known_table(view: View) -> Table:
    """A table with what a view knows and nothing else, to say why an action is illegal."""
    table: Any = np.zeros(1, TABLE)[0]
    copy_public(table, view)  # type: ignore[arg-type]
    table.hands[view.seat] = view.hand
    return table  # type: ignore[no-any-return]


# ---- a game with a person in it ---------------------------------------------------------------


def play_game(
    human: Human,
    seat: int,
    agents: Sequence[Agent],
    rules: Rules,
    seed: int,
    deals: int | None = None,
    keep: Callable[[Table], None] | None = None,
) -> Table:
    """Play a game with a person in one of the seats, or stop after so many deals; gives the table.

    agents: one for each seat; that of the person's own seat is not asked. keep: told of the table after
    every deal. Raises Quit when the person leaves.
    """
    tables, streams = new_tables(1, rules, seed), streams_for(seed, 1)
    table: Table = tables[0]
    seated = [human if s == seat else agent for s, agent in enumerate(agents)]
    new_game(table, NOBODY, 0, 0)
    while True:
        human.start_deal()
        human.write(
            f"\n--- deal {table.deals_played + 1}: {SEAT_NAMES[table.dealer]} deals; score "
            f"North-South {table.score[0]}, East-West {table.score[1]} ---"
        )
        play_deals(tables, seated, streams)
        human.tell(table)
        human.write("\n" + deal_result(table))
        if keep:
            keep(table)
        if table.winner != NOBODY or is_truncated(table) or table.deals_played == deals:
            return table
        next_deal(table)


def deal_result(table: Table) -> str:
    """How a finished deal came out; the discard stays secret (R8)."""
    if table.maker == NOBODY:
        return "Everybody passed: the deal is thrown in."
    makers = int(table.maker) & 1
    tricks, called = int(table.tricks[makers]), min(int(table.bid), int(table.hand_size))
    lines = [
        f"{SEAT_NAMES[table.maker]} had {bid_text(table.bid)}; tricks North-South {table.tricks[0]}, "
        f"East-West {table.tricks[1]}: {'made' if tricks >= called else 'set'}.",
        f"Points North-South {table.points[0]}, East-West {table.points[1]}; "
        f"score {table.score[0]} to {table.score[1]}.",
    ]
    if table.winner != NOBODY:
        lines.append(f"{('North-South', 'East-West')[table.winner]} win the game.")
    elif is_truncated(table):
        lines.append(f"After {table.deals_played} deals nobody has won: the game is broken off (R19).")
    return "\n".join(lines)
