"""A table as text for a terminal: the facts of the picture, seat by seat where the seats sit."""

import re

from hpenv.cards import NO_SUIT, SUIT_NAMES, SUITS, card_text
from hpenv.drawing.scene import Card, Drawable, Scene, scene_of
from hpenv.seats import (
    EAST,
    N_SEATS,
    NOBODY,
    NORTH,
    SEAT_LETTERS,
    SEAT_NAMES,
    SIDE_LETTERS,
    SOUTH,
    WEST,
)

SIDE_WIDTH = 33  # of what stands left of the trick, and of what stands right of it
HIDDEN_CARD = "##"

# Clubs green, diamonds yellow, hearts red, spades bold; the Joker violet, a card face down faint.
_CARD_COLOURS = {"C": "32", "D": "33", "H": "31", "S": "1", "o": "35", "#": "2"}
_TURN_COLOUR = "7"


def text_picture(record: Drawable, colour: bool = False) -> str:
    """A card table as lines of text, at most 80 wide, with North above; `##` is a card face down.

    record: a Table, of which everything is shown, the View of a seat, or a deal Record at its last
    position. colour: with the escape sequences that colour a terminal.

    Raises TypeError for anything that is no table, and RecordError for a Record that breaks the rules.
    """
    scene = scene_of(record)
    lines = [*_heading(scene), "", *_seats(scene), "", *_ending(scene)]
    text = "\n".join(line.rstrip() for line in lines)
    return _coloured(text) if colour else text


def _heading(scene: Scene) -> list[str]:
    score = " ".join(f"{SIDE_LETTERS[side]} {scene.score[side]}" for side in range(2))
    won = " ".join(f"{SIDE_LETTERS[side]} {scene.won[side]}" for side in range(2))
    contract = scene.bid
    if scene.maker != NOBODY:
        contract += f" by {SEAT_NAMES[scene.maker]}"
    if scene.trump != NO_SUIT:
        contract += f", {SUIT_NAMES[scene.trump]} trump"
    if scene.alone:
        contract += f", alone: {' and '.join(SEAT_NAMES[seat] for seat in scene.alone)}"
    return [
        f"deal {scene.deal}, game to {scene.target}, score {score}, "
        f"tricks won {won} of {scene.hand_size}",
        contract,
        scene.status,
    ]


def _cards(cards: tuple[Card, ...]) -> str:
    return " ".join(HIDDEN_CARD if card is None else card_text(card) for card in cards)


def _seat(scene: Scene, seat: int) -> list[str]:
    """Four lines: name and part, the hand, the calls, the suits shown to be missing."""
    parts = ["dealer"] if seat == scene.dealer else []
    parts += ["maker"] if scene.is_widow_taken and seat == scene.maker else []
    parts += ["alone"] if seat in scene.alone else []
    parts += ["sits out"] if seat in scene.sitting_out else []
    name = ("> " if seat == scene.to_act else "  ") + SEAT_NAMES[seat].upper()
    voids = " ".join(SUITS[suit] for suit in scene.voids[seat])
    return [
        name + (f" {', '.join(parts)}" if parts else ""),
        "  " + (_cards(scene.hands[seat]) or "-"),
        "  " + ", ".join(scene.calls[seat]),
        "  " + (f"void: {voids}" if voids else ""),
    ]


def _seats(scene: Scene) -> list[str]:
    """North above, West and East beside the trick, South below."""
    indent = " " * (SIDE_WIDTH - 2)
    west, east = _seat(scene, WEST), _seat(scene, EAST)
    middle = _trick(scene)
    beside = [
        f"{left:<{SIDE_WIDTH}}{cards}  {right}"
        for left, cards, right in zip(west, middle, east, strict=True)
    ]
    above, below = ([indent + line for line in _seat(scene, s) if line.strip()] for s in (NORTH, SOUTH))
    return [*above, "", *beside, "", *below]


def _trick(scene: Scene) -> list[str]:
    """The cards on the table where the seats are; `*` beside the one that is winning."""
    trick = scene.trick()
    laid = {seat: f"{card_text(card)} " for seat, card in trick.cards} if trick else {}
    if trick:
        laid[trick.winner] = laid[trick.winner][:2] + "*"
    at = [laid.get(seat, "   ") for seat in range(N_SEATS)]
    return [f"    {at[NORTH]}    ", f"{at[WEST]}     {at[EAST]}", f"    {at[SOUTH]}    ", " " * 11]


def _ending(scene: Scene) -> list[str]:
    """Widow and discard, the tricks so far with leader and winner, and the result."""
    lines = []
    if scene.has_widow:
        taken = f" (taken by {SEAT_NAMES[scene.maker]})" if scene.is_widow_taken else ""
        lines.append(f"widow {_cards((scene.widow,))}{taken}")
        lines[0] += f", discard {_cards((scene.discard,))}" if scene.has_discard else ""
    for trick in scene.tricks:
        cards = " ".join(f"{SEAT_LETTERS[seat]} {card_text(card)}" for seat, card in trick.cards)
        is_done = trick.number <= sum(scene.won)
        lines.append(
            f"trick {trick.number}: {cards}"
            + (f", {SEAT_LETTERS[trick.winner]} wins" if is_done else "")
        )
    if scene.is_over:
        points = " ".join(f"{SIDE_LETTERS[side]} {scene.points[side]:+d}" for side in range(2))
        lines.append(f"{scene.result}: {points}")
    return lines


def _coloured(text: str) -> str:
    def painted(found: re.Match[str]) -> str:
        word = found[0]
        code = _TURN_COLOUR if word.startswith(">") else _CARD_COLOURS[word[1]]
        return f"\x1b[{code}m{word}\x1b[0m"

    return re.sub(r"\b[9TJQKA][CDHS]\b|\bJo\b|##|> [A-Z]+", painted, text)
