"""Unsloth's banner, and the lines of its notebooks before and after training.

unsloth 2026.10.9, `models/llama.py` and `device_type.py` (evidence_formats 4): GB is 2**30, rounded to three
decimals. The notebooks print the peak of what the allocator reserved, at the start of training and at its end;
the peak "for training" is the difference of these rounded figures.
"""

from __future__ import annotations

import re

from fiche.importers import _training
from fiche.importers._figures import GIB, nearest
from fiche.importers._lines import NUMBER, Line, holds, lines, spaced
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Printed, Reading
from fiche.kernel.rounding import bounds_only
from fiche.kernel.said import tell

_FIGURES = (b"Max memory", b"GB of memory reserved", b"Peak reserved memory")
_TOLD = (b"==((====))==", b"CUDA Toolkit", b"ROCm Toolkit", b"Intel Toolkit", b"orch: ")
_BANNER = spaced(
    r"(?:GPU: )?(?P<name>[A-Za-z][\w ()/.+-]{1,100}?)\. (?:Num GPUs = [0-9]{1,5}\. )?"
    rf"Max memory: (?P<total>{NUMBER}) GB\."
)
_NOTEBOOK = spaced(rf"GPU = (?P<name>[^\n=]{{1,100}}?)\. Max memory = (?P<total>{NUMBER}) GB")
_START = spaced(rf"(?P<value>{NUMBER}) GB of memory reserved")
_PEAK = spaced(rf"Peak reserved memory = (?P<value>{NUMBER}) GB")
_TRAINING = spaced(rf"Peak reserved memory for training = (?P<value>{NUMBER}) GB")
_SHARE = spaced(rf"Peak reserved memory (?:for training )?% of max memory = (?P<value>{NUMBER}) %")
_UNSLOTH = lazy(r"==\s{0,9}Unsloth:?\s{1,9}(?P<version>[0-9][\w.]{2,30}?):?\s")
_TORCH = lazy(r"\b(?:Pyt|T)orch:\s{0,9}(?P<version>[0-9][\w.+-]{2,40}?)\.?\s")
_RUNTIME = lazy(
    r"\b(?P<kind>CUDA|ROCm) Toolkit\s{0,3}[=:]\s{0,3}(?P<version>[0-9][0-9.]{0,20}[0-9])"
)
_PACKAGES = lazy(
    r"\b(?P<name>Transformers|Triton|vLLM)\s{0,3}[=:]\s{0,3}(?P<version>[0-9][\w.+]{1,40}\w)"
)
_STEP = GIB // 1000


def read(content: bytes, sha256: str) -> Reading:
    """Total, start and peak; the percentages are left aside.

    Raises:
        Refused: none of these lines is there (F424).
    """
    sheet = Sheet(sha256)
    backends: set[str] = set()
    for line in lines(content, (*_FIGURES, *_TOLD)):
        _total(sheet, line)
        _reserved(sheet, line)
        backends |= _software(sheet, line)
    if sheet.empty:
        raise nothing_found(content, sha256, "Unsloth's lines about memory")
    sheet.warn(_training.binary("GB", 30))
    shape = (
        "notebook" if any(s.counter == "reserved_bytes" for s in sheet.observations) else "banner"
    )
    return sheet.reading("unsloth_log", shape, min(backends) if len(backends) == 1 else None)


def _total(sheet: Sheet, line: Line) -> None:
    found = _training.fits(line, "Max memory", _NOTEBOOK) or _training.fits(
        line, "Max memory", _BANNER
    )
    if found is None:
        return
    value = nearest(found["total"], " GB", GIB, 3)
    name = re.sub(r"\s{1,60}", " ", found["name"]).strip()
    sheet.see(line, "device.total_memory", value, scope="device", stat="total", label=name)
    if all(known.value != value or known.device_name != name for known in sheet.capacities):
        sheet.total(line, "torch_total_memory", value, None, name)
    sheet.fact(line, "device", name)


def _reserved(sheet: Sheet, line: Line) -> None:
    share = _training.fits(line, "Peak reserved", _SHARE)
    training = _training.fits(line, "Peak reserved", _TRAINING)
    start = _training.fits(line, "of memory reserved", _START)
    peak = _training.fits(line, "Peak reserved", _PEAK)
    if share is not None:
        sheet.plan(line, share[0], tell("a share of figures that are printed beside it"))
    elif training is not None:
        value = _difference(training["value"])
        sheet.see(
            line,
            "reserved_bytes",
            value,
            scope="process_allocator",
            stat="delta",
            label="Peak reserved memory for training",
            marks={"derived": True},
        )
    elif (found := start or peak) is not None:
        label = "memory reserved" if found is start else "Peak reserved memory"
        sheet.warn(
            tell("peak_since_start: the allocator's peak runs from the start of the process")
        )
        sheet.see(
            line,
            "reserved_bytes",
            nearest(found["value"], " GB", GIB, 3),
            scope="process_allocator",
            stat="peak",
            label=label,
        )


def _difference(number: str) -> Printed:
    """The difference of two figures, each rounded to three decimals: a step to either side."""
    middle = nearest(number, " GB", GIB, 3, signed=True)
    value = middle.value or 0
    return bounds_only(middle.text, value - _STEP - 1, value + _STEP + 1)


def _software(sheet: Sheet, line: Line) -> set[str]:
    """Versions that the banner states; the backend that its toolkit names."""
    unsloth = _UNSLOTH.search(f"{line.text} ")
    if unsloth is not None:
        sheet.fact(line, "engine.name", "unsloth")
        sheet.fact(line, "engine.version", unsloth["version"])
    torch = _TORCH.search(f"{line.text} ") if "oolkit" in line.text else None
    if torch is not None:
        sheet.fact(line, "framework.name", "torch")
        sheet.fact(line, "framework.version", torch["version"])
    if unsloth is not None or torch is not None:
        for package in _PACKAGES.finditer(line.text):
            sheet.fact(line, f"extensions.{package['name'].casefold()}", package["version"])
    runtime = _RUNTIME.search(line.text) if torch is not None else None
    if runtime is None:
        return set()
    sheet.fact(line, "runtime", runtime["version"])
    return {"cuda" if runtime["kind"] == "CUDA" else "rocm"}


def accepts(content: bytes, name: str) -> int:
    """90 for its lines with figures."""
    if not holds(content, _FIGURES):
        return 0
    grammars = (_NOTEBOOK, _BANNER, _PEAK, _TRAINING, _START)
    return 90 if _training.surely(content, _FIGURES, *grammars) else 0


MEMBER = Importer(
    name="unsloth_log",
    title="Unsloth's banner and notebook lines",
    accepts=accepts,
    read=read,
    anchors=(*_FIGURES, *_TOLD),
    log=True,
)
