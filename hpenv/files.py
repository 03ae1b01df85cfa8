"""Files that are written whole or not at all."""

import os
import secrets
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that a reader finds the old one or the new one, never a part.

    The bytes go to a new file beside it that nobody can have foreseen, which then takes its name: a
    link is replaced, not followed, and of two writers the later one wins. Raises OSError.
    """
    temporary = path.with_name(f".{secrets.token_hex(16)}.part")
    file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(file, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())  # else the new name may reach the disk before what it names
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
