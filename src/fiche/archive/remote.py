"""An archive behind a URL that fsspec knows: objects written once, never renamed and never appended to.

Whoever first creates `fiche-entry.json` has claimed the bag; everything else in it follows from those bytes, so
whoever goes on with it, after a crash or at the same moment, writes the very same. The object
`additions/ID.json` comes last: with it the bag is added, without it a later `add` of the same finishes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from fiche.archive import additions
from fiche.archive.bag import ENTRY, PAYLOAD, TAG_MANIFEST, tag_files
from fiche.archive.document import MOST_BYTES, document_bytes, read_entry
from fiche.archive.entry import Entry
from fiche.archive.founding import marked, marker_bytes
from fiche.archive.identity import bag_path, is_id, is_own
from fiche.archive.refusals import damaged, named, no_archive, refused, unknown, unwritable
from fiche.archive.store import MARKER, Added, Store
from fiche.archive.texts import ROOT_README
from fiche.kernel.diagnostic import Refused
from fiche.load.memory import within

ADDITIONS = "additions"
# Memory beside so many times of what an object may hold.
_BESIDE, _FACTOR = 2**30, 4
T = TypeVar("T")


class RemoteStore(Store):
    """An archive behind a URL."""

    def __init__(self, where: str, id: str, system: Any, root: str) -> None:  # noqa: ANN401 - of fsspec
        super().__init__(where, id)
        self._system, self._root = system, root

    @classmethod
    def at(cls, where: str) -> RemoteStore:
        """The archive of a URL; see `Store.opened`."""
        system, root = _reached(where)
        content = _asked(where, lambda: _read(system, f"{root}{MARKER}", MOST_BYTES))
        if content is None:
            raise no_archive(where)
        return cls(where, marked(content, where), system, root)

    @classmethod
    def new(cls, where: str) -> RemoteStore:
        """A new archive; see `Store.made`."""
        system, root = _reached(where)

        def make() -> bool:
            if not system.exists(f"{root}{MARKER}"):
                if system.exists(root) and system.ls(root, detail=False):
                    return False
                system.makedirs(root, exist_ok=True)
                system.pipe_file(f"{root}README.txt", ROOT_README)
                _created(system, f"{root}{MARKER}", marker_bytes())
            return True

        if not _asked(where, make):
            raise no_archive(where)
        return cls.at(where)

    def put(self, entry: Entry, files: Mapping[str, bytes | Path]) -> bool:
        """Add an entry; see `Store.put`."""
        listed = f"{self._root}{ADDITIONS}/{entry.id}.json"
        if self._ask(lambda: self._system.exists(listed)):
            return False
        bag = f"{self._root}{bag_path(entry.id)}"
        own = document_bytes(entry)
        is_new = self._ask(lambda: _created(self._system, f"{bag}/{ENTRY}", own))
        if not is_new:
            entry, own = self._claimed(entry, own)
        for one in entry.files:
            content = _checked(files[one.path], one.sha256, self.where)
            self._write(f"{bag}/{PAYLOAD}/{one.path}", content)
        for name, content in tag_files(entry, own).items():
            if name != ENTRY:
                self._write(f"{bag}/{name}", content)
        sha256 = hashlib.sha256(own).hexdigest()
        added = Added(id=entry.id, path=bag_path(entry.id), sha256=sha256)
        return (
            self._ask(lambda: _created(self._system, listed, additions.line_of(added))) and is_new
        )

    def _claimed(self, entry: Entry, own: bytes) -> tuple[Entry, bytes]:
        """What the writer who was first said of the entry; ours where that was cut off while it was written.

        Raises:
            Refused: F931 a newer fiche wrote it.
        """
        try:
            found = self._plain(entry.id, ENTRY, MOST_BYTES)
            return self._own(entry.id, found), found
        except Refused as refused:
            if refused.diagnostics[0].code not in ("F933", "F941"):
                raise
        self._write(self._at(entry.id, ENTRY), own)
        return entry, own

    def _write(self, path: str, content: bytes) -> None:
        """Write an object; some systems want its folder made, the others know none."""

        def write() -> None:
            self._system.makedirs(path.rpartition("/")[0], exist_ok=True)
            self._system.pipe_file(path, content)

        self._ask(write)

    def _ask(self, ask: Callable[[], T]) -> T:
        return _asked(self.where, ask)

    def entry(self, id: str) -> Entry:
        """The entry of an id; see `Store.entry`."""
        if not is_id(id) or not self._ask(lambda: self._system.exists(self._at(id, ENTRY))):
            raise unknown(id, self.where)
        content = self._plain(id, ENTRY, MOST_BYTES)
        expected = f"{hashlib.sha256(content).hexdigest()}  {ENTRY}\n".encode("ascii")
        if expected not in self._plain(id, TAG_MANIFEST, MOST_BYTES):
            raise damaged(bag_path(id), f"{ENTRY} is not what {TAG_MANIFEST} says")
        return self._own(id, content)

    def _at(self, id: str, name: str) -> str:
        return f"{self._root}{bag_path(id)}/{name}"

    def _own(self, id: str, content: bytes) -> Entry:
        entry = named(id, lambda: read_entry(content))
        if entry.id != id or not is_own(entry):
            raise damaged(bag_path(id), "its id is not that of what it holds")
        return entry

    def _plain(self, id: str, name: str, limit: int) -> bytes:
        found = self._ask(lambda: _read(self._system, self._at(id, name), limit))
        if found is None:
            raise damaged(bag_path(id), f"{name} is missing, or longer than it may be")
        return found

    def ids(self) -> Iterator[str]:
        """The id of every bag that was added, in order; one that was only begun is none."""
        added = {one.id for one in self.additions(0)[0]}
        for folder in self._names("bags"):
            for id in self._names(f"bags/{folder}"):
                if is_id(id) and (id in added or self._is_whole(id)):
                    yield id

    def _is_whole(self, id: str) -> bool:
        return bool(self._ask(lambda: self._system.exists(self._at(id, TAG_MANIFEST))))

    def _names(self, folder: str) -> list[str]:
        def names() -> list[str]:
            self._system.invalidate_cache()
            try:
                found = self._system.ls(f"{self._root}{folder}", detail=False)
            except FileNotFoundError:
                return []
            return sorted({str(each).rstrip("/").rpartition("/")[2] for each in found} - {""})

        return self._ask(names)

    def entries(self, ids: Iterable[str] | None = None) -> Iterator[Entry]:
        """Every entry, or some; see `Store.entries`."""
        self.damaged = []
        for id in self.ids() if ids is None else ids:
            try:
                yield self._own(id, self._plain(id, ENTRY, MOST_BYTES))
            except Refused as refusal:
                self.damaged += refusal.diagnostics

    def content(self, id: str, path: str) -> bytes:
        """A file of an entry; see `Store.content`."""
        kept = next((one for one in self.entry(id).files if one.path == path), None)
        if kept is None:
            raise unknown(f"{id}/{path}", self.where)
        found = self._plain(id, f"{PAYLOAD}/{path}", kept.num_bytes)
        if hashlib.sha256(found).hexdigest() != kept.sha256:
            raise damaged(bag_path(id), f"{path} has changed since it was added")
        return found

    def additions(self, offset: int) -> tuple[list[Added], int]:
        """Every addition, and how many there are; see `Store.additions`."""
        named = (name.removesuffix(".json") for name in self._names(ADDITIONS))
        found = {id: Added(id=id, path=bag_path(id)) for id in named if is_id(id)}
        lines = self._ask(lambda: _lines(self._system, f"{self._root}{additions.NAME}"))
        for one in additions.parsed(lines.splitlines()):
            if one is not None:
                found.setdefault(one.id, one)
        return list(found.values()), len(found)


def _reached(where: str) -> tuple[Any, str]:
    """The file system of a URL, and what the path of everything in it begins with.

    Raises:
        Refused: F936 there is no such protocol, or its package is missing.
    """
    from fsspec.core import url_to_fs

    try:
        system, root = url_to_fs(where)
    except ImportError as error:
        hint = "install the package that fsspec names, beside fiche"
        raise refused("F936", f"{where}: {_one_line(error)}", hint) from None
    except Exception as error:  # noqa: BLE001 - whatever the package of a protocol raises
        hint = "a folder, or a URL of fsspec: s3://…, gs://…, sftp://…, memory://…"
        raise refused("F936", f"{where} cannot be used: {_one_line(error)}", hint) from None
    plain = str(root).rstrip("/")
    # What lies at the root of a packed file, say, is found by no name that begins with a stroke.
    return system, f"{plain}/" if plain else ""


def _asked(where: str, ask: Callable[[], T]) -> T:
    """What the other side answers; what keeps it from answering is one refusal."""
    try:
        return ask()
    except Refused:
        raise
    except PermissionError as error:
        raise unwritable(where, error) from None
    except Exception as error:  # noqa: BLE001 - whatever the package of a protocol raises
        hint = "check the address, the network and who may use it"
        raise refused("F936", f"{where} does not answer: {_one_line(error)}", hint) from None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _read(system: Any, path: str, limit: int) -> bytes | None:  # noqa: ANN401 - of fsspec
    """The bytes of an object of at most `limit` bytes; None where it is missing or longer."""
    try:
        found = _begin(system, path, limit)
    except (FileNotFoundError, IsADirectoryError):
        return None
    return None if len(found) > limit else found


def _begin(system: Any, path: str, limit: int) -> bytes:  # noqa: ANN401 - of fsspec
    """Of what the other side sends, which may be without an end whatever is asked for."""
    with within(_BESIDE + _FACTOR * limit):
        return bytes(system.cat_file(path, start=0, end=limit + 1))


def _lines(system: Any, path: str) -> bytes:  # noqa: ANN401 - of fsspec
    """What an archive that was copied there says of its additions; nothing where it says nothing.

    Raises:
        Refused: F943 it is longer than any.
    """
    try:
        found = _begin(system, path, additions.MOST)
    except (FileNotFoundError, IsADirectoryError):
        return b""
    if len(found) > additions.MOST:
        raise additions.unusable(f"it is longer than {additions.MOST // 2**20} MiB")
    return found


def _created(system: Any, path: str, content: bytes) -> bool:  # noqa: ANN401 - of fsspec
    """Create an object; False where there is one. A system that cannot do both at once does one by one."""
    if system.exists(path):
        return False
    system.makedirs(path.rpartition("/")[0], exist_ok=True)
    try:
        system.pipe_file(path, content, mode="create")
    except FileExistsError:
        return False
    except (TypeError, NotImplementedError, ValueError):
        system.pipe_file(path, content)
    return True


def _checked(source: bytes | Path, sha256: str, where: str) -> bytes:
    content = source if isinstance(source, bytes) else source.read_bytes()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise unwritable(where, OSError(116, "a file changed while it was added"))
    return content
