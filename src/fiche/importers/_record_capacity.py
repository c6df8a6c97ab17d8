"""The totals that an `environment` block declares, and what other users of a device were seen to hold.

A record and an environment of its own tell them alike, so they bound a capacity alike (DESIGN 4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fiche.importers._record_doubts import index_of
from fiche.importers._record_places import Form
from fiche.kernel.address import Pointer
from fiche.kernel.piece import Capacity
from fiche.kernel.rounding import exact_bytes

_OTHERS = "other_processes_bytes"
# (counter, stat) of what is read of a device as a whole.
DEVICE_READINGS = {
    _OTHERS: ("other_processes_used", "current"),
    "free_bytes": ("device_free", "free"),
}
_TOOLS = {
    "cuda": "nvidia_smi_total",
    "nvml": "nvidia_smi_total",
    "hip": "rocm_smi_total",
    "amdsmi": "rocm_smi_total",
}
# One device's readings and the path where they stand.
Seen = tuple[dict[str, Any], tuple[str | int, ...]]


def totals(record: Form, seen: Sequence[Seen]) -> Iterator[Capacity]:
    """What each device declares to the framework, and the system tool's total above it.

    `seen` are readings that may tell of other users: the most that they were seen to hold counts.
    """
    environment = record.document["environment"]
    for place, device in enumerate(environment.get("devices", ())):
        tool = _TOOLS.get(device.get("counted_by", environment.get("backend", "")))
        for counter, key in (
            ("torch_total_memory", "total_memory_bytes"),
            (tool, "nvml_total_bytes"),
        ):
            if counter is None or key not in device:
                continue
            pointer = record.at("environment", "devices", place, key, text=str(device[key]))
            held = _held(record, device["index"], seen) if key == "total_memory_bytes" else None
            yield Capacity(
                counter=counter,
                value=exact_bytes(device[key]),
                device_index=device["index"],
                pointer=pointer,
                device_name=device["name"],
                others=None if held is None else exact_bytes(held[0]),
                others_pointer=None if held is None else held[1],
            )


def _held(record: Form, index: int, seen: Sequence[Seen]) -> tuple[int, Pointer] | None:
    """The most that other users of a device were seen to hold, and where; None where nobody looked."""
    told = [
        (entry[_OTHERS]["bytes"], path)
        for entry, path in seen
        if _OTHERS in entry and index_of(entry["device"]) == index
    ]
    if not told:
        return None
    most, path = max(told, key=lambda each: each[0])
    return most, record.at(*path, _OTHERS, "bytes", text=str(most))
