"""What is built and installed: everything, and nothing outside the package `hpenv`."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from hpenv.extras import EXTRA_OF, how_to_install
from places import ROOT

FOLDERS = {"hpenv": "hpenv", "agents": "hpenv/agents", "training": "hpenv/training"}


def build(source: Path, kind: str, into: Path) -> Path:
    """A wheel or sdist of the project in `source`."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(into)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (built,) = into.iterdir()
    return built


def sources() -> set[str]:
    """Every file of the three folders, as it is called once it is installed."""
    made = {".pyc", ".nbi", ".nbc"}
    return {
        f"{installed}/{path.relative_to(ROOT / folder).as_posix()}"
        for folder, installed in FOLDERS.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix not in made
    }


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist, unpacked."""
    into = tmp_path_factory.mktemp("sdist")
    with tarfile.open(build(ROOT, "sdist", into)) as archive:
        archive.extractall(into, filter="data")
    (unpacked,) = (path for path in into.iterdir() if path.is_dir())
    return unpacked


def test_wheels_hold_the_whole_package_and_nothing_beside_it(tmp_path: Path, sdist: Path) -> None:
    """Built from the repository and from the sdist. Other distributions also install a top-level
    `agents`: whatever both install, the later one overwrites and either one deletes."""
    for place, source in (("repository", ROOT), ("sdist", sdist)):
        with zipfile.ZipFile(build(source, "wheel", tmp_path / place)) as wheel:
            names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        assert names == sources(), place


def test_the_sdist_holds_real_folders(sdist: Path) -> None:
    for folder in ("agents", "training"):
        assert (sdist / "hpenv" / folder).is_dir()
        assert not (sdist / "hpenv" / folder).is_symlink()
        assert not (sdist / folder).exists()


# ---- what is needed -----------------------------------------------------------------------------

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DISTRIBUTION = {"PIL": "pillow", "resvg_py": "resvg-py"}  # where it is not called as it is imported


def names(requirements: list[str]) -> set[str]:
    """The distributions, without their releases."""
    return {re.split(r"[<>=\[]", requirement)[0] for requirement in requirements}


def test_each_package_is_in_the_extra_that_the_sentence_names() -> None:
    extras = PROJECT["optional-dependencies"]
    for package, extra in EXTRA_OF.items():
        assert DISTRIBUTION.get(package, package) in names(extras[extra]), package
    assert how_to_install("torch.nn") == "torch, which is not installed: pip install 'hpenv[train]'"
    assert how_to_install("frobnitz") == "frobnitz, which is not installed: pip install frobnitz"


def test_what_the_code_imports_is_required_or_in_an_extra() -> None:
    """All but the frameworks of hpenv/clients and training/clients, which have lists of their own."""
    known = names(PROJECT["dependencies"]) | set(EXTRA_OF) | {"hpenv", "llvmlite"}
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            if "clients" in path.parts:
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                used = []
                if isinstance(node, ast.Import):
                    used = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom):
                    used = [str(node.module)]
                tops = {name.partition(".")[0] for name in used}
                assert tops <= known | sys.stdlib_module_names, f"{path}: {tops}"


WITHOUT_EXTRAS = """
import sys
for package in {packages}: sys.modules[package] = None
import gymnasium, hpenv
from hpenv import hasenpfeffer_v0, hasenpfeffer_parallel_v0
from hpenv.agents import ask, make_agent
hpenv.deal(seed=1).step("bid 3")
hpenv.Batch(2)
for env in (hasenpfeffer_v0.env(render_mode="ansi"), hasenpfeffer_parallel_v0.parallel_env()):
    env.reset(seed=1)
gymnasium.make("hpenv:Hasenpfeffer-v0").reset(seed=1)
ask("rule_based", hpenv.view_of(hpenv.deal(seed=1, dealer="N"), "E"))
try:
    make_agent("learned")
except ModuleNotFoundError as error:
    print(error)
"""


def test_engine_environments_and_agents_need_no_extra() -> None:
    code = WITHOUT_EXTRAS.format(packages=sorted(EXTRA_OF))
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.stdout == f"agent 'learned' needs {how_to_install('torch')}\n", run.stderr
