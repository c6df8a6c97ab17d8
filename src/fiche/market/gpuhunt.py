"""gpuhunt's catalog: one CSV a provider (dstackai/gpuhunt, README and `CatalogItem`).

`gpu_memory` is the nearest known label within 7 % of what a host declared: a name, never a capacity (reference:
catalog.md 3). The provider stands in no column: the file bears its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from fiche.kernel.doors import Listing
from fiche.kernel.listing import Ask, Asked, Memory, Raw
from fiche.market._rows import cells, header_of

_NEEDED = ("instance_name", "location", "price", "gpu_count", "gpu_name", "gpu_memory", "spot")


def accepts(content: bytes, name: str) -> int:
    """Its header is its own."""
    return 95 if header_of(content).issuperset(_NEEDED) else 0


def read(content: bytes, asked: Asked) -> Iterator[Raw]:
    """One offer a row: `price` is of the instance for an hour."""
    provider = PurePath(asked.file).stem
    for place, row in cells(content, asked.file, _NEEDED):
        yield _raw(place, row, row.get("provider", "") or provider)


def _raw(place: str, row: dict[str, str], provider: str) -> Raw:
    if not row:
        return Raw(place=place, broken=("", "", "it has more or fewer cells than the header"))
    if row["gpu_count"] in ("", "0") or not row["gpu_name"]:
        return Raw(place=place, why="it has no GPU")
    spot = {"true": "true", "false": "false"}.get(row["spot"].lower(), "")
    return Raw(
        place=place,
        seller=provider,
        name=row["gpu_name"],
        name_column="gpu_name",
        count=row["gpu_count"],
        count_column="gpu_count",
        memory=_memory(row["gpu_memory"]),
        asks=(Ask(text=row["price"], column="price", covers="lot", per="1 h"),),
        told={"interruptible": spot, "region": row["location"], "notes": row["instance_name"]},
        host=(row.get("memory", ""), "GB", "memory"),
        slice_of=part_of(row["instance_name"]),
    )


def _memory(label: str) -> tuple[Memory, ...]:
    return (Memory(text=label, unit="GB", column="gpu_memory", kind="label"),) if label else ()


def part_of(instance: str) -> str:
    """Azure's NVads A10 v5: parts of one card, listed with a count of 1 (vCPUs of 36 for a whole one)."""
    words = instance.lower().replace("standard_", "").split("_")
    parts = {
        "nv6ads": "a sixth of a card",
        "nv12ads": "a third of a card",
        "nv18ads": "half of a card",
    }
    return parts.get(words[0], "") if "a10" in words else ""


MEMBER = Listing(
    name="gpuhunt",
    title="gpuhunt catalog (CSV of one provider)",
    accepts=accepts,
    read=read,
    currency="USD",
    currency_by='gpuhunt\'s README ("maximum price per hour in USD")',
)
