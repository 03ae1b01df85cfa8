"""The README's code runs, and its tables are those of the code."""

import json
import re
from pathlib import Path

import pytest

from hpenv.notation import parse_record, replay
from hpenv.pages import actions_table, observation_table

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", README, re.S))
def test_code_runs(code: str) -> None:
    exec(compile(code, "README.md", "exec"), {})


@pytest.mark.parametrize(
    ("name", "table"), [("observation", observation_table()), ("actions", actions_table())]
)
def test_tables_are_printed_by_the_code(name: str, table: str) -> None:
    between = README.split(f"<!-- {name} -->\n")[1].split(f"<!-- /{name} -->")[0]
    assert between.strip() == table.strip()


def test_the_record_shown_is_a_legal_deal() -> None:
    (line,) = re.findall(r"```json\n(.*?)```", README, re.S)
    assert json.loads(line)["points"] == list(replay(parse_record(line)).points or ())


def test_every_file_named_in_the_map_exists() -> None:
    rows = README.split("## Where is what")[1].split("## Results")[0]
    for cell in re.findall(r"^\| (`.*?) \|", rows, re.M):
        folder = ""
        for name in re.findall(r"`([^`]+)`", cell):
            path = name if "/" in name else folder + name
            folder = path[: path.rindex("/") + 1]
            assert list(ROOT.glob(path.rstrip("/"))), path


def test_every_module_is_on_the_map() -> None:
    for package in ("hpenv", "agents", "training"):
        for path in (ROOT / package).glob("*.py"):
            if path.name != "__init__.py":
                stem = path.stem.replace("_bidding", "*").replace("_play", "*")
                assert path.name in README or f"{stem}.py" in README or "rule_based" in stem, path.name
