"""`additions.jsonl`: one line a bag, in the order of adding. A hint, never the truth.

A line is appended by one write, so writers need no lock. What a killed writer or a full disk cut off is no
line: readers pass over it, and the next writer begins a line of its own.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from fiche.archive.identity import bag_path, is_id
from fiche.archive.opened import FLAGS, LinkedError, is_plain
from fiche.archive.refusals import refused
from fiche.archive.store import Added
from fiche.kernel.diagnostic import Refused

NAME = "additions.jsonl"
# One line of it: what is longer was not written by fiche.
_LONGEST = 4096
_STEP = 1024 * 1024
# Lines of a million and a half bags: what is longer is not held in memory.
MOST = 256 * 2**20
_APPENDING = (
    os.O_RDWR
    | os.O_APPEND
    | os.O_CREAT
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)


def line_of(added: Added) -> bytes:
    """The line of a bag."""
    told = {"id": added.id, "path": added.path, "sha256": added.sha256}
    return json.dumps(told, separators=(",", ":")).encode("ascii") + b"\n"


def append(file: Path, added: Added, *, durable: bool) -> None:
    """Append one line, whole."""
    stream = os.open(file, _APPENDING, 0o666)
    try:
        if not stat.S_ISREG(os.fstat(stream).st_mode):
            raise LinkedError(f"{file.name} is no file")
        content = line_of(added)
        if _is_torn(stream):
            content = b"\n" + content
        while content:
            content = content[os.write(stream, content) :]
        if durable:
            os.fsync(stream)
    finally:
        os.close(stream)


def _is_torn(stream: int) -> bool:
    """True where the last line has no end: somebody was killed while writing it."""
    length = os.fstat(stream).st_size
    if not length:
        return False
    os.lseek(stream, length - 1, os.SEEK_SET)
    return os.read(stream, 1) != b"\n"


def read(file: Path, offset: int) -> tuple[list[Added], int]:
    """The lines from an offset on, and where the last whole one ends; from the start where the file shrank.

    Raises:
        Refused: F943 it is a link or no file, or longer than any.
    """
    if not is_plain(file):
        raise unusable("it is a link, or no file")
    try:
        stream = os.open(file, FLAGS)
    except FileNotFoundError:
        return [], 0
    with os.fdopen(stream, "rb") as lines:
        length = os.fstat(stream).st_size
        offset = 0 if offset > length else offset
        if length - offset > MOST:
            raise unusable(f"it is longer than {MOST // 2**20} MiB")
        lines.seek(offset)
        content = lines.read()
    whole = content[: content.rfind(b"\n") + 1]
    return [one for one in parsed(whole.splitlines()) if one is not None], offset + len(whole)


def unusable(why: str) -> Refused:
    """F943."""
    hint = "take it away, and have it made anew from the bags: fiche archive check --repair"
    return refused("F943", f"{NAME} cannot be used: {why}", hint)


def every(file: Path) -> Iterator[Added | None]:
    """Every line of the file, one at a time; None for one that is none. A link is no such file."""
    for _, line in _lines(file):
        yield from parsed((line,))


def _lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """Each line with the offset at which it stands; a very long one in parts, none of which is a line."""
    try:
        if not is_plain(file):
            return
        stream = os.open(file, FLAGS)
    except OSError:
        return
    with os.fdopen(stream, "rb") as content:
        offset = 0
        while line := content.readline(_STEP):
            yield offset, line
            offset += len(line)


def blanked(file: Path, is_bag: Callable[[str], bool]) -> tuple[int, set[str]]:
    """Blank every line that is none, says the same again, or is of no bag: how many, and the ids that are left.

    Each line keeps its place and length, so that what is being appended meanwhile is not disturbed.
    """
    listed: set[str] = set()
    dead: list[tuple[int, int]] = []
    for offset, line in _lines(file):
        if not line.strip():
            continue
        one = next(parsed((line,)))
        if one is None or one.id in listed or not is_bag(one.id):
            dead.append((offset, len(line) - line.endswith(b"\n")))
        else:
            listed.add(one.id)
    if dead:
        stream = os.open(file, os.O_WRONLY | getattr(os, "O_BINARY", 0))
        try:
            for offset, length in dead:
                os.lseek(stream, offset, os.SEEK_SET)
                os.write(stream, b" " * length)
        finally:
            os.close(stream)
    return len(dead), listed


def parsed(lines: Iterable[bytes]) -> Iterator[Added | None]:
    """Each line that is not blank; None for one that is none."""
    for line in lines:
        if line.strip():
            yield _added(line) if len(line) <= _LONGEST else None


def _added(line: bytes) -> Added | None:
    try:
        told = json.loads(line)
        id, sha256 = told["id"], told.get("sha256", "")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if not isinstance(id, str) or not is_id(id) or not isinstance(sha256, str):
        return None
    # The path follows from the id: a line never leads anywhere else.
    return Added(id=id, path=bag_path(id), sha256=sha256)
