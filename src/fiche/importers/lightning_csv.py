"""Device statistics of Lightning in the file of its CSVLogger (`metrics.csv`).

lightning 2.6.6, `callbacks/device_stats_monitor.py` (evidence_formats 4): columns
`DeviceStatsMonitor.HOOK/KEY` with the keys of torch's memory_stats, bytes and counts, of the root device of
rank 0. A row is of one hook. Before 2.0 `GPUStatsMonitor` wrote columns `device_id: N/memory.used (MB)` from
nvidia-smi (MiB).
"""

from __future__ import annotations

from fiche.importers import _training
from fiche.importers._columns import Column, columns, ends_whole, whole_bytes
from fiche.importers._figures import MIB, about
from fiche.importers._lines import holds
from fiche.importers._oom_counters import OomCounts
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_ANCHORS = (b"DeviceStatsMonitor.", b"_id: ")
_BYTES = lazy(
    r"DeviceStatsMonitor\.(?P<hook>\w{1,60})[/.](?:allocated|reserved|active|inactive_split|requested)"
    r"_bytes\.(?:all|large_pool|small_pool)\.(?P<stat>current|peak)"
)
_COUNTER = lazy(r"DeviceStatsMonitor\.\w{1,60}[/.](?P<name>num_ooms|num_alloc_retries)")
_OLD = lazy(r"(?:device|gpu)_id: (?P<index>[0-9]{1,3})[/.]memory\.used \(MB\)")
_SHARE = lazy(r"DeviceStatsMonitor\.\w{1,60}[/.][\w.:]{0,80}percent[\w.:]{0,20}")
_HEADER = lazy(
    r"DeviceStatsMonitor\.\w{1,60}[/.]|(?:device|gpu)_id: \d{1,3}[/.]memory\.used \(MB\)"
)
_IN_HEAD = 4 * 1024 * 1024
_STATS = {"current": "sampled_max", "peak": "peak"}


def read(content: bytes, sha256: str) -> Reading:
    """The largest value of each column: what was sampled at hooks is no peak of its own.

    Raises:
        Refused: no table of CSV (F429), or none of these columns in it (F424).
    """
    sheet = Sheet(sha256)
    table = [column for column in columns(content, sha256, _HEADER) if column.samples]
    for column in table:
        _seen(sheet, column)
    _counted(sheet, table)
    if sheet.empty and not sheet.counters:
        raise nothing_found(content, sha256, "device statistics of Lightning")
    sheet.further["samples"] = max(column.samples for column in table)
    sheet.warn(_training.RANK_0)
    if any(seen.device_index is None for seen in sheet.observations):
        sheet.warn(_training.DEVICE)
    sheet.warn(
        tell(
            "sampled: the program looks at its hooks only; what was highest between them shows "
            "in columns of peaks"
        )
    )
    if not ends_whole(content, _HEADER):
        sheet.warn(tell("truncated: the last row breaks off; its last cell is left out"))
    return sheet.reading("lightning_csv", "csv-logger")


def _seen(sheet: Sheet, column: Column) -> None:
    """Note what a column of memory says."""
    place = column.pointer(sheet.sha256)
    if _SHARE.fullmatch(column.name):
        sheet.plan(
            place, column.name, tell("a percentage of something whose total is not in the file")
        )
    old, named = _OLD.fullmatch(column.name), _BYTES.fullmatch(column.name)
    if old is not None:
        value = about(column.text.partition(".")[0], " MB", MIB)
        index = int(old["index"])
        sheet.see(place, column.name, value, scope="device", stat="sampled_max", device_index=index)
        sheet.warn(_training.binary("MB", 20))
    figure = whole_bytes(column.text)
    if named is not None and figure is not None:
        stat = _STATS[named["stat"]]
        sheet.see(
            place, column.name, figure, scope="process_allocator", stat=stat, label=named["hook"]
        )


def _counted(sheet: Sheet, table: list[Column]) -> None:
    """Note the counts; every hook shows the same ones, so the largest of each says it all."""
    counts = OomCounts()
    largest: dict[str, Column] = {}
    for column in table:
        counter = _COUNTER.fullmatch(column.name)
        if counter is None:
            continue
        known = largest.setdefault(counter["name"], column)
        if (column.largest or 0) > (known.largest or 0):
            largest[counter["name"]] = column
    for name, column in largest.items():
        if name == "num_ooms":
            counts.ooms(column.pointer(sheet.sha256), int(column.largest or 0), None, None, None)
        else:
            counts.count(name, int(column.largest or 0), None, None)
    counts.close(sheet)


def accepts(content: bytes, name: str) -> int:
    """92 for a table with these columns."""
    if not holds(content, _ANCHORS):
        return 0
    at = _IN_BYTES.search(content, 0, _IN_HEAD)
    if at is None:
        return 0
    line = content[content.rfind(b"\n", 0, at.start()) + 1 : at.start() + 200]
    return 92 if b"," in line else 0


_IN_BYTES = lazy(_HEADER.pattern.encode())

MEMBER = Importer(
    name="lightning_csv",
    title="Device statistics of Lightning's CSVLogger",
    accepts=accepts,
    read=read,
)
