"""`torch.cuda.memory_stats()`, kept as JSON, as JSON lines, or as Python prints it (evidence_formats 2.1).

Bytes and counts, exact. Neither the device nor the time since when the peaks run is inside. `num_ooms`
above zero is a failure without an amount.
"""

from __future__ import annotations

from collections.abc import Iterable

from fiche.importers._json import (
    NotJsonError,
    Path,
    document,
    not_json,
    pointer,
    shape_wrong,
    value_of,
    walk,
    whole,
)
from fiche.importers._lines import holds
from fiche.importers._oom_counters import OomCounts
from fiche.importers._opened import opened
from fiche.importers._printed_stats import printed_groups
from fiche.importers._refusal import refused
from fiche.importers._scan import Lines
from fiche.importers._sheet import Sheet
from fiche.importers._stats_groups import LEVEL, Group, groups
from fiche.importers._unsupported import nothing_found
from fiche.kernel.address import Pointer
from fiche.kernel.diagnostic import Refused
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.rounding import exact_bytes
from fiche.kernel.said import tell

_ANCHORS = (
    b"ed_bytes",
    b"active_bytes",
    b"inactive_split",
    b".all.",
    b"num_alloc_retries",
    b"num_ooms",
)
_SURE = lazy(
    rb"['\"](?:allocated|reserved|active|requested|inactive_split)_bytes"
    rb"(?:\.(?:all|large_pool|small_pool)\.(?:current|peak)['\"]\s{0,9}[:,]\s{0,9}-?[0-9]"
    rb"|['\"]\s{0,9}:\s{0,200}\{\s{0,200}['\"](?:all|large_pool|small_pool)['\"]\s{0,9}:)"
)
# A line of a log may begin with a bracket too: [rank0], [2026-01-15 10:00:00].
_DOCUMENT = lazy(rb"\s{0,1000}(?:\{|\[\s{0,200}[\[{])")
_PYTHON = lazy(rb"\s{0,1000}[\[{]\s{0,200}(?:'|[0-9(]|OrderedDict)")
_OOMS = lazy(rb'"num_ooms"\s{0,9}:')
# What only the native allocator counts, whatever is in use.
_NATIVE = ("allocation.all.current", "segment.all.current", "allocated_bytes.all.allocated")
_KEPT_ASYNC = ("allocated_bytes.all", "active_bytes.all", "reserved_bytes.all")


def read(content: bytes, sha256: str) -> Reading:
    """Every set of statistics of a file: levels and peaks, counts, failures.

    Raises:
        Refused: broken JSON (F428), a value that is no count (F429), no statistics in it (F424).
    """
    text = opened(content, sha256)
    shape, sets = _sets(text, sha256)
    sheet, counts = Sheet(sha256), OomCounts()
    found = []
    for line, group in sets:
        if group is None:
            sheet.warn(
                tell(
                    "truncated: the statistics on line {line} break off and are left out",
                    line=str(line),
                )
            )
            continue
        found.append(group)
        _read_group(sheet, counts, group, line)
    if not found and sets:
        hint = "copy the log again: statistics that are cut are read in no part"
        raise refused("F428", "the statistics break off", sha256, line=sets[0][0], hint=hint)
    if not found:
        raise nothing_found(text, sha256, "statistics of torch.cuda.memory_stats")
    counts.close(sheet)
    _warn(sheet, found)
    xpu = all(group.xpu for group in found)
    return sheet.reading("torch_memory_stats", shape, "xpu" if xpu else "cuda")


_Sets = list[tuple[int | None, Group | None]]


def _sets(text: bytes, sha256: str) -> tuple[str, _Sets]:
    if _DOCUMENT.match(text) is None or _PYTHON.match(text):
        return "python-repr", list(printed_groups(text))
    first, _, rest = text.lstrip().partition(b"\n")
    if rest.strip() and first.startswith(b"{") and _is_value(first):
        return _or_printed(text, "jsonl", [*_of_lines(text, sha256)])
    found = groups(_leaves(document(text, sha256, "statistics of torch.cuda.memory_stats")))
    _place_ooms(text, found)
    flat = any("." in str(path[-1]) for group in found for _, path in group.members.values())
    return _or_printed(text, "flat-keys" if flat else "nested", [(None, one) for one in found])


def _or_printed(text: bytes, shape: str, found: _Sets) -> tuple[str, _Sets]:
    """What was found; where nothing was, statistics that a structured log holds as a text."""
    return (shape, found) if found else ("python-repr", list(printed_groups(text)))


def _place_ooms(text: bytes, found: list[Group]) -> None:
    """A failure is named by its line too: the keys stand in the order of the sets."""
    with_count = [group for group in found if "num_ooms" in group.members]
    keys = [match.start() for match in _OOMS.finditer(text)]
    numbers = Lines(text)
    if len(keys) == len(with_count):
        for group, at in zip(with_count, keys, strict=True):
            group.ooms_line = numbers.number(at)


def _is_value(line: bytes) -> bool:
    try:
        value_of(line)
    except NotJsonError:
        return False
    return True


def _leaves(value: object) -> Iterable[tuple[Path, object]]:
    return ((path, item) for path, item in walk(value) if not isinstance(item, dict | list))


def _of_lines(text: bytes, sha256: str) -> Iterable[tuple[int, Group | None]]:
    """One object a line; the last one may break off, for a process that ends badly leaves it so."""
    end = len(text.rstrip())
    at = 0
    for number, line in enumerate(text.split(b"\n"), 1):
        at += len(line) + 1
        if not line.lstrip().startswith(b"{"):
            continue
        try:
            value = value_of(line)
        except NotJsonError as error:
            if at >= end:
                yield number, None
                return
            error.line = number
            raise not_json(error, sha256, "one object a line") from None
        for group in groups(_leaves(value)):
            yield number, group


def _read_group(sheet: Sheet, counts: OomCounts, group: Group, line: int | None) -> None:
    unmeasured = _unmeasured(group)
    for key, (value, path) in group.members.items():
        known = group.ooms_line if key == "num_ooms" and group.ooms_line else line
        at = pointer(sheet.sha256, path, value, known)
        count = _count(value, at, sheet.sha256, key)
        level = LEVEL.fullmatch(key)
        if count is None:
            sheet.warn(tell("missing_value: a value is empty: it is missing, not zero"))
        elif level is None:
            _other(sheet, counts, group, at, key, count)
        elif not unmeasured or level["counter"] in _KEPT_ASYNC:
            sheet.see(
                at,
                level["counter"],
                exact_bytes(count),
                scope="process_allocator",
                stat=level["stat"],
                device_index=group.device,
                rank=group.rank,
                label=group.label,
                marks={} if group.step is None else {"step": group.step},
            )
    if unmeasured:
        _say_unmeasured(sheet, group, line)


def _count(value: object, at: Pointer, sha256: str, key: str) -> int | None:
    """A whole number; None where the value is empty; anything else is refused."""
    if value is None:
        return None
    count = whole(value)
    if count is not None and (count >= 0 or key == "max_split_size"):
        return count
    message = f"{key} is {str(value)[:60]!r}, and no count"
    if at.line is None:
        raise shape_wrong(tuple((at.path or "")[1:].split("/")), message, sha256)
    raise refused("F429", message, sha256, line=at.line, hint="bytes and counts are whole numbers")


def _other(
    sheet: Sheet, counts: OomCounts, group: Group, at: Pointer, key: str, count: int
) -> None:
    """Counts: those of failures and retries apart, levels of pieces as further figures."""
    if key == "num_ooms":
        counts.ooms(at, count, group.device, group.rank, "xpu" if group.xpu else "cuda")
    elif key.startswith("num_"):
        counts.count(key, count, group.device, group.rank)
        if key == "num_oom_rejections" and count:
            sheet.warn(
                tell(
                    "rejected_by_limit: allocations were refused by a limit set for the process before "
                    "the driver was asked"
                )
            )
    elif key == "max_split_size" and count >= 0:
        sheet.further["max_split_size"] = count


def _unmeasured(group: Group) -> bool:
    """True where the backend cudaMallocAsync left all but three sums at zero."""
    kept = {f"{name}.{stat}" for name in _KEPT_ASYNC for stat in ("current", "peak")}
    others = [group.value(key) for key in group.members if key not in (*kept, "max_split_size")]
    native = any(key in group.members for key in _NATIVE)
    return native and not any(others) and any(group.value(key) for key in kept)


def _say_unmeasured(sheet: Sheet, group: Group, line: int | None) -> None:
    place = pointer(sheet.sha256, group.path, "", line)
    reason = tell(
        "the cudaMallocAsync backend keeps only the sums of allocated, active and reserved; "
        "the other zeros are not measurements"
    )
    sheet.plan(place, "requested, pools, totals, counts: 0", reason)
    sheet.warn(
        tell(
            "zero_may_be_unmeasured: all but three sums are zero, as under cudaMallocAsync, "
            "whose reserved peak may be an upper bound"
        )
    )


def _warn(sheet: Sheet, found: list[Group]) -> None:
    if any(group.device is None for group in found):
        sheet.warn(tell("device_not_named: the file does not say of which device the figures are"))
    if not any(
        group.value(key) for group in found for key in group.members if key != "max_split_size"
    ):
        sheet.warn(
            tell(
                "zero_may_be_unmeasured: every figure is zero: nothing was allocated, or not counted"
            )
        )
    sheet.warn(
        tell("window_not_named: the file does not say since when its peaks run: they can be reset")
    )


def accepts(content: bytes, name: str) -> int:
    """92 for a document of statistics, 80 for statistics printed in a log."""
    if not holds(content, _ANCHORS):
        return 0
    try:
        if _SURE.search(content) is None:
            return 0
    except Refused:
        return 0
    return 92 if _DOCUMENT.match(content) else 80


MEMBER = Importer(
    name="torch_memory_stats",
    title="Statistics of PyTorch's allocator (torch.cuda.memory_stats)",
    accepts=accepts,
    read=read,
    anchors=_ANCHORS,
    log=True,
)
