"""What the figures of NVIDIA's tools mean, whichever of them prints them (evidence_formats 0 and 7).

Memory is printed in whole MiB, under MiB or MB alike; how a release rounds is not documented, so each
figure is one unit wide either way. Words such as N/A are missing figures, never zero. `memory.used`
holds the driver's reserve up to R509 (and in plain NVML), and leaves it out from R510 on.
"""

from __future__ import annotations

from datetime import date
from functools import lru_cache

from fiche.importers._device_gauges import Gauges
from fiche.importers._figures import MIB, about
from fiche.importers._sheet import Sheet
from fiche.kernel.address import Pointer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Printed
from fiche.kernel.rounding import unavailable
from fiche.kernel.said import tell

BACKEND = "cuda"
MIG = tell(
    "mig: a slice has its own capacity, and a program sees its slice only; the total of "
    "the whole device bounds it from above"
)
_FIGURE = lazy(r"\s*([0-9]{1,9})(\s?)(MiB|MB)?\s*")
_VERSION = lazy(r"[0-9]{1,4}(?:\.[0-9]{1,6}){0,4}")
# 2**64 - 1 bytes in MiB: how a driver says that a value is not available.
_NO_VALUE = 1 << 43
_MONTHS = {
    name: number
    for number, name in enumerate(
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
        start=1,
    )
}
_CTIME = lazy(
    r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Z][a-z]{2}) {1,2}([0-9]{1,2}) "
    r"([0-9]{2}):([0-9]{2}):([0-9]{2}) ([0-9]{4})\b"
)
_STAMP = lazy(
    r"\b([0-9]{4})[-/]?([0-9]{2})[-/]?([0-9]{2})[T ,]{1,4}([0-9]{2}):([0-9]{2}):([0-9]{2})"
    r"(?:[.,]([0-9]{1,9}))?"
)


@lru_cache(maxsize=4_096)
def mib(text: str) -> Printed:
    """A figure in whole MiB as a cell prints it; any other word is a missing figure."""
    match = _FIGURE.fullmatch(text)
    if match is None or int(match[1]) >= _NO_VALUE:
        return unavailable(text.strip()[:60] or "nothing")
    label = f"{match[2]}{match[3]}" if match[3] else ""
    return about(match[1], label, MIB)


def is_figure(text: str) -> bool:
    """True where a cell holds a number, with or without MiB."""
    return _FIGURE.fullmatch(text) is not None


def milliseconds(text: str) -> int | None:
    """A time as these tools print it, without a zone: only differences of it mean something."""
    match = _CTIME.search(text)
    if match is not None:
        month, day, hour, minute, second, year = match.groups()
        parts = (int(year), _MONTHS.get(month, 0), int(day), int(hour), int(minute), int(second), 0)
        return _since(parts)
    match = _STAMP.search(text)
    if match is None:
        return None
    numbers = [int(group) for group in match.groups()[:6]]
    fraction = int((match[7] or "0").ljust(3, "0")[:3])
    return _since((*numbers, fraction))


def _since(parts: tuple[int, ...]) -> int | None:
    year, month, day, hour, minute, second, fraction = parts
    try:
        days = date(year, month, day).toordinal()
    except ValueError:
        return None
    return ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1_000 + fraction


def observed_at(sheet: Sheet, text: str) -> None:
    """Note a time as printed: the first, and the last where there are several."""
    words = text.strip()[:60]
    if "observed_at" not in sheet.further:
        sheet.further["observed_at"] = words
    elif sheet.further["observed_at"] != words:
        sheet.further["observed_until"] = words


def ctime(text: str) -> str | None:
    """The time as `ctime` writes it, if the line holds one."""
    match = _CTIME.search(text)
    return match[0] if match else None


def driver(sheet: Sheet, place: Pointer, version: str, cuda: str = "") -> None:
    """The driver, and the CUDA version that it goes up to: no runtime that anything used."""
    if _VERSION.fullmatch(version):
        sheet.fact(place, "driver", version)
        if int(version.partition(".")[0]) < 510:
            sheet.warn(
                tell(
                    "used_includes_reserve: driver {version} counts its own reserve as used memory (from "
                    "510 on it does not)",
                    version=version,
                )
            )
    if _VERSION.fullmatch(cuda):
        sheet.fact(place, "driver_cuda_ceiling", cuda)
        sheet.plan(
            place,
            f"CUDA Version {cuda}",
            tell("the newest CUDA that the driver supports, not the runtime in use"),
        )


def activity(sheet: Sheet, place: Pointer, name: str) -> None:
    """A share of time is no fill; said once."""
    if all(told.text != name for told in sheet.aside):
        reason = tell("share of time the memory was read or written, not how full it is (activity)")
        sheet.plan(place, name, reason)


def mode(word: str) -> str:
    """A mode as a record writes it: on, off, or empty where it is not told.

    In the column of ECC errors a count is printed only where ECC is on.
    """
    text = word.strip()
    if text.isdecimal() or text in ("On", "Enabled"):
        return "on"
    return "off" if text in ("Off", "Disabled") else ""


def device_unavailable(gauges: Gauges) -> None:
    """Say so where a device does not tell its memory: shared memory of host and device (GB10)."""
    for device in gauges.devices.values():
        used = device.tracks.get("used")
        if used is not None and used.largest is None:
            gauges.sheet.warn(
                tell(
                    "device_memory_unavailable: the driver does not tell a device's memory: missing, not "
                    "zero; memory that host and device share is told per process only"
                )
            )
