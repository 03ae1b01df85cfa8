"""What is bid in a small game when a policy plays it, and what becomes of the contracts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpenv.actions import BID, action_text
from hpenv.rulebook import NO_BID, was_made
from hpenv.seats import SEAT_LETTERS
from hpenv.training.small_games.growing import NONE
from hpenv.training.small_games.sweeps import Policy, run_sweep
from hpenv.training.small_games.tree import Tree


def contracts_of(tree: Tree, policy: Policy) -> dict[str, dict[str, float]]:
    """How often each bid becomes the contract, and how often it is then made, and played alone; `pass`
    stands for deals that are thrown in. Shares, from 0 to 1."""
    auction, size = tree.auction, tree.rules.hand_size
    ends = np.arange(2 * (size + 1))
    found = {}
    for bid in np.unique(auction.bid[auction.seat == NONE]).tolist():
        here = (auction.bid == bid) & (auction.seat == NONE)
        share = _how_often(tree, policy, here, ends >= 0)
        found[action_text(BID + bid)] = row = {"share": share}
        if bid != NO_BID and share > 0:
            row["made"] = _how_often(tree, policy, here, was_made(ends // 2, bid, size)) / share
            row["alone"] = _how_often(tree, policy, here, ends % 2) / share
    return found


def makers_of(tree: Tree, policy: Policy) -> dict[str, float]:
    """How often each seat is the maker."""
    ends = np.ones(2 * (tree.rules.hand_size + 1))
    return {
        letter: _how_often(tree, policy, tree.auction.maker == seat, ends)
        for seat, letter in enumerate(SEAT_LETTERS)
    }


def _how_often(tree: Tree, policy: Policy, auctions: NDArray[np.bool_], ends: Any) -> float:
    """How often a deal comes to one of some ends of some auctions."""
    return run_sweep(tree, np.outer(auctions, ends).astype(np.float64), policy)
