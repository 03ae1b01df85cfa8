"""The picture of a card table: the seats with their hands and calls, the trick in the middle, and the
panels in the corners. It is SVG that needs nothing from outside."""

from typing import Any

import numpy as np

from hpenv.arguments import seat_number
from hpenv.drawing.canvas import Drawing, Shared, Svg, words_width
from hpenv.drawing.cards import CARD_WIDTH
from hpenv.drawing.corners import panels
from hpenv.drawing.scene import Drawable, Scene, drawn_from, scene_of
from hpenv.seats import N_SEATS, SEAT_NAMES, SOUTH

WIDTH, HEIGHT = 1000, 736
STEP = 33  # between two cards of a hand: the rank and the suit of the lower one stay in sight
TRICK_SCALE = 0.95
# Where things are for the seat drawn at the bottom, at the left, at the top and at the right.
_HAND = ((500, 536), (172, 298), (500, 60), (828, 298))  # the middle of the upper edge
_PLATE = ((500, 694), (172, 260), (500, 18), (828, 260))
_CALLS = ((500, 509), (172, 450), (500, 205), (828, 450))
_TRICK = ((500, 371), (395, 302), (500, 233), (605, 302))


def picture(
    record: Drawable, bottom: int | str | None = None, dark: bool | None = None, width: float = 760
) -> Svg:
    """A card table as SVG.

    record: a Table, of which everything is shown, the View of a seat, or a deal Record at its last
    position. bottom: the seat drawn at the bottom, 0 to 3 or N, E, S, W; if left out a View's own seat,
    else South. dark: a light or a dark table; None follows the reader's own setting. width: in pixels;
    the picture scales to any.

    Raises TypeError for anything that is no table, ValueError for a seat or a width that is none, and
    RecordError for a Record that breaks the rules.
    """
    check_look(dark, width)
    seen = drawn_from(record)
    scene = scene_of(seen)
    drawing = table_drawing(scene, bottom, dark)
    return drawing.svg(f"Card table, {scene.status}", str(seen), width)


def check_look(dark: Any, width: Any) -> None:
    """Raise ValueError for what is no theme and for a width out of range, and TypeError for a width
    that is no number."""
    if dark is not None and not isinstance(dark, bool):
        raise ValueError(f"dark={dark!r} is not one of None, False, True")
    is_number = isinstance(width, int | float | np.number) and not isinstance(width, bool)
    if not is_number or not 0 < width < 1e5:
        kind = ValueError if is_number else TypeError
        raise kind(f"width={width!r} is not a number of pixels above 0")


def table_drawing(
    scene: Scene,
    bottom: int | str | None = None,
    dark: bool | None = None,
    shared: Shared | None = None,
) -> Drawing:
    """The drawing of a scene, not yet written out."""
    if bottom is None:
        bottom = SOUTH if scene.seat is None else scene.seat
    lowest = seat_number(bottom)
    drawing = Drawing(WIDTH, HEIGHT, dark, shared)
    drawing.box(0, 0, WIDTH, HEIGHT, "edge", 26)
    drawing.box(7, 7, WIDTH - 14, HEIGHT - 14, "felt", 20)
    panels(drawing, scene)
    for place in range(N_SEATS):
        seat = (lowest + place) % N_SEATS
        _hand(drawing, scene, seat, place)
        _plate(drawing, scene, seat, place)
        _said_so_far(drawing, scene, seat, place)
    _middle(drawing, scene, lowest)
    return drawing


# ---- the seats ----------------------------------------------------------------------------------


def _hand(drawing: Drawing, scene: Scene, seat: int, place: int) -> None:
    cards = scene.hands[seat]
    middle, y = _HAND[place]
    x = middle - (STEP * (len(cards) - 1) + CARD_WIDTH) / 2
    first = len(drawing.parts)
    for card in cards:
        drawing.card(card, x, y)
        x += STEP
    if seat in scene.sitting_out:
        drawing.faded(first)


def _plate(drawing: Drawing, scene: Scene, seat: int, place: int) -> None:
    """Name, dealer's button and what the seat is: a row of plates around its middle."""
    tags = [("maker", "won", "panel")] if scene.is_widow_taken and seat == scene.maker else []
    tags += [("alone", "tag", "tag ink")] if seat in scene.alone else []
    tags += [("sits out", "slot", "ink")] if seat in scene.sitting_out else []
    name, height, small = SEAT_NAMES[seat], 13.0, 10.5
    is_turn = seat == scene.to_act
    widths = [words_width(name, height) + 28]
    widths += [26.0] if seat == scene.dealer else []
    widths += [words_width(words, small) + 18 for words, _, _ in tags]
    middle, y = _PLATE[place]
    x = middle - (sum(widths) + 6 * (len(widths) - 1)) / 2
    drawing.box(x, y, widths[0], 26, "turn" if is_turn else "plate", 13)
    drawing.words(name, x + 14, y + 6.5, height, "turn ink" if is_turn else "ink", 1.9)
    x += widths[0] + 6
    if seat == scene.dealer:
        drawing.dot(x + 13, y + 13, 13, "ink", "ink")
        drawing.words("D", x + 13.2, y + 7.5, 11, "felt", 2, "middle")
        x += 32
    for words, fill, ink in tags:
        width = words_width(words, small) + 18
        drawing.box(x, y + 2, width, 22, fill, 11)
        drawing.words(words, x + 9, y + 7.7, small, ink, 1.8)
        x += width + 6


def _said_so_far(drawing: Drawing, scene: Scene, seat: int, place: int) -> None:
    """The seat's calls in order, then the suits it has shown to be missing."""
    calls, voids = scene.calls[seat], scene.voids[seat]
    widths = [words_width(call, 10.5) + 18 for call in calls]
    void_width = words_width("void", 10.5) + 20 + 20 * len(voids)
    total = sum(widths) + 5.0 * len(widths) + (void_width if voids else -5)
    size = min(1.0, 312 / max(total, 1))  # all of it smaller where much was said
    middle, upper = _CALLS[place]
    x, y = middle - total * size / 2, upper + 11 * (1 - size)
    for call, width in zip(calls, widths, strict=True):
        role, weight = ("muted", 1.4) if call == "pass" else ("ink", 1.9)
        drawing.box(x, y, width * size, 22 * size, "call", 11 * size)
        drawing.words(call, x + 9 * size, y + 5.8 * size, 10.5 * size, role, weight)
        x += (width + 5) * size
    if voids:
        drawing.box(x, y, void_width * size, 22 * size, None, 11 * size, "muted", 1.3)
        drawing.words("void", x + 9 * size, y + 5.8 * size, 10.5 * size, "muted", 1.4)
        for i, suit in enumerate(reversed(voids)):
            drawing.suit(suit, x + (void_width - 14 - 20 * i) * size, y + 11 * size, 11 * size)


# ---- the middle ---------------------------------------------------------------------------------


def _middle(drawing: Drawing, scene: Scene, lowest: int) -> None:
    """The trick on the table, or in its place what is being waited for."""
    trick = scene.trick()
    if trick is None and not scene.is_play:
        drawing.words(scene.status, 500, 360, 17, "muted", 1.7, "middle", most=300)
        return
    laid = dict(trick.cards) if trick else {}
    width = CARD_WIDTH * TRICK_SCALE
    for place in range(N_SEATS):
        seat = (lowest + place) % N_SEATS
        middle, y = _TRICK[place]
        x = middle - width / 2
        if seat in laid:
            edge = "turn" if trick and seat == trick.winner else None
            drawing.card(laid[seat], x, y, TRICK_SCALE, edge=edge)
        elif seat not in scene.sitting_out:
            drawing.slot(x, y, TRICK_SCALE)
    if trick:
        place = (trick.cards[0][0] - lowest) % N_SEATS
        middle, y = _TRICK[place]
        drawing.box(middle - 19, y + 112, 38, 17, "led", 8.5)
        drawing.words("led", middle, y + 116.4, 8.2, "led ink", 1.8, "middle")
