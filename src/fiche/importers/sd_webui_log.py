"""The line of memory below an image of Stable Diffusion web UI.

evidence_formats 4: `Torch active/reserved: 3457/3576 MiB, Sys VRAM: 4096/4096 MiB (100.0%)`. Whole MiB, rounded
up: peaks of torch's allocator during the job, the largest sample of what is in use on the device, its total.
"""

from __future__ import annotations

from fiche.importers import _training
from fiche.importers._figures import MIB, about
from fiche.importers._lines import lines, spaced
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_ANCHORS = (b"Torch active/reserved",)
_WHOLE = r"[0-9]{1,9}"
_LINE = spaced(
    rf"Torch active/reserved: (?P<active>{_WHOLE}) / (?P<reserved>{_WHOLE}) MiB(?:, (?:<wbr>)? Sys VRAM: "
    rf"(?P<used>{_WHOLE}) / (?P<total>{_WHOLE}) MiB)?"
)


def read(content: bytes, sha256: str) -> Reading:
    """The figures of every line, one a job.

    Raises:
        Refused: there is no such line (F424).
    """
    sheet = Sheet(sha256)
    for line in lines(content, _ANCHORS):
        found = line.search(_LINE)
        if found is None:
            continue
        for name, counter, scope, stat in (
            ("active", "active_bytes", "process_allocator", "peak"),
            ("reserved", "reserved_bytes", "process_allocator", "peak"),
            ("used", "device_used", "device", "sampled_max"),
        ):
            if found[name] is not None:
                sheet.see(
                    line,
                    counter,
                    about(found[name], " MiB", MIB),
                    scope=scope,
                    stat=stat,
                    window="job",
                )
        if found["total"] is not None:
            total = about(found["total"], " MiB", MIB)
            if all(known.value != total for known in sheet.capacities):
                sheet.see(line, "device.total_memory", total, scope="device", stat="total")
                sheet.total(line, "cuda_total_other", total, None)
    if sheet.empty:
        raise nothing_found(content, sha256, "the web UI's line of memory")
    sheet.warn(_training.DEVICE)
    sheet.warn(
        tell(
            "peaks_of_a_job: the web UI resets its peaks at each job; loading a model is in none "
            "of them"
        )
    )
    return sheet.reading("sd_webui_log", "torch-active-reserved")


def accepts(content: bytes, name: str) -> int:
    """88 for its line."""
    return 88 if _training.surely(content, _ANCHORS, _LINE) else 0


MEMBER = Importer(
    name="sd_webui_log",
    title="Memory line of Stable Diffusion web UI",
    accepts=accepts,
    read=read,
    anchors=_ANCHORS,
    log=True,
)
