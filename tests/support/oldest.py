"""The oldest releases that pyproject.toml admits, as requirements, and what the tests need besides:
`python tests/support/oldest.py`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

EXTRAS = ("play", "pictures", "lab")
TESTING = ("hypothesis", "pytest")


def oldest() -> list[str]:
    """`numpy==2.0` for `numpy>=2.0`, for the required packages and those of some extras."""
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    wanted = [*project["dependencies"]]
    for extra in EXTRAS:
        wanted += project["optional-dependencies"][extra]
    found = [re.match(r"([\w-]+)>=([\w.]+)", requirement) for requirement in wanted]
    return [*sorted({f"{match[1]}=={match[2]}" for match in found if match}), *TESTING]


if __name__ == "__main__":
    print("\n".join(oldest()))
