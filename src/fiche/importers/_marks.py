"""A look for bytes without which a pattern cannot match: it costs less than compiling the pattern."""

from __future__ import annotations

from collections.abc import Sequence


def marked(content: bytes, marks: Sequence[bytes], start: int = 0, stop: int | None = None) -> bool:
    """True where one of the marks stands in content[start:stop]; False where none does, and none matches."""
    return any(content.find(mark, start, stop) >= 0 for mark in marks)
