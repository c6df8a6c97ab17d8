"""`nvidia-smi -q -x`: one XML document a report (evidence_formats 7), `nvsmi_device_vN.dtd`.

The index is not in it: a device is named by its bus id; `minor_number` is no index of CUDA. The
document type is never fetched, and a file that declares entities is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.importers import _nvml_meaning as nvml
from fiche.importers._device_gauges import Gauges
from fiche.importers._device_rows import places
from fiche.importers._device_tracks import NVML, Device
from fiche.importers._scan import Lines
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.importers._xml import leaves
from fiche.kernel.address import Pointer
from fiche.kernel.diagnostic import Refused
from fiche.kernel.doors import Importer
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_LOG = "nvidia_smi_log"
_MARKS = (b"<nvidia_smi_log", b"nvsmi_device_v")
_DETAILS = {
    ("product_name",): "name",
    ("uuid",): "uuid",
    ("persistence_mode",): "persistence",
    ("mig_mode", "current_mig"): "mig_mode",
    ("ecc_mode", "current_ecc"): "ecc",
    ("driver_model", "current_dm"): "driver_model",
}
_MODES = frozenset({"persistence", "mig_mode", "ecc"})
_MEMORY = frozenset({"total", "reserved", "used", "free"})


class _Report:
    """What one document says, gathered into the gauges of the file."""

    def __init__(self, gauges: Gauges) -> None:
        """`gauges` are shared by all documents of a file."""
        self.gauges, self.sheet = gauges, gauges.sheet
        self.gpu: Device | None = None
        self.bus = ""
        self.when: int | None = None
        self.attached: int | None = None
        self.slice: dict[str, str] = {}
        self.levels: list[tuple[str, str, int]] = []
        self.process: dict[str, str] = {}
        self.mig = False

    def opened(self, path: tuple[str, ...], attributes: dict[str, str]) -> None:
        """An element begins."""
        inside = path[1:]
        if inside == ("gpu",):
            self.bus = attributes.get("id", "")[:40]
            self.gpu = self.gauges.device((self.bus,), None, bus_id=self.bus)
        elif inside[-1:] == ("mig_device",):
            self.slice, self.levels, self.mig = {}, [], True
        elif inside[-1:] == ("process_info",):
            self.process = {}

    def leaf(self, path: tuple[str, ...], text: str, line: int) -> None:
        """An element without others in it ends."""
        inside = path[1:]
        if inside[:1] != ("gpu",):
            self._of_the_log(inside, text, line)
        elif self.gpu is not None and len(inside) > 1:
            self._of_a_gpu(self.gpu, inside[1:], text, self._place(path, text, line))

    def _place(self, path: tuple[str, ...], text: str, line: int) -> Pointer:
        shown = " ".join(f"{path[-1]}: {text}".split())
        return Pointer(sha256=self.sheet.sha256, line=line, text=shown[:400])

    def _of_the_log(self, inside: tuple[str, ...], text: str, line: int) -> None:
        place = self._place((_LOG, *inside), text, line)
        if inside == ("timestamp",):
            nvml.observed_at(self.sheet, text)
            self.when = nvml.milliseconds(text)
        elif inside == ("attached_gpus",):
            self.attached = int(text) if text.isdecimal() and len(text) < 5 else None
        elif inside == ("driver_version",):
            nvml.driver(self.sheet, place, text)
        elif inside == ("cuda_version",):
            nvml.driver(self.sheet, place, "", text)

    def _of_a_gpu(self, gpu: Device, inside: tuple[str, ...], text: str, place: Pointer) -> None:
        if inside[:1] == ("mig_devices",):
            self._slice(gpu, inside[1:], text, place)
        elif inside[:1] == ("processes",):
            gpu.listed = bool(gpu.listed)
            self._process(gpu, inside[-1], text, place)
        elif len(inside) == 2 and inside[0] == "fb_memory_usage" and inside[1] in _MEMORY:
            self.gauges.sample(gpu, inside[1], place, nvml.mib(text))
            if inside[1] == "used":
                self.gauges.time((self.bus,), self.when)
        elif inside == ("utilization", "memory_util"):
            nvml.activity(self.sheet, place, "memory_util")
        elif inside in _DETAILS:
            word = _DETAILS[inside]
            gpu.tell(word, nvml.mode(text) if word in _MODES else text, place)

    def _slice(self, gpu: Device, inside: tuple[str, ...], text: str, place: Pointer) -> None:
        """A MIG device: its numbers stand before its memory."""
        if len(inside) == 2:
            self.slice[inside[1]] = text[:12]
        elif inside[1:2] == ("fb_memory_usage",) and inside[-1] in _MEMORY:
            told = [
                self.slice.get(k, "") for k in ("gpu_instance_id", "compute_instance_id", "index")
            ]
            gi, ci, dev = (int(word) if word.isdecimal() else None for word in told)
            device = self.gauges.device(
                (self.bus, "mig", *told),
                None,
                bus_id=self.bus,
                mig={"gi": gi, "ci": ci, "dev": dev},
            )
            device.slice_of = (self.bus,)
            self.gauges.sample(device, inside[-1], place, nvml.mib(text))

    def _process(self, gpu: Device, name: str, text: str, place: Pointer) -> None:
        """`used_memory` is the last that is told of a process."""
        if name != "used_memory":
            self.process[name] = text
            return
        told, pid = self.process, self.process.get("pid", "")
        if not pid.isdecimal() or len(pid) > 10:
            return
        marks: dict[str, object] = {"pid": int(pid), "process": told.get("process_name", "")[:200]}
        marks["type"] = told.get("type", "")[:10]
        gi, ci = told.get("gpu_instance_id", ""), told.get("compute_instance_id", "")
        if gi.isdecimal() and ci.isdecimal() and len(gi + ci) < 12:
            marks["mig"] = {"gi": int(gi), "ci": int(ci)}
        key = (pid, gi, ci, str(marks["type"]))
        self.gauges.process(gpu, key, place, nvml.mib(text), **marks)


def read(content: bytes, sha256: str) -> Reading:
    """Device memory, processes and modes of every document of a file.

    Raises:
        Refused: no document is whole (F441), one of them is not to be trusted (F442), or none holds
            device memory (F424).
    """
    gauges = Gauges(Sheet(sha256), NVML)
    sheet, mig, attached = gauges.sheet, False, None
    found = list(_documents(content))
    for place, (text, line) in enumerate(found):
        report = _Report(gauges)
        try:
            leaves(text, sha256, line, report.opened, report.leaf)
        except Refused as broken:
            # The last of a series is cut where the loop was ended.
            cut = place == len(found) - 1 and place > 0 and broken.diagnostics[0].code == "F441"
            if not cut:
                raise
            sheet.warn(
                tell("truncated: the last document breaks off; what it did not print is not known")
            )
        mig |= report.mig
        attached = report.attached or attached
    if gauges.empty:
        raise nothing_found(content, sha256, "a device's fb_memory_usage")
    gauges.number(attached)
    gauges.close()
    nvml.device_unavailable(gauges)
    if mig:
        sheet.warn(nvml.MIG)
    return sheet.reading("nvidia_smi_xml", "q-xml", nvml.BACKEND)


def _documents(content: bytes) -> Iterator[tuple[bytes, int]]:
    """Each document with the line that it begins on; words of a shell in front of it are left out."""
    mark = b"<?xml" if b"<?xml" in content else b"<nvidia_smi_log"
    lines = Lines(content)
    starts = [content.find(mark, start) for start in places(content, mark)]
    for place, start in enumerate(starts):
        stop = starts[place + 1] if place + 1 < len(starts) else len(content)
        end = content.rfind(b"</nvidia_smi_log>", start, stop)
        yield content[start : end + 17 if end >= 0 else stop], lines.number(start)


def accepts(content: bytes, name: str) -> int:
    """94 for the root element or the document type of nvidia-smi."""
    head = content[:65_536]
    return 94 if b"<" in head and any(mark in head for mark in _MARKS) else 0


MEMBER = Importer(
    name="nvidia_smi_xml",
    title="XML of nvidia-smi -q -x",
    accepts=accepts,
    read=read,
)
