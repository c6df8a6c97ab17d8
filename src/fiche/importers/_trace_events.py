"""Memory events and what heads a Chrome trace, found without taking the whole file apart.

Traces have hundreds of megabytes of operators and some thousand memory events: the events are sought by
their name, and only what surrounds it is parsed. A small trace is parsed whole first, so that a damaged one
is refused at its line; of a large one the end is checked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from fiche.importers._json import document, number, whole
from fiche.importers._refusal import refused
from fiche.kernel.lazy import lazy

NAME = b'"[memory]"'
_WHOLE = 12 * 1024 * 1024
_HEAD = 1024 * 1024
_BEFORE, _BEHIND = 2_000, 4_000
_MAX_OPENINGS = 6
_REMEMBERED = 64
_DECODER = json.JSONDecoder(parse_float=str)
_NAMED = lazy(rb'"name"\s{0,20}:\s{0,20}\Z')
_NEAR = 50
_COLON = lazy(rb"\s{0,100}:\s{0,100}")


class Event(NamedTuple):
    """One memory event: bytes held after it, of one device; `at` is its offset in the file.

    `totals` are (allocated, reserved), None where the version prints only the change.
    """

    at: int
    time: Decimal
    order: int
    device_type: int
    device: int
    totals: tuple[int, int] | None


def check(text: bytes, sha256: str) -> None:
    """Refuse a trace that is no JSON, or breaks off (F428)."""
    if len(text) <= _WHOLE:
        document(text, sha256, "Chrome trace of torch.profiler")
    elif not _ends(text):
        line = text.count(b"\n") + 1
        hint = "copy the trace again: its last events may be the ones that matter"
        raise refused("F428", "the Chrome trace breaks off", sha256, line=line, hint=hint)


def _ends(text: bytes) -> bool:
    """True where the list of events is closed behind the last one, and the document with it."""
    place = opening = text.rfind(b'"ph"')
    for _ in range(_MAX_OPENINGS):
        opening = text.rfind(b"{", max(0, place - _BEFORE), max(0, opening))
        if opening < 0:
            break
        piece = text[opening : place + _HEAD].decode("utf-8", errors="replace")
        try:
            found, end = _DECODER.raw_decode(piece)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and "ph" in found:
            return piece[end:].lstrip().startswith("]") and text[-_BEFORE:].rstrip().endswith(b"}")
    return False


def events(text: bytes) -> Iterator[Event]:
    """Every memory event, in the order of the file, which is not that of time."""
    failed: set[int] = (
        set()
    )  # openings that are none: names that crowd together are not parsed again
    place = text.find(NAME)
    while place >= 0:
        named = _NAMED.search(text, max(0, place - _NEAR), place) is not None
        found = _object(text, place, failed) if named else None
        event = None if found is None else _event(found, place)
        if event is not None:
            yield event
        if len(failed) > _REMEMBERED:
            failed.clear()
        place = text.find(NAME, place + len(NAME))


def _object(text: bytes, place: int, failed: set[int]) -> dict[str, object] | None:
    """The event around its name: the nearest object that holds the name and the figures."""
    opening = place
    for _ in range(_MAX_OPENINGS):
        opening = text.rfind(b"{", max(0, place - _BEFORE), opening)
        if opening < 0:
            return None
        if opening in failed:
            continue
        piece = text[opening : place + _BEHIND].decode("utf-8", errors="replace")
        try:
            found, end = _DECODER.raw_decode(piece)
        except (ValueError, RecursionError):
            found, end = None, 0
        if isinstance(found, dict) and found.get("name") == "[memory]":
            return found
        if end == 0 or end + opening <= place or not isinstance(found, dict):
            failed.add(opening)
    return None


def _event(found: dict[str, object], place: int) -> Event | None:
    told = found.get("args")
    if not isinstance(told, dict):
        return None
    time = number(found.get("ts"))
    kind, device = whole(told.get("Device Type")), whole(told.get("Device Id"))
    if time is None or kind is None or device is None:
        return None
    allocated, reserved = whole(told.get("Total Allocated")), whole(told.get("Total Reserved"))
    known = allocated is not None and reserved is not None and min(allocated, reserved) >= 0
    totals = (allocated or 0, reserved or 0) if known else None
    return Event(
        at=place,
        time=time,
        order=whole(told.get("Ev Idx")) or 0,
        device_type=kind,
        device=device,
        totals=totals,
    )


def member(text: bytes, key: str) -> object:
    """A member of the trace's head or foot, such as `deviceProperties`; None where it is missing.

    Sought where the profiler writes it: before the events, or behind the last one.
    """
    mark = f'"{key}"'.encode()
    head = text.find(b'"traceEvents"', 0, _HEAD)
    place = text.find(mark, 0, head if head >= 0 else _HEAD)
    if place < 0:
        place = text.find(mark, max(0, len(text) - _HEAD // 16))
    if place < 0:
        return None
    rest = text[place + len(mark) : place + len(mark) + _HEAD]
    colon = _COLON.match(rest)
    if colon is None:
        return None
    try:
        return _DECODER.raw_decode(rest[colon.end() :].decode("utf-8", errors="replace"))[0]
    except (ValueError, RecursionError):
        return None
