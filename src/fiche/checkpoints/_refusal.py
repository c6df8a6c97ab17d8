"""Refusals of this room: what is wrong with which file, at which byte or line, and what to do (law 4)."""

from __future__ import annotations

from fiche.kernel.address import Span
from fiche.kernel.diagnostic import Diagnostic, Refused

_LONGEST = 120
_NAMED = 3


def refused(code: str, file: str, message: str, hint: str, at: int | None = None) -> Refused:
    """A refusal of a binary file, which no line and no digest of its whole can point into."""
    place = "" if at is None else f" at byte {at}"
    told = Diagnostic(
        code=code, message=f"{short(file)}{place}: {message}", address=None, hint=hint
    )
    return Refused([told])


def refused_at(code: str, file: str, text: str, index: int, message: str, hint: str) -> Refused:
    """A refusal of a text, at the character with this index."""
    line = text.count("\n", 0, index) + 1
    column = index - text.rfind("\n", 0, index)
    span = Span(file=file, line=line, column=column)
    return Refused([Diagnostic(code=code, message=message, address=span, hint=hint)])


def short(name: str) -> str:
    """A name as a message shows it: hostile files have endless ones."""
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…"


def some(names: list[str] | tuple[str, ...]) -> str:
    """The first of many names, and how many more there are."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(short(name) for name in names[:_NAMED]) + more


def counted(count: int, noun: str) -> str:
    """`1 tensor`, `2 tensors`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
