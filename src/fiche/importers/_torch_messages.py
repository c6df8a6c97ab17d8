"""Where the messages of torch, its driver and its libraries stand in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fiche.importers import _allocator_grammar, _bare_grammar
from fiche.importers._events import Event, events
from fiche.importers._failure_words import TORCH
from fiche.importers._found import Found
from fiche.importers._reading import prose
from fiche.importers._scan import messages, plain
from fiche.kernel.address import Pointer
from fiche.kernel.piece import NotObserved

_START = re.compile(_allocator_grammar.STARTS + rb"|" + _bare_grammar.STARTS)


def torch_events(content: bytes, sha256: str) -> tuple[list[Event], tuple[NotObserved, ...]]:
    """The failures of a text, and what only looks like one.

    Raises:
        Refused: F427, there are too many.
    """
    aside: list[NotObserved] = []
    return events(content, _found(content, sha256, aside)), tuple(aside)


def certainty(content: bytes) -> int:
    """2 for an allocator's message, which has figures unless it is cut; 1 for a bare word; 0 for none."""
    best = 0
    for found in _found(content, "", []):
        best = 1
        if found.allocator is not None or found.quantities:
            return 2
    return best


def _found(content: bytes, sha256: str, aside: list[NotObserved]) -> Iterator[Found]:
    for message in messages(content, TORCH, _START, sha256):
        draft = _allocator_grammar.read_allocator(message) or _bare_grammar.read_bare(message)
        if draft is None:
            continue
        found = draft.done()
        reason = prose(found.front, bare=not found.quantities)
        if reason is None:
            yield found
        else:
            line = f"{plain(found.front[-200:])} {found.text}"
            pointer = Pointer(sha256=sha256, line=found.line, text=line)
            aside.append(NotObserved(pointer=pointer, text=line, reason=reason))
