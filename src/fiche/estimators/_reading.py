"""What an estimator reads of a workload: a stated figure, or the question in its place."""

from __future__ import annotations

from fiche.kernel.condition import Condition
from fiche.kernel.figure import Node, Unknown
from fiche.kernel.said import tell
from fiche.kernel.spoken import spoken
from fiche.kernel.unit import Unit, count_of
from fiche.kernel.workload import Case, Workload


def qualified(case: Case | None, name: str) -> str:
    """The id of an item of a case: `limit.kv_cache`, or `kv_cache` where no case is named."""
    return f"{case.id}.{name}" if case is not None and case.id else name


def word(workload: Workload, key: str) -> str:
    """The value of a fact, empty where the fiche does not say it."""
    fact = workload.facts.get(key)
    return "" if fact is None else fact.value


def operation_is(workload: Workload, *operations: str) -> bool:
    """True when the fiche states one of these operations; an untold one brings no item (B6)."""
    return word(workload, "operation") in operations


def missing(name: str, unit: Unit, topic: str, text: str) -> Unknown:
    """An unknown under the id that the figure would have; the author can settle it (C2)."""
    condition = Condition(
        topic=topic, text=text, supplier=tell("author of the fiche"), piece_kind="fiche"
    )
    return Unknown(condition=condition, unit=unit, id=name, label=_words(name))


def stated(workload: Workload, key: str, topic: str, text: str) -> Node:
    """The figure that the fiche states under `key`, or an unknown count in its place."""
    figure = workload.figures.get(key)
    return missing(key, _counted(key), topic, text) if figure is None else figure


def dimension(case: Case | None, key: str, topic: str, text: str) -> Node:
    """A dimension that the case states, or an unknown count in its place."""
    figure = None if case is None else case.dimensions.get(key)
    if figure is not None:
        return figure
    return missing(qualified(case, key), _counted(key), topic, text)


def _counted(key: str) -> Unit:
    return count_of(key.rsplit(".", 1)[-1].rsplit("_", 1)[-1])


def _words(name: str) -> str:
    return spoken(name.rsplit(".", 1)[-1])
