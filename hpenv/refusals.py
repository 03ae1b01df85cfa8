"""Why an action is illegal, in one sentence that names the rule and the cards."""

from numbers import Integral
from typing import Any

from hpenv.actions import ALONE, BID, BIG_PEPPER, N_ACTIONS, PASS, TRUMP, action_text
from hpenv.cards import FOLLOWERS, N_CARDS, SUIT_NAMES, set_text
from hpenv.rulebook import AUCTION, DEAL_OVER, DISCARD, NAME_TRUMP, PLAY, top_bid
from hpenv.text import bid_text

SEAT_NAMES = ("North", "East", "South", "West")


class IllegalAction(ValueError):
    """An action the rules forbid; `rule` is the number of the rule it breaks."""

    def __init__(self, rule: str, sentence: str) -> None:
        super().__init__(sentence)
        self.rule = rule


def refusal(table: Any, action: Any) -> IllegalAction:
    """The error for an action that is not legal at this table."""
    if not isinstance(action, Integral) or not 0 <= int(action) < N_ACTIONS:
        return IllegalAction("action", f"no such action: {action!r} (actions are 0 to 38)")
    if table.phase == DEAL_OVER:
        return IllegalAction("R13", f"the deal is over: nobody may {_do(int(action))}")
    who = SEAT_NAMES[table.to_act]
    reason = {AUCTION: _call, NAME_TRUMP: _trump, DISCARD: _discard, PLAY: _play}
    rule, why = reason.get(int(table.phase), _answer)(table, int(action))
    return IllegalAction(rule, f"{who} {why}, tried {action_text(int(action))}")


def _do(action: int) -> str:
    return ("play " if action < N_CARDS else "say ") + action_text(action)


def _call(table: Any, action: int) -> tuple[str, str]:
    if action == PASS:
        return "R6", "is the dealer after three passes and must bid (R6)"
    if action == BIG_PEPPER:
        return "R7", "cannot bid big pepper where bids are numbers (R7)"
    if BID < action < BIG_PEPPER:
        level, top = action - BID, table.hand_size
        if level > top:
            return "R20", f"cannot bid more than the {top} tricks of this game (R20)"
        standing = bid_text(table.bid)
        return "R5", f"must bid more than the standing {standing} (R5)"
    top = bid_text(int(top_bid(table)))
    return "R5", f"must pass or bid, up to {top} (R5)"


def _trump(table: Any, action: int) -> tuple[str, str]:
    return "R8", "has taken the widow and must name a trump suit (R8)"


def _discard(table: Any, action: int) -> tuple[str, str]:
    return (
        "R8",
        f"must discard one of the seven cards held (R8): {set_text(table.hands[table.maker])}",
    )


def _answer(table: Any, action: int) -> tuple[str, str]:
    return "R9", "must say alone or with partner (R9)"


def _play(table: Any, action: int) -> tuple[str, str]:
    hand = int(table.hands[table.to_act])
    if action >= N_CARDS:
        done = "trump is named" if TRUMP <= action < ALONE else "the play has begun"
        return "R11", f"must play a card, {done} (R11)"
    if not hand >> action & 1:
        return "R11", f"can play only a card in hand (R11): holds {set_text(hand)}"
    following = hand & int(FOLLOWERS[table.trump, table.led_suit])
    return "R11", (
        f"must follow {SUIT_NAMES[table.led_suit]} (R11): "
        f"holds {set_text(hand)}, of them {set_text(following)} follow"
    )
