"""A game with one person in it and agents in the other seats, without an interface.

An interface (the terminal, a page in a browser) shows `view` and the `events`, and calls `do` with the
person's actions. It never gets the table: only views, public actions, and after a deal the cards that
may be shown.

Every decision of an agent has a random stream of its own, made from the seed, the deal and the number
of actions before it. So a saved game needs the actions only and goes on as it would have, and an action
taken back and done again has the same consequences.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpenv.actions import ACTION_TEXT, action_text, parse_action
from hpenv.agents.agent import Agent, make_player, streams_for, whole_numbers
from hpenv.agents.human.words import has_ended, result_words
from hpenv.agents.opinion import Opinion, opinion_of
from hpenv.cards import NO_CARD, set_cards
from hpenv.compiled import MASK64
from hpenv.errors import IllegalAction
from hpenv.notation import Record, record_of
from hpenv.rulebook import DEAL_OVER, new_game, next_deal
from hpenv.rules import Rules, get_rules
from hpenv.seats import N_SEATS, NOBODY, SEAT_NAMES
from hpenv.table import HISTORY, Table, new_tables
from hpenv.view import VIEW, View, see, view_of


@dataclass(frozen=True)
class Event:
    """One action at the table, as everybody sees it.

    deal: its number in the game, from 1. seat: who acted. action: its number, FACE_DOWN for a discard.
    text: in notation. trick_won_by: the seat that won the trick completed by this card, or NOBODY.
    view: the person's, after it.
    """

    deal: int
    seat: int
    action: int
    text: str
    trick_won_by: int
    view: View


@dataclass(frozen=True)
class OpenCards:
    """The cards shown after a deal, lowest number first.

    hands: each seat's, or None where they stay hidden. widow, discard: the card, or None likewise.
    """

    hands: tuple[tuple[int, ...] | None, ...]
    widow: int | None
    discard: int | None


def player(name: str) -> Agent:
    """An agent for a seat or for a hint. Raises ValueError with a sentence for a name that is none, and
    for an agent that needs a package which is not installed."""
    try:
        return make_player(name)
    except ModuleNotFoundError as error:
        raise ValueError(str(error)) from None


class Game:
    """A game from its first deal on, or from what was done in it already.

    rules: as `get_rules` takes them. seat: the person's, 0..3. agents: a name for each of the four
    seats (see `make_player`), or one for all; that of the person's own seat is not asked. practice:
    actions can be taken back, and all cards are shown after a deal. deals: what was done already,
    every action in notation, deal by deal.

    Raises ValueError with a sentence for anything that is wrong with them.
    """

    def __init__(
        self,
        rules: Rules | str | dict[str, Any],
        seed: int,
        seat: int,
        agents: Sequence[str | None] | str,
        practice: bool = False,
        deals: Sequence[Sequence[str]] = (),
    ) -> None:
        self.rules = get_rules(rules)
        self.seed = _whole("seed", seed, MASK64)
        self.seat = _whole("seat", seat, N_SEATS - 1)
        if type(practice) is not bool:
            raise ValueError(f"practice: {practice!r} is neither true nor false")
        self.practice = practice
        self.agents = _named(agents, self.seat)
        self.watch: Callable[[Event], None] | None = None  # called with every event as it happens
        self.events: list[Event] = []  # since the person last acted, or the deal began
        self._made: dict[str, Agent] = {}
        for name in filter(None, self.agents):
            self._agent(name)
        self._table: Table = new_tables(1, self.rules, self.seed)[0]
        new_game(self._table, NOBODY, 0, 0)
        self._dealt = self._table.copy()  # the deal before its first action
        self._past: list[Record] = []
        self._replay(deals)
        self.go_on()

    # ---- what an interface may see ------------------------------------------------------------------

    @property
    def view(self) -> View:
        """All that the person knows, its legal actions included (none when the deal is over)."""
        return view_of(self._table, self.seat)

    @property
    def deal_is_over(self) -> bool:
        return bool(self._table.phase == DEAL_OVER)

    @property
    def is_over(self) -> bool:
        """A side has won, or the game is broken off after `max_deals` deals (R18, R19)."""
        return self.deal_is_over and has_ended(self._table)

    @property
    def cards_are_open(self) -> bool:
        """May all the cards of a finished deal be seen: in practice, or when the game is over?"""
        return self.practice or self.is_over

    @property
    def result(self) -> str:
        """How the finished deal came out, in sentences."""
        self._check_deal_is_over("result")
        return "\n".join(result_words(self._table, self.seat))

    @property
    def records(self) -> list[Record]:
        """The finished deals with all cards, the secret discards too: for files, not for the person."""
        return self.so_far if self.deal_is_over else list(self._past)

    @property
    def so_far(self) -> list[Record]:
        """The finished deals and the current one, all cards included: for files, not for the person."""
        return [*self._past, record_of(self._table)]

    @property
    def open_cards(self) -> OpenCards:
        """The cards of the finished deal that may be seen now.

        In practice the hands as dealt, the widow and the discard. Else the cards each seat has played
        and the person's own: a discard stays secret, the hand of a seat that sat out hidden (R8, R9).
        """
        self._check_deal_is_over("cards")
        view = self.view
        if self.practice:
            hands: tuple[Any, ...] = record_of(self._table).hands
            widow, discard = self._table.widow, self._table.discard
        else:
            held = [int(played) for played in view.played]
            held[self.seat] |= int(view.hand)
            hands = tuple(tuple(set_cards(cards)) or None for cards in held)
            widow, discard = view.widow, view.discard
        return OpenCards(
            hands,
            *(None if card == NO_CARD else int(card) for card in (widow, discard)),
        )

    def hint(self, names: Iterable[str], seed: int = 1) -> dict[str, Opinion]:
        """What agents, by name, think of the person's view. Raises ValueError if it is not to act."""
        view = self.view
        if not view.legal:
            raise ValueError("hint: it is not your turn")
        return {name: opinion_of(self._agent(name), view, seed) for name in names}

    # ---- what a person may do -----------------------------------------------------------------

    def do(self, action: int | str) -> list[Event]:
        """Do the person's action, a number or notation, and let the agents act until the person is to
        act again or the deal is over. Returns what happened, the person's own action first.

        Raises IllegalAction with a sentence, and nothing has happened, if the rules forbid it;
        ValueError for a text that names no action.
        """
        if isinstance(action, str):
            action = parse_action(action, self.rules.hand_size)
        if self._table.to_act not in (self.seat, NOBODY):
            raise ValueError(f"it is {SEAT_NAMES[self._table.to_act]}'s turn")
        before, self.events = self.events, []
        try:
            self._put(action)
        except IllegalAction:
            self.events = before
            raise
        return self.go_on()

    def go_on(self) -> list[Event]:
        """Let the agents act until the person is to act or the deal is over; needed by itself only
        where an agent failed before. Returns the events since the person last acted."""
        while self._table.to_act not in (self.seat, NOBODY):
            seat = int(self._table.to_act)
            agent = self._agent(self.agents[seat] or "")
            views = np.zeros(1, VIEW)
            see(self._table, seat, views[0])
            action = int(whole_numbers(agent, views, self._stream(seat))[0])
            try:
                self._put(action)
            except IllegalAction as error:  # its own sentence would name cards
                raise IllegalAction(
                    error.rule, f"agent {agent.name} breaks rule {error.rule}"
                ) from None
        return self.events

    def next_deal(self) -> list[Event]:
        """Deal again after a finished deal and let the agents act up to the person's turn."""
        self._check_deal_is_over("next deal")
        if self.is_over:
            raise ValueError("next deal: the game is over")
        self._deal_again()
        return self.go_on()

    def undo(self) -> None:
        """In practice, take back the person's last action of this deal and all that came after it."""
        if not self.practice:
            raise ValueError("undo: an action is taken back in practice only")
        seats = self._table.history_seat[: self._table.history_length].tolist()
        if self.seat not in seats:
            raise ValueError("undo: you have done nothing in this deal yet")
        last = len(seats) - 1 - seats[::-1].index(self.seat)
        actions = record_of(self._table).actions[:last]
        self._table, self.events = self._dealt.copy(), []
        for action in actions:
            self._table.step(action)

    # ---- internals ------------------------------------------------------------------------------

    def _agent(self, name: str) -> Agent:
        if name not in self._made:
            self._made[name] = player(name)
        return self._made[name]

    def _stream(self, seat: int) -> Any:
        """The random stream of the next decision, shape (1,)."""
        decision = (HISTORY + 1) * len(self._past) + int(self._table.history_length)
        return streams_for(self.seed, 1, decision)[:, seat].copy()

    def _put(self, action: int, is_watched: bool = True) -> None:
        table = self._table
        seat, tricks, at = int(table.to_act), int(table.tricks_played), int(table.history_length)
        table.step(action)
        seen = int(table.history[at])
        won = NOBODY
        if table.tricks_played > tricks:
            won = int(table.winning_seat if table.phase == DEAL_OVER else table.leader)
        event = Event(len(self._past) + 1, seat, seen, action_text(seen), won, self.view)
        self.events.append(event)
        if self.watch and is_watched:
            self.watch(event)

    def _deal_again(self) -> None:
        self._past.append(record_of(self._table))
        next_deal(self._table)
        self._dealt = self._table.copy()
        self.events = []

    def _replay(self, deals: Sequence[Sequence[str]]) -> None:
        """Do what was done already. An error names no card but the action's own."""
        for number, words in enumerate(deals, 1):
            if number > 1:
                if not self.deal_is_over:
                    raise ValueError(f"deal {number - 1} is not over, and deal {number} follows")
                if self.is_over:
                    raise ValueError(f"the game is over after deal {number - 1}, and another follows")
                self._deal_again()
            for at, word in enumerate(words, 1):
                where = f"deal {number}, action {at}, {word!r}"
                if word not in ACTION_TEXT:
                    raise ValueError(f"{where}: no such action")
                try:
                    self._put(ACTION_TEXT.index(word), is_watched=False)
                except IllegalAction as error:
                    raise ValueError(f"{where}: not legal there ({error.rule})") from None

    def _check_deal_is_over(self, what: str) -> None:
        if not self.deal_is_over:
            raise ValueError(f"{what}: the deal is not over")


def _whole(what: str, value: Any, highest: int) -> int:
    if type(value) is not int or not 0 <= value <= highest:
        raise ValueError(f"{what}: {value!r} is not a whole number from 0 to {highest}"[:120])
    return value


def _named(agents: Sequence[str | None] | str, seat: int) -> tuple[str | None, ...]:
    """An agent's name for each seat, None for the person's own."""
    names: list[str | None] = [agents] * N_SEATS if isinstance(agents, str) else list(agents)
    if len(names) != N_SEATS:
        raise ValueError(f"agents: {len(names)} named for four seats")
    names[seat] = None
    for other, name in enumerate(names):
        if other != seat and not isinstance(name, str):
            raise ValueError(f"agents: none is named for {SEAT_NAMES[other]}")
    return tuple(names)
