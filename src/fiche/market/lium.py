"""Lium's public feed (JSON): nodes with cards installed, cards free, and the least that may be rented.

Both prices, of a card and of the node, must agree. Installed is not free: the most that can be rented are the
free cards. No document of the format says a currency.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fiche.kernel.doors import Listing
from fiche.kernel.listing import Ask, Asked, Memory, Raw
from fiche.market._numbers import number
from fiche.market._rows import document, objects, text

_DAY = re.compile(rb'"generated_at"\s*:\s*"(\d{4}-\d\d-\d\d)T')
_CENT = 100


def accepts(content: bytes, name: str) -> int:
    """Its two prices have names of their own."""
    head = content[:20_000]
    return 95 if b'"price_per_gpu_hour"' in head and b'"gpu_model"' in head else 0


def observed(content: bytes) -> str:
    """The day on which the feed was made, as the feed says it."""
    found = _DAY.search(content[:2000]) or _DAY.search(content)
    return found[1].decode() if found else ""


def read(content: bytes, asked: Asked) -> Iterator[Raw]:
    """One offer a node, in cards: so many at least, so many at most."""
    told = document(content, asked.file)
    found = told.get("nodes") if isinstance(told, dict) else told
    yield from (_raw(place, row) for place, row in objects(found, "/nodes"))


def _raw(place: str, row: dict[str, Any]) -> Raw:
    if not text(row, "gpu_model"):
        return Raw(place=place, broken=("gpu_model", "", "it names no GPU"))
    wrong = _contradiction(row)
    if wrong:
        return Raw(place=place, broken=wrong)
    label, free = text(row, "gpu_memory_gb"), text(row, "available_gpu_count")
    return Raw(
        place=place,
        seller="lium",
        name=text(row, "gpu_model"),
        name_column="gpu_model",
        count="1",
        count_column="",
        memory=(Memory(text=label, unit="GB", column="gpu_memory_gb", kind="label"),)
        if label
        else (),
        asks=(
            Ask(
                text=text(row, "price_per_gpu_hour"),
                column="price_per_gpu_hour",
                covers="card",
                per="1 h",
            ),
        ),
        told={
            "interruptible": {"spot": "true", "secure": "false"}.get(text(row, "tier"), ""),
            "region": "-".join(filter(None, (text(row, "country_code"), text(row, "region")))),
            "min_order": text(row, "min_rentable_gpu_count"),
            "lots_max": free if free != "0" else "",
            "stock.installed": text(row, "gpu_count"),
            "stock.free": free,
            "notes": text(row, "rent_url"),
        },
    )


def _contradiction(row: dict[str, Any]) -> tuple[str, str, str] | None:
    """What of a node cannot be: counts beyond what is installed, or a price of the whole that is another's."""
    installed = number(text(row, "gpu_count"))
    for column in ("available_gpu_count", "min_rentable_gpu_count"):
        told = number(text(row, column))
        if told is not None and installed is not None and told > installed:
            why = f"it is more than the {text(row, 'gpu_count')} that are installed"
            return (column, text(row, column), why)
    card, node = text(row, "price_per_gpu_hour"), text(row, "price_per_node_hour")
    one, whole = number(card), number(node)
    if one is None or installed is None or whole is None:
        return None
    if abs(one * installed - whole) * _CENT < installed:
        return None
    why = f"it is not {text(row, 'gpu_count')} times the price of a card, {card}"
    return ("price_per_node_hour", node, why)


MEMBER = Listing(
    name="lium",
    title="Lium public feed (JSON)",
    accepts=accepts,
    read=read,
    observed=observed,
)
