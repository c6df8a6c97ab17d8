"""The files to attach: their bytes as they are to be stored, and what they say."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from fiche.cli.attach_place import unpacked_name
from fiche.cli.evidence import DOCUMENT, Contents, Redactions, Wrong, each_read
from fiche.importers._opened import opened
from fiche.importers._redacted import redacted
from fiche.importers._redaction_check import figures, redacted_alike
from fiche.importers._room import Room
from fiche.kernel.custody import NO_CUSTODY, Citation, Custody
from fiche.kernel.diagnostic import Refused
from fiche.kernel.piece import Reading
from fiche.kernel.record import record, replace
from fiche.load.attached import suspicions
from fiche.load.folder import PIECE_LIMIT
from fiche.load.pieces import DOCUMENT_KINDS

_STANDARD_INPUT = "-"
_SHORT = 8
_HEAD = 8192
_CONTAINERS = (b"%PDF-", b"PK\x03\x04")


@record
class Received:
    """A file as it is to be stored.

    `shown` is its name as typed, `source` where it lies (None for standard input), `name` what it is to be
    called. `original` is the digest of the bytes as received. `kind` is what the fiche says of it, empty
    where the content is to be asked at every load. `redacted` counts what was replaced, None: nobody asked.
    """

    shown: str
    source: Path | None
    name: str
    content: bytes
    sha256: str
    original: str
    reading: Reading
    kind: str
    redacted: Redactions | None = None
    custody: Custody = NO_CUSTODY
    cites: Citation | None = None

    @property
    def replaced(self) -> Mapping[str, int]:
        """How many different things of each kind were replaced."""
        return self.redacted.counts if self.redacted is not None else {}


@record
class Brought:
    """A file out of an archive: its own name and bytes, where it comes from, how it may be kept and shown."""

    name: str
    content: bytes
    custody: Custody
    cites: Citation
    warnings: tuple[str, ...] = ()


def received(
    files: Sequence[Path],
    kind: str | None,
    name: str | None,
    brought: Mapping[Path, Brought] | None = None,
    *,
    redact: bool,
) -> tuple[tuple[Received, ...], tuple[Wrong, ...]]:
    """Read every file that can be read, redacted where that is asked; and what is wrong with the others."""
    known = brought or {}
    with Contents() as contents:

        def read(file: Path) -> Received:
            if file in known:
                return _brought(known[file], kind or "", name, redact=redact)
            content = contents.of(file, PIECE_LIMIT)
            return _received(file, content, kind or "", name, redact=redact)

        return each_read(files, read)


def _brought(one: Brought, kind: str, name: str | None, *, redact: bool) -> Received:
    """A file that lies in no folder of its own: it is always copied."""
    read = _received(Path(one.name), one.content, kind, name, redact=redact)
    reading = replace(read.reading, warnings=(*read.reading.warnings, *one.warnings))
    shown = f"{one.cites.entry}/{one.cites.file}"
    return replace(
        read, shown=shown, source=None, reading=reading, custody=one.custody, cites=one.cites
    )


def _received(file: Path, content: bytes, kind: str, name: str | None, *, redact: bool) -> Received:
    original = hashlib.sha256(content).hexdigest()
    is_input = str(file) == _STANDARD_INPUT
    own = name or (f"stdin-{original[:_SHORT]}.log" if is_input else file.name)
    one = Received(
        shown="standard input" if is_input else str(file),
        source=None if is_input else file,
        name=own,
        content=content,
        sha256=original,
        original=original,
        reading=Reading(kind=kind, shape="document"),
        kind=kind,
    )
    if redact:
        one = _redacted(one, keep_name=name is not None)
    one = _shown(one) if kind in DOCUMENT_KINDS else _read(one)
    found = [each for each in suspicions(one.content) if each not in one.reading.warnings]
    return replace(one, reading=replace(one.reading, warnings=(*one.reading.warnings, *found)))


def _redacted(one: Received, *, keep_name: bool) -> Received:
    """The same without names and secrets, as plain text; packed and wide text is opened first."""
    text = opened(one.content, one.original)
    if one.kind in DOCUMENT_KINDS:
        done = redacted(text, one.original, one.name)
    else:
        done = redacted_alike(text, one.original, one.name, one.kind, Room())
    own = one.name if keep_name else done.name
    packed = text != one.content and one.name != unpacked_name(one.name)
    return replace(
        one,
        content=done.text,
        sha256=hashlib.sha256(done.text).hexdigest(),
        name=unpacked_name(own) if packed else own,
        redacted=Redactions(counts=done.counts, places=done.places),
    )


def _shown(one: Received) -> Received:
    """The words of what people read, laid out so that lines can be quoted; a picture has none."""
    try:
        text = opened(one.content, one.sha256)
        if b"\x00" in text[:_HEAD] and not text.startswith(_CONTAINERS):
            return one
        found = Room().read(one.content, one.sha256, one.name, DOCUMENT)
    except Refused as refusal:
        told = f"not_read: {refusal.diagnostics[0].message}"
        return replace(one, reading=replace(one.reading, warnings=(told,)))
    return replace(one, reading=replace(found, kind=one.kind))


def _read(one: Received) -> Received:
    """What the stored bytes say. A kind is written down only if the file then still says all of it."""
    room = Room()
    reading = room.read(one.content, one.sha256, one.name, one.kind)
    return replace(one, reading=reading, kind=one.kind or _kind(one, reading, room))


def _kind(one: Received, reading: Reading, room: Room) -> str:
    joined = reading.further.get("joined_kinds", ())
    kind = "+".join((reading.kind, *(joined if isinstance(joined, tuple) else ())))
    try:
        again = room.read(one.content, one.sha256, one.name, kind)
    except Refused:
        return ""
    return kind if list(figures(again)) == list(figures(reading)) else ""
