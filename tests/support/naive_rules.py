"""Hasenpfeffer a second time, slow and obvious: an oracle that shares no code with the package.

Cards and actions are the words of the text notation ("TH", "Jo", "bid 3", "trump H", "alone").
Nothing is clever here: a card's strength is its place in a list read aloud, and the legal actions
are found by asking of each of the 39 whether a rule forbids it. R numbers are the project's rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

SEATS = ("N", "E", "S", "W")  # clockwise, R1
SIDE = {"N": 0, "S": 0, "E": 1, "W": 1}  # North-South first, East-West second, R1
SUITS = ("C", "D", "H", "S")
SAME_COLOUR = {"C": "S", "S": "C", "D": "H", "H": "D"}
JOKER = "Jo"
CARDS = (*(rank + suit for suit in SUITS for rank in "9TJQKA"), JOKER)  # R2
CALLS = ("pass", "bid 1", "bid 2", "bid 3", "bid 4", "bid 5", "bid 6", "big pepper")
TRUMPS = ("trump C", "trump D", "trump H", "trump S")
ANSWERS = ("alone", "with partner")
ACTIONS = CARDS + CALLS + TRUMPS + ANSWERS  # in the order of the project's action numbers

STANDARD: dict[str, Any] = {
    "bidding": "numbers",
    "set_penalty": "tricks_won",
    "all_pass": "redeal",
    "alone": True,
    "alone_factor": 1,
    "defenders_score": False,
    "target": 10,
    "max_deals": 100,
    "hand_size": 6,
}
HOUSE = {"bidding": "pepper", "set_penalty": "bid", "defenders_score": True, "alone_factor": 2}
PRESETS: dict[str, dict[str, Any]] = {
    "standard": dict(STANDARD),
    "pepper": STANDARD | {"bidding": "pepper"},
    "set_bid": STANDARD | {"set_penalty": "bid"},
    "house": STANDARD | HOUSE | {"all_pass": "dealer_bids"},
    "mini2": STANDARD | {"set_penalty": "bid", "hand_size": 2},
    "mini3": STANDARD | {"set_penalty": "bid", "hand_size": 3},
}


class RuleBroken(ValueError):
    """Something the rules forbid: `breaks` is the rule's number, or a word for a faulty record."""

    def __init__(self, breaks: str, reason: str, at: int | None = None) -> None:
        super().__init__(f"{breaks}: {reason}")
        self.breaks, self.reason, self.at = breaks, reason, at


def full_rules(name_or_dict: str | Mapping[str, Any]) -> dict[str, Any]:
    """The complete options: a preset's, or the standard ones with the given changes."""
    if isinstance(name_or_dict, str):
        if name_or_dict not in PRESETS:
            raise RuleBroken("rules", f"no preset is called {name_or_dict!r}")
        return dict(PRESETS[name_or_dict])
    if not isinstance(name_or_dict, Mapping):
        raise RuleBroken("rules", "a preset's name or an object of options is wanted")
    rules = STANDARD | dict(name_or_dict)
    unknown = sorted(set(rules) - set(STANDARD))
    if unknown:
        raise RuleBroken("rules", f"unknown options {unknown}")
    choices = {
        "bidding": ("numbers", "pepper"),
        "set_penalty": ("tricks_won", "bid"),
        "all_pass": ("redeal", "dealer_bids"),
        "alone_factor": (1, 2),
        "hand_size": (1, 2, 3, 4, 5, 6),
    }
    for option, value in rules.items():
        if type(value) is not type(STANDARD[option]):
            raise RuleBroken("rules", f"{option} may not be {value!r}")
        if option in choices and value not in choices[option]:
            raise RuleBroken("rules", f"{option} may not be {value!r}")
        if option in ("target", "max_deals") and value < 1:
            raise RuleBroken("rules", f"{option} may not be {value!r}")
    return rules


def pack(hand_size: int) -> list[str]:
    """The cards in play: the best `hand_size` of J A K Q 10 9 of each suit, and the Joker (R20)."""
    ranks = "JAKQT9"[:hand_size]
    return [card for card in CARDS if card == JOKER or card[0] in ranks]


def left_of(seat: str) -> str:
    """The next seat clockwise (R1)."""
    return SEATS[(SEATS.index(seat) + 1) % 4]


def partner_of(seat: str) -> str:
    """The seat opposite (R1)."""
    return left_of(left_of(seat))


def trump_order(trump: str) -> list[str]:
    """Best first: the Joker, the right bower, the left bower, then A K Q 10 9 of trumps (R12)."""
    bowers = ["J" + trump, "J" + SAME_COLOUR[trump]]
    return [JOKER, *bowers, *(rank + trump for rank in "AKQT9")]


def suit_followed(card: str, trump: str) -> str:
    """The suit a card belongs to: Joker and left bower are trumps for every purpose (R12)."""
    return trump if card in trump_order(trump) else card[1]


def trick_winner(
    cards_by_seat_in_order: Mapping[str, str] | Iterable[tuple[str, str]], trump: str
) -> str:
    """The seat that takes the trick: the best trump, else the best card of the suit led (R13)."""
    trick = dict(cards_by_seat_in_order)
    seat_of = {card: seat for seat, card in trick.items()}
    first_card = next(iter(trick.values()))
    suit_led = suit_followed(first_card, trump)
    plain_order = [rank + suit_led for rank in "AKQJT9"]
    for card in trump_order(trump) + plain_order:
        if card in seat_of:
            return seat_of[card]
    raise AssertionError("the card led is itself in one of the two lists")


class NaiveDeal:
    """One deal, from the dealt cards to its points."""

    def __init__(
        self,
        rules: dict[str, Any],
        dealer: str,
        hands: dict[str, list[str]],
        widow: str,
        score: Iterable[int] = (0, 0),
    ) -> None:
        self.rules = full_rules(rules)
        self.size: int = self.rules["hand_size"]
        if dealer not in SEATS:
            raise RuleBroken("dealer", f"no seat is called {dealer!r}")
        if set(hands) != set(SEATS) or any(len(hands[seat]) != self.size for seat in SEATS):
            raise RuleBroken("hand sizes", f"each of the four seats gets {self.size} cards (R4)")
        self.hands = {seat: [spelled(card) for card in hands[seat]] for seat in SEATS}
        self.widow = spelled(widow)
        dealt = [card for hand in self.hands.values() for card in hand] + [self.widow]
        if sorted(dealt) != sorted(pack(self.size)):
            raise RuleBroken("pack", "hands and widow together are not the pack (R2, R4, R20)")
        self.dealer = dealer
        self.score = list(score)
        self.phase = "auction"
        self.turn: str | None = left_of(dealer)  # R5
        self.passed: set[str] = set()
        self.standing = 0  # the level of the standing bid; big pepper is one above little pepper
        self.bidder: str | None = None
        self.maker: str | None = None
        self.trump: str | None = None
        self.discard: str | None = None
        self.to_ask: list[str] = []  # who has still to say whether to play alone
        self.alone: set[str] = set()
        self.trick: dict[str, str] = {}  # seat -> card, in the order played
        self.leaders: list[str] = []
        self.tricks = [0, 0]
        self.voids: dict[str, set[str]] = {seat: set() for seat in SEATS}
        self.thrown_in = False
        self.points: list[int] | None = None

    @property
    def is_over(self) -> bool:
        """True when the deal has its points."""
        return self.phase == "over"

    @property
    def sitting_out(self) -> set[str]:
        """The partners of those who play alone (R9)."""
        return {partner_of(seat) for seat in self.alone}

    @property
    def big(self) -> bool:
        """True when the standing bid is big pepper (R7)."""
        return self.standing == self.size + 1

    @property
    def bid(self) -> int:
        """How many tricks the standing bid promises (R5, R7); 0 before the first bid."""
        return min(self.standing, self.size)

    def in_full(self, action: str) -> str:
        """The notation's one name for an action: little pepper is the highest number (R7)."""
        if action == "little pepper" and self.rules["bidding"] == "pepper":
            return f"bid {self.size}"
        return spelled(action)

    # What may be done ---------------------------------------------------------------------------

    def legal(self) -> list[str]:
        """Every action that no rule forbids, in the order of the action numbers."""
        return [action for action in ACTIONS if self.forbidden(action) is None]

    def forbidden(self, action: str) -> tuple[str, str] | None:
        """The rule an action breaks and why, or None if the seat to act may do it."""
        action = self.in_full(action)
        broken: tuple[str, str] | None = None
        if action not in ACTIONS:
            broken = no_such_action(action)
        elif self.is_over:
            broken = "over", "the deal is over"
        elif action in CALLS:
            broken = self.forbidden_call(action)
        elif action in TRUMPS and self.phase != "trump":
            broken = "R8", "now is not the time to name trumps"
        elif action in ANSWERS and self.phase != "alone":
            broken = "R9", "nobody is asked to play alone now"
        elif action in CARDS:
            broken = self.forbidden_card(action)
        return broken

    def forbidden_call(self, call: str) -> tuple[str, str] | None:
        """The auction: pass, or bid higher than the standing bid (R5, R6, R7)."""
        broken: tuple[str, str] | None = None
        if self.phase != "auction":
            broken = "R5", "the auction is over"
        elif call == "pass":
            if self.rules["all_pass"] == "dealer_bids" and len(self.passed) == 3:
                broken = "R6", "three have passed, so the dealer must bid"
        elif call == "big pepper":
            if self.rules["bidding"] != "pepper":
                broken = "R7", "there is no pepper when bids are numbers"
        elif level_of(call, self.size) > self.size:
            broken = "R20", f"with {self.size} cards the highest number is {self.size}"
        elif level_of(call, self.size) <= self.standing:
            broken = "R5", "a bid must be higher than the standing bid"
        return broken

    def forbidden_card(self, card: str) -> tuple[str, str] | None:
        """A discard is any card held (R8); a card played follows suit if it can (R11)."""
        assert self.turn is not None
        hand = self.hands[self.turn]
        broken: tuple[str, str] | None = None
        if self.phase == "auction":
            broken = "R5", "in the auction one passes or bids"
        elif self.phase == "trump":
            broken = "R8", "trumps are named before anything else"
        elif self.phase == "alone":
            broken = "R9", "say first whether you play alone"
        elif card not in hand:
            rule = "R8" if self.phase == "discard" else "R11"
            broken = rule, "this hand does not hold that card"
        elif self.phase == "play" and self.trick:
            assert self.trump is not None
            suit_led = suit_followed(next(iter(self.trick.values())), self.trump)
            can_follow = any(suit_followed(held, self.trump) == suit_led for held in hand)
            if can_follow and suit_followed(card, self.trump) != suit_led:
                broken = "R11", "follow the suit led if able"
        return broken

    # Doing it -----------------------------------------------------------------------------------

    def do(self, action: str) -> None:
        """The seat to act does this; an action that a rule forbids is refused with its number."""
        action = self.in_full(action)
        broken = self.forbidden(action)
        if broken is not None:
            raise RuleBroken(*broken)
        assert self.turn is not None
        if self.phase == "auction":
            self.call(self.turn, action)
        elif self.phase == "trump":
            self.trump = action[-1]
            self.phase = "discard"
        elif self.phase == "discard":
            self.hands[self.turn].remove(action)
            self.discard = action
            self.to_ask = [self.turn]
            self.ask_next()
        elif self.phase == "alone":
            self.answer(self.turn, action)
        else:
            self.play(self.turn, action)

    def call(self, seat: str, call: str) -> None:
        """A pass is final; the auction ends when nobody is left who could overcall (R5, R6)."""
        if call == "pass":
            self.passed.add(seat)
        else:
            self.standing = level_of(call, self.size)
            self.bidder = seat
        top = self.size + 1 if self.rules["bidding"] == "pepper" else self.size
        if len(self.passed) == 4:
            self.thrown_in = True
            self.finish([0, 0])
        elif self.standing == top or (self.bidder is not None and len(self.passed) == 3):
            assert self.bidder is not None
            self.maker = self.turn = self.bidder
            self.hands[self.bidder].append(self.widow)  # R8
            self.phase = "trump"
        else:
            self.turn = left_of(seat)
            while self.turn in self.passed:
                self.turn = left_of(self.turn)

    def answer(self, seat: str, answer: str) -> None:
        """Only if the maker is alone are the defenders asked, from the left, until one is (R9)."""
        if answer == "alone":
            self.alone.add(seat)
            self.to_ask = [left_of(seat), partner_of(left_of(seat))] if seat == self.maker else []
        self.ask_next()

    def ask_next(self) -> None:
        """Ask the next seat whether it plays alone, or start the play when nobody is left (R9)."""
        if self.rules["alone"] and self.to_ask:
            self.phase = "alone"
            self.turn = self.to_ask.pop(0)
            return
        self.phase = "play"
        assert self.maker is not None
        lone_defenders = self.alone - {self.maker}
        if lone_defenders:
            self.turn = next(iter(lone_defenders))  # two loners: the defending one leads (R10)
        elif self.alone:
            self.turn = left_of(self.maker)  # one loner: the seat at the loner's left (R10)
        else:
            self.turn = left_of(self.dealer)  # R10

    def play(self, seat: str, card: str) -> None:
        """A card goes to the trick; a full trick goes to its winner, who leads next (R11, R13)."""
        assert self.trump is not None
        if not self.trick:
            self.leaders.append(seat)
        self.hands[seat].remove(card)
        self.trick[seat] = card
        suit_led = suit_followed(next(iter(self.trick.values())), self.trump)
        if suit_followed(card, self.trump) != suit_led:
            self.voids[seat].add(suit_led)
        if len(self.trick) == 4 - len(self.sitting_out):
            winner = trick_winner(self.trick, self.trump)
            self.tricks[SIDE[winner]] += 1
            self.trick = {}
            self.turn = winner
            if sum(self.tricks) == self.size:
                self.finish(self.count_points())
            return
        self.turn = left_of(seat)
        while self.turn in self.sitting_out:
            self.turn = left_of(self.turn)

    def count_points(self) -> list[int]:
        """What each side scores: made R14, set R15, doubled R16, the defenders R17."""
        assert self.maker is not None
        makers = SIDE[self.maker]
        won = self.tricks[makers]
        if won >= self.bid:
            amount = won
        else:
            amount = -won if self.rules["set_penalty"] == "tricks_won" else -self.bid
        if self.big:
            amount = amount * 2
        if self.maker in self.alone:
            amount = amount * int(self.rules["alone_factor"])
        points = [0, 0]
        points[makers] = amount
        if self.rules["defenders_score"]:
            points[1 - makers] = self.tricks[1 - makers]
        return points

    def finish(self, points: list[int]) -> None:
        """The deal is over and nobody is to act."""
        self.points = points
        self.phase = "over"
        self.turn = None


def spelled(word: str) -> str:
    """The notation's own spelling: "10H" is the same card as "TH"."""
    return "T" + word[2:] if word.startswith("10") else word


def no_such_action(word: str) -> tuple[str, str]:
    """The rule, if there is one, that says why a word is none of the 39 actions."""
    if word == "little pepper":
        return "R7", "there is no pepper when bids are numbers"
    if word.startswith("bid "):
        return "R5", "bids go from one to six"
    if word.startswith("trump "):
        return "R8", "a trump suit is named, clubs, diamonds, hearts or spades"
    return "notation", f"no action is called {word!r}"


def level_of(bid: str, hand_size: int) -> int:
    """How high a bid stands: its number, with big pepper one above the highest number (R7)."""
    return hand_size + 1 if bid == "big pepper" else int(bid.removeprefix("bid "))


class NaiveGame:
    """Deals in order until a side reaches the target (R18) or `max_deals` have been dealt (R19).

    `deal_cards(n)` gives the hands and the widow of deal number n, counted from 0.
    """

    def __init__(
        self,
        rules: dict[str, Any],
        first_dealer: str,
        deal_cards: Callable[[int], tuple[dict[str, list[str]], str]],
    ) -> None:
        self.rules = full_rules(rules)
        self.deal_cards = deal_cards
        self.score = [0, 0]
        self.deals_done = 0
        self.winner: str | None = None  # "NS" or "EW"
        self.truncated = False
        self.deal = NaiveDeal(self.rules, first_dealer, *deal_cards(0), score=self.score)

    @property
    def is_over(self) -> bool:
        """True when a side has won, or the cap on deals is reached."""
        return self.winner is not None or self.truncated

    @property
    def turn(self) -> str | None:
        """The seat to act, or None when the game is over."""
        return None if self.is_over else self.deal.turn

    def legal(self) -> list[str]:
        """What the seat to act may do."""
        return [] if self.is_over else self.deal.legal()

    def do(self, action: str) -> None:
        """One action; when it ends a deal, the score is kept and the next dealer deals (R3)."""
        if self.is_over:
            raise RuleBroken("over", "the game is over")
        self.deal.do(action)
        if self.deal.points is None:
            return
        self.score = [self.score[side] + self.deal.points[side] for side in (0, 1)]
        self.deals_done += 1
        there = [self.score[side] >= self.rules["target"] for side in (0, 1)]
        if all(there):
            assert self.deal.maker is not None
            self.winner = ("NS", "EW")[SIDE[self.deal.maker]]  # both at once: the makers (R18)
        elif any(there):
            self.winner = ("NS", "EW")[there.index(True)]
        elif self.deals_done == self.rules["max_deals"]:
            self.truncated = True
        else:
            dealer = left_of(self.deal.dealer)
            cards = self.deal_cards(self.deals_done)
            self.deal = NaiveDeal(self.rules, dealer, *cards, score=self.score)


def replay(record: Mapping[str, Any]) -> NaiveDeal:
    """Play a written record through; a fault is raised with the place of the offending action."""
    rules = full_rules(record.get("rules", ""))
    hands = {seat: str(cards).split() for seat, cards in record.get("hands", {}).items()}
    score = record.get("score", [0, 0])
    if not isinstance(record.get("widow"), str):
        raise RuleBroken("widow", "the record has no widow (R4)")
    if not isinstance(score, list) or [type(side) for side in score] != [int, int]:
        raise RuleBroken("score", "a score is two whole numbers")
    deal = NaiveDeal(rules, record.get("dealer", ""), hands, record["widow"], score)
    for at, action in enumerate(record["actions"]):
        try:
            deal.do(action)
        except RuleBroken as broken:
            raise RuleBroken(broken.breaks, broken.reason, at) from None
    if record.get("points", deal.points) != deal.points:
        raise RuleBroken("points", f"the cards come to {deal.points}, not to {record['points']}")
    return deal
