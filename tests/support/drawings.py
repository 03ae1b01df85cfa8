"""What a test reads off a drawing: its cards, its words, and that it needs nothing from outside."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any
from xml.etree import ElementTree

from hpenv.cards import N_CARDS, NO_CARD, card_text, set_cards
from hpenv.notation import parse_record, record_text
from hpenv.rulebook import DEAL_OVER
from places import HANDS
from random_deals import positions

SVG = "{http://www.w3.org/2000/svg}"
SPADES_LED = "bid 3, pass, pass, pass, trump H, TS, with partner, Jo, TH, 9H, 9D, JH, QH"
LONERS = (
    "bid 1, bid 2, bid 5, pass, little pepper, pass, big pepper, "
    "trump S, TS, alone, with partner, alone"
)


def some_positions(name: str, seed: int, every: int = 7) -> Any:
    """One position in so many, and every end of a deal."""
    for n, table in enumerate(positions(name, seed, 3)):
        if n % every == seed % every or table.phase == DEAL_OVER:
            yield table


def recorded_deals() -> list[Any]:
    names = ("alone", "auction", "bowers_and_joker", "scoring", "small_games")
    return [
        parse_record(line)
        for name in names
        for line in (HANDS / f"{name}.jsonl").open(encoding="utf-8")
    ]


def titles(svg: str) -> Counter[str]:
    """The titles of all the cards drawn."""
    return Counter(title.text or "" for title in ElementTree.fromstring(svg).iter(f"{SVG}title"))


def cards_at(svg: str) -> list[tuple[str, float, float, float]]:
    """Title, left, top and scale of every card drawn."""
    found = []
    for use in ElementTree.fromstring(svg).iter(f"{SVG}use"):
        title = use.find(f"{SVG}title")
        if title is not None:
            numbers = [float(n) for n in re.findall(r"-?[\d.]+", use.attrib["transform"])]
            found.append((str(title.text), numbers[0], numbers[1], numbers[2]))
    return found


def words_of(svg: str) -> str:
    """The words drawn: found by their shapes."""
    root = ElementTree.fromstring(svg)
    shapes = {e.attrib["id"]: e.attrib["d"] for e in root.iter(f"{SVG}path") if "id" in e.attrib}
    used = [use.attrib["href"][1:] for use in root.iter(f"{SVG}use")]
    return " | ".join(shapes[name] for name in used if name in shapes)


def as_written(record: Any) -> dict[str, Any]:
    return json.loads(record_text(record)) | {"points": None}


def stands_alone(page: str) -> None:
    page = page.replace('xmlns="http://www.w3.org/2000/svg"', "")
    for outside in ("http", "//", "url(", "@import", "src=", "data:", "<image", "<text", "font-family"):
        assert outside not in page
    assert all(link.startswith("#") for link in re.findall(r'href="([^"]*)"', page))


def laid_open(record: Any, hands: list[int], widow: int, discard: int) -> Counter[str]:
    """The cards that a drawing of the whole must show, with those of the trick and of the one before;
    worked out from the history alone."""
    shown: Counter[str] = Counter(card_text(c) for hand in hands for c in set_cards(hand))
    played = [a for a in record.history[: record.history_length] if a < N_CARDS]
    last = int(record.tricks_played) + (record.cards_in_trick > 0 and record.phase != DEAL_OVER)
    wanted = {last} if record.phase == DEAL_OVER else {last, last - 1}
    if record.phase != DEAL_OVER and record.cards_in_trick == 0:
        wanted = {last}
    shown.update(card_text(c) for c in played if record.played_in[c] in wanted)
    shown.update(card_text(c) for c in (widow, discard) if c != NO_CARD)
    return shown
