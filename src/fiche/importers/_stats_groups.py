"""Sets of `torch.cuda.memory_stats` inside a document: flat keys or nested ones, and what stands beside them.

A set is the members that share a path. The words beside it and above it tell the device, the rank and
the step; where they do not, nobody knows them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from fiche.importers._json import Path, whole
from fiche.kernel.lazy import lazy

_POOLS = r"(?:all|large_pool|small_pool)"
_BYTES = r"(?:allocated|reserved|active|inactive_split|requested)_bytes"
_COUNTS = r"(?:allocation|segment|active|inactive_split)"
_STATS = r"(?:current|peak|allocated|freed)"
LEVEL = lazy(
    rf"(?P<counter>{_BYTES}\.(?P<pool>{_POOLS})"
    rf"|reserved_bytes_by_private_pools\.[\w-]{{1,60}}(?:\.{_POOLS})?)\.(?P<stat>current|peak)"
)
_KEY = lazy(
    rf"{_BYTES}\.{_POOLS}\.{_STATS}|{_COUNTS}\.{_POOLS}\.{_STATS}"
    rf"|reserved_bytes_by_private_pools\.[\w-]{{1,60}}(?:\.{_POOLS})?\.{_STATS}"
    rf"|oversize_(?:allocations|segments)\.{_STATS}"
    r"|num_(?:ooms|alloc_retries|sync_all_streams|device_alloc|device_free|oom_rejections)|max_split_size"
)
_FIRST = frozenset(
    {
        *("allocated_bytes", "reserved_bytes", "active_bytes", "requested_bytes"),
        *("inactive_split_bytes", "reserved_bytes_by_private_pools"),
        *("allocation", "segment", "active", "inactive_split", "max_split_size"),
        *("oversize_allocations", "oversize_segments", "num_ooms", "num_alloc_retries"),
        *("num_sync_all_streams", "num_device_alloc", "num_device_free", "num_oom_rejections"),
    }
)
_DEVICE = lazy(r"(?i)(?P<maker>cuda|hip|xpu|gpu|dev(?:ice)?|card)?[ :_#-]{0,2}(?P<index>\d{1,4})")
_RANK = lazy(r"(?i)(?:rank|worker|proc(?:ess)?)[ :=_-]{0,2}(?P<index>\d{1,5})")
_DEVICE_WORDS = ("device", "device_index", "device_id", "gpu", "gpu_id", "gpu_index", "cuda_device")
_RANK_WORDS = ("rank", "global_rank")
_STEP_WORDS = ("step", "global_step", "iteration", "iter", "train/global_step")


@dataclass(slots=True)
class Group:
    """One set: its path, its members by flat key (value and path of each), and what is known of it.

    `ooms_line` is the line of `num_ooms`, where it is known.
    """

    path: Path
    members: dict[str, tuple[object, Path]] = field(default_factory=dict)
    device: int | None = None
    rank: int | str | None = None
    step: int | None = None
    xpu: bool = False
    label: str = ""
    ooms_line: int | None = None

    def value(self, key: str) -> int | None:
        """A member as a whole number; None where it is missing, empty or something else."""
        return whole(self.members[key][0]) if key in self.members else None


def groups(leaves: Iterable[tuple[Path, object]]) -> list[Group]:
    """The sets among the leaves of a document, in order; sets without any level in bytes are left out."""
    found: dict[Path, Group] = {}
    words: dict[Path, dict[str, object]] = {}
    for path, value in leaves:
        place = next((n for n, part in enumerate(path) if _first(part)), None)
        if place is None:
            if path:
                words.setdefault(path[:-1], {})[str(path[-1]).casefold()] = value
            continue
        key = ".".join(str(part) for part in path[place:])
        if _KEY.fullmatch(key):
            group = found.setdefault(path[:place], Group(path[:place]))
            group.members[key] = (value, path)
    kept = [group for group in found.values() if any(map(LEVEL.fullmatch, group.members))]
    for group in kept:
        _describe(group, words)
    return kept


def _first(part: str | int) -> bool:
    return isinstance(part, str) and part.partition(".")[0] in _FIRST


def _describe(group: Group, words: dict[Path, dict[str, object]]) -> None:
    """Read device, rank and step from the path and from the words beside it, the nearest first."""
    for depth in range(len(group.path), -1, -1):
        beside = words.get(group.path[:depth], {})
        if group.rank is None:
            group.rank = _whole_of(beside, _RANK_WORDS)
        if group.step is None:
            group.step = _whole_of(beside, _STEP_WORDS)
        for word in _DEVICE_WORDS:
            if group.device is None and word in beside:
                _device(group, str(beside[word]))
        if depth:
            _part(group, group.path[depth - 1])
    places = [str(part) for part in group.path if isinstance(part, int)]
    if places and group.device is None:
        group.label = f"entry {'/'.join(places)}"


def _part(group: Group, part: str | int) -> None:
    """What a key above the set says; the place in a list is no device."""
    if isinstance(part, int):
        return
    rank = _RANK.fullmatch(part.strip())
    if rank is not None and group.rank is None:
        group.rank = int(rank["index"])
    elif rank is None and group.device is None:
        _device(group, part)


def _device(group: Group, text: str) -> None:
    match = _DEVICE.fullmatch(text.strip())
    if match is not None:
        group.device = int(match["index"])
        group.xpu = (match["maker"] or "").casefold() == "xpu"


def _whole_of(beside: dict[str, object], names: tuple[str, ...]) -> int | None:
    return next((value for name in names if (value := whole(beside.get(name))) is not None), None)
