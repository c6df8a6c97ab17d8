"""What must or should hold: thresholds as figures, everything else as words (F8)."""

from __future__ import annotations

from collections.abc import Mapping as Mapping_

from fiche.kernel.figure import Figure
from fiche.kernel.number import Misread
from fiche.kernel.quantity import (
    parse_bandwidth,
    parse_bytes,
    parse_duration,
    parse_money,
    parse_power,
    parse_ratio,
    parse_score,
)
from fiche.kernel.rates import parse_latency, parse_months, parse_throughput
from fiche.kernel.requirement import Requirement
from fiche.kernel.said import tell
from fiche.kernel.spoken import spoken
from fiche.kernel.version import Version, parse_version
from fiche.kernel.workload import Workload
from fiche.load.fault import Faults
from fiche.load.node import Mapping, Scalar, Sequence
from fiche.load.references import Known
from fiche.load.values import Parser, count_parser, fact, figure, leaves, unique

# The unit of a kind's thresholds; a kind that is not here compares words.
_PARSERS: Mapping_[str, Parser] = {
    "capacity": parse_bytes,
    "quality": parse_score,
    "cost": parse_money,
    "interconnect": parse_bandwidth,
    "host_memory": parse_bytes,
    "power": parse_power,
    "disk": parse_bytes,
    "throughput": parse_throughput,
    "latency": parse_latency,
    "duration": parse_duration,
    "warranty": parse_months,
    "support": parse_duration,
    "quotes": count_parser("quotes"),
}
# Further figures of a kind, by the path at which they are written.
_FIGURES: Mapping_[tuple[str, str], Parser] = {
    **{
        (kind, key): parser
        for kind in ("throughput", "latency")
        for key, parser in (
            ("concurrency", count_parser("requests")),
            ("request_rate", parse_throughput),
        )
    },
    ("duration", "passes"): count_parser("passes"),
    ("quality", "baseline.value"): parse_score,
    ("quality", "tolerance.relative"): parse_ratio,
    ("quality", "tolerance.points"): parse_score,
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
    lists = [key for key in node.entries if key not in _OWN and _is_list(node, key)]
    told = {key: one for key, one in leaves(node) if key not in _OWN}
    numbers = {key: told.pop(key) for key in _THRESHOLDS if parser and key in told}
    more = {key: told.pop(key) for key in tuple(told) if (node.text("kind"), key) in _FIGURES}
    for case in node.scalars("cases"):
        cases.check(case, faults)
    _ends_meet(told, faults)
    _means_something(node, numbers, parser, faults)
    _counts_alike(node, faults)
    _in_time(node, faults)
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
        }
        | {key: _further(node, key, scalar, faults) for key, scalar in more.items()},
        facts={key: fact(scalar) for key, scalar in told.items()},
        choices={key: tuple(map(fact, node.scalars(key))) for key in lists},
    )


def _ends_meet(told: Mapping_[str, Scalar], faults: Faults) -> None:
    """Versions that no version meets: a lower bound above an upper one (F381)."""
    read = {key: parse_version(told[key].text) for key in _VERSIONS if key in told}
    ends = {key: version for key, version in read.items() if isinstance(version, Version)}
    for low, high in _PAIRS:
        comparable = low in ends and high in ends and ends[low].scheme == ends[high].scheme
        if comparable and ends[low] > ends[high]:
            message = f"no version is at least {ends[low]} and at most {ends[high]}"
            faults.add("F381", message, told[high].span, "mend one of the two")


_VERSIONS = ("at_least", "at_most", "version")
_PAIRS = (("at_least", "at_most"), ("at_least", "version"), ("version", "at_most"))


def _means_something(
    node: Mapping, numbers: Mapping_[str, Scalar], parser: Parser | None, faults: Faults
) -> None:
    """A must that everything meets is none (F382), and neither is one that nothing can (F381)."""
    if parser is None or node.text("level") != "must":
        return
    for key, told in numbers.items():
        read = parser(told.text)
        if isinstance(read, Misread) or read.value:
            continue
        if key == "at_least":
            message = f"everything meets '{key}: {told.text}': that is no threshold"
            faults.add("F382", message, told.span, "write what is needed, or leave it out")
        elif node.text("kind") in _NEVER_ZERO:
            message = f"nothing meets '{key}: {told.text}': nothing takes none of it"
            faults.add("F381", message, told.span, "write what is allowed, or leave it out")


# What no candidate can have none of.
_NEVER_ZERO = frozenset({"power", "latency", "duration", "support"})


def _in_time(node: Mapping, faults: Faults) -> None:
    """What is ordered after the day by which it is needed comes too late whoever sells it (F381)."""
    if "ordered" in node and "by" in node and node.text("ordered") > node.text("by"):
        message = f"nothing ordered on {node.text('ordered')} is there by {node.text('by')}"
        faults.add("F381", message, node.scalar("ordered").span, "mend one of the two days")


def _further(node: Mapping, key: str, scalar: Scalar, faults: Faults) -> Figure:
    name = node.text("id")
    parser = _FIGURES[node.text("kind"), key]
    return figure(scalar, parser, f"requirement.{name}.{key}", _label(name, key), faults)


def _counts_alike(node: Mapping, faults: Faults) -> None:
    """A request rate counts requests (F385); which tokens is a question about tokens alone (F386)."""
    rate = node.scalar("request_rate") if "request_rate" in node else None
    if rate is not None and not rate.text.endswith("requests/s"):
        message = f"'{rate.text}' counts no requests"
        faults.add("F385", message, rate.span, "write it as in 4 requests/s")
    least = node.text("at_least") if node.text("kind") == "throughput" else ""
    if "of" in node and least and not least.endswith("tokens/s"):
        message = f"'of: {node.text('of')}' says which tokens, and '{least}' counts none"
        hint = "leave 'of' out, or ask for tokens/s"
        faults.add("F386", message, node.scalar("of").span, hint)


def check_baselines(fiche: Mapping, faults: Faults) -> None:
    """What a baseline names must be a piece, or a candidate, of this fiche."""
    for key, section in (("piece", "pieces"), ("candidate", "candidates")):
        known = Known(key, tuple(one.text("id") for one in fiche.each(section)), "F307")
        for node in fiche.each("requirements"):
            base = node.mapping("baseline")
            if key in base:
                known.check(base.scalar(key), faults)


def _is_list(node: Mapping, key: str) -> bool:
    return isinstance(node.get(key), Sequence)


def _label(name: str, key: str) -> str:
    return tell("{name}, {what}", name=name, what=spoken(key.replace(".", " ")))
