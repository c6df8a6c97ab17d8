"""`export_memory_timeline` of torch.profiler (evidence_formats 3): bytes of tensors by category over time.

`.json` is [times in microseconds, rows]: a row is a constant 0 and eight categories after all events of one
microsecond. `.raw.json` is a list of events [nanoseconds or -1, action, signed bytes, category]. Counted are
the tensors that the profiler could attribute: below what the allocator held. The device is not in the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fiche.importers._json import document, pointer, shape_wrong, whole
from fiche.importers._opened import opened
from fiche.importers._refusal import refused
from fiche.importers._sheet import Sheet
from fiche.kernel.address import Pointer
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.rounding import exact_bytes
from fiche.kernel.said import tell

# torch/profiler/_memory_profiler.py of torch 2.0 to 2.13: the order of the columns, `None` last.
CATEGORIES = (
    "PARAMETER",
    "OPTIMIZER_STATE",
    "INPUT",
    "TEMPORARY",
    "ACTIVATION",
    "GRADIENT",
    "AUTOGRAD_DETAIL",
    "UNKNOWN",
)
_PREEXISTING, _CREATE, _NEW_VERSION, _DESTROY = 1, 2, 3, 4
_PARSED = 96 * 1024 * 1024
_WHAT = "memory timeline of torch.profiler"
_COUNTER = "profiler.tensor_bytes"
_TIMES = lazy(rb"\s{0,100}\[\s{0,100}\[(?:\s{0,20}-?[0-9]{1,20}\s{0,20},?){0,20}")
_ROW = lazy(rb"\[\s{0,20}0\s{0,20}(?:,\s{0,20}-?[0-9]{1,20}\s{0,20}){8}\]")
_EVENT = lazy(
    rb"\s{0,100}\[\s{0,100}\[\s{0,20}(?:-1|[0-9]{10,20})\s{0,20},\s{0,20}[1-4]\s{0,20},\s{0,20}-?[0-9]{1,20}"
    rb"\s{0,20},\s{0,20}[0-7]\s{0,20}\]"
)
_HTML = (b"GPU Memory Timeline HTML", b"<html")
# By level: the moment's place in the file, its bytes by category.
_Moment = tuple[int, Sequence[int]]


def read(content: bytes, sha256: str) -> Reading:
    """The level at the peak and at the end of the recorded window, with the categories at the peak.

    Raises:
        Refused: the picture form (F421), broken JSON (F428), another form (F429), no event (F424), too long
            to be taken apart (F425).
    """
    text = opened(content, sha256)
    if _is_picture(text):
        hint = "export it again under a name that ends in .json or .raw.json.gz: those hold the figures"
        message = "format not supported yet: memory timeline of torch.profiler as HTML, a picture"
        raise refused("F421", message, sha256, hint=hint)
    if len(text) > _PARSED:
        hint = "export a shorter window: a step or two show the peak"
        raise refused("F425", f"the {_WHAT} has more than {_PARSED} bytes", sha256, hint=hint)
    top = document(text, sha256, _WHAT)
    if not isinstance(top, list):
        raise shape_wrong((), f"the {_WHAT} is a list", sha256)
    sheet = Sheet(sha256)
    raw = bool(top) and isinstance(top[0], list) and len(top[0]) == len("tabc") and _flat(top)
    if raw:
        _events(sheet, top)
    else:
        _rows(sheet, top)
    sheet.warn(
        tell("device_not_named: the device was an argument of the export and is not in the file")
    )
    sheet.warn(
        tell(
            "attributed_only: counted are the tensors that the profiler saw, less than the "
            "allocator held"
        )
    )
    return sheet.reading("torch_profiler_timeline", "raw-events" if raw else "times-sizes")


def _is_picture(text: bytes) -> bool:
    head = text[:4096]
    return _HTML[0] in head and _HTML[1] in head.lower()


def _flat(top: list[object]) -> bool:
    """True for a list of lists of plain numbers: of [times, rows] the second holds lists."""
    return all(isinstance(row, list) and not any(isinstance(x, list) for x in row) for row in top)


def _rows(sheet: Sheet, top: list[object]) -> None:
    if len(top) != len(("times", "rows")):
        raise shape_wrong((), "the timeline is a list of times and a list of rows", sheet.sha256)
    times, rows = top
    if not isinstance(times, list) or not isinstance(rows, list) or len(times) != len(rows):
        raise shape_wrong((), "the timeline has one row for each time", sheet.sha256)
    if not rows:
        raise shape_wrong((1,), "the timeline has no moment in it", sheet.sha256)
    _note(sheet, _of_rows(rows, sheet.sha256), (1,))
    sheet.warn(
        tell(
            "sampled: what rose and fell within one microsecond is one row: its peak may be missed"
        )
    )
    sheet.further["samples"] = len(rows)


def _of_rows(rows: list[object], sha256: str) -> Iterator[_Moment]:
    for place, row in enumerate(rows):
        figures = [whole(x) for x in row] if isinstance(row, list) else []
        known = [x for x in figures if x is not None]
        if len(known) != len(CATEGORIES) + 1 or len(figures) != len(known) or known[0] != 0:
            message = f"a row is a 0 and {len(CATEGORIES)} categories in bytes"
            raise shape_wrong((1, place), message, sha256)
        yield place, known[1:]


def _events(sheet: Sheet, top: list[object]) -> None:
    _note(sheet, _replayed(sheet, top), ())
    sheet.further["events"] = len(top)


def _replayed(sheet: Sheet, top: list[object]) -> Iterator[_Moment]:
    """The levels after each event; a new version is two events, the level between them is none."""
    held = [0] * len(CATEGORIES)
    start: int | None = None
    for place, event in enumerate(top):
        action, count, category = _event(event, place, sheet.sha256)
        if action != _PREEXISTING and start is None:
            start = sum(held)
            _start(sheet, start, place)
        held[category] += count
        if not (action == _NEW_VERSION and count < 0):
            yield place, tuple(held)


def _start(sheet: Sheet, level: int, place: int) -> None:
    if level >= 0:
        at = pointer(sheet.sha256, (place,), f"before this event: {level}")
        _see(sheet, level, "start", at)


def _event(event: object, place: int, sha256: str) -> tuple[int, int, int]:
    figures = [whole(x) for x in event] if isinstance(event, list) else []
    known = [x for x in figures if x is not None]
    if len(known) == len(figures) == len("tabc"):
        time, action, count, category = known
        if _PREEXISTING <= action <= _DESTROY and 0 <= category < len(CATEGORIES) and time >= -1:
            return action, count, category
    message = "an event is a time, an action from 1 to 4, bytes and a category from 0 to 7"
    raise shape_wrong((place,), message, sha256)


def _note(sheet: Sheet, moments: Iterator[_Moment], path: tuple[int, ...]) -> None:
    """The largest of the moments, and the last one."""
    peak: _Moment | None = None
    last: _Moment | None = None
    for moment in moments:
        last = moment
        if peak is None or sum(moment[1]) > sum(peak[1]):
            peak = moment
    for stat, chosen in (("peak", peak), ("current", last)):
        if chosen is None:
            continue
        place, figures = chosen
        level = sum(figures)
        if level < 0:
            message = "more is freed than was ever there: events are missing"
            raise shape_wrong((*path, place), message, sheet.sha256)
        _see(sheet, level, stat, pointer(sheet.sha256, (*path, place), level))
    if peak is not None:
        sheet.further["by_category_at_peak"] = dict(zip(CATEGORIES, peak[1], strict=True))


def _see(sheet: Sheet, level: int, stat: str, at: Pointer) -> None:
    sheet.see(
        at,
        _COUNTER,
        exact_bytes(level),
        scope="process_allocator",
        stat=stat,
        window="trace",
    )


def accepts(content: bytes, name: str) -> int:
    """92 for the figures, also for the picture, which is then refused by name."""
    if _is_picture(content):
        return 92
    head = content[:4096]
    if _EVENT.match(head):
        return 92
    if _TIMES.match(head) is None:
        return 0
    return 92 if _ROW.search(content[: 1 << 16]) or _ROW.search(content[-4096:]) else 0


MEMBER = Importer(
    name="torch_profiler_timeline",
    title="Memory timeline of torch.profiler",
    accepts=accepts,
    read=read,
)
