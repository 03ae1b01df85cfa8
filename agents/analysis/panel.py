"""What agents think of a view, drawn: the table as its seat sees it, each agent's choice, and for every
legal action its probability and expected points.

The picture is made from the view and the agents' opinions alone, so nothing hidden can be drawn.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hpenv.actions import TRUMP
from hpenv.agents.agent import Agent, as_agent
from hpenv.agents.opinion import Opinion, call_text, opinion_of
from hpenv.cards import ALL_CARDS, JOKER, N_CARDS, N_SUITS, NO_SUIT, set_cards
from hpenv.drawing.canvas import Drawing, Svg
from hpenv.drawing.cards import CARD_HEIGHT
from hpenv.drawing.glyphs import GLYPHS
from hpenv.drawing.scene import scene_of, sorted_hand
from hpenv.drawing.table import check_look, table_drawing
from hpenv.rulebook import NAME_TRUMP
from hpenv.view import View

MOST_AGENTS = 4
WIDTH = 1000
TABLE_SCALE = 0.6
TOP, LEFT = 20, 20
SIDE = LEFT + WIDTH * TABLE_SCALE + 18  # where the agents' choices begin
BOTTOM, GAP = 462, 10  # of the part above the rows
ROWS_TOP, ROW = 510, 38
LABEL = 136  # wide is the column that names the actions

_RANKS = ("9", "10", "J", "Q", "K", "A")


def opinion_panel(
    view: View,
    agents: Sequence[Agent | str] | Agent | str,
    seed: int = 1,
    dark: bool | None = None,
    width: float = 760,
) -> Svg:
    """One to four agents on the same view, side by side, as SVG that a notebook shows.

    Each action has a bar, its probability, gold for the agent's choice. Where an agent gives expected
    points, a dot is the mean and the line the spread, one standard deviation from world to world either
    way, in the side's points of the deal minus the other side's.

    view: of a seat to act. agents: as such or by name. seed: of everything random in them.
    dark, width: as for `hpenv.drawing.picture`.

    Raises TypeError for anything but a View, a whole table included, which shows what is hidden, and
    ValueError for a seat that is not to act, for no agents or more than four, and for an unknown agent.
    """
    check_look(dark, width)
    names, opinions = opinions_of(view, agents, seed)
    rows = _in_order(view)
    scene = scene_of(view)
    foot = 26 if any(_has_points(opinion) for opinion in opinions) else 0
    drawing = Drawing(WIDTH, ROWS_TOP + ROW * len(rows) + foot + 14, dark)
    drawing.box(0, 0, WIDTH, drawing.height, "edge", 22)
    drawing.box(6, 6, WIDTH - 12, drawing.height - 12, "felt", 17)
    table = table_drawing(scene, dark=dark, shared=drawing.shared)
    drawing.parts.append(
        f'<g transform="translate({LEFT} {TOP}) scale({TABLE_SCALE})">{"".join(table.parts)}</g>'
    )
    drawing.words(scene.status, SIDE, TOP + 6, 15, "ink", 1.8, most=WIDTH - SIDE - 20)
    height = min((BOTTOM - TOP - 36 + GAP) / len(names) - GAP, 158)
    for i, (name, opinion) in enumerate(zip(names, opinions, strict=True)):
        _choice(drawing, view, name, opinion, TOP + 36 + (height + GAP) * i, height)
    _all_actions(drawing, view, rows, names, opinions)
    said = opinions_text(view, opinions)
    return drawing.svg(f"What agents think: {scene.status}", said, width)


def opinions_of(
    view: View, agents: Sequence[Agent | str] | Agent | str, seed: int = 1
) -> tuple[list[str], list[Opinion]]:
    """The names of one to four agents and their opinions of a view. Raises as `opinion_panel` does."""
    if not isinstance(view, View):
        raise TypeError(f"agents are asked about a View, not about a {type(view).__name__}")
    asked: list[Any] = list(agents) if isinstance(agents, Sequence) else [agents]
    asked = [agents] if isinstance(agents, str) else asked
    if not 1 <= len(asked) <= MOST_AGENTS:
        raise ValueError(f"agents: a panel shows one to {MOST_AGENTS} of them, not {len(asked)}")
    made = [as_agent(agent) for agent in asked]
    return [agent.name for agent in made], [opinion_of(agent, view, seed) for agent in made]


def opinions_text(view: View, opinions: Sequence[Opinion]) -> str:
    """The same as lines of text: the view, and each agent's table."""
    return "\n".join([str(view), *(str(opinion) for opinion in opinions)])


# ---- the choice of each -------------------------------------------------------------------------


def _choice(drawing: Drawing, view: View, name: str, opinion: Opinion, y: float, height: float) -> None:
    """An agent's name, its choice and the points it expects of that."""
    width = WIDTH - SIDE - 20
    drawing.box(SIDE, y, width, height, "panel", 14)
    drawing.words(letters(name), SIDE + 18, y + 14, 10.5, "muted", 1.6, most=width - 36)
    middle, action = y + 34 + (height - 44) / 2, opinion.action
    if height > 120 and action < N_CARDS:
        scale = (height - 48) / CARD_HEIGHT
        drawing.card(action, SIDE + 18, y + 36, scale)
    else:
        _label(drawing, view, action, SIDE + 18, middle, 17)
    if opinion.note:
        reason = letters(opinion.note.partition(":")[0])
        drawing.words(reason, SIDE + 18, y + height - 13, 8.5, "muted", 1.5, most=width - 36)
    if _has_points(opinion):
        right = SIDE + width - 18
        drawing.words(_signed(opinion.points[action]), right, middle - 15, 19, "ink", 1.8, "end")
        seen = f"points, {opinion.worlds} worlds" if opinion.worlds else "points expected"
        drawing.words(seen, right, middle + 14, 9.5, "muted", 1.5, "end")


def _label(drawing: Drawing, view: View, action: int, x: float, middle: float, height: float) -> None:
    """An action, cards and trumps with the suit's shape, written from x on around a middle line."""
    top = middle - height / 2
    is_card, is_trump = action < JOKER, TRUMP <= action < TRUMP + N_SUITS
    if not is_card and not is_trump:
        words = "Joker" if action == JOKER else call_text(view, action)
        drawing.words(words, x, top, height * 0.82, "ink", 1.8, most=LABEL - 26)
        return
    suit = action // 6 if is_card else action - TRUMP
    words = _RANKS[action % 6] if is_card else "trump"
    drawing.words(words, x, top if is_card else top + 2, height * (1 if is_card else 0.82), "ink", 1.9)
    drawing.suit(suit, x + (46 if is_card else 84), middle, height * 1.15)


# ---- every action -------------------------------------------------------------------------------


def _all_actions(
    drawing: Drawing, view: View, rows: list[int], names: list[str], opinions: list[Opinion]
) -> None:
    """A row for each legal action, a column for each agent."""
    for i, action in enumerate(rows):
        y = ROWS_TOP + ROW * i
        drawing.box(14, y, WIDTH - 28, ROW - 4, "panel", 10)
        _label(drawing, view, action, 28, y + ROW / 2 - 2, 13)
    shares = [1.7 if _has_points(opinion) else 1.0 for opinion in opinions]
    columns = [(WIDTH - 28 - LABEL) * share / sum(shares) for share in shares]
    low, high = _axis(opinions)
    for i, (name, opinion) in enumerate(zip(names, opinions, strict=True)):
        x, room = 14 + LABEL + sum(columns[:i]), columns[i] - 22.0
        half = room * (0.46 if _has_points(opinion) else 1.0)
        drawing.words(letters(name), x, ROWS_TOP - 34, 11, "ink", 1.7, most=room)
        drawing.words("how likely", x, ROWS_TOP - 14, 8.5, "muted", 1.5, most=half)
        for k, action in enumerate(rows):
            _bar(drawing, opinion, action, x, ROWS_TOP + ROW * k + ROW / 2 - 2, half - 58)
        if _has_points(opinion):
            drawing.words(
                "points expected, spread", x + half, ROWS_TOP - 14, 8.5, "muted", 1.5, most=half
            )
            _expected(drawing, rows, opinion, (x + half + 2, room - half - 62), (low, high))


def _bar(drawing: Drawing, opinion: Opinion, action: int, x: float, y: float, room: float) -> None:
    """The probability of an action, gold for the agent's choice."""
    share = float(opinion.probabilities[action])
    drawing.box(x, y - 7, room, 14, None, 5, "slot", 1)
    if share > 0.004:
        role = "turn" if action == opinion.action else "won"
        drawing.box(x, y - 7, max(room * share, 3), 14, role, min(5, room * share / 2))
    drawing.words(f"{share:.0%}", x + room + 9, y - 5, 10, "ink", 1.6)


def _expected(
    drawing: Drawing,
    rows: list[int],
    opinion: Opinion,
    across: tuple[float, float],
    bounds: tuple[int, int],
) -> None:
    """The points expected of every action, on one scale, and the scale below."""
    left, room = across
    low, high = bounds

    def place(points: float) -> float:
        return left + room * (points - low) / (high - low)

    foot = ROWS_TOP + ROW * len(rows)
    drawing.box(place(0) - 0.6, ROWS_TOP, 1.2, ROW * len(rows) - 4, "slot", 0)
    for points in sorted({low, 0, high}):
        drawing.words(_whole(points), place(points), foot + 6, 9, "muted", 1.5, "middle")
    for k, action in enumerate(rows):
        mean, spread = float(opinion.points[action]), float(np.nan_to_num(opinion.spread[action]))
        y = ROWS_TOP + ROW * k + ROW / 2 - 2
        if not np.isfinite(mean):
            drawing.words("-", left + room + 10, y - 5, 10, "muted", 1.6)
            continue
        ends = place(mean - spread), place(mean + spread)
        drawing.box(ends[0], y - 1, ends[1] - ends[0], 2, "muted", 1)
        drawing.dot(place(mean), y, 6.5, "ink", "ink")
        drawing.dot(place(mean), y, 5, "turn" if action == opinion.action else "won", "ink")
        drawing.words(_signed(mean), left + room + 10, y - 5, 10, "ink", 1.6)


def _has_points(opinion: Opinion) -> bool:
    return bool(np.isfinite(opinion.points).any())


def _axis(opinions: Sequence[Opinion]) -> tuple[int, int]:
    """Whole points that hold every mean and its spread, and 0."""
    found = [0.0]
    for opinion in opinions:
        spread = np.nan_to_num(opinion.spread)
        ends = np.concatenate([opinion.points - spread, opinion.points + spread])
        found += ends[np.isfinite(ends)].tolist()
    low, high = int(np.floor(min(found))), int(np.ceil(max(found)))
    return low, max(high, low + 1)


def _in_order(view: View) -> list[int]:
    """The legal actions: cards as the hand is held, then the others by number."""
    legal = int(view.legal)
    trump = int(view.trump) if view.phase > NAME_TRUMP else NO_SUIT
    return [*sorted_hand(legal & ALL_CARDS, trump), *set_cards(legal & ~ALL_CARDS)]


def _signed(points: float) -> str:
    text = f"{points:+.2f}"
    return "0.00" if text in ("+0.00", "-0.00") else text


def _whole(points: int) -> str:
    return f"{points:+d}" if points else "0"


def letters(name: str) -> str:
    """A name in the signs there are pen strokes for."""
    plain = name.replace(",", ", ")
    return "".join(sign if sign == " " or sign.upper() in GLYPHS else "?" for sign in plain)
