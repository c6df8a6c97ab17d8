"""SkyPilot's catalog: `vms.csv` of one cloud (skypilot-org/skypilot-catalog, README of the schema).

`GpuInfo` is a Python literal in a cell. Its memory is of one card on some clouds and of the machine on others
(skypilot-org/skypilot#3434), so it is held against the cards of that name. A spot price of 0 stands for none.
The cloud stands in no column: the folder bears its name. No document of the format says a currency.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from fiche.kernel.doors import Listing
from fiche.kernel.listing import Ask, Asked, Memory, Raw
from fiche.market._rows import cells, header_of
from fiche.market.gpuhunt import part_of

_NEEDED = ("InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "Region")
_LONGEST = 4096


def accepts(content: bytes, name: str) -> int:
    """Its header is its own."""
    return 95 if header_of(content).issuperset(_NEEDED) else 0


def read(content: bytes, asked: Asked) -> Iterator[Raw]:
    """Two offers a row at most: by the hour, and interruptible."""
    for place, row in cells(content, asked.file, _NEEDED):
        yield _raw(place, row, asked.folder)


def _raw(place: str, row: dict[str, str], cloud: str) -> Raw:
    if not row:
        return Raw(place=place, broken=("", "", "it has more or fewer cells than the header"))
    if not row["AcceleratorName"]:
        return Raw(place=place, why="it has no GPU")
    literal = row.get("GpuInfo", "")
    # A TPU's cell repeats its name.
    gpus = {} if literal == row["AcceleratorName"] else _gpus(literal)
    if gpus is None:
        return Raw(
            place=place, broken=("GpuInfo", literal[:80], "it is no literal of one kind of GPU")
        )
    spot = row.get("SpotPrice", "")
    zone = row.get("AvailabilityZone", "")
    return Raw(
        place=place,
        seller=cloud,
        name=_name(row, gpus),
        name_column="AcceleratorName",
        count=row["AcceleratorCount"],
        count_column="AcceleratorCount",
        memory=_memory(gpus, row["AcceleratorCount"]),
        asks=(
            Ask(
                text=row["Price"],
                column="Price",
                covers="lot",
                per="1 h",
                told={"interruptible": "false"},
            ),
            Ask(
                text=spot,
                column="SpotPrice",
                covers="lot",
                per="1 h",
                suffix="spot",
                told={"interruptible": "true"},
            ),
        ),
        told={"region": (zone or row["Region"]).strip(", "), "notes": row["InstanceType"]},
        host=(row.get("MemoryGiB", ""), "GiB", "MemoryGiB"),
        slice_of=part_of(row["InstanceType"]),
    )


@lru_cache(maxsize=4096)
def _gpus(literal: str) -> dict[str, Any] | None:
    """The one kind of GPU that a cell speaks of; empty where it says nothing, None where it cannot be read.

    Where it has the machine's total alone, that is under `Total`.
    """
    if not literal:
        return {}
    try:
        told = ast.literal_eval(literal) if len(literal) <= _LONGEST else {}
        if set(told) == {"TotalGpuMemoryInMiB"}:
            return {"Total": told["TotalGpuMemoryInMiB"]}
        (gpu,) = told["Gpus"]
        return {"Total": told.get("TotalGpuMemoryInMiB"), **gpu}
    except (ValueError, SyntaxError, TypeError, KeyError, RecursionError, MemoryError):
        return None


def _name(row: dict[str, str], gpus: dict[str, Any]) -> str:
    """The name with more in it: `H100` in one column may be `H100_NVL` in the type's name or in GpuInfo."""
    names = [row["AcceleratorName"], str(gpus.get("Name", ""))]
    kind = row["InstanceType"].partition("x-")[2] if row["InstanceType"][:1].isdigit() else ""
    names.append(kind.split("-")[0].replace("_", " "))
    short = row["AcceleratorName"].lower().replace("-", "").replace("_", "")
    longer = [n for n in names if n.lower().replace(" ", "").replace("-", "").startswith(short)]
    return max(longer, key=len, default=row["AcceleratorName"])


def _memory(gpus: dict[str, Any], count: str) -> tuple[Memory, ...]:
    """The card's own; a total is one only where there is one card: some clouds write a card's memory there."""
    held = gpus.get("MemoryInfo")
    told = held.get("SizeInMiB") if isinstance(held, dict) else None
    if told is None and count in ("1", "1.0"):
        told = gpus.get("Total")
    if told is None:
        return ()
    return (Memory(text=str(told), unit="MiB", column="GpuInfo", kind="print"),)


MEMBER = Listing(
    name="skypilot", title="SkyPilot catalog (vms.csv of one cloud)", accepts=accepts, read=read
)
