"""Files are written whole: no reader, link, crash or second writer finds or makes a part of one."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from hpenv.files import write_whole


def test_a_file_is_replaced_and_nothing_else_stays(tmp_path: Path) -> None:
    path = tmp_path / "deal.json"
    write_whole(path, b"one")
    write_whole(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [path]


def test_it_may_be_read_by_whom_the_umask_says(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "file", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


def test_no_link_is_followed(tmp_path: Path) -> None:
    """Neither one at the name itself, which is replaced, nor one at a name guessed for the part."""
    other, path = tmp_path / "other", tmp_path / "file"
    other.write_bytes(b"precious")
    path.symlink_to(other)
    (tmp_path / "file.part").symlink_to(other)
    write_whole(path, b"new")
    assert other.read_bytes() == b"precious"
    assert not path.is_symlink()
    assert path.read_bytes() == b"new"


def test_a_write_that_fails_leaves_the_old_file_and_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_whole(path, b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "file"
    contents = [bytes([number]) * 100_000 for number in range(4)]
    write_whole(path, contents[0])

    def write(data: bytes) -> None:
        for _ in range(10):
            write_whole(path, data)

    writers = [threading.Thread(target=write, args=(data,)) for data in contents]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert path.read_bytes() in contents
    for writer in writers:
        writer.join()
    assert list(tmp_path.iterdir()) == [path]
