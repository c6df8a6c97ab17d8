"""Memory metrics of Hugging Face's Trainer: its JSON files, its state, its dictionaries, its table.

transformers 5.24.0, `trainer_utils.py` and `trainer_pt_utils.py` (evidence_formats 4). Bytes of torch's
allocator on rank 0's current device, and of the host process. A stage's peak is its beginning plus both of
its deltas, and only the beginning of `init` is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from fiche.importers import _training
from fiche.importers._entries import Entry, Value, entries, is_document
from fiche.importers._figures import MIB, floored
from fiche.importers._json import whole
from fiche.importers._lines import Line, holds, lines, spaced
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Printed, Reading
from fiche.kernel.rounding import bounds_only, exact_bytes
from fiche.kernel.said import tell

_KEYS = (
    r"before_init_mem_(?:cpu|gpu)|(?:init|train|eval|test)_mem_(?:cpu|gpu)_(?:alloc|peaked)_delta"
)
_ANCHORS = (b"_mem_cpu", b"_mem_gpu")
_STATE = b'"log_history"'
_ROW = spaced(rf"(?P<key>{_KEYS}) = (?P<value>-?[0-9]{{1,15}}) MB")
_MEANING = lazy(
    r"(?P<stage>before_init|init|train|eval|test)_mem_(?P<where>cpu|gpu)(?:_(?P<what>alloc|peaked)_delta)?"
)
_STATS = {None: "current", "alloc": "delta", "peaked": "peak_delta"}
_SCOPES = {"cpu": "host_process", "gpu": "process_allocator"}
_UNKNOWN_START = tell("the stage's starting level is written for init only")


def read(content: bytes, sha256: str) -> Reading:
    """Every metric of memory, and the absolute peak of `init`, which alone follows from them.

    Raises:
        Refused: a broken document (F428), or no such metric (F424).
    """
    sheet = Sheet(sha256)
    for entry in entries(content, sha256, _KEYS, _ANCHORS, "the Trainer's file"):
        _note(sheet, entry, {value.key: _bytes(value.text) for value in entry.values})
    shape = _shape(sheet, content)
    if sheet.empty:
        shape = "printed-table"
        for entry in _tables(content):
            figures = {v.key: _mebibytes(v.text, v.key) for v in entry.values}
            _note(sheet, entry, figures)
            sheet.warn(_training.binary("MB", 20))
    if sheet.empty:
        raise nothing_found(
            content, sha256, "memory metrics of the Trainer, which are off by default"
        )
    sheet.warn(_training.RANK_0)
    sheet.warn(_training.DEVICE)
    return sheet.reading("hf_trainer_metrics", shape)


def _shape(sheet: Sheet, content: bytes) -> str:
    if all(seen.pointer.path is None for seen in sheet.observations):
        return "log-lines"
    return "trainer-state" if _STATE in content else "all-results"


def _bytes(text: str) -> Printed | None:
    count = whole(text)
    return None if count is None else exact_bytes(count, text)


def _mebibytes(text: str, key: str) -> Printed:
    return floored(text, "MB", MIB, signed=key.endswith("_alloc_delta"))


def _tables(content: bytes) -> Iterator[Entry]:
    """The rows of the printed tables; a table ends where one of its keys comes again."""
    rows: dict[str, Value] = {}
    for line in lines(content, _ANCHORS):
        row = line.search(_ROW)
        if row is None:
            continue
        if row["key"] in rows:
            yield Entry(tuple(rows.values()))
            rows = {}
        rows[row["key"]] = Value(row["key"], row["value"], line)
    if rows:
        yield Entry(tuple(rows.values()))


def _note(sheet: Sheet, entry: Entry, figures: Mapping[str, Printed | None]) -> None:
    for value in entry.values:
        meaning = _MEANING.fullmatch(value.key)
        figure = figures[value.key]
        if meaning is None or figure is None:
            sheet.warn(
                tell(
                    "not_available: {key} is printed as {text}",
                    key=value.key,
                    text=f"{value.text!r}",
                )
            )
            continue
        sheet.see(
            value.place,
            value.key,
            figure,
            scope=_SCOPES[meaning["where"]],
            stat=_STATS[meaning["what"]],
            rank=_rank(value.place),
            marks=_marks(meaning["stage"], entry.step),
        )
        if meaning["what"] == "peaked" and meaning["where"] == "gpu":
            _peak(sheet, entry, meaning["stage"], figures)


def _rank(place: object) -> int | str | None:
    return place.speaker.rank if isinstance(place, Line) else None


def _marks(stage: str, step: int | None) -> dict[str, object]:
    return {"stage": stage} if step is None else {"stage": stage, "step": step}


def _peak(sheet: Sheet, entry: Entry, stage: str, figures: Mapping[str, Printed | None]) -> None:
    """The absolute peak of `init`; that of another stage is not known."""
    key = f"{stage}_mem_gpu_peaked_delta"
    terms = [
        figures.get(name)
        for name in ("before_init_mem_gpu", f"{stage}_mem_gpu_alloc_delta", key)
        if stage == "init"
    ]
    if stage != "init":
        text = f"the absolute peak of the {stage} stage"
        if all(text != each.text for each in sheet.aside):
            sheet.plan(entry.place(key), text, _UNKNOWN_START)
        return
    sum_of = _sum([term for term in terms if term is not None])
    if sum_of is not None and len(terms) == 3 and None not in terms:
        sheet.see(
            entry.place(key),
            "init_mem_gpu.peak",
            sum_of,
            scope="process_allocator",
            stat="peak",
            marks={**_marks(stage, entry.step), "derived": True},
        )


def _sum(terms: list[Printed]) -> Printed | None:
    lows, highs = [t.low for t in terms], [t.high for t in terms]
    low = sum(n for n in lows if n is not None)
    high = sum(n for n in highs if n is not None)
    if None in lows or None in highs or high < 0:
        return None
    text = " + ".join(term.text for term in terms)
    return exact_bytes(low) if low == high else bounds_only(text, max(0, low), high)


def accepts(content: bytes, name: str) -> int:
    """90 for the metrics themselves; 6 for a trainer's state, which may hold none."""
    if holds(content, _ANCHORS) and re.search(_KEYS.encode(), content):
        return 92 if is_document(content) else 90
    return 6 if _STATE in content and is_document(content) else 0


MEMBER = Importer(
    name="hf_trainer_metrics",
    title="Memory metrics of Hugging Face's Trainer",
    accepts=accepts,
    read=read,
    anchors=(*_ANCHORS, _STATE),
    log=True,
)
