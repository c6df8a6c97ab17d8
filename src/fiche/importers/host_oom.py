"""Host memory that ran out: the CPU allocator's message, and processes that the system killed.

Never a device fact: none of it says anything about the memory of a card (DESIGN 4).
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.importers._events import Event, events
from fiche.importers._failure_words import HOST, KILLED, anchors
from fiche.importers._host_messages import host_messages
from fiche.importers._opened import opened, opened_head
from fiche.importers._reading import reading_of
from fiche.importers._unsupported import nothing_found
from fiche.kernel.diagnostic import Refused
from fiche.kernel.doors import Importer
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell


def read(content: bytes, sha256: str) -> Reading:
    """Every failure for lack of host memory, in order, repeats counted.

    Raises:
        Refused: the file holds none (F424, or F421 naming a format that is not read yet).
    """
    text = opened(content, sha256)
    found = events(text, host_messages(text, sha256))
    if not found:
        raise nothing_found(text, sha256, "a failure for lack of host memory")
    return reading_of("host_oom", sha256, found, (), _warnings)


def _warnings(event: Event) -> Iterator[str]:
    if event.complete is False:
        yield tell("truncated: the message breaks off; what it did not print is not known")


def accepts(head: bytes, name: str) -> int:
    """85 where host memory is named, 40 for a killed process whose reason is not."""
    text = opened_head(head)
    try:
        if next(host_messages(text, "", HOST), None) is not None:
            return 85
        return 40 if next(host_messages(text, "", KILLED), None) is not None else 0
    except Refused:
        return 40  # too many to tell: reading says so


MEMBER = Importer(
    name="host_oom",
    title="Host memory that ran out",
    accepts=accepts,
    read=read,
    anchors=anchors(HOST + KILLED),
    log=True,
)
