"""A candidate's own placement: how the load lies on its cards, which another card need not share (D4)."""

from __future__ import annotations

from math import prod

from fiche.kernel.address import Span
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
    told = {way: load.figures[_ROOT + way] for way in _WAYS if _ROOT + way in load.figures}
    if not told:
        return
    ways = prod(int(figure.low) for figure in told.values())
    devices = load.figures.get("placement.devices")
    if devices is None:
        faults.add("F327", f"the load is cut {ways} ways", span, f"state devices: {ways}")
        return
    rest = devices.low % ways == 0 and "data_parallel" not in told and _SHARED_OUT in load.facts
    if devices.low != ways and not rest:
        product = " x ".join(f"{way} {figure.low}" for way, figure in told.items())
        message = f"{product} is {ways}, and devices is {devices.low}"
        faults.add(
            "F327", message, span, "tensor x pipeline x context x data parallel are the devices"
        )
