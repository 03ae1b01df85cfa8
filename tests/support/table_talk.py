"""Tables set up for tests and talked to in notation: `say(red("standard", "W"), "bid 3, pass")`."""

from typing import Any

from hpenv.actions import parse_action
from hpenv.notation import parse_record, replay
from hpenv.seats import SEAT_LETTERS
from hpenv.table import Table
from naive_tables import MIXED, RED


def table_after(
    rules: str | dict[str, Any],
    dealer: str,
    hands: dict[str, str],
    widow: str,
    actions: str = "",
    score: tuple[int, int] = (0, 0),
) -> Table:
    """A table with these cards dealt, after actions parted by commas."""
    done = [word.strip() for word in actions.split(",") if word.strip()]
    written = {"rules": rules, "dealer": dealer, "hands": hands, "widow": widow}
    return replay(parse_record(written | {"actions": done, "score": list(score)})).table


def red(rules: str | dict[str, Any], dealer: str, actions: str = "", **more: Any) -> Table:
    """North holds the Joker, four high hearts and two black aces."""
    return table_after(rules, dealer, RED, "TS", actions, **more)


def mixed(rules: str | dict[str, Any], dealer: str, actions: str = "", **more: Any) -> Table:
    """The hearts are spread over North, East and South; the black jacks are West's."""
    return table_after(rules, dealer, MIXED, "9D", actions, **more)


def may(table: Table) -> str:
    """What the seat to act may do, parted by commas."""
    return ", ".join(table.legal_actions())


def say(table: Table, actions: str) -> None:
    """Do actions parted by commas."""
    for word in actions.split(","):
        table.step(parse_action(word.strip(), int(table.hand_size)))


def turn(table: Table) -> str:
    """Whose turn it is."""
    return SEAT_LETTERS[table.to_act]


def voids(table: Table) -> dict[str, str]:
    """The suits each seat has shown it cannot follow."""
    shown = {
        seat: "".join("CDHS"[suit] for suit in range(4) if int(table.voids) >> 4 * s + suit & 1)
        for s, seat in enumerate(SEAT_LETTERS)
    }
    return {seat: suits for seat, suits in shown.items() if suits}
