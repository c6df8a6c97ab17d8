"""Our own form of offers, written: CSV or JSON lines for many, YAML for a few."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from fiche.market._table import NEEDED

# In the order of the schema; what else a row has follows by name.
_ORDER = (
    *("id", "seller", "kind", "gpu", "could_be", "cards_per_lot"),
    *("price.amount", "price.covers", "price.per", "lots_max", "min_order", "min_time"),
    *("commitment", "interruptible", "tax.basis", "tax.rate", "observed_on"),
    *("stock.installed", "stock.free", "region", "machine"),
    *("declared_memory.value", "declared_memory.counter", "host_memory", "source", "notes"),
)
_COUNTS = frozenset({"cards_per_lot", "lots_max", "min_order", "stock.installed", "stock.free"})
_LISTS = frozenset({"could_be"})


def written(offers: Sequence[Mapping[str, str]], name: str) -> bytes:
    """Offers in the form that a file's name asks for: .csv, .jsonl, else YAML."""
    if name.endswith(".csv"):
        return _csv(offers)
    if name.endswith(".jsonl"):
        lines = (json.dumps(nested(one), ensure_ascii=False) for one in offers)
        return "".join(f"{line}\n" for line in lines).encode()
    return _yaml(offers)


def _csv(offers: Sequence[Mapping[str, str]]) -> bytes:
    told = {path for one in offers for path in one}
    header = [path for path in _ORDER if path in told] + sorted(told.difference(_ORDER))
    text = io.StringIO(newline="")
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(header or NEEDED)
    rows.writerows([one.get(path, "") for path in header] for one in offers)
    return text.getvalue().encode()


def _yaml(offers: Sequence[Mapping[str, str]]) -> bytes:
    """A list in block style, each offer in JSON's own quotes: every YAML reader reads those alike."""
    lines = ["offers: 1", "list:" if offers else "list: []"]
    for one in offers:
        inner = [f"{key}: {_flow(value)}" for key, value in nested(one).items()]
        lines += [f"  {'- ' if place == 0 else '  '}{line}" for place, line in enumerate(inner)]
    return ("\n".join(lines) + "\n").encode()


def _flow(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(inner)}" for key, inner in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


def nested(told: Mapping[str, str]) -> dict[str, Any]:
    """An offer as the schema has it: dotted paths as mappings, counts as numbers, truth values as such."""
    root: dict[str, Any] = {}
    for path in sorted(told, key=_place):
        *above, key = path.split(".")
        inside = root
        for name in above:
            inside = inside.setdefault(name, {})
        inside[key] = _value(path, told[path])
    return root


def _place(path: str) -> tuple[int, str]:
    return (_ORDER.index(path) if path in _ORDER else len(_ORDER), path)


def _value(path: str, text: str) -> str | int | bool | list[str]:
    if path in _COUNTS and text.isascii() and text.isdigit():
        return int(text)
    if path == "interruptible" and text in ("true", "false"):
        return text == "true"
    return text.split() if path in _LISTS else text
