"""A candidate's own placement: how the load lies on its cards, which another card need not share (D4)."""

from __future__ import annotations

from fiche.kernel.record import replace
from fiche.kernel.workload import Workload
from fiche.load.fault import Faults
from fiche.load.node import Mapping
from fiche.load.values import fact, leaves
from fiche.load.vocabulary import RENAMED, term
from fiche.load.workload import count

_ROOT = "placement."


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
