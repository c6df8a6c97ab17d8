"""The island of data that the sizer's script reads: JSON that can neither end its element nor open another."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from fiche.kernel.graph import Entry
from fiche.render.scripts import inert
from fiche.render.visible import visible
from fiche.report.parts import Report
from fiche.report.sizer_parts import Sizer

SCRIPTS = ("sizer_numbers.js", "sizer.js")
STYLE = "report_sizer.css"
# Lists whose entries have the same keys: told once.
_ALIKE = ("rooms", "inputs")


def sizes(report: Report) -> bool:
    """True where the report has something to size: only then does the page bear its script."""
    return any(isinstance(block, Sizer) for each in report.sections for block in each.blocks)


def island(sizer: Sizer) -> Markup:
    """What the script evaluates and says; what could act on the reader is written out."""
    told: dict[str, Any] = {
        key: _shown(each) for key, each in sizer.content.items() if key != "nodes"
    }
    labels = list(dict.fromkeys(row["label"] for case in told["cases"] for row in case["rows"]))
    once: list[Any] = []
    for case in told["cases"]:
        case["rows"] = _place([_row(row, labels.index(row["label"])) for row in case["rows"]], once)
        case["left_out"] = _place(case.get("left_out", []), once)
    for key in _ALIKE:
        told[key] = _headed(told.get(key, []))
    nodes = " ".join(_entry(each) for each in sizer.content["nodes"])
    return inert({**told, "labels": labels, "once": once, "nodes": nodes})


def _place(each: list[Any], once: list[Any]) -> int:
    """Where a list stands among those that cases share: loads that differ by their placement hold the same."""
    if each not in once:
        once.append(each)
    return once.index(each)


def _headed(entries: list[dict[str, Any]]) -> list[list[Any]]:
    """Entries that have the same keys, as rows below them."""
    keys = list(entries[0]) if entries else []
    return [keys, *([entry[key] for key in keys] for entry in entries)]


def _row(row: dict[str, Any], label: int) -> list[Any]:
    """Cases have the same items: each row names its label by place, and a kind only where it has one."""
    return [label, row["place"], row["now"], *([row["kind"]] if "kind" in row else [])]


def _entry(entry: Entry) -> str:
    """`12`, `7/2`, `0~12`, `0~` where the end is open, `+:3:4` (`kernel.graph`)."""
    if isinstance(entry, str):
        return entry
    first, *rest = entry
    if any(isinstance(each, int) for each in rest):
        return ":".join(map(str, entry))
    return str(first) if rest == [first] else f"{first}~{rest[0] or ''}"


def _shown(value: object) -> object:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {key: _shown(each) for key, each in value.items()}
    return [_shown(each) for each in value] if isinstance(value, list | tuple) else value
