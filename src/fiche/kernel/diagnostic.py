"""Errors as values: the only kind of error that reaches a user (law 4)."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.kernel.address import Pointer, Span
from fiche.kernel.record import record


@record
class Diagnostic:
    """One thing that is wrong, where, and what to write instead.

    `code` is stable and documented (`fiche explain F203`); `address` is None only where no file is
    concerned (usage, a missing library). `length` is how many characters the caret underlines.
    """

    code: str
    message: str
    address: Span | Pointer | None
    hint: str = ""
    length: int = 1


class Refused(Exception):  # noqa: N818 - a stage refuses; nothing went wrong in us
    """Raised by a stage that cannot go on: carries all of its diagnostics, sorted by address.

    `folder`, as somebody typed it, is where the files that spans name lie.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic], folder: str = "") -> None:
        """`diagnostics` must hold at least one."""
        self.folder = folder
        self.diagnostics = tuple(sorted(diagnostics, key=_order))
        super().__init__("; ".join(f"{d.code} {d.message}" for d in self.diagnostics))


def _order(diagnostic: Diagnostic) -> tuple[str, int, int, str]:
    address = diagnostic.address
    if isinstance(address, Span):
        return address.file, address.line, address.column, diagnostic.code
    if isinstance(address, Pointer):
        return address.sha256, address.line or 0, 0, diagnostic.code
    return "", 0, 0, diagnostic.code
