"""What a record comes to with all hands open, as one dictionary for `json.dumps`."""

from typing import Any

import numpy as np

from hpenv.actions import action_set_text, action_text
from hpenv.cards import N_SUITS, SUITS, card_text
from hpenv.double_dummy import OBJECTIVES, best_contracts
from hpenv.hindsight import action_values, losses
from hpenv.notation import Record
from hpenv.rulebook import AUCTION, DEAL_OVER, DISCARD, NAME_TRUMP
from hpenv.seats import N_SEATS, NOBODY, SEAT_LETTERS
from hpenv.table import Table
from hpenv.text import bid_text, phase_words


def solved(record: Record, passed: list[Table], bid: int, every: bool, memory: Any) -> dict[str, Any]:
    """A record with its positions solved, ready for `json.dumps`.

    phase, seat: where the last position stands, and who is to act. tricks_won: by North-South and by
    East-West. bid: whose points `contracts` tell. contracts: every maker, alone or not, and trump.
    actions: all that the seat may do. losses: each choice after the auction; lost: each seat in all.
    What does not apply is None.
    """
    table = passed[-1]
    undecided = table.phase in (AUCTION, NAME_TRUMP, DISCARD)
    thrown_in = table.phase == DEAL_OVER and table.maker == NOBODY
    contracts = undecided or thrown_in or every
    acts = table.phase not in (AUCTION, DEAL_OVER)
    return {
        "rules": record.rules.name(),
        "phase": phase_words(table).name,
        "seat": None if table.to_act == NOBODY else SEAT_LETTERS[table.to_act],
        "tricks_won": table.tricks.tolist(),
        "bid": bid_text(table, bid) if bid else None,
        "contracts": _contracts(passed[0], bid, memory) if contracts else None,
        "actions": _actions(table, memory) if acts else None,
        **_losses(record, table.phase == DEAL_OVER or every, memory),
    }


def _contracts(dealt: Table, bid: int, memory: Any) -> list[dict[str, Any]]:
    """Every contract of a deal: maker by maker, with partner and alone, trump by trump."""
    tables = np.array([dealt], dealt.dtype)
    found = []
    for alone in (False, True) if dealt.alone_allowed else (False,):
        tricks = best_contracts(tables, 0, alone, memory=memory)
        points = best_contracts(tables, bid, alone, memory=memory) if bid else None
        for maker in range(N_SEATS):
            for trump in range(N_SUITS):
                place = 0, maker, trump
                found.append(
                    {
                        "maker": SEAT_LETTERS[maker],
                        "alone": alone,
                        "trump": SUITS[trump],
                        "tricks": int(tricks.values[place]),
                        "discard": card_text(tricks.discards[place]),
                        "points": points and int(points.values[place]),
                        "points_discard": points and card_text(points.discards[place]),
                    }
                )
    return sorted(found, key=lambda contract: SEAT_LETTERS.index(contract["maker"]))


def _actions(table: Table, memory: Any) -> list[dict[str, Any]]:
    """Everything the seat to act may do, the best in points first."""
    tricks, points = (action_values(table, wanted, memory) for wanted in OBJECTIVES)
    legal = np.flatnonzero(~np.isnan(tricks)).tolist()
    return [
        {
            "action": action_text(action),
            "tricks": int(tricks[action]),
            "points": int(points[action]),
            "best_for_tricks": bool(tricks[action] == np.nanmax(tricks)),
            "best_for_points": bool(points[action] == np.nanmax(points)),
        }
        for action in sorted(legal, key=lambda a: (-points[a], -tricks[a], a))
    ]


def _losses(record: Record, wanted: bool, memory: Any) -> dict[str, Any]:
    """What each choice lost, and each seat in all."""
    if not wanted:
        return {"losses": None, "lost": None}
    found = losses(record, memory)
    choices = []
    for i, action in enumerate(found.actions.tolist()):
        tricks, points = zip(found.worth[i].tolist(), found.best[i].tolist(), strict=True)
        choices.append(
            {
                "at": int(found.at[i]),
                "trick": int(found.tricks[i]) or None,
                "seat": SEAT_LETTERS[found.seats[i]],
                "action": action_text(action),
                "tricks": tricks[0],
                "best_tricks": tricks[1],
                "tricks_lost": tricks[1] - tricks[0],
                "best_for_tricks": action_set_text(found.best_actions[i, 0]),
                "points": points[0],
                "best_points": points[1],
                "points_lost": points[1] - points[0],
                "best_for_points": action_set_text(found.best_actions[i, 1]),
            }
        )
    before, play = found.by_seat(in_play=False).tolist(), found.by_seat().tolist()
    return {
        "losses": choices,
        "lost": {
            seat: {
                "before_play": dict(zip(OBJECTIVES, before[s], strict=True)),
                "in_play": dict(zip(OBJECTIVES, play[s], strict=True)),
            }
            for s, seat in enumerate(SEAT_LETTERS)
        },
    }
