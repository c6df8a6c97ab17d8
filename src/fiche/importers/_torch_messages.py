"""Where the messages of torch, its driver and its libraries stand in a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fiche.importers import _allocator_grammar, _bare_grammar
from fiche.importers._events import Event, events
from fiche.importers._failure_words import TORCH
from fiche.importers._found import Found
from fiche.importers._prose import DOCUMENTATION, Document
from fiche.importers._scan import Message, messages, plain
from fiche.kernel.address import Pointer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import NotObserved
from fiche.kernel.said import tell

# torch 2.13 (CUDACachingAllocator.cpp, PR #180946) warns of each request that the driver turns down, in
# exact bytes, before it frees its cache and asks again: thousands of lines in a run that goes well.
_ATTEMPT = (
    rb"(?P<attempt>memoryallocationfailedwithOOMondevice\d{1,3}whiletryingtoallocate\d{1,20}bytes)"
)
# Any of them starts with one of these letters: most places of a text are passed over by that alone.
_START = lazy(
    rb"(?=[ACFHMNOPTUXZchmr])(?:"
    + rb"|".join((_allocator_grammar.STARTS, _bare_grammar.STARTS, _ATTEMPT))
    + rb")"
)
_PROBE = lazy(rb"failed to allocate [^\n]{1,80}from device: ?$")


def torch_events(content: bytes, sha256: str) -> tuple[list[Event], tuple[NotObserved, ...]]:
    """The failures of a text, and what only looks like one.

    Raises:
        Refused: F427, there are too many.
    """
    aside: list[NotObserved] = []
    return events(content, _found(content, sha256, aside)), tuple(aside)


def certainty(content: bytes) -> int:
    """2 for an allocator's message, which has figures unless it is cut; 0 for none.

    1 for a bare word, and for a message with figures that people only name.
    """
    best, aside = 0, list[NotObserved]()
    for found in _found(content, "", aside):
        best = 1
        if found.allocator is not None or found.quantities:
            return 2
    return best or int(names_one(aside))


def names_one(aside: Iterable[NotObserved]) -> bool:
    """True where people name a message with its figures."""
    return any(text.reason == DOCUMENTATION and _FIGURE.search(text.text) for text in aside)


_FIGURE = lazy(r"allocate \d[\d.]{0,12} ?(?:[KMG]i?B|bytes)")


def _found(content: bytes, sha256: str, aside: list[NotObserved]) -> Iterator[Found]:
    attempts: list[Message] = []
    count = 0
    document = Document(content)
    for message in messages(content, TORCH, _START, sha256, harmless="attempt"):
        if message.match["attempt"] is not None:
            count += 1
            attempts = [*attempts[:1], message]
            continue
        draft = _allocator_grammar.read_allocator(message) or _bare_grammar.read_bare(message)
        if draft is None:
            continue
        found = draft.done()
        reason = _no_failure(found, document)
        if reason is None:
            yield found
        else:
            line = f"{plain(found.front[-200:])} {found.text}"
            pointer = Pointer(sha256=sha256, line=found.line, text=line)
            aside.append(NotObserved(pointer=pointer, text=line, reason=reason))
    if attempts:
        aside.append(_attempts(attempts, count, sha256))


def _no_failure(found: Found, document: Document) -> str | None:
    """Why a message tells of no failure of the program; None where it does."""
    if found.shape == "driver-code" and _PROBE.search(found.front[-160:]):
        return "TensorFlow tries how much its growing allocator can get: no failure of the program"
    return document.named(found)


_TRIED = lazy(rb"[^\n]{0,120}?bytes(?: ?\([^()\n]{1,80}\))?")


def _attempts(shown: list[Message], count: int, sha256: str) -> NotObserved:
    """The allocator's warnings of a run, told once."""
    first, last = shown[0], shown[-1]
    line = _TRIED.match(plain(first.content[first.start : first.start + 400]).encode())
    text = line[0].decode() if line else first.shown(first.match.end())
    reason = tell("an attempt, after which the allocator frees its cache and asks again")
    if count > 1:
        reason = tell(
            "an attempt, after which the allocator frees its cache and asks again, {count} times, the last on "
            "line {line}",
            count=count,
            line=str(last.line),
        )
    return NotObserved(
        pointer=Pointer(sha256=sha256, line=first.line, text=text),
        text=text,
        reason=reason,
    )
