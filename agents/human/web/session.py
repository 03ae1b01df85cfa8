"""One game and the pages that show it: every change goes through a Session, one after the other.

Each change has a number, the position. A request names the position it refers to, and one that refers
to an earlier position is an error: so a second tab, a reload or a double click never does anything the
person has not seen. The state that pages read is written once for every position, so that reading never
waits for an agent's decision.
"""

import json
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from hpenv.actions import parse_action
from hpenv.agents.human.game import Event, Game
from hpenv.agents.human.offers import level_of
from hpenv.agents.human.score_sheet import score_sheet
from hpenv.agents.human.web.advice import Advisers
from hpenv.agents.human.web.facts import (
    choice_facts,
    event_facts,
    legal_facts,
    open_facts,
    sheet_facts,
    step_facts,
    table_facts,
)
from hpenv.agents.human.words import illegal_words, preset_of, prompt, rules_words
from hpenv.errors import IllegalAction
from hpenv.notation import Record, positions, record_text
from hpenv.seats import NOBODY, SEAT_LETTERS, SEAT_NAMES
from hpenv.view import view_of

LONGEST_NAME = 200  # of an agent
SEEDS = 1_000_000
NEW_GAME = ("rules", "seed", "seat", "agents", "practice")


class RequestError(ValueError):
    """Why a request is not done, in one sentence. status: the HTTP status. rule: the rule it breaks,
    or nothing."""

    def __init__(self, sentence: str, status: int = 409, rule: str = "") -> None:
        super().__init__(sentence)
        self.status, self.rule = status, rule


class Kept(Protocol):
    """Where a game is kept: see `hpenv.agents.human.keeper.Keeper`."""

    path: Path | None
    failed: bool
    notice: str

    def keep(self, game: Game) -> None: ...

    def farewell(self, game: Game) -> str: ...


class Session:
    """A game shown on any number of pages.

    kept: where the game is kept after every action. begin: returns a place for a new game. hints: names
    of the agents asked for a hint. finish: called with every finished deal, once it cannot be undone.
    resumed: the game was begun before, so that its finished deals have been recorded already.
    """

    def __init__(
        self,
        game: Game,
        kept: Kept,
        begin: Callable[[Game], Kept],
        hints: Sequence[str] = (),
        finish: Callable[[Record], None] = lambda record: None,
        resumed: bool = False,
    ) -> None:
        self.kept, self._begin, self._finish = kept, begin, finish
        self.advisers = Advisers(hints)
        self._changing = Lock()  # held by whoever changes the game
        self._asking = Lock()  # held by whoever asks for a hint
        self._last_hint: tuple[int, Any] = (-1, None)  # its position and opinions
        self._position = 0
        self._seat_down(game)
        if resumed:
            self._recorded = len(game.records)

    def _seat_down(self, game: Game) -> None:
        self.game, self._recorded = game, 0
        self._position += 1 + len(game.events)
        game.watch = self._happen
        self._publish()

    # ---- what the pages read --------------------------------------------------------------------

    @property
    def position(self) -> int:
        return self._shown[0]

    def state(self, since: int | None = None) -> bytes:
        """What the pages show, as JSON; if that is known already only the position, and whether the
        advisers are ready."""
        position, written, _ = self._shown
        if since != position:
            return written
        return json.dumps({"position": position, "is_ready": self.advisers.is_ready}).encode()

    def _happen(self, event: Event) -> None:
        """An action has been done."""
        self._position += 1
        self._record_finished()
        self._changed()

    def _publish(self) -> None:
        """Write down what the pages show now."""
        view = self.game.view
        written = json.dumps(self._facts(view), allow_nan=False).encode()
        self._shown = (self._position, written, view)  # all at once: readers hold no lock

    def _facts(self, view: Any) -> dict[str, Any]:
        game, seat, over = self.game, self.game.seat, self.game.deal_is_over
        first = self._position - len(game.events) + 1
        return {
            "position": self._position,
            "is_ready": self.advisers.is_ready,
            "seat": SEAT_LETTERS[seat],
            "rules": game.rules.name(),
            "preset": preset_of(game.rules),
            "rules_words": rules_words(game.rules),
            "practice": game.practice,
            "seed": game.seed if game.practice or game.is_over else None,  # the cards follow from it
            "agents": {SEAT_LETTERS[s]: name for s, name in enumerate(game.agents) if name is not None},
            "levels": {SEAT_LETTERS[s]: level_of(name) for s, name in enumerate(game.agents) if name},
            "hints": list(self.advisers.hints),
            "table": table_facts(view),
            "frames": [event_facts(event, first + i, seat) for i, event in enumerate(game.events)],
            "prompt": prompt(view),
            "legal": legal_facts(view),
            "choices": choice_facts(view),
            "notice": self.kept.notice,
            "can_undo": game.practice and seat in view.history_seat[: view.history_length].tolist(),
            "finished": len(game.records),
            "sheet": sheet_facts(score_sheet(game.records)),
            "deal_is_over": over,
            "game_is_over": game.is_over,
            "result": game.result.split("\n") if over else [],
            "open": open_facts(game.open_cards) if over else None,
        }

    def replay(self, deal: int) -> bytes:
        """A finished deal step by step, as the person saw it; in practice, and once the game is over,
        with all cards open."""
        game, record = self._finished_deal("replay", deal)
        tables = list(positions(record))
        seen = [table if game.cards_are_open else view_of(table, game.seat) for table in tables]
        steps = [step_facts(tables, n, record, game.seat) for n, record in enumerate(seen)]
        for step in steps:
            step["table"]["deal"] = deal
        return json.dumps({"deal": deal, "seat": SEAT_LETTERS[game.seat], "steps": steps}).encode()

    def analysis(self, deal: int) -> bytes:
        """What each choice of a finished deal lost. While the others' cards are secret: the person's
        own choices only, against what the person could know."""
        game, record = self._finished_deal("analysis", deal)
        found = self.advisers.review(record, game.seat, game.cards_are_open)
        return json.dumps(found | {"deal": deal}, allow_nan=False).encode()

    def _finished_deal(self, what: str, deal: int) -> tuple[Game, Record]:
        with self._changing:
            game, records = self.game, self.game.records
        if not 1 <= deal <= len(records):
            raise RequestError(f"{what}: deal {deal} is not a finished deal of this game")
        return game, records[deal - 1]

    def records(self) -> bytes:
        """The finished deals in notation, all cards included, once they are no secret."""
        with self._changing:
            game = self.game
            if not game.cards_are_open:
                raise RequestError(
                    "records: outside practice all cards are laid open when the game is over (R8, R9)"
                )
            return "".join(record_text(record) + "\n" for record in game.records).encode()

    # ---- what the person does -------------------------------------------------------------------

    @contextmanager
    def _change(self, position: int) -> Iterator[Game]:
        """The game, locked, for a request that names its position."""
        self._check_position(position)
        with self._changing:
            self._check_position(position)
            yield self.game

    def _check_position(self, position: int) -> None:
        if position != self.position:
            raise RequestError(
                f"the game has gone on: you saw position {position}, and it is at {self.position}"
            )

    def act(self, position: int, seat: str, action: str) -> bytes:
        """The person's action, in notation; like all that is done, gives what the pages show then."""
        with self._change(position) as game:
            own = SEAT_LETTERS[game.seat]
            if seat != own:
                where = (
                    SEAT_NAMES[SEAT_LETTERS.index(seat)]
                    if seat in tuple(SEAT_LETTERS)
                    else repr(seat[:20])
                )
                raise RequestError(
                    f"you sit {SEAT_NAMES[game.seat]} and cannot act for {where} (R1)", 403
                )
            try:
                game.do(action)
            except IllegalAction as error:
                if game.view.to_act not in (game.seat, NOBODY):
                    raise RequestError(str(error), 500) from None  # an agent's
                tried = parse_action(action, game.rules.hand_size)
                sentence = illegal_words(game.view, tried, error.rule)
                raise RequestError(sentence, rule=error.rule) from None
            return self.state()

    def next_deal(self, position: int) -> bytes:
        """Deal again; where an agent has failed, let it try once more."""
        with self._change(position) as game:
            if game.view.to_act not in (game.seat, NOBODY):
                game.go_on()
                return self.state()
            is_due = game.deal_is_over and not game.is_over
            self._position += is_due  # the new cards are a change before anybody acts
            try:
                game.next_deal()
            finally:
                if is_due:
                    self._record_finished()
                    self._changed()
            return self.state()

    def undo(self, position: int) -> bytes:
        """Take back the person's last action, in practice."""
        with self._change(position) as game:
            game.undo()
            self._position += 1
            self._changed()
            return self.state()

    def _changed(self) -> None:
        self.kept.keep(self.game)
        self._publish()

    def hint(self, position: int) -> bytes:
        """What agents think of the person's view; the game may be read and go on meanwhile."""
        if not self.advisers.hints:
            raise RequestError("hint: no agent is named for hints")
        with self._asking:
            self._check_position(position)
            at, _, view = self._shown  # the game may go on meanwhile: the answer names the position
            if not view.legal:
                raise RequestError("hint: it is not your turn")
            if self._last_hint[0] != at:
                self._last_hint = at, self.advisers.opinions(view)
            return json.dumps(
                {"position": at, "opinions": self._last_hint[1]}, allow_nan=False
            ).encode()

    def new_game(self, position: int, wanted: dict[str, Any]) -> bytes:
        """Leave this game, which stays where it is kept, and begin another."""
        self._check_position(position)
        game = Game(
            wanted["rules"],
            secrets.randbelow(SEEDS) if wanted["seed"] is None else wanted["seed"],
            _seat_number(wanted["seat"]),
            _named_agents(wanted["agents"], wanted["seat"]),
            wanted["practice"],
        )
        with self._change(position):
            self._record_finished(all_of_them=True)
            self.kept = self._begin(game)
            self.kept.keep(game)
            self._seat_down(game)
            return self.state()

    def save(self) -> bytes:
        """Keep the game now; returns where, in a sentence."""
        with self._changing:
            self.kept.keep(self.game)
            if self.kept.failed:
                raise RequestError(self.kept.notice, 500)
            return json.dumps({"told": f"kept in {self.kept.path}"}).encode()

    def close(self) -> None:
        """The person leaves: record what is left."""
        with self._changing:
            self._record_finished(all_of_them=True)

    def _record_finished(self, all_of_them: bool = False) -> None:
        """Call `finish` with the deals finished since last time, but not with one that has just ended
        and may still be taken back."""
        game = self.game
        stays = bool(game.practice and game.deal_is_over and not all_of_them)
        records = game.records
        for record in records[self._recorded : len(records) - stays]:
            self._finish(record)
        self._recorded = max(self._recorded, len(records) - stays)


def _seat_number(seat: Any) -> int:
    if seat not in tuple(SEAT_LETTERS):
        raise RequestError(f"seat: {seat!r} is not N, E, S or W"[:120], 400)
    return SEAT_LETTERS.index(seat)


def _named_agents(agents: Any, seat: str) -> list[str | None]:
    """An agent's name for each of the other seats."""
    others = set(SEAT_LETTERS) - {seat}
    if not isinstance(agents, dict) or set(agents) - {seat} != others:
        raise RequestError("agents: one is to be named for each of the other three seats", 400)
    for name in agents.values():
        if not isinstance(name, str) or len(name) > LONGEST_NAME:
            raise RequestError(f"agents: {name!r} is not the name of an agent"[:120], 400)
    return [agents[other] if other in others else None for other in SEAT_LETTERS]
