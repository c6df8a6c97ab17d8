"""torchtitan's lines about memory: capacity, memory for the model, the line of each logged step.

torchtitan 0.3.0, `components/metrics.py` and `trainer.py` (evidence_formats 4). GiB with two decimals. A step's
`memory` is the peak of what the allocator reserved since the previous line; the percentage is of the capacity
printed at the start. Colours stand between the fields. Counts of retries and of failed allocations run on.
"""

from __future__ import annotations

import re

from fiche.importers import _training
from fiche.importers._figures import GIB, nearest
from fiche.importers._lines import NUMBER, Line, holds, lines, spaced
from fiche.importers._oom_counters import OomCounts
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.record import replace

_FIGURES = (
    b" capacity: ",
    b"memory usage for model",
    b"GiB(",
    b"memory allocation retries",
    b"OOM errors",
)
_TOLD = (b"device mesh with", b"Applied ", b"[titan]")
_PLATFORM = r"(?P<platform>CUDA|HIP|GPU|XPU|NPU|MPS)"
_CAPACITY = spaced(
    _PLATFORM + r" capacity: (?P<name>[^\n]{1,120}?)(?: \((?P<index>[0-9]{1,3})\))? with "
    rf"(?P<total>{NUMBER}) GiB memory"
)
_MODEL = spaced(_PLATFORM + rf" memory usage for model: (?P<value>{NUMBER}) GiB \( {NUMBER} %\)")
_STEP = spaced(
    r"(?P<kind>validate )?\bstep: (?P<step>[0-9]{1,12})\b[^\n]{0,300}?\bmemory: "
    rf"(?P<value>{NUMBER}) GiB \( {NUMBER} %\)"
)
_RETRIES = spaced(r"(?P<count>[0-9]{1,12}) " + _PLATFORM + r" memory allocation retries")
_OOMS = spaced(r"(?P<count>[0-9]{1,12}) " + _PLATFORM + r" OOM errors thrown")
_BACKENDS = {"CUDA": "cuda", "HIP": "rocm", "XPU": "xpu", "MPS": "mps"}
_AMD = lazy(r"\b(?:AMD|Radeon|Instinct|MI[0-9]{2,3}X?)\b")
_MESH = spaced(
    r"device mesh with parallelism: (?P<sizes>(?:[a-z_]{1,20}=-?[0-9]{1,6}(?:, |\b)){1,12})"
)
_OLD_MESH = spaced(
    r"device mesh with \[(?P<names>(?:'[a-z_]{1,30}'(?:, )?){1,8})\], \[(?P<counts>[0-9, ]{1,60})\]"
)
_SIZES = lazy(r"([a-z_]{1,20})=(-?[0-9]{1,6})")
_WAYS = {
    "tp": "placement.tensor_parallel",
    "pp": "placement.pipeline_parallel",
    "cp": "placement.context_parallel",
    "ep": "placement.expert_parallel",
}
_REPLICAS = frozenset({"dp", "dp_replicate", "dp_shard"})
_CHECKPOINTING = spaced(r"Applied (?P<kind>full|selective)\w{0,4} activation checkpointing")


def read(content: bytes, sha256: str) -> Reading:
    """Every figure of these lines, by rank where the launcher's prefix names it.

    Raises:
        Refused: none of these lines is there (F424).
    """
    sheet, counts = Sheet(sha256), OomCounts()
    backends: set[str] = set()
    for line in lines(content, (*_FIGURES, *_TOLD)):
        named = _capacity(sheet, line) or _memory(sheet, line) or _counted(sheet, line, counts)
        backends |= {named} - {""}
        _facts(sheet, line)
    counts.close(sheet)
    if sheet.empty:
        raise nothing_found(content, sha256, "torchtitan's lines about memory")
    _warn(sheet)
    backend = "rocm" if "rocm" in backends else min(backends, default=None)
    sheet.failures = [replace(failure, backend=backend) for failure in sheet.failures]
    return sheet.reading("torchtitan_log", "step-line", backend)


def _warn(sheet: Sheet) -> None:
    ranks = {seen.rank for seen in sheet.observations}
    if len(ranks) < 2:
        sheet.warn(_training.RANK_0)
    if any(seen.window for seen in sheet.observations):
        sheet.warn(_training.WINDOW)


def _backend(found: re.Match[str]) -> str:
    return _BACKENDS.get(found["platform"], "")


def _capacity(sheet: Sheet, line: Line) -> str:
    found = _training.fits(line, "capacity", _CAPACITY)
    if found is None:
        return ""
    value = nearest(found["total"], "GiB", GIB)
    index = int(found["index"]) if found["index"] else None
    name = re.sub(r"\s{1,60}", " ", found["name"]).strip()
    sheet.see(line, "device.total_memory", value, scope="device", stat="total", device_index=index)
    sheet.total(line, "torch_total_memory", value, index, name)
    sheet.fact(line, "device", name)
    # On ROCm the framework calls its devices CUDA too; the name of the card tells.
    return "rocm" if _AMD.search(name) else _backend(found)


def _memory(sheet: Sheet, line: Line) -> str:
    model = _training.fits(line, "memory usage for", _MODEL)
    if model is not None:
        sheet.see(
            line,
            "model_memory",
            nearest(model["value"], "GiB", GIB),
            scope="process_allocator",
            stat="current",
            label=f"{model['platform']} memory usage for model",
        )
        return _backend(model)
    step = _training.fits(line, "GiB(", _STEP)
    if step is not None:
        sheet.see(
            line,
            "reserved_bytes",
            nearest(step["value"], "GiB", GIB),
            scope="process_allocator",
            stat="peak",
            label="validate" if step["kind"] else "",
            window="since_previous_line",
            marks={"step": int(step["step"])},
        )
    return ""


def _counted(sheet: Sheet, line: Line, counts: OomCounts) -> str:
    rank = line.speaker.rank
    retries = _training.fits(line, "retries", _RETRIES)
    if retries is not None:
        counts.count("num_alloc_retries", int(retries["count"]), None, rank)
        return _backend(retries)
    ooms = _training.fits(line, "OOM errors", _OOMS)
    if ooms is None:
        return ""
    counts.ooms(line.pointer(sheet.sha256), int(ooms["count"]), None, rank, None)
    return _backend(ooms)


def _facts(sheet: Sheet, line: Line) -> None:
    """The splitting and what was applied, as the first lines of a run state them."""
    if "[titan]" in line.raw:
        sheet.fact(line, "engine.name", "torchtitan")
    mesh = _training.fits(line, "mesh", _MESH)
    old = _training.fits(line, "mesh", _OLD_MESH)
    if mesh is not None:
        _ways(sheet, line, [(name, int(size)) for name, size in _SIZES.findall(mesh["sizes"])])
    elif old is not None:
        names = re.findall(r"[a-z_]{1,30}", old["names"])
        sizes = [int(size) for size in re.findall(r"[0-9]{1,6}", old["counts"])]
        _ways(sheet, line, list(zip(names, sizes, strict=False)))
    applied = _training.fits(line, "Applied", _CHECKPOINTING)
    if applied is not None:
        sheet.fact(line, "training.checkpointing", applied["kind"])
    if "Applied FSDP" in line.text or "Applied fully_shard" in line.text:
        sheet.fact(line, "placement.sharding", "fsdp")


def _ways(sheet: Sheet, line: Line, sizes: list[tuple[str, int]]) -> None:
    if any(size < 1 for _, size in sizes):
        return  # -1 is "what is left": the counts are not told
    replicas = devices = 1
    for name, size in sizes:
        if name in _WAYS:
            sheet.fact(line, _WAYS[name], str(size))
        if name in _REPLICAS:
            replicas *= size
        if name in _REPLICAS or name in ("tp", "pp", "cp"):
            devices *= size
    if all(name in _REPLICAS or name in (*_WAYS, "etp") for name, _ in sizes):
        sheet.fact(line, "placement.data_parallel", str(replicas))
        sheet.fact(line, "placement.devices", str(devices))


def accepts(content: bytes, name: str) -> int:
    """90 for its lines with figures."""
    if not holds(content, _FIGURES):
        return 0
    grammars = (_CAPACITY, _MODEL, _STEP, _RETRIES, _OOMS)
    return 90 if _training.surely(content, _FIGURES, *grammars) else 0


MEMBER = Importer(
    name="torchtitan_log",
    title="torchtitan's lines about memory",
    accepts=accepts,
    read=read,
    anchors=(*_FIGURES, *_TOLD),
    log=True,
)
