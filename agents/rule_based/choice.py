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
from hpenv.agents.rule_based.weights import WEIGHTS, Temper
from hpenv.compiled import Int, inlined, kernel, lowest_bit
from hpenv.rulebook import AUCTION, DISCARD, NAME_TRUMP, PLAY


@kernel
def act_by_rules(views: Any, actions: Any) -> None:
    """Write the rule-based action for each view."""
    for i in range(len(views)):
        actions[i] = choice(views[i])


@kernel
def choice(view: Any) -> Int:
    """What the rule-based agent does in a view of a seat to act."""
    return choice_by(view, WEIGHTS.tempers, WEIGHTS.judgements)


@inlined
def choice_by(view: Any, tempers: Any, judgements: Any) -> Int:
    """What it does by these numbers: three `Temper`s, by `stakes_of`, and three `Judgement`s, by
    `role_of`. Only the one that is needed is looked up, since to hand over so many numbers takes time.
    """
    if view.legal & (view.legal - 1) == 0:
        return lowest_bit(view.legal)
    if view.phase == PLAY:
        throws = is_lone_maker(view) and throws_tricks_away(view, tempers[stakes_of(view)])
        wanted = -1 if throws else trick_matters(view)
        return card_choice(view, wanted, judgements[role_of(view)])
    temper = tempers[stakes_of(view)]
    if view.phase == AUCTION:
        return bid_choice(view, temper)
    if view.phase == NAME_TRUMP:
        return trump_choice(view, temper)
    return discard_choice(view, temper) if view.phase == DISCARD else alone_choice(view, temper)


@kernel
def is_lone_maker(view: Any) -> bool:
    """This seat is the maker and plays alone."""
    return bool(view.seat == view.maker and (view.alone >> np.int64(view.maker)) & 1)


@kernel
def throws_tricks_away(view: Any, temper: Temper) -> bool:
    """This lone maker bid only to stop the opponents, and loses all the tricks it can."""
    return bool(is_throwing(view, np.int64(view.hand | view.played[view.seat]), temper))
