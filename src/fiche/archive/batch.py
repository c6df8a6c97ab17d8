"""Many entries into an archive with one wait for the disk: for an import of thousands, not for one addition.

Of a folder the rule stays: a bag is whole on the disk before it is renamed into its place. Bags wait under
`incoming/` until there are enough, one call brings all of them to the disk, and then each lands.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from fiche.archive.entry import Entry
from fiche.archive.founding import INCOMING
from fiche.archive.identity import bag_path
from fiche.archive.local import LocalStore, taken_away
from fiche.archive.refusals import unwritable
from fiche.archive.store import Store
from fiche.kernel.diagnostic import Refused

_MOST = 256
_MOST_BYTES = 256 * 2**20


class Batch:
    """Entries on their way into an archive; `end` or the end of the context lands the last ones.

    `lost` are the ids of those that could not land, for want of room say.
    """

    def __init__(self, store: Store, most: int = _MOST) -> None:
        self._store, self._most = store, most
        self._waiting: dict[str, tuple[Path, Mapping[str, bytes]]] = {}
        self._num_bytes = 0
        self.lost: frozenset[str] = frozenset()
        self._stack = ExitStack()
        # Elsewhere `sync` returns before the disk has it: there each bag waits by itself, as an addition does.
        self._is_local = isinstance(store, LocalStore) and sys.platform == "linux"

    def __enter__(self) -> Batch:
        """Begin."""
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Land what waits, also after a failure; what cannot land goes, and was never added."""
        with self._stack:
            try:
                self.end()
            except Refused:
                if kind is None:
                    raise
            finally:
                self.lost = frozenset(self._waiting)

    def put(self, entry: Entry, files: Mapping[str, bytes | Path]) -> bool:
        """Add an entry; False where it is there already, or on its way.

        Raises:
            Refused: F934 it cannot be written.
        """
        if not self._is_local or not isinstance(self._store, LocalStore):
            return self._store.put(entry, files)
        store = self._store
        if entry.id in self._waiting or (store.root / bag_path(entry.id)).exists():
            return False
        try:
            self._write(store, entry, files)
        except OSError as error:
            raise unwritable(store.where, error) from error
        if len(self._waiting) >= self._most or self._num_bytes >= _MOST_BYTES:
            self.end()
        return True

    def _write(self, store: LocalStore, entry: Entry, files: Mapping[str, bytes | Path]) -> None:
        store.ready(entry.id)
        marker = store.root / INCOMING / f"{entry.id}.{os.urandom(4).hex()}"
        with ExitStack() as stack:
            stack.enter_context(store.unfinished(marker))
            stack.enter_context(taken_away(marker))
            was, store.durable = store.durable, False
            try:
                tags = store.written(marker / entry.id, entry, files)
            finally:
                store.durable = was
            self._stack.push(stack.pop_all())
        self._waiting[entry.id] = (marker, tags)
        self._num_bytes += sum(one.num_bytes for one in entry.files)

    def end(self) -> None:
        """Bring all that waits to the disk at once, and give each bag its place.

        Raises:
            Refused: F934 it cannot be written.
        """
        if not self._waiting or not isinstance(self._store, LocalStore):
            return
        store = self._store
        try:
            if store.durable:
                os.sync()
            was, store.durable = store.durable, False
            try:
                with store.held():
                    for id in [*self._waiting]:
                        marker, tags = self._waiting[id]
                        store.landed(marker, store.root / bag_path(id), tags)
                        del self._waiting[id]
            finally:
                store.durable = was
            if store.durable:
                os.sync()
        except OSError as error:
            raise unwritable(store.where, error) from error
        self._num_bytes = 0
        self._stack.close()
