"""Files that a fiche names: inside its folder, plain, not longer than allowed (law 7)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple, Protocol

from fiche.kernel.diagnostic import Diagnostic

YAML_LIMIT = 4 * 2**20
PIECE_LIMIT = 256 * 2**20


class UnreadableError(Exception):
    """Why a file cannot be used: `code` is that of the diagnostic, with a message and a hint."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint

    @property
    def told(self) -> Diagnostic:
        """The diagnostic of a file that nothing but the command line names."""
        return Diagnostic(code=self.code, message=self.message, address=None, hint=self.hint)


class Folder(Protocol):
    """Where the files that a fiche names lie; names have forward slashes."""

    def read(self, name: str, limit: int) -> bytes:
        """Return the bytes of a file of at most `limit` bytes.

        Raises:
            UnreadableError: it lies outside (F317), cannot be read (F318) or is too long (F319).
        """


class DiskFolder(NamedTuple):
    """A folder of the disk; links may lead anywhere inside it and nowhere else."""

    root: Path

    def read(self, name: str, limit: int) -> bytes:
        """Return the bytes of a file below the folder; see `Folder.read`."""
        inside(name)
        root = self.root.resolve()
        try:
            path = (root / name).resolve()
        except (OSError, RuntimeError):
            raise UnreadableError(
                "F318", f"'{name}' cannot be followed", "a link leads in a circle"
            ) from None
        if not path.is_relative_to(root):
            raise UnreadableError("F317", f"'{name}' leads out of the fiche's folder", _COPY)
        return read_file(path, name, limit)


def followed(path: Path) -> Path:
    """The file that a link leads to: what it names lies beside it, not beside the link."""
    try:
        return path.resolve() if path.is_symlink() else path
    except (OSError, RuntimeError):  # in a circle: reading it says so
        return path


def inside(name: str) -> None:
    """Refuse a name that is not plainly a path below a folder.

    Raises:
        UnreadableError: it is absolute, has a drive or a backslash, or climbs with `..` (F317).
    """
    parts = PurePosixPath(name).parts
    if "\\" in name:
        raise UnreadableError(
            "F317", f"'{name}' holds a backslash", "write it with forward slashes"
        )
    if name.startswith("/") or ".." in parts or name[1:2] == ":" or not parts:
        raise UnreadableError("F317", f"'{name}' leads out of the fiche's folder", _COPY)


_COPY = "copy the file beside the fiche and name it from there"


def read_file(path: Path, name: str, limit: int) -> bytes:
    """Return the bytes of a plain file, having read at most one byte more than allowed.

    Raises:
        UnreadableError: it cannot be read (F318) or is too long (F319).
    """
    with open_file(path, name) as file:
        content = _content(file, os.fstat(file.fileno()).st_size, limit)
    if len(content) > limit:
        raise UnreadableError("F319", f"'{name}' is longer than {limit // 2**20} MiB", "split it")
    return content


@contextmanager
def open_file(path: Path, name: str) -> Iterator[BinaryIO]:
    """A plain file, open for reading.

    Raises:
        UnreadableError: it cannot be opened, or reading it fails inside the block (F318).
    """
    with _told(name, OSError, ValueError):
        _plain(path.stat().st_mode, name)  # before it is opened: a device may act on that
        file = os.fdopen(os.open(path, _READ), "rb")
    with _told(name, OSError), file:
        _plain(os.fstat(file.fileno()).st_mode, name)
        yield file


@contextmanager
def _told(name: str, *errors: type[Exception]) -> Iterator[None]:
    """Say in our words why the system does not let a file be read."""
    try:
        yield
    except FileNotFoundError:
        raise UnreadableError(
            "F318",
            f"'{name}' does not exist",
            "check the name; what a fiche names starts at its folder",
        ) from None
    except errors as error:
        why = getattr(error, "strerror", None)
        message = f"'{name}' cannot be read" + (f": {why}" if why else "")
        raise UnreadableError("F318", message, "check its name and its permissions") from None


# Some files of the system look plain and wait for their next line: reading them must not wait too.
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_STEP = 2**20


def _plain(mode: int, name: str) -> None:
    if not stat.S_ISREG(mode):
        raise UnreadableError(
            "F318", f"'{name}' is no file", "name a file, not a folder or a device"
        )


def _content(file: BinaryIO, size: int, limit: int) -> bytes:
    """No more memory than the file has bytes, and one step more where it says less than it has."""
    content = file.read(min(size, limit) + 1) or b""
    while len(content) <= limit and (more := file.read(_STEP)):
        content += more
    return content
