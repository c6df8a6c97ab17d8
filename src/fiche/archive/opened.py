"""Reading a file of an archive that may be hostile: a plain file, no link on the way, no more than allowed."""

from __future__ import annotations

import os
import stat
from pathlib import Path


class LinkedError(OSError):
    """A link, a device or another thing that is no plain file."""


FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


def plain_bytes(path: Path, limit: int, within: Path | None = None) -> bytes:
    """The bytes of a plain file; with `within`, no folder between there and the file is a link either.

    Raises:
        LinkedError: something on the way is a link, or the file is none.
        ValueError: it is longer than `limit`.
        OSError: the system refuses.
    """
    if within is not None:
        for folder in path.relative_to(within).parents:
            if (within / folder).is_symlink() and str(folder) != ".":
                raise LinkedError(f"{folder} is a link")
    state = os.lstat(path)
    if not stat.S_ISREG(state.st_mode):
        raise LinkedError(f"{path.name} is no file")
    if state.st_size > limit:
        raise ValueError(f"it is longer than {limit} bytes")
    stream = os.open(path, FLAGS)
    with os.fdopen(stream, "rb") as file:
        if not stat.S_ISREG(os.fstat(stream).st_mode):
            raise LinkedError(f"{path.name} is no file")
        content = file.read(limit + 1)
    if len(content) > limit:
        raise ValueError(f"it is longer than {limit} bytes")
    return content
