"""A fiche taken apart into what can change on its own, and put together again from such parts.

What a candidate changes of the workload is kept as that change, so that another workload carries it along.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from fiche.evaluate.difference_told import Told, told
from fiche.kernel.catalog import Card, Offer
from fiche.kernel.decision import Fiche
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.record import field_names, record, replace
from fiche.kernel.requirement import Candidate
from fiche.kernel.workload import Case, Workload

Key = tuple[str, str]
_CASE = "cases."
# In reading order; `fiche` holds what is said of it as a whole.
KINDS = (
    *("tool", "fiche", "workload", "assumption", "margin", "requirement", "candidate"),
    *("offer", "card", "piece", "policy", "purchase", "input", "plans", "efforts"),
    *("similar_orders", "choice", "invalidated_by"),
)
_OF_FICHE = ("title", "date", "author", "illustrative", "language")
_TAKEN = (
    "workload",
    "requirements",
    "candidates",
    "pieces",
    "policy",
    "inputs",
    "invalidated_by",
    "choice",
)
_LISTED = ("facts", "figures", "cases", "reserve", "margin", "span", "model")


@record(eq=False)
class Part:
    """One part: the value that goes back into a fiche, and what is said of it."""

    value: object
    told: Told


Parts = dict[Key, Part]


def parts(fiche: Fiche, shared: frozenset[str]) -> Parts:
    """Everything of a fiche; `shared` are the cases that both sides have, taken apart by dimension."""
    found: Parts = {}
    for name in _OF_FICHE:
        found["fiche", name] = _part(getattr(fiche, name))
    for path, value in _flat(fiche.workload, shared).items():
        found["workload", path] = _of_workload(path, value, fiche)
    for kind, figures in (
        ("assumption", fiche.workload.reserve),
        ("margin", fiche.workload.margin),
    ):
        for one in figures:
            found[kind, one.id] = _part(one)
    for requirement in fiche.requirements:
        if not requirement.implied:
            found["requirement", requirement.id] = _part(requirement)
    found.update(_bought(fiche, shared))
    for piece in fiche.pieces:
        found["piece", piece.id] = _part(piece)
    found.update(_policy(fiche))
    found.update(_rest(fiche))
    return found


def _part(value: object, left: frozenset[str] = frozenset()) -> Part:
    return Part(value=value, told=told(value, also_left=left))


def _of_workload(path: str, value: object, fiche: Fiche) -> Part:
    if path != "model":
        return Part(value=value, told=_said(value))
    files = {one.file: one.sha256 for one in fiche.inputs if one.role == "model"}
    return Part(value=value, told=files)


def _said(value: object) -> Told:
    """A path that is both a word and a count is said as either, and not by its place."""
    if isinstance(value, tuple) and any(isinstance(each, Fact | Figure) for each in value):
        return {name: word for each in value for name, word in told(each).items()}
    return told(value)


def _bought(fiche: Fiche, shared: frozenset[str]) -> Iterator[tuple[Key, Part]]:
    base = _flat(fiche.workload, shared)
    for one in fiche.candidates:
        own = {} if one.workload is fiche.workload else _delta(base, _flat(one.workload, shared))
        words = told(one, also_left=frozenset({"card", "offer", "change"}))
        words |= {f"workload.{path}": _words(value) for path, value in own.items()}
        words |= {} if one.offer is None else {"offer": one.offer.id}
        yield ("candidate", one.id), Part(value=(one, own), told=words)
        if one.offer is not None:
            yield ("offer", one.offer.id), _part(one.offer)
        if one.card is not None:
            yield ("card", one.card.id), _part(one.card)


def _words(value: object) -> str:
    return ", ".join(_said(value).values()) if value is not None else "none"


def _policy(fiche: Fiche) -> Iterator[tuple[Key, Part]]:
    """Each entry of it on its own: a rule that changed is named."""
    for name in field_names(fiche.policy):
        value = getattr(fiche.policy, name)
        if isinstance(value, Mapping):
            for key, entry in value.items():
                yield ("policy", f"{name}.{key}"), _part(entry)
        elif value is not None:
            yield ("policy", name), _part(value)


def _rest(fiche: Fiche) -> Iterator[tuple[Key, Part]]:
    for fact in fiche.invalidated_by:
        yield ("invalidated_by", fact.value), _part(fact)
    if fiche.choice is not None:
        yield ("choice", ""), _part(fiche.choice)
    for name in field_names(fiche):
        value = getattr(fiche, name)
        if name not in (*_OF_FICHE, *_TAKEN, "file") and told(value):
            yield (name, ""), _part(value)


# --- The workload -------------------------------------------------------------------------------


def _flat(load: Workload, shared: frozenset[str]) -> dict[str, object]:
    """Its facts and counts by path, its cases, and whatever else it holds."""
    found: dict[str, object] = {}
    for path in dict.fromkeys((*load.facts, *load.figures)):
        found[path] = (load.facts.get(path), load.figures.get(path))
    for case in load.cases:
        if case.id not in shared:
            found[f"{_CASE}{case.id}"] = case
            continue
        found[f"{_CASE}{case.id}"] = replace(case, dimensions={})
        for name, figure in case.dimensions.items():
            found[f"{_CASE}{case.id}.{name}"] = figure
    for name in field_names(load):
        if name not in _LISTED and told(getattr(load, name)):
            found[name] = getattr(load, name)
    if load.model is not None:
        found["model"] = load.model
    return found


def _delta(base: Mapping[str, object], own: Mapping[str, object]) -> dict[str, object]:
    """What a candidate's workload has otherwise; None where it lacks it."""
    paths = dict.fromkeys((*base, *own))
    return {path: own.get(path) for path in paths if not _alike(base.get(path), own.get(path))}


def _alike(one: object, other: object) -> bool:
    return one is other or (one is not None and other is not None and told(one) == told(other))


def _workload(template: Workload, flat: Mapping[str, object]) -> Workload:
    facts: dict[str, Fact] = {}
    figures: dict[str, Figure] = {}
    cases: dict[str, Case] = {}
    others: dict[str, object] = {}
    for path, value in flat.items():
        if isinstance(value, Case):
            cases[value.id] = value
        elif isinstance(value, tuple) and len(value) == 2 and path not in field_names(template):
            fact, figure = value
            facts |= {path: fact} if isinstance(fact, Fact) else {}
            figures |= {path: figure} if isinstance(figure, Figure) else {}
        elif not path.startswith(_CASE):
            others[path] = value
    for path, value in flat.items():
        _, _, place = path.partition(_CASE) if path.startswith(_CASE) else ("", "", "")
        name, _, dimension = place.rpartition(".")
        if isinstance(value, Figure) and name in cases:
            sizes = {**cases[name].dimensions, dimension: value}
            cases[name] = replace(cases[name], dimensions=sizes)
    empty = {name: _empty(template, name) for name in field_names(template) if name not in _LISTED}
    kept = {"model": None, **empty, **others}
    return replace(template, facts=facts, figures=figures, cases=tuple(cases.values()), **kept)


def _empty(template: Workload, name: str) -> object:
    """What a field is where nothing is said of it."""
    value = getattr(template, name)
    return type(value)() if isinstance(value, tuple | dict) else None


# --- Together again -----------------------------------------------------------------------------


def rebuilt(found: Mapping[Key, Part], template: Fiche, pool: Mapping[Key, Part]) -> Fiche:
    """A fiche of these parts. `pool` has the cards and offers of both sides, for a candidate that names one."""
    flat = {name: part.value for (kind, name), part in found.items() if kind == "workload"}
    load = replace(
        _workload(template.workload, flat),
        reserve=tuple(_figures(found, "assumption")),
        margin=tuple(_figures(found, "margin")),
    )
    changes: dict[str, object] = {name: _value(found, "fiche", name) for name in _OF_FICHE}
    for kind, field in (("requirement", "requirements"), ("piece", "pieces")):
        changes[field] = tuple(_values(found, kind))
    changes["invalidated_by"] = tuple(_values(found, "invalidated_by"))
    changes["workload"] = load
    changes["choice"] = _value(found, "choice", "")
    changes["policy"] = _policy_of(found, template)
    changes["candidates"] = tuple(
        _candidate(part, load, flat, {**pool, **found})
        for (kind, _), part in found.items()
        if kind == "candidate"
    )
    for name in field_names(template):
        if name not in (*_OF_FICHE, *_TAKEN, "file"):
            part = found.get((name, ""))
            changes[name] = part.value if part is not None else _nothing(template, name)
    return replace(template, **changes)


def _nothing(template: Fiche, name: str) -> object:
    """The default of a field of the fiche: what it is where it is not written."""
    defaults: Mapping[str, object] = getattr(type(template), "__defaults_of_fields__", {})
    return defaults.get(name)


def _values(found: Mapping[Key, Part], kind: str) -> Iterator[object]:
    return (part.value for (each, _), part in found.items() if each == kind)


def _value(found: Mapping[Key, Part], kind: str, name: str) -> object:
    part = found.get((kind, name))
    return None if part is None else part.value


def _figures(found: Mapping[Key, Part], kind: str) -> Iterable[Figure]:
    return (value for value in _values(found, kind) if isinstance(value, Figure))


def _policy_of(found: Mapping[Key, Part], template: Fiche) -> object:
    changes: dict[str, object] = {}
    for name in field_names(template.policy):
        if isinstance(getattr(template.policy, name), Mapping):
            start = f"{name}."
            changes[name] = {
                key.removeprefix(start): part.value
                for (kind, key), part in found.items()
                if kind == "policy" and key.startswith(start)
            }
        else:
            changes[name] = _value(found, "policy", name)
    return replace(template.policy, **changes)


def _candidate(
    part: Part, load: Workload, flat: Mapping[str, object], pool: Mapping[Key, Part]
) -> Candidate:
    """With the card and the offer of these parts, and its own change of this workload."""
    assert isinstance(part.value, tuple)
    one, own = part.value
    assert isinstance(one, Candidate)
    card = None if one.card is None else pool["card", one.card.id].value
    offer = None if one.offer is None else pool["offer", one.offer.id].value
    assert card is None or isinstance(card, Card)
    assert offer is None or isinstance(offer, Offer)
    mixed = {path: value for path, value in {**flat, **own}.items() if value is not None}
    own_load = load
    if own:
        own_load = replace(_workload(load, mixed), reserve=load.reserve, margin=load.margin)
    return replace(one, card=card, offer=offer, workload=own_load)
