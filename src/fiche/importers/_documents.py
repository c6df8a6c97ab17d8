"""JSON documents of a tool in one file: one, one a line, or one behind words of a shell."""

from __future__ import annotations

from collections.abc import Sequence

from fiche.importers._json import NotJsonError, not_json, pointer, value_of
from fiche.importers._sheet import Sheet
from fiche.kernel.address import Pointer
from fiche.kernel.lazy import lazy
from fiche.kernel.record import record
from fiche.kernel.said import tell

_BEGINS = lazy(rb"(?m)^\s{0,40}[\[{]")
MAX_DOCUMENTS = 100_000


@record
class Document:
    """One document; `line` is None where it is the only one, whose paths need no line."""

    value: object
    line: int | None = None

    def place(self, sha256: str, path: Sequence[str | int], value: object) -> Pointer:
        """The place of a value in it."""
        return pointer(sha256, path, value, self.line)


@record
class Documents:
    """All documents of a file, and what was left out around them."""

    all: tuple[Document, ...]
    in_front: int = 0
    cut: bool = False

    def notes(self, sheet: Sheet) -> None:
        """Say what is no part of the reading."""
        if self.in_front:
            sheet.warn(
                tell(
                    "words_in_front: {in_front} lines in front of the JSON are no part of it and left out",
                    in_front=self.in_front,
                )
            )
        if self.cut:
            sheet.warn(
                tell("truncated: the last document breaks off; what it did not print is not known")
            )


def documents(content: bytes, sha256: str, what: str) -> Documents:
    """The documents of a file.

    Raises:
        Refused: none can be read whole (F428); `what` names the file's kind.
    """
    start = _BEGINS.search(content)
    at = start.end() - 1 if start is not None else 0
    line = content.count(b"\n", 0, at) + 1
    try:
        one = Document(
            value=value_of(content[at:].rstrip(b"\x00 \r\n\t")), line=line if line > 1 else None
        )
        return Documents(all=(one,), in_front=line - 1)
    except NotJsonError as error:
        many = _lines(content, at, line)
        if not many.all:
            whole = NotJsonError(str(error), error.line + line - 1)
            raise not_json(whole, sha256, what) from None
        return many


def _lines(content: bytes, at: int, line: int) -> Documents:
    """One document a line; every line that begins one must be whole, but for the last."""
    found: list[Document] = []
    cut = False
    for number, text in enumerate(content[at:].split(b"\n"), line):
        if not text.lstrip().startswith((b"{", b"[")) or len(found) >= MAX_DOCUMENTS:
            continue
        if cut:
            return Documents(all=())
        try:
            found.append(Document(value=value_of(text), line=number))
        except NotJsonError:
            cut = True
    return Documents(all=tuple(found), in_front=line - 1, cut=cut)
