"""The tables that the documents show, printed by the code, so that no number is ever typed twice."""

from itertools import pairwise

from hpenv.actions import (
    ACTION_TEXT,
    ALONE,
    BID,
    BIG_PEPPER,
    N_ACTIONS,
    PASS,
    TRUMP,
    WITH_PARTNER,
)
from hpenv.cards import JOKER, N_CARDS
from hpenv.observation import HIDDEN_PIECES, OBSERVATION_SIZE, PIECES


def observation_table() -> str:
    """The pieces of an observation."""
    return _pieces_table(PIECES, 0)


def hidden_table() -> str:
    """The pieces that only critics may see, numbered as they follow the observation in a state."""
    return _pieces_table(HIDDEN_PIECES, OBSERVATION_SIZE)


def _pieces_table(pieces: list[tuple[str, int, str]], at: int) -> str:
    lines = ["| index | piece | size | meaning |", "|---|---|---|---|"]
    for name, size, meaning in pieces:
        span = f"{at}" if size == 1 else f"{at}-{at + size - 1}"
        lines.append(f"| {span} | `{name}` | {size} | {meaning} |")
        at += size
    return "\n".join(lines)


def actions_table() -> str:
    """The actions, neighbours of one kind on one row."""
    card = "play or discard the card"
    kinds = [
        *((first, card) for first in range(0, N_CARDS - 1, 6)),
        (JOKER, card + ", the Joker"),
        (PASS, "in the auction"),
        (BID + 1, "in the auction; in pepper form the bid of all tricks is little pepper"),
        (BIG_PEPPER, "in the auction, in pepper form"),
        (TRUMP, "name the trump suit"),
        (ALONE, "play alone, as maker or defender"),
        (WITH_PARTNER, "do not play alone"),
        (N_ACTIONS, ""),
    ]
    rows = ["| action | meaning |", "|---|---|"]
    for (first, meaning), (end, _) in pairwise(kinds):
        span = f"{first}" if end == first + 1 else f"{first}-{end - 1}"
        rows.append(f"| {span} | {', '.join(ACTION_TEXT[first:end])}: {meaning} |")
    return "\n".join(rows)
