"""Games with one person in them, played at random by a test."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hpenv.actions import ACTION_TEXT, ALONE, PASS
from hpenv.agents.human.game import Event, Game
from hpenv.agents.human.saved_game import game_of, read
from hpenv.cards import set_cards
from hpenv.rules import get_rules

RULES: dict[str, Any] = {
    "standard": {"target": 4, "max_deals": 4},
    "pepper": {"bidding": "pepper", "max_deals": 3},
    "house": {
        "bidding": "pepper",
        "set_penalty": "bid",
        "defenders_score": True,
        "alone_factor": 2,
        "all_pass": "dealer_bids",
        "max_deals": 4,
    },
    "three cards": {"hand_size": 3, "target": 3, "max_deals": 4, "defenders_score": True},
}
CHANCY = ("uniform", "sensible_random", "mixed:rule_based,lead=uniform", "uniform")


def choose(game: Game, rng: random.Random) -> int:
    """A legal action; passes and lone hands favoured, so that every kind of deal comes up."""
    legal = set_cards(int(game.view.legal))
    for favoured, chance in ((PASS, 0.5), (ALONE, 0.5)):
        if favoured in legal and rng.random() < chance:
            return favoured
    return rng.choice(legal)


def step(game: Game, rng: random.Random) -> list[Event]:
    """One more action of the person, or the next deal."""
    return game.next_deal() if game.deal_is_over else game.do(choose(game, rng))


def new(name: str, seed: int, seat: int = 2, agents: Any = CHANCY, practice: bool = False) -> Game:
    return Game(get_rules(RULES[name]), seed, seat, agents, practice)


def ended(name: str, seed: int, seat: int = 2, practice: bool = False) -> Game:
    """A deal played to its end."""
    game, rng = new(name, seed, seat, practice=practice), random.Random(seed)
    while not game.deal_is_over:
        step(game, rng)
    return game


def arguments(game: Game) -> dict[str, Any]:
    """What makes the same game once more."""
    deals = [[ACTION_TEXT[action] for action in deal.actions] for deal in game.so_far]
    return {
        "rules": game.rules,
        "seed": game.seed,
        "seat": game.seat,
        "agents": game.agents,
        "practice": game.practice,
        "deals": deals,
    }


def error_of(attempt: Callable[[], Any]) -> str | None:
    """The sentence of the ValueError that an attempt raises, or None if it raises none."""
    try:
        attempt()
    except ValueError as error:
        return str(error)
    return None


def resume(path: Path) -> Game:
    """The game saved in a file."""
    return game_of(read(path), path)
