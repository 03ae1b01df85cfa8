"""The worlds of a search: drawn, weighed, and what actions come to in them compared."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpenv.agents.agent import Streams, Views
from hpenv.agents.beliefs import Policy, Weights, lay_each_view, pick, weigh_by_rules, weigh_each
from hpenv.compiled import mix, next_state
from hpenv.seats import N_SEATS
from hpenv.worlds import NO_DEAL

BELIEFS = ("learned", "rule_based", "uniform")
TIE = 1e-9  # points that do not count as a difference
BEHIND = 1.0  # standard errors by which an action must be behind to be dropped


@dataclass
class Worlds:
    """Worlds of views (B,), one view after the other: owners (R,), the view of each; hands (R, 4),
    discards, widows and weights (R,). are_more (B,): whether the view allows more than these."""

    owners: NDArray[np.int64]
    hands: NDArray[np.int64]
    discards: NDArray[np.int8]
    widows: NDArray[np.int8]
    weights: Weights
    are_more: NDArray[np.bool_]

    def some(self, rows: NDArray[np.int64]) -> "Worlds":
        """The worlds of some rows."""
        return Worlds(
            self.owners[rows],
            self.hands[rows],
            self.discards[rows],
            self.widows[rows],
            self.weights[rows],
            self.are_more,
        )


class Drawing:
    """Draws `times` as many worlds of each view as are wanted, and keeps those wanted by weight.
    belief: what weighs them; policy: whose probabilities, if it is `learned`."""

    def __init__(self, wanted: int, times: int, belief: str, policy: Policy) -> None:
        self.wanted, self.belief, self.policy = wanted, belief, policy
        self.drawn = wanted * (1 if belief == "uniform" else times)

    def __call__(self, views: Views, streams: Streams) -> Worlds:
        """Worlds of each view (B,) with a weight, from its stream: every way to lay the unseen cards if
        they are no more than are wanted, else a sample, each world with a weight as often as it was
        picked. Raises ValueError if no deal allows a view."""
        n = len(views)
        hands = np.zeros((n, self.drawn, N_SEATS), np.int64)
        discards, widows = np.zeros((n, self.drawn), np.int8), np.zeros((n, self.drawn), np.int8)
        counts, are_more = np.zeros(n, np.int64), np.zeros(n, np.bool_)
        if lay_each_view(views, streams, hands, discards, widows, counts, are_more) >= 0:
            raise ValueError(NO_DEAL)
        laid, owners = np.arange(self.drawn) < counts[:, None], np.repeat(np.arange(n), counts)
        weights = np.ones(len(owners))
        worlds = Worlds(owners, hands[laid], discards[laid], widows[laid], weights, are_more)
        self._weigh(views, counts, worlds)
        often = np.zeros(len(owners), np.int64)
        for i, mine in enumerate(parts_of(counts)):
            if counts[i] > self.wanted:
                streams[i] = next_state(streams[i])
                pick(worlds.weights[mine], self.wanted, np.uint64(mix(streams[i])), often[mine])
                worlds.weights[mine] = often[mine]
                are_more[i] = True
        return worlds.some(np.flatnonzero(worlds.weights > 0))

    def _weigh(self, views: Views, counts: NDArray[np.int64], worlds: Worlds) -> None:
        """Write the weights of worlds by the belief."""
        drawn = (worlds.hands, worlds.discards, worlds.widows)
        if self.belief == "learned":
            worlds.weights[:] = weigh_each(views, worlds.owners, *drawn, self.policy)
        elif self.belief == "rule_based":
            for i, mine in enumerate(parts_of(counts)):
                hands, discards, widows = (part[mine] for part in drawn)
                weigh_by_rules(views[i], hands, discards, widows, worlds.weights[mine])


def parts_of(counts: NDArray[np.int64]) -> list[slice]:
    """Where the worlds of each view (B,) are, if it has so many."""
    ends = np.cumsum(counts)
    return [slice(int(end - count), int(end)) for count, end in zip(counts, ends, strict=True)]


# ---- comparing actions ------------------------------------------------------------------------


def compare(
    points: NDArray[np.float64], worlds: Worlds, default: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """By how much each action is better than the default one, and the standard error of that, (B, 39),
    from the worlds in which both were tried; nan for actions never tried. points (R, 39), default (B,).

    The error is that of a weighted mean of independent draws. It is 0 where all the worlds there are
    were tried, and infinite for a single one of more.
    """
    starts = np.flatnonzero(np.diff(worlds.owners, prepend=-1))
    more = points - points[np.arange(len(points)), default[worlds.owners]][:, None]
    known = np.isfinite(more)
    more, weights = np.where(known, more, 0.0), known * worlds.weights[:, None]

    def total(values: NDArray[np.float64]) -> NDArray[np.float64]:
        summed: NDArray[np.float64] = np.add.reduceat(values, starts)
        return summed

    tried = total(known.astype(np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = total(weights * more) / total(weights)
        squares = total((weights * (more - gain[worlds.owners])) ** 2)
        error = np.sqrt(squares * tried / (tried - 1)) / total(weights)
    error[tried == 1] = np.inf
    laid = np.diff(starts, append=len(points))
    error[~worlds.are_more[:, None] & (tried == laid[:, None])] = 0.0
    return gain, error


def still_in_doubt(
    gain: NDArray[np.float64],
    error: NDArray[np.float64],
    default: NDArray[np.int64],
    tried: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Which actions (B, 39) to try in more worlds: those that may well be better than the default one,
    at most half of them, and the default one itself if there is any."""
    others = tried.copy()
    others[np.arange(len(default)), default] = False
    room = (others.sum(axis=1) + 1) // 2
    ahead = np.where(others & (gain + BEHIND * error > TIE), gain, -np.inf)
    place = np.argsort(np.argsort(-ahead, axis=1, kind="stable"), axis=1, kind="stable")
    kept: NDArray[np.bool_] = (place < room[:, None]) & np.isfinite(ahead)
    kept[np.arange(len(default)), default] = kept.any(axis=1)
    return kept
