"""Refusals of this room: one diagnostic with a place in the piece's bytes (law 4)."""

from __future__ import annotations

from fiche.kernel.address import Pointer
from fiche.kernel.diagnostic import Diagnostic, Refused


def diagnostic(
    code: str,
    message: str,
    sha256: str,
    *,
    line: int | None = None,
    path: str | None = None,
    hint: str = "",
) -> Diagnostic:
    """A diagnostic at a line or JSON pointer of a piece; without either, at its first line."""
    line = 1 if line is None and path is None else line
    pointer = Pointer(sha256=sha256, line=line, path=path)
    return Diagnostic(code=code, message=message, address=pointer, hint=hint)


def refused(
    code: str,
    message: str,
    sha256: str,
    *,
    line: int | None = None,
    path: str | None = None,
    hint: str = "",
) -> Refused:
    """The exception that carries one such diagnostic."""
    return Refused([diagnostic(code, message, sha256, line=line, path=path, hint=hint)])
