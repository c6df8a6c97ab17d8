"""`nvidia-smi dmon`: one row a device and sample, read by its header (evidence_formats 7).

`fb` is the memory of the whole device in MiB under the label MB; `mem` is activity in percent. The
columns follow `-s` and the driver, the header comes back now and then, and `-` is missing.
"""

from __future__ import annotations

from fiche.importers import _nvml_meaning as nvml
from fiche.importers._device_gauges import Gauges
from fiche.importers._device_rows import mostly
from fiche.importers._device_tracks import Names
from fiche.importers._monitor import OWN, Header, monitors, tokens
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.address import Pointer
from fiche.kernel.doors import Importer
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_NAMES = Names({"used": "fb"})


def read(content: bytes, sha256: str) -> Reading:
    """The largest `fb` of each device; a single sample is a current level.

    Raises:
        Refused: no row has a column `fb` (F424).
    """
    gauges = Gauges(Sheet(sha256), _NAMES)
    groups: dict[str, None] = {}
    for header, row in monitors(content, processes=False):
        groups.update(dict.fromkeys(_groups(header)))
        _row(header, tokens(row.text), row.pointer(sha256), gauges)
    sheet = gauges.sheet
    if gauges.empty:
        raise nothing_found(content, sha256, "rows of nvidia-smi dmon with a column fb (-s m)")
    gauges.close()
    sheet.warn(tell("unit_label_is_binary: the header says MB and the figures are MiB"))
    return sheet.reading("nvidia_smi_dmon", f"dmon-{''.join(groups)}", nvml.BACKEND)


def _row(header: Header, found: list[str], place: Pointer, gauges: Gauges) -> None:
    cells = header.cells(found)
    if cells is None or not cells.get("gpu", "").isdecimal():
        return
    gpu = cells["gpu"]
    if "fb" in cells:
        device = gauges.device((gpu,), int(gpu[:6]))
        gauges.sample(device, "used", place, nvml.mib(cells["fb"]))
        gauges.time((gpu,), nvml.milliseconds(header.time(found)))
    if "mem" in cells:
        nvml.activity(gauges.sheet, place, "mem %")


def _groups(header: Header) -> list[str]:
    """The letters of `-s` that the columns show."""
    told = set(header.columns)
    groups = (("p", "pwr"), ("m", "fb"), ("u", "sm"), ("c", "mclk"), ("e", "pci"), ("t", "rxpci"))
    return [letter for letter, column in groups if column in told]


def accepts(content: bytes, name: str) -> int:
    """90 for a header of dmon with its second line, 50 where other lines are more."""
    if next(iter(monitors(content[:262_144], processes=False)), None) is None:
        return 0
    return 90 if mostly(content, OWN) else 50


MEMBER = Importer(
    name="nvidia_smi_dmon",
    title="Rows of nvidia-smi dmon",
    accepts=accepts,
    read=read,
)
