"""The directory of a zip archive: names and lengths, bounds checked, no entry opened.

Only what `torch.save` writes is read: entries stored as they are, one disk, nothing encrypted.
"""

from __future__ import annotations

import hashlib
import struct
from typing import NamedTuple

from fiche.checkpoints._refusal import refused, short
from fiche.checkpoints.source import Source, exactly
from fiche.kernel.diagnostic import Refused

_END = struct.Struct("<4s4H2IH")
_LOCATOR = struct.Struct("<4sIQI")
_END_64 = struct.Struct("<4sQ2H2I4Q")
_ENTRY = struct.Struct("<4s6H3I5H2I")
_LOCAL = 30
_MAX_COMMENT = 65_535
_MAX_DIRECTORY = 64 * 2**20
_ALL_32 = 0xFFFFFFFF
_ENCRYPTED = 1 | 1 << 6 | 1 << 13
_COPY = "the file is cut or damaged: copy it again and compare its digest"


class Stored(NamedTuple):
    """One entry: its name, its bytes, where its local header starts."""

    name: str
    num_bytes: int
    start: int


class Directory(NamedTuple):
    """The entries in the order of the directory; its bytes with all behind them, and their digest."""

    entries: tuple[Stored, ...]
    num_bytes: int
    sha256: str


class _End(NamedTuple):
    """Where the directory lies and how many entries it says it has."""

    num_entries: int
    length: int
    start: int


def directory(source: Source) -> Directory:
    """Read the directory at the end of an archive.

    Raises:
        Refused: F819 it is broken, its entries overlap, or are compressed or encrypted.
    """
    end = _end(source)
    behind = exactly(source, end.start, source.length() - end.start)
    entries = tuple(_entries(behind[: end.length], end.num_entries, source))
    _check_apart(entries, end.start, source)
    digest = hashlib.sha256(behind).hexdigest()
    return Directory(entries=entries, num_bytes=len(behind), sha256=digest)


def _broken(source: Source, what: str, hint: str = _COPY) -> Refused:
    return refused("F819", source.name, what, hint)


def _end(source: Source) -> _End:
    """The end record, which lies behind everything but a comment."""
    length = source.length()
    start = max(0, length - _END.size - _MAX_COMMENT)
    tail = exactly(source, start, length - start)
    at = tail.rfind(b"PK\x05\x06", 0, len(tail) - _END.size + 4)
    if at < 0:
        raise _broken(source, "its zip directory is missing")
    _, disk, first, here, count, num_bytes, begins, comment = _END.unpack_from(tail, at)
    if at + _END.size + comment != len(tail):
        raise _broken(source, "something else than its zip directory ends it")
    end, before = _End(count, num_bytes, begins), start + at
    located = exactly(source, max(0, before - _LOCATOR.size), min(before, _LOCATOR.size))
    # torch.save writes the record of large archives into small ones too.
    if located.startswith(b"PK\x06\x07"):
        end, before = _end_64(source, before - _LOCATOR.size, located)
    elif disk or first or here != count or _ALL_32 in (num_bytes, begins):
        raise _broken(source, "it is one part of several, or its zip64 record is missing")
    return _checked(source, end, before)


def _end_64(source: Source, at: int, located: bytes) -> tuple[_End, int]:
    """The end record of large archives, and where it starts."""
    _, disk, start, disks = _LOCATOR.unpack(located)
    if disk or disks != 1 or start + _END_64.size > at:
        raise _broken(source, "its zip64 record is missing")
    found = _END_64.unpack(exactly(source, start, _END_64.size))
    sign, _, _, _, disk, first, here, count, num_bytes, begins = found
    if sign != b"PK\x06\x06" or disk or first or here != count:
        raise _broken(source, "its zip64 record is broken")
    return _End(count, num_bytes, begins), start


def _checked(source: Source, end: _End, before: int) -> _End:
    if end.length > _MAX_DIRECTORY or end.num_entries * _ENTRY.size > end.length:
        raise _broken(
            source, f"its directory of {end.length} bytes cannot have {end.num_entries} entries"
        )
    if end.start + end.length != before:
        raise _broken(source, "its directory does not lie before its end record")
    return end


def _entries(content: bytes, count: int, source: Source) -> list[Stored]:
    found: list[Stored] = []
    at = 0
    for _ in range(count):
        if at + _ENTRY.size > len(content):
            raise _broken(source, "its directory is cut")
        fields = _ENTRY.unpack_from(content, at)
        lengths = fields[10:13]
        end = at + _ENTRY.size + sum(lengths)
        if fields[0] != b"PK\x01\x02" or end > len(content):
            raise _broken(source, "its directory is broken")
        found.append(_entry(fields, content[at + _ENTRY.size : end], source))
        at = end
    if at != len(content):
        raise _broken(source, "its directory has more than its entries")
    return found


def _entry(fields: tuple[int, ...], behind: bytes, source: Source) -> Stored:
    flags, method, packed, plain, start = fields[3], fields[4], fields[8], fields[9], fields[16]
    name_length, extra_length = fields[10], fields[11]
    name = behind[:name_length].decode("utf-8", "replace")
    packed, plain, start = _wide(
        (plain, packed, start), behind[name_length : name_length + extra_length], source
    )
    if flags & _ENCRYPTED:
        raise _broken(source, f"'{short(name)}' is encrypted", "save the model unencrypted")
    if method != 0 or packed != plain:
        message = f"'{short(name)}' is compressed; torch.save stores tensors as they are"
        raise _broken(source, message, "save it again with torch.save, or as safetensors")
    return Stored(name, plain, start)


def _wide(values: tuple[int, int, int], extra: bytes, source: Source) -> tuple[int, int, int]:
    """(packed, plain, start), with 64 bits where 32 were too few. `values` are (plain, packed, start)."""
    if _ALL_32 not in values:
        return values[1], values[0], values[2]
    at, field = 0, b""
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        if kind == 1:
            field = extra[at + 4 : at + 4 + length]
            break
        at += 4 + length
    wide: list[int] = []
    for value in values:
        if value != _ALL_32:
            wide.append(value)
        elif len(field) < 8:
            raise _broken(source, "a length of its directory is missing")
        else:
            wide.append(int.from_bytes(field[:8], "little"))
            field = field[8:]
    return wide[1], wide[0], wide[2]


def _check_apart(entries: tuple[Stored, ...], end: int, source: Source) -> None:
    """No two entries may share bytes, and none may reach into the directory."""
    ordered = sorted(entries, key=lambda entry: entry.start)
    limits = [*(entry.start for entry in ordered[1:]), end]
    for entry, limit in zip(ordered, limits, strict=True):
        if entry.start + _LOCAL + len(entry.name) + entry.num_bytes > limit:
            message = f"'{short(entry.name)}' overlaps what follows it"
            raise _broken(source, message)
    if len({entry.name for entry in entries}) != len(entries):
        raise _broken(source, "a name stands twice in its directory")
