"""What a device tool shows of devices and processes, sample by sample, in constant memory each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fiche.kernel.address import Pointer
from fiche.kernel.piece import Printed
from fiche.kernel.record import record

Key = tuple[str, ...]
# More devices or processes than this in one file is no output of a machine.
MAX_TRACKS = 4_096


@record(kw_only=False)
class Names:
    """What a tool calls its figures: counters by `used`, `total`, `free`, `reserved`, `process`.

    `capacity` is the counter of a total, empty where the tool's totals bound nothing.
    """

    counters: Mapping[str, str]
    capacity: str = ""


NVML = Names(
    {
        "used": "memory.used",
        "total": "memory.total",
        "free": "memory.free",
        "reserved": "memory.reserved",
        "process": "process.used_gpu_memory",
    },
    "nvidia_smi_total",
)
ROCM = Names(
    {
        "used": "vram.used",
        "total": "vram.total",
        "free": "vram.free",
        "process": "process.vram",
    },
    "rocm_smi_total",
)


@dataclass(slots=True)
class Track:
    """All samples of one figure of one device, or of one process on it; constant memory."""

    count: int = 0
    missing: int = 0
    first: tuple[Pointer, Printed] | None = None
    largest: tuple[Pointer, Printed] | None = None
    smallest: tuple[Pointer, Printed] | None = None
    absent: tuple[Pointer, Printed] | None = None
    differs: bool = False

    def add(self, place: Pointer, value: Printed) -> None:
        """Count a sample; a missing one stays missing (C2)."""
        self.count += 1
        if value.unavailable:
            self.missing += 1
            self.absent = self.absent or (place, value)
            return
        if self.first is None:
            self.first = (place, value)
        elif self.first[1].value != value.value:
            self.differs = True
        if self.largest is None or (value.low or 0) > (self.largest[1].low or 0):
            self.largest = (place, value)
        if self.smallest is None or (value.low or 0) < (self.smallest[1].low or 0):
            self.smallest = (place, value)


@dataclass(slots=True)
class Device:
    """A device as a tool names it: by index, bus id, uuid; `marks` go with each of its figures."""

    index: int | None = None
    marks: dict[str, object] = field(default_factory=dict)
    details: dict[str, tuple[str, Pointer]] = field(default_factory=dict)
    tracks: dict[str, Track] = field(default_factory=dict)
    processes: dict[Key, tuple[dict[str, object], Track]] = field(default_factory=dict)
    # None where the file has no list of processes at all.
    listed: bool | None = None
    slice_of: Key | None = None
    # Its place in a report that lists every device by bus: the tool's own index, where no index is printed.
    order: int | None = None

    @property
    def counted(self) -> int | None:
        """The index that is printed, or the one that the order of a whole report tells."""
        return self.order if self.index is None else self.index

    def tell(self, word: str, value: str, place: Pointer) -> None:
        """Note a detail; the first word counts."""
        if value and value not in _NOTHING:
            self.details.setdefault(word, (value, place))


_NOTHING = frozenset({"N/A", "[N/A]", "[Not Supported]", "Not Supported", "-", "None"})


def whole_name(name: str) -> str:
    """A device's name without the word that a narrow column cut: `GeForce RTX 208...` is no 208."""
    if not name.endswith("..."):
        return name
    kept = name[:-3]
    while kept and kept[-1].isalnum():
        kept = kept[:-1]
    return kept.rstrip(" -") or name
