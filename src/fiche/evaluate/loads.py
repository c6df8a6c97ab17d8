"""The checklist of each case of a workload, and every named figure of a fiche by its id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.estimators import figures, load_items, phase_totals
from fiche.kernel.comparison import CaseLoad, LoadItem, PhaseTotal
from fiche.kernel.decision import Fiche
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Figure, Node
from fiche.kernel.record import replace
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


def case_loads(
    fiche: Fiche, estimators: tuple[Estimator, ...], named: Mapping[str, Node]
) -> tuple[CaseLoad, ...]:
    """The load of every case: of the fiche's workload, then of each candidate's own (B6, D10).

    `named` holds all figures by id; those of a candidate stand under its prefix where they differ.
    """
    found = list(_of(fiche.workload, estimators, "", named))
    for candidate in fiche.candidates:
        if candidate.workload is not fiche.workload:
            found.extend(_of(candidate.workload, estimators, candidate.id, named))
    return tuple(found)


def _of(
    load: Workload, estimators: tuple[Estimator, ...], owner: str, named: Mapping[str, Node]
) -> Iterator[CaseLoad]:
    prefix = f"{owner}/" if owner else ""
    for case in load.cases or (None,):
        items = load_items(load, case, estimators)
        yield CaseLoad(
            owner=owner,
            case=case.id if case else "",
            items=tuple(_named(item, prefix, named) for item in items),
            phases=tuple(
                PhaseTotal(
                    phase=each.phase,
                    items=tuple(_named(item, prefix, named) for item in each.items),
                    total=_figure(each.total, prefix, named),
                )
                for each in phase_totals(load, case, items)
            ),
        )


def _named(item: LoadItem, prefix: str, named: Mapping[str, Node]) -> LoadItem:
    name = item.node.id
    return replace(item, node=named.get(prefix + name, named.get(name, item.node)))


def _figure(total: Figure, prefix: str, named: Mapping[str, Node]) -> Figure:
    found = named.get(prefix + total.id, named.get(total.id, total))
    assert isinstance(found, Figure)
    return found
