"""DeepSpeed's estimate of the memory that ZeRO needs for a model's states: computed, nothing is observed.

deepspeed 0.19.8, `runtime/zero/stage3.py` and `stage_1_and_2.py` (evidence_formats 4): a table of one row an
option, GB = 2**30 with two decimals. Activations and buffers of communication are in none of its figures.
"""

from __future__ import annotations

import re
from itertools import islice

from fiche.importers import _training
from fiche.importers._figures import GIB, nearest
from fiche.importers._lines import NUMBER, Line, lines, spaced
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_TITLE = b"Estimated memory needed for params, optim states"
_ANCHORS = (_TITLE, b"offload_optimizer=", b"per CPU", b"SW: Model with", b"HW: Setup with")
_ROW = spaced(
    rf"(?P<cpu>{NUMBER}) GB \| (?P<gpu>{NUMBER}) GB \| (?P<options>(?:offload_param= [\w.]{{1,40}} , )?"
    r"offload_optimizer= [\w.]{1,40}(?: , zero_init= [01])?)"
)
_HEAD = spaced(r"per CPU \| per GPU \| Options")
_MODEL = lazy(r"SW: Model with (?P<words>[0-9]{1,9}M total params[^.]{0,60})")
_SETUP = lazy(r"HW: Setup with (?P<words>[0-9]{1,6} nodes?, [0-9]{1,6} GPUs? per node)")


def read(content: bytes, sha256: str) -> Reading:
    """Every row as a plan with its options, and the table as text that is no evidence.

    Raises:
        Refused: there is no row of such a table (F424).
    """
    sheet = Sheet(sha256)
    words: dict[str, str] = {}
    for line in lines(content, _ANCHORS):
        for name, pattern in (("model", _MODEL), ("setup", _SETUP)):
            told = pattern.search(line.text)
            if told is not None:
                words[name] = told["words"]
        if _HEAD.search(line.raw) is not None:
            sheet.plan(
                line,
                "per CPU / per GPU table",
                tell(
                    "DeepSpeed computed it from counts of parameters; nothing was measured, and "
                    "activations are left out"
                ),
            )
        row = _ROW.search(line.raw)  # a bar is no prefix here
        if row is not None:
            _plan(sheet, line, row, words)
    if not sheet.planned:
        raise nothing_found(content, sha256, "a row of DeepSpeed's table of estimates")
    sheet.further.update(words)
    sheet.warn(_training.COMPUTED)
    sheet.warn(_training.binary("GB", 30))
    return sheet.reading("deepspeed_estimate", _shape(sheet))


def _plan(sheet: Sheet, line: Line, row: re.Match[str], words: dict[str, str]) -> None:
    # Newer Pythons print the name of the enumeration in front of its value.
    options = re.sub(r"\s{1,60}|\b\w{1,30}\.", "", row["options"])
    for counter, key, scope in (
        ("deepspeed.states_per_gpu", "gpu", "device"),
        ("deepspeed.states_per_cpu", "cpu", "host"),
    ):
        value = nearest(row[key], "GB", GIB)
        sheet.see(
            line,
            counter,
            value,
            scope=scope,
            stat="need",
            origin="estimated",
            label=options,
            marks=dict(words),
        )


def _shape(sheet: Sheet) -> str:
    stage3 = any("zero_init" in seen.label for seen in sheet.planned)
    return "zero3-estimate" if stage3 else "zero2-estimate"


def _rows(content: bytes) -> bool:
    first = islice(lines(content, (b"offload_optimizer=",)), 100)
    return any(_ROW.search(line.raw) is not None for line in first)


def accepts(content: bytes, name: str) -> int:
    """85 for its title: next to lines of a run it is the smaller part."""
    return 85 if _TITLE in content or _rows(content) else 0


MEMBER = Importer(
    name="deepspeed_estimate",
    title="DeepSpeed's estimate of memory for ZeRO",
    accepts=accepts,
    read=read,
    anchors=_ANCHORS,
    log=True,
)
