"""The allocator's settings as torch 2.13 reads them from PYTORCH_ALLOC_CONF and PYTORCH_CUDA_ALLOC_CONF.

Source: `AcceleratorAllocatorConfig::parseArgs`, `CUDAAllocatorConfig::parseArgs`, and the keys of their
headers. Only what moves a level is kept; the rest is known, and said to move none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction

from fiche.kernel.record import record, replace
from fiche.kernel.said import tell
from fiche.simulate.allocator.amounts import INTERVALS, LARGE_SEGMENT, LEAST_OWN_SEGMENT, MIB

_ITEM = re.compile(r"([a-z0-9_]+):(\[[^\[\]]*\]|[^,:\[\]]+)(?:,|$)")
_WHOLE = re.compile(r"[0-9]{1,12}")
_DECIMAL = re.compile(r"[0-9]{0,9}\.?[0-9]{1,18}")
_WITHOUT_EFFECT = frozenset(
    {
        "graph_capture_record_stream_reuse",
        "pinned_free_catch_all",
        "pinned_max_cached_size_mb",
        "pinned_max_round_threshold_mb",
        "pinned_num_register_threads",
        "pinned_reserve_segment_size_mb",
        "pinned_use_background_threads",
        "pinned_use_cuda_host_register",
        "pinned_use_hip_host_register",
        "release_lock_on_cudamalloc",
        "release_lock_on_hipmalloc",
    }
)


class SettingsError(ValueError):
    """The text is refused, as torch refuses it, or asks for what is not modelled; the words say which."""


@record
class AllocatorSettings:
    """What moves a level. `capacity_bytes` is what the driver can give this process; None: no end.

    Bounds in bytes; `max_split_bytes` None: every block may be split. `roundup_power2_divisions` are
    told by interval (`amounts.INTERVALS`), 0 or 1 where requests are rounded to 512 bytes only.
    """

    expandable_segments: bool = False
    large_segment_bytes: int = LARGE_SEGMENT
    max_split_bytes: int | None = None
    max_non_split_rounding_bytes: int = LARGE_SEGMENT
    garbage_collection_threshold: Fraction = Fraction(0)
    roundup_power2_divisions: tuple[int, ...] = (0,) * INTERVALS
    per_process_memory_fraction: Fraction = Fraction(1)
    throw_on_cudamalloc_oom: bool = False
    capacity_bytes: int | None = None
    text: str = ""

    @classmethod
    def of(cls, text: str, capacity_bytes: int | None = None) -> AllocatorSettings:
        """The settings that a text of `key:value` pairs makes; an empty one makes torch's defaults.

        Raises:
            SettingsError: torch 2.13 refuses it, or it names another backend than `native`.
        """
        pairs = [*_pairs("".join(text.split()))]
        read = cls(capacity_bytes=capacity_bytes, text=text.strip())
        for key, value in pairs:  # read first by torch too: two other bounds depend on it
            if key == "large_segment_size_mb":
                read = _large_segment(read, value)
        for key, value in pairs:
            if key != "large_segment_size_mb" and key not in _WITHOUT_EFFECT:
                read = _READ[key](read, value)
        return read

    @property
    def allowed_bytes(self) -> int | None:
        """The most that may be reserved: set only by a fraction below 1 of a known capacity."""
        if self.capacity_bytes is None or self.per_process_memory_fraction >= 1:
            return None
        return self.capacity_bytes * self.per_process_memory_fraction // 1

    def remarks(self) -> tuple[str, ...]:
        """What was set and does nothing here, a sentence each."""
        said = []
        if self.garbage_collection_threshold and self.allowed_bytes is None:
            said.append(
                tell(
                    "garbage_collection_threshold does nothing without a memory fraction below 1 of a known "
                    "capacity: torch collects only below such a bound."
                )
            )
        elif self.garbage_collection_threshold and self.expandable_segments:
            said.append(tell("garbage_collection_threshold releases no expandable segment."))
        if self.per_process_memory_fraction < 1 and self.capacity_bytes is None:
            said.append(tell("The memory fraction bounds nothing while the capacity is not known."))
        return tuple(said)

    def told(self) -> dict[str, object]:
        """All of it in whole numbers, words and lists, for a document; fractions as text."""
        return {
            "capacity_bytes": self.capacity_bytes,
            "expandable_segments": self.expandable_segments,
            "garbage_collection_threshold": str(self.garbage_collection_threshold),
            "large_segment_bytes": self.large_segment_bytes,
            "max_non_split_rounding_bytes": self.max_non_split_rounding_bytes,
            "max_split_bytes": self.max_split_bytes,
            "per_process_memory_fraction": str(self.per_process_memory_fraction),
            "roundup_power2_divisions": [*self.roundup_power2_divisions],
            "text": self.text,
            "throw_on_cudamalloc_oom": self.throw_on_cudamalloc_oom,
        }


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Keys and values, white space gone: of a list, what stands between its brackets, with them."""
    known = {*_READ, *_WITHOUT_EFFECT}
    at = 0
    while at < len(text):
        match = _ITEM.match(text, at)
        if match is None:
            raise SettingsError(f"{text[at:]!r} is no `key:value` of an allocator's settings")
        if match[1] not in known:
            raise SettingsError(f"{match[1]!r} is no setting of torch 2.13's allocator")
        yield match[1], match[2]
        at = match.end()


def _mebibytes(key: str, value: str, least: int) -> int:
    if _WHOLE.fullmatch(value) is None or int(value) * MIB < least:
        raise SettingsError(
            f"{key} is {value!r}; a whole number of at least {-(-least // MIB)} is asked"
        )
    return int(value) * MIB


def _large_segment(read: AllocatorSettings, value: str) -> AllocatorSettings:
    num_bytes = _mebibytes("large_segment_size_mb", value, LEAST_OWN_SEGMENT + 1)
    return replace(read, large_segment_bytes=num_bytes, max_non_split_rounding_bytes=num_bytes)


def _max_split(read: AllocatorSettings, value: str) -> AllocatorSettings:
    most = _mebibytes("max_split_size_mb", value, read.large_segment_bytes)
    return replace(read, max_split_bytes=most)


def _max_non_split(read: AllocatorSettings, value: str) -> AllocatorSettings:
    most = _mebibytes("max_non_split_rounding_mb", value, read.large_segment_bytes)
    return replace(read, max_non_split_rounding_bytes=most)


def _share(key: str, value: str) -> Fraction:
    if _DECIMAL.fullmatch(value) is None or not 0 <= Fraction(value) <= 1:
        raise SettingsError(f"{key} is {value!r}; a decimal number from 0 to 1 is asked")
    return Fraction(value)


def _threshold(read: AllocatorSettings, value: str) -> AllocatorSettings:
    share = _share("garbage_collection_threshold", value)
    if share in (0, 1):
        raise SettingsError("garbage_collection_threshold must lie between 0 and 1, and be neither")
    return replace(read, garbage_collection_threshold=share)


def _fraction(read: AllocatorSettings, value: str) -> AllocatorSettings:
    share = _share("per_process_memory_fraction", value)
    return replace(read, per_process_memory_fraction=share)


def _truth(key: str, value: str) -> bool:
    if value not in ("True", "False"):
        raise SettingsError(f"{key} is {value!r}; True or False is asked")
    return value == "True"


def _expandable(read: AllocatorSettings, value: str) -> AllocatorSettings:
    return replace(read, expandable_segments=_truth("expandable_segments", value))


def _throw(read: AllocatorSettings, value: str) -> AllocatorSettings:
    return replace(read, throw_on_cudamalloc_oom=_truth("throw_on_cudamalloc_oom", value))


def _backend(read: AllocatorSettings, value: str) -> AllocatorSettings:
    if value != "native":
        raise SettingsError(
            f"the backend is {value!r}: the driver's own pools decide there what is reserved, and only the "
            "backend 'native' is modelled"
        )
    return read


def _divisions(read: AllocatorSettings, value: str) -> AllocatorSettings:
    if not value.startswith("["):
        every = _power_of_two("roundup_power2_divisions", value)
        return replace(read, roundup_power2_divisions=(every,) * INTERVALS)
    steps = [*read.roundup_power2_divisions]
    last: int | None = None
    for bound, _, number in (item.partition(":") for item in value[1:-1].split(",")):
        share = 0 if number == "0" else _power_of_two("roundup_power2_divisions", number)
        if bound == ">":
            first = 1 if last is None else last + 1
            steps[first:] = [share] * (INTERVALS - first)
            continue
        place = _power_of_two("an interval of roundup_power2_divisions", bound).bit_length() - 1
        place = min(place, INTERVALS - 1)
        # The first bound that is told speaks for all below it.
        for below in range(place if last is None else 0):
            steps[below] = share
        steps[place], last = share, place
    return replace(read, roundup_power2_divisions=tuple(steps))


def _power_of_two(key: str, value: str) -> int:
    if _WHOLE.fullmatch(value) is None or int(value).bit_count() != 1:
        raise SettingsError(f"{key} is {value!r}; a power of two is asked")
    return int(value)


_READ: dict[str, Callable[[AllocatorSettings, str], AllocatorSettings]] = {
    "backend": _backend,
    "expandable_segments": _expandable,
    "garbage_collection_threshold": _threshold,
    "large_segment_size_mb": _large_segment,
    "max_non_split_rounding_mb": _max_non_split,
    "max_split_size_mb": _max_split,
    "per_process_memory_fraction": _fraction,
    "roundup_power2_divisions": _divisions,
    "throw_on_cudamalloc_oom": _throw,
}
