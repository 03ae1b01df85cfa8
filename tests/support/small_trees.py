"""Small games and agents for them, and the words that the slow solver has for what a view shows."""

from __future__ import annotations

import zlib
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brute_force import Key, Node, play_out
from hpenv.actions import ACTION_TEXT, FACE_DOWN, N_ACTIONS
from hpenv.cards import CARD_TEXT, NO_CARD, set_cards
from hpenv.history import acts_of
from hpenv.rules import Rules
from hpenv.seats import SEAT_LETTERS
from hpenv.suits import one_bit
from hpenv.training.small_games.tree import Tree, build_tree
from naive_rules import NaiveDeal, full_rules

ONE_CARD = Rules(set_penalty="bid", hand_size=1)


class Whimsical:
    """Has probabilities of its own in every view, which look random."""

    name, sample = "whimsical", True

    def act(self, views: Any, streams: Any) -> NDArray[np.int64]:
        actions: NDArray[np.int64] = self.probabilities(views).argmax(1)
        return actions

    def probabilities(self, views: Any) -> NDArray[np.float64]:
        likely = np.zeros((len(views), N_ACTIONS))
        for row, view in zip(likely, views, strict=True):
            for action in set_cards(int(view.legal)):
                row[action] = 0.05 + zlib.crc32(view.tobytes() + bytes([action])) / 2**32
        chances: NDArray[np.float64] = likely / likely.sum(1, keepdims=True)
        return chances


@cache
def one_card_tree(named: bool) -> Tree:
    """The game of one card each, with named suits or by families of deals."""
    return build_tree(ONE_CARD, by_families=not named)


def slow_deal(table: Any) -> NaiveDeal:
    """The deal at a table, whose auction is about to begin, for the slow rules."""
    hands = {
        letter: [CARD_TEXT[card] for card in set_cards(table.hands[seat])]
        for seat, letter in enumerate(SEAT_LETTERS)
    }
    rules = {"set_penalty": "bid", "hand_size": int(table.hand_size)}
    return NaiveDeal(full_rules(rules), SEAT_LETTERS[table.dealer], hands, CARD_TEXT[table.widow])


def slow_tree(table: Any) -> Node:
    """All ways to play it."""
    return play_out(slow_deal(table))


def seen_in(view: Any) -> tuple[str, Key]:
    """The seat of a view and what it has seen, in the words of the slow solver."""
    me = int(view.seat)
    had = int(view.hand) | int(view.played[me]) | int(one_bit(view.discard))
    put_away = "face down" if view.discard == NO_CARD else CARD_TEXT[view.discard]
    words = tuple(
        (SEAT_LETTERS[seat], put_away if action == FACE_DOWN else ACTION_TEXT[action])
        for seat, action in acts_of(view)
    )
    cards = had & ~int(one_bit(view.widow))
    hand = tuple(sorted(CARD_TEXT[card] for card in set_cards(cards)))
    widow = "" if view.widow == NO_CARD else CARD_TEXT[view.widow]
    return SEAT_LETTERS[me], ((hand,), widow, words)


def only(tree: Tree, deals: Any) -> Tree:
    """The tree of a game in which only these deals, by number, are dealt, each as often."""
    likely = np.zeros(len(tree.deals))
    likely[deals] = 1 / len(deals)
    return replace(tree, arrays=tree.arrays._replace(likely=likely))
