"""Chrome traces of torch.profiler with `profile_memory` (evidence_formats 3).

A `[memory]` event of a GPU shows the allocator's own totals after it: allocated and reserved. The peak over
the events holds for the trace, not for the process. Events of the host start at zero with the profile.
"""

from __future__ import annotations

from dataclasses import dataclass

from fiche.importers._json import whole
from fiche.importers._opened import opened
from fiche.importers._scan import Lines
from fiche.importers._sheet import Sheet
from fiche.importers._trace_events import NAME, Event, check, events, member
from fiche.importers._unsupported import nothing_found
from fiche.kernel.address import Pointer
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.rounding import exact_bytes
from fiche.kernel.said import tell

# c10/core/DeviceType.h; ROCm builds call their devices CUDA as well.
_BACKENDS = {1: "cuda", 6: "rocm", 12: "xpu", 13: "mps"}
_HOST = 0
_HEAD = 64 * 1024
_OBJECT = lazy(rb"\s{0,1000}\{")
_AMD = lazy(r"(?i)\bAMD\b|Instinct|Radeon|gfx\d")
_PROFILER = (b'"deviceProperties"', b'"baseTimeNanoseconds"', b'"profile_memory"', b'"cpu_op"')
_COUNTERS = ("profiler.total_allocated", "profiler.total_reserved")


@dataclass(slots=True)
class _Peaks:
    """Of one device: the event of the largest total per counter, and the last event."""

    highest: list[Event]
    last: Event


def read(content: bytes, sha256: str) -> Reading:
    """Peaks and last levels per device, and what the trace says of the devices.

    Raises:
        Refused: broken JSON or a trace that breaks off (F428), neither memory events nor devices (F424).
    """
    text = opened(content, sha256)
    check(text, sha256)
    sheet = Sheet(sha256)
    rank = _rank(text)
    backend = _events(sheet, text, rank)
    names = _devices(sheet, text)
    if backend == "cuda" and any(map(_AMD.search, names)):
        backend = "rocm"  # its builds call a device CUDA all the same
    _versions(sheet, text)
    if sheet.empty:
        raise nothing_found(text, sha256, "memory events of a device: profile with profile_memory")
    return sheet.reading("torch_profiler_trace", "chrome-trace", backend)


def _events(sheet: Sheet, text: bytes, rank: int | None) -> str | None:
    """Note the levels of every device; the backend where it is one."""
    found: dict[tuple[int, int], _Peaks] = {}
    host: Event | None = None
    count = without = 0
    for event in events(text):
        count += 1
        if event.device_type == _HOST or event.device < 0:
            host = host or event
        elif event.totals is None:
            without += 1
        else:
            _take(found, event, event.totals)
    _note(sheet, text, found, rank)
    sheet.further["memory_events"] = count
    if host is not None:
        _say_host(sheet, text, host)
    if without:
        sheet.warn(
            tell(
                "totals_missing: this version prints only what each event changed: no level is known "
                "from it"
            )
        )
    if not found:
        sheet.warn(
            tell(
                "no_memory_events: no level of a device is in the trace: profile_memory was off, or "
                "this version writes none"
            )
        )
    kinds = {_BACKENDS.get(kind) for kind, _ in found}
    return kinds.pop() if len(kinds) == 1 else None


def _take(found: dict[tuple[int, int], _Peaks], event: Event, totals: tuple[int, int]) -> None:
    known = found.setdefault((event.device_type, event.device), _Peaks([event, event], event))
    for place, total in enumerate(totals):
        best = known.highest[place].totals
        if best is None or total > best[place]:
            known.highest[place] = event
    if (event.time, event.order) >= (known.last.time, known.last.order):
        known.last = event


def _note(
    sheet: Sheet, text: bytes, found: dict[tuple[int, int], _Peaks], rank: int | None
) -> None:
    numbers = Lines(text)
    for (_, device), known in sorted(found.items()):
        for place, counter in enumerate(_COUNTERS):
            for stat, event in (("peak", known.highest[place]), ("current", known.last)):
                total = (event.totals or (0, 0))[place]
                sheet.see(
                    _pointer(sheet, event, numbers, f"{counter}: {total}"),
                    counter,
                    exact_bytes(total),
                    scope="process_allocator",
                    stat=stat,
                    device_index=device,
                    rank=rank,
                    window="trace",
                )
    if found:
        sheet.warn(
            tell(
                "window_is_the_trace: the peaks are those of the recorded events, at most those of "
                "the process"
            )
        )


def _pointer(sheet: Sheet, event: Event, numbers: Lines, text: str) -> Pointer:
    return Pointer(
        sha256=sheet.sha256, line=numbers.number(event.at), path=f"byte {event.at}", text=text
    )


def _say_host(sheet: Sheet, text: bytes, event: Event) -> None:
    place = _pointer(sheet, event, Lines(text), "")
    words = f"Device Type {event.device_type}, Device Id {event.device}"
    sheet.plan(place, words, tell("host memory, and its totals start at zero with the profile"))


def _rank(text: bytes) -> int | None:
    told = member(text, "distributedInfo")
    return whole(told.get("rank")) if isinstance(told, dict) else None


def _devices(sheet: Sheet, text: bytes) -> list[str]:
    """The devices that the process saw: their names and the memory that the runtime gives programs."""
    listed = member(text, "deviceProperties")
    names = []
    for place, device in enumerate(listed if isinstance(listed, list) else ()):
        if not isinstance(device, dict):
            continue
        index, total = whole(device.get("id")), whole(device.get("totalGlobalMem"))
        name = device.get("name")
        if isinstance(name, str) and index is not None:
            names.append(name)
            at = _at(sheet, place, "name", name)
            sheet.fact(at, f"devices.{index}.name", name[:200])
        if total is not None and total > 0 and index is not None:
            at = _at(sheet, place, "totalGlobalMem", total)
            value = exact_bytes(total)
            sheet.see(
                at, "device.totalGlobalMem", value, scope="device", stat="total", device_index=index
            )
            sheet.total(
                at, "torch_total_memory", value, index, name if isinstance(name, str) else ""
            )
    if names and len(set(names)) == 1:
        sheet.fact(_at(sheet, 0, "name", names[0]), "device", names[0][:200])
    return names


def _at(sheet: Sheet, place: int, key: str, value: object) -> Pointer:
    path = f"/deviceProperties/{place}/{key}"
    return Pointer(sha256=sheet.sha256, path=path, text=f"{key}: {value}"[:400])


def _versions(sheet: Sheet, text: bytes) -> None:
    """The runtime in use (12040 is 12.4); the driver's number there is its ceiling, no driver version."""
    told = whole(member(text, "cuda_runtime_version"))
    if told is not None and told >= 1000:
        path = "/cuda_runtime_version"
        at = Pointer(sha256=sheet.sha256, path=path, text=f"cuda_runtime_version: {told}")
        sheet.fact(at, "runtime", f"{told // 1000}.{told % 1000 // 10}")


def accepts(content: bytes, name: str) -> int:
    """92 for a trace of the profiler, 0 for other programs' Chrome traces."""
    if _OBJECT.match(content) is None or b'"traceEvents"' not in content:
        return 0
    head = content[:_HEAD]
    return 92 if any(mark in head for mark in _PROFILER) or NAME in content else 0


MEMBER = Importer(
    name="torch_profiler_trace",
    title="Chrome trace of torch.profiler with memory",
    accepts=accepts,
    read=read,
)
