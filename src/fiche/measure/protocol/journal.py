"""A record on disk while it is made: a journal line by line, then one JSON document.

Every line is appended, flushed and synced before the next step runs, so that a kill, an exhausted
device or a power cut loses no finished phase (C11). Nothing that exists is overwritten (C10).
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def journal_of(path: Path) -> Path:
    """Where the journal of a document lies: beside it, `m.json.journal`."""
    return path.with_name(path.name + ".journal")


class Journal:
    """Lines that are safe once `write` has returned, and the document that takes their place.

    Raises:
        FileExistsError: the document or its journal is there already.
        OSError: the folder cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.journal = journal_of(path)
        if os.path.lexists(path):
            raise FileExistsError(
                17, "it exists already, and no measurement is overwritten", str(path)
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
        self._file = os.open(self.journal, flags, 0o644)
        self._good = 0
        self._owed = b""  # ends of phases that did not fit: they come before any later line
        _sync_folder(path.parent)

    def write(self, event: dict[str, Any], *, owed: bool = False) -> None:
        """Append one line and see it on disk; where it does not fit, nothing of it stays.

        A line that is `owed` is tried again before the next one, so that none stands behind a gap. An
        interruption leaves the line whole or takes it back, too.

        Raises:
            OSError: the disk is full or gone; the lines before it stand.
        """
        text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        lines = self._owed + text.encode("utf-8", "replace") + b"\n"
        try:
            self._append(lines)
        except BaseException:
            self._owed = lines if owed else self._owed
            raise
        finally:
            if os.fstat(self._file).st_size == self._good + len(lines):
                self._good, self._owed = self._good + len(lines), b""
            else:
                self._take_back()

    def foot(self, num_phases: int) -> None:
        """The last line; where it does not fit, the document still may."""
        with contextlib.suppress(OSError):
            self.write({"event": "footer", "phases": num_phases})

    def _append(self, lines: bytes) -> None:
        try:
            _write_whole(self._file, lines)
            os.fsync(self._file)
        except OSError as error:
            self._take_back()
            raise OSError(error.errno, error.strerror, str(self.journal)) from None

    def _take_back(self) -> None:
        with contextlib.suppress(OSError):
            os.ftruncate(self._file, self._good)
            os.lseek(self._file, self._good, os.SEEK_SET)

    def finish(self, document: dict[str, Any]) -> Path:
        """Write the document whole beside the journal, then take the journal away.

        Raises:
            OSError: it cannot be written; the journal stays and holds the same.
        """
        os.close(self._file)
        partial = self.path.with_name(f".{self.path.name[:40]}.{os.getpid()}.partial")
        try:
            _write_file(partial, document)
            _place(partial, self.path)
        except OSError as error:
            held = "what fitted of it" if self._owed else "all that was measured"
            text = f"{error.strerror}; {self.journal} holds {held}"
            raise OSError(error.errno, text, str(self.path)) from None
        finally:
            with contextlib.suppress(OSError):
                partial.unlink()
        with contextlib.suppress(OSError):  # both hold the same
            self.journal.unlink()
        _sync_folder(self.path.parent)
        return self.path

    def discard(self) -> None:
        """Take an empty journal away: nothing was measured."""
        with contextlib.suppress(OSError):
            os.close(self._file)
        with contextlib.suppress(OSError):
            self.journal.unlink()


def _write_whole(file: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(file, view) :]


def _write_file(path: Path, document: dict[str, Any]) -> None:
    """In pieces, so that a record of very many phases does not stand in memory twice."""
    with contextlib.suppress(OSError):
        path.unlink()  # what an earlier process of this very id left; never written through a link
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    file = os.open(path, flags, 0o644)
    try:
        for piece in _pieces(document):
            _write_whole(file, piece)
        os.fsync(file)
    finally:
        os.close(file)


def _pieces(document: dict[str, Any]) -> Iterator[bytes]:
    """The same bytes as of `json.dumps`, some 100 KB each."""
    parts = json.JSONEncoder(ensure_ascii=False, indent=1).iterencode(document)
    while True:
        piece = "".join(itertools.islice(parts, 10_000))
        if not piece:
            break
        yield piece.encode("utf-8", "replace")
    yield b"\n"


def _place(partial: Path, path: Path) -> None:
    """A link refuses an existing name, which a rename would replace; some file systems have no links."""
    try:
        os.link(partial, path)
    except FileExistsError:
        raise FileExistsError(
            17, "it has appeared meanwhile, and is not overwritten", str(path)
        ) from None
    except OSError:
        if os.path.lexists(path):
            raise FileExistsError(17, "it exists already", str(path)) from None
        partial.rename(path)


def _sync_folder(folder: Path) -> None:
    """So that the name is as safe as the content; where the system knows no such thing, as it is."""
    with contextlib.suppress(OSError):
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
