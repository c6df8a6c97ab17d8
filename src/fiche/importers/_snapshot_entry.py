"""What one place of a memory snapshot says, in words: to lead a reader back to it, never to measure.

The bytes go the same way as when the snapshot is read: scanned, then built with every door to code shut, in a
process with bounds on memory and time (law 7).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.importers._limited import DefectError, within_budget
from fiche.importers._pickle_load import no_collection, plain_values
from fiche.importers._pickle_scan import UnsafePickleError, scanned
from fiche.kernel.diagnostic import Refused
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Passage, Reading

# A longer one takes seconds to build for one line of words: its place must do.
MOST_BYTES = 16 * 1024 * 1024
_PLACE = lazy(
    r"segments/[0-9]{1,9}|device_traces/[0-9]{1,4}/[0-9]{1,9}|allocator_settings/.{1,200}"
)
_MOST_WORDS = 24
_LONGEST = 160


def entry_text(content: bytes, sha256: str, path: str) -> str:
    """The members of a segment, of an entry of a trace or of the settings: `action alloc, size 512`.

    Empty where nothing stands there, where the snapshot is longer than `MOST_BYTES`, or cannot be read.
    """
    if len(content) > MOST_BYTES or _PLACE.fullmatch(path) is None:
        return ""
    try:
        told = within_budget(lambda: _quoted(content, path), len(content), sha256, apart=True)
    except (Refused, DefectError):
        return ""
    return told.passages[0].text


def _quoted(content: bytes, path: str) -> Reading:
    text = ""
    try:
        with no_collection():
            value = plain_values(content, scanned(content, 0, 0), lambda *_: False)
            text = _words(_at(value, path.split("/")))
            text = f"{_of_how_many(value, path)}{text}" if text else ""
    except UnsafePickleError:
        pass
    return Reading(kind="torch_snapshot", shape="entry", passages=(Passage(place=path, text=text),))


def _of_how_many(value: object, path: str) -> str:
    """A level of now is the sum over a device's segments, and its place is the first of them."""
    place, segments = path.rpartition("/")[2], _at(value, ["segments"])
    if not path.startswith("segments/") or not isinstance(segments, list):
        return ""
    own = _at(segments[int(place)], ["device"])
    if type(own) is not int:
        return ""  # two lists that share their parts may be compared without an end
    devices = (_at(one, ["device"]) for one in segments)
    count = sum(type(device) is int and device == own for device in devices)
    return "" if count < 2 else f"first of {count} segments of device {_plain(own)}: "


def _at(value: object, steps: list[str]) -> object:
    here = {"segments": value} if isinstance(value, list) else value
    for step in steps:
        if isinstance(here, dict):
            here = here.get(step)
        elif isinstance(here, list) and step.isdecimal() and int(step) < len(here):
            here = here[int(step)]
        else:
            return None
    return here


def _words(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(word for word in _members(value) if word)
    return "" if value is None or isinstance(value, list) else _plain(value)


def _members(told: Mapping[object, object]) -> Iterator[str]:
    for key, value in list(told.items())[:_MOST_WORDS]:
        if key == "frames":
            yield _frame(value)
        elif isinstance(value, list):
            yield f"{_plain(key)} {len(value)}"
        elif not isinstance(value, dict) and value not in (None, ""):
            yield f"{_plain(key)} {_plain(value)}"


def _frame(frames: object) -> str:
    """The innermost call, which is the first frame."""
    first = frames[0] if isinstance(frames, list) and frames else None
    if not isinstance(first, dict):
        return ""
    place = f"{_plain(first.get('filename', ''))}:{_plain(first.get('line', ''))}"
    return f"at {place} {_plain(first.get('name', ''))}".rstrip()


def _plain(value: object) -> str:
    """A text, a number or a few of them, bounded; what else stands there is not followed."""
    if isinstance(value, tuple):
        return f"({', '.join(_plain(one) for one in value[:4] if not isinstance(one, tuple))})"
    if not isinstance(value, str | int) or (isinstance(value, int) and value.bit_length() > 64):
        return type(value).__name__
    return str(value)[:_LONGEST]
