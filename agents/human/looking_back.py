"""What a person at a terminal reads about finished deals: the score sheet, and what choices lost."""

from rich.text import Text

from hpenv.actions import ACTION_TEXT
from hpenv.agents.analysis.review import SEARCH, Choice, review, totals, worst
from hpenv.agents.human.game import Game
from hpenv.agents.human.messages import trick_text
from hpenv.agents.human.score_sheet import score_sheet
from hpenv.agents.human.words import who
from hpenv.cards import CARD_TEXT
from hpenv.drawing.scene import sorted_hand
from hpenv.history import tricks_of
from hpenv.notation import Record, positions
from hpenv.rulebook import PLAY
from hpenv.seats import N_SEATS, NOBODY
from hpenv.table import Table


def sheet_text(game: Game) -> str:
    """A line for each finished deal."""
    lines = score_sheet(game.records)
    if not lines:
        return "No deal is finished yet."
    ours, theirs = game.seat % 2, 1 - game.seat % 2
    text = [f"{'deal':<6}{'bid':<22}{'took':>4}  {'':<6}{'you':>4}{'they':>6}   score"]
    for number, line in enumerate(lines, 1):
        is_played = line.maker != NOBODY
        bid = f"{who(line.maker, game.seat)}: {line.bid}" if is_played else line.bid
        came = ("made" if line.made else "set") if is_played else ""
        text.append(
            f"{number:<6}{bid:<22}{line.took if is_played else '':>4}  {came:<6}"
            f"{_signed(line.points[ours]):>4}{_signed(line.points[theirs]):>6}"
            f"   {line.score[ours]} : {line.score[theirs]}"
        )
    return "\n".join(text)


def _signed(points: int) -> str:
    return f"{points:+}" if points else "0"


def analysis_text(game: Game) -> Text:
    """What the choices of the last finished deal lost: the worst three, then each seat's in all.

    While the others' cards are secret only the person's own choices, against what it could know.
    """
    if not game.records:
        raise ValueError("analysis: no deal is finished yet")
    record, is_open = game.records[-1], game.cards_are_open
    seats = range(N_SEATS) if is_open else (game.seat,)
    choices = review(record, SEARCH, seats, is_open)
    tables = list(positions(record))
    text = Text("Points lost against what could be known")
    text.append(", and with all hands open:" if is_open else ":")
    found = worst(choices)
    for number, choice in enumerate(found, 1):
        text.append("\n").append_text(_moment(record, tables[choice.at], number, choice, game.seat))
    if not found:
        text.append("\nNo choice has lost anything.")
    text.append(f"\n\n{'seat':<8}{'as known':>9}" + (f"{'open hands':>12}" if is_open else ""))
    for seat in seats:
        lost_open, lost_known = totals(choices)[seat]
        text.append(f"\n{who(seat, game.seat):<8}{lost_known:>9.1f}")
        text.append(f"{lost_open:>12}" if is_open else "")
    if not is_open:
        text.append(
            "\nThe other seats and the open hands follow when the game is over, "
            "or after each deal of a game for practice."
        )
    return text


def _moment(record: Record, before: Table, number: int, choice: Choice, own: int) -> Text:
    """A choice, what it lost, the better one, and what the seat had before it."""
    better = [choice.best_known] if choice.lost_known else list(choice.best_open)
    lost = f"{choice.lost_known:.1f}" + (f", open {choice.lost_open}" if choice.lost_open else "")
    where = f"trick {choice.trick}: " if choice.trick else ""
    text = Text(f"{number}. {where}{who(choice.seat, own)} {ACTION_TEXT[choice.action]}", "bold")
    text.append(f", lost {lost}; better {' or '.join(ACTION_TEXT[action] for action in better)}", "")
    trump = int(before.trump)
    held = " ".join(CARD_TEXT[card] for card in sorted_hand(int(before.hands[choice.seat]), trump))
    text.append(f"\n   held {held}", "dim")
    if before.phase == PLAY and before.cards_in_trick:
        text.append(f"; on the table {trick_text(tricks_of(before)[-1].cards)}", "dim")
    return text
