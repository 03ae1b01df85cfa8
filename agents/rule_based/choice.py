"""The choice of the rule-based agent, compiled: its bidding before the play, its card play after."""

from typing import Any

import numpy as np

from hpenv.agents.rule_based.bidding import (
    alone_choice,
    bid_choice,
    discard_choice,
    is_throwing,
    stakes_of,
    trump_choice,
)
from hpenv.agents.rule_based.play import card_choice, role_of, trick_matters
from hpenv.agents.rule_based.weights import WEIGHTS, Judgement, Temper
from hpenv.compiled import Int, kernel, lowest_bit
from hpenv.rulebook import AUCTION, DISCARD, NAME_TRUMP, PLAY


@kernel
def act_by_rules(views: Any, actions: Any) -> None:
    """Write the rule-based action for each view."""
    for i in range(len(views)):
        actions[i] = choice(views[i])


@kernel
def choice(view: Any) -> Int:
    """What the rule-based agent does in a view of a seat to act."""
    return choice_by(view, WEIGHTS.tempers[stakes_of(view)], WEIGHTS.judgements[role_of(view)])


@kernel
def choice_by(view: Any, temper: Temper, judgement: Judgement) -> Int:
    """What it does by these numbers."""
    if view.legal & (view.legal - 1) == 0:
        return lowest_bit(view.legal)
    if view.phase == PLAY:
        wanted = -1 if throws_tricks_away(view, temper) else trick_matters(view)
        return card_choice(view, wanted, judgement)
    if view.phase == AUCTION:
        return bid_choice(view, temper)
    if view.phase == NAME_TRUMP:
        return trump_choice(view, temper)
    return discard_choice(view, temper) if view.phase == DISCARD else alone_choice(view, temper)


@kernel
def throws_tricks_away(view: Any, temper: Temper) -> bool:
    """This seat is a lone maker who bid only to stop the opponents, and loses all the tricks it can."""
    if view.seat != view.maker or (view.alone >> np.int64(view.maker)) & 1 == 0:
        return False
    return bool(is_throwing(view, np.int64(view.hand | view.played[view.seat]), temper))
