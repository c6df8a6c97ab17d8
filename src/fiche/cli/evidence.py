"""Reading files of evidence from the command line: all of them, or every reason why not."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, BinaryIO, TypeVar, cast

from fiche.importers._intake import MOST_UNPACKED, SHORT, take_in
from fiche.importers._vocabulary import piece_json
from fiche.kernel.address import Pointer
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.piece import Reading
from fiche.kernel.record import record, replace
from fiche.load.folder import PIECE_LIMIT, UnreadableError, open_file, read_file
from fiche.load.pieces import DOCUMENT_KINDS

_STANDARD_INPUT = "-"
DOCUMENT = "document"
# Where a refusal stands that is of the file and of no line of it.
_WHOLE = (None, 1)
_STEP = 1024 * 1024
_LOOK_EVERY = 64 * _STEP
# What is left free in the folder of temporary files: others write there too.
_KEPT_FREE = 256 * _STEP


@record
class Evidence:
    """A file and what was read from it; `redacted` says what was replaced before, None: nobody asked."""

    file: str
    sha256: str
    num_bytes: int
    reading: Reading
    redacted: Redactions | None = None

    def json(self) -> dict[str, object]:
        """The piece in the common vocabulary."""
        found = piece_json(self.file, self.sha256, self.num_bytes, self.reading)
        return found if self.redacted is None else {**found, "redacted": self.redacted.counts}


@record
class Redactions:
    """How many different things of each kind were replaced, and how often each kind stood there."""

    counts: Mapping[str, int]
    places: Mapping[str, int]


@record
class Wrong:
    """What keeps one file from being read: `told` with its place, `shown` with the file's name for people."""

    file: str
    told: Diagnostic
    shown: Diagnostic

    def json(self) -> dict[str, object]:
        """Code, words and place, for programs."""
        where = self.told.address
        place: dict[str, object] = {}
        if isinstance(where, Pointer) and where.path is not None:
            place = {"path": where.path}
        elif isinstance(where, Pointer) and where.line not in _WHOLE:
            place = {"line": where.line}
        words = {"code": self.told.code, "message": self.told.message, "hint": self.told.hint}
        return {"file": self.file, **words, **place}


T = TypeVar("T")


def each_read(
    files: Sequence[Path], read: Callable[[Path], T]
) -> tuple[tuple[T, ...], tuple[Wrong, ...]]:
    """What `read` makes of each file that it can read, and what is wrong with the others."""
    found: list[T] = []
    wrong: list[Wrong] = []
    for file in files:
        try:
            found.append(read(file))
        except UnreadableError as problem:
            wrong.append(Wrong(file=str(file), told=problem.told, shown=problem.told))
        except Refused as refused:
            wrong += [
                Wrong(file=str(file), told=each, shown=_named(file, each))
                for each in refused.diagnostics
            ]
    return tuple(found), tuple(wrong)


def read_evidence(
    files: Sequence[Path], kind: str | None
) -> tuple[tuple[Evidence, ...], tuple[Wrong, ...]]:
    """Read every file that can be read; `-` is standard input, read to its end."""
    with ExitStack() as stack:
        given = _StandardInput(stack)
        return each_read(files, lambda file: _evidence(file, kind, given))


def _evidence(file: Path, kind: str | None, given: _StandardInput) -> Evidence:
    """What people read is shown as a document, whatever it is to be in a fiche."""
    asked = DOCUMENT if kind in DOCUMENT_KINDS else kind
    if str(file) == _STANDARD_INPUT:
        taken = take_in(given.spooled(MOST_UNPACKED), "", asked)
    else:
        with open_file(file, str(file)) as content:
            taken = take_in(_bounded(content, file), file.name, asked)
    reading = taken.reading
    if asked != kind:
        reading = replace(reading, kind=kind)
    return Evidence(file=str(file), sha256=taken.sha256, num_bytes=taken.num_bytes, reading=reading)


def _bounded(content: BinaryIO, file: Path) -> BinaryIO:
    """The same file; one of the system's, which tells no length and may have no end, up to a bound."""
    if os.fstat(content.fileno()).st_size:
        return content
    return io.BytesIO(read_file(file, str(file), PIECE_LIMIT))


class Contents:
    """The whole bytes of files typed on the command line; `-` is standard input, read to its end."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._given = _StandardInput(self._stack)

    def __enter__(self) -> Contents:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def of(self, file: Path, limit: int) -> bytes:
        """The bytes of one file.

        Raises:
            Refused: F475, as for `read_evidence`.
            UnreadableError: it cannot be read (F318) or has more than `limit` bytes (F319).
        """
        if str(file) != _STANDARD_INPUT:
            return read_file(file, str(file), limit)
        return self._given.spooled(limit).read()


class _StandardInput:
    """What is piped into the command: read once, kept in memory while short and in a file beyond."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._was_read = False

    def spooled(self, limit: int) -> BinaryIO:
        """All of it, to be read from its start.

        Raises:
            Refused: F475, it is a terminal, or it was named before.
            UnreadableError: reading or keeping it fails, or there is no room for it (F318); it has more than
                `limit` bytes (F319).
        """
        import tempfile

        if self._was_read:
            raise _no_input("standard input is named twice", "name it once")
        if sys.stdin is None or sys.stdin.isatty():
            hint = "pipe a log into it: PROGRAM 2>&1 | fiche import -"
            raise _no_input("standard input is a terminal: there is nothing to read", hint)
        self._was_read = True
        spool = tempfile.SpooledTemporaryFile(max_size=SHORT)  # noqa: SIM115 - the stack closes it
        self._stack.enter_context(spool)
        try:
            _keep(spool, limit)
        except OSError as error:
            message = f"standard input cannot be read or kept: {error.strerror}"
            raise UnreadableError("F318", message, "write it to a file and name that") from None
        spool.seek(0)
        return cast("BinaryIO", spool)


def _keep(spool: IO[bytes], limit: int) -> None:
    """Copy standard input, as long as it may be and there is room for it."""
    from shutil import disk_usage
    from tempfile import gettempdir

    total = 0
    while part := sys.stdin.buffer.read(min(_STEP, limit + 1 - total)):
        total += len(part)
        if total > limit:
            told = f"standard input is longer than {limit // 2**20} MiB"
            raise UnreadableError("F319", told, "write it to a file and keep what matters")
        # In memory up to there; in a file beyond.
        if total > SHORT and total % _LOOK_EVERY < len(part):
            folder = gettempdir()
            if disk_usage(folder).free < _KEPT_FREE:
                told = f"standard input is too long for {folder}, where it is kept: the disk is almost full"
                hint = "write it to a file and name that, or name another folder in TMPDIR"
                raise UnreadableError("F318", told, hint)
        spool.write(part)


def _no_input(message: str, hint: str) -> Refused:
    return Refused([Diagnostic(code="F475", message=message, address=None, hint=hint)])


def _named(file: Path, found: Diagnostic) -> Diagnostic:
    """The same diagnostic with the file's name and place: a digest alone says nothing to people."""
    place = ""
    if isinstance(found.address, Pointer):
        where = found.address
        if where.path is not None:
            place = f"{where.path or '/'}: "
        elif where.line not in _WHOLE:
            place = f"line {where.line}: "
    return replace(found, message=f"{file}: {place}{found.message}", address=None)
