"""A file of any length as evidence: short ones whole, logs of many gigabytes as the excerpt that matters.

The digest is that of the bytes as received. What fits in `SHORT` bytes of text is read whole; beyond, the
head decides: a running log goes through a sieve in constant memory, a document (JSON, a pickle, a table) is
read whole up to `_opened.MAX_BYTES`.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple

from fiche.importers import _detect, _opened
from fiche.importers._ahead import ahead
from fiche.importers._costly import is_costly
from fiche.importers._excerpt import BARRIER, BLANK_BARRIER, Excerpt
from fiche.importers._limited import within_budget
from fiche.importers._opened import opened, opened_head, packed_once, unpacked_note
from fiche.importers._packed import PORTION, packing_of, portions, unpacked
from fiche.importers._pickle_opcodes import long_texts
from fiche.importers._refusal import refused
from fiche.importers._sieve import HEAD, Sieve
from fiche.importers._sought import sought
from fiche.importers._text import LOOKED_AT, encoding_of, transcoded
from fiche.importers._unsupported import not_supported, unsupported
from fiche.kernel import secrets
from fiche.kernel.diagnostic import Refused
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.record import replace
from fiche.kernel.said import tell

SHORT = 16 * 1024 * 1024
# A log that unpacks to more, or to so many times its length, is no log.
MOST_UNPACKED = 64 * 1024 * 1024 * 1024
_MOST_TIMES = 2_000
_ALWAYS_MAY = 128 * 1024 * 1024
_STEP = 4 * 1024 * 1024
_PICKLE = lazy(rb"\x80[\x02-\x05]")
# Deeper than any program nests what it writes.
_DEEP = lazy(rb"(?:\s{0,200}+[\[{]){300}")
_NOT_DEEP = "copy the file again; no program writes that"
_LINE = lazy(r"line [0-9]+: ")
_DOCUMENT = lazy(
    rb"\s{0,4096}(?:[{\[]\s{0,4096}(?:[\"{}\[\]]|-?\d{1,40}(?:\.\d{1,40})?\s{0,40},)|<[?!\w])"
)
_TAGGED = lazy(rb"\[\d{1,5},\d{1,5}\]<std")
_JSON_LINES = lazy(rb'\{[^\n]{0,65536}\}[ \t]{0,8}\r?\n\{"')
# A document of its own: from here on an importer is sure.
_UNMISTAKABLE = 80


class Taken(NamedTuple):
    """What was taken in: the digest and length of the bytes as received, and their reading."""

    sha256: str
    num_bytes: int
    reading: Reading


def take_in(file: BinaryIO, name: str, kind: str | None) -> Taken:
    """Read a file that can be rewound, from its start.

    Raises:
        Refused: what its importer refuses; broken, endless or doubly packed data (F425, F426, F473, F474);
            a document that is too long (F425); a log with too much to keep (F470); a reader that took too
            much memory or time (F471, F472).
    """
    content = file.read(SHORT + 1) or b""
    if len(content) <= SHORT and not _unpacks_to_more(content):
        return _whole(content, name, kind)
    file.seek(0)
    head = opened_head(content)
    if _is_log(head[:HEAD], name, kind):
        return _log(file, name, kind)
    return _whole(_all(file, head), name, kind)


def _unpacks_to_more(content: bytes) -> bool:
    """True for packed bytes whose text is not short; what is broken is left to the reading of it."""
    packing = packing_of(content)
    if packing is None:
        return False
    total = 0
    with contextlib.suppress(Refused):
        for part in unpacked(portions(content), packing, ""):
            total += len(part)
            if total > SHORT:
                return True
    return False


def _whole(content: bytes, name: str, kind: str | None) -> Taken:
    sha256 = hashlib.sha256(content).hexdigest()
    text = opened(content, sha256)
    if _DEEP.match(text):
        raise refused("F428", "a document of JSON: nested too deep", sha256, hint=_NOT_DEEP)
    reading = within_budget(
        lambda: _detect.read(text, sha256, name, kind), len(text), sha256, apart=is_costly(text)
    )
    notes = (*unpacked_note(content), *_secrets(text))
    return Taken(sha256, len(content), _noted(reading, notes))


def _secrets(text: bytes) -> tuple[str, ...]:
    """What looks like a secret; a pickle has no lines, and only its texts can hold one."""
    if _PICKLE.match(text) is None:
        return secrets.warnings(text)
    return tuple(_LINE.sub("in a text: ", told) for told in secrets.warnings(long_texts(text)))


def _noted(reading: Reading, notes: tuple[str, ...]) -> Reading:
    return replace(reading, warnings=(*reading.warnings, *notes)) if notes else reading


def _all(file: BinaryIO, head: bytes) -> bytes:
    """The whole of a file that is no log, as received."""
    parts, total = [], 0
    while part := file.read(_STEP):
        parts.append(part)
        total += len(part)
        if total > _opened.MAX_BYTES:
            known = unsupported(head)
            if known is not None:
                raise not_supported(known, "")
            hint = "keep the part around the failure"
            raise refused("F425", f"larger than {_opened.MAX_BYTES} bytes", "", hint=hint)
    return b"".join(parts)


def _is_log(head: bytes, name: str, kind: str | None) -> bool:
    """Whether the text is a running log, by its head; `kind` is what its reader was told to be."""
    known = _detect.importers()
    if kind is not None:
        return any(one.name in kind.split("+") and one.log for one in known)
    head = head.lstrip(b"\x00")  # a log that was cut while its program went on writing starts so
    if _PICKLE.match(head) or head[:LOOKED_AT].count(0) > LOOKED_AT // 10:
        return False
    lines = _JSON_LINES.match(head.lstrip()[: HEAD // 4]) or _TAGGED.match(head)
    if _DOCUMENT.match(head) and not lines:
        return False
    return not any(one.accepts(head, name) >= _UNMISTAKABLE for one in known if not one.log)


# --- A log in constant memory ---------------------------------------------------------------------


class _Received:
    """The bytes of a file as they come, counted and digested on their way."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._digest = file, hashlib.sha256()
        self.num_bytes = 0

    def parts(self) -> Iterator[bytes]:
        while part := self._file.read(_STEP):
            self._digest.update(part)
            self.num_bytes += len(part)
            yield part

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()


def _log(file: BinaryIO, name: str, kind: str | None) -> Taken:
    known = _detect.importers()
    received = _Received(file)
    excerpt, packed = _sieved(received, known)
    sha256 = received.sha256
    reading = within_budget(
        lambda: _detect.read(excerpt, sha256, name, kind), len(excerpt), sha256, apart=True
    )
    if not any(one.name == reading.kind and one.log for one in known):
        file.seek(0)  # what is read whole or not at all cannot be told from an excerpt
        return _whole(_all(file, excerpt[:HEAD]), name, kind)
    note = tell(
        "excerpt: all {whole} bytes of the text were searched, and {kept} around what fiche "
        "reads were read; lines are counted in the whole text",
        whole=excerpt.whole,
        kept=excerpt.kept,
    )
    return Taken(sha256, received.num_bytes, _noted(reading, (note, *packed)))


def _sieved(received: _Received, importers: Iterable[Importer]) -> tuple[Excerpt, tuple[str, ...]]:
    """The excerpt of a log, and the note of its packing; reading ahead and searching run side by side."""
    first, parts = _peeked(received.parts())
    packing = packing_of(first)
    if packing is not None:
        parts = packed_once(unpacked(_portions(parts), packing, ""), "")
        parts = _bounded(parts, received)
    head, parts = _peeked(parts)
    encoding = encoding_of(head)
    if encoding is not None:
        parts = transcoded(parts, encoding)
    head, parts = _peeked(parts)
    barrier = BLANK_BARRIER if _JSON_LINES.match(head.lstrip()[: HEAD // 4]) else BARRIER
    sieve = Sieve(sought(importers), barrier=barrier)
    with ahead(_gathered(parts)) as ready:
        for part in ready:
            sieve.feed(part)
    return sieve.excerpt(), unpacked_note(first)


def _peeked(parts: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The first part that is not empty, and all of them."""
    first = next((part for part in parts if part), b"")

    def again() -> Iterator[bytes]:
        yield first
        yield from parts

    return first, again()


def _portions(parts: Iterator[bytes]) -> Iterator[bytes]:
    for part in parts:
        for at in range(0, len(part), PORTION):
            yield part[at : at + PORTION]


def _gathered(parts: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes in parts worth a search of their own."""
    held, length = [], 0
    for part in parts:
        held.append(part)
        length += len(part)
        if length >= _STEP:
            yield b"".join(held)
            held, length = [], 0
    yield b"".join(held)


def _bounded(parts: Iterator[bytes], received: _Received) -> Iterator[bytes]:
    """The same parts, up to what a log may unpack to."""
    total = 0
    for part in parts:
        total += len(part)
        most = min(MOST_UNPACKED, max(_ALWAYS_MAY, _MOST_TIMES * received.num_bytes))
        if total > most:
            message = f"the file unpacks to more than {most} bytes"
            raise refused("F425", message, "", hint="keep the part around the failure")
        yield part
