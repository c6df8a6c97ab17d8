"""A folder against its own SHA256SUMS: which files are as listed, which are not, which nobody lists."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from fiche.kernel.record import record
from fiche.render.sums import NAME

# What `sha256sum` writes: a digest, a space, a space or `*`, a name. A leading `\` marks an escaped name,
# which no file of a report has.
_LINE = re.compile(r"([0-9a-f]{64}) [ *](.+)")
_UNPRINTED = re.compile(r"[\x00-\x1f\x7f\\]")
# A report has tens of files; a list far longer is something else.
_MOST_BYTES = 4 * 2**20
_MOST_OF_A_PDF = 2**29


@record
class Sums:
    """What a list of digests says of the folder it lies in; names as listed, in its order.

    `signed` are PDFs that were listed before somebody signed them: without the signature they are as
    listed. `refused` are lines that are none, or whose name leads out of the folder.
    """

    same: tuple[str, ...] = ()
    signed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    unlisted: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """True where every listed file is there and as listed; files that nobody lists do no harm."""
        return bool(self.same or self.signed) and not (self.changed or self.missing or self.refused)


def is_listed(folder: Path) -> bool:
    """True where the folder has a list of digests."""
    return (folder / NAME).is_file()


def sums_of(folder: Path, unsigned: Callable[[bytes], bytes] = bytes) -> Sums:
    """Compare the folder with its list; `unsigned` gives a PDF's bytes before it was signed.

    No link is followed, and no name is looked up that leads out of the folder.

    Raises:
        OSError: the list, or a file that it names, cannot be read.
    """
    found: dict[str, list[str]] = {}
    named: set[str] = set()
    for line in _lines(folder / NAME):
        parts = _LINE.fullmatch(line)
        if parts is None or not _inside(folder, parts[2]) or parts[2] in named:
            found.setdefault("refused", []).append(line)
            continue
        named.add(parts[2])
        found.setdefault(_state(folder / parts[2], parts[1], unsigned), []).append(parts[2])
    found["unlisted"] = sorted(set(_files(folder)) - named - {NAME})
    return Sums(**{state: tuple(names) for state, names in found.items()})


def _lines(path: Path) -> Iterator[str]:
    with path.open("rb") as stream:
        content = stream.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        yield f"more than {_MOST_BYTES} bytes"
        return
    yield from content.decode("utf-8", "replace").split("\n")[
        : -1 if content[-1:] == b"\n" else None
    ]


def _inside(folder: Path, name: str) -> bool:
    """True for a plain path below the folder that no link leads out of."""
    path = PurePosixPath(name)
    plain = not path.is_absolute() and str(path) == name and ".." not in path.parts
    if not plain or _UNPRINTED.search(name):
        return False
    return not any((folder / each).is_symlink() for each in (path, *path.parents))


def _state(path: Path, sha256: str, unsigned: Callable[[bytes], bytes]) -> str:
    if not path.is_file():
        return "missing"
    with path.open("rb") as stream:
        if hashlib.file_digest(stream, "sha256").hexdigest() == sha256:
            return "same"
    if path.suffix != ".pdf" or path.stat().st_size > _MOST_OF_A_PDF:
        return "changed"
    before = hashlib.sha256(unsigned(path.read_bytes())).hexdigest()
    return "signed" if before == sha256 else "changed"


def _files(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*"):
        if path.is_file() or path.is_symlink():
            yield path.relative_to(folder).as_posix()
