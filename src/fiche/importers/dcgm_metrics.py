"""DCGM: the Prometheus text of dcgm-exporter, and tables of `dcgmi dmon` (evidence_formats 7).

FB_USED, FB_FREE, FB_RESERVED and FB_TOTAL are MiB of the whole device; used and free fall short of the
total by the reserve. MEM_COPY_UTIL is activity. The label gpu is NVML's index.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from fiche.importers import _nvml_meaning as nvml
from fiche.importers._device_gauges import Gauges
from fiche.importers._device_rows import Row, rows
from fiche.importers._device_tracks import Device, Key, Names
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.address import Pointer
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Printed, Reading
from fiche.kernel.rounding import unavailable
from fiche.kernel.said import tell

_NAMES = Names(
    {
        "used": "DCGM_FI_DEV_FB_USED",
        "total": "DCGM_FI_DEV_FB_TOTAL",
        "free": "DCGM_FI_DEV_FB_FREE",
        "reserved": "DCGM_FI_DEV_FB_RESERVED",
    },
    "nvidia_smi_total",
)
_WHAT = {
    **{counter: what for what, counter in _NAMES.counters.items()},
    **{f"dcgm_fb_{what}": what for what in ("used", "free", "total", "reserved")},
}
_COLUMNS = {"FBUSD": "used", "FBFRE": "free", "FBTTL": "total", "FBRSV": "reserved"}
_ACTIVITY = ("DCGM_FI_DEV_MEM_COPY_UTIL", "dcgm_mem_copy_utilization")
_METRIC = lazy(
    r"(?:^|\s)((?:DCGM_FI_DEV|dcgm)_\w{2,40})\{([^{}]{0,4000})\}\s{1,4}"
    r"([0-9][0-9.eE+]{0,24}|NaN)(?:\s{1,4}([0-9]{10,16}))?\s{0,8}$"
)
_LABEL = lazy(r'(\w{1,60})="((?:[^"\\]|\\.){0,300})"')
_ENTITY = lazy(r"#\s{0,4}Entity\s{1,20}(\S.{0,400})$")
_ROW = lazy(r"(?:^|\s)(GPU|GPU-I) ([0-9]{1,4})\s{1,20}(\S.{0,400})$")


@dataclass(slots=True)
class _State:
    gauges: Gauges
    columns: list[str] = field(default_factory=list)
    shapes: dict[str, None] = field(default_factory=dict)
    hosts: dict[str, None] = field(default_factory=dict)


def read(content: bytes, sha256: str) -> Reading:
    """Frame buffer figures of each device or MIG slice; several scrapes are a series.

    Raises:
        Refused: no metric and no column of the frame buffer is in it (F424).
    """
    state = _State(Gauges(Sheet(sha256), _NAMES))
    for row in rows(content):
        _line(row, state)
    sheet = state.gauges.sheet
    if state.gauges.empty:
        raise nothing_found(
            content, sha256, "DCGM_FI_DEV_FB_USED or another figure of the frame buffer"
        )
    if state.hosts:
        sheet.further["hosts"] = list(state.hosts)[:100]
    if len(state.hosts) > 1:
        sheet.warn(
            tell(
                "several_hosts: the indices are those of several machines; each is listed under its "
                "own"
            )
        )
    state.gauges.close()
    sheet.warn(
        tell(
            "unit_not_printed: DCGM gives the frame buffer in MiB; neither metric nor column "
            "says so"
        )
    )
    return sheet.reading("dcgm_metrics", "+".join(state.shapes), nvml.BACKEND)


def _line(row: Row, state: _State) -> None:
    metric = _METRIC.search(row.text)
    if metric is not None:
        _metric(metric, row.pointer(state.gauges.sheet.sha256), state)
        return
    entity = _ENTITY.search(row.text)
    if entity is not None:
        state.columns = entity[1].split()
    elif state.columns and (found := _ROW.search(row.text)) is not None:
        _row(found, row, state)


def _metric(match: re.Match[str], place: Pointer, state: _State) -> None:
    name, sheet = match[1], state.gauges.sheet
    if name in _ACTIVITY:
        nvml.activity(sheet, place, name)
        return
    if name not in _WHAT:
        return
    state.shapes["prometheus"] = None
    labels = dict(_LABEL.findall(match[2]))
    key, device = _labelled(labels, state)
    device.tell("name", labels.get("modelName", ""), place)
    device.tell("uuid", labels.get("UUID") or labels.get("uuid", ""), place)
    device.tell("bus_id", labels.get("pci_bus_id", ""), place)
    if version := labels.get("DCGM_FI_DRIVER_VERSION"):
        nvml.driver(sheet, place, version)
    state.gauges.sample(device, _WHAT[name], place, _mib(match[3]))
    if _WHAT[name] == "used" and match[4]:
        state.gauges.time(key, int(match[4][:13]))


def _labelled(labels: dict[str, str], state: _State) -> tuple[Key, Device]:
    host = labels.get("Hostname") or labels.get("hostname", "")
    if host:
        state.hosts.setdefault(host[:200])
    index, instance = labels.get("gpu", ""), labels.get("GPU_I_ID", "")
    marks: dict[str, object] = {}
    if instance.isdecimal():
        marks["mig"] = {"gi": int(instance[:6])}
    if len(state.hosts) > 1:
        marks["host"] = host[:200]
    number = int(index[:6]) if index.isdecimal() else None
    key: Key = (host, index, labels.get("UUID", "") if number is None else "", instance)
    device = state.gauges.device(key, number, **marks)
    if instance:
        device.slice_of = (host, index)
    return key, device


def _mib(text: str) -> Printed:
    """A gauge: a whole number of MiB, which Go may print with an exponent."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        return unavailable(text)
    if not value.is_finite() or value >= 1 << 43 or value.adjusted() > 15:
        return unavailable(text)
    return nvml.mib(str(int(value)))


def _row(match: re.Match[str], row: Row, state: _State) -> None:
    cells = match[3].split()
    if len(cells) != len(state.columns):
        return
    place, gauges = row.pointer(state.gauges.sheet.sha256), state.gauges
    for column, cell in zip(state.columns, cells, strict=True):
        if column in _COLUMNS:
            state.shapes["dmon"] = None
            instance = match[1] == "GPU-I"
            index = None if instance else int(match[2])
            marks: dict[str, object] = {"mig": {"entity": int(match[2])}} if instance else {}
            device = gauges.device((match[1], match[2]), index, **marks)
            if instance:
                device.slice_of = ("GPU",)
            gauges.sample(device, _COLUMNS[column], place, _mib(cell))
        elif column == "MCUTL":
            nvml.activity(gauges.sheet, place, "MCUTL")


def accepts(content: bytes, name: str) -> int:
    """92 for metrics of DCGM, or a table of dcgmi dmon with the frame buffer."""
    head = content[:8_388_608]
    if (
        b"DCGM_FI_DEV_FB_" in head
        and b"{" in head
        and re.search(rb"DCGM_FI_DEV_FB_\w{2,20}\{", head)
    ):
        return 92
    if re.search(rb"(?m)^.{0,60}#\s?Entity\s.{0,300}FB(?:USD|FRE|TTL)", head):
        return 92
    return 92 if re.search(rb"\bdcgm_fb_(?:used|free)\{", head) else 0


MEMBER = Importer(
    name="dcgm_metrics",
    title="Metrics of DCGM",
    accepts=accepts,
    read=read,
)
