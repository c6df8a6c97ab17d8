"""An import: one thing after the other, with a count of what became of each, also where it is stopped."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from fiche.archive.batch import Batch
from fiche.archive.below import Lying, below
from fiche.archive.document import document
from fiche.archive.entry import KINDS, Entry, Kept
from fiche.archive.identity import id_of
from fiche.archive.reading import Told, entry_of
from fiche.archive.refusals import refused as refusal
from fiche.archive.store import Store, folder_of, is_remote
from fiche.cli.archive_import_text import Counts, Wrong, import_json, import_text, refused_lines
from fiche.cli.archive_options import guarded, named
from fiche.cli.interrupt import asked_to_end, held
from fiche.cli.output import taken, write_new_file
from fiche.cli.progress import Progress
from fiche.cli.terminal import put_json, put_text
from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import replace
from fiche.load.folder import PIECE_LIMIT, UnreadableError, read_file

# No importer knows the format: what a fiche names is kept with it, and needs none.
_UNKNOWN = ("F420", "F935")


def import_all(
    paths: Sequence[str], archive: str | None, told: Told, refused: Path | None, *, as_json: bool
) -> bool:
    """Take all that lies below the paths; False where something was refused.

    Raises:
        Refused: F930 no archive is named, or something else is there; F610 the file for refusals exists; F963
            nothing lies there; F934 the archive cannot be written: what was added until then stays.
    """
    where = named(archive)
    if refused is not None and os.path.lexists(refused):
        raise Refused([taken(refused)])
    work = _Work(where, told)
    lying = list(below(paths))
    if not lying:
        hint = "hidden files and links are not looked at"
        raise refusal("F963", f"nothing to import lies in {', '.join(paths)}", hint)
    with held():
        try:
            work.all(lying)
        finally:
            _told(work.counts, refused, where, as_json=as_json)
    return not work.counts.wrong


def _told(counts: Counts, refused: Path | None, where: str, *, as_json: bool) -> None:
    """Say what was done, also where it was stopped: what was added is added."""
    if refused is not None and counts.wrong:
        write_new_file(refused, refused_lines(counts))
    if as_json:
        put_json(import_json(counts, where))
    else:
        put_text(import_text(counts, where, refused))


class _Work:
    """An import under way. The archive is made when there is something to put in it."""

    def __init__(self, where: str, told: Told) -> None:
        self._where, self._plain = where, told
        self.counts = Counts()
        self._store: Store | None = None
        self._batch: Batch | None = None
        self._stack = ExitStack()
        self._known: set[str] = set()
        self._new: dict[str, str] = {}
        # Digests of all that a fiche or a report has brought with it.
        self._within: set[str] = set()
        self._unknown: list[tuple[str, str, Refused]] = []

    def all(self, lying: Sequence[Lying]) -> None:
        """Take one thing after the other until there is none, or until asked to end."""
        progress = Progress("importing", len(lying))
        try:
            with self._stack:
                self._find()
                for number, one in enumerate(lying):
                    if asked_to_end():
                        self.counts.left = len(lying) - number
                        break
                    progress.reached(number)
                    self._take(one)
        finally:
            progress.ended()
            lost = self._batch.lost if self._batch is not None else ()
            self.counts.added.subtract(self._new[id] for id in lost)
        self._settle()

    def _find(self) -> None:
        """The archive, where there is one."""
        try:
            self._store = guarded(Store.opened(self._where))
        except Refused as refused:
            if refused.diagnostics[0].code != "F930":
                raise
        else:
            self._known = set(self._store.ids())

    def _into(self) -> Batch:
        """What takes entries into the archive; the first one makes it where there is none."""
        if self._store is None:
            self._store = guarded(Store.made(self._where))
            self.counts.is_made = True
        if self._batch is None:
            self._batch = self._stack.enter_context(Batch(self._store))
        return self._batch

    def _take(self, one: Lying) -> None:
        try:
            if one.why is not None:
                raise one.why
            if one.what == "archive":
                self._merge(one.where)
            elif one.what == "report" or not self._is_there(one.path):
                entry, files = entry_of(one.path, replace(self._plain, source=one.where))
                self._put(entry, files)
        except Refused as refused:
            if refused.diagnostics[0].code == "F934":
                raise
            self._refuse(one, refused)

    def _put(self, entry: Entry, files: Mapping[str, bytes | Path]) -> None:
        is_new = entry.id not in self._known and self._into().put(entry, files)
        self._known.add(entry.id)
        self.counts.took(entry.kind, is_new=is_new)
        if is_new:
            self._new[entry.id] = entry.kind
        if len(entry.files) > 1:
            self._within.update(one.sha256 for one in entry.files)

    def _is_there(self, path: Path) -> bool:
        """True for a file that is an entry already, found by its digest: nothing of it is read again."""
        content = _content(path)
        sha256 = hashlib.sha256(content).hexdigest()
        kept = Kept(path=path.name, num_bytes=len(content), sha256=sha256, media_type="")
        kind = next((kind for kind in KINDS if id_of(kind, [kept]) in self._known), None)
        if kind is not None:
            self.counts.took(kind, is_new=False)
        return kind is not None

    def _refuse(self, one: Lying, refused: Refused) -> None:
        """Note it; a file of no known format may yet turn out to be kept with the fiche that names it."""
        if one.what == "file" and refused.diagnostics[0].code in _UNKNOWN:
            digest = hashlib.sha256(one.path.read_bytes()).hexdigest()
            self._unknown.append((one.where, digest, refused))
        else:
            self.counts.wrong += _wrong(one.where, refused)

    def _settle(self) -> None:
        for where, digest, refused in self._unknown:
            if digest in self._within:
                self.counts.within += 1
            else:
                self.counts.wrong += _wrong(where, refused)

    # --- Another archive ---

    def _merge(self, where: str) -> None:
        """Every entry of another archive, as it is there: by its id, with its own day and words.

        Raises:
            Refused: F964 it is the same archive; what `Store.opened` raises.
        """
        other = Store.opened(where)
        if _same_place(where, self._where):
            raise refusal("F964", f"{where} is the archive itself", "name another one")
        for id in other.ids():
            if asked_to_end():
                return
            try:
                entry = other.entry(id)
                if id in self._known and self._store is not None:
                    self.counts.took(entry.kind, is_new=False)
                    self.counts.otherwise += _differs(self._store, entry)
                else:
                    self._put(entry, _files(other, entry))
            except Refused as refused:
                if refused.diagnostics[0].code == "F934":
                    raise
                self.counts.wrong += _wrong(f"{where}: {id}", refused)


def _same_place(one: str, other: str) -> bool:
    """True for two names of one archive; a copy of it elsewhere may have grown on its own."""
    if is_remote(one) or is_remote(other):
        return one.rstrip("/") == other.rstrip("/")
    return folder_of(one).resolve() == folder_of(other).resolve()


def _content(path: Path) -> bytes:
    try:
        return read_file(path, str(path), PIECE_LIMIT)
    except UnreadableError as problem:
        raise Refused([problem.told]) from None


def _files(other: Store, entry: Entry) -> dict[str, bytes | Path]:
    """The files of an entry, each as its digest says."""
    return {one.path: other.source(entry.id, one.path) for one in entry.files}


def _differs(store: Store, entry: Entry) -> bool:
    """True where the entry of this id says otherwise here: what was said first stays."""
    try:
        return document(store.entry(entry.id)) != document(entry)
    except Refused:  # on its way in this very import
        return False


def _wrong(where: str, refused: Refused) -> Iterator[Wrong]:
    for one in refused.diagnostics:
        yield Wrong.of(where, one)
