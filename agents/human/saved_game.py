"""A game with a person in it as a file: what was chosen and what was done, and nothing that can run.

    {"format": 1, "rules": "standard", "seed": 7, "seat": "S", "agents": {"N": "rule_based", ...},
     "practice": false, "deals": [["pass", "bid 3", ...], ...]}

The cards and the agents' random numbers follow from the seed (see `hpenv.agents.human.game`), so a game
read back goes on as it would have. All hands can be worked out from the file: the person does not look.
"""

import json
from pathlib import Path
from typing import Any

from hpenv.actions import ACTION_TEXT
from hpenv.agents.human.game import Game
from hpenv.files import write_whole
from hpenv.seats import SEAT_LETTERS
from hpenv.strict_json import parse_json

FORMAT = 1
KINDS: dict[str, type] = {
    "format": int,
    "rules": object,
    "seed": int,
    "seat": str,
    "agents": dict,
    "practice": bool,
    "deals": list,
}
LARGEST_FILE = 1 << 24  # bytes: more than 10,000 deals


def as_json(game: Game) -> dict[str, Any]:
    """The game as far as it has been played, as an object for JSON."""
    return {
        "format": FORMAT,
        "rules": game.rules.name(),
        "seed": game.seed,
        "seat": SEAT_LETTERS[game.seat],
        "agents": {SEAT_LETTERS[s]: name for s, name in enumerate(game.agents) if name},
        "practice": game.practice,
        "deals": [[ACTION_TEXT[action] for action in deal.actions] for deal in game.so_far],
    }


def save(game: Game, path: Path) -> bytes:
    """Write the game into a file, whole or not at all. Returns what was written."""
    data = (json.dumps(as_json(game)) + "\n").encode()
    write_whole(path, data)
    return data


def read(path: Path) -> bytes:
    """What a file holds, so much of it as a saved game can have. Raises OSError."""
    with path.open("rb") as file:
        return file.read(LARGEST_FILE + 1)


def game_of(data: bytes, path: Path) -> Game:
    """The game that `save` wrote, to be played on. path: where the data come from, for errors.

    The rules check every action. Raises ValueError with a sentence for data that are damaged or no
    saved game.
    """
    try:
        if len(data) > LARGEST_FILE:
            raise ValueError("the file is too large")
        return from_json(parse_json(data))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: not a saved game, or damaged: {error}") from None


def from_json(saved: Any) -> Game:
    """The game of an object as `as_json` gives it. Raises ValueError or TypeError for anything
    else."""
    if not isinstance(saved, dict):
        raise ValueError("a saved game is one JSON object")
    if isinstance(saved.get("format"), int) and saved["format"] != FORMAT:
        raise ValueError(f"format {saved['format']}, but this program reads format {FORMAT}")
    if set(saved) != set(KINDS):
        odd = sorted(set(saved) ^ set(KINDS))[0]
        raise ValueError(f"{odd!r} is {'missing' if odd in KINDS else 'no part of a saved game'}")
    for key, kind in KINDS.items():
        if kind is not object and type(saved[key]) is not kind:
            raise ValueError(f"{key} is {saved[key]!r}"[:80])
    seat, agents, deals = saved["seat"], saved["agents"], saved["deals"]
    if seat not in tuple(SEAT_LETTERS):
        raise ValueError(f"seat is {seat!r}, not N, E, S or W")
    if set(agents) != set(SEAT_LETTERS) - {seat} or not all(
        isinstance(n, str) for n in agents.values()
    ):
        raise ValueError("agents are not named for the other three seats")
    if not deals or not all(
        isinstance(deal, list) and all(isinstance(word, str) for word in deal) for deal in deals
    ):
        raise ValueError("deals is not a list of lists of actions")
    named = [agents.get(other) for other in SEAT_LETTERS]
    return Game(
        saved["rules"], saved["seed"], SEAT_LETTERS.index(seat), named, saved["practice"], deals
    )
