"""An archive in a folder: of this disk, or of a network's, where several machines write at once.

A bag is written whole under `incoming/ID.xxxxxxxx/ID`, brought to the disk, and renamed into its place: that
rename is the addition. Then its line is appended, and the folder in `incoming/` goes. Whoever is killed in
between leaves a folder there: with a bag in it, that was never added; without one, the bag is in its place
and only the line may be missing, which readers make good by looking there.

Nothing is locked. `mkdir`, exclusive creation and `rename` are the only steps that must be whole.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from fiche.archive import additions
from fiche.archive.bag import ENTRY, PAYLOAD, TAG_MANIFEST, tag_files
from fiche.archive.document import MOST_BYTES, Document, checked, entry_from, has_own_id
from fiche.archive.entry import Entry, Kept
from fiche.archive.founding import BAGS, INCOMING, found_in, marked
from fiche.archive.identity import bag_path, is_id
from fiche.archive.opened import LinkedError, no_link, own_folders, plain_bytes, plain_digest
from fiche.archive.refusals import (
    damaged,
    named,
    no_archive,
    too_long,
    unknown,
    unreadable,
    unwritable,
)
from fiche.archive.store import MARKER, Added, Store, folder_of
from fiche.kernel.diagnostic import Refused

LANDED = ".landed"
_STEP = 1024 * 1024
# What is longer is copied from where it lies, and no file is held that is longer still.
_LONG, _MOST_HELD = 64 * 2**20, 2**31
_NOT_OF_FOLDERS = (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EACCES, errno.EPERM)


class LocalStore(Store):
    """An archive in a folder."""

    def __init__(self, where: str, id: str, root: Path) -> None:
        super().__init__(where, id)
        self.root = root

    @classmethod
    def at(cls, where: str) -> LocalStore:
        """The archive of a folder; see `Store.opened`."""
        root = folder_of(where)
        try:
            content = plain_bytes(root / MARKER, MOST_BYTES)
        except PermissionError as error:
            raise unreadable(where, error) from None
        except (OSError, ValueError):
            raise no_archive(where) from None
        return cls(where, marked(content, where), root)

    @classmethod
    def new(cls, where: str) -> LocalStore:
        """A new archive; see `Store.made`."""
        root = folder_of(where)
        if os.path.lexists(root / MARKER):
            return cls.at(where)
        try:
            if not found_in(root):
                raise no_archive(where)
        except OSError as error:
            raise unwritable(where, error) from error
        return cls.at(where)

    def put(self, entry: Entry, files: Mapping[str, bytes | Path]) -> bool:
        """Add an entry; see `Store.put`."""
        target = self.root / bag_path(entry.id)
        if target.exists():
            return False
        marker = self.root / INCOMING / f"{entry.id}.{os.urandom(4).hex()}"
        try:
            self.ready(entry.id)
            with self.unfinished(marker), taken_away(marker):
                tags = self.written(marker / entry.id, entry, files)
                with self.held():
                    return self.landed(marker, target, tags)
        except OSError as error:
            raise unwritable(self.where, error) from error

    def ready(self, id: str) -> None:
        """See that a bag can be written, and that it goes into this archive."""
        own_folders(self.root, (INCOMING, BAGS, f"{BAGS}/{id[:2]}"))
        (self.root / INCOMING).mkdir(exist_ok=True)

    def written(
        self, bag: Path, entry: Entry, files: Mapping[str, bytes | Path]
    ) -> Mapping[str, bytes]:
        """The whole bag, on the disk, under another name."""
        tags = tag_files(entry)
        folders = [bag.parent, bag, bag / PAYLOAD]
        for folder in folders:
            folder.mkdir()
        for one in entry.files:
            path = bag / PAYLOAD / one.path
            if path.parent != bag / PAYLOAD:
                path.parent.mkdir(parents=True, exist_ok=True)
                folders += [path.parents[n] for n in range(one.path.count("/"))]
            self._copy(files[one.path], path, one.sha256)
        for name, content in tags.items():
            self._copy(content, bag / name, "")
        for folder in dict.fromkeys(folders):
            self._settle(folder)
        return tags

    def _copy(self, source: bytes | Path, path: Path, sha256: str) -> None:
        """Write one file, and see that it is what its entry says."""
        digest = hashlib.sha256()
        with path.open("xb", buffering=0) as stream:
            for part in _parts(source):
                digest.update(part)
                while part:
                    part = part[stream.write(part) :]
            if self.durable:
                os.fsync(stream.fileno())
        if sha256 and digest.hexdigest() != sha256:
            raise OSError(errno.ESTALE, "a file changed while it was added", str(source)[:200])

    def landed(self, marker: Path, target: Path, tags: Mapping[str, bytes]) -> bool:
        """Rename the bag into its place; False where another writer was first."""
        if not target.parent.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            self._settle(target.parent.parent)
        try:
            (marker / target.name).rename(target)
        except OSError:
            if not target.exists():
                raise
            return False
        with contextlib.suppress(OSError):  # the bag is in its place, whatever comes now
            self._settle(target.parent)
        sha256 = hashlib.sha256(tags[ENTRY]).hexdigest()
        added = Added(id=target.name, path=bag_path(target.name), sha256=sha256)
        try:
            additions.append(self.root / additions.NAME, added, durable=self.durable)
            marker.rmdir()
        except OSError:  # the bag is added: its folder stays behind and tells readers of it
            with contextlib.suppress(OSError):
                marker.rename(marker.with_name(marker.name + LANDED))
        return True

    def _settle(self, folder: Path) -> None:
        """Bring to the disk what the folder holds; some systems know no such thing of a folder."""
        if not self.durable:
            return
        try:
            stream = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(stream)
            finally:
                os.close(stream)
        except OSError as error:
            if error.errno not in _NOT_OF_FOLDERS:
                raise

    def entry(self, id: str) -> Entry:
        """The entry of an id; see `Store.entry`."""
        self.exists(id)
        content = self._tag(id, ENTRY)
        expected = f"{hashlib.sha256(content).hexdigest()}  {ENTRY}\n".encode("ascii")
        if expected not in self._tag(id, TAG_MANIFEST):
            raise damaged(bag_path(id), f"{ENTRY} is not what {TAG_MANIFEST} says")
        return entry_from(_own(id, content))

    def exists(self, id: str) -> None:
        """Nothing, where there is a bag of this id.

        Raises:
            Refused: F932 there is none.
        """
        if not is_id(id) or not (self.root / bag_path(id)).exists():
            raise unknown(id, self.where)

    def added(self, id: str) -> Added:
        """What a line of `additions.jsonl` says of a bag."""
        sha256 = hashlib.sha256(self._tag(id, ENTRY)).hexdigest()
        return Added(id=id, path=bag_path(id), sha256=sha256)

    def _tag(self, id: str, name: str) -> bytes:
        return self._plain(id, name, MOST_BYTES)

    def _plain(self, id: str, name: str, limit: int) -> bytes:
        place, root = f"{bag_path(id)}/{name}", str(self.root)
        try:
            no_link(root, place)
            return plain_bytes(f"{root}/{place}", limit)
        except LinkedError:
            raise damaged(bag_path(id), f"{name} is a link, or no file") from None
        except FileNotFoundError:
            raise damaged(bag_path(id), f"{name} is missing") from None
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise damaged(bag_path(id), f"{name} cannot be read: {why}") from None

    def ids(self) -> Iterator[str]:
        """The id of every bag, in order."""
        for folder in _names(self.root / BAGS):
            for name in _names(self.root / BAGS / folder):
                if is_id(name) and name[:2] == folder:
                    yield name

    def entries(self, ids: Iterable[str] | None = None) -> Iterator[Entry]:
        """Every entry, or some; see `Store.entries`."""
        return map(entry_from, self.documents(ids))

    def documents(self, ids: Iterable[str] | None = None) -> Iterator[Document]:
        """Every entry as it stands in its bag; see `Store.documents`."""
        self.damaged = []
        for id in self.ids() if ids is None else ids:
            try:
                yield _own(id, self._tag(id, ENTRY))
            except Refused as refused:
                self.damaged += refused.diagnostics

    def content(self, id: str, path: str) -> bytes:
        """A file of an entry; see `Store.content`."""
        kept = self._kept(id, path)
        if kept.num_bytes > _MOST_HELD:
            raise too_long(f"{bag_path(id)}/{PAYLOAD}/{path}", _MOST_HELD)
        found = self._plain(id, f"{PAYLOAD}/{path}", kept.num_bytes)
        if hashlib.sha256(found).hexdigest() != kept.sha256:
            raise damaged(bag_path(id), f"{path} has changed since it was added")
        return found

    def source(self, id: str, path: str) -> bytes | Path:
        """A file of an entry, or where a long one lies; see `Store.source`."""
        kept = self._kept(id, path)
        if kept.num_bytes <= _LONG:
            return self.content(id, path)
        place = f"{bag_path(id)}/{PAYLOAD}/{path}"
        try:
            no_link(str(self.root), place)
            same = plain_digest(self.root / place) == kept.sha256
        except OSError as error:
            raise damaged(bag_path(id), f"{path} cannot be read: {error}") from None
        if not same:
            raise damaged(bag_path(id), f"{path} has changed since it was added")
        return self.root / place

    def _kept(self, id: str, path: str) -> Kept:
        kept = next((one for one in self.entry(id).files if one.path == path), None)
        if kept is None:
            raise unknown(f"{id}/{path}", self.where)
        return kept

    def additions(self, offset: int) -> tuple[list[Added], int]:
        """What was added since an offset; see `Store.additions`."""
        found, end = additions.read(self.root / additions.NAME, offset)
        return [*found, *self.unlisted()], end

    def unlisted(self) -> Iterator[Added]:
        """Bags whose writer was killed before their line, and those of an archive copied from elsewhere."""
        for name in (*_names(self.root / INCOMING), *_names(self.root / "additions")):
            id = name[:36]
            if is_id(id) and (self.root / bag_path(id)).exists():
                yield Added(id=id, path=bag_path(id))


def _own(id: str, content: bytes) -> Document:
    """The entry of a bag, which has to be of what the bag is named by."""
    told = named(id, lambda: checked(content))
    if told["id"] != id or not has_own_id(told):
        raise damaged(bag_path(id), "its id is not that of what it holds")
    return told


@contextlib.contextmanager
def taken_away(folder: Path) -> Iterator[None]:
    """A folder that goes however the work on it ends, unless it was renamed by then."""
    try:
        yield
    finally:
        if os.path.lexists(folder):
            from shutil import rmtree

            rmtree(folder, ignore_errors=True)


def _names(folder: Path) -> list[str]:
    """What lies in a folder, by name; nothing where it is none, or a link."""
    try:
        if folder.is_symlink():
            return []
        return sorted(each.name for each in os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _parts(source: bytes | Path) -> Iterator[memoryview]:
    if isinstance(source, bytes):
        yield memoryview(source)
        return
    with source.open("rb") as stream:
        while part := stream.read(_STEP):
            yield memoryview(part)
