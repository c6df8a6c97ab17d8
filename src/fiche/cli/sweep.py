"""`fiche estimate --sweep`: one load at many values of one variable, or of several in turn (D6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from fiche.cli.usage import together
from fiche.cli.variables import Variable, variable
from fiche.evaluate.varied import Point, Varied, varied
from fiche.kernel.diagnostic import Refused
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Bounds
from fiche.kernel.record import record
from fiche.kernel.workload import Case, Workload
from fiche.registry import members

MOST_POINTS = 100_000


@record(eq=False)
class Axis:
    """One variable and the values typed for it."""

    variable: Variable
    values: tuple[str, ...]


@record(eq=False)
class SweepRow:
    """One point: the values set (others stay as they are), the case, and the load there."""

    values: tuple[tuple[str, str], ...]
    case: str
    point: Point


@record(eq=False)
class Sweep:
    """Every point in the order asked, the items' labels by id, and what the envelopes leave out."""

    axes: tuple[Axis, ...]
    rows: tuple[SweepRow, ...]
    labels: dict[str, str]
    left_out: tuple[str, ...]


def axes(typed: Sequence[str]) -> tuple[Axis, ...]:
    """`NAME=V,V,...` as axes.

    Raises:
        Refused: F702 one has no name or no value, or a variable stands twice.
    """
    found = [_axis(each) for each in typed]
    names = [axis.variable.name for axis in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise Refused([together(f"{twice} is swept twice", "give all its values at once")])
    return tuple(found)


def _axis(typed: str) -> Axis:
    name, _, values = typed.partition("=")
    told = tuple(value.strip() for value in values.split(",") if value.strip())
    if not name or not told:
        hint = "write it as NAME=VALUE,VALUE: context=2048,4096"
        raise Refused([together(f"'{typed}' is no sweep", hint)])
    return Axis(variable=variable(name.strip()), values=told)


def sweep(workload: Workload, along: tuple[Axis, ...], *, grid: bool) -> Sweep:
    """The load at every value: one variable at a time, or every combination of a grid.

    Raises:
        Refused: F702 more points than 100 000, or what setting a value refuses.
    """
    points = _count(along, grid=grid) * max(len(workload.cases), 1)
    if points > MOST_POINTS:
        raise Refused([together(f"{points} points are asked for", f"at most {MOST_POINTS}")])
    runs = list(_runs(workload, along, grid=grid))
    rows = [row for run in runs for row in run[0]]
    labels = {name: label for _, asked in runs for each in asked for name, label in each.labels}
    left = dict.fromkeys(w for _, asked in runs for each in asked for w in each.left_out)
    return Sweep(axes=along, rows=tuple(rows), labels=labels, left_out=tuple(left))


def _count(along: tuple[Axis, ...], *, grid: bool) -> int:
    lengths = [len(axis.values) for axis in along]
    if not grid:
        return sum(lengths)
    points = 1
    for length in lengths:
        points *= length
    return points


Run = tuple[list[SweepRow], list[Varied]]


def _runs(workload: Workload, along: tuple[Axis, ...], *, grid: bool) -> Iterator[Run]:
    if not grid:
        for axis in along:
            yield _along(workload, axis, ())
        return
    *outer, inner = along
    for values in product(*(axis.values for axis in outer)):
        load, told = workload, []
        for axis, value in zip(outer, values, strict=True):
            load = axis.variable.put(load, value)
            told.append((axis.variable.name, value))
        yield _along(load, inner, tuple(told))


def _along(workload: Workload, axis: Axis, told: tuple[tuple[str, str], ...]) -> Run:
    """Every value of one axis: a number moves in one prepared formula, a word builds it anew."""
    asked = axis.variable
    numeric = asked.counts and all(value.isdecimal() for value in axis.values)
    rows: list[SweepRow] = []
    ready: list[Varied] = []
    # Each is put once, for what it refuses; any of them prepares the formula.
    loads = [asked.put(workload, value) for value in axis.values][:1] if numeric else []
    for value in axis.values:
        load = loads[0] if numeric else asked.put(workload, value)
        for place, case in enumerate(load.cases or (None,)):
            if not numeric or len(ready) <= place:
                ready.append(_prepared(load, case, asked))
            here = ready[place] if numeric else ready[-1]
            point = here.at(int(value) if numeric else 0)
            rows.append(
                SweepRow(
                    values=(*told, (asked.name, value)),
                    case=case.id if case is not None else "",
                    point=point,
                )
            )
    return rows, ready


def _prepared(load: Workload, case: Case | None, asked: Variable) -> Varied:
    estimators = members("fiche.estimators", Estimator)
    return varied(load, case, estimators, asked.leaf(case), asked.beside(case))


def changed(found: Sweep) -> list[str]:
    """The names of the variables, as columns."""
    return [axis.variable.name for axis in found.axes]


def sweep_csv(found: Sweep) -> str:
    """One line a point; bytes as whole numbers, an open end left empty."""
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [*found.labels, "floor", "envelope"]
    bounds = [f"{name} {end} (B)" for name in names for end in ("low", "high")]
    writer.writerow([*changed(found), "case", *bounds])
    for row in found.rows:
        values = dict(row.values)
        items = {**dict(row.point.items), "floor": row.point.floor, "envelope": row.point.envelope}
        ends = [_end(items.get(name), side) for name in names for side in (0, 1)]
        writer.writerow([*(values.get(name, "") for name in changed(found)), row.case, *ends])
    return out.getvalue()


def _end(bounds: Bounds | None, side: int) -> str:
    value = None if bounds is None else bounds[side]
    return "" if value is None else str(int(value))


def sweep_json(found: Sweep) -> dict[str, Any]:
    """The same for programs; bytes are whole numbers, null is an open end."""
    return {
        "format": "fiche-sweep/1",
        "unit": "B",
        "variables": [
            {"name": axis.variable.name, "values": list(axis.values)} for axis in found.axes
        ],
        "labels": found.labels,
        "points": [
            {
                "values": dict(row.values),
                "case": row.case,
                "items": {name: _ends(bounds) for name, bounds in row.point.items},
                "floor": _ends(row.point.floor),
                "envelope": _ends(row.point.envelope),
            }
            for row in found.rows
        ],
        "left_out": list(found.left_out),
    }


def _ends(bounds: Bounds) -> dict[str, int | None]:
    low, high = bounds
    return {"low": int(low), "high": None if high is None else int(high)}
