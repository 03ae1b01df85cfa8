"""Cross-entropy search for the numbers that the rule-based agent plays by.

Every generation draws candidates around the best numbers so far, normally and each number by itself.
Each candidate plays the same duplicate deals against the shipped `rule_based` (common random numbers,
so that their differences do not come from the cards dealt). The best few, the elite, give the mean and
the spread of the next generation (Rubinstein and Kroese, The Cross-Entropy Method, 2004; Szita and
Lorincz, Learning Tetris Using the Noisy Cross-Entropy Method, 2006, for the noise that keeps it from
narrowing too soon).

The search changes the `Temper` of the rules played and the three `Judgement`s. What it finds is printed
as it would stand in agents/rule_based/weights.py; no file is changed.

    python -m hpenv.training.benchmark.tune_rules --rules set_bid --start flat
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import tyro
from numpy.typing import NDArray

from hpenv.agents.agent import Actions, Streams, Views, check_asked
from hpenv.agents.rule_based.bidding import stakes_of
from hpenv.agents.rule_based.choice import choice_by
from hpenv.agents.rule_based.weights import ROLES, STAKES, WEIGHTS, Judgement, Temper, Weights
from hpenv.compiled import kernel
from hpenv.rules import Rules, get_rules
from hpenv.table import new_tables
from hpenv.training.benchmark.intervals import FEWEST
from hpenv.training.benchmark.matches import duplicate_match
from hpenv.training.benchmark.results import MatchResult
from hpenv.view import view_of

Vector = NDArray[np.float64]  # the numbers that are searched, shape (N,)

POSITIVE = ("spread", "nerve_spread", "maker_trumps")  # divisors and an exponent of probabilities
SMALLEST = 0.05  # that these may become
FLAT = 0.5  # what every number is at the start called flat
NOISE = 0.02  # added to the spread at the start, less with every generation and in the end none


@dataclass
class TuneRules:
    """Search for numbers of rule_based by cross-entropy, with duplicate deals against those shipped."""

    rules: str = "set_bid"
    """The preset to play."""
    start: str = "shipped"
    """Where to begin: shipped, or flat (every number 0.5)."""
    generations: int = 20
    """How often candidates are drawn."""
    candidates: int = 32
    """How many in a generation."""
    elite: int = 8
    """How many of them, the best, the next generation is drawn from."""
    deals: int = 500
    """Duplicate deals that each candidate plays."""
    spread: float = 0.4
    """The standard deviation of each number in the first generation."""
    check_deals: int = 10_000
    """Duplicate deals that the numbers found play, in the end, against those shipped and the start."""
    seed: int = 1
    """Chooses candidates and deals."""


class Found(NamedTuple):
    """What a search came to: the weights, and their matches against those shipped and the start."""

    weights: Weights
    against_shipped: MatchResult
    against_start: MatchResult


class Candidate:
    """`rule_based` with other numbers."""

    def __init__(self, weights: Weights, name: str = "candidate") -> None:
        self.weights = weights
        self.name = name

    def act(self, views: Views, streams: Streams) -> Actions:
        check_asked(self, views, streams)
        actions = np.zeros(len(views), np.int64)
        act_by_weights(views, self.weights.tempers, self.weights.judgements, actions)
        return actions


@kernel
def act_by_weights(views: Any, tempers: Any, judgements: Any, actions: Any) -> None:
    """Write for each view (B,) what the rule-based agent does by these numbers."""
    for i in range(len(views)):
        actions[i] = choice_by(views[i], tempers, judgements)


# ---- the search -------------------------------------------------------------------------------


def tune(options: TuneRules, tell: Callable[[str], None] = print) -> Found:
    """Search, and measure what was found on deals that the search has not met.

    tell: called with a line of text for each generation. Raises ValueError for options out of range.
    """
    check(options)
    rules, rng = get_rules(options.rules), np.random.default_rng(options.seed)
    start = WEIGHTS if options.start == "shipped" else flat_weights()
    stakes = int(stakes_of(view_of(new_tables(1, rules)[0], 0)))
    mean, seeds = as_vector(start, stakes), rng.integers(1 << 32, size=options.generations)
    spread, floor = np.full(len(mean), options.spread), least_of_each(stakes)
    for generation, seed in enumerate(seeds.tolist()):
        drawn = mean + spread * rng.standard_normal((options.candidates, len(mean)))
        drawn = np.maximum(drawn, floor)
        scores = np.array([score(vector, stakes, rules, options.deals, seed) for vector in drawn])
        elite = drawn[np.argsort(-scores, kind="stable")[: options.elite]]
        noise = NOISE * (1 - (generation + 1) / options.generations)
        mean, spread = elite.mean(axis=0), elite.std(axis=0) + noise
        tell(
            f"generation {generation + 1} of {options.generations}: candidates {scores.mean():+.3f} "
            f"points per deal, best {scores.max():+.3f}, spread {spread.mean():.3f}"
        )
    found, deals = from_vector(mean, stakes), options.check_deals
    against = [
        duplicate_match(Candidate(found, "found"), Candidate(other, name), rules, deals, options.seed)
        for other, name in ((WEIGHTS, "shipped"), (start, "start"))
    ]
    return Found(found, *against)


def score(vector: Vector, stakes: int, rules: Rules, deals: int, seed: int) -> float:
    """The points per deal of a candidate against the shipped numbers."""
    return duplicate_match(
        Candidate(from_vector(vector, stakes)), "rule_based", rules, deals, seed
    ).mean


def check(options: TuneRules) -> None:
    """Raise ValueError for options out of range."""
    get_rules(options.rules)
    if options.start not in ("shipped", "flat"):
        raise ValueError(f"start: {options.start!r} is neither shipped nor flat")
    for name, least in (("generations", 0), ("candidates", 1), ("elite", 1), ("deals", 1), ("seed", 0)):
        if getattr(options, name) < least:
            raise ValueError(f"{name}: {getattr(options, name)} is less than {least}")
    if options.check_deals < FEWEST:
        raise ValueError(f"check-deals: {options.check_deals} is less than {FEWEST}")
    if options.elite > options.candidates:
        raise ValueError(f"elite: {options.elite} is more than the {options.candidates} candidates")
    if not 0 < options.spread < float("inf"):
        raise ValueError(f"spread: {options.spread} is not a number above 0")


# ---- weights as a vector ----------------------------------------------------------------------


def searched(weights: Weights, stakes: int) -> tuple[NamedTuple, ...]:
    """The parts of the weights that play under these stakes."""
    return (weights.tempers[stakes], *weights.judgements)


def as_vector(weights: Weights, stakes: int) -> Vector:
    """Their numbers in order, shape (N,)."""
    return np.concatenate([np.hstack(tuple(part)) for part in searched(weights, stakes)])


def from_vector(vector: Vector, stakes: int) -> Weights:
    """The shipped weights with these numbers in their place."""
    left = vector.tolist()

    def like(shipped: Any) -> Any:
        """The next numbers, in the shape of these."""
        taken = [
            tuple(left.pop(0) for _ in value) if isinstance(value, tuple) else left.pop(0)
            for value in shipped
        ]
        return type(shipped)(*taken)

    temper, *judgements = (like(part) for part in searched(WEIGHTS, stakes))
    tempers = [temper if i == stakes else shipped for i, shipped in enumerate(WEIGHTS.tempers)]
    return Weights(tuple(tempers), tuple(judgements))  # type: ignore[arg-type]


def least_of_each(stakes: int) -> Vector:
    """The least that each number of the vector may be, shape (N,)."""
    least = [
        np.full(np.size(value), SMALLEST if name in POSITIVE else -np.inf)
        for part in searched(WEIGHTS, stakes)
        for name, value in part._asdict().items()
    ]
    return np.concatenate(least)


def flat_weights() -> Weights:
    """Weights that know nothing: every number is the same."""
    n = len(as_vector(WEIGHTS, 0))
    tempers = tuple(from_vector(np.full(n, FLAT), stakes).tempers[stakes] for stakes in range(3))
    return Weights(tempers, from_vector(np.full(n, FLAT), 0).judgements)  # type: ignore[arg-type]


def weights_text(weights: Weights, stakes: int) -> str:
    """The searched parts as they would stand in agents/rule_based/weights.py."""
    names = (STAKES[stakes], *ROLES)
    return "\n".join(
        f"# {name}\n{part_text(part)}"
        for name, part in zip(names, searched(weights, stakes), strict=True)
    )


def part_text(part: Temper | Judgement | Any) -> str:
    """`Temper(partner_bid=0.03, ...)`, a number a line, rounded to hundredths."""
    lines = [f"{type(part).__name__}("]
    for name, value in part._asdict().items():
        said = (
            "(" + ", ".join(f"{x:.2f}" for x in value) + ")"
            if isinstance(value, tuple)
            else f"{value:.2f}"
        )
        lines.append(f"    {name}={said},")
    return "\n".join([*lines, ")"])


def main() -> None:
    """Search as the command line says, and print what was found and how good it is."""
    options = tyro.cli(TuneRules, description=TuneRules.__doc__)
    found = tune(options)
    stakes = int(stakes_of(view_of(new_tables(1, get_rules(options.rules))[0], 0)))
    print(weights_text(found.weights, stakes))
    for match in (found.against_shipped, found.against_start):
        print(
            f"found against {match.names[1]} under {options.rules}: {match.mean:+.3f} points per deal "
            f"(95 % interval {match.low:+.3f} to {match.high:+.3f}, {options.check_deals:,} deals)"
        )


if __name__ == "__main__":
    main()
