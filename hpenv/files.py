"""Files that are written whole or not at all."""

import os
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that a reader finds the old one or the new one, never a part."""
    temporary = path.with_name(path.name + ".part")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())  # else the new name may reach the disk before what it names
    temporary.replace(path)
