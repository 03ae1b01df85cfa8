"""What the server sends to the page, as plain facts for JSON.

The facts of a table are made from the scene of a view, so there is no hidden card in them that could be
sent. Texts are in notation; sentences are those of the terminal.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from typing import Any

from hpenv.actions import ACTION_TEXT, ALONE, BIG_PEPPER, PASS, TRUMP, action_set_text
from hpenv.agents.analysis.review import Choice, totals, worst
from hpenv.agents.human.game import Event, OpenCards
from hpenv.agents.human.messages import choices
from hpenv.agents.human.score_sheet import Line
from hpenv.agents.human.words import action_words, waiting_words
from hpenv.agents.opinion import Opinion
from hpenv.cards import CARD_TEXT, N_CARDS, NO_SUIT, SUIT_NAMES, SUITS
from hpenv.drawing.cards import card_name
from hpenv.drawing.scene import Position, scene_of
from hpenv.history import Trick
from hpenv.notation import Record, positions
from hpenv.rulebook import DEAL_OVER
from hpenv.seats import N_SEATS, NOBODY, SEAT_LETTERS
from hpenv.table import Table
from hpenv.text import bid_text, phase_words
from hpenv.view import View

# ---- the table ----------------------------------------------------------------------------------


def table_facts(record: Position) -> dict[str, Any]:
    """All that is drawn of a view; of a whole table, all its cards."""
    scene = scene_of(record)
    trick = scene.trick()
    return {
        "deal": scene.deal,
        "phase": phase_words(record).name,
        "waiting": waiting_words(record) if isinstance(record, View) else "",
        "dealer": SEAT_LETTERS[scene.dealer],
        "to_act": _seat(scene.to_act),
        "maker": _seat(scene.maker),
        "bid": scene.bid,
        "level": scene.level,
        "trump": _suit(scene.trump),
        "alone": [SEAT_LETTERS[s] for s in scene.alone],
        "sitting_out": [SEAT_LETTERS[s] for s in scene.sitting_out],
        "hands": {
            SEAT_LETTERS[s]: [_card(card) for card in hand] for s, hand in enumerate(scene.hands)
        },
        "calls": {SEAT_LETTERS[s]: list(said) for s, said in enumerate(scene.calls)},
        "voids": {
            SEAT_LETTERS[s]: [SUITS[suit] for suit in suits] for s, suits in enumerate(scene.voids)
        },
        "widow": _face_down(scene.has_widow, scene.widow) | {"taken": bool(scene.is_widow_taken)},
        "discard": _face_down(scene.has_discard, scene.discard),
        "trick": _trick(trick),
        "tricks": [_trick(done) for done in scene.tricks[: sum(scene.won)]],
        "won": list(scene.won),
        "points": list(scene.points),
        "score": list(scene.score),
        "target": scene.target,
        "hand_size": scene.hand_size,
        "is_play": bool(scene.is_play),
    }


def _seat(seat: int) -> str | None:
    return None if seat == NOBODY else SEAT_LETTERS[seat]


def _suit(suit: int) -> str | None:
    return None if suit == NO_SUIT else SUITS[suit]


def _card(card: int | None) -> str | None:
    return None if card is None else CARD_TEXT[card]


def _face_down(there: bool, card: int | None) -> dict[str, Any]:
    return {"there": bool(there), "card": _card(card)}


def _trick(trick: Trick | None) -> dict[str, Any] | None:
    if trick is None:
        return None
    return {
        "number": trick.number,
        "cards": [[SEAT_LETTERS[seat], CARD_TEXT[card]] for seat, card in trick.cards],
        "winner": SEAT_LETTERS[trick.winner],
    }


# ---- what is done -------------------------------------------------------------------------------


def event_facts(event: Event, position: int, own: int) -> dict[str, Any]:
    """One action at the table: who did what, in words, and the table as the person sees it then."""
    return {
        "position": position,
        "seat": SEAT_LETTERS[event.seat],
        "card": event.text if event.action < N_CARDS else None,
        "words": action_words(event.view, event.seat, event.action, own),
        "won_by": _seat(event.trick_won_by),
        "table": table_facts(event.view),
    }


def step_facts(tables: list[Table], n: int, record: Position, own: int) -> dict[str, Any]:
    """Step n of a finished deal. tables: its positions. record: what may be seen of tables[n]. own: the
    person's seat."""
    words, won = "The cards are dealt", NOBODY
    if n:
        table = tables[n]
        done, by = int(table.history[n - 1]), int(table.history_seat[n - 1])
        words = action_words(record, by, done, own)
        if table.tricks_played > tables[n - 1].tricks_played:
            won = int(table.winning_seat if table.phase == DEAL_OVER else table.leader)
    return {"words": words, "won_by": _seat(won), "table": table_facts(record)}


def choice_facts(view: View) -> list[dict[str, Any]]:
    """The legal actions with the keys that choose them, the terminal's own."""
    return [
        {"key": key, "action": ACTION_TEXT[action], "label": label(view, action)}
        for key, action in choices(view).items()
    ]


def label(view: Position, action: int) -> str:
    """An action as it is said: `ten of hearts`, `pass`, `little pepper`, `hearts`, `alone`."""
    if action < N_CARDS:
        return card_name(action)
    if PASS < action <= BIG_PEPPER:
        return bid_text(view, action - PASS)
    return SUIT_NAMES[action - TRUMP] if TRUMP <= action < ALONE else ACTION_TEXT[action]


def legal_facts(view: View) -> list[str]:
    return action_set_text(view.legal)


def open_facts(cards: OpenCards) -> dict[str, Any]:
    """The cards shown after a deal."""
    return {
        "hands": {
            SEAT_LETTERS[seat]: None if hand is None else [CARD_TEXT[card] for card in hand]
            for seat, hand in enumerate(cards.hands[:N_SEATS])
        },
        "widow": _card(cards.widow),
        "discard": _card(cards.discard),
    }


def sheet_facts(lines: Sequence[Line]) -> list[dict[str, Any]]:
    """The score sheet, a line for each finished deal."""
    return [asdict(line) | {"maker": _seat(line.maker)} for line in lines]


# ---- what choices lost --------------------------------------------------------------------------


def review_facts(record: Record, choices: Sequence[Choice], own: int) -> dict[str, Any]:
    """What each choice of a deal lost, the worst of them, and what each seat lost in all."""
    tables = list(positions(record))
    return {
        "choices": [_choice(tables, choice, own) for choice in choices],
        "worst": [choice.at for choice in worst(choices)],
        "totals": dict(zip(SEAT_LETTERS, totals(choices), strict=True)),
    }


def _choice(tables: list[Table], choice: Choice, own: int) -> dict[str, Any]:
    before, after = tables[choice.at], tables[choice.at + 1]
    done = int(after.history[choice.at])
    return {
        "at": choice.at,
        "seat": SEAT_LETTERS[choice.seat],
        "trick": choice.trick,
        "words": action_words(after, choice.seat, done, own).partition(". ")[0],
        "action": ACTION_TEXT[choice.action],
        "lost_open": choice.lost_open,
        "best_open": [ACTION_TEXT[action] for action in choice.best_open],
        "lost_known": choice.lost_known,
        "best_known": ACTION_TEXT[choice.best_known],
        "best_words": label(before, choice.best_known),
    }


# ---- hints --------------------------------------------------------------------------------------


def opinion_facts(view: View, opinions: Mapping[str, Opinion]) -> list[dict[str, Any]]:
    """For each agent its choice, every legal action of the view with its probability and expected
    points, the best first, and the note on its choice."""
    return [
        {
            "agent": name,
            "choice": label(view, opinion.action),
            "worlds": opinion.worlds,
            "note": opinion.note,
            "rows": [_row(view, opinion, action) for action in opinion.ranking()],
        }
        for name, opinion in opinions.items()
    ]


def _row(view: View, opinion: Opinion, action: int) -> dict[str, Any]:
    return {
        "action": ACTION_TEXT[action],
        "label": label(view, action),
        "share": round(float(opinion.probabilities[action]), 4),
        "points": _number(opinion.points[action]),
        "spread": _number(opinion.spread[action]),
    }


def _number(value: Any) -> float | None:
    """A number for JSON; None for nan, which stands where an agent gives none."""
    return round(float(value), 3) if isfinite(value) else None
