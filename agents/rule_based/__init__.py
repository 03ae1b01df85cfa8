"""`rule_based`: a good club player. It bids what its cards and the stakes promise, plays the odds from
what it has seen, and remembers every card and every void.

The bidding is in bidding.py on the counts of counts.py, the play of the cards in play.py, the numbers
of both in weights.py. It uses no randomness: the same view gives the same action.
"""

import numpy as np

from hpenv.agents.agent import Actions, Streams, Views, check_asked
from hpenv.agents.options import read_options
from hpenv.agents.rule_based.choice import act_by_rules


class RuleBased:
    """Plays by rules of thumb with tuned numbers."""

    def __init__(self, name: str = "rule_based") -> None:
        self.name = name

    def act(self, views: Views, streams: Streams) -> Actions:
        check_asked(self, views, streams)
        actions = np.zeros(len(views), np.int64)
        act_by_rules(views, actions)
        return actions


def make(spec: str, options: dict[str, str]) -> RuleBased:
    read_options(spec, options, {})
    return RuleBased(spec)
