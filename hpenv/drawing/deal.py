"""A whole deal: on one sheet, from the cards dealt to the result, or step by step in a web page.

Both show all the cards, so they are made from a deal Record or a whole Table, never from a view.
"""

from uuid import uuid4

from hpenv.actions import ACTION_TEXT, FACE_DOWN
from hpenv.arguments import seat_number, whole_number
from hpenv.cards import NO_SUIT, SUIT_NAMES
from hpenv.drawing.canvas import Drawing, Html, Shared, Svg, escaped, follow_reader, with_ids
from hpenv.drawing.cards import CARD_HEIGHT, CARD_WIDTH
from hpenv.drawing.corners import auction_lines
from hpenv.drawing.scene import Scene, scene_of, sorted_hand
from hpenv.drawing.table import check_look, table_drawing
from hpenv.history import Trick
from hpenv.notation import Record, deal_from, positions, record_of
from hpenv.seats import N_SEATS, SEAT_LETTERS, SEAT_NAMES, SIDE_LETTERS
from hpenv.table import Table

WIDTH = 1000
HAND_SCALE, HAND_STEP = 0.6, 22
COLUMN, LEFT = 194, 26  # the four seats' columns
TRICK_SCALE, TRICK_COLUMN, TRICK_HEIGHT = 0.48, 160, 216
GOLD = "turn"


def _record(deal: Record | Table) -> Record:
    return deal if isinstance(deal, Record) else record_of(deal)


# ---- on one sheet -------------------------------------------------------------------------------


def deal_picture(deal: Record | Table, dark: bool | None = None, width: float = 760) -> Svg:
    """A whole deal as one SVG picture: the hands as dealt, the auction, every trick with its leader
    and its winner, and the result.

    deal: a deal Record or a Table, as far as it has been played. dark, width: as for `picture`.

    Raises TypeError for anything else, such as a view, ValueError for a theme or a width that is none,
    and RecordError for a Record that breaks the rules.
    """
    check_look(dark, width)
    record = _record(deal)
    return _sheet(record, dark).svg("A deal of Hasenpfeffer", _said(record), width)


def _said(record: Record) -> str:
    return str(list(positions(record))[-1])


def _sheet(record: Record, dark: bool | None, shared: Shared | None = None) -> Drawing:
    scene, hands = scene_of(record), deal_from(record).hands
    dealt = [sorted_hand(hand, scene.trump) for hand in hands]
    rounds = max(len(calls) for calls in scene.calls)
    tricks_top = max(166 + 26 * rounds, 244)
    result_top = tricks_top + (TRICK_HEIGHT + 14 if scene.tricks else 0)
    drawing = Drawing(WIDTH, result_top + 76, dark, shared)
    drawing.box(0, 0, WIDTH, drawing.height, "edge", 22)
    drawing.box(6, 6, WIDTH - 12, drawing.height - 12, "felt", 17)
    _hands_and_calls(drawing, dealt, scene)
    _contract(drawing, scene)
    for trick in scene.tricks:
        _trick(drawing, scene, trick, 20 + TRICK_COLUMN * (trick.number - 1), tricks_top)
    _result(drawing, record, scene, result_top)
    return drawing


def _hands_and_calls(drawing: Drawing, dealt: list[tuple[int, ...]], scene: Scene) -> None:
    """A column for each seat, in the order in which they call."""
    for i in range(N_SEATS):
        seat = (scene.dealer + 1 + i) % N_SEATS
        x = LEFT + COLUMN * i
        marks = ["dealer"] if seat == scene.dealer else []
        marks += ["maker"] if scene.is_widow_taken and seat == scene.maker else []
        drawing.words(SEAT_NAMES[seat], x, 30, 14, "ink", 1.9)
        drawing.words(", ".join(marks), x + 84, 33, 10, "muted", 1.6)
        for n, card in enumerate(dealt[seat]):
            drawing.card(card, x + HAND_STEP * n, 58, HAND_SCALE)
    auction_lines(drawing, scene, LEFT - 10, 152, COLUMN, 26, 12, answers=True, head=False)


def _contract(drawing: Drawing, scene: Scene) -> None:
    """The widow, the discard, the trump and the bid, right of the hands."""
    x = LEFT + COLUMN * N_SEATS + 14
    for i, (name, there, card) in enumerate(
        (("widow", scene.has_widow, scene.widow), ("discard", scene.has_discard, scene.discard))
    ):
        left = x + 82 * i
        drawing.words(name, left, 33, 10, "muted", 1.6)
        if there:
            drawing.card(card, left, 58, HAND_SCALE)
        else:
            drawing.slot(left, 58, HAND_SCALE)
    if scene.trump == NO_SUIT:
        drawing.words(scene.bid, x, 178, 13, "ink", 1.8)
        return
    drawing.suit(scene.trump, x + 26, 192, 34)
    drawing.words(
        f"{scene.bid} by {SEAT_LETTERS[scene.maker]}", x + 64, 172, 10.5, "ink", 1.7, most=110
    )
    drawing.words(SUIT_NAMES[scene.trump], x + 64, 190, 10.5, "ink", 1.7)
    if scene.alone:
        seats = " and ".join(SEAT_LETTERS[seat] for seat in scene.alone)
        drawing.words(f"alone: {seats}", x + 64, 208, 10.5, "ink", 1.7, most=110)


def _trick(drawing: Drawing, scene: Scene, trick: Trick, x: float, y: float) -> None:
    """The cards where the seats are, North above; the winner's marked, the leader's tagged."""
    drawing.box(x + 3, y, TRICK_COLUMN - 6, TRICK_HEIGHT, "panel", 12)
    is_done = trick.number <= sum(scene.won)
    title = f"{trick.number}: {SEAT_NAMES[trick.winner]}" if is_done else f"{trick.number}"
    drawing.words(title, x + TRICK_COLUMN / 2, y + 14, 11, "ink", 1.8, "middle")
    width, height = CARD_WIDTH * TRICK_SCALE, CARD_HEIGHT * TRICK_SCALE
    middle, top = x + TRICK_COLUMN / 2, y + 42
    places = (
        (middle - width / 2, top),
        (middle + 25, top + 48),
        (middle - width / 2, top + 96),
        (middle - 25 - width, top + 48),
    )
    for n, (seat, card) in enumerate(trick.cards):
        left, upper = places[seat]
        drawing.card(card, left, upper, TRICK_SCALE, edge=GOLD if seat == trick.winner else None)
        if n == 0:
            drawing.box(left + width / 2 - 15, upper + height - 15, 30, 14, "led", 7)
            drawing.words("led", left + width / 2, upper + height - 11.5, 7, "led ink", 1.9, "middle")


def _result(drawing: Drawing, record: Record, scene: Scene, y: float) -> None:
    drawing.words(scene.result or scene.status, 26, y + 12, 15, "ink", 1.8)
    before = ", ".join(f"{SIDE_LETTERS[side]} {record.score[side]}" for side in range(2))
    drawing.words(f"score before {before}", 26, y + 40, 10.5, "muted", 1.6)
    if not scene.is_over:
        return
    for side in range(2):
        points = f"{scene.points[side]:+d}" if scene.points[side] else "0"
        right = WIDTH - 30 - 190 * (1 - side)
        drawing.words(f"{SIDE_LETTERS[side]} {points}", right, y + 10, 19, "ink", 1.8, "end")
        drawing.words(f"now {scene.score[side]}", right, y + 40, 10.5, "muted", 1.6, "end")


# ---- step by step -------------------------------------------------------------------------------

_SCRIPT = """(function(){
var root=document.getElementById("ROOT");if(!root)return;
var steps=root.querySelectorAll("[data-step]"),range=root.querySelector("input"),
buttons=root.querySelectorAll("button"),last=steps.length-1;
function show(n){n=Math.max(0,Math.min(last,n));range.value=n;
for(var i=0;i<=last;i++)steps[i].style.display=i===n?"block":"none";
buttons[0].disabled=n===0;buttons[1].disabled=n===last;}
root.querySelector("[data-still]").style.display="none";
root.querySelector("[data-controls]").style.display="flex";
range.oninput=function(){show(+range.value)};
buttons[0].onclick=function(){show(+range.value-1)};
buttons[1].onclick=function(){show(+range.value+1)};
show(START);})();"""


def deal_slider(
    deal: Record | Table,
    bottom: int | str | None = None,
    dark: bool | None = None,
    width: float = 760,
    start: int = 0,
) -> Html:
    """A deal to step through, as HTML that needs neither a kernel nor anything from outside: the table
    before the first action and after each. Where scripts are not allowed the deal stands there on one
    sheet. Every call gives ids of its own, so that many fit into one page.

    deal: a deal Record or a Table. bottom, dark, width: as for `picture`. start: the step shown first,
    0 before anything is done; negative ones count from the end.

    Raises what `deal_picture` raises, and ValueError for a step that there is none of, or TypeError.
    """
    check_look(dark, width)
    record = _record(deal)
    if bottom is not None:
        bottom = seat_number(bottom)
    tables = list(positions(record))
    start = whole_number("start", start, -len(tables), len(tables) - 1)
    root, shared = f"d{uuid4().hex[:10]}", Shared()
    still = _sheet(record, dark, shared).inner_svg("The whole deal", width)
    steps = "".join(
        _step(scene_of(table), _caption(tables, n), n, bottom, dark, width, shared)
        for n, table in enumerate(tables)
    )
    script = _SCRIPT.replace("ROOT", root).replace("START", str(start % len(tables)))
    return Html(
        with_ids(
            f'<div id="{root}" style="max-width:{width:g}px">'
            + (follow_reader(root) if dark is None else "")
            + '<svg width="0" height="0" style="position:absolute" aria-hidden="true">'
            + f"<defs>{shared.definitions()}</defs></svg>"
            + f"<div data-still>{still}</div>{steps}{_controls(len(tables))}"
            + f"<script>{script}</script></div>",
            f"{root}-",
        )
    )


def _step(
    scene: Scene,
    caption: str,
    n: int,
    bottom: int | None,
    dark: bool | None,
    width: float,
    shared: Shared,
) -> str:
    drawn = table_drawing(scene, bottom, dark, shared).inner_svg(f"Card table, {scene.status}", width)
    return (
        f'<div data-step="{n}" style="display:none">{drawn}'
        f'<p style="margin:.4em 0;min-height:1.4em">{escaped(caption)}</p></div>'
    )


def _caption(tables: list[Table], n: int) -> str:
    """`3 of 30: South bids 3`, what was done last."""
    last = len(tables) - 1
    if n == 0:
        return f"0 of {last}: the cards are dealt"
    table = tables[n]
    seat = int(table.history_seat[n - 1])
    action = int(table.history[n - 1])
    text = f"discards {ACTION_TEXT[table.discard]}" if action == FACE_DOWN else ACTION_TEXT[action]
    return f"{n} of {last}: {SEAT_NAMES[seat]} {text}"


def _controls(n: int) -> str:
    button = 'type="button" style="font:inherit;padding:.2em .9em;cursor:pointer"'
    return (
        '<div data-controls style="display:none;gap:.6em;align-items:center">'
        f'<button {button} aria-label="one step back">&#8249;</button>'
        f'<input type="range" min="0" max="{n - 1}" value="0" aria-label="step of the deal" '
        'style="flex:1;min-width:6em">'
        f'<button {button} aria-label="one step on">&#8250;</button></div>'
    )
