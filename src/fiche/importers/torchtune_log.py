"""torchtune's memory statistics: three lines after a stage, peaks in the line of a step.

torchtune 0.6.1, `training/memory.py`, and older versions as stored (evidence_formats 4): GiB in newer versions,
GB of 10**9 bytes in older ones, under the same words. Each reading resets the peaks. The metrics of a step
bear no unit: printed in full, they are whole blocks of the allocator in one of the two units only.
"""

from __future__ import annotations

import re
from fractions import Fraction

from fiche.importers import _training
from fiche.importers._figures import GIB, full, nearest
from fiche.importers._lines import NUMBER, Line, holds, lines, spaced
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Printed, Reading
from fiche.kernel.said import tell

_FIGURES = (
    b"peak memory allocation:",
    b"peak memory reserved:",
    b"peak memory active:",
    b"peak_memory_a",
    b"peak_memory_reserved",
)
_TABLE = b"CUDA Mem"
_TOLD = (b"torchtune.", b"Memory used:", b"Max memory allocated:")
_UNITS = {"GiB": GIB, "GB": 10**9}
_STAGE = spaced(
    r"(?P<platform>GPU|XPU|NPU|MPS) peak memory (?P<what>allocation|reserved|active): "
    rf"(?P<value>{NUMBER}) (?P<unit>GiB|GB)\b"
)
_METRIC = lazy(
    rf"\bpeak_memory_(?P<what>alloc|reserved|active)\s{{0,3}}[:=]\s{{0,3}}(?P<value>{NUMBER})"
)
_STEP = lazy(r"\bStep\s{1,9}(?P<step>[0-9]{1,12})\b")
_GENERATED = spaced(
    rf"(?:Memory used: (?P<old>{NUMBER}) GB|Max memory allocated: (?P<new>{NUMBER}) GiB)"
)
_OPERATORS = lazy(r"\bName\b[^\n]{0,400}\bCUDA Mem\b")
_LABEL = lazy(r"(?P<label>Memory [Ss]tats[^:\n]{0,100}):{1,2}\s{0,9}$")
_LABEL_REACH = 3
_COUNTERS = {"allocation": "allocated_bytes", "alloc": "allocated_bytes"}
_BACKENDS = {"XPU": "xpu", "MPS": "mps"}
_BLOCK = 512


def read(content: bytes, sha256: str) -> Reading:
    """Every peak, with the words above it as label.

    Raises:
        Refused: none of these lines is there (F424).
    """
    sheet = Sheet(sha256)
    backends, shapes = set(), []
    for line in lines(content, (*_FIGURES, *_TOLD, _TABLE)):
        stage = _training.fits(line, "peak memory", _STAGE)
        if stage is not None:
            _stage(sheet, line, stage)
            backends.add(_BACKENDS.get(stage["platform"]))
            shapes.append("stage-lines")
        elif _metrics(sheet, line):
            shapes.append("step-metrics")
        _others(sheet, line)
    if sheet.empty:
        raise nothing_found(content, sha256, "torchtune's memory statistics")
    sheet.warn(_training.WINDOW)
    if all(seen.rank is None for seen in sheet.observations):
        sheet.warn(
            tell(
                "rank_not_named: the lines do not say which rank printed them, nor of which device"
            )
        )
    shape = shapes[0] if shapes else "generation"
    return sheet.reading("torchtune_log", shape, backends.pop() if len(backends) == 1 else None)


def _stage(sheet: Sheet, line: Line, found: re.Match[str]) -> None:
    unit = found["unit"]
    if unit == "GB":
        sheet.warn(tell("unit_label_is_decimal: GB is 10**9 bytes in the versions that print it"))
    sheet.see(
        line,
        _COUNTERS.get(found["what"], f"{found['what']}_bytes"),
        nearest(found["value"], f" {unit}", _UNITS[unit]),
        scope="process_allocator",
        stat="peak",
        label=_label(line),
        window="since_previous_line",
    )


def _label(line: Line) -> str:
    above = _training.line_before(line)
    for _ in range(_LABEL_REACH):
        if above is None:
            break
        told = _LABEL.search(above.raw)
        if told is not None:
            return told["label"]
        above = _training.line_before(above)
    return ""


def _metrics(sheet: Sheet, line: Line) -> bool:
    """Note the peaks of a step; those whose unit the figures do not tell are set aside."""
    step = _STEP.search(line.text)
    metrics = [(m["what"], m["value"]) for m in _METRIC.finditer(line.text)]
    values = {what: _value(number) for what, number in metrics}
    for what, number in metrics:
        value = values[what]
        if value is None:
            sheet.plan(
                line,
                f"peak_memory_{what}: {number}",
                tell("its unit is not printed and does not follow"),
            )
            continue
        sheet.see(
            line,
            _COUNTERS.get(what, f"{what}_bytes"),
            value,
            scope="process_allocator",
            stat="peak",
            label=f"peak_memory_{what}",
            window="since_previous_line",
            marks={"step": int(step["step"])} if step is not None else {},
        )
        sheet.warn(
            tell(
                "unit_not_printed: it follows from the figures, which are whole blocks in it alone"
            )
        )
    return bool(metrics)


def _value(number: str) -> Printed | None:
    """The figure in the one unit in which it is whole blocks of the allocator; None where it is in neither."""
    fits = [unit for unit in _UNITS.values() if _whole_blocks(number, unit)]
    return full(number, "", fits[0]) if len(fits) == 1 and Fraction(number) else None


def _whole_blocks(number: str, unit: int) -> bool:
    value = Fraction(number) * unit
    near = round(value)
    # A float of 64 bits is printed to within a hundredth of a byte at these magnitudes.
    return near % _BLOCK == 0 and abs(value - near) < Fraction(1, 100)


def _others(sheet: Sheet, line: Line) -> None:
    generated = line.search(_GENERATED) if "torchtune" in line.raw else None
    if generated is not None:
        number, unit = generated["old"] or generated["new"], "GB" if generated["old"] else "GiB"
        value = nearest(number, f" {unit}", _UNITS[unit])
        sheet.see(
            line, "allocated_bytes", value, scope="process_allocator", stat="peak", label="generate"
        )
    if _OPERATORS.search(line.raw):
        sheet.plan(
            line,
            "CUDA Mem columns of the profiler's table",
            tell("sums of what each operator allocated and freed: no level of memory"),
        )
    if "torchtune." in line.raw:
        sheet.fact(line, "engine.name", "torchtune")


def accepts(content: bytes, name: str) -> int:
    """90 for its lines with figures; 80 for a generation's line that names the program."""
    if holds(content, _FIGURES) and _training.surely(content, _FIGURES, _STAGE, _METRIC):
        return 90
    if b"torchtune" in content and _training.surely(content, _TOLD[1:], _GENERATED):
        return 80
    return 0


MEMBER = Importer(
    name="torchtune_log",
    title="torchtune's memory statistics",
    accepts=accepts,
    read=read,
    anchors=(*_FIGURES, *_TOLD),
    log=True,
)
