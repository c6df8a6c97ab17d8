"""What must or should hold: thresholds as figures, everything else as words (F8)."""

from __future__ import annotations

from collections.abc import Mapping as Mapping_

from fiche.kernel.quantity import (
    parse_bandwidth,
    parse_bytes,
    parse_money,
    parse_power,
    parse_score,
)
from fiche.kernel.requirement import Requirement
from fiche.kernel.workload import Workload
from fiche.load.fault import Faults
from fiche.load.node import Mapping
from fiche.load.references import Known
from fiche.load.values import Parser, fact, figure, unique

# The unit of a kind's thresholds; a kind that is not here compares words.
_PARSERS: Mapping_[str, Parser] = {
    "capacity": parse_bytes,
    "quality": parse_score,
    "cost": parse_money,
    "interconnect": parse_bandwidth,
    "host_memory": parse_bytes,
    "power": parse_power,
}
_THRESHOLDS = ("at_least", "at_most")
_OWN = ("id", "kind", "level", "cases")


def requirements(fiche: Mapping, load: Workload, faults: Faults) -> tuple[Requirement, ...]:
    """Build the requirements that a fiche writes; implied ones are the judge's business."""
    cases = Known("case", tuple(case.id for case in load.cases), "F307")
    nodes = unique(fiche.each("requirements"), "requirement", faults)
    return tuple(_requirement(node, cases, faults) for node in nodes)


def _requirement(node: Mapping, cases: Known, faults: Faults) -> Requirement:
    name, parser = node.text("id"), _PARSERS.get(node.text("kind"))
    told = {key: node.scalar(key) for key in node.entries if key not in _OWN}
    numbers = {key: told.pop(key) for key in _THRESHOLDS if parser and key in told}
    for case in node.scalars("cases"):
        cases.check(case, faults)
    return Requirement(
        id=name,
        kind=node.text("kind"),
        level=node.text("level"),
        span=node.scalar("id").span,
        cases=tuple(case.text for case in node.scalars("cases")),
        figures={
            key: figure(scalar, parser, f"requirement.{name}.{key}", _label(name, key), faults)
            for key, scalar in numbers.items()
            if parser
        },
        facts={key: fact(scalar) for key, scalar in told.items()},
    )


def _label(name: str, key: str) -> str:
    return f"{name}, {key.replace('_', ' ')}"
