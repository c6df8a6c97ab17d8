"""Reading files of evidence from the command line: all of them, or every reason why not."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from fiche.importers._detect import read
from fiche.importers._opened import MAX_BYTES
from fiche.importers._vocabulary import piece_json
from fiche.kernel.address import Pointer
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.piece import Reading
from fiche.kernel.record import record, replace
from fiche.load.folder import UnreadableError, read_file


@record
class Evidence:
    """A file and what was read from it."""

    file: str
    sha256: str
    num_bytes: int
    reading: Reading

    def json(self) -> dict[str, object]:
        """The piece in the common vocabulary."""
        return piece_json(self.file, self.sha256, self.num_bytes, self.reading)


def read_evidence(files: Sequence[Path], kind: str | None) -> tuple[Evidence, ...]:
    """Read every file.

    Raises:
        Refused: every diagnostic of every file, each naming its file.
    """
    found: list[Evidence] = []
    wrong: list[Diagnostic] = []
    for file in files:
        try:
            found.append(_evidence(file, kind))
        except UnreadableError as problem:
            wrong.append(problem.told)
        except Refused as refused:
            wrong += [_named(file, each) for each in refused.diagnostics]
    if wrong:
        raise Refused(wrong)
    return tuple(found)


def _evidence(file: Path, kind: str | None) -> Evidence:
    content = _content(file)
    sha256 = hashlib.sha256(content).hexdigest()
    reading = read(content, sha256, file.name, kind)
    return Evidence(file=str(file), sha256=sha256, num_bytes=len(content), reading=reading)


def _content(file: Path) -> bytes:
    try:
        return read_file(file, str(file), MAX_BYTES)
    except UnreadableError as problem:
        if problem.code != "F319":
            raise
        message = f"larger than {MAX_BYTES} bytes"
        hint = "keep the part around the failure"
        told = Diagnostic(code="F425", message=message, address=None, hint=hint)
        raise Refused([told]) from None


def _named(file: Path, found: Diagnostic) -> Diagnostic:
    """The same diagnostic with the file's name and place: a digest alone says nothing to people."""
    place = ""
    if isinstance(found.address, Pointer):
        where = found.address
        if where.path is not None:
            place = f"{where.path or '/'}: "
        elif where.line not in (None, 1):
            place = f"line {where.line}: "
    return replace(found, message=f"{file}: {place}{found.message}", address=None)
