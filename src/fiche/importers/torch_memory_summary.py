"""The table of `torch.cuda.memory_summary()` in a log, and `list_gpu_processes()` (evidence_formats 2.2).

Whole units, cut down; the unit is chosen per column, and its label means a power of 1024 in every
version. `CUDA OOMs: n` is a failure without an amount. Total columns are sums over time, no levels.
"""

from __future__ import annotations

from fiche.importers._figures import MIB, nearest
from fiche.importers._lines import holds, lines
from fiche.importers._oom_counters import OomCounts
from fiche.importers._opened import opened
from fiche.importers._refusal import refused
from fiche.importers._sheet import Sheet
from fiche.importers._summary_rows import POOLS, ROWS, Cell
from fiche.importers._summary_tables import ANCHORS, Entry, Table, closed, tables
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_PROCESS_ANCHORS = (b"MB GPU memory", b"GPU:")
_PROCESS = lazy(
    r"process\s{1,20}(?P<pid>\d{1,10})\s{1,5}uses\s{1,20}(?P<used>\d{1,9}\.\d{3})\s(?P<unit>MB)\sGPU memory"
)
_GPU = lazy(r"GPU:(\d{1,4})")
_NEAR = 200
_MAX_COUNTED = 50
# What the backend cudaMallocAsync counts; the rest of its table is zero.
_KEPT_ASYNC = frozenset({"Allocated memory", "Active memory", "GPU reserved memory"})
_ASYNC_REASON = tell(
    "the cudaMallocAsync backend keeps only the sums of allocated, active and reserved; "
    "the other zeros are not measurements"
)


def read(content: bytes, sha256: str) -> Reading:
    """Every table of a log: levels and peaks by row, counts, failures.

    Raises:
        Refused: no table in it (F424), rows mixed or broken beyond repair (F445).
    """
    text = opened(content, sha256)
    sheet, counts = Sheet(sha256), OomCounts()
    found = tables(text, sha256)
    for table in found:
        _read_table(sheet, counts, table, text)
    counts.close(sheet)
    _processes(sheet, text)
    if sheet.empty and not sheet.counters:
        raise nothing_found(text, sha256, "a table of torch.cuda.memory_summary")
    backends = {table.backend for table in found}
    return sheet.reading(
        "torch_memory_summary", _shape(found), backends.pop() if len(backends) == 1 else None
    )


def _shape(found: list[Table]) -> str:
    if not found:
        return "gpu-processes"
    units = {cell.unit for table in found for entry in table.entries for cell in entry.row.cells}
    if any(len(unit) == len("KiB") for unit in units):
        return "summary-iec"
    return "summary-decimal-labels" if any(len(unit) == len("KB") for unit in units) else "summary"


def _read_table(sheet: Sheet, counts: OomCounts, table: Table, text: bytes) -> None:
    first = table.title or table.counter_line or table.entries[0].line
    rank = first.speaker.rank
    if table.counter_line is not None:
        at = sheet.place(table.counter_line)
        counts.ooms(at, table.ooms, table.device, rank, table.backend)
        counts.count("num_alloc_retries", table.retries, table.device, rank)
    unmeasured = _unmeasured(table)
    for entry in table.entries:
        if not unmeasured or entry.row.name in _KEPT_ASYNC:
            _read_row(sheet, table, entry, rank)
    if unmeasured:
        sheet.plan(first, "Requested memory, pools, totals, counts", _ASYNC_REASON)
        sheet.warn(
            tell(
                "zero_may_be_unmeasured: all but three rows are zero, as under cudaMallocAsync, "
                "whose reserved peak may be an upper bound"
            )
        )
    _doubts(sheet, table, text)


def _read_row(sheet: Sheet, table: Table, entry: Entry, rank: int | str | None) -> None:
    metric, row = ROWS.get(entry.owner, ""), entry.row
    pool = POOLS.get(row.name, "all")
    if not row.known:
        _keep(sheet, "other_rows", {"row": row.name, "printed": [cell.text for cell in row.cells]})
        sheet.warn(
            tell(
                "row_not_known: the row '{name}' is kept as printed and not counted", name=row.name
            )
        )
    elif metric.endswith("_bytes"):
        label = entry.owner if pool == "all" else f"{entry.owner}, {row.name}"
        for stat, cell in zip(("current", "peak"), row.cells[:2], strict=True):
            _cell(sheet, table, entry, cell)
            sheet.see(
                entry.line,
                f"{metric}.{pool}",
                cell.printed(),
                scope="process_allocator",
                stat=stat,
                device_index=table.device,
                rank=rank,
                label=label,
            )
    elif pool == "all":
        printed = {"current": row.cells[0].text, "peak": row.cells[1].text}
        _keep(sheet, "counts", {"counter": metric, "device_index": table.device, **printed})


def _cell(sheet: Sheet, table: Table, entry: Entry, cell: Cell) -> None:
    """Refuse a size without a unit: part of the row is missing."""
    if not cell.unit.endswith("B") or int(cell.digits) < 0:
        message = f"'{cell.text}' in the row '{entry.row.name}' is no size"
        hint = "copy the table again: part of the row is missing"
        raise refused("F445", message, sheet.sha256, line=entry.line.number, hint=hint)
    if cell.decimal_label:
        sheet.warn(
            tell("unit_label_is_binary: KB, MB and GB in this table mean 1024 bytes and its powers")
        )


def _keep(sheet: Sheet, name: str, item: dict[str, object]) -> None:
    kept = sheet.further.setdefault(name, [])
    if isinstance(kept, list) and len(kept) < _MAX_COUNTED:
        kept.append(item)


def _unmeasured(table: Table) -> bool:
    """True where all is zero but the levels of three rows: nobody counted the rest."""
    told: list[Cell] = []
    others: list[Cell] = []
    for entry in table.entries:
        levels = 2 if entry.row.name in _KEPT_ASYNC else 0
        told.extend(entry.row.cells[:levels])
        others.extend(entry.row.cells[levels:])
    counted = table.has("Allocations") or table.has("GPU reserved segments")
    return counted and all(cell.zero for cell in others) and not all(cell.zero for cell in told)


def _doubts(sheet: Sheet, table: Table, text: bytes) -> None:
    if table.title is None:
        sheet.warn(tell("device_not_named: a table's title is missing: its device is not known"))
    if not closed(table, text):
        sheet.warn(
            tell("truncated: a table breaks off; the rows that it did not print are not known")
        )
    if table.entries and all(cell.zero for entry in table.entries for cell in entry.row.cells):
        sheet.warn(
            tell(
                "zero_may_be_unmeasured: every figure of a table is zero: nothing was allocated on "
                "this device, or not counted"
            )
        )


def _processes(sheet: Sheet, text: bytes) -> None:
    """What NVML says of each process, under its own index of the device."""
    device, at = None, 0
    for line in lines(text, _PROCESS_ANCHORS):
        gpu = _GPU.fullmatch(line.text)
        if gpu is not None:
            device, at = int(gpu[1]), line.number
        used = line.search(_PROCESS)
        if used is None:
            continue
        sheet.see(
            line,
            "list_gpu_processes",
            nearest(used["used"], " MB", MIB),
            scope="process",
            stat="current",
            device_index=device if line.number - at <= _NEAR else None,
            marks={"pid": int(used["pid"])},
        )
        sheet.warn(
            tell("nvml_index: processes are listed under NVML's index of a device, not torch's")
        )
        sheet.warn(tell("unit_label_is_binary: MB of list_gpu_processes means 2**20 bytes"))


def accepts(content: bytes, name: str) -> int:
    """92 for a file that is a table, 85 for one in a log, less for parts of one."""
    if b" memory summary, device" in content and b"PyTorch " in content:
        return 92 if content.lstrip().startswith(b"|=") else 85
    if b"GPU reserved memory" in content and holds(
        content, (b"from large pool", b"Allocated memory")
    ):
        return 70
    return 60 if b" MB GPU memory" in content and b"process " in content else 0


MEMBER = Importer(
    name="torch_memory_summary",
    title="Table of PyTorch's allocator (torch.cuda.memory_summary)",
    accepts=accepts,
    read=read,
    anchors=(*ANCHORS, b"MB GPU memory"),
    log=True,
)
