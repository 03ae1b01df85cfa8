"""What happens at a table, said to the person who sits there: `You bid 5`, `East plays alone`,
`You must follow spades.`

Everything is said of a view of the person's, or of a whole table where all cards lie open; `own` is the
person's seat.
"""

from typing import Any

from hpenv.actions import ALONE, BIG_PEPPER, FACE_DOWN, PASS, TRUMP
from hpenv.cards import N_CARDS, NO_CARD, SUIT_NAMES
from hpenv.drawing.cards import card_name
from hpenv.drawing.scene import Position
from hpenv.rulebook import (
    AUCTION,
    DEFENDER_ALONE,
    DISCARD,
    MAKER_ALONE,
    NAME_TRUMP,
    PLAY,
    Phase,
    was_made,
)
from hpenv.rules import PRESETS, Rules
from hpenv.seats import NOBODY, SEAT_NAMES
from hpenv.table import rules_of
from hpenv.text import bid_text, phase_words
from hpenv.view import View


def who(seat: int, own: int) -> str:
    """`You`, or a seat's name."""
    return "You" if seat == own else SEAT_NAMES[seat]


def side_words(side: int, own: int) -> str:
    """`You and North`, or `East and West`: the two seats of a side."""
    if own % 2 == side:
        return f"You and {SEAT_NAMES[(own + 2) % 4]}"
    return f"{SEAT_NAMES[side]} and {SEAT_NAMES[side + 2]}"


def _the_card(card: int) -> str:
    return f"the {card_name(card)}"


def _level(record: Position, level: int) -> str:
    """A bid without the word: `5`, `little pepper`."""
    return bid_text(record, level).removeprefix("bid ")


# ---- what is done -------------------------------------------------------------------------------


def action_words(record: Position, seat: int, action: int, own: int) -> str:
    """What a seat has just done, `record` being the table or the view after it, without a full stop.

    action: its number, FACE_DOWN for a discard. The card discarded is named where the record has it.
    """
    name, s = who(seat, own), "" if seat == own else "s"
    if action < N_CARDS:
        verb = "lead" if record.cards_in_trick == 1 else "play"
        return f"{name} {verb}{s} {_the_card(action)}"
    if action == FACE_DOWN:
        seen = f" {_the_card(int(record.discard))}" if record.discard != NO_CARD else ""
        return f"{name} discard{s}{seen}"
    if action <= BIG_PEPPER:
        bid = f"bid{s} {_level(record, action - PASS)}"
        done = f"pass{s and 'es'}" if action == PASS else bid
        return f"{name} {done}{_auction_end(record, own)}"
    if action < ALONE:
        return f"{name} name{s} trumps: {SUIT_NAMES[action - TRUMP]}"
    return f"{name} {_answer(record, seat, action, own)}"


def _answer(record: Position, seat: int, action: int, own: int) -> str:
    s = "" if seat == own else "s"
    if seat == record.maker:
        return f"play{s} {'alone' if action == ALONE else 'with partner'}"
    if action == ALONE:
        return f"defend{s} alone"
    return f"do{s and 'es'} not defend alone"


def _auction_end(record: Position, own: int) -> str:
    """`. East takes the widow` after the call that ended the auction."""
    if record.phase != NAME_TRUMP:
        return ""
    if record.maker != own:
        return f". {SEAT_NAMES[record.maker]} takes the widow"
    return f". You take the widow: {_the_card(int(record.widow))}"


def trick_words(winner: int, own: int) -> str:
    return f"{who(winner, own)} won the trick"


# ---- what is due --------------------------------------------------------------------------------


def prompt(view: View) -> str:
    """What the person is to do, in a sentence; nothing if it is not to act."""
    if not view.legal:
        return ""
    if view.phase == AUCTION:
        return _call_due(view)
    due = {
        NAME_TRUMP: f"You have bid {_level(view, int(view.bid))}. Name the trumps.",
        DISCARD: f"{_capital(SUIT_NAMES[view.trump])} are trumps. Discard one card.",
        MAKER_ALONE: "Will you play alone?",
        DEFENDER_ALONE: f"{SEAT_NAMES[view.maker]} plays alone. Defend alone?",
        PLAY: "Play a card." if view.cards_in_trick else "Your lead.",
    }
    return due[Phase(view.phase)]


def _call_due(view: View) -> str:
    if not int(view.legal) >> PASS & 1:
        return "Everybody has passed: you must bid."
    return f"Pass, or bid more than {_level(view, int(view.bid))}." if view.bid else "Pass or bid."


def waiting_words(view: View) -> str:
    """Whom the person waits for: `East to bid`."""
    if view.to_act == NOBODY:
        return ""
    due = "to lead" if view.phase == PLAY and not view.cards_in_trick else phase_words(view).doing
    return f"{who(int(view.to_act), int(view.seat))} {due}"


def illegal_words(view: View, action: int, rule: str) -> str:
    """Why the person may not do an action now. rule: the number of the rule that it breaks."""
    if view.phase == AUCTION and action < N_CARDS:
        return "The auction is on: pass or bid."
    if rule == "R5" and view.phase != AUCTION:
        rule = ""
    because = {
        "R5": f"You must bid more than {_level(view, int(view.bid))}, or pass.",
        "R6": "Everybody has passed, and you are the dealer: you must bid.",
        "R7": "There is no big pepper under these rules.",
        "R11": f"You must follow {SUIT_NAMES[view.led_suit]}."
        if int(view.hand) >> action & 1
        else "You do not hold that card.",
        "R20": f"There are only {view.hand_size} tricks to bid for.",
        "over": "The deal is over.",
    }
    return because.get(rule) or f"You must {phase_words(view).due} now."


# ---- how it ends --------------------------------------------------------------------------------


def has_ended(record: Position) -> bool:
    """Is the game over after this deal (R18, R19)?"""
    return bool(record.winner != NOBODY or record.deals_played >= record.max_deals)


def result_words(record: Position, own: int) -> list[str]:
    """How a finished deal came out, a sentence or two an item: the contract, the points, and at last
    the end of the game if it is over. The discard stays secret (R8)."""
    if record.maker == NOBODY:
        lines = ["Everybody passed: the deal is thrown in."]
    else:
        lines = [_contract_words(record, own)]
        sides = (own % 2, 1 - own % 2)
        points = [f"{side_words(side, own)} {_points(int(record.points[side]))}" for side in sides]
        lines.append("; ".join(points) + ".")
    if record.winner != NOBODY:
        lines.append(f"{side_words(int(record.winner), own)} win the game.")
    elif has_ended(record):
        lines.append(f"After {record.deals_played} deals nobody has won: the game is broken off.")
    return lines


def _points(points: int) -> str:
    unit = "point" if abs(points) == 1 else "points"
    return f"{'win' if points >= 0 else 'lose'} {abs(points) or 'no'} {unit}"


def _contract_words(record: Position, own: int) -> str:
    """`East bid 5, took 6: made.`; a set is explained."""
    maker, level = int(record.maker), int(record.bid)
    took = int(record.tricks[maker & 1])
    alone = " alone" if int(record.alone) >> maker & 1 else ""
    made = was_made(took, level, int(record.hand_size))
    words = f"{who(maker, own)} bid {_level(record, level)}{alone}, took {took}: "
    rules = rules_of(record)
    costs = "a set costs the bid" if rules.set_penalty == "bid" else "each trick won costs a point"
    words += "made." if made else f"set. Under these rules {costs}."
    if level > record.hand_size:
        words += " Big pepper counts double."
    if alone and rules.alone_factor > 1:
        words += " A maker who plays alone counts double."
    if rules.defenders_score:
        words += " Each trick of the defenders wins them a point."
    return words


# ---- rules --------------------------------------------------------------------------------------

PRESET_WORDS = {
    "standard": "Bids from one to six; a set costs a point for each trick won.",
    "pepper": "Bids one to five, little pepper, and big pepper for double stakes.",
    "set_bid": "As standard, but a set costs the bid.",
    "house": "Pepper bids, a set costs the bid, defenders score their tricks, a maker who plays alone "
    "counts double, and the dealer must bid if all pass.",
    "mini2": "Two cards each and two tricks; a set costs the bid.",
    "mini3": "Three cards each and three tricks; a set costs the bid.",
}


def preset_of(rules: Rules) -> str | None:
    """The preset that rules are, whatever their target and their cap; None for other choices."""
    for name, preset in PRESETS.items():
        own = {"target": rules.target, "max_deals": rules.max_deals}
        if Rules(**Rules().differences() | preset.differences() | own) == rules:
            return name
    return None


def rules_words(rules: Rules) -> str:
    """`house`, or the options that differ from the defaults."""
    name = preset_of(rules)
    if name:
        return name
    return ", ".join(_option(option, value) for option, value in rules.differences().items())


def _option(option: str, value: Any) -> str:
    words = option.replace("_", " ")
    if type(value) is bool:
        return words if value else f"no {words}"
    return f"{words} {value}".replace("_", " ")


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]
