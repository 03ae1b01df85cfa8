"""The README's code runs, and its tables are those of the code."""

import json
import re
from fnmatch import fnmatch

import pytest

from hpenv.notation import parse_record, replay
from hpenv.spec import actions_table, observation_table
from places import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


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


def named_files() -> list[str]:
    """The files of the map of the tree, each with its folder."""
    rows = README.split("## Where is what")[1].split("## Results")[0]
    files, folder = [], ""
    for cell in re.findall(r"^\| (`.*?) \|", rows, re.M):
        for name in re.findall(r"`([^`]+)`", cell):
            folder = name[: name.rindex("/") + 1] if "/" in name else folder
            files.append(name if "/" in name else folder + name)
    return files


def test_every_file_on_the_map_exists() -> None:
    for name in named_files():
        assert list(ROOT.glob(name.rstrip("/"))), name


@pytest.mark.parametrize("package", ["hpenv", "agents", "training"])
def test_every_module_is_on_the_map(package: str) -> None:
    for path in (ROOT / package).glob("*.py"):
        if path.name != "__init__.py":
            assert any(fnmatch(f"{package}/{path.name}", name) for name in named_files()), path.name
