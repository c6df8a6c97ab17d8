"""The checklist of each case of a workload, and every named figure of a fiche by its id."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.estimators._load import figures, load_items
from fiche.kernel.comparison import LoadItem
from fiche.kernel.decision import Fiche
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node
from fiche.kernel.workload import Workload


def loads_of(
    workload: Workload,
    estimators: tuple[Estimator, ...],
    prefix: str,
    base: Mapping[str, Node],
) -> Mapping[str, tuple[LoadItem, ...]]:
    """Checklist by case id; the empty id stands for a workload that states no case."""
    return {
        case.id if case else "": load_items(workload, case, estimators, prefix, base)
        for case in (workload.cases or (None,))
    }


def figures_of(fiche: Fiche, estimators: tuple[Estimator, ...]) -> Mapping[str, Node]:
    """All named figures: the fiche's own workload first, then those of changed candidates."""
    base = figures(fiche.workload, estimators)
    found: dict[str, Node] = dict(base)
    for candidate in fiche.candidates:
        if candidate.workload is not fiche.workload:
            found.update(figures(candidate.workload, estimators, f"{candidate.id}/", base))
    return found
