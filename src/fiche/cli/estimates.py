"""What `fiche estimate` computes and shows: items, envelopes and phases of a workload."""

from __future__ import annotations

from fiche.estimators import figures, load_items, phase_totals
from fiche.kernel.catalog import Card
from fiche.kernel.comparison import PhaseTotal
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Figure, Node
from fiche.kernel.record import record
from fiche.kernel.workload import Case, Workload
from fiche.registry import members


@record
class Estimate:
    """A workload, every named figure of it, and the nodes to show: items, envelopes, phases by case."""

    workload: Workload
    figures: dict[str, Node]
    items: tuple[Node, ...]
    envelopes: tuple[Figure, ...]
    phases: tuple[tuple[str, tuple[PhaseTotal, ...]], ...] = ()


def estimate_of(workload: Workload) -> Estimate:
    """All sums of a workload: its cases, or one without any."""
    estimators = members("fiche.estimators", Estimator)
    named = figures(workload, estimators)
    cases: tuple[Case | None, ...] = workload.cases or (None,)
    loads = [load_items(workload, case, estimators) for case in cases]
    items = [item.node for load in loads for item in load]
    phased = zip(cases, loads, strict=True)
    sums = [named[f"{case.id}.envelope" if case and case.id else "envelope"] for case in cases]
    return Estimate(
        workload=workload,
        figures=named,
        items=tuple({item.id: item for item in items}.values()),
        envelopes=tuple(each for each in sums if isinstance(each, Figure)),
        phases=tuple(
            (case.id if case else "", phase_totals(workload, case, load)) for case, load in phased
        ),
    )


def candidates_to_examine(found: Estimate) -> tuple[Card, ...]:
    """Cards whose label x 2^30 is not below the largest envelope, smallest label first (F6).

    A module whose parts are devices of their own is no device: its parts are listed.
    """
    from fiche.load.catalog import builtin_catalog

    need = max(each.low for each in found.envelopes)
    able = [
        card
        for card in builtin_catalog().cards.values()
        if {"nominal", "nominal_binary"} <= set(card.figures) and "devices" not in card.figures
        if card.figures["nominal_binary"].low >= need
    ]
    return tuple(sorted(able, key=lambda card: (card.figures["nominal"].low, card.id)))
