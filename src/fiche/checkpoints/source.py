"""Bytes of a model file, wherever it lies, asked for in parts: headers are read, weights never."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from types import TracebackType
from typing import Protocol

from fiche.checkpoints._refusal import refused


class Source(Protocol):
    """A file of known length that gives any part of itself."""

    name: str

    def length(self) -> int:
        """Bytes of the whole file."""

    def part(self, start: int, count: int) -> bytes:
        """`count` bytes from `start`; fewer only where the file ends before."""


class FileSource:
    """A plain file of the disk, opened for reading only; use it in a `with` block.

    Raises:
        Refused: F807 it is missing, not a plain file, or not readable.
    """

    def __init__(self, path: Path, name: str = "") -> None:
        self.name = name or path.name
        try:
            _plain(path.stat().st_mode, self.name)  # before it is opened: a device may act on that
            self._file = os.fdopen(os.open(path, _READ), "rb", buffering=0)
            state = os.fstat(self._file.fileno())
        except (OSError, ValueError) as error:
            raise _unreadable(self.name, error) from None
        try:
            _plain(state.st_mode, self.name)
        except BaseException:
            self.close()
            raise
        self._length = state.st_size

    def length(self) -> int:
        """Bytes of the file when it was opened."""
        return self._length

    def part(self, start: int, count: int) -> bytes:
        """`count` bytes from `start`; fewer only where the file ends before.

        Raises:
            Refused: F807 the system cannot read them.
        """
        try:
            self._file.seek(start)
            parts: list[bytes] = []
            while count > 0 and (some := self._file.read(count)):
                parts.append(some)
                count -= len(some)
            return parts[0] if len(parts) == 1 else b"".join(parts)
        except OSError as error:
            raise _unreadable(self.name, error) from None

    def close(self) -> None:
        """Give the file back."""
        self._file.close()

    def __enter__(self) -> FileSource:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


# Some files of the system look plain and wait for their next line: reading them must not wait too.
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def exactly(source: Source, start: int, count: int) -> bytes:
    """A part that must be there whole.

    Raises:
        Refused: F807 the file ends before, although it said that it is longer.
    """
    found = source.part(start, count)
    if len(found) != count:
        message = f"it says that it has {source.length()} bytes, and gives fewer"
        raise refused("F807", source.name, message, "it changes while it is read: try again", start)
    return found


def _plain(mode: int, name: str) -> None:
    if not stat.S_ISREG(mode):
        hint = "name a file of the model, not a device or a pipe"
        raise refused("F807", name, "it is no plain file", hint)


def _unreadable(name: str, error: OSError | ValueError) -> Exception:
    why = getattr(error, "strerror", None) or "no such name"
    return refused("F807", name, f"it cannot be read: {why}", "check its name and its permissions")
