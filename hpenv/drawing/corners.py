"""The panels in the corners of the picture: the contract, the score, the widow and the discard, and
what was done last."""

from hpenv.actions import ACTION_TEXT, ALONE
from hpenv.cards import NO_SUIT, SUIT_NAMES
from hpenv.drawing.canvas import Drawing
from hpenv.drawing.cards import CARD_WIDTH
from hpenv.drawing.scene import Scene
from hpenv.history import Trick
from hpenv.seats import N_SEATS, NOBODY, SEAT_LETTERS, SEAT_NAMES, SIDE_NAMES

MARGIN = 18
PANEL_WIDTH, PANEL_HEIGHT = 302, 196
INSIDE = PANEL_WIDTH - 36
SMALL = 0.56
ANSWERS = ACTION_TEXT[ALONE:]


def panels(drawing: Drawing, scene: Scene) -> None:
    """Draw the panels of all four corners."""
    _contract(drawing, scene)
    _score(drawing, scene)
    _face_down(drawing, scene)
    _last_trick(drawing, scene)


def _panel(drawing: Drawing, right: bool, low: bool, title: str) -> tuple[float, float]:
    """An empty panel in a corner and the place where its content begins."""
    x = drawing.width - MARGIN - PANEL_WIDTH if right else MARGIN
    y = drawing.height - MARGIN - PANEL_HEIGHT if low else MARGIN
    drawing.box(x, y, PANEL_WIDTH, PANEL_HEIGHT, "panel", 14)
    drawing.words(title, x + 18, y + 16, 10.5, "muted", 1.6)
    return x + 18, y + 42


def _contract(drawing: Drawing, scene: Scene) -> None:
    x, y = _panel(drawing, False, False, "contract" if scene.trump != NO_SUIT else "auction")
    room = INSIDE
    if scene.trump != NO_SUIT:
        drawing.suit(scene.trump, x + 44, y + 62, 58)
        x, room = x + 108, INSIDE - 108
        drawing.words("trump", x, y + 62, 10, "muted", 1.5)
        drawing.words(SUIT_NAMES[scene.trump], x, y + 80, 15, "ink", 1.8)
    drawing.words(scene.bid, x, y + 8, 19, "ink", 1.9, most=room)
    if scene.maker != NOBODY:
        drawing.words(f"by {SEAT_NAMES[scene.maker]}", x, y + 36, 11, "ink", 1.6)
    if scene.alone:
        who = " and ".join(SEAT_NAMES[seat] for seat in scene.alone)
        drawing.words(f"alone: {who}", x, y + 116, 10, "ink", 1.6, most=room)


def _score(drawing: Drawing, scene: Scene) -> None:
    x, y = _panel(drawing, True, False, f"deal {scene.deal}, game to {scene.target}")
    for side in range(2):
        top = y + 6 + 72 * side
        is_makers = scene.maker != NOBODY and scene.maker & 1 == side
        drawing.words(SIDE_NAMES[side], x, top + 4, 12, "ink", 1.7)
        drawing.words(str(scene.score[side]), x + INSIDE, top, 26, "ink", 1.7, "end", most=120)
        for i in range(scene.hand_size):
            left, is_needed = x + 8 + 21 * i, is_makers and i < scene.level
            if i < scene.won[side]:
                drawing.dot(left, top + 33, 6.5, "won", "won")
            if is_needed or i >= scene.won[side]:
                drawing.dot(left, top + 33, 6.5, None, "turn" if is_needed else "slot")
        if side == 0:
            drawing.box(x, top + 53, INSIDE, 1.2, "slot", 0)


def _face_down(drawing: Drawing, scene: Scene) -> None:
    """The widow and the discard."""
    x, y = _panel(drawing, False, True, "widow and discard")
    widow = f"taken by {SEAT_LETTERS[scene.maker]}" if scene.is_widow_taken else "widow"
    for i, (words, there, card) in enumerate(
        ((widow, scene.has_widow, scene.widow), ("discard", scene.has_discard, scene.discard))
    ):
        left = x + 24 + 130 * i
        first = len(drawing.parts)
        if there:
            drawing.card(card, left, y + 4, 0.78)
        else:
            drawing.slot(left, y + 4, 0.78)
        if i == 0 and scene.is_widow_taken:
            drawing.faded(first)
        drawing.words(words, left + 39, y + 123, 10.5, "muted", 1.5, "middle")


def _last_trick(drawing: Drawing, scene: Scene) -> None:
    """The result of the deal, or the trick before this one; and whose turn it is."""
    x, y = _panel(drawing, True, True, "deal over" if scene.is_over else _title(scene))
    if scene.is_over:
        for i, line in enumerate(scene.result.split(", ")):
            drawing.words(line, x, y + 6 + 24 * i, 14, "ink", 1.8, most=INSIDE)
        for side in range(2):
            drawing.words(SIDE_NAMES[side], x, y + 72 + 36 * side, 12, "ink", 1.6)
            points = f"{scene.points[side]:+d}" if scene.points[side] else "0"
            drawing.words(points, x + INSIDE, y + 68 + 36 * side, 19, "ink", 1.8, "end")
        return
    drawing.words(scene.status, x, y, 14, "ink", 1.8, most=INSIDE)
    before = scene.trick_before()
    if not scene.tricks:
        auction_lines(drawing, scene, x - 10, y + 34, (INSIDE + 10) / N_SEATS, 23, 11)
    elif before:
        _small_trick(drawing, before, x, y + 38)
        drawing.words(
            f"trick {before.number} to {SEAT_NAMES[before.winner]}", x, y + 130, 10.5, "muted", 1.5
        )


def auction_lines(
    drawing: Drawing, scene: Scene, x: float, y: float, column: float, line: float, height: float,
    answers: bool = False, head: bool = True,
) -> None:  # fmt: skip
    """The calls of all seats, a line for each round, beginning left of the dealer. answers: with the
    answers to "alone?" too."""
    for i in range(N_SEATS):
        seat = (scene.dealer + 1 + i) % N_SEATS
        left, top = x + column * i + 10, y
        if head:
            drawing.words(SEAT_LETTERS[seat], left, y, height, "muted", 1.8)
            top += line
        for call in scene.calls[seat]:
            if call not in ANSWERS or answers:
                role, weight = ("muted", 1.4) if call == "pass" else ("ink", 1.9)
                drawing.words(call, left, top, height, role, weight, most=column - 14)
                top += line


def _title(scene: Scene) -> str:
    if not scene.is_play:
        return "to act"
    return f"trick {min(sum(scene.won) + 1, scene.hand_size)} of {scene.hand_size}"


def _small_trick(drawing: Drawing, trick: Trick, x: float, y: float) -> None:
    """The cards of a trick in a row in the order of play, the seats above, the winner's card marked."""
    for i, (seat, card) in enumerate(trick.cards):
        left = x + i * (CARD_WIDTH * SMALL + 10)
        drawing.card(card, left, y, SMALL, edge="turn" if seat == trick.winner else None)
        drawing.words(
            SEAT_LETTERS[seat], left + CARD_WIDTH * SMALL / 2, y - 13, 9, "muted", 1.8, "middle"
        )
