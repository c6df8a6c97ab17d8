"""Small JSON files that appear whole or not at all, and are never written over."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_STEP = 2**20


def write_new(path: Path, document: dict[str, Any]) -> bool:
    """Write a document; False where one is there already, which stays as it is.

    Raises:
        OSError: it cannot be written; nothing half-written stays.
    """
    partial = path.with_name(f".{path.name}.{os.urandom(6).hex()}.partial")
    try:
        with partial.open("w", encoding="utf-8") as stream:
            json.dump(document, stream, indent=1)
            stream.write("\n")
            stream.flush()
            os.fsync(stream.fileno())
        return _placed(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def _placed(partial: Path, path: Path) -> bool:
    """A link never replaces what is there; some shared disks know no links, and rename."""
    try:
        os.link(partial, path)
    except FileExistsError:
        return False
    except OSError:
        if path.exists():
            return False
        partial.rename(path)
    return True


def read(path: Path) -> dict[str, Any] | None:
    """The document; None where there is none, or what is there is none."""
    try:
        told = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
    except (OSError, ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) else None


def digest(path: Path) -> str:
    """The sha256 of a file's bytes.

    Raises:
        OSError: it cannot be read.
    """
    found = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_STEP):
            found.update(chunk)
    return found.hexdigest()


@contextlib.contextmanager
def locked(path: Path) -> Iterator[int | None]:
    """Hold the lock of a file as long as the block runs; None where another process holds it.

    The number is the open file's: a child that is handed it holds the lock as well.

    Raises:
        OSError: the file cannot be made.
    """
    number = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        yield number if _lock(number) else None
    finally:
        os.close(number)


def _lock(number: int) -> bool:
    import fcntl

    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a disk without locks: nobody can hold one
    return True


def is_locked(path: Path) -> bool:
    """True where a living process holds the lock of this file."""
    try:
        number = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        return not _lock(number)
    finally:
        os.close(number)
