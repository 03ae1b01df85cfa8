"""The house rules a table may play: options, presets, and what each option allows.

Rule numbers (R1..R20) are those of the table of rules in README.md.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from numbers import Integral
from typing import Any, TypeAlias

OPTIONS: dict[str, Sequence[Any]] = {
    "bidding": ("numbers", "pepper"),
    "set_penalty": ("tricks_won", "bid"),
    "all_pass": ("redeal", "dealer_bids"),
    "alone": (True, False),
    "alone_factor": (1, 2),
    "defenders_score": (False, True),
    "target": range(1, 1001),
    "max_deals": range(1, 10_001),
    "hand_size": (6, 5, 4, 3, 2, 1),
}


@dataclass(frozen=True)
class Rules:
    """One choice for every option. The defaults are the game as it is written down.

    bidding: "numbers" (R5) or "pepper" (R7). set_penalty: what a failed bid costs, the "tricks_won"
    or the "bid" (R15). all_pass: "redeal" or "dealer_bids" (R6). alone: may anybody play alone (R9).
    alone_factor: 1 or 2, what a lone maker's points are multiplied by (R16). defenders_score: do
    defenders score their tricks (R17). target: points that win (R18). max_deals: the environment
    truncates a longer game (R19). hand_size: 1 to 6 cards each (R20).
    """

    bidding: str = "numbers"
    set_penalty: str = "tricks_won"
    all_pass: str = "redeal"
    alone: bool = True
    alone_factor: int = 1
    defenders_score: bool = False
    target: int = 10
    max_deals: int = 100
    hand_size: int = 6

    def __post_init__(self) -> None:
        for option in fields(self):
            value, allowed = getattr(self, option.name), OPTIONS[option.name]
            value = value.item() if hasattr(value, "dtype") and value.ndim == 0 else value
            # True == 1 in Python: compare types too, so that hand_size=True is refused.
            if type(value) is not type(allowed[0]) or value not in allowed:
                raise ValueError(f"rules: {option.name}={value!r} is not one of {_listed(allowed)}")
            object.__setattr__(self, option.name, value)  # plain Python, where NumPy's was given

    def differences(self) -> dict[str, Any]:
        """The options that differ from the defaults."""
        default = Rules()
        return {k: v for k, v in asdict(self).items() if v != getattr(default, k)}

    def name(self) -> str | dict[str, Any]:
        """The preset's name if these are a preset's rules, else the differing options."""
        for preset, rules in PRESETS.items():
            if rules == self:
                return preset
        return self.differences()


def _listed(allowed: Sequence[Any]) -> str:
    if isinstance(allowed, range):
        return f"the whole numbers {allowed[0]} to {allowed[-1]}"
    return ", ".join(repr(value) for value in allowed)


PRESETS: dict[str, Rules] = {
    "standard": Rules(),
    "pepper": Rules(bidding="pepper"),
    "set_bid": Rules(set_penalty="bid"),
    "house": Rules(
        bidding="pepper",
        set_penalty="bid",
        defenders_score=True,
        alone_factor=2,
        all_pass="dealer_bids",
    ),
    "mini2": Rules(set_penalty="bid", hand_size=2),
    "mini3": Rules(set_penalty="bid", hand_size=3),
}


RuleChoice: TypeAlias = Rules | str | dict[str, Any]


def get_rules(rules: RuleChoice) -> Rules:
    """Rules given as such, as a preset's name, or as a dictionary of options.

    Raises ValueError with a sentence for an unknown preset, option or value, and TypeError for anything
    that is none of the three.

    >>> get_rules("pepper").bidding
    'pepper'
    >>> get_rules({"set_penalty": "bid"}).name()
    'set_bid'
    """
    if isinstance(rules, Rules):
        return rules
    if isinstance(rules, str):
        if rules not in PRESETS:
            raise ValueError(f"rules: no preset {rules!r} (there are {', '.join(PRESETS)})")
        return PRESETS[rules]
    if isinstance(rules, dict):
        unknown = [option for option in rules if option not in OPTIONS]
        if unknown:
            raise ValueError(f"rules: no option {unknown[0]!r} (there are {', '.join(OPTIONS)})")
        return Rules(**rules)
    raise TypeError(f"rules: {rules!r} is neither a preset's name nor a dictionary of options")


LOWEST_SCORE = -1_000_000  # no game of at most 10,000 deals comes near it


def check_score(score: Any, rules: Rules) -> None:
    """Raise TypeError for a starting score that is not two whole numbers, and ValueError unless both
    are below the target (R18)."""
    pair = isinstance(score, list | tuple) and len(score) == 2
    if not pair or any(not isinstance(s, Integral) or isinstance(s, bool) for s in score):
        raise TypeError(f"score={score!r} is not two whole numbers (North-South, East-West)")
    if max(score) >= rules.target or min(score) < LOWEST_SCORE:
        raise ValueError(
            f"score={score!r}: each must be below the target of {rules.target} (R18) "
            f"and at least {LOWEST_SCORE}"
        )
