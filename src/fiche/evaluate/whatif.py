"""What the report's sizer may ask again: formats that a load can take, and each card beside it (F6).

A number of a fiche is a leaf of its traces, so any value of it is asked by re-evaluating them. A format has a
name, and names may change formulas: each format is tried here, by making the load anew. Where only the bits
of a value differ, they are all that is changed; where an item that no case changes is made otherwise
(scales and kept modules of quantised weights), its new trace stands in for the old one; any other format is
not offered, and neither is one more than there is time for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fiche.criteria._evidence import floor_of, most_of
from fiche.estimators import load_items
from fiche.estimators._formats import BITS
from fiche.evaluate.rule import bounds_of
from fiche.kernel import trace
from fiche.kernel.address import Span
from fiche.kernel.comparison import CaseLoad, Comparison, Inquiry, LoadItem
from fiche.kernel.decision import Decision, Outcome
from fiche.kernel.doors import Estimator
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure, Node, Operand, Unknown, total
from fiche.kernel.finding import Finding
from fiche.kernel.origin import Computed
from fiche.kernel.record import replace
from fiche.kernel.requirement import Candidate
from fiche.kernel.unit import BYTE
from fiche.kernel.whatif import Offered, Room, WhatIf
from fiche.kernel.workload import Case, Workload

# In the order in which readers ask for them; a name that needs more than its bits is not among them.
FORMATS: Mapping[str, tuple[str, ...]] = {
    "storage": ("fp8_e4m3", "nf4", "int8", "bf16", "fp32", "fp16", "int4"),
    "cache": ("fp8_e4m3", "bf16", "fp16", "fp32", "int8"),
}
# Nodes that may be made for formats, in all: some 20 microseconds each.
_NODES = 900
_HERE = Span(file="what-if", line=1, column=1)
_UNORDERED = ("total", "+", "*", "larger", "smaller", "either")


def what_if(decision: Decision, estimators: Sequence[Estimator]) -> WhatIf:
    """Everything that a sizer of this decision re-evaluates."""
    return WhatIf(
        envelopes=dict(_envelopes(decision)),
        sums={
            (load.owner, load.case): total([item.node for item in load.items], BYTE)
            for load in decision.loads
            if any(trace.conditions(item.node) for item in load.items)
        },
        offered=tuple(_offered(decision, estimators)),
        rooms=tuple(room for outcome in decision.outcomes for room in _rooms(decision, outcome)),
    )


def _envelopes(decision: Decision) -> Iterator[tuple[tuple[str, str], Figure]]:
    for load in decision.loads:
        name = f"{load.case}.envelope" if load.case else "envelope"
        own = f"{load.owner}/{name}" if load.owner else name
        found = decision.figures.get(own, decision.figures.get(name))
        if isinstance(found, Figure):
            yield (load.owner, load.case), found


# --- Rooms ------------------------------------------------------------------------------------


def _rooms(decision: Decision, outcome: Outcome) -> Iterator[Room]:
    who = outcome.candidate
    owner = _owner(decision, who)
    loads = {each.case: each.items for each in decision.loads if each.owner == owner}
    fiche = decision.fiche
    ground = Inquiry(
        base=fiche.workload,
        pieces=(),
        policy=fiche.policy,
        date=fiche.date,
        loads=loads,
        vendors={},
    )
    cases = {case.id: case for case in who.workload.cases}
    memory = [f for f in outcome.findings if f.kind == "memory" and f.level == "must"]
    for found in memory:
        if found.comparison is not None and found.case in loads:
            beside = [other for other in memory if other.case == found.case]
            yield _room(who, owner, cases.get(found.case), found, beside, ground)


def _room(
    who: Candidate,
    owner: str,
    case: Case | None,
    found: Finding,
    beside: list[Finding],
    ground: Inquiry,
) -> Room:
    seen = found.comparison
    assert seen is not None
    most = most_of(who, case, ground)
    margin = total(who.workload.margin, BYTE)
    return Room(
        candidate=who.id,
        owner=owner,
        case=found.case,
        device=found.device,
        least=floor_of(who, case, ground) if _roomiest(seen, beside) else None,
        most=None if most is None else most + margin,
        have_low=_firm(seen.have_low),
        have_high=_firm(seen.have_high),
        guard=bounds_of(seen, assume=False).below,
    )


def _owner(decision: Decision, who: Candidate) -> str:
    return who.id if any(each.owner == who.id for each in decision.loads) else ""


def _firm(figure: Figure | None) -> Figure | None:
    return figure if figure is not None and trace.firm(figure) else None


def _roomiest(seen: Comparison, beside: list[Finding]) -> bool:
    """Which device is the most loaded nobody says: only the one with most room can be judged by it."""
    if len(beside) == 1:
        return True
    tops = [f.comparison.have_high for f in beside if f.comparison is not None]
    highs = [top.high for top in tops if top is not None and top.high is not None]
    here = seen.have_high
    return len(highs) == len(beside) and here is not None and here.high == max(highs)


# --- Formats ----------------------------------------------------------------------------------


def _offered(decision: Decision, estimators: Sequence[Estimator]) -> Iterator[Offered]:
    """Formats of every load, as many as there is time for: the same of each, or none of any."""
    owners = _owners(decision)
    each = sum(_nodes(load.items) for _, loads in owners.values() for load in loads)
    asked = list(_asked(decision.fiche.workload))
    for key, name in asked[: _NODES // max(each, 1)]:
        for owner, (workload, loads) in owners.items():
            changed = _changed(workload, loads, key, name, estimators)
            if changed:
                yield Offered(owner=owner, key=key, name=name, changed=changed)


def _asked(workload: Workload) -> Iterator[tuple[str, str]]:
    """Both kinds in turn; a format of as many bits as the one that the fiche states would change nothing."""
    keys = [key for key in FORMATS if f"formats.{key}_bits" not in workload.figures]
    for place in range(max(map(len, FORMATS.values()))):
        for key in keys:
            told = workload.facts.get(f"formats.{key}")
            name = FORMATS[key][place] if place < len(FORMATS[key]) else ""
            if name and (told is None or BITS.get(told.value) != BITS[name]):
                yield key, name


def _owners(decision: Decision) -> dict[str, tuple[Workload, list[CaseLoad]]]:
    """By owner, the workload and one case of each shape: a formula never depends on a number."""
    found: dict[str, tuple[Workload, list[CaseLoad]]] = {}
    own = {one.candidate.id: one.candidate.workload for one in decision.outcomes}
    for owner in dict.fromkeys(load.owner for load in decision.loads):
        workload = own.get(owner, decision.fiche.workload)
        cases = {case.id: case for case in workload.cases}
        shapes: dict[object, CaseLoad] = {}
        for load in decision.loads:
            if load.owner == owner:
                case = cases.get(load.case)
                shape = None if case is None else (*sorted(case.dimensions), *case.phases)
                shapes.setdefault(shape, load)
        found[owner] = (workload, list(shapes.values()))
    return found


def _nodes(items: Sequence[LoadItem]) -> int:
    return len({id(node) for item in items for node in trace.walk(item.node)})


def _changed(
    workload: Workload,
    loads: Sequence[CaseLoad],
    key: str,
    name: str,
    estimators: Sequence[Estimator],
) -> dict[str, Node]:
    """What stands in for what, by id, when a format has this name; empty where that is not all."""
    paths = _paths(workload, key)
    other = replace(workload, facts={**workload.facts, **_facts(paths, name)})
    cases = {case.id: case for case in workload.cases}
    found: dict[str, Node] = {}
    for load in loads:
        anew = load_items(other, cases.get(load.case), estimators)
        moved = _moved(load.items, anew, {f"{path}.bits" for path in paths}, estimators)
        if moved is None:
            return {}
        found.update(moved)
    return found


def _paths(workload: Workload, key: str) -> tuple[str, ...]:
    """What is stored is loaded so too, where the fiche says both."""
    both = key == "storage" and "formats.loaded" in workload.facts
    return (f"formats.{key}", "formats.loaded") if both else (f"formats.{key}",)


def _facts(paths: tuple[str, ...], name: str) -> dict[str, Fact]:
    return {path: Fact(value=name, address=_HERE) for path in paths}


def _moved(
    items: Sequence[LoadItem],
    anew: Sequence[LoadItem],
    bits: set[str],
    estimators: Sequence[Estimator],
) -> dict[str, Node] | None:
    """The leaves and the items that differ; None where something else does."""
    shapes = _Shapes(bits)
    whole = {each.name for each in estimators if not each.per_case}
    before: dict[str, Node] = {}
    after: dict[str, Node] = {}
    found: dict[str, Node] = {}
    if [_standing(i) for i in items] != [_standing(i) for i in anew]:
        return None
    for item, other in zip(items, anew, strict=True):
        if shapes.of(item.node, before) == shapes.of(other.node, after):
            continue
        if item.name not in whole or not item.node.id or not _as_known(item.node, other.node):
            return None
        found[item.node.id] = other.node
    leaves = {name: after[_own(name)] for name in before if _own(name) in after}
    return {**leaves, **found}


def _own(name: str) -> str:
    """A name without the candidate that it is of."""
    return name.rpartition("/")[2]


def _standing(item: LoadItem) -> tuple[object, ...]:
    return item.name, item.resident, item.phases, item.per_device


def _as_known(node: Node, other: Node) -> bool:
    """Sums leave out what is not known, and floors what is not firm: neither may change."""
    told = bool(trace.conditions(node)), trace.firm(node)
    return told == (bool(trace.conditions(other)), trace.firm(other))


class _Shapes:
    """What is computed of what, by a number: equal for formulas that differ in bits, or in order, alone."""

    def __init__(self, bits: set[str]) -> None:
        self._bits = bits
        self._numbers: dict[tuple[object, ...], int] = {}
        self._done: dict[int, int] = {}
        self._kept: list[Operand] = []

    def of(self, top: Node, into: dict[str, Node]) -> int:
        """The number of a shape; its bits are put into `into`, by id."""
        waiting: list[Operand] = [top]
        while waiting:
            here = waiting[-1]
            pending = [p for p in trace.inputs(here) if id(p) not in self._done]
            if id(here) in self._done:
                waiting.pop()
            elif pending:
                waiting.extend(pending)
            else:
                self._enter(waiting.pop(), into)
        return self._done[id(top)]

    def _enter(self, node: Operand, into: dict[str, Node]) -> None:
        self._kept.append(node)  # known by identity: another must not be given its address
        self._done[id(node)] = self._numbers.setdefault(self._key(node, into), len(self._numbers))

    def _key(self, node: Operand, into: dict[str, Node]) -> tuple[object, ...]:
        if not isinstance(node, Figure | Unknown):
            return ("", node)
        parts = [self._done[id(part)] for part in trace.inputs(node)]
        if isinstance(node.origin, Computed) and parts:
            if node.origin.operation in _UNORDERED:
                parts.sort()
            return (node.origin.operation, *parts)
        if _own(node.id) in self._bits:
            into[node.id] = node
            return ("bits", _own(node.id))
        return (_own(node.id), node.low, node.high)
