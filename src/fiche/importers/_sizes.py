"""Figures as torch's allocators print them (`c10::CachingAllocator::format_size`, MPS's own copy).

`N bytes` up to 1024, else two decimals and KiB, MiB or GiB; MPS wrote KB, MB, GB for the same powers
of two until 2025. Anything else at the place of a figure is no figure.
"""

from __future__ import annotations

from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Printed
from fiche.kernel.rounding import printed_interval, unavailable

SIZE = rb"(\d{1,12}\.\d\d(?:KiB|MiB|GiB)|\d{1,20}bytes)"
MPS_SIZE = rb"(\d{1,12}\.\d\d(?:KiB|MiB|GiB|KB|MB|GB)|\d{1,20}bytes)"

_PARTS = lazy(rb"([\d.]+)([A-Za-z]+)")
_UNITS = {"bytes": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
# 2**64 - 1 bytes is how drivers say "not available" and allocators "no limit".
_NO_SIZE = 1 << 63


def printed(size: bytes) -> Printed:
    """The interval of a figure that matched `SIZE` or `MPS_SIZE` in squeezed text."""
    match = _PARTS.fullmatch(size)
    assert match is not None, size
    number, unit = match[1].decode(), match[2].decode()
    text = f"{number} {unit}"
    unit_bytes = _UNITS.get(unit) or _UNITS[unit[0]]
    value = printed_interval(text, unit_bytes, "exact" if unit == "bytes" else "nearest-2-digits")
    return unavailable(text) if (value.value or 0) >= _NO_SIZE else value
