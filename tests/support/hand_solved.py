"""Deals of one and of two tricks that are worked out by hand, and random finished ones."""

from __future__ import annotations

from typing import Any

from hpenv.notation import record_of
from hpenv.rulebook import DEAL_OVER
from hpenv.seats import NOBODY
from random_deals import positions

# One card each. North takes the Joker and throws it away: with South's right bower that costs nothing,
# but then North goes alone with a club, and East, who leads, has the left bower.
ONE_TRICK: dict[str, Any] = {
    "rules": {"hand_size": 1, "set_penalty": "bid"},
    "dealer": "W",
    "hands": {"N": "JC", "E": "JD", "S": "JH", "W": "JS"},
    "widow": "Jo",
    "actions": [
        *("bid 1", "trump H", "Jo", "alone", "with partner", "with partner"),
        *("JD", "JS", "JC"),
    ],
    "points": [-1, 0],
}
# North, to win both tricks, need only draw the trumps with the Joker: East's ace and West's jack fall
# together, and then AC is high. But North leads AC, and West, who has no club, ruffs it.
TWO_TRICKS: dict[str, Any] = {
    "rules": "mini2",
    "dealer": "W",
    "hands": {"N": "Jo AC", "E": "AH JC", "S": "AS JS", "W": "AD JH"},
    "widow": "JD",
    "actions": [
        *("bid 2", "trump H", "JD", "with partner"),
        *("AC", "JC", "JS", "JH", "AD", "Jo", "AH", "AS"),
    ],
    "points": [-2, 0],
}


def up_to(record: dict[str, Any], n: int) -> dict[str, Any]:
    """The position after the first n actions of a record."""
    return {key: record[key] for key in record if key != "points"} | {"actions": record["actions"][:n]}


def finished_deals(name: str, seed: int, n: int) -> list[Any]:
    """The records of some random deals that had a maker."""
    found = [
        record_of(table)
        for table in positions(name, seed, n)
        if table.phase == DEAL_OVER and table.maker != NOBODY
    ]
    assert found
    return found
