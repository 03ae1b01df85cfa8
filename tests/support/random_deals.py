"""Random deals for tests, under many rules."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from hpenv.actions import ALONE, PASS
from hpenv.cards import set_cards
from hpenv.rulebook import DEAL_OVER, legal_actions, new_game, next_deal
from hpenv.rules import PRESETS, get_rules
from hpenv.seats import NOBODY
from hpenv.table import TABLE, new_tables

RULES: dict[str, Any] = {
    **{name: name for name in PRESETS},
    "no alone": {"alone": False, "defenders_score": True},
    "one card": {"hand_size": 1, "bidding": "pepper"},
    "five cards": {"hand_size": 5, "all_pass": "dealer_bids", "defenders_score": True, "target": 3},
}
SHORT = {"target": 4, "max_deals": 3, "alone_factor": 2, "defenders_score": True}
MIXTURE = [*PRESETS, SHORT, {"hand_size": 1, "bidding": "pepper"}, {"hand_size": 4, "alone": False}]


def mixture(n: int) -> list[Any]:
    """Rules for n tables, all kinds in turn."""
    return [MIXTURE[i % len(MIXTURE)] for i in range(n)]


def random_actions(masks: Any, rng: np.random.Generator) -> Any:
    """A random legal action for each row of masks (B, A), favouring what `choose` favours."""
    wish = rng.random(masks.shape)
    wish[:, PASS] += 0.6
    wish[:, ALONE] += 0.3
    return np.argmax(wish * masks, axis=1)


def choose(table: Any, rng: random.Random) -> int:
    """A legal action, passes and lone hands favoured so that every kind of deal comes up."""
    legal = set_cards(legal_actions(table))
    for favoured, chance in ((PASS, 0.6), (ALONE, 0.4)):
        if favoured in legal and rng.random() < chance:
            return favoured
    return rng.choice(legal)


def positions(name: str, seed: int, deals: int) -> Iterator[Any]:
    """The same table again and again: before every action of some deals in a row, and at each end."""
    rng = random.Random(f"{name} {seed}")
    table = new_tables(1, get_rules(RULES[name]), seed)[0]
    new_game(table, NOBODY, rng.randrange(-60, table.target), rng.randrange(-60, table.target))
    for _ in range(deals):
        while table.phase != DEAL_OVER:
            yield table
            table.step(choose(table, rng))
        yield table
        if table.winner == NOBODY:
            next_deal(table)
        else:
            new_game(table, NOBODY, table.target - 1, table.target - 1)


def copy_of(table: Any) -> Any:
    """The same table once more."""
    tables: Any = np.zeros(1, TABLE)
    tables[0] = table
    return tables[0]
