"""A sheet to draw on: cards, words, plates and panels in the colours of a theme, written out as SVG.

Everything is a path or a rectangle of our own: a drawing needs no font, no script and nothing from
outside. What is drawn often is defined once; ids begin with a prefix that comes from the content, so
that many drawings live in one page.
"""

from hashlib import sha256

from hpenv.cards import CARD_TEXT
from hpenv.drawing.cards import (
    BACK,
    CARD_HEIGHT,
    CARD_WIDTH,
    FACE_DOWN_TITLE,
    PAPER,
    back,
    face,
    suit_path,
)
from hpenv.drawing.glyphs import written

# role: its colour on a light sheet and on a dark one
COLOURS = {
    "felt": ("#d5e8dc", "#16382c"),
    "edge": ("#a9c9b6", "#0c241b"),
    "slot": ("#b3d0bf", "#2a5444"),
    "panel": ("#f8fbf9", "#0f2a21"),
    "plate": ("#ffffff", "#244c3d"),
    "call": ("#e9f3ed", "#1d4435"),
    "ink": ("#1b2a23", "#f0f6f2"),
    "muted": ("#4f6358", "#a9c4b6"),
    "turn": ("#f3bd3c", "#f3bd3c"),
    "turn ink": ("#33250a", "#33250a"),
    "tag": ("#5b3fa0", "#b9a3f0"),
    "tag ink": ("#ffffff", "#1f1440"),
    "won": ("#1f7a4d", "#7fdcaa"),
    "led": ("#1b2a23", "#1b2a23"),
    "led ink": ("#ffffff", "#ffffff"),
}
_CLASSES = {role: f"c{number}" for number, role in enumerate(COLOURS)}
PREFIX = "@@"  # stands for the prefix of the ids until the drawing is written out


def words_width(words: str, height: float) -> float:
    """How wide some words are when written `height` high."""
    return written(words)[0] * height / 10


class Shared:
    """What several drawings on one page define once: the cards and the words they use."""

    def __init__(self) -> None:
        self.symbols: dict[str, str] = {}
        self._words: dict[str, str] = {}

    def card(self, card: int | None) -> str:
        """The id of a card's symbol."""
        name = BACK if card is None else CARD_TEXT[card]
        if name not in self.symbols:
            self.symbols[name] = f'<g id="{PREFIX}{name}">{back() if card is None else face(card)}</g>'
        return PREFIX + name

    def words(self, words: str) -> str:
        """The id of some words."""
        text = words.upper()
        if text not in self._words:
            self._words[text] = f"w{len(self._words)}"
            path = written(text)[1]
            self.symbols[self._words[text]] = (
                f'<path id="{PREFIX}{self._words[text]}" d="{path}" fill="none" '
                'stroke-linecap="round" stroke-linejoin="round"/>'
            )
        return PREFIX + self._words[text]

    def definitions(self) -> str:
        """All of it for the `<defs>` of the page."""
        return "".join(self.symbols.values())


class Drawing:
    """One drawing, `width` by `height` units; `dark` None follows the reader's own setting."""

    def __init__(
        self, width: float, height: float, dark: bool | None = None, shared: Shared | None = None
    ) -> None:
        self.width, self.height, self.dark = width, height, dark
        self.shared = shared or Shared()
        self.parts: list[str] = []

    # ---- what can be drawn --------------------------------------------------------------------

    def _paint(self, what: str, role: str | None) -> str:
        if role is None:
            return f'{what}="none"'
        colour = COLOURS[role][bool(self.dark)]
        marked = f' class="{what[0]}{_CLASSES[role]}"' if self.dark is None else ""
        return f'{what}="{colour}"{marked}'

    def box(
        self, x: float, y: float, width: float, height: float, role: str | None, corner: float = 10,
        edge: str | None = None, edge_width: float = 1.5, dashes: str = "",
    ) -> None:  # fmt: skip
        """A rectangle with round corners, filled or only an edge."""
        paint = self._paint("stroke" if role is None else "fill", edge if role is None else role)
        if role is None:
            paint += f' fill="none" stroke-width="{edge_width:g}"'
        if dashes:
            paint += f' stroke-dasharray="{dashes}"'
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{corner:g}" {paint}/>'
        )

    def words(
        self, words: str, x: float, y: float, height: float, role: str = "ink", weight: float = 1.5,
        at: str = "start", most: float = 1000,
    ) -> None:  # fmt: skip
        """Words whose capitals have their top at y and begin, have their middle, or end at x; written
        smaller on the same middle line where they would be wider than `most`."""
        smaller = min(1, most / max(words_width(words, height), 1))
        y += height * (1 - smaller) / 2
        height *= smaller
        x -= words_width(words, height) * {"start": 0, "middle": 0.5, "end": 1}[at]
        self.parts.append(
            f'<use href="#{self.shared.words(words)}" transform="translate({x:.1f} {y:.1f}) '
            f'scale({height / 10:.3g})" {self._paint("stroke", role)} stroke-width="{weight:g}"/>'
        )

    def card(
        self, card: int | None, x: float, y: float, scale: float = 1.0, edge: str | None = None
    ) -> None:
        """A card, None face down, with its top left corner at (x, y); its title is its name."""
        title = FACE_DOWN_TITLE if card is None else CARD_TEXT[card]
        self.parts.append(
            f'<use href="#{self.shared.card(card)}" transform="translate({x:g} {y:g}) '
            f'scale({scale:g})"><title>{title}</title></use>'
        )
        if edge:
            width, height = CARD_WIDTH * scale, CARD_HEIGHT * scale
            self.box(x, y, width, height, None, 9 * scale, edge, 4.5 * max(scale, 0.6))

    def slot(self, x: float, y: float, scale: float) -> None:
        """An empty place for a card."""
        self.box(
            x + 2, y + 2, CARD_WIDTH * scale - 4, CARD_HEIGHT * scale - 4, None, 8 * scale,
            "slot", 1.8, "7 6",
        )  # fmt: skip

    def suit(self, suit: int, x: float, y: float, size: float) -> None:
        """A suit on a disc of paper, with its middle at (x, y): readable on any ground."""
        self.parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{size * 0.78:g}" fill="{PAPER}"/>')
        self.parts.append(suit_path(suit, x, y, size))

    def dot(self, x: float, y: float, radius: float, role: str | None, edge: str) -> None:
        """A round mark, filled or only an edge."""
        self.box(x - radius, y - radius, 2 * radius, 2 * radius, role, radius, edge, 1.7)

    def faded(self, first: int) -> None:
        """Fade all that was drawn since there were `first` parts, as one."""
        self.parts[first:] = [f'<g opacity=".4">{"".join(self.parts[first:])}</g>']

    # ---- writing out --------------------------------------------------------------------------

    def svg(self, label: str, description: str, shown_width: float) -> "Svg":
        """The whole drawing as an SVG document of its own."""
        inside = follow_reader(PREFIX) if self.dark is None else ""
        inside += f"<defs>{self.shared.definitions()}</defs>"
        drawing = self._tagged(f' id="{PREFIX}"', label, description, shown_width, inside)
        return Svg(with_ids(drawing, f"h{sha256(drawing.encode()).hexdigest()[:10]}"))

    def inner_svg(self, label: str, shown_width: float) -> str:
        """The drawing for a page that holds the definitions and the rules for dark pages itself."""
        return self._tagged("", label, "", shown_width, "")

    def _tagged(self, identity: str, label: str, description: str, width: float, inside: str) -> str:
        said = f"<desc>{escaped(description)}</desc>" if description else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg"{identity} viewBox="0 0 {self.width:g} '
            f'{self.height:g}" width="{width:g}" height="{width * self.height / self.width:.0f}" '
            f'role="img" aria-label="{escaped(label)}" style="max-width:100%;height:auto">'
            f"{said}{inside}{''.join(self.parts)}</svg>"
        )


class Svg(str):
    """An SVG picture as text, which a notebook shows as the picture."""

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"<a picture, {len(self):,} characters of SVG>"


class Html(str):
    """A piece of HTML as text, which a notebook shows as the page."""

    def _repr_html_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"<a page, {len(self):,} characters of HTML>"


def with_ids(drawing: str, prefix: str) -> str:
    """The drawing with ids that begin with a prefix."""
    return drawing.replace(PREFIX, prefix)


def follow_reader(root: str) -> str:
    """The rules that turn what is drawn inside the element with the id `root` dark on a dark page."""
    rules = "".join(
        f"#{root} .f{_CLASSES[role]}{{fill:{dark}}}#{root} .s{_CLASSES[role]}{{stroke:{dark}}}"
        for role, (_, dark) in COLOURS.items()
    )
    return f"<style>@media (prefers-color-scheme:dark){{{rules}}}</style>"


def escaped(text: str) -> str:
    """Text as it stands in XML."""
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(sign, entity)
    return text
