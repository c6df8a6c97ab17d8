"""One archive behind one face: a local folder, or whatever a URL of fsspec leads to.

The bags are the truth. A bag is there whole or not at all; `additions` only helps an index to catch up.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from fiche.archive.document import Document, document
from fiche.archive.entry import Entry
from fiche.kernel.diagnostic import Diagnostic
from fiche.kernel.record import record

MARKER = "fiche-archive.json"
FORMAT = "fiche-archive/1"
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(?:::[^/]*)*://")


@record
class Added:
    """A bag that was added: its id, its path below the archive, and the digest of its `fiche-entry.json`.

    `sha256` is empty where nobody noted it: an archive behind a URL, a bag whose line is missing.
    """

    id: str
    path: str
    sha256: str = ""


class Store(ABC):
    """An archive: `where` is as somebody typed it, `id` its own.

    `damaged` collects what `entries` passed over. `durable` is False only where somebody measures: then
    nothing waits for the disk. `unfinished` and `held` are what the command line hands in, to end well when it
    is asked to: a folder that goes unless it was renamed, and steps that belong together.
    """

    where: str
    id: str
    damaged: list[Diagnostic]
    durable: bool = True

    def __init__(self, where: str, id: str) -> None:
        self.where, self.id, self.damaged = where, id, []
        self.unfinished: Callable[[Path], AbstractContextManager[object]] = nullcontext
        self.held: Callable[[], AbstractContextManager[object]] = nullcontext

    @staticmethod
    def opened(where: str) -> Store:
        """The archive that is there.

        Raises:
            Refused: F930 there is none; F931 it is of a newer format; F936 its URL leads nowhere.
        """
        if is_remote(where):
            from fiche.archive.remote import RemoteStore

            return RemoteStore.at(where)
        from fiche.archive.local import LocalStore

        return LocalStore.at(where)

    @staticmethod
    def made(where: str) -> Store:
        """A new archive, in a folder that is empty or not there yet; the one that is there, if one is.

        Raises:
            Refused: F930 something else is there; F931, F936 as `opened`; F934 it cannot be written.
        """
        if is_remote(where):
            from fiche.archive.remote import RemoteStore

            return RemoteStore.new(where)
        from fiche.archive.local import LocalStore

        return LocalStore.new(where)

    @abstractmethod
    def put(self, entry: Entry, files: Mapping[str, bytes | Path]) -> bool:
        """Add an entry with its files, by their paths; False where it is there already.

        Raises:
            Refused: F934 it cannot be written, or a file is not what the entry says any more.
        """

    @abstractmethod
    def entry(self, id: str) -> Entry:
        """The entry of an id.

        Raises:
            Refused: F932 there is none; F933 its bag is damaged; F931, F941 it cannot be read.
        """

    @abstractmethod
    def ids(self) -> Iterator[str]:
        """The id of every bag."""

    @abstractmethod
    def entries(self, ids: Iterable[str] | None = None) -> Iterator[Entry]:
        """Every entry, or those of some ids, one at a time; of those that cannot be read `damaged` says why."""

    def documents(self, ids: Iterable[str] | None = None) -> Iterator[Document]:
        """The same as JSON that was checked: all that an index needs, in half the time."""
        return map(document, self.entries(ids))

    @abstractmethod
    def content(self, id: str, path: str) -> bytes:
        """A file of an entry, as its digest says it was.

        Raises:
            Refused: F932 there is no such entry or file; F933 its bytes have changed; F319 it is too long.
        """

    def source(self, id: str, path: str) -> bytes | Path:
        """The same, or the place of a long one, which is not held in memory."""
        return self.content(id, path)

    @abstractmethod
    def additions(self, offset: int) -> tuple[list[Added], int]:
        """What was added since an offset, and the offset to ask from next; the same may be told twice.

        Behind a URL every addition is told every time: only the ids that are new to an index need a look.
        """


def is_remote(where: str) -> bool:
    """True for a URL that is no folder of this machine."""
    return _URL.match(where) is not None and not where.startswith(("file://", "local://"))


def folder_of(where: str) -> Path:
    """The folder of this machine that a name or a `file://` URL means."""
    for scheme in ("file://", "local://"):
        if where.startswith(scheme):
            return Path(where.removeprefix(scheme))
    return Path(where)
