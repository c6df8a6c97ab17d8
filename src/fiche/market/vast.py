"""Vast.ai's offers: `{"offers": [...]}` of its REST API, or the list that its command line prints.

`gpu_ram` is MB in the REST API (a print of the machine, which is MiB) and GB in the command line, by Vast.ai's
own documentation: in a bare list it may be either, and below a thousand it is GB.
`dph_total` is the machine's price for an hour; `min_bid` is a floor for bids, no offer.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from fiche.kernel.doors import Listing
from fiche.kernel.listing import Ask, Asked, Memory, Raw
from fiche.market._numbers import number, written
from fiche.market._rows import document, objects, text

# No card has so few GB in MB, none so many GB.
_BETWEEN = 1000


def accepts(content: bytes, name: str) -> int:
    """Its price per hour has a name that nobody else uses."""
    head = content[:20_000]
    return 95 if b'"dph_total"' in head and b'"gpu_name"' in head else 0


def read(content: bytes, asked: Asked) -> Iterator[Raw]:
    """One offer a row."""
    told = document(content, asked.file)
    rest = isinstance(told, dict)
    found, path = (told.get("offers"), "/offers") if rest else (told, "")
    yield from (_raw(place, row, rest=rest) for place, row in objects(found, path))


def _raw(place: str, row: dict[str, Any], *, rest: bool) -> Raw:
    if not text(row, "gpu_name"):
        return Raw(place=place, broken=("gpu_name", "", "it names no GPU"))
    if text(row, "rentable") == "false" or text(row, "rented") == "true":
        return Raw(place=place, why="it is rented out")
    machine = text(row, "machine_id")
    return Raw(
        place=place,
        seller="vast",
        name=text(row, "gpu_name"),
        name_column="gpu_name",
        count=text(row, "num_gpus"),
        count_column="num_gpus",
        memory=_memory(text(row, "gpu_ram"), rest=rest),
        asks=(Ask(text=text(row, "dph_total"), column="dph_total", covers="lot", per="1 h"),),
        told={
            "interruptible": text(row, "is_bid"),
            "region": text(row, "geolocation").strip(", "),
            "machine": f"vast-{machine}" if machine else "",
            "notes": f"offer {text(row, 'id')}",
        },
        host=_host(text(row, "cpu_ram"), rest=rest),
    )


def _memory(told: str, *, rest: bool) -> tuple[Memory, ...]:
    value = number(told)
    if value is None:
        return ()
    in_gb = not rest and value < _BETWEEN
    unit, kind = ("GB", "label") if in_gb else ("MiB", "print")
    return (Memory(text=told, unit=unit, column="gpu_ram", kind=kind),)


def _host(told: str, *, rest: bool) -> tuple[str, str, str] | None:
    value = number(told)
    if not value:
        return None
    in_gb = not rest and value < _BETWEEN
    return (told, "GB", "cpu_ram") if in_gb else (written(Fraction(value) / 1024), "GiB", "cpu_ram")


MEMBER = Listing(
    name="vast",
    title="Vast.ai offers (JSON)",
    accepts=accepts,
    read=read,
    currency="USD",
    currency_by="Vast.ai's API reference (prices in US dollars)",
)
