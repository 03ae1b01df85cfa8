"""Why an action is illegal, in one sentence that names the rule and the cards.

What is said out of its time breaks the rule of what was said (a bid after the auction: R5); a card put
down out of its time breaks the rule of what is due instead (a card in the auction: R5).
"""

from numbers import Integral
from typing import Any

from hpenv.actions import ALONE, BID, BIG_PEPPER, N_ACTIONS, PASS, parse_action
from hpenv.cards import FOLLOWERS, N_CARDS, SUIT_NAMES, set_text
from hpenv.rulebook import (
    AUCTION,
    DEAL_OVER,
    DEFENDER_ALONE,
    DISCARD,
    MAKER_ALONE,
    NAME_TRUMP,
    is_dealt,
)
from hpenv.seats import SEAT_NAMES
from hpenv.text import NOTHING_DEALT, act_text, bid_text, phase_words


class IllegalAction(ValueError):
    """An action the rules forbid; `rule` is the number of the rule it breaks, "over" once the deal is
    over and before anything is dealt, or "action" if there is no such action."""

    def __init__(self, rule: str, sentence: str) -> None:
        super().__init__(sentence)
        self.rule = rule

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.rule, str(self))


def action_named(words: str, is_pepper: bool, hand_size: int) -> int:
    """The number of an action in words, at a table with these rules; legal or not.

    Raises IllegalAction if the rules know none of that name.
    """
    try:
        action = parse_action(words, hand_size)
    except ValueError as error:
        word = " ".join(words.lower().split())
        if word.startswith("bid "):
            raise IllegalAction("R5", "bids go from one to six (R5)") from None
        if word.startswith("trump "):
            raise IllegalAction("R8", "a trump suit is C, D, H or S (R8)") from None
        raise IllegalAction("action", str(error)) from None
    if "little" in words.lower() and not is_pepper:
        raise IllegalAction("R7", "there is no little pepper where bids are numbers (R7)")
    return action


def illegal_action(table: Any, action: Any) -> IllegalAction:
    """The error for an action that is not legal at this table."""
    is_number = isinstance(action, Integral) and not isinstance(action, bool)
    if not is_number or not 0 <= int(action) < N_ACTIONS:
        return IllegalAction("action", f"no such action: {action!r} (actions are 0 to 38)")
    tried = int(action)
    if not is_dealt(table):
        return IllegalAction("over", f"{NOTHING_DEALT}: nobody acts, tried {act_text(table, tried)}")
    if table.phase == DEAL_OVER:
        return IllegalAction("over", f"the deal is over: nobody acts, tried {act_text(table, tried)}")
    if tried < N_CARDS:
        rule, why = _card(table, tried)
    elif tried <= BIG_PEPPER:
        rule, why = _call(table, tried)
    elif tried < ALONE:
        rule, why = _trump(table)
    else:
        rule, why = _answer(table)
    return IllegalAction(rule, f"{SEAT_NAMES[table.to_act]} {why}, tried {act_text(table, tried)}")


def _call(table: Any, call: int) -> tuple[str, str]:
    if table.phase != AUCTION:
        return "R5", f"must {phase_words(table).due}: the auction is over (R5)"
    if call == PASS:
        return "R6", "is the dealer after three passes and must bid (R6)"
    if call == BIG_PEPPER:
        return "R7", "cannot bid big pepper where bids are numbers (R7)"
    if call - BID > table.hand_size:
        return "R20", f"cannot bid more than the {table.hand_size} tricks of this game (R20)"
    return "R5", f"must bid more than the standing {bid_text(table, int(table.bid))} (R5)"


def _trump(table: Any) -> tuple[str, str]:
    when = "is named after the auction" if table.phase == AUCTION else "has been named"
    return "R8", f"must {phase_words(table).due}: trump {when} (R8)"


def _answer(table: Any) -> tuple[str, str]:
    asked = "is asked to play alone now" if table.alone_allowed else "may play alone at this table"
    return "R9", f"must {phase_words(table).due}: nobody {asked} (R9)"


def _card(table: Any, card: int) -> tuple[str, str]:
    phase = int(table.phase)
    if phase == AUCTION:
        return "R5", "must pass or bid in the auction (R5)"
    if phase == NAME_TRUMP:
        return "R8", "must name a trump suit before discarding (R8)"
    if phase in (MAKER_ALONE, DEFENDER_ALONE):
        return "R9", "must say alone or with partner before the first lead (R9)"
    hand = int(table.hands[table.to_act])
    if phase == DISCARD:
        return "R8", f"must discard one of the {table.hand_size + 1} cards held (R8): {set_text(hand)}"
    if not hand >> card & 1:
        return "R11", f"can play only a card in hand (R11): holds {set_text(hand)}"
    following = hand & int(FOLLOWERS[table.trump, table.led_suit])
    return "R11", f"must follow {SUIT_NAMES[table.led_suit]} (R11): holds {set_text(following)}"
