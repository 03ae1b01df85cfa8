"""The one list of 39 actions, numbered once for the whole project, and their texts.

A card's own number plays or discards it, so 0..24 are the cards; then come the calls of the auction,
the four trumps, and the answers to "alone?". With small hands the numbers stay and the unused ones are
never legal.
"""

from functools import cache

from hpenv.cards import CARD_TEXT, N_CARDS, N_SUITS, SUITS, parse_card

PASS = N_CARDS
BID = PASS  # BID + n is the bid of n, 1..6
BIG_PEPPER = BID + 7
TRUMP = BIG_PEPPER + 1  # TRUMP + suit
ALONE = TRUMP + N_SUITS
WITH_PARTNER = ALONE + 1
N_ACTIONS = WITH_PARTNER + 1

BIG = BIG_PEPPER - BID  # the level of big pepper in the auction, above the bids 1..6
N_LEVELS = BIG

FACE_DOWN = N_ACTIONS  # stands in everybody's record of the deal where the secret discard was made

ACTION_TEXT = [
    *CARD_TEXT,
    "pass",
    *(f"bid {level}" for level in range(1, 7)),
    "big pepper",
    *(f"trump {suit}" for suit in SUITS),
    "alone",
    "with partner",
]
_ACTION_NUMBER = {text: action for action, text in enumerate(ACTION_TEXT)}
_ACTION_NUMBER |= {text.lower(): action for text, action in _ACTION_NUMBER.items()}


def action_text(action: int) -> str:
    """`TH`, `pass`, `bid 3`, `big pepper`, `trump H`, `alone`, `with partner`."""
    return "face down" if action == FACE_DOWN else ACTION_TEXT[action]


def parse_action(text: str, hand_size: int = 6) -> int:
    """The number of an action; `little pepper` is the bid of `hand_size` (R7).

    Raises ValueError if the text names none.
    """
    action = _ACTION_NUMBER.get(text)
    if action is not None:
        return action
    word = " ".join(text.lower().split())
    if word == "little pepper":
        return BID + hand_size
    action = _ACTION_NUMBER.get(word)
    if action is not None:
        return action
    try:
        return parse_card(text)
    except ValueError:
        raise ValueError(
            f"no such action: {text!r} (write a card, pass, bid 1 to bid 6, little pepper, "
            "big pepper, trump C/D/H/S, alone or with partner)"
        ) from None


def action_set_text(actions: int) -> list[str]:
    """The texts of a set of actions, in the order of their numbers.

    >>> action_set_text(1 << 1 | 1 << PASS)
    ['TC', 'pass']
    """
    actions = int(actions)
    return [text for part in range(3) for text in _third(part, actions >> 13 * part & 0x1FFF)]


@cache
def _third(part: int, actions: int) -> list[str]:
    """The texts of some of the 13 actions from 13 * part on: 3 times 8192 sets at most."""
    return [ACTION_TEXT[13 * part + a] for a in range(13) if actions >> a & 1]
