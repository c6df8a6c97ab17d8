"""`nvidia-smi pmon`: one row a process and sample, read by its header (evidence_formats 7).

`fb` is what a process holds on a device, in MiB under the label MB; `mem` is activity in percent. Up to
four devices are shown, a device without processes has a row of `-`.
"""

from __future__ import annotations

from fiche.importers import _nvml_meaning as nvml
from fiche.importers._device_gauges import Gauges
from fiche.importers._device_rows import Row, mostly
from fiche.importers._device_tracks import Names
from fiche.importers._monitor import OWN, Header, monitors
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_NAMES = Names({"used": "fb.device", "process": "fb"})
_ROW = lazy(
    r"(?:^|\s)([0-9]{1,4})[\s,]{1,40}([0-9]{1,10}|-)[\s,]{1,40}(C\+G|M\+C|C|G|M|-)[\s,]{1,40}(\S.{0,400})$"
)
_SPLIT = lazy(r"[\s,]{1,60}")


def read(content: bytes, sha256: str) -> Reading:
    """The largest `fb` of each process on each device.

    Raises:
        Refused: no row has a column `fb` (F424).
    """
    gauges = Gauges(Sheet(sha256), _NAMES)
    for header, row in monitors(content, processes=True):
        _row(header, row, gauges)
    sheet = gauges.sheet
    if gauges.empty and not any(device.listed is False for device in gauges.devices.values()):
        raise nothing_found(content, sha256, "rows of nvidia-smi pmon with a column fb (-s m)")
    gauges.close()
    sheet.warn(tell("unit_label_is_binary: the header says MB and the figures are MiB"))
    return sheet.reading("nvidia_smi_pmon", "pmon-m", nvml.BACKEND)


def _row(header: Header, row: Row, gauges: Gauges) -> None:
    match = _ROW.search(row.text)
    # The last column is the command, which may have blanks in it.
    columns = header.columns[header.columns.index("type") + 1 :] if "type" in header.columns else ()
    if match is None or "fb" not in columns:
        return
    rest = _SPLIT.split(match[4], maxsplit=len(columns) - 1)
    if len(rest) != len(columns):
        return
    cells = dict(zip(columns, rest, strict=True))
    device = gauges.device((match[1],), int(match[1]))
    device.listed = bool(device.listed)
    place = row.pointer(gauges.sheet.sha256)
    if match[2] != "-":
        gauges.process(
            device,
            (match[2], match[3]),
            place,
            nvml.mib(cells["fb"]),
            pid=int(match[2]),
            process=cells.get("command", "").strip(),
            type=match[3],
        )
        gauges.time((match[1], match[2]), nvml.milliseconds(row.text))
    if "mem" in cells:
        nvml.activity(gauges.sheet, place, "mem %")


def accepts(content: bytes, name: str) -> int:
    """90 for a header of pmon with its second line, 50 where other lines are more."""
    if next(iter(monitors(content[:262_144], processes=True)), None) is None:
        return 0
    return 90 if mostly(content, OWN) else 50


MEMBER = Importer(
    name="nvidia_smi_pmon",
    title="Rows of nvidia-smi pmon",
    accepts=accepts,
    read=read,
)
