"""A candidate's own placement: how the load lies on its cards, which another card need not share (D4)."""

from __future__ import annotations

from math import prod

from fiche.kernel.address import Span
from fiche.kernel.figure import Figure
from fiche.kernel.record import replace
from fiche.kernel.workload import Workload
from fiche.load.fault import Faults
from fiche.load.node import Mapping
from fiche.load.values import fact, leaves
from fiche.load.vocabulary import RENAMED, term
from fiche.load.workload import count

_ROOT = "placement."
# Experts are dealt out over devices that other ways have counted already.
_WAYS = ("tensor_parallel", "pipeline_parallel", "context_parallel", "data_parallel")
_SHARED_OUT = "placement.sharding"
ALL_WAYS = "tensor x pipeline x context x data parallel are the devices"


def placed(load: Workload, candidate: Mapping, faults: Faults) -> Workload:
    """The workload with the candidate's placement in the place of its own; the same one without."""
    if "placement" not in candidate:
        return load
    facts = {path: told for path, told in load.facts.items() if not path.startswith(_ROOT)}
    figures = {path: told for path, told in load.figures.items() if not path.startswith(_ROOT)}
    for step, scalar in leaves(candidate.mapping("placement")):
        path = _ROOT + step
        told = term(path)
        if told is not None and told.is_count:
            figures[path] = count(scalar, path, told.label, faults)
        else:
            facts[RENAMED.get(path, path)] = fact(scalar)
    return replace(load, facts=facts, figures=figures)


def check_ways(load: Workload, span: Span, faults: Faults) -> None:
    """The ways that a placement cuts a load must be the devices that it states (F327).

    Data-parallel devices need no count where their states are shared out: they are all that is left.
    """
    told = _told(load)
    if told and "placement.devices" not in load.figures:
        ways = prod(int(figure.low) for figure in told.values())
        faults.add("F327", f"the load is cut {ways} ways", span, f"state devices: {ways}")
    message = other_devices(load)
    if message:
        faults.add("F327", message, span, ALL_WAYS)


def other_devices(load: Workload) -> str:
    """What the ways of a cut say against the devices stated; empty where they agree, or one is not told."""
    told, devices = _told(load), load.figures.get("placement.devices")
    if not told or devices is None:
        return ""
    ways = prod(int(figure.low) for figure in told.values())
    rest = devices.low % ways == 0 and "data_parallel" not in told and _SHARED_OUT in load.facts
    if devices.low == ways or rest:
        return ""
    product = " x ".join(f"{way} {figure.low}" for way, figure in told.items())
    return f"{product} is {ways}, and devices is {devices.low}"


def _told(load: Workload) -> dict[str, Figure]:
    return {way: load.figures[_ROOT + way] for way in _WAYS if _ROOT + way in load.figures}
