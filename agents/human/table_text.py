"""The table as text for a narrow terminal: the seats where they sit, the trick between them."""

from collections.abc import Sequence

from rich.text import Text

from hpenv.agents.human.offers import level_of
from hpenv.agents.human.words import who
from hpenv.cards import CARD_TEXT, NO_SUIT, SUIT_NAMES, SUITS
from hpenv.drawing.scene import Scene, scene_of
from hpenv.seats import N_SEATS, NOBODY
from hpenv.view import View

WIDTH = 58
BESIDE, MIDDLE = 22, 14  # columns of West and East, and of the trick between them
RED = ("D", "H")
ANSWERS = ("alone", "with partner")  # the mark `alone` says it


def table_text(view: View, agents: Sequence[str | None]) -> Text:
    """Contract and score above, then the seats, the person's below; the seat to act in brackets,
    `*` after the card that is winning. At most `WIDTH` columns."""
    scene, own = scene_of(view), int(view.seat)
    left, top, right = ((own + place) % N_SEATS for place in (1, 2, 3))
    trick = _trick(scene)
    lines = [Text(_contract(scene, own)), Text(_tricks(scene, own)), Text()]
    lines += [_centred(line) for line in _seat(scene, top, own, agents)]
    lines += [_centred(trick[top])]
    beside = zip(_seat(scene, left, own, agents), _seat(scene, right, own, agents), strict=True)
    for row, (west, east) in enumerate(beside):
        cards = _between(trick[left], trick[right]) if row == 0 else Text(" " * MIDDLE)
        lines.append(_padded(west, BESIDE) + cards + east)
    lines += [_centred(trick[own]), *(_centred(line) for line in _seat(scene, own, own, agents)[:2])]
    for line in lines:
        line.rstrip()
    return Text("\n").join(line for n, line in enumerate(lines) if line or n == 2)


def _contract(scene: Scene, own: int) -> str:
    maker = f" by {who(scene.maker, own).replace('You', 'you')}" if scene.maker != NOBODY else ""
    trump = f", {SUIT_NAMES[scene.trump]} trumps" if scene.trump != NO_SUIT else ""
    ours = own % 2
    score = f"score you {scene.score[ours]}, they {scene.score[1 - ours]}"
    return _apart(f"{scene.bid}{maker}{trump}", score)


def _tricks(scene: Scene, own: int) -> str:
    ours = own % 2
    won = f"tricks you {scene.won[ours]}, they {scene.won[1 - ours]}" if scene.is_play else ""
    return _apart(f"deal {scene.deal}, game to {scene.target}", won)


def _apart(left: str, right: str) -> str:
    return f"{left}{right:>{max(WIDTH - len(left), len(right) + 2)}}"


def _seat(scene: Scene, seat: int, own: int, agents: Sequence[str | None]) -> list[Text]:
    """Three lines: the name and what the seat is; its calls; the suits it has shown to be missing."""
    is_turn = seat == scene.to_act
    words = f"[{who(seat, own)}]" if is_turn else who(seat, own)
    name = Text(words, "bold reverse" if is_turn else "bold")
    marks = ["dealer"] if seat == scene.dealer else []
    marks += ["maker"] if scene.is_widow_taken and seat == scene.maker else []
    marks += ["alone"] if seat in scene.alone else []
    marks += ["out"] if seat in scene.sitting_out else []
    name.append(f" {' '.join(marks)}" if marks else "", "green")
    agent = agents[seat]
    calls = [call for call in scene.calls[seat] if call not in ANSWERS]
    said = f"{level_of(agent)}: {', '.join(calls)}".rstrip(": ") if agent else ", ".join(calls)
    voids = " ".join(SUITS[suit] for suit in scene.voids[seat])
    return [name, Text(said[: BESIDE - 1], "dim"), Text(f"void {voids}" if voids else "", "dim")]


def _trick(scene: Scene) -> list[Text]:
    """Each seat's card on the table, three columns wide."""
    trick = scene.trick()
    laid = dict(trick.cards) if trick else {}
    cards = []
    for seat in range(N_SEATS):
        if seat not in laid:
            is_place = scene.is_play and seat not in scene.sitting_out
            cards.append(Text("-- " if is_place else "   ", "dim"))
            continue
        word = CARD_TEXT[laid[seat]]
        mark = "*" if trick and seat == trick.winner else " "
        cards.append(Text(word, "bold red" if word[1] in RED else "bold").append(mark, "green"))
    return cards


def _between(left: Text, right: Text) -> Text:
    return _padded(left, MIDDLE - 4) + _padded(right, 4)


def _padded(text: Text, width: int) -> Text:
    return text + Text(" " * max(width - len(text), 1))


def _centred(text: Text) -> Text:
    return Text(" " * max((WIDTH - len(text)) // 2, 0)) + text
