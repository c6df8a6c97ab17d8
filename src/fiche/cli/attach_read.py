"""The files to attach: their bytes as they are to be stored, and what they say."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from fiche.cli.attach_place import unpacked_name
from fiche.cli.evidence import Contents, named
from fiche.importers._opened import opened
from fiche.importers._redacted import redacted
from fiche.importers._redaction_check import figures, redacted_alike
from fiche.importers._room import Room
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.piece import Reading
from fiche.kernel.record import record, replace
from fiche.load.attached import suspicions
from fiche.load.folder import PIECE_LIMIT, UnreadableError
from fiche.load.pieces import DOCUMENT_KINDS

_STANDARD_INPUT = "-"
_SHORT = 8


@record
class Received:
    """A file as it is to be stored.

    `shown` is its name as typed, `source` where it lies (None for standard input), `name` what it is to be
    called. `original` is the digest of the bytes as received. `kind` is what the fiche says of it, empty
    where the content is to be asked at every load. `replaced` and `places` count what was redacted.
    """

    shown: str
    source: Path | None
    name: str
    content: bytes
    sha256: str
    original: str
    reading: Reading
    kind: str
    replaced: Mapping[str, int]
    places: Mapping[str, int]


def received(
    files: Sequence[Path], kind: str | None, name: str | None, *, redact: bool
) -> tuple[Received, ...]:
    """Read every file, redacted where that is asked.

    Raises:
        Refused: every diagnostic of every file, each naming its file.
    """
    found: list[Received] = []
    wrong: list[Diagnostic] = []
    with Contents() as contents:
        for file in files:
            try:
                content = contents.of(file, PIECE_LIMIT)
                found.append(_received(file, content, kind or "", name, redact=redact))
            except UnreadableError as problem:
                wrong.append(problem.told)
            except Refused as refused:
                wrong += [named(file, each) for each in refused.diagnostics]
    if wrong:
        raise Refused(wrong)
    return tuple(found)


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
        replaced={},
        places={},
    )
    if redact:
        one = _redacted(one, keep_name=name is not None)
    if kind not in DOCUMENT_KINDS:
        one = _read(one)
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
        replaced=done.counts,
        places=done.places,
    )


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
