"""A sweep in the terminal: what changes as columns that fit, what stays the same once above them."""

from __future__ import annotations

from fiche.cli.load_rows import PER_DEVICE, gaps, in_unit, interval, short
from fiche.cli.sweep import Sweep, SweepRow, changed
from fiche.cli.terminal import cells, paragraph, table, width
from fiche.kernel.figure import Bounds

_GIB = 2**30
_BETWEEN = 2
Amounts = dict[str, Bounds]


def sweep_text(found: Sweep) -> str:
    """Items that move, floor and envelope in GiB, a row a point; gaps last."""
    points = [_items(row) for row in found.rows]
    moving, still = _parted(points)
    told = [_told(found, row) for row in found.rows]
    head = [*changed(found), "case"]
    kept = [place for place in range(len(head)) if any(row[place] for row in told)]
    heads = [head[place] for place in kept]
    left = [[row[place] for place in kept] for row in told]
    ends = [
        (in_unit(row.point.floor[0], _GIB), interval(row.point.envelope, _GIB))
        for row in found.rows
    ]
    shown = _fitting(heads, left, moving, points, ends)
    text = paragraph(
        "By arithmetic alone, in GiB; one variable at a time changes unless a grid is asked for."
    )
    if any(name.endswith(PER_DEVICE) for name in found.labels):
        text += "Amounts are those of the most loaded device.\n"
    text += _same(still) + "\n"
    rows = [
        (*words, *(interval(point.get(name), _GIB) for name in shown), *end)
        for words, point, end in zip(left, points, ends, strict=True)
    ]
    header = (*heads, *(_head(name) for name in shown), "floor", "envelope")
    text += table(rows, header=header, right=range(len(heads), len(header)))
    text += _more([name for name in moving if name not in shown])
    text += "\n" + paragraph(
        "floor: what must be in memory together; envelope: a sum of maxima, never a peak."
    )
    return text + gaps(found.left_out)


def _items(row: SweepRow) -> Amounts:
    return {short(name, row.case): bounds for name, bounds in row.point.items}


def _told(found: Sweep, row: SweepRow) -> list[str]:
    values = dict(row.values)
    return [*(values.get(name, "") for name in changed(found)), row.case]


def _parted(points: list[Amounts]) -> tuple[list[str], Amounts]:
    """Names of the items that differ between points, largest first, and the others' bounds."""
    names = dict.fromkeys(name for point in points for name in point)
    still = {n: points[0][n] for n in names if all(p.get(n) == points[0].get(n) for p in points)}
    moving = [name for name in names if name not in still]
    moving.sort(key=lambda name: -max(_far(point.get(name)) for point in points))
    return moving, still


def _far(bounds: Bounds | None) -> int:
    low, high = bounds or (0, 0)
    return int(low if high is None else high)


def _same(still: Amounts) -> str:
    known = {name: bounds for name, bounds in still.items() if bounds != (0, None)}
    told = "; ".join(f"{name} {interval(bounds, _GIB)}" for name, bounds in known.items())
    unknown = ", ".join(name for name in still if name not in known)
    text = paragraph(f"the same at every point: {told}", indent="  - ") if told else ""
    return text + (
        paragraph(f"unknown at every point: {unknown}", indent="  - ") if unknown else ""
    )


def _fitting(
    heads: list[str],
    left: list[list[str]],
    moving: list[str],
    points: list[Amounts],
    ends: list[tuple[str, str]],
) -> list[str]:
    """As many moving items as a line has room for, in their order."""
    taken = sum(_widest([head, *(row[p] for row in left)]) for p, head in enumerate(heads))
    taken += _widest(["floor", *(e[0] for e in ends)]) + _widest(
        ["envelope", *(e[1] for e in ends)]
    )
    shown: list[str] = []
    for name in moving:
        words = [*_head(name).split(), *(interval(point.get(name), _GIB) for point in points)]
        taken += _widest(words)
        if shown and taken > width():
            break
        shown.append(name)
    return shown


def _widest(texts: list[str]) -> int:
    return max(cells(text) for text in texts) + _BETWEEN


def _head(name: str) -> str:
    """A name that may wrap: a long one would take a whole column."""
    return name.replace("_", " ")


def _more(names: list[str]) -> str:
    if not names:
        return ""
    return paragraph(f"These change too, for want of room: {', '.join(names)} (see --csv).")
