"""Reading a file of an archive that may be hostile: a plain file, no link on the way, no more than allowed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
from collections.abc import Iterable
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


def plain_bytes(path: str | Path, limit: int) -> bytes:
    """The bytes of a plain file.

    Raises:
        LinkedError: it is a link or a device.
        ValueError: it is longer than `limit`.
        OSError: the system refuses.
    """
    _length(os.lstat(path), path, limit)
    stream = os.open(path, FLAGS)
    try:
        length = _length(os.fstat(stream), path, limit)
        content = os.read(stream, length + 1)
        while len(content) != length:  # of a long one, or one that is being written, read on
            part = os.read(stream, _STEP)
            if not part:
                break
            content += part
            if len(content) > limit:
                raise ValueError(f"it is longer than {limit} bytes")
    finally:
        os.close(stream)
    return content


_STEP = 2**20


def is_plain(path: Path) -> bool:
    """True for a plain file, and where nothing is."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except FileNotFoundError:
        return True


def own_folders(root: Path, places: Iterable[str]) -> None:
    """See that folders of an archive, where they are, lie in it: what is written there goes nowhere else.

    Raises:
        LinkedError: one is a link, or no folder.
        OSError: the system refuses.
    """
    for place in places:
        with contextlib.suppress(FileNotFoundError):
            if not stat.S_ISDIR(os.lstat(root / place).st_mode):
                raise LinkedError(f"{place} is a link, or no folder")


def plain_digest(path: str | Path) -> str:
    """The sha256 of a plain file of any length, of which a step is held at a time.

    Raises:
        LinkedError: it is a link or a device.
        OSError: the system refuses.
    """
    found = hashlib.sha256()
    stream = os.open(path, FLAGS)
    try:
        _length(os.fstat(stream), path, sys.maxsize)
        while part := os.read(stream, _STEP):
            found.update(part)
    finally:
        os.close(stream)
    return found.hexdigest()


def _length(state: os.stat_result, path: str | Path, limit: int) -> int:
    if not stat.S_ISREG(state.st_mode):
        raise LinkedError(f"{Path(path).name} is no file")
    if state.st_size > limit:
        raise ValueError(f"it is longer than {limit} bytes")
    return state.st_size


def no_link(root: str, place: str) -> None:
    """See that no folder on the way from a root to a place below it is a link.

    Raises:
        LinkedError: one is.
        OSError: the system refuses.
    """
    end = place.find("/")
    while end >= 0:
        folder = place[:end]
        if stat.S_ISLNK(os.lstat(f"{root}/{folder}").st_mode):
            raise LinkedError(f"{folder} is a link")
        end = place.find("/", end + 1)
