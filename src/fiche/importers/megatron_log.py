"""Megatron-LM's and Megatron-Bridge's lines about memory, and the JSON of their tests.

Megatron-LM `training/utils.py` (stored; evidence_formats 4): `memory (MB) | allocated: ...`, bytes divided by
2**20, printed in full by older versions and with two decimals by newer ones; the oldest name no rank.
Megatron-Bridge prints `mem-...-gigabytes` of 10**9 bytes with five significant digits. The line of
theoretical footprints above them is computed. The tests' JSON holds scalars of TensorBoard.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from fiche.importers import _training
from fiche.importers._entries import is_document
from fiche.importers._figures import MIB, full, nearest
from fiche.importers._lines import NUMBER, Line, holds, lines, spaced
from fiche.importers._megatron_json import KEYS, scalars
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Printed, Reading
from fiche.kernel.said import tell

_ANCHORS = (
    b"memory (MB) |",
    b"memory (GB) |",
    b"Theoretical memory footprint",
    b"memory footprint per transformer layer",
)
_TOLD = (b"using world size:", b"for parameters ...")
_HEAD = spaced(r"\bmemory \([MG]B\) \|")
_FRONT = lazy(r"(?:\[Rank\s{1,9}(?P<rank>[0-9]{1,6})\])?(?P<label>[^|\[\]\n]{0,80})$")
_FRONT_REACH = 120
_FIELD = spaced(
    rf"\|? (?P<name>(?:max )?(?:allocated|reserved|cached)|total device memory used): (?P<value>{NUMBER})"
)
_KEYED = lazy(
    r"mem-(?P<max>max-)?(?P<what>allocated|active|inactive|reserved)-gigabytes:\s{0,9}(?P<value>"
    rf"{NUMBER}(?:e-?[0-9]{{1,3}})?)"
)
_RETRIES = lazy(r"mem-alloc-retires:\s{0,9}(?P<count>[0-9]{1,12})")
_THEORY = spaced(rf"Theoretical memory footprints: weight and optimizer= (?P<states>{NUMBER}) MB")
_THEORY_MORE = spaced(
    rf"(?:, activation= (?P<activation>{NUMBER}) MB)?(?:, total= (?P<total>{NUMBER}) MB)?"
)
_LAYER = spaced(
    rf"Activation memory footprint per transformer layer[^:]{{0,60}}: (?P<value>{NUMBER}) MB"
)
_COUNTERS = {
    "allocated": ("allocated_bytes", "current"),
    "max allocated": ("allocated_bytes", "peak"),
    "reserved": ("reserved_bytes", "current"),
    "max reserved": ("reserved_bytes", "peak"),
    "cached": ("reserved_bytes", "current"),
    "max cached": ("reserved_bytes", "peak"),
}
_DEVICE_WIDE = "total device memory used"
# A terminal that breaks a line takes the blank there with it.
_NAMES = {name.replace(" ", ""): name for name in (*_COUNTERS, _DEVICE_WIDE)}
_KEYED_COUNTERS = {"inactive": "inactive_split_bytes"}
_BLOCK = 512  # torch's allocator counts in blocks of this many bytes
_WORDS = lazy(
    r"(?P<key>world|data-parallel|context-parallel|(?<!encoder-)tensor-model-parallel"
    r"|(?<!encoder-)pipeline-model-parallel)[ -]size:\s{0,9}(?P<value>[0-9]{1,6})"
)
_PATHS = {
    "world": "placement.devices",
    "data-parallel": "placement.data_parallel",
    "context-parallel": "placement.context_parallel",
    "tensor-model-parallel": "placement.tensor_parallel",
    "pipeline-model-parallel": "placement.pipeline_parallel",
}
_FORMAT = lazy(r"using torch\.(?P<name>bfloat16|float16|half|float32) for parameters \.\.\.")
_FORMATS = {"bfloat16": "bf16", "float16": "fp16", "half": "fp16", "float32": "fp32"}
_DECIMAL = 10**9


def read(content: bytes, sha256: str) -> Reading:
    """Measured figures of every rank that prints; footprints and layers as plans.

    Raises:
        Refused: a broken JSON document (F428), or none of these lines or keys (F424).
    """
    sheet = Sheet(sha256)
    if is_document(content) and holds(content, KEYS):
        scalars(sheet, content)
        shape = "ci-json"
    else:
        shape = _read_lines(sheet, content)
    if sheet.empty:
        raise nothing_found(content, sha256, "a line of Megatron about memory")
    return sheet.reading("megatron_log", shape)


def _read_lines(sheet: Sheet, content: bytes) -> str:
    shape = ""
    for line in lines(content, (*_ANCHORS, *_TOLD)):
        for text, rank, label in _reports(line):
            found = _report(sheet, line, text, rank, label) or _keyed(
                sheet, line, text, rank, label
            )
            shape = shape or found
        _theory(sheet, line)
        _facts(sheet, line)
    return shape or "theoretical"


def _reports(line: Line) -> Iterator[tuple[str, int | str | None, str]]:
    """The reports of a line with their rank and label: two ranks may share one line."""
    text = line.raw
    heads = list(_HEAD.finditer(text))
    if heads and _unfinished(text[heads[-1].end() :]):
        text = line.joined
        heads = list(_HEAD.finditer(text))
    for place, head in enumerate(heads):
        end = heads[place + 1].start() if place + 1 < len(heads) else len(text)
        front = _FRONT.search(text[max(0, head.start() - _FRONT_REACH) : head.start()])
        told = front.groupdict() if front is not None else {}
        rank = int(told["rank"]) if told.get("rank") else line.speaker.rank
        label = re.sub(r"\s{1,60}", " ", told.get("label") or "").strip(" ()")
        yield text[head.end() - 1 : end], rank, label


def _unfinished(text: str) -> bool:
    """True where a report lacks its last fields: a terminal wrapped it."""
    return len(_FIELD.findall(text)) < 4 and len(_KEYED.findall(text)) < 1


def _report(sheet: Sheet, line: Line, text: str, rank: int | str | None, label: str) -> str:
    fields = [
        (_NAMES[re.sub(r"\s{1,60}", "", f["name"])], f["value"]) for f in _FIELD.finditer(text)
    ]
    rounded = bool(fields) and all(_decimals(number) == 2 for _, number in fields)
    for name, number in fields:
        value = _mebibytes(number, rounded=rounded)
        if name == _DEVICE_WIDE:
            sheet.see(
                line,
                "device_used",
                value,
                scope="device",
                stat="current",
                rank=rank,
                label=label,
            )
            continue
        counter, stat = _COUNTERS[name]
        sheet.see(
            line, counter, value, scope="process_allocator", stat=stat, rank=rank, label=label
        )
    if fields:
        sheet.warn(_training.binary("MB", 20))
        _ranks(sheet, rank)
    return "report-memory" if fields else ""


def _ranks(sheet: Sheet, rank: int | str | None) -> None:
    if rank is None:
        sheet.warn(tell("rank_not_named: this version does not print which rank a line is of"))
    else:
        sheet.warn(
            tell(
                "some_ranks_only: the first data-parallel rank of each group prints; the others may "
                "hold more"
            )
        )


def _decimals(number: str) -> int:
    return len(number.partition(".")[2])


def _mebibytes(number: str, *, rounded: bool) -> Printed:
    """In full where the figure is whole blocks of the allocator, else as many decimals as it has."""
    exact = Fraction(number) * MIB
    if not rounded and exact.denominator == 1 and exact % _BLOCK == 0:
        return full(number, "", MIB)
    if not rounded and _decimals(number) > 6:
        return full(number, "", MIB)
    return nearest(number, "", MIB)


def _keyed(sheet: Sheet, line: Line, text: str, rank: int | str | None, label: str) -> str:
    found = False
    for key in _KEYED.finditer(text):
        found = True
        counter = _KEYED_COUNTERS.get(key["what"], f"{key['what']}_bytes")
        sheet.see(
            line,
            counter,
            _significant(key["value"]),
            scope="process_allocator",
            stat="peak" if key["max"] else "current",
            rank=rank,
            label=label,
        )
    retries = _RETRIES.search(text)
    if retries is not None:
        known = sheet.counters.get("num_alloc_retries", 0)
        sheet.counters["num_alloc_retries"] = max(known, int(retries["count"]))
    if found:
        sheet.warn(tell("unit_label_is_decimal: a gigabyte of this program is 10**9 bytes"))
        _ranks(sheet, rank)
    return "bridge-memory" if found else ""


def _significant(number: str) -> Printed:
    """Five significant digits of gigabytes of 10**9 bytes."""
    if "e" in number:
        mantissa, _, exponent = number.partition("e")
        unit = max(1, _DECIMAL // 10 ** min(9, abs(int(exponent))))
        return nearest(mantissa, f"e{exponent}", unit, 4)
    front = number.partition(".")[0].lstrip("-")
    behind = number.partition(".")[2]
    leading = len(front) if front != "0" else len(behind.lstrip("0")) - len(behind)
    return nearest(number, "", _DECIMAL, max(0, 5 - leading))


def _theory(sheet: Sheet, line: Line) -> None:
    """Footprints that Megatron computes before it reports what it measured."""
    found = _training.fits(line, "Theoretical", _THEORY)
    if found is not None:
        more = _THEORY_MORE.match(found.string, found.end())
        terms = {"weight and optimizer": found["states"]}
        terms |= {k: v for k, v in (more.groupdict() if more is not None else {}).items() if v}
        for name, number in terms.items():
            _plan(sheet, line, f"theoretical {name}", number)
        text = found.string[found.start() : more.end() if more is not None else found.end()]
        sheet.plan(line, text, tell("computed by Megatron; nothing was measured"))
    layer = _training.fits(line, "per transformer layer", _LAYER)
    if layer is not None:
        _plan(sheet, line, "activation per transformer layer", layer["value"])
    if found is not None or layer is not None:
        sheet.warn(_training.COMPUTED)
        sheet.warn(_training.binary("MB", 20))


def _plan(sheet: Sheet, line: Line, label: str, number: str) -> None:
    value = nearest(number, " MB", MIB)
    name = f"megatron.{label.replace(' ', '_')}"
    sheet.see(line, name, value, scope="device", stat="need", origin="estimated", label=label)


def _facts(sheet: Sheet, line: Line) -> None:
    """The splitting and the format of parameters, as the first lines of a run state them."""
    if "using world size:" in line.text:
        for word in _WORDS.finditer(line.joined):
            sheet.fact(line, _PATHS[word["key"]], word["value"])
    told = _FORMAT.search(line.text)
    if told is not None:
        sheet.fact(line, "formats.compute", _FORMATS[told["name"]])


def accepts(content: bytes, name: str) -> int:
    """92 for the JSON of a test, 90 for a line of figures, 60 for computed footprints alone."""
    if is_document(content) and holds(content, KEYS):
        return 92
    if not holds(content, _ANCHORS):
        return 0
    if _training.surely(content, _ANCHORS[:2], _FIELD, _KEYED):
        return 90
    return 60 if _training.surely(content, _ANCHORS[2:], _THEORY, _LAYER) else 0


MEMBER = Importer(
    name="megatron_log",
    title="Megatron's lines about memory",
    accepts=accepts,
    read=read,
    anchors=(*_ANCHORS, *_TOLD, *KEYS),
    log=True,
)
