"""Where a value was read: a place in a text somebody wrote, or a place in the bytes of a piece."""

from __future__ import annotations

from fiche.kernel.record import record


@record
class Span:
    """A place in a YAML text: file as named by the fiche, line and column counted from 1.

    `text` is the raw scalar as written, so that `2.10` never becomes 2.1 on its way to a reader.
    """

    file: str
    line: int
    column: int
    text: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@record
class Pointer:
    """A place in the bytes of a piece: its sha256, and a line (from 1, counted by LF) or a path.

    `path` is a JSON pointer (RFC 6901) or another locator of the format (`entry 3`, `byte 412`).
    """

    sha256: str
    line: int | None = None
    path: str | None = None
    text: str = ""

    def __str__(self) -> str:
        place = f"line {self.line}" if self.path is None else self.path
        return f"{self.sha256[:12]}#{place}"


Address = Span | Pointer
