"""`Peak Mem.` in the step lines of prime-rl's trainers.

evidence_formats 4 (stored): GiB with one decimal. Before pull request 1126 it was the peak of what the
allocator had given out, since then of what it holds, and the line does not tell which. Some versions add the
device's total.
"""

from __future__ import annotations

from fiche.importers import _training
from fiche.importers._figures import GIB, nearest
from fiche.importers._lines import NUMBER, lines, spaced
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_ANCHORS = (b"Peak Mem.",)
_PEAK = spaced(rf"Peak Mem\.: (?P<peak>{NUMBER}) (?:/ (?P<total>{NUMBER}) )?GiB")
_STEP = lazy(r"\bStep\s{1,9}(?P<step>[0-9]{1,12})\s{0,9}\|")


def read(content: bytes, sha256: str) -> Reading:
    """The peak of every step.

    Raises:
        Refused: no line holds it (F424).
    """
    sheet = Sheet(sha256)
    for line in lines(content, _ANCHORS):
        found = line.search(_PEAK)
        if found is None:
            continue
        step = _STEP.search(line.text)
        sheet.see(
            line,
            "prime_rl.peak_memory",
            nearest(found["peak"], " GiB", GIB),
            scope="process_allocator",
            stat="peak",
            label="Peak Mem.",
            window="since_previous_line",
            marks={"step": int(step["step"])} if step is not None else {},
        )
        if found["total"] is not None:
            total = nearest(found["total"], " GiB", GIB)
            if all(known.value != total for known in sheet.capacities):
                sheet.see(line, "device.total_memory", total, scope="device", stat="total")
                sheet.total(line, "cuda_total_other", total, None)
    if sheet.empty:
        raise nothing_found(content, sha256, "a step line of prime-rl with its peak of memory")
    sheet.warn(
        tell(
            "counter_not_told: older versions print what the allocator gave out, newer ones what "
            "it holds"
        )
    )
    sheet.warn(_training.RANK_0)
    return sheet.reading("prime_rl_log", "step-line")


def accepts(content: bytes, name: str) -> int:
    """88 for its step lines."""
    return 88 if _training.surely(content, _ANCHORS, _PEAK) else 0


MEMBER = Importer(
    name="prime_rl_log",
    title="Step lines of prime-rl",
    accepts=accepts,
    read=read,
    anchors=_ANCHORS,
    log=True,
)
