"""What stands behind the largest peak of a simulation: the largest of what is alive then, and the capacity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fiche.cli.load_rows import in_unit
from fiche.cli.terminal import paragraph, table
from fiche.report.numbers import memory, memory_unit

# What the model and its optimizer hold is in the table of kinds; here stands what the code adds.
_BY_THE_MODEL = ("parameter", "buffer", "gradient", "optimizer_state")
_MOST_ROWS = 6
_CAPACITY = "torch.cuda.mem_get_info"


def place(at: Mapping[str, Any]) -> str:
    """Operator, module and line, as far as they are known."""
    source = at["source"]
    parts = (
        at["operator"].removesuffix(".default"),
        at["module"],
        "" if source is None else f"{source['file']}:{source['line']}",
    )
    return ", ".join(filter(None, parts))


def largest(told: Mapping[str, Any]) -> str:
    """A table of the largest allocations at the largest peak, but for those of the model and the optimizer."""
    peak = told["peak"]
    names = ("order", "device_index")
    at = next(p["at_peak"] for p in told["phases"] if all(p[n] == peak[n] for n in names))
    found = [each for each in at["largest"] if each["kind"] not in _BY_THE_MODEL][:_MOST_ROWS]
    if not found:
        return ""
    word, factor = memory_unit(found[0]["bytes"], "GiB")
    if factor == 1:
        word, factor = "KiB", 1024
    rows = [
        (
            in_unit(each["bytes"], factor),
            str(each["count"]),
            each["kind"].replace("_", " "),
            " x ".join(map(str, each["shape"])),
            each["dtype"],
            place(each),
        )
        for each in found
    ]
    header = (f"largest then ({word})", "count", "kind", "shape of each", "format", "made by")
    return "\n" + table(rows, header=header, right=(0, 1), whole=(3,))


def left_of(told: Mapping[str, Any]) -> Iterator[str]:
    """What a device of the told capacity has left beyond the peak, as computed: it admits nothing."""
    settings = told["allocator"]["settings"]
    capacity = settings.get("capacity_bytes")
    if capacity is None or settings.get("per_process_memory_fraction", "1") != "1":
        return
    by = next((each["by"] for each in told["simulator"]["answers"] if _tells(each, capacity)), "")
    device = f"Of {memory(capacity)}" + (f" ({by})" if by else "")
    peak = told["peak"]
    reserved, allocated = peak["reserved_bytes"], peak["allocated_bytes"]
    counter, most = ("reserved", reserved) if reserved is not None else ("allocated", allocated)
    if most > capacity:
        over = f"the {counter} peak takes {memory(most - capacity)} more than there is"
        yield paragraph(f"{device}, {over}: by this computation the load does not fit.")
        return
    left = f"{memory(capacity - most)} are left beyond the {counter} peak"
    more = "" if reserved is not None else "what the allocator keeps beyond it, and "
    yield paragraph(f"{device}, {left}, for {more}what is in no figure here.")


def is_capacity(answer: Mapping[str, str], told: Mapping[str, Any]) -> bool:
    """Whether an answer only repeats the capacity."""
    return _tells(answer, told["allocator"]["settings"].get("capacity_bytes"))


def _tells(answer: Mapping[str, str], capacity: int | None) -> bool:
    return answer["asked"] == _CAPACITY and answer["told"] == f"{capacity} B"
