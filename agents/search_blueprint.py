"""The blueprint of a search: the network asked about very many positions at once.

The worlds of a view have much in common: the same cards in a seat's hand and the same play seen make
the same observation. Each distinct observation goes through the network once. The batches are filled
up to a whole number of blocks, so that an answer does not depend on the company it is asked in: torch
multiplies very small and odd batches in another order than large ones.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpenv.actions import N_ACTIONS
from hpenv.agents.learned import WEIGHTS, Learned, canonical, choose_greedily, write_softmax
from hpenv.agents.learned import make as make_learned
from hpenv.agents.options import PATH
from hpenv.compiled import Int, kernel, mix
from hpenv.observation import OBSERVATION_SIZE
from hpenv.suits import UNLABEL

DEFAULT_WEIGHTS = str(WEIGHTS / "learned")
BLOCK = 32  # rows; batches are a whole number of blocks
MOST_ROWS = 4096  # in a batch

# What each number of an observation counts for in the hash of the row.
HASHES = np.array([int(mix(i + 1)) | 1 for i in range(OBSERVATION_SIZE)], np.uint64)


class Blueprint:
    """The network of `learned`, for views (B,) of seats to act, B as great as may be."""

    def __init__(self, learned: Learned) -> None:
        self.learned = learned

    def choices(self, views: NDArray[np.void]) -> NDArray[np.int64]:
        """The network's greedy action for each view, int64 (B,)."""
        legal, orders, logits = self._seen(views)
        actions = np.zeros(len(views), np.int64)
        choose_greedily(logits, legal, actions)
        chosen: NDArray[np.int64] = UNLABEL[orders, actions].astype(np.int64)
        return chosen

    def probabilities(self, views: NDArray[np.void]) -> NDArray[np.float64]:
        """How likely the network's softmax does each action, (B, 39), 0 for illegal ones."""
        legal, orders, logits = self._seen(views)
        likely = np.zeros((len(views), N_ACTIONS))
        write_softmax(logits, legal, orders, likely)
        return likely

    def _seen(self, views: NDArray[np.void]) -> tuple[Any, Any, Any]:
        """As `Learned.seen`: legal actions as canonical bits (B,), orders (B,), logits (B, 39)."""
        n = len(views)
        legal, orders, observations = canonical(views)
        first, which = np.zeros(n, np.int64), np.zeros(n, np.int64)
        slots = np.full(1 << (2 * max(n, 1) - 1).bit_length(), -1, np.int64)
        distinct = first[: find_distinct(observations, slots, first, which)]
        return legal, orders, self._logits(observations[distinct])[which]

    def _logits(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """The network's logits (B, 39), in batches of whole blocks."""
        n = len(observations)
        whole = np.zeros((-(-n // BLOCK) * BLOCK, OBSERVATION_SIZE), np.int8)
        whole[:n] = observations
        found = [
            self.learned.logits(whole[at : at + MOST_ROWS]) for at in range(0, len(whole), MOST_ROWS)
        ]
        logits: NDArray[np.float32] = np.concatenate(found)[:n]
        return logits


def load_blueprint(weights: str = DEFAULT_WEIGHTS, spec: str = "learned") -> Blueprint:
    """The blueprint with these weights, a file or a folder as for `learned`; raises as `learned` does.
    spec: the name that was asked for, for messages."""
    return Blueprint(make_learned(spec, {PATH: weights}))


@kernel
def find_distinct(rows: Any, slots: Any, first: Any, which: Any) -> Int:
    """Number the distinct rows (B, F) in the order in which they come: `first` takes where each is met
    first, `which` (B,) the number of each row's. slots: a power of two of -1, more than B. Returns how
    many there are."""
    found = np.int64(0)
    for i in range(len(rows)):
        word = np.uint64(0)
        for f in range(rows.shape[1]):
            word += HASHES[f] * np.uint64(rows[i, f])
        at = np.int64(mix(word) & np.uint64(len(slots) - 1))
        while slots[at] >= 0 and not are_equal(rows[i], rows[first[slots[at]]]):
            at = (at + 1) & (len(slots) - 1)
        if slots[at] < 0:
            slots[at] = found
            first[found] = i
            found += 1
        which[i] = slots[at]
    return found


@kernel
def are_equal(row: Any, other: Any) -> bool:
    """Whether two rows are equal."""
    for f in range(len(row)):  # noqa: SIM110  (a generator does not compile)
        if row[f] != other[f]:
            return False
    return True
