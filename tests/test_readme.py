"""The README's code runs, and its tables are those of the code."""

import doctest
import json
import re

import pytest

from hpenv.notation import parse_record, replay
from hpenv.spec import actions_table, observation_table
from hpenv.training.clients.table import CLIENTS, clients_table
from places import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", README, re.S))
def test_code_runs(code: str) -> None:
    exec(compile(code, "README.md", "exec"), {})


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("observation", observation_table()),
        ("actions", actions_table()),
        ("clients", clients_table()),
    ],
)
def test_tables_are_printed_by_the_code(name: str, table: str) -> None:
    between = README.split(f"<!-- {name} -->\n")[1].split(f"<!-- /{name} -->")[0]
    assert between.strip() == table.strip()


def test_every_client_has_its_example() -> None:
    folder = ROOT / "training/clients"
    examples = {path.stem for path in folder.glob("*.py")} - {"__init__", "table", "speed"}
    assert examples == {client.example for client in CLIENTS}


def test_the_record_shown_is_a_legal_deal() -> None:
    (line,) = re.findall(r"```json\n(.*?)```", README, re.S)
    assert json.loads(line)["points"] == list(replay(parse_record(line)).points or ())


def on_the_map() -> list[str]:
    """The files and folders of the map of the tree, each with its folder in front."""
    rows = README.split("## Where is what")[1].split("\n## ")[0]
    names, folder = [], ""
    for cell in re.findall(r"^\| (`.*?) \|", rows, re.M):
        for written in re.findall(r"`([^`]+)`", cell):
            top = written.split("/")[0] + "/"
            folder = top if (ROOT / top).is_dir() else folder
            names.append(written if folder == top else folder + written)
    return names


def test_what_is_on_the_map_exists() -> None:
    for name in on_the_map():
        assert (ROOT / name).exists(), name


def test_every_module_of_the_game_and_every_folder_is_on_the_map() -> None:
    """The game's own files one by one, agents and training by folder."""
    modules = {f"hpenv/{path.name}" for path in (ROOT / "hpenv").glob("*.py")} - {"hpenv/__init__.py"}
    folders = {f"{path.parent.relative_to(ROOT)}/" for path in ROOT.glob("*/*/__init__.py")}
    expected = modules | {name for name in folders if name not in ("hpenv/agents/", "hpenv/training/")}
    assert expected <= set(on_the_map())


def test_the_session_at_the_top_runs_as_it_is_shown() -> None:
    (session,) = re.findall(r"```pycon\n(.*?)```", README, re.S)
    test = doctest.DocTestParser().get_doctest(session, {}, "README.md", "README.md", 0)
    runner = doctest.DocTestRunner()
    runner.run(test)
    assert len(test.examples) >= 7
    assert not runner.failures


def test_documents_point_to_what_exists() -> None:
    """Links between the documents, and to their headings."""
    documents = {path.name: path.read_text(encoding="utf-8") for path in ROOT.glob("*.md")}
    for name, text in documents.items():
        for target in re.findall(r"\]\(([^)]+)\)", text):
            if target.startswith("https://"):
                continue
            file, _, heading = target.partition("#")
            assert not file or (ROOT / file).exists(), f"{name}: {target}"
            headings = re.findall(r"^#+ (.*)$", documents.get(file or name, ""), re.M)
            slugs = {re.sub(r"[^\w -]", "", line).lower().replace(" ", "-") for line in headings}
            assert not heading or heading in slugs, f"{name}: {target}"
