"""The JSON of Megatron's tests: scalars of TensorBoard by step (evidence_formats 4).

`{"mem-allocated-bytes": {"start_step": 1, "step_interval": 1, "values": {"1": 15871131648.0, ...}}}`, older
files with a list of values; the tests of inference hold a plain number.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.importers import _json
from fiche.importers._sheet import Sheet
from fiche.kernel.rounding import exact_bytes
from fiche.kernel.said import tell

KEYS = (
    b'"mem-allocated-bytes"',
    b'"mem-max-allocated-bytes"',
    b'"mem-reserved-bytes"',
    b'"mem-max-reserved-bytes"',
)
_NAMES = tuple(key.decode().strip('"') for key in KEYS)


def scalars(sheet: Sheet, content: bytes) -> None:
    """Note every scalar of memory.

    Raises:
        Refused: the document is broken (F428).
    """
    document = _json.document(content, sheet.sha256, "the JSON of a test")
    for path, item in _json.walk(document):
        if not isinstance(item, dict):
            continue
        for name in (name for name in _NAMES if name in item):
            for step, steps, value in _values(item[name]):
                _note(sheet, (*path, name, *steps), name, step, value)
    if not sheet.empty:
        sheet.warn(
            tell(
                "stored_as_float32: TensorBoard keeps 24 bits of a figure; the last digits may be "
                "rounded"
            )
        )
        sheet.warn(tell("device_not_named: the file says neither rank nor device"))


def _values(item: object) -> Iterator[tuple[int | None, _json.Path, object]]:
    """(step, path below the key, value) of a scalar in any of its forms."""
    if not isinstance(item, dict):
        yield None, (), item
        return
    values, start = item.get("values"), _json.whole(item.get("start_step")) or 0
    every = _json.whole(item.get("step_interval")) or 1
    if isinstance(values, dict):
        for step, value in values.items():
            yield _json.whole(step), ("values", step), value
    elif isinstance(values, list):
        for place, value in enumerate(values):
            yield start + place * every, ("values", place), value


def _note(sheet: Sheet, path: _json.Path, name: str, step: int | None, value: object) -> None:
    count = _json.whole(value)
    if count is None or count < 0:
        return
    stat = "peak" if "-max-" in name else "current"
    counter = "allocated_bytes" if "allocated" in name else "reserved_bytes"
    sheet.see(
        _json.pointer(sheet.sha256, path, value),
        counter,
        exact_bytes(count, str(value)),
        scope="process_allocator",
        stat=stat,
        label=name,
        marks={} if step is None else {"step": step},
    )
