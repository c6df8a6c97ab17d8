"""The checklist of a load, and every named figure of a workload under one id each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fiche.estimators._envelope import envelope
from fiche.estimators._phases import phase_totals
from fiche.estimators._qualify import qualify, same
from fiche.estimators._reading import missing, qualified, word
from fiche.estimators._split import Split, cutting, following, split_of, within
from fiche.kernel.comparison import LoadItem
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Figure, Node, Unknown, either
from fiche.kernel.record import replace
from fiche.kernel.said import tell
from fiche.kernel.spoken import spoken
from fiche.kernel.trace import walk
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload

Base = Mapping[str, Node]


def load_items(
    workload: Workload,
    case: Case | None,
    estimators: Sequence[Estimator],
    prefix: str = "",
    base: Base | None = None,
) -> tuple[LoadItem, ...]:
    """The checklist of one case: each item's figure or what is missing, then the reserve's items.

    `case=None` asks for a load without any stated case. With a `prefix`, ids that `base` (the
    figures of the fiche's own workload) has otherwise are qualified by it.
    """
    items = _checklist(workload, case, estimators)
    if not prefix:
        return items
    nodes = qualify((item.node for item in items), prefix, base or {})
    return tuple(replace(item, node=node) for item, node in zip(items, nodes, strict=True))


def figures(
    workload: Workload,
    estimators: Sequence[Estimator],
    prefix: str = "",
    base: Base | None = None,
) -> dict[str, Node]:
    """Every named figure of a workload by id: stated ones, items, envelopes, reserve and margin.

    Without a prefix ids are the fiche's own (`weights`, `limit.kv_cache`, `limit.envelope`). With
    one, only what `base` does not hold alike is returned, under `prefix` and its id.

    Raises:
        ValueError: one id stands for two different figures.
    """
    tops = _tops(workload, estimators)
    if not prefix:
        return _by_id(tops)
    shared = base or {}
    found = _by_id(qualify(tops, prefix, shared))
    return {name: node for name, node in found.items() if not same(node, shared.get(name))}


def _checklist(
    workload: Workload, case: Case | None, estimators: Sequence[Estimator]
) -> tuple[LoadItem, ...]:
    split, offload = split_of(workload), word(workload, "placement.offload")
    items = [
        LoadItem(
            name=estimator.name,
            node=_left_on_device(_on_device(node, estimator, split), estimator, offload),
            resident=estimator.resident,
            phases=estimator.phases,
            per_device=split is not None,
        )
        for estimator in estimators
        if estimator.applies(workload)
        for node in _estimated_by(estimator, workload, case if estimator.per_case else None)
    ]
    items += [LoadItem(name="reserve", node=item, resident=False) for item in workload.reserve]
    return tuple(items)


def _estimated_by(estimator: Estimator, workload: Workload, case: Case | None) -> tuple[Node, ...]:
    """The nodes of an item; a question where a model or a setting says zero of what shares out the rest."""
    try:
        return estimator.estimate(workload, case)
    except ZeroDivisionError as error:
        text = tell(
            "give the numbers of {title} again: {error}", title=estimator.title, error=str(error)
        )
        asked = missing(qualified(case, estimator.name), BYTE, "need", text)
        return (replace(asked, label=estimator.title),)


# Optimizer states know of their offload themselves: a step needs none of them on the device at once.
_OFFLOADED = {
    "parameters": ("weights", "learned_parameters"),
    "cache": ("kv_cache",),
    "all": ("weights", "learned_parameters", "kv_cache"),
}


_SHARED = ("tensor", "pipeline", "context")


def _left_on_device(node: Node, estimator: Estimator, offload: str) -> Node:
    """What an offload to the host leaves: how much of it comes back at a time is the software's doing."""
    if estimator.name not in _OFFLOADED.get(offload, ()):
        return node
    because = tell(
        "offloaded to the host: how much of it is on the device at a time is the software's doing"
    )
    left_out = node.left_out if isinstance(node, Figure) else ()
    held = either(0 * node, node, because)
    return held.named(
        f"{node.id}.offloaded", tell("{label}, offloaded", label=node.label), left_out=left_out
    )


def _on_device(node: Node, estimator: Estimator, split: Split | None) -> Node:
    """An item on the most loaded device, where the placement is told by kind (D4)."""
    if split is None or estimator.spread in ("own", "each"):
        return node
    if estimator.spread == "parameters":
        share = following(node, split, estimator.name)
    else:
        share = within(node, cutting(split, *_SHARED), spoken(estimator.name))
    if share is node or not isinstance(share, Figure):
        return node
    return share.named(
        f"{node.id}.per_device", tell("{label}, on the most loaded device", label=node.label)
    )


def _tops(workload: Workload, estimators: Sequence[Estimator]) -> tuple[Node, ...]:
    return (*_stated(workload), *_estimated(workload, estimators))


def _stated(workload: Workload) -> Iterator[Node]:
    yield from workload.figures.values()
    for case in workload.cases:
        yield from case.dimensions.values()
    yield from workload.reserve
    yield from workload.margin


def _estimated(workload: Workload, estimators: Sequence[Estimator]) -> Iterator[Node]:
    cases: tuple[Case | None, ...] = workload.cases or (None,)
    for case in cases:
        items = _checklist(workload, case, estimators)
        yield from (item.node for item in items)
        yield envelope(workload, case, items)
        yield from (each.total for each in phase_totals(workload, case, items))


def _by_id(tops: Iterable[Node]) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for top in tops:
        for node in walk(top):
            if not node.id:
                continue
            other = found.setdefault(node.id, node)
            if other is not node and not _one(node, other):
                raise ValueError(f"two different figures are called {node.id}")
    return found


def _one(node: Node, other: Node) -> bool:
    """True for the same figure; what is missing may be asked for in several ways."""
    if isinstance(node, Unknown) and isinstance(other, Unknown):
        return node.unit == other.unit
    return same(node, other)
