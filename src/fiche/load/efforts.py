"""What it costs to obtain a piece, as the fiche states it: for a topic or a kind of step, of all or of one."""

from __future__ import annotations

from fiche.kernel.figure import Figure
from fiche.kernel.origin import Stated
from fiche.kernel.quantity import parse_duration, parse_money
from fiche.kernel.record import replace
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import tell
from fiche.kernel.settling import Effort
from fiche.load.fault import Faults
from fiche.load.node import Mapping, Scalar
from fiche.load.references import Known
from fiche.load.values import Parser, figure

_OF = ("candidate", "seller", "machine")


def efforts(root: Mapping, bought: tuple[Candidate, ...], faults: Faults) -> tuple[Effort, ...]:
    """Every effort, each with a cost or a time, of somebody that the fiche names, and once."""
    known = _known(bought)
    first: dict[tuple[str, ...], Scalar] = {}
    found: list[Effort] = []
    for node in root.each("efforts"):
        for name in _OF:
            if name in node:
                known[name].check(node.scalar(name), faults)
        topic = node.scalar("for")
        key = (topic.text, *(node.text(name) for name in _OF))
        if first.setdefault(key, topic) is not topic:
            message = f"the effort for '{topic.text}' is told twice"
            hint = f"the first stands on {first[key].span}; keep the one that counts"
            faults.add("F391", message, topic.span, hint)
        found.append(_effort(node, topic, len(found) + 1, faults))
    return tuple(found)


def _known(bought: tuple[Candidate, ...]) -> dict[str, Known]:
    sellers = {one.offer.seller: None for one in bought if one.offer is not None}
    machines = {one.machine: None for one in bought if one.machine}
    return {
        "candidate": Known("candidate", tuple(one.id for one in bought), "F307"),
        "seller": Known("seller of a candidate's offer", tuple(sellers), "F392"),
        "machine": Known("machine of a candidate", tuple(machines), "F392"),
    }


def _effort(node: Mapping, topic: Scalar, place: int, faults: Faults) -> Effort:
    if "cost" not in node and "time" not in node:
        message = f"the effort for '{topic.text}' says neither a cost nor a time"
        faults.add(
            "F390", message, topic.span, "state 'cost', 'time' or both; what is untold is unknown"
        )
    because = node.text("because")
    cost, time = (
        _told(node, key, parser, f"effort.{place}.{key}", because, faults)
        for key, parser in (("cost", parse_money), ("time", parse_duration))
    )
    return Effort(
        topic=topic.text,
        span=topic.span,
        candidate=node.text("candidate"),
        seller=node.text("seller"),
        machine=node.text("machine"),
        cost=cost,
        hours=time,
        because=because,
    )


def _named(key: str, what: str) -> str:
    if key == "cost":
        return tell("cost of obtaining it, {what}", what=what)
    return tell("time of obtaining it, {what}", what=what)


def _told(
    node: Mapping, key: str, parser: Parser, id: str, because: str, faults: Faults
) -> Figure | None:
    if key not in node:
        return None
    scalar = node.scalar(key)
    read = figure(scalar, parser, id, _named(key, node.text("for")), faults)
    return replace(read, origin=Stated(span=scalar.span, because=because))
