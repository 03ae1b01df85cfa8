"""Deal records: one deal as one JSON object on one line, parsed, printed and replayed.

    {"rules": "set_bid", "dealer": "N", "score": [0, 0], "hands": {"N": "9C TC ...", "E": "...",
     "S": "...", "W": "..."}, "widow": "AS", "actions": ["pass", "bid 3", ...], "points": [3, 0]}

Any position is a record with the first few actions of its deal; a game is its deals in order. A record
shows all the cards, so it is made from a whole table, never from a view.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpenv.actions import ACTION_TEXT, FACE_DOWN, N_ACTIONS, action_set_text
from hpenv.cards import MAX_HAND_SIZE, N_CARDS, NO_CARD, card_text, pack, parse_card
from hpenv.compiled import Int, kernel
from hpenv.errors import IllegalAction, action_named, illegal_action
from hpenv.notebook import Shown
from hpenv.rulebook import DEAL_OVER, PLAY, deal, do, is_dealt, legal_actions
from hpenv.rules import Rules, check_score, get_rules
from hpenv.seats import N_SEATS, SEAT_LETTERS
from hpenv.strict_json import parse_json
from hpenv.table import Table, Tables, new_tables, rules_of
from hpenv.text import NOTHING_DEALT


class RecordError(ValueError):
    """What is wrong with a record, in one sentence that names the rule.

    rule: the number of the rule broken, or the part at fault: "rules", "widow", "score", "dealer",
    "hand sizes", "pack", "notation", "over" (an action after the end of the deal) or "points".
    at: the place of the faulty action, counted from 0, or None. line: of the file, counted from 1, or
    None.
    """

    def __init__(
        self, rule: str, sentence: str, at: int | None = None, line: int | None = None
    ) -> None:
        super().__init__(sentence)
        self.rule, self.at, self.line = rule, at, line

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.rule, str(self), self.at, self.line)


@dataclass(frozen=True)
class Record(Shown):
    """One deal: the cards as dealt and what was done with them, up to the end or to some position.

    rules: in force. dealer: a seat 0..3. score: before the deal, North-South's and East-West's.
    hands: for each seat the cards dealt to it, lowest number first. widow: the card dealt face down.
    actions: in order, the discard as its card. points: of the finished deal, or None.

    Raises RecordError for cards that are not one pack dealt out, a dealer who is no seat, or a score
    from which no deal can start. Whether the actions are legal and come to the points, `replay` finds
    out.
    """

    rules: Rules
    dealer: int
    score: tuple[int, int]
    hands: tuple[tuple[int, ...], ...]
    widow: int
    actions: tuple[int, ...] = ()
    points: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        try:
            check_score(self.score, self.rules)
        except (TypeError, ValueError) as error:
            raise RecordError("score", str(error)) from None
        if self.dealer not in range(N_SEATS) or isinstance(self.dealer, bool):
            raise RecordError("dealer", f"the dealer is {self.dealer!r}, not a seat 0 to 3 (R1)")
        if len(self.hands) != N_SEATS:
            raise RecordError("hand sizes", f"hand sizes: {len(self.hands)} hands, not four (R4)")
        _check_cards(self.rules.hand_size, self.hands, self.widow)
        for at, action in enumerate(self.actions):
            if action not in _ALL_ACTIONS:
                raise _fault_at(at, action, "notation", "the notation has actions 0 to 38")
        for name in ("dealer", "score", "hands", "widow", "actions", "points"):
            object.__setattr__(self, name, _plain(getattr(self, name)))


_ALL_ACTIONS = frozenset(range(N_ACTIONS))
_PACKS = [frozenset(pack(k)) for k in range(MAX_HAND_SIZE + 1)]


def _plain(numbers: Any) -> Any:
    """Whole numbers, alone or in tuples, as Python's own where NumPy's were given."""
    if isinstance(numbers, list | tuple):
        return tuple([n if type(n) is int else _plain(n) for n in numbers])
    return None if numbers is None else int(numbers)


def _check_cards(k: int, hands: tuple[tuple[int, ...], ...], widow: int) -> None:
    for seat, hand in zip(SEAT_LETTERS, hands, strict=True):
        if len(hand) != k:
            raise RecordError(
                "hand sizes", f"hand sizes: {seat} has {len(hand)} cards, not {k} (R4, R20)"
            )
    dealt = [card for hand in hands for card in hand] + [widow]
    game = _PACKS[k]
    if len(game.intersection(dealt)) == len(dealt):
        return
    for card in dealt:
        if card not in game:
            raise RecordError(
                "pack", f"{_card_name(card)} is not in the pack of {len(game)} cards (R2, R20)"
            )
        if dealt.count(card) > 1:
            raise RecordError("pack", f"{card_text(card)} is dealt twice, the pack has it once (R2)")


def _card_name(card: int) -> str:
    return card_text(card) if card in range(N_CARDS) else f"card {card!r}"


# ---- parsing ----------------------------------------------------------------------------------


def parse_record(text: str | dict[str, Any]) -> Record:
    """The record written in `text`, one JSON object, or given as the object itself.

    `score` may be left out for 0 to 0 and `points` for a deal not finished; keys that are no part of a
    record, such as a name or the reason of an expectation, are passed over. Cards and actions may be
    in any letter case, `10H` is `TH`, and in pepper form `little pepper` is the bid of all the tricks.

    Raises RecordError for text that is no record, for the faults that `Record` names, and for an action
    that is none of the 39. The play is not checked: see `replay`.
    """
    written = _json_object(text) if isinstance(text, str) else text
    if not isinstance(written, dict):
        raise RecordError("notation", "notation: a record is one JSON object")
    rules = _rules(written.get("rules"))
    widow, dealer, hands = (written.get(key) for key in ("widow", "dealer", "hands"))
    if not isinstance(widow, str):
        raise RecordError("widow", "the record has no widow: one card in notation (R4)")
    score = _two_numbers(written.get("score", [0, 0]), "score")
    if not isinstance(dealer, str) or dealer not in tuple(SEAT_LETTERS):
        raise RecordError("dealer", f"the dealer is {dealer!r}, not N, E, S or W (R1)")
    if not isinstance(hands, dict) or set(hands) != set(SEAT_LETTERS):
        raise RecordError("hand sizes", "hand sizes: each of N E S W is dealt a hand (R4)")
    dealt = tuple(_hand(hands[seat]) for seat in SEAT_LETTERS)
    record = Record(rules, SEAT_LETTERS.index(dealer), score, dealt, _card(widow))
    points = written.get("points")
    # What is added is checked as it is read: to make a second Record would check the cards again.
    object.__setattr__(record, "actions", _actions(written.get("actions"), record))
    object.__setattr__(record, "points", None if points is None else _two_numbers(points, "points"))
    return record


def _json_object(text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError as error:
        raise RecordError("notation", f"notation: a record is one JSON object ({error})") from None


def _two_numbers(pair: Any, what: str) -> tuple[int, int]:
    if not isinstance(pair, list) or [type(number) for number in pair] != [int, int]:
        raise RecordError(what, f"{what}={pair!r} is not two whole numbers (North-South, East-West)")
    return pair[0], pair[1]


def _hand(text: Any) -> tuple[int, ...]:
    if not isinstance(text, str):
        raise RecordError("notation", f"notation: a hand is cards in one text, not {text!r}")
    return tuple(sorted([_card(word) for word in text.split()]))


def _card(word: str) -> int:
    try:
        return parse_card(word)
    except ValueError:
        raise RecordError("pack", f"{word!r} is no card of the pack (R2)") from None


def _rules(written: Any) -> Rules:
    try:
        return get_rules(written)
    except (TypeError, ValueError) as error:
        raise RecordError("rules", str(error)) from None


def _actions(words: Any, cards: Record) -> tuple[int, ...]:
    """The numbers of the actions. Where a word is none, what comes before it is played first, so that
    the fault told is the first one."""
    if not isinstance(words, list):
        raise RecordError("notation", "notation: actions is not a list of texts")
    actions: list[int] = []
    for at, word in enumerate(words):
        if isinstance(word, str) and word in _NUMBERS:
            actions.append(_NUMBERS[word])
            continue
        try:
            actions.append(_action(word, at, cards.rules))
        except RecordError:
            replay(replace(cards, actions=tuple(actions)))
            raise
    return tuple(actions)


_NUMBERS = {text: action for action, text in enumerate(ACTION_TEXT)}


def _action(word: Any, at: int, rules: Rules) -> int:
    """The number of an action; a call or a trump that exists nowhere breaks the rule of its kind."""
    try:
        words = word if isinstance(word, str) else ""
        return action_named(words, rules.bidding == "pepper", rules.hand_size)
    except IllegalAction as error:
        if error.rule == "action":
            raise _fault_at(at, word, "notation", "no such action in the notation") from None
        raise _fault_at(at, word, error.rule, str(error)) from None


def _fault_at(at: int, word: Any, rule: str, why: str) -> RecordError:
    return RecordError(rule, f"action {at + 1}, {word!r}: {why}", at)


# ---- printing ---------------------------------------------------------------------------------


def record_text(record: Record) -> str:
    """The record as one line of JSON, without the line's end. `parse_record` gives the record back.

    In a record every action has one name under all rules, so that little pepper is the bid of a number.
    """
    return json.dumps(
        {
            "rules": record.rules.name(),
            "dealer": SEAT_LETTERS[record.dealer],
            "score": list(record.score),
            "hands": {
                seat: " ".join(card_text(card) for card in hand)
                for seat, hand in zip(SEAT_LETTERS, record.hands, strict=True)
            },
            "widow": card_text(record.widow),
            "actions": [ACTION_TEXT[action] for action in record.actions],
            "points": None if record.points is None else list(record.points),
        }
    )


def record_of(table: Table) -> Record:
    """The record of the deal at a table as far as it has been played, the secret discard included.

    Raises TypeError for anything but a Table, such as a view, which hides what a record shows.
    """
    if not isinstance(table, Table):
        raise TypeError(f"a record is made from a whole Table, not from a {type(table).__name__}")
    if not is_dealt(table):
        raise RecordError("pack", f"{NOTHING_DEALT}: a record is of a deal")
    k = int(table.hand_size)
    cards = [int(card) for card in table.pack]
    over = table.phase == DEAL_OVER
    points = (int(table.points[0]), int(table.points[1]))
    before = points if over else (0, 0)  # a finished deal's points are in the score already
    return Record(
        rules_of(table),
        int(table.dealer),
        (int(table.score[0]) - before[0], int(table.score[1]) - before[1]),
        tuple(tuple(sorted(cards[seat * k : seat * k + k])) for seat in range(N_SEATS)),
        cards[N_SEATS * k],
        tuple(
            int(table.discard if action == FACE_DOWN else action)
            for action in table.history[: table.history_length]
        ),
        points if over else None,
    )


# ---- replaying --------------------------------------------------------------------------------


def deal_from(record: Record) -> Table:
    """A new table with the record's cards dealt and nothing done yet."""
    tables = _undealt(record.rules).copy()
    cards = [card for hand in record.hands for card in hand] + [record.widow]
    tables["pack"] = cards + [NO_CARD] * (N_CARDS - len(cards))
    tables["dealer"] = record.dealer
    tables["score"] = record.score
    table: Table = tables[0]
    deal(table)
    return table


@lru_cache(maxsize=64)
def _undealt(rules: Rules) -> Tables:
    """An array of one table with these rules, to be copied."""
    return new_tables(1, rules)


def positions(record: Record) -> Iterator[Table]:
    """The table before the first action and after each, every one a copy of its own.

    Raises RecordError at the first action that the rules forbid, and at the end if the points given are
    not what the deal comes to.
    """
    table = deal_from(record)
    yield table.copy()
    for at, action in enumerate(record.actions):
        try:
            table.step(action)
        except IllegalAction as error:
            raise _fault_at(at, ACTION_TEXT[action], error.rule, str(error)) from None
        yield table.copy()
    _check_points(record, table)


def _check_points(record: Record, table: Table) -> None:
    if record.points is None:
        return
    if not table.is_over:
        raise RecordError("points", f"points {list(record.points)} given, but the deal is not over")
    points = table.points.tolist()
    if list(record.points) != points:
        raise RecordError("points", f"the points come to {points} (R14-R17), not {list(record.points)}")


@kernel
def do_all(table: Any, actions: Any, seats: Any, choices: Any, leads: Any) -> Int:
    """Do actions (n,) one after the other, as far as they are legal; returns how many were done. Writes
    before each who is to act into seats (n,), what is legal, as bits, into choices (n,), and whether a
    card is to be led into leads (n,)."""
    for i in range(len(actions)):
        leads[i] = table.phase == PLAY and table.cards_in_trick == 0
        seats[i] = table.to_act
        choices[i] = legal_actions(table)
        if not (choices[i] >> actions[i]) & 1:
            return i
        do(table, actions[i])
    return len(actions)


@dataclass(frozen=True)
class Replay:
    """A record of n actions played through.

    table: the last position. seats: shape (n,), the seat to act before each action. choices: shape
    (n,), what it might do, bit a for action a. leads: shape (n,), whether it was to lead a card. The
    others are read from these when they are asked for.
    """

    table: Table
    seats: NDArray[np.int64]
    choices: NDArray[np.int64]
    leads: NDArray[np.bool_]

    @cached_property
    def turns(self) -> list[str]:
        """The seat to act before each action, `N`, `E`, `S` or `W`."""
        return [SEAT_LETTERS[seat] for seat in self.seats.tolist()]

    @cached_property
    def legal(self) -> list[list[str]]:
        """What it might do, in notation and in the order of the actions' numbers."""
        return [action_set_text(bits) for bits in self.choices.tolist()]

    @cached_property
    def leaders(self) -> list[str]:
        """Who led to each trick."""
        return [SEAT_LETTERS[seat] for seat in self.seats[self.leads].tolist()]

    @property
    def tricks(self) -> tuple[int, int]:
        """The tricks won by North-South and by East-West."""
        north_south, east_west = self.table.tricks.tolist()
        return north_south, east_west

    @property
    def points(self) -> tuple[int, int] | None:
        """The points of the same, or None if the deal is not over."""
        if not self.table.is_over:
            return None
        north_south, east_west = self.table.points.tolist()
        return north_south, east_west

    def as_json(self) -> dict[str, Any]:
        """Points, tricks, leaders, turns and legal as lists and texts."""
        return {**self._facts(), "legal": self.legal}

    def json_text(self) -> str:
        """`as_json` as one line of JSON, without the line's end: much the faster way to write it."""
        legal = ", ".join(map(_action_set_json, self.choices.tolist()))
        return f'{json.dumps(self._facts())[:-1]}, "legal": [{legal}]}}'

    def _facts(self) -> dict[str, Any]:
        points = self.points
        return {
            "points": None if points is None else list(points),
            "tricks": list(self.tricks),
            "leaders": self.leaders,
            "turns": self.turns,
        }


@lru_cache(maxsize=1 << 16)  # most sets of legal actions are small and come up again and again
def _action_set_json(actions: int) -> str:
    """`action_set_text` in JSON."""
    return json.dumps(action_set_text(actions))


def replay(record: Record) -> Replay:
    """Play a record through, every action checked and the points too if they are given.

    Raises RecordError at the first action that the rules forbid, and at the end if the points given are
    not what the deal comes to.

    >>> record = parse_record({
    ...     "rules": {"hand_size": 1}, "dealer": "N", "widow": "JS", "actions": ["pass", "bid 1"],
    ...     "hands": {"N": "JC", "E": "JD", "S": "JH", "W": "Jo"}})
    >>> replay(record).turns
    ['E', 'S']
    """
    if not isinstance(record, Record):
        raise TypeError(f"a Record is replayed, not a {type(record).__name__}: see parse_record")
    table = deal_from(record)
    n = len(record.actions)
    actions = np.array(record.actions, np.int64)
    seats, choices = np.zeros(n, np.int64), np.zeros(n, np.int64)
    leads = np.zeros(n, np.bool_)
    done = do_all(table, actions, seats, choices, leads)
    if done < n:
        action = record.actions[done]
        error = illegal_action(table, action)
        raise _fault_at(done, ACTION_TEXT[action], error.rule, str(error))
    _check_points(record, table)
    return Replay(table, seats, choices, leads)


def replay_lines(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Replay the records in a file's lines: for each `Replay.as_json`. Empty lines are passed over.

    Raises RecordError at the first fault, in one sentence that names the line, the action and the rule.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            played = replay(parse_record(line))
        except RecordError as fault:
            raise RecordError(fault.rule, f"line {number}: {fault}", fault.at, number) from None
        yield played.as_json()
