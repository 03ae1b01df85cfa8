"""The page in the browser, put together from its parts into one that needs nothing from outside."""

import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path

from hpenv.agents.agent import AGENTS
from hpenv.agents.human.offers import OPPONENTS
from hpenv.agents.human.words import PRESET_WORDS
from hpenv.cards import SUITS
from hpenv.drawing.canvas import COLOURS
from hpenv.drawing.cards import PAPER, SUIT_COLOURS, SUIT_PATHS, card_symbols
from hpenv.rules import PRESETS

PARTS = Path(__file__).parent / "page"
SCRIPTS = ("table.js", "tricks.js", "windows.js", "analysis.js", "play.js", "keys.js")


@cache
def page() -> tuple[bytes, str]:
    """The page, and the policy it is served under: its own style and script and nothing else."""
    style = _colours() + _part("page.css")
    script = "(() => {\n" + "".join(_part(name) for name in SCRIPTS) + "})();"
    lists = {
        "agents": list(AGENTS),
        "opponents": [offer._asdict() for offer in OPPONENTS],
        "presets": {
            name: {"rules": rules.differences(), "words": PRESET_WORDS[name]}
            for name, rules in PRESETS.items()
        },
    }
    html = _part("page.html")
    for place, content in (
        ("STYLE", style),
        ("SYMBOLS", card_symbols() + _suit_symbols()),
        ("LISTS", json.dumps(lists)),
        ("SCRIPT", script),
    ):
        html = html.replace(f"@{place}@", content)
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        f"connect-src 'self'; img-src data:; script-src {_hash(script)}; style-src {_hash(style)}"
    )
    return html.encode(), policy


def _part(name: str) -> str:
    return (PARTS / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _colours() -> str:
    """The colours of the pictures as variables of the style."""
    light, dark = (
        "".join(f"--{role.replace(' ', '-')}:{pair[i]};" for role, pair in COLOURS.items())
        for i in range(2)
    )
    suits = "".join(f"--{suit}:{SUIT_COLOURS[i]};" for i, suit in enumerate(SUITS))
    return (
        f":root{{color-scheme:light dark;--paper:{PAPER};{suits}{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
    )


def _suit_symbols() -> str:
    return "".join(
        f'<symbol id="suit-{suit}" viewBox="-11 -11 22 22">'
        f'<path d="{SUIT_PATHS[i]}" fill="{SUIT_COLOURS[i]}"/></symbol>'
        for i, suit in enumerate(SUITS)
    )
