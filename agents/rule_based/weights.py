"""The numbers the rule-based agent plays by: a `Temper` for each kind of stakes, by which it bids, and
a `Judgement` for each part a seat may have in the deal, by which it plays its cards.

The numbers were found by cross-entropy search, with duplicate deals against the best numbers so far and
against older ones, as `python -m hpenv.training.benchmark.tune_rules` does it.
"""

from typing import NamedTuple


class Judgement(NamedTuple):
    """What cards are worth to one seat, in tricks.

    trumps: a trump with 0, 1, 2 or more higher ones against it. side: the same for other cards, while
    opponents may hold trumps. safe: the highest of a side suit when they hold none. guard: a side card
    with enough small ones beside it. promotion: how far a trump counts as if one's own higher trumps
    had already drawn those against it. void, single: a side suit one has none or one of, with a trump
    to ruff. fading: the part of all this that is lost when one card is left; less with more cards.
    partner: how far partner's chance to win the trick is trusted. maker_trumps: how much likelier the
    maker holds trumps than anybody.

    What a lead is worth besides: boss_trump, the highest trump; last_boss, the same with two cards
    left; low_trumps, another trump out of 1, 2, 3 or more; drawn, any trump when the opponents have
    none; single_lead, a lone side card; boss_side, the highest of a side suit. side_risk: the danger
    that a side card wins a trick nobody wants, where a trump counts 1.
    """

    trumps: tuple[float, float, float, float]
    side: tuple[float, float, float]
    safe: float
    guard: float
    promotion: float
    void: float
    single: float
    fading: float
    partner: float
    maker_trumps: float
    boss_trump: float
    last_boss: float
    low_trumps: tuple[float, float, float, float]
    drawn: float
    single_lead: float
    boss_side: float
    side_risk: float


class Temper(NamedTuple):
    """How to bid under one kind of stakes, in tricks and points of a six-card game.

    partner_bid, opponents_bid: what each trick bid by partner, or standing against us, adds to our own
    count. partner_passed: what partner's pass adds. spread: how uncertain the count is.
    unbid: the points a pass promises before anybody has bid.
    opponents_tricks, opponents_step: the tricks opponents win with a standing bid of four, and how many
    more for each trick bid above it; partner_tricks, partner_step: the same for partner.
    joker, ace, king, jack: what our cards take from the opponents' tricks or add to partner's.
    partner_may_bid: points that a pass is worth more when partner may still bid.
    over_opponents, over_partner: points that a bid must promise beyond a pass.
    all_tricks: points added for a bid of all the tricks, which ends the auction.
    nerve: by how many tricks opponents may fall short and still go over a bid; nerve_spread: how much
    that varies; surplus: the tricks more than that they win when they do; our_part: how far our own
    cards count in this. block_cost: the points a block costs for each trick it cannot help winning.
    lone_defence: a defender asked first, or second, goes alone against a block with fewer losers. There
    are no blocks, and neither number matters, where a set costs the bid.
    """

    partner_bid: float
    partner_passed: float
    opponents_bid: float
    spread: float
    unbid: float
    opponents_tricks: float
    opponents_step: float
    partner_tricks: float
    partner_step: float
    joker: float
    ace: float
    king: float
    jack: float
    partner_may_bid: float
    over_opponents: float
    over_partner: float
    all_tricks: float
    nerve: float
    nerve_spread: float
    surplus: float
    our_part: float
    block_cost: float
    lone_defence: tuple[float, float]


class Weights(NamedTuple):
    """All the numbers. tempers: by `bidding.stakes_of`; judgements: by `play.role_of`."""

    tempers: tuple[Temper, Temper, Temper]
    judgements: tuple[Judgement, Judgement, Judgement]


# ---- the numbers ------------------------------------------------------------------------------

SET_COSTS_TRICKS = Temper(
    partner_bid=0.03,
    partner_passed=0.39,
    opponents_bid=-0.02,
    spread=1.21,
    unbid=-0.52,
    opponents_tricks=4.34,
    opponents_step=1.40,
    partner_tricks=5.31,
    partner_step=0.52,
    joker=1.14,
    ace=0.45,
    king=0.08,
    jack=0.38,
    partner_may_bid=1.95,
    over_opponents=-1.23,
    over_partner=1.19,
    all_tricks=-2.30,
    nerve=0.68,
    nerve_spread=0.34,
    surplus=1.40,
    our_part=-0.25,
    block_cost=2.15,
    lone_defence=(1.94, 4.45),
)
SET_COSTS_BID = Temper(
    partner_bid=-0.38,
    partner_passed=0.33,
    opponents_bid=-0.01,
    spread=1.15,
    unbid=-3.32,
    opponents_tricks=4.23,
    opponents_step=0.14,
    partner_tricks=5.81,
    partner_step=0.38,
    joker=0.96,
    ace=0.24,
    king=-0.05,
    jack=0.12,
    partner_may_bid=0.12,
    over_opponents=-0.23,
    over_partner=0.72,
    all_tricks=0.51,
    nerve=0.28,
    nerve_spread=0.89,
    surplus=1.14,
    our_part=0.24,
    block_cost=1.0,
    lone_defence=(1.0, 1.5),
)
# Defenders score their tricks (R17), or a lone maker scores double (R16).
HIGH_STAKES = Temper(
    partner_bid=-0.06,
    partner_passed=0.32,
    opponents_bid=-0.04,
    spread=0.88,
    unbid=-3.73,
    opponents_tricks=5.14,
    opponents_step=0.19,
    partner_tricks=7.04,
    partner_step=0.59,
    joker=1.12,
    ace=0.22,
    king=0.02,
    jack=0.16,
    partner_may_bid=1.60,
    over_opponents=0.55,
    over_partner=-0.40,
    all_tricks=-0.27,
    nerve=-0.22,
    nerve_spread=1.06,
    surplus=2.49,
    our_part=0.36,
    block_cost=1.0,
    lone_defence=(1.0, 1.5),
)

MAKER = Judgement(
    trumps=(0.96, 0.82, 0.63, 0.31),
    side=(0.55, 0.49, 0.22),
    safe=0.65,
    guard=-0.03,
    promotion=0.45,
    void=0.16,
    single=0.10,
    fading=0.55,
    partner=0.50,
    maker_trumps=1.58,
    boss_trump=0.62,
    last_boss=0.19,
    low_trumps=(-0.41, 0.02, 0.67, 0.69),
    drawn=-0.16,
    single_lead=-0.20,
    boss_side=-0.17,
    side_risk=0.46,
)
MAKERS_PARTNER = Judgement(
    trumps=(0.95, 0.73, 0.46, 0.30),
    side=(0.70, 0.57, 0.35),
    safe=0.71,
    guard=0.05,
    promotion=0.31,
    void=0.10,
    single=-0.19,
    fading=0.45,
    partner=0.26,
    maker_trumps=1.61,
    boss_trump=0.18,
    last_boss=0.09,
    low_trumps=(0.23, 0.34, 0.16, 0.30),
    drawn=-0.23,
    single_lead=-0.43,
    boss_side=0.05,
    side_risk=0.53,
)
DEFENDER = Judgement(
    trumps=(1.44, 0.66, 0.49, 0.39),
    side=(0.42, 0.35, 0.24),
    safe=0.49,
    guard=0.03,
    promotion=0.46,
    void=0.01,
    single=-0.10,
    fading=0.38,
    partner=0.66,
    maker_trumps=1.58,
    boss_trump=-0.34,
    last_boss=0.14,
    low_trumps=(-0.89, -1.09, -0.84, -0.77),
    drawn=-0.57,
    single_lead=0.02,
    boss_side=0.05,
    side_risk=0.71,
)

STAKES = ("a set costs the tricks won", "a set costs the bid", "high stakes")
ROLES = ("maker", "maker's partner", "defender")
WEIGHTS = Weights((SET_COSTS_TRICKS, SET_COSTS_BID, HIGH_STAKES), (MAKER, MAKERS_PARTNER, DEFENDER))
