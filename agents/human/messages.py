"""What a person at a terminal reads: the hand, the choices, the situation, tricks, cards, hints.

All of it is made from the person's view, or from the cards that a game shows after a deal. Texts carry
styles, which a terminal shows and a file does not.
"""

from collections.abc import Mapping, Sequence

from rich.text import Text

from hpenv.actions import (
    ACTION_TEXT,
    BID,
    PASS,
    TRUMP,
    action_text,
    parse_action,
)
from hpenv.agents.human.game import Game, OpenCards
from hpenv.agents.opinion import Opinion
from hpenv.cards import (
    CARD_TEXT,
    N_CARDS,
    N_SUITS,
    NO_CARD,
    NO_SUIT,
    SUIT_FOLLOWED,
    SUIT_NAMES,
    SUITS,
    set_cards,
)
from hpenv.drawing.scene import sorted_hand
from hpenv.history import calls_of, tricks_of
from hpenv.rulebook import AUCTION, DISCARD, NAME_TRUMP, PLAY, Phase
from hpenv.seats import N_SEATS, SEAT_NAMES, SIDE_NAMES
from hpenv.view import View

SYMBOLS = "♣♦♥♠"
RED_SUITS = (1, 2)


# ---- the hand and the choices -----------------------------------------------------------------


def card_styled(card: int) -> Text:
    """A card in notation, red or not."""
    return Text(CARD_TEXT[card], "red" if card // 6 in RED_SUITS else "")


def hand_text(view: View, symbols: bool) -> Text:
    """`hearts (trump) Jo* JH*  clubs AC`: with a star at each playable card, unless all are."""
    trump, legal = int(view.trump), int(view.legal)
    is_marked = view.phase == PLAY and int(view.hand) & ~legal
    text, last = Text(), None
    for card in sorted_hand(int(view.hand), trump):
        suit = int(SUIT_FOLLOWED[trump, card])
        if suit != last and (suit != NO_SUIT or last is None):
            text.append("   " if last is not None else "")
            text.append_text(suit_text(suit, symbols))
            text.append(" (trump)" if suit == trump != NO_SUIT else "")
        text.append(" ").append_text(card_styled(card))
        if is_marked and legal >> card & 1:
            text.append("*", "bold")
        last = suit
    return text


def suit_text(suit: int, symbols: bool) -> Text:
    if suit == NO_SUIT:
        return Text("Joker:", "bold")
    name = SYMBOLS[suit] if symbols else SUIT_NAMES[suit]
    return Text(name, "bold red" if suit in RED_SUITS else "bold")


def choices(view: View) -> dict[str, int]:
    """What may be typed for each legal action: in the auction 0 to pass and the number bid (7 for big
    pepper), else 1, 2, 3 ... in the order of the hand."""
    legal = set_cards(int(view.legal))
    if view.phase == AUCTION:
        return {str(action - PASS): action for action in legal}
    if view.phase in (DISCARD, PLAY):
        legal = list(sorted_hand(int(view.legal), int(view.trump)))
    return {str(number): action for number, action in enumerate(legal, 1)}


def choices_text(view: View, symbols: bool) -> Text:
    """`you may play:  1 AH  2 KH`."""
    due = {
        AUCTION: "you may say",
        NAME_TRUMP: "name trump",
        DISCARD: "discard one",
        PLAY: "you may play",
    }
    text = Text(due.get(Phase(view.phase), "you may say") + ":")
    for key, action in choices(view).items():
        text.append(f"  {key} ", "cyan")
        text.append_text(card_styled(action) if action < N_CARDS else Text(ACTION_TEXT[action]))
        if symbols and TRUMP <= action < TRUMP + N_SUITS:
            text.append(" ").append_text(suit_text(action - TRUMP, symbols))
        if view.pepper and action == BID + view.hand_size:
            text.append(" (little pepper)")
    return text


def chosen(view: View, words: str) -> int:
    """The action that a person means by words: a choice's number, notation, or a suit to name trump.

    Raises ValueError with a sentence if they name none.
    """
    for symbol, letter in zip(SYMBOLS, SUITS, strict=True):
        words = words.replace(symbol, letter)
    words = " ".join(words.split())
    if not view.legal:
        raise ValueError("the deal is over: nobody acts")
    if words.isdecimal():
        offered = choices(view)
        if words not in offered:
            raise ValueError(f"there is no choice {words} here (there are {', '.join(offered)})")
        return offered[words]
    if view.phase == NAME_TRUMP:
        for suit, name in enumerate(SUIT_NAMES[:N_SUITS]):
            if words.lower() in (SUITS[suit].lower(), name):
                return TRUMP + suit
    return parse_action(words, int(view.hand_size))


# ---- the deal so far --------------------------------------------------------------------------


def trick_text(trick: Sequence[tuple[int, int]]) -> str:
    return ", ".join(f"{SEAT_NAMES[seat]} {CARD_TEXT[card]}" for seat, card in trick)


def last_trick_text(view: View) -> str:
    """The last complete trick and its winner."""
    if not view.tricks_played:
        return "No trick has been played yet."
    return tricks_text(view)[-1]


def tricks_text(view: View) -> list[str]:
    """A line for each complete trick: its cards and its winner."""
    return [
        f"trick {trick.number}: {trick_text(trick.cards)}; {SEAT_NAMES[trick.winner]} won it"
        for trick in tricks_of(view)[: int(view.tricks_played)]
    ]


def widow_text(view: View) -> str:
    """Who takes the widow, and to the person itself which card it is."""
    if view.maker != view.seat:
        return f"{SEAT_NAMES[view.maker]} takes the widow"
    return f"You take the widow: {CARD_TEXT[view.widow]}"


def score_text(view: View) -> str:
    return (
        f"score {SIDE_NAMES[0]} {view.score[0]}, {SIDE_NAMES[1]} {view.score[1]}; "
        f"{view.target} points win"
    )


def seats_text(view: View, agents: Sequence[str | None]) -> str:
    """A line for each seat: who sits there, and its calls in the auction."""
    lines = []
    for seat in range(N_SEATS):
        who = agents[seat] or "you"
        who += ", your partner" if seat == (view.seat + 2) % N_SEATS else ""
        who += ", dealer" if seat == view.dealer else ""
        calls = [action_text(action) for by, action in calls_of(view) if by == seat]
        lines.append(f"{SEAT_NAMES[seat]} ({who}): {', '.join(calls) or 'no call'}")
    return "\n".join(lines)


def open_cards_text(cards: OpenCards, practice: bool) -> str:
    """The cards of a finished deal, as far as they are shown."""
    lines = ["the hands as dealt:" if practice else "the cards held in the play:"]
    for seat, hand in enumerate(cards.hands):
        shown = " ".join(CARD_TEXT[card] for card in hand) if hand else "stays hidden"
        lines.append(f"  {SEAT_NAMES[seat]} {shown}")
    for name, card in (("widow", cards.widow), ("discard", cards.discard)):
        if card not in (None, NO_CARD):
            lines.append(f"  {name} {CARD_TEXT[card or 0]}")
    return "\n".join(lines)


# ---- hints ------------------------------------------------------------------------------------


def hints_text(opinions: Mapping[str, Opinion]) -> str:
    """For each agent its choice, a table of the legal actions, and why it chose as it did if its
    opinion has a note."""
    lines = []
    for name, opinion in opinions.items():
        worlds = f" (looked at {opinion.worlds} worlds)" if opinion.worlds else ""
        lines.append(f"{name} would choose {opinion.text_of(opinion.action)}{worlds}")
        lines += opinion.lines()
    return "\n".join(lines)


def greeting(game: Game) -> str:
    """Who sits where."""
    seated = ", ".join(
        f"{SEAT_NAMES[seat]} {name}" for seat, name in enumerate(game.agents) if name is not None
    )
    return f"You are {SEAT_NAMES[game.seat]}; {seated}."
