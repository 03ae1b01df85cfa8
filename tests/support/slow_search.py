"""What the search agents work out in kernels, found slowly: worlds dealt by notation, and `rule_based`
asked as an agent, one view at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from hpenv.actions import FACE_DOWN, PASS
from hpenv.agents.agent import Agent, make_agent
from hpenv.agents.beliefs import OTHER_BID, OTHER_CALL, OTHER_CARD
from hpenv.cards import CARD_TEXT, NO_CARD, set_cards
from hpenv.double_dummy import solve_tables
from hpenv.notation import parse_record, replay
from hpenv.rulebook import AUCTION, DEAL_OVER, DISCARD, PLAY, legal_actions
from hpenv.seats import NOBODY, SEAT_LETTERS
from hpenv.table import rules_of
from hpenv.view import VIEW, see_each, view_of
from hpenv.worlds import count_worlds
from random_deals import copy_of, positions

RULES_AGENT = make_agent("rule_based")


def choices(name: str, seed: int, deals: int) -> Iterator[Any]:
    """The positions of some wild deals in which the seat to act has a choice."""
    for table in positions(name, seed, deals):
        legal = legal_actions(table)
        if legal & (legal - 1):
            yield copy_of(table)


def views_at(tables: Any) -> Any:
    """The view of the seat to act at each table."""
    views = np.zeros(len(tables), VIEW)
    for i, table in enumerate(tables):
        see_each(np.array([table], table.dtype), np.array([table.to_act], np.int64), views[i : i + 1])
    return views


def ways_of(view: Any) -> int:
    """How many worlds there are but for the widow, which may be any card another maker has had."""
    known = view.maker in (NOBODY, view.seat) or view.phase == AUCTION
    return count_worlds(view) // (1 if known else int(view.hand_size) + 1)


def done_by(agent: Agent, table: Any) -> int:
    """What an agent that uses no chance does at a table."""
    views = np.zeros(1, VIEW)
    views[0] = view_of(table, int(table.to_act))
    return int(agent.act(views, np.zeros(1, np.uint64))[0])


def first_table(view: Any, hands: Any, discard: int, widow: int) -> Any:
    """A world of a view as it was dealt."""
    had = [set(set_cards(hands[s] | view.played[s])) for s in range(4)]
    if discard != NO_CARD or max(len(cards) for cards in had) > view.hand_size:
        had[view.maker] = (had[view.maker] | {discard}) - {widow, NO_CARD}
    record = {
        "rules": asdict(rules_of(view)),
        "dealer": SEAT_LETTERS[view.dealer],
        "score": view.score.tolist(),
        "hands": {SEAT_LETTERS[s]: " ".join(CARD_TEXT[card] for card in had[s]) for s in range(4)},
        "widow": CARD_TEXT[widow],
        "actions": [],
    }
    table = replay(parse_record(record)).table
    table.deals_played = view.deals_played
    return table


def told_again(view: Any, hands: Any, discard: int, widow: int) -> Iterator[tuple[Any, int]]:
    """A world from its first call on: the table before each action of the deal, and that action; at
    last the table as it stands, and no action."""
    table = first_table(view, hands, int(discard), int(widow))
    for word in view.history[: view.history_length].tolist():
        action = int(discard) if word == FACE_DOWN else word
        yield table, action
        table.step(action)
    assert table.hands.tolist() == list(hands)
    yield table, NO_CARD


def slow_weight(view: Any, hands: Any, discard: int, widow: int) -> float:
    """The weight of a world: a factor for each action of another seat that `rule_based` would not have
    done in it."""
    weight = 1.0
    for table, action in told_again(view, hands, discard, widow):
        if action == NO_CARD or table.to_act == view.seat:
            continue
        likely = done_by(RULES_AGENT, table)
        if likely == action:
            continue
        if table.phase in (DISCARD, PLAY):
            weight *= OTHER_CARD
        elif table.phase == AUCTION and PASS not in (action, likely):
            weight *= OTHER_BID
        else:
            weight *= OTHER_CALL
    return weight


def slow_table(view: Any, hands: Any, discard: int, widow: int) -> Any:
    """The table of a world as it stands."""
    *_, (table, _) = told_again(view, hands, discard, widow)
    return table


def slow_points(table: Any, exact: bool) -> dict[int, int]:
    """What each legal call comes to for the side of the seat to act: `rule_based` goes on in all seats,
    and plays the cards out, or they are solved exactly."""
    side, found = int(table.to_act) & 1, {}
    for action in set_cards(legal_actions(table)):
        after = table.copy()
        after.step(action)
        while after.phase != DEAL_OVER and not (exact and after.phase == PLAY):
            after.step(done_by(RULES_AGENT, after))
        if after.phase == DEAL_OVER:
            found[action] = int(after.points[side]) - int(after.points[1 - side])
        else:
            value = int(solve_tables(np.array([after], after.dtype), "points")[0])
            found[action] = value if int(after.to_act) & 1 == side else -value
    return found
