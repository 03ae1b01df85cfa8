"""What the records of a tournament tell: values of deals, contracts, seats, and the largest swings."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hpenv.actions import N_LEVELS
from hpenv.seats import N_SEATS, SEAT_LETTERS
from hpenv.training.benchmark.standings import Standings

Whole: TypeAlias = NDArray[np.int64]
COLUMNS = ("a", "b", "deal", "a_side", "dealer", "maker", "bid", "alone", "made", "margin")


@dataclass(frozen=True)
class Swing:
    """A duplicate deal: `won` made `points` more of it than `lost`. rows: the records of its two
    tables, `won` as North-South first."""

    won: str
    lost: str
    deal: int
    points: float
    rows: tuple[dict[str, Any], dict[str, Any]]


class LadderFacts:
    """The records of a tournament, a column at a time.

    names: of the agents, in the order of the tournament. path: the Parquet file of the records.
    """

    def __init__(self, names: Sequence[str], path: Path) -> None:
        from pyarrow.parquet import read_table  # noqa: PLC0415

        self.names, self.path = list(names), path
        found = read_table(path, columns=list(COLUMNS))
        places = {name: i for i, name in enumerate(names)}
        self.a = _numbered(found["a"], places)
        self.b = _numbered(found["b"], places)
        self.deal: Whole = found["deal"].to_numpy()
        self.side_of_a = _numbered(found["a_side"], {"NS": 0, "EW": 1})
        self.dealer = _numbered(found["dealer"], {seat: i for i, seat in enumerate(SEAT_LETTERS)})
        maker = found["maker"].fill_null("")
        self.maker = _numbered(maker, {"": -1} | {seat: i for i, seat in enumerate(SEAT_LETTERS)})
        self.bid: Whole = found["bid"].fill_null(0).to_numpy().astype(np.int64)
        self.alone = found["alone"].fill_null(False).to_numpy(zero_copy_only=False).astype(bool)
        self.made = found["made"].fill_null(False).to_numpy(zero_copy_only=False).astype(bool)
        self.margin: Whole = found["margin"].to_numpy().astype(np.int64)

    @cached_property
    def standings(self) -> Standings:
        return Standings(self.names, self.values)

    @cached_property
    def values(self) -> dict[tuple[int, int], NDArray[np.float64]]:
        """By pair of agents the value of each duplicate deal for the first, shape (deals,)."""
        found = {}
        n = len(self.names)
        for i in range(n):
            for j in range(i + 1, n):
                rows = np.flatnonzero((self.a == i) & (self.b == j))
                sums = np.zeros(int(self.deal[rows].max()) + 1)
                np.add.at(sums, self.deal[rows], self.margin[rows])
                found[i, j] = sums / 2
        return found

    @cached_property
    def makers(self) -> Whole:
        """The agent that was the maker at each table, or -1 where the deal was thrown in."""
        is_a = (self.maker & 1) == self.side_of_a
        makers: Whole = np.where(self.maker < 0, -1, np.where(is_a, self.a, self.b))
        return makers

    def contracts(self, agent: int) -> tuple[Whole, Whole]:
        """Contracts of an agent by bid, and how many of them were made, shape (8,) each; 7 is big
        pepper."""
        theirs = self.makers == agent
        counted = np.bincount(self.bid[theirs], minlength=N_LEVELS + 1)
        return counted, np.bincount(self.bid[theirs & self.made], minlength=N_LEVELS + 1)

    def alone_share(self, agent: int) -> float:
        """The share of an agent's contracts that it played alone."""
        theirs = self.makers == agent
        return float(self.alone[theirs].mean()) if theirs.any() else 0.0

    def by_seat(self, agent: int) -> tuple[Whole, Whole, list[NDArray[np.float64]]]:
        """Contracts of an agent by its maker's seat, from the dealer's left to the dealer: how many
        there were, how many deals, and the points of each contract for its side."""
        theirs = self.makers == agent
        seats = (self.maker - self.dealer - 1) % N_SEATS
        points = np.where(self.makers == self.a, self.margin, -self.margin).astype(np.float64)
        deals = np.full(N_SEATS, np.count_nonzero((self.a == agent) | (self.b == agent)))
        each = [points[theirs & (seats == seat)] for seat in range(N_SEATS)]
        return np.array([len(found) for found in each]), deals, each

    def swings(self, most: int = 10) -> list[Swing]:
        """The duplicate deals with the largest swing, each deal of the seed once, the largest first; of
        equal ones first those between agents of like strength."""
        ranked = []
        for pair, values in self.values.items():
            largest = np.argsort(-np.abs(values), kind="stable")[:most]
            apart = abs(float(values.mean()))
            ranked += [(-abs(float(values[k])), apart, int(k), pair) for k in largest]
        chosen: dict[int, tuple[int, int]] = {}
        for _, _, deal, pair in sorted(ranked):
            if len(chosen) < most:
                chosen.setdefault(deal, pair)
        return [self._swing(deal, pair) for deal, pair in chosen.items()]

    def _swing(self, deal: int, pair: tuple[int, int]) -> Swing:
        from pyarrow.parquet import read_table  # noqa: PLC0415

        a, b = (self.names[place] for place in pair)
        rows = read_table(
            self.path, filters=[("a", "==", a), ("b", "==", b), ("deal", "==", deal)]
        ).to_pylist()
        value = float(self.values[pair][deal])
        won, lost = (a, b) if value > 0 else (b, a)
        as_north_south = next(row for row in rows if (row["a_side"] == "NS") == (won == a))
        other = next(row for row in rows if row is not as_north_south)
        return Swing(won, lost, deal, abs(value), (as_north_south, other))


def _numbered(column: Any, numbers: dict[str, int]) -> Whole:
    """A column of words as the numbers of those words."""
    encoded = column.combine_chunks().dictionary_encode()
    meaning = np.array([numbers[word] for word in encoded.dictionary.to_pylist()], np.int64)
    found: Whole = meaning[encoded.indices.to_numpy()]
    return found
