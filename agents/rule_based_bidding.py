"""How the rule-based agent bids, names trump, discards and goes alone.

It counts the tricks a hand should win as the maker's (Joker, bowers, other trumps, side aces, voids;
what widow and partner bring is part of the count), turns tricks into points under the rules in force,
and bids when that promises more than to pass. A bid is judged by what it brings if it stands and by
what the opponents score if they go over it, so it bids at once what they will hardly dare to beat.

Where a lost contract costs only the tricks won (R15), the cheapest way to stop the opponents is to bid
all the tricks, go alone and win as few as possible. This is called a block below. It is part of the
game as it is written, so the agent blocks when the opponents promise to score more than the block
costs; and against a block a defender with low cards goes alone, because it is easier to lose tricks to
a loner alone.
"""

from typing import Any, NamedTuple

import numpy as np

from agents.rule_based_counts import (
    ALONE_TRICKS,
    AVERAGE_TRICKS,
    COUNTS,
    KIND,
    LONE_LOSERS,
    LOSER_COUNTS,
    N_KINDS,
    WIDOW_LOSERS,
    WIDOW_TRICKS,
)
from hpenv.actions import ALONE, BID, BIG, N_LEVELS, PASS, TRUMP, WITH_PARTNER
from hpenv.cards import FOLLOWERS, JOKER, N_SUITS, RANKS, card_set
from hpenv.compiled import Int, count_bits, kernel, lowest_bit
