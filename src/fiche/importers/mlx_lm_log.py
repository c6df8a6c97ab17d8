"""MLX-LM's peak of memory, in the lines of training, generation and its benchmark.

mlx-lm 0.32.2, `tuner/trainer.py`, `generate.py`, `benchmark.py` (evidence_formats 4): GB of 10**9 bytes, three
decimals, of MLX's allocator since the start of the process. The first versions, inside mlx-examples, divided
by 2**30 under the same words (stored): the line does not tell, so both are allowed for.
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
from fiche.kernel.piece import Printed, Reading
from fiche.kernel.rounding import bounds_only
from fiche.kernel.said import tell

_ANCHORS = (b"Peak mem ", b"Peak memory: ", b"peak_memory=")
_SPEED = (b"tokens-per-sec", b"generation_tps=")
_DECIMAL = 10**9
_TRAINED = spaced(
    rf"(?:\bIter (?P<step>[0-9]{{1,12}}): [^\n]{{0,300}})?Tokens/sec [^\n]{{1,120}}, Peak mem "
    rf"(?P<value>{NUMBER}) GB"
)
_GENERATED = spaced(rf"(?P<label>Peak memory): (?P<value>{NUMBER}) GB")
_MEASURED = lazy(
    rf"(?P<label>Trial [0-9]{{1,6}}|Averages):[^\n]{{0,200}}?\bpeak_memory=(?P<value>{NUMBER})"
)
_TRIED = 400


def read(content: bytes, sha256: str) -> Reading:
    """Every peak; the interval holds both meanings of GB.

    Raises:
        Refused: none of these lines is there (F424).
    """
    sheet, shape = Sheet(sha256), ""
    spoken = any(word in content for word in _SPEED)
    for line in lines(content, _ANCHORS):
        found = _found(line, spoken=spoken)
        if found is None:
            continue
        told = found.groupdict()
        if told.get("label", "").startswith("Averages"):
            sheet.plan(line, found[0][:400], tell("the mean of several runs' peaks is no peak"))
            continue
        step = told.get("step")
        sheet.see(
            line,
            "mlx.peak_memory",
            _either(found["value"]),
            scope="process_allocator",
            stat="peak",
            label=told.get("label") or "Peak mem",
            marks={"step": int(step)} if step else {},
        )
        shape = shape or ("training" if "label" not in told else "generation")
    if sheet.empty:
        raise nothing_found(content, sha256, "MLX-LM's peak of memory")
    sheet.warn(
        tell(
            "unit_not_certain: GB is 10**9 bytes in newer versions and 2**30 in the first ones; "
            "the interval holds both"
        )
    )
    sheet.warn(tell("unified_memory: MLX's memory is shared with the host"))
    return sheet.reading("mlx_lm_log", shape or "benchmark")


def _found(line: Line, *, spoken: bool) -> re.Match[str] | None:
    """The grammar that fits; words that many programs print count beside MLX-LM's own only."""
    trained = _training.fits(line, "Peak mem ", _TRAINED)
    if trained is not None or not spoken:
        return trained
    return _training.fits(line, "Peak memory:", _GENERATED) or _training.fits(
        line, "peak_memory=", _MEASURED
    )


def _either(number: str) -> Printed:
    low, high = nearest(number, " GB", _DECIMAL), nearest(number, " GB", GIB)
    return bounds_only(low.text, low.low or 0, high.high)


def accepts(content: bytes, name: str) -> int:
    """88 for its lines with figures."""
    spoken = any(word in content for word in _SPEED)
    first = islice(lines(content, _ANCHORS), _TRIED)
    return 88 if any(_found(line, spoken=spoken) is not None for line in first) else 0


MEMBER = Importer(
    name="mlx_lm_log",
    title="MLX-LM's peak of memory",
    accepts=accepts,
    read=read,
    anchors=_ANCHORS,
    log=True,
)
