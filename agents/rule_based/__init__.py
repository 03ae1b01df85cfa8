"""`rule_based`: a good club player. It bids what its cards and the stakes promise, plays the odds from
what it has seen, and remembers every card and every void.

The bidding is in rule_based_bidding.py on the counts of rule_based_counts.py, the play of the cards in
rule_based_play.py. It uses no chance at all: the same view gives the same action.
"""

from typing import Any

import numpy as np

from hpenv.agents.agent import no_options
from hpenv.agents.rule_based.bidding import (
    alone_choice,
    bid_choice,
    discard_choice,
    is_throwing,
    trump_choice,
)
from hpenv.agents.rule_based.play import card_choice, trick_matters
from hpenv.cards import NO_SUIT
from hpenv.compiled import Int, kernel, lowest_bit
from hpenv.rulebook import AUCTION, DISCARD, NAME_TRUMP, PLAY


class RuleBased:
    """Plays by rules of thumb with tuned numbers."""

    def __init__(self, name: str = "rule_based") -> None:
        self.name = name

    def act(self, views: Any, streams: Any) -> Any:
        actions = np.zeros(len(views), np.int64)
        act_by_rules(views, actions)
        return actions


@kernel
def act_by_rules(views: Any, actions: Any) -> None:
    """Write the rule-based action for each view."""
    for i in range(len(views)):
        actions[i] = choice(views[i])


@kernel
def choice(view: Any) -> Int:
    """What the rule-based agent does in a view of a seat to act."""
    if view.legal & (view.legal - 1) == 0:
        return lowest_bit(view.legal)
    if view.phase == PLAY:
        wanted = -1 if throws_tricks_away(view) else trick_matters(view)
        leading = view.led_suit == NO_SUIT
        return card_choice(view, wanted, leading)
    if view.phase == AUCTION:
        return bid_choice(view)
    if view.phase == NAME_TRUMP:
        return trump_choice(view)
    return discard_choice(view) if view.phase == DISCARD else alone_choice(view)


@kernel
def throws_tricks_away(view: Any) -> bool:
    """This seat is a lone maker who bid only to stop the opponents, and loses all the tricks it can."""
    if view.seat != view.maker or (view.alone >> np.int64(view.maker)) & 1 == 0:
        return False
    return bool(is_throwing(view, np.int64(view.hand | view.played[view.seat])))


def make(spec: str, options: dict[str, str]) -> RuleBased:
    no_options(spec, options)
    return RuleBased(spec)
