"""`torch.cuda.list_gpu_processes()` as printed (evidence_formats 2.2): processes of one device.

`GPU:0` is an index of NVML. MB is 2**20, three decimals. In a container the pids are the host's.
"""

from __future__ import annotations

import re

from fiche.importers._device_gauges import Gauges
from fiche.importers._device_rows import places, rows
from fiche.importers._device_tracks import Names
from fiche.importers._figures import MIB, nearest
from fiche.importers._scan import Lines
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_NAMES = Names({"used": "memory.used", "process": "process.used_gpu_memory"})
_GPU = lazy(r"(?:^|[\s'\"])GPU:([0-9]{1,4})\s{0,8}$")
_PROCESS = lazy(r"\bprocess\s{1,20}([0-9]{1,10}) uses\s{1,20}([0-9]{1,9}\.[0-9]{3}) MB GPU memory")
_WORDS = (b"MB GPU memory", b"no processes are running")


def read(content: bytes, sha256: str) -> Reading:
    """What each listed process holds on its device.

    Raises:
        Refused: there is no such list in it (F424).
    """
    gauges = Gauges(Sheet(sha256), _NAMES)
    found, lines = 0, Lines(content)
    for start in places(content, b"GPU:"):
        index: int | None = None
        for count, row in enumerate(rows(content, start, None, lines)):
            gpu, process = _GPU.search(row.text), _PROCESS.search(row.text)
            if gpu is not None and index is None:
                index = int(gpu[1])
            elif index is None or count > 4_096:
                break
            elif process is not None:
                found += 1
                value = nearest(process[2], " MB", MIB, 3)
                place = row.pointer(sha256)
                gauges.process(
                    gauges.device((str(index),), index),
                    (process[1],),
                    place,
                    value,
                    pid=int(process[1]),
                )
            elif "no processes are running" in row.text:
                found += 1
                gauges.sheet.plan(
                    row.pointer(sha256),
                    row.text.strip(),
                    tell("NVML lists no process on this device; in a container it may see none"),
                )
            else:
                break
    if not found:
        raise nothing_found(content, sha256, "the list of torch.cuda.list_gpu_processes")
    gauges.close()
    gauges.sheet.warn(tell("unit_label_is_binary: the list says MB and means 2**20 bytes"))
    gauges.sheet.warn(
        tell(
            "processes_present: the list does not say which process is the workload's; in a "
            "container the pids are the host's"
        )
    )
    return gauges.sheet.reading("gpu_processes", "list-gpu-processes")


def accepts(content: bytes, name: str) -> int:
    """80 for a line of the list."""
    if b"GPU:" not in content or not any(word in content for word in _WORDS):
        return 0
    return (
        80
        if re.search(
            rb"uses {1,20}[0-9]{1,9}\.[0-9]{3} MB GPU memory|no processes are running", content
        )
        else 0
    )


MEMBER = Importer(
    name="gpu_processes",
    title="Processes listed by torch.cuda.list_gpu_processes",
    accepts=accepts,
    read=read,
    anchors=(b"GPU:", *_WORDS),
    log=True,
)
