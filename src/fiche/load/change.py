"""One change of a workload by its path: the way it is done may change, the need may not (D6, D10)."""

from __future__ import annotations

from fiche.kernel.record import replace
from fiche.kernel.workload import Case, Workload
from fiche.load.fault import Faults
from fiche.load.node import Entry, Scalar
from fiche.load.references import nearest
from fiche.load.values import fact
from fiche.load.vocabulary import (
    CHANGEABLE_DIMENSIONS,
    NEED,
    RENAMED,
    dimension_terms,
    term,
    workload_terms,
)
from fiche.load.workload import count

Changed = tuple[Workload, str, str]


def changed(load: Workload, entry: Entry, faults: Faults) -> Changed:
    """The workload with one path changed, the value before (empty: untold) and after.

    A path that no workload has is noted (F310), and so is one that would change what is asked for
    (F324): such a candidate answers another question.
    """
    path, value = entry.key.text, entry.value
    assert isinstance(value, Scalar)
    if path.startswith("cases."):
        return _case(load, entry, value, faults)
    if path.split(".")[0] in NEED:
        _other_question(entry, faults)
    elif term(path) is None:
        _unknown(entry, list(workload_terms()), faults)
    else:
        return _workload(load, path, value, faults)
    return load, "", value.text


def _workload(load: Workload, path: str, value: Scalar, faults: Faults) -> Changed:
    told = term(path)
    assert told is not None
    name = RENAMED.get(path, path)
    if told.is_count:
        old = str(load.figures[path].low) if path in load.figures else ""
        figures = {**load.figures, path: count(value, path, told.label, faults)}
        return _done(replace(load, figures=figures), old, value, faults)
    old = load.facts[name].value if name in load.facts else ""
    figures = {key: one for key, one in load.figures.items() if key != path}
    if ".settings." in path and value.kind == "int":
        figures[path] = count(value, path, told.label, faults)
    facts = {**load.facts, name: fact(value)}
    return _done(replace(load, facts=facts, figures=figures), old, value, faults)


def _case(load: Workload, entry: Entry, value: Scalar, faults: Faults) -> Changed:
    steps = entry.key.text.split(".")
    name, dimension = (steps[1], steps[2]) if len(steps) == 3 else ("", "")
    case = next((one for one in load.cases if one.id == name), None)
    if case is None or dimension not in dimension_terms():
        known = [f"cases.{one.id}.{key}" for one in load.cases for key in CHANGEABLE_DIMENSIONS]
        _unknown(entry, known, faults)
    elif dimension not in CHANGEABLE_DIMENSIONS:
        _other_question(entry, faults)
    else:
        return _dimension(load, case, dimension, value, faults)
    return load, "", value.text


def _dimension(load: Workload, case: Case, name: str, value: Scalar, faults: Faults) -> Changed:
    old = str(case.dimensions[name].low) if name in case.dimensions else ""
    stated = count(value, f"{case.id}.{name}", dimension_terms()[name].label, faults)
    own = replace(case, dimensions={**case.dimensions, name: stated})
    cases = tuple(own if one is case else one for one in load.cases)
    return _done(replace(load, cases=cases), old, value, faults)


def _done(load: Workload, old: str, value: Scalar, faults: Faults) -> Changed:
    if old == value.text:
        faults.add("F323", "this changes nothing", value.span, f"the baseline has {old} too")
    return load, old, value.text


def _unknown(entry: Entry, known: list[str], faults: Faults) -> None:
    path = entry.key.text
    hint = (
        nearest(path, known) or "write it as in formats.cache, cases.limit.microbatch, gpu or cards"
    )
    faults.add("F310", f"no workload has '{path}'", entry.key.span, hint)


def _other_question(entry: Entry, faults: Faults) -> None:
    message = f"'{entry.key.text}' is part of what is asked for"
    hint = "a candidate does the same task another way; another task is another fiche"
    faults.add("F324", message, entry.key.span, hint)
