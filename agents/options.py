"""Options of agents: `pimc:worlds=100,belief=uniform` as checked numbers and choices."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

PATH = "path"  # the option that is written without its name, as in learned:runs/demo


@dataclass(frozen=True)
class Whole:
    """A whole number from `low` to `high`."""

    default: int
    low: int
    high: int

    def read(self, text: str) -> int:
        is_number = text.isascii() and text.isdigit() and len(text) <= len(str(self.high))
        if not is_number or not self.low <= int(text) <= self.high:
            raise ValueError(f"is not a whole number from {self.low:,} to {self.high:,}")
        return int(text)


@dataclass(frozen=True)
class Number:
    """A number from `low` to `high`, with or without a fraction."""

    default: float
    low: float
    high: float

    def read(self, text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if not self.low <= number <= self.high:  # so nan is an error, too
            raise ValueError(f"is not a number from {self.low:g} to {self.high:g}")
        return number


@dataclass(frozen=True)
class Choice:
    """One of some names."""

    default: str
    names: tuple[str, ...]

    def read(self, text: str) -> str:
        if text not in self.names:
            raise ValueError(f"is not one of {', '.join(self.names)}{near(text, self.names)}")
        return text


@dataclass(frozen=True)
class Words:
    """Any text, such as a path."""

    default: str

    def read(self, text: str) -> str:
        return text


Option = Whole | Number | Choice | Words


def split_options(spec: str, words: str) -> dict[str, str]:
    """`a=1,b=2` as a dictionary of strings; a word without `=` is the option `path`.

    Raises ValueError if an option is given twice. spec: the whole of what was asked for, for messages.
    """
    options: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in words.split(","))):
        key, equals, value = part.partition("=")
        key, value = (key.strip(), value.strip()) if equals else (PATH, key.strip())
        if key in options:
            raise ValueError(f"agent {spec!r}: option {key!r} is given twice")
        options[key] = value
    return options


def read_options(spec: str, given: Mapping[str, str], known: Mapping[str, Option]) -> dict[str, Any]:
    """The value of every known option, as given or else the default.

    Raises ValueError with a sentence for an option that is not known and for a value out of range.
    """
    for key, text in given.items():
        if key not in known:
            raise ValueError(f"agent {spec!r}: {unknown_option(key, text, known)}")
    values: dict[str, Any] = {}
    for key, option in known.items():
        try:
            values[key] = option.read(given[key]) if key in given else option.default
        except ValueError as fault:
            raise ValueError(f"agent {spec!r}: {key}={given[key]!r} {fault}") from None
    return values


def unknown_option(key: str, text: str, known: Mapping[str, Any]) -> str:
    """Says that there is no such option, and which there are."""
    written = text if key == PATH else key
    there_are = f"there are {', '.join(known)}" if known else "it takes none"
    return f"there is no option {written!r} ({there_are}){near(written, known)}"


def near(word: str, words: Mapping[str, Any] | tuple[str, ...]) -> str:
    """`; did you mean worlds?`, or nothing if no word is like it."""
    found = get_close_matches(word, list(words), 1)
    return f"; did you mean {found[0]}?" if found else ""
