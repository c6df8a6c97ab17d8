"""What the figures of AMD's tools mean: rocm-smi in bytes, amd-smi in MB that are MiB (evidence_formats 7).

Memory of the GTT is the host's and is left out; visible VRAM is part of VRAM. Percentages are no bytes.
"""

from __future__ import annotations

from functools import lru_cache

from fiche.importers._device_gauges import Gauges
from fiche.importers._figures import about, nearest
from fiche.importers._sheet import Sheet
from fiche.kernel.address import Pointer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Printed
from fiche.kernel.rounding import exact_bytes, unavailable
from fiche.kernel.said import tell

BACKEND = "rocm"
UNITS = {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
_AMOUNT = lazy(r"\s{0,20}([0-9]{1,15})(\.[0-9]{1,4})?\s{0,4}(B|[KMGT]B)\s{0,20}")
_BYTES = lazy(r"\s{0,20}([0-9]{1,18})\s{0,20}")


@lru_cache(maxsize=4_096)
def amount(text: str) -> Printed:
    """`283 MB` (MB = 2**20, one unit either way) or `1.9 GB` (one decimal); other words are missing."""
    match = _AMOUNT.fullmatch(text)
    if match is None:
        return unavailable(text.strip()[:60] or "nothing")
    whole, fraction, unit = match.groups()
    if unit == "B" and not fraction:
        return exact_bytes(int(whole), f"{whole} B")
    if fraction:
        return nearest(f"{whole}{fraction}", f" {unit}", UNITS[unit])
    return about(whole, f" {unit}", UNITS[unit])


@lru_cache(maxsize=4_096)
def in_bytes(text: str) -> Printed:
    """A count of bytes as rocm-smi writes it; other words are missing."""
    match = _BYTES.fullmatch(text)
    return exact_bytes(int(match[1])) if match else unavailable(text.strip()[:60] or "nothing")


def aside(sheet: Sheet, place: Pointer, key: str, value: str) -> None:
    """A percentage of rocm-smi: activity where it says so, else a share without its whole."""
    activity = "Activity" in key or key.strip().casefold() == "gpu memory use (%)"
    reason = (
        tell(
            "share of time the memory was read or written in the releases that print this, not "
            "how full it is"
        )
        if activity
        else tell("a rounded share of the total; the bytes are printed by --showmeminfo vram")
    )
    text = f"{key}: {value}"
    if all(told.text != text for told in sheet.aside[:200]) and len(sheet.aside) < 200:
        sheet.plan(place, text, reason)


def unmeasured(gauges: Gauges) -> None:
    """Say so where a device does not tell its memory."""
    tracks = [d.tracks["used"] for d in gauges.devices.values() if "used" in d.tracks]
    if any(track.largest is None for track in tracks):
        gauges.sheet.warn(
            tell(
                "device_memory_unavailable: the tool does not tell the memory of a device: missing, "
                "not zero"
            )
        )
