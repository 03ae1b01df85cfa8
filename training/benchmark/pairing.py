"""What it is worth to play every deal both ways round: the spread of a duplicate deal's value, against
that of two tables with different cards."""

from dataclasses import dataclass
from math import ceil, isfinite, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpenv.training.benchmark.outcomes import finite

HALF_WIDTH = 0.05  # points per deal: the interval that `deals_needed` counts for
NORMAL_95 = 1.959964  # standard errors on either side of a mean, for many deals


@dataclass(frozen=True)
class Pairing:
    """sd: standard deviation of a duplicate deal's value. gain: the variance of the mean of two tables
    with different cards, divided by that of the two tables of a duplicate deal; above 1 pairing narrows
    intervals. Not a number where it cannot be known."""

    sd: float
    gain: float

    @property
    def deals_needed(self) -> int | None:
        """Duplicate deals for an interval of HALF_WIDTH on either side; None if that is not known."""
        return ceil((NORMAL_95 * self.sd / HALF_WIDTH) ** 2) if isfinite(self.sd) else None

    def as_json(self) -> dict[str, Any]:
        return {
            "sd": finite(self.sd),
            "variance_ratio": finite(self.gain),
            "half_width": HALF_WIDTH,
            "deals_needed": self.deals_needed,
        }

    def sentence(self) -> str:
        """The same to read."""
        if not isfinite(self.sd) or not self.sd:
            return "the values of the deals do not vary"
        gain = f"pairing divides the variance by {self.gain:.2f}, " if isfinite(self.gain) else ""
        return (
            f"standard deviation of a duplicate deal {self.sd:.2f}, {gain}"
            f"±{HALF_WIDTH} takes {self.deals_needed:,} deals"
        )


def pairing_of(margins: NDArray[np.float64]) -> Pairing:
    """margins: A's points less B's at both tables of each duplicate deal, shape (deals, 2)."""
    if len(margins) < 2:
        return Pairing(nan, nan)
    paired = float(margins.mean(axis=1).var(ddof=1))
    unpaired = float(margins.var(axis=0, ddof=1).sum()) / 4
    return Pairing(paired**0.5, unpaired / paired if paired else nan)
