"""The shapes of the cards, drawn as SVG without fonts or outside resources.

A card is drawn in a box of `CARD_WIDTH` by `CARD_HEIGHT` units. Suits differ in shape, and each has a
colour of its own in which the pairs of one colour stay together: spades and clubs dark, hearts and
diamonds warm (the left bower is the jack of the same colour). `card_svg` and `card_back_svg` give whole
pictures; `card_symbols` gives the same drawings once as symbols for a page that uses them often.
"""

from collections.abc import Iterable
from functools import cache

from hpenv.arguments import whole_number
from hpenv.cards import CARD_TEXT, JOKER, N_CARDS, SUIT_NAMES
from hpenv.drawing.glyphs import written

CARD_WIDTH, CARD_HEIGHT = 100, 140
BACK = "back"  # stands for a card in whose place a back is drawn
FACE_DOWN_TITLE = "face down"

SUIT_COLOURS = ("#14683f", "#d9541a", "#c3132f", "#161d2e")  # C D H S
# In a box from -10 to 10 both ways.
SUIT_PATHS = (
    "M0-10A4.7 4.7 0 0 1 3.9-2.7A4.8 4.8 0 1 1 1.1 4.6C1.3 7.2 2.2 8.9 3.9 10H-3.9C-2.2 8.9-1.3 7.2"
    "-1.1 4.6A4.8 4.8 0 1 1-3.9-2.7A4.7 4.7 0 0 1 0-10Z",
    "M0-10.4C1.8-6.6 4.6-3 7.8 0C4.6 3 1.8 6.6 0 10.4C-1.8 6.6-4.6 3-7.8 0C-4.6-3-1.8-6.6 0-10.4Z",
    "M0 9.8C-2.6 5.2-9.6 1.6-9.6-4.2C-9.6-7.6-7.1-9.6-4.6-9.6C-2.5-9.6-.8-8.4 0-6.2C.8-8.4 2.5-9.6 "
    "4.6-9.6C7.1-9.6 9.6-7.6 9.6-4.2C9.6 1.6 2.6 5.2 0 9.8Z",
    "M0-10.2C2.4-5.8 9.3-2 9.3 3.2C9.3 6.1 7.1 7.7 5 7.7C3.2 7.7 1.8 6.7 1 5C1.2 7.4 2.2 9 3.9 10H-3.9C"
    "-2.2 9-1.2 7.4-1 5C-1.8 6.7-3.2 7.7-5 7.7C-7.1 7.7-9.3 6.1-9.3 3.2C-9.3-2-2.4-5.8 0-10.2Z",
)
GOLD, SKIN, PAPER, LINE = "#eab63e", "#f7d9bd", "#fffdf8", "#33384a"
JOKER_COLOUR = "#7a2fa0"

_RANKS = ("9", "10", "J", "Q", "K", "A")
_NAMES = ("nine", "ten", "jack", "queen", "king", "ace")
_ROWS = (38, 59, 81, 102)
_PIPS = {  # where the pips of a nine and a ten stand
    0: (*((x, y) for x in (40, 60) for y in _ROWS), (50, 70)),
    1: (*((x, y) for x in (40, 60) for y in _ROWS), (50, 48.5), (50, 91.5)),
}


def card_name(card: int) -> str:
    """`ten of hearts`, `Joker`."""
    return "Joker" if card == JOKER else f"{_NAMES[card % 6]} of {SUIT_NAMES[card // 6]}"


def suit_path(suit: int, x: float, y: float, size: float, fill: str | None = None) -> str:
    """A suit's shape, `size` high, with its middle at (x, y)."""
    turned = " rotate(180)" if size < 0 else ""
    return (
        f'<path d="{SUIT_PATHS[suit]}" fill="{fill or SUIT_COLOURS[suit]}" '
        f'transform="translate({x:g} {y:g}){turned} scale({abs(size) / 20:g})"/>'
    )


def pen(words: str, x: float, y: float, height: float, colour: str, weight: float = 1.5,
        gap: float = 2.6) -> str:  # fmt: skip
    """Words written with their top left corner at (x, y), `height` high."""
    return (
        f'<path d="{written(words, gap)[1]}" transform="translate({x:g} {y:g}) scale({height / 10:g})" '
        f'fill="none" stroke="{colour}" stroke-width="{weight:g}" stroke-linecap="round" '
        'stroke-linejoin="round"/>'
    )


# ---- one card -----------------------------------------------------------------------------------


@cache
def face(card: int) -> str:
    """The drawing of a card's face, without the tags around it."""
    sheet = _paper(PAPER, "#b9b4a6")
    if card == JOKER:
        index, middle = _joker_index(), _joker()
    else:
        rank, suit = card % 6, card // 6
        index = _index(_RANKS[rank], suit)
        if rank in _PIPS:
            middle = "".join(suit_path(suit, x, y, 13 if y <= 70 else -13) for x, y in _PIPS[rank])
        elif rank == 5:
            middle = suit_path(suit, 50, 70, 44)
        else:
            middle = _court(rank, suit)
    return f"{sheet}{middle}{index}{_turned(index)}"


@cache
def back() -> str:
    """The drawing of a card's back, without the tags around it."""
    spots = [(x, y) for x in range(20, 90, 12) for y in range(19, 130, 17)]
    spots += [(x, y) for x in range(26, 80, 12) for y in range(27, 120, 17)]
    lattice = "".join(f"M{x} {y - 6}l4.2 6l-4.2 6l-4.2-6z" for x, y in spots)
    return (
        _paper(PAPER, "#b9b4a6")
        + '<rect x="7" y="7" width="86" height="126" rx="6" fill="#27407f"/>'
        + f'<path d="{lattice}" fill="#4a69b4"/>'
        + '<rect x="11" y="11" width="78" height="118" rx="3.5" fill="none" stroke="#dfe6f7" '
        + 'stroke-width="1.4"/>'
    )


def _paper(fill: str, edge: str) -> str:
    return (
        f'<rect x=".6" y=".6" width="{CARD_WIDTH - 1.2:g}" height="{CARD_HEIGHT - 1.2:g}" rx="9" '
        f'fill="{fill}" stroke="{edge}" stroke-width="1.2"/>'
    )


def _turned(drawing: str) -> str:
    return f'<g transform="rotate(180 {CARD_WIDTH // 2} {CARD_HEIGHT // 2})">{drawing}</g>'


def _index(rank: str, suit: int) -> str:
    gap = 1.7  # the figures of the ten stand close
    left = 17.5 - written(rank, gap)[0]
    return pen(rank, left, 9.5, 20, SUIT_COLOURS[suit], 2.1, gap) + suit_path(suit, 17.5, 44.5, 19)


# ---- kings, queens, jacks and the Joker ---------------------------------------------------------


def _court(rank: int, suit: int) -> str:
    """Half a figure above the middle of a frame and the same half turned below it."""
    half = _garment(suit) + (_jack, _queen, _king)[rank - 2](SUIT_COLOURS[suit])
    frame = f'stroke="{SUIT_COLOURS[suit]}" stroke-width="1.1" stroke-opacity=".55"'
    ground = f'<rect x="31" y="15" width="38" height="110" rx="3" fill="#f3ecdb" {frame}/>'
    whole = ground + half + _turned(half) + f'<path d="M31.6 70H68.4" {frame}/>'
    return f'<g transform="translate(50 70) scale(.87) translate(-50 -70)">{whole}</g>'


def _garment(suit: int) -> str:
    colour = SUIT_COLOURS[suit]
    return (
        f'<path d="M31.6 69.6V63C34 55.5 41 53.5 50 53.5S66 55.5 68.4 63V69.6Z" fill="{colour}"/>'
        f'<path d="M42.5 54.3L50 69.6L57.5 54.3Z" fill="{GOLD}"/>'
        + suit_path(suit, 50, 60.2, 8.4)
    )  # fmt: skip


def _head(hair: str) -> str:
    return (
        f'<rect x="46.2" y="47" width="7.6" height="9" rx="3" fill="{SKIN}"/>'
        f'<ellipse cx="50" cy="42" rx="8.2" ry="9.4" fill="{SKIN}"/>{hair}'
        f'<path d="M46.8 41.2V42.2M53.2 41.2V42.2M50 42.4L49.2 45H50.4M47.9 47.7Q50 48.9 52.1 47.7" '
        f'fill="none" stroke="{LINE}" stroke-width="1.15" stroke-linecap="round" '
        'stroke-linejoin="round"/>'
    )


def _king(colour: str) -> str:
    beard = (
        '<path d="M41.6 42.5C41 51 45 57.5 50 57.5S59 51 58.4 42.5C57.5 46.5 55 46.4 50 46.4S42.5 46.5'
    )
    beard += ' 41.6 42.5Z" fill="#8a8f9c"/>'
    crown = (
        f'<path d="M40.4 36L38 22.5L44.4 28.6L50 18.5L55.6 28.6L62 22.5L59.6 36Z" fill="{GOLD}"/>'
        f'<path d="M40.4 36H59.6V32.6H40.4Z" fill="{colour}"/><circle cx="50" cy="18.9" r="1.9" '
        f'fill="{colour}"/>'
    )
    return _head(beard) + crown


def _queen(colour: str) -> str:
    hair = '<path d="M50 31C40 31 37.6 39 38.6 54.5C41.4 55 43.6 54.4 44.6 53C41 48 41.4 40 50 38.4'
    hair += 'C58.6 40 59 48 55.4 53C56.4 54.4 58.6 55 61.4 54.5C62.4 39 60 31 50 31Z" fill="#6d4325"/>'
    coronet = (
        f'<path d="M39.6 35.4L38.4 27L43.6 30.4L46.6 25L50 29.6L53.4 25L56.4 30.4L61.6 27L60.4 35.4'
        f'C54 32.8 46 32.8 39.6 35.4Z" fill="{GOLD}"/>'
        f'<circle cx="46.6" cy="24.4" r="1.6" fill="{colour}"/>'
        f'<circle cx="53.4" cy="24.4" r="1.6" fill="{colour}"/>'
        f'<circle cx="38.4" cy="26.4" r="1.4" fill="{colour}"/>'
        f'<circle cx="61.6" cy="26.4" r="1.4" fill="{colour}"/>'
    )
    return _head(hair) + coronet


def _jack(colour: str) -> str:
    hair = (
        '<path d="M41.4 34V47.4C40.4 49 39.4 49.4 38.4 49.2C37.4 43 38 37 40 33ZM58.6 34V47.4C59.6 49 '
    )
    hair += '60.6 49.4 61.6 49.2C62.6 43 62 37 60 33Z" fill="#b07a35"/>'
    cap = (
        f'<path d="M38.6 35.6C36.6 28 43 23.4 50 23.4S63.4 28 61.4 35.6Z" fill="{colour}"/>'
        f'<path d="M38.6 36.4H61.4V33H38.6Z" fill="{GOLD}"/>'
        f'<path d="M57 31C58 24 61 19.6 66.4 17.6C66.8 23.6 63.6 28.8 57 31Z" fill="{GOLD}"/>'
    )
    return _head(hair) + cap


def _joker_index() -> str:
    star = "M0-10L2.6-3.4L9.6-3L4.2 1.5L6 8.4L0 4.6L-6 8.4L-4.2 1.5L-9.6-3L-2.6-3.4Z"
    return (
        "".join(
            pen(letter, 17 - written(letter)[0] * 0.6, 10 + 15.6 * i, 12, JOKER_COLOUR, 2.1)
            for i, letter in enumerate("JOKER")
        )
        + f'<path d="{star}" fill="{JOKER_COLOUR}" transform="translate(17 96) scale(.8)"/>'
    )


def _joker() -> str:
    """A fool's cap with three bells over a laughing face."""
    bells = "".join(
        f'<circle cx="{x}" cy="{y}" r="4" fill="{GOLD}" stroke="{LINE}" stroke-width=".9"/>'
        for x, y in ((30, 62), (52, 30), (79, 58))
    )
    collar = "M36 96L41 108L47 98L53 110L59 98L65 108L70 96Z"
    return (
        '<g transform="translate(10.5 14) scale(.86)">'
        '<circle cx="53" cy="82" r="16.5" fill="#f7d9bd"/>'
        f'<path d="M36 78C32 70 30 62 31 60C35 49 47 52 52 60C44 66 40 72 36 78Z" '
        f'fill="{JOKER_COLOUR}"/>'
        '<path d="M70 78C76 70 79 62 78 57C71 47 58 52 52 60C60 66 66 72 70 78Z" fill="#d9541a"/>'
        '<path d="M52 30C44 42 42 54 44 72C49 69 57 69 62 72C64 54 60 42 52 30Z" fill="#14683f"/>'
        f'<path d="M35.6 80C45 71 61 71 70.4 80V75.4C61 66.4 45 66.4 35.6 75.4Z" fill="{GOLD}"/>'
        f'<path d="{collar}" fill="{JOKER_COLOUR}"/>{bells}'
        f'<path d="M47 82V84M59 82V84M45.6 89Q53 97 60.4 89Z" fill="#fff" stroke="{LINE}" '
        'stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/></g>'
    )


# ---- whole pictures and symbols -----------------------------------------------------------------


def _checked(card: int) -> int:
    return whole_number("card", card, 0, N_CARDS - 1)


def card_svg(card: int) -> str:
    """One card as an SVG picture of its own, to be shown at any size; its title is `TH`, `AS`, `Jo`."""
    number = _checked(card)
    return _picture(CARD_TEXT[number], card_name(number), face(number))


def card_back_svg() -> str:
    """A card's back as an SVG picture of its own."""
    return _picture(FACE_DOWN_TITLE, "a card face down", back())


def _picture(title: str, name: str, drawing: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {CARD_WIDTH} {CARD_HEIGHT}" role="img" '
        f'aria-label="{name}"><title>{title}</title>{drawing}</svg>'
    )


def card_symbols(prefix: str = "card-", cards: Iterable[int | str] | None = None) -> str:
    """A `<symbol>` for each card and for the back, with the ids `card-TH`, `card-Jo`, `card-back`.

    cards: the numbers of those wanted, `BACK` for the back; all of them if it is left out. Put them
    once into the `<defs>` of a page, and draw a card with `<use href="#card-TH" width= height=>`.
    """
    wanted = [*range(N_CARDS), BACK] if cards is None else list(cards)
    return "".join(
        f'<symbol id="{prefix}{BACK if card == BACK else CARD_TEXT[_checked(card)]}" '  # type: ignore[arg-type]
        f'viewBox="0 0 {CARD_WIDTH} {CARD_HEIGHT}">'
        f"{back() if card == BACK else face(int(card))}</symbol>"
        for card in wanted
    )
