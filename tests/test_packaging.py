"""What is built and installed: everything, and nothing outside the package `hpenv`."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

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
