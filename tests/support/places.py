"""Where the repository and the tests' own files lie."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
ROOT = TESTS.parent
HANDS = TESTS / "hands"  # deals worked out by hand, a record a line
SOLVED = TESTS / "solved_deals.txt"  # deals with all their answers
SUPPORT = TESTS / "support"
