"""RunPod's GPU types (JSON of its GraphQL API): a price of one card for an hour, by cloud and commitment.

`memoryInGb` is the label. Prices by week or month of commitment are kept with the commitment and without a
period: what hours they pay for, no field says. A price that is null is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fiche.kernel.doors import Listing
from fiche.kernel.listing import Ask, Asked, Memory, Raw
from fiche.market._cards import words_of
from fiche.market._rows import document, objects, text

_HOURLY = {
    "securePrice": ("secure", "false"),
    "communityPrice": ("community", "false"),
    "secureSpotPrice": ("secure-spot", "true"),
    "communitySpotPrice": ("community-spot", "true"),
}
_COMMITTED = {
    "oneWeekPrice": "1 week",
    "oneMonthPrice": "1 month",
    "threeMonthPrice": "3 months",
    "sixMonthPrice": "6 months",
    "oneYearPrice": "1 year",
}


def accepts(content: bytes, name: str) -> int:
    """Its names of prices are its own."""
    head = content[:20_000]
    return 95 if b'"memoryInGb"' in head else 0


def read(content: bytes, asked: Asked) -> Iterator[Raw]:
    """One row a GPU type, and as many offers as it has prices."""
    told, path = document(content, asked.file), ""
    for key in ("data", "gpuTypes"):
        if isinstance(told, dict) and key in told:
            told, path = told[key], f"{path}/{key}"
    yield from (_raw(place, row) for place, row in objects(told, path))


def _raw(place: str, row: dict[str, Any]) -> Raw:
    name = text(row, "displayName") or text(row, "id")
    if not name:
        return Raw(place=place, broken=("displayName", "", "it names no GPU"))
    label = text(row, "memoryInGb")
    return Raw(
        place=place,
        seller="runpod",
        name=_fuller(name, text(row, "id")),
        name_column="displayName",
        count="1",
        count_column="",
        memory=(Memory(text=label, unit="GB", column="memoryInGb", kind="label"),) if label else (),
        asks=tuple(_asks(row)),
        told={"notes": text(row, "id")},
        slice_of="a MIG slice of a card" if "MIG" in f"{name} {text(row, 'id')}".split() else "",
    )


def _fuller(shown: str, id: str) -> str:
    """Of a name shown and an id of one model, the one that says the form: `H100 SXM`, `A100 80GB PCIe`."""
    first, second = words_of(shown), words_of(id)
    if first.model != second.model:
        return shown
    return id if len(second.forms) > len(first.forms) else shown


def _asks(row: dict[str, Any]) -> Iterator[Ask]:
    for column, (suffix, spot) in _HOURLY.items():
        if told := text(row, column):
            terms = {"interruptible": spot}
            yield Ask(text=told, column=column, covers="card", per="1 h", suffix=suffix, told=terms)
    for column, time in _COMMITTED.items():
        if told := text(row, column):
            terms = {"commitment": time, "interruptible": "false"}
            yield Ask(
                text=told,
                column=column,
                covers="card",
                per="",
                suffix=time.replace(" ", "-"),
                told=terms,
            )


MEMBER = Listing(
    name="runpod",
    title="RunPod GPU types (JSON)",
    accepts=accepts,
    read=read,
    currency="USD",
    currency_by="RunPod's API reference (prices in US dollars)",
)
