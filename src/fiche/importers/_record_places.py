"""A record as read, in either of its forms, and where each of its values stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fiche.importers._json import pointer_text
from fiche.importers._refusal import diagnostic
from fiche.kernel.address import Pointer
from fiche.kernel.diagnostic import Diagnostic
from fiche.kernel.record import field, record

FORMAT = "fiche-measurement/1"
FAMILY = "fiche-measurement/"


@record(frozen=False, kw_only=False)
class Form:
    """The document; in a journal also the line of the header and of each phase.

    `unfinished` are phases that started and never ended, each with its place. `cut` is true where the text
    breaks off, `is_checked` where the schema was applied already.
    """

    document: dict[str, Any]
    sha256: str
    header_line: int | None = None
    phase_lines: list[int] = field(default_factory=list)
    unfinished: list[tuple[dict[str, Any], Pointer]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    cut: bool = False
    is_checked: bool = False

    def at(self, *path: str | int, text: str = "") -> Pointer:
        """Where a value stands: a JSON pointer in a document, a line in a journal."""
        if self.header_line is None:
            return Pointer(sha256=self.sha256, line=None, path=pointer_text(path), text=text)
        line = self.header_line
        if len(path) > 1 and path[0] == "phases" and isinstance(path[1], int):
            line = self.phase_lines[path[1]] if path[1] < len(self.phase_lines) else line
        return Pointer(sha256=self.sha256, line=line, path=None, text=text)


def told(
    found: Form, code: str, message: str, *path: str | int, line: int | None = None, hint: str = ""
) -> Diagnostic:
    """A diagnostic at a path of the record, or at the line that stands for it in a journal."""
    place = found.at(*path) if line is None else Pointer(sha256=found.sha256, line=line)
    return diagnostic(code, message, found.sha256, line=place.line, path=place.path, hint=hint)


def counted_twice(document: dict[str, Any]) -> Iterator[tuple[int, int]]:
    """Place and index of each device whose index another one has: nobody knows which of them was read."""
    seen: set[int] = set()
    for place, device in enumerate(document["environment"].get("devices", ())):
        if device["index"] in seen:
            yield place, device["index"]
        seen.add(device["index"])


def rank_of(document: dict[str, Any]) -> int | None:
    """The rank that wrote the record, where it is one of several processes of a run."""
    rank = document["series"].get("rank")
    return None if rank is None or rank["world"] < 2 else int(rank["rank"])


def stated_devices(document: dict[str, Any]) -> int:
    """The devices of the placement in the record's own words; 0 where they do not say."""
    placement = document["workload"].get("placement")
    said = placement.get("devices") if isinstance(placement, dict) else None
    return said if isinstance(said, int) and not isinstance(said, bool) else 0


def devices_used(document: dict[str, Any]) -> int:
    """Devices on which the allocator was seen to hold something; of a merged record those of all ranks."""
    held = {
        each["device"]
        for phase in document["phases"]
        for each in phase.get("devices", ())
        if any(each.get(moment, {}).get(key) for moment in _MOMENTS for key in _HELD)
    }
    listed = document["environment"].get("devices", ()) if "merged" in document else ()
    return max(len(held), len(listed))


_MOMENTS = ("start", "peak", "end")
_HELD = ("allocated_bytes", "reserved_bytes")
