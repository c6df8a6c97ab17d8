"""`dstack offer`: its JSON (`--json`), or its table as CSV (BACKEND, REGION, INSTANCE, RESOURCES, SPOT, PRICE).

Memory is the label that gpuhunt gave, in MiB by multiplying: no capacity. No document of the format says a
currency.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from fiche.kernel.doors import Listing
from fiche.kernel.listing import Ask, Asked, Memory, Raw
from fiche.market._numbers import number, written
from fiche.market._rows import cells, document, header_of, objects, text
from fiche.market.gpuhunt import part_of

_NEEDED = ("BACKEND", "REGION", "RESOURCES", "SPOT", "PRICE")
_GPUS = re.compile(r"(\d+)x([A-Za-z][\w /-]*?)(?: \((\d+(?:\.\d+)?)GB\)| |,|$)")


def accepts(content: bytes, name: str) -> int:
    """Offers with a backend and resources."""
    if header_of(content).issuperset(_NEEDED):
        return 95
    head = content[:20_000]
    return (
        90 if b'"backend"' in head and b'"instance_type"' in head and b'"resources"' in head else 0
    )


def read(content: bytes, asked: Asked) -> Iterator[Raw]:
    """One offer a row."""
    if header_of(content).issuperset(_NEEDED):
        yield from (_of_table(place, row) for place, row in cells(content, asked.file, _NEEDED))
        return
    told = document(content, asked.file)
    found = told.get("offers") if isinstance(told, dict) else told
    yield from (_of_object(place, row) for place, row in objects(found, "/offers"))


def _of_object(place: str, row: dict[str, Any]) -> Raw:
    resources = row.get("resources")
    if not isinstance(resources, dict):
        return Raw(place=place, broken=("resources", "", "it has no resources"))
    gpus = [gpu for _, gpu in objects(resources.get("gpus"), "")]
    if not gpus:
        return Raw(place=place, why="it has no GPU")
    if any(gpu != gpus[0] for gpu in gpus):
        return Raw(place=place, broken=("gpus", "", "its cards differ from each other"))
    mib = text(gpus[0], "memory_mib")
    spot = text(resources, "spot") or text(row, "spot")
    return Raw(
        place=place,
        seller=text(row, "backend"),
        name=text(gpus[0], "name"),
        name_column="resources.gpus.name",
        count=str(len(gpus)),
        count_column="resources.gpus",
        memory=(Memory(text=mib, unit="MiB", column="memory_mib", kind="label"),) if mib else (),
        asks=(Ask(text=text(row, "price"), column="price", covers="lot", per="1 h"),),
        told={
            "interruptible": spot,
            "region": text(row, "region"),
            "notes": text(row, "instance_type"),
        },
        host=_gib(text(resources, "memory_mib")),
        slice_of=part_of(text(row, "instance_type")),
    )


def _gib(mib: str) -> tuple[str, str, str] | None:
    value = number(mib)
    return (written(Fraction(value) / 1024), "GiB", "memory_mib") if value else None


def _of_table(place: str, row: dict[str, str]) -> Raw:
    if not row:
        return Raw(place=place, broken=("", "", "it has more or fewer cells than the header"))
    found = _GPUS.search(re.sub(r"\d+xCPU", "", row["RESOURCES"]))
    if found is None:
        return Raw(place=place, why="it has no GPU")
    label = (
        (Memory(text=found[3], unit="GB", column="RESOURCES", kind="label"),) if found[3] else ()
    )
    return Raw(
        place=place,
        seller=row["BACKEND"],
        name=found[2],
        name_column="RESOURCES",
        count=found[1],
        count_column="RESOURCES",
        memory=label,
        asks=(Ask(text=row["PRICE"].lstrip("$"), column="PRICE", covers="lot", per="1 h"),),
        told={
            "interruptible": {"yes": "true", "no": "false"}.get(row["SPOT"], ""),
            "region": row["REGION"],
            "notes": row.get("INSTANCE", ""),
        },
        slice_of=part_of(row.get("INSTANCE", "")),
    )


MEMBER = Listing(
    name="dstack", title="dstack offers (JSON, or its table as CSV)", accepts=accepts, read=read
)
