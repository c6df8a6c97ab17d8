"""The workload of a fiche: facts, stated figures, cases, reserve and margin (A1-A7, B7, D5)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.origin import Assumed, Origin, Stated
from fiche.kernel.quantity import parse_bytes, parse_duration
from fiche.kernel.unit import counted
from fiche.kernel.workload import Case, Workload
from fiche.load.fault import Faults
from fiche.load.node import Mapping, Scalar
from fiche.load.values import Signature, count_parser, fact, figure, leaves, unique
from fiche.load.vocabulary import RENAMED, dimension_terms, term
from fiche.load.work import work


def workload(fiche: Mapping, sign: Signature) -> Workload:
    """Build the workload that a fiche states; what it leaves out stays out."""
    node = fiche.mapping("workload")
    faults = sign.faults
    return Workload(
        facts={**dict(_facts(node)), **dict(_case_facts(node))},
        figures={**dict(_figures(node, faults)), **_duration(node, sign)},
        cases=tuple(_case(one, faults) for one in unique(node.each("cases"), "case", faults)),
        reserve=tuple(
            _reserve(one, sign) for one in unique(fiche.each("reserve"), "reserve", faults)
        ),
        margin=tuple(
            _margin(one, faults) for one in unique(fiche.each("margin"), "margin", faults)
        ),
        method_targets=_words(node, "targets"),
        modules_to_save=_words(node, "modules_to_save"),
        span=node.span,
        work=work(node, sign),
    )


def _words(node: Mapping, key: str) -> tuple[str, ...]:
    return tuple(one.text for one in node.mapping("method").scalars(key))


def paths(node: Mapping) -> Iterator[tuple[str, Scalar]]:
    """The single values of a workload or a scope that are facts of it, by the author's path."""
    return ((path, scalar) for path, scalar in leaves(node) if term(path) is not None)


def _facts(node: Mapping) -> Iterator[tuple[str, Fact]]:
    for path, scalar in paths(node):
        told = term(path)
        if told is not None and not told.is_count:
            yield RENAMED.get(path, path), fact(scalar)


def _case_facts(node: Mapping) -> Iterator[tuple[str, Fact]]:
    for case in node.each("cases"):
        for path, scalar in leaves(case.mapping("input")):
            yield f"cases.{case.text('id')}.input.{path}", fact(scalar)


def _figures(node: Mapping, faults: Faults) -> Iterator[tuple[str, Figure]]:
    for path, scalar in paths(node):
        told = term(path)
        if told is not None and (told.is_count or _is_number(scalar, path)):
            yield path, count(scalar, path, told.label, faults)


def _is_number(scalar: Scalar, path: str) -> bool:
    """A whole number among an engine's settings is also a figure that a formula may use."""
    return ".settings." in path and scalar.kind == "int" and scalar.text.isdecimal()


def count(scalar: Scalar, path: str, label: str, faults: Faults) -> Figure:
    """A stated whole number under its path."""
    return figure(scalar, count_parser(counted(path)), path, label, faults)


def _duration(node: Mapping, sign: Signature) -> dict[str, Figure]:
    """The hours to be rented, as stated; somebody's guess of them where `by` says whose."""
    if "duration" not in node:
        return {}
    told = node.mapping("duration")
    value, because = told.scalar("value"), told.text("because")
    origin: Origin = Stated(span=value.span, because=because)
    if "by" in told:
        origin = Assumed(by=told.text("by"), because=because, span=value.span)
    return {"duration": figure(value, parse_duration, "duration", "duration", sign.faults, origin)}


# Ids of a case start its figures (`limit.kv_cache`); so do these words, of lists of their own.
_TAKEN = ("reserve", "margin")


def _case(node: Mapping, faults: Faults) -> Case:
    name = node.text("id")
    if name in _TAKEN:
        message = f"a case cannot be called '{name}': figures of the {name} have that name"
        faults.add("F325", message, node.scalar("id").span, "choose another id, such as limit")
    return Case(
        id=name,
        role=node.text("role"),
        dimensions=dimensions(node, name, faults),
        phases=tuple(phase.text for phase in node.scalars("phases")),
        span=node.scalar("id").span,
    )


def dimensions(node: Mapping, owner: str, faults: Faults, between: str = ".") -> dict[str, Figure]:
    """The dimensions that a case or an executed scope states, under ids of their owner."""
    return {
        name: figure(
            node.scalar(name),
            count_parser(counted(name)),
            f"{owner}{between}{name}",
            told.label,
            faults,
        )
        for name, told in dimension_terms().items()
        if name in node
    }


def _reserve(node: Mapping, sign: Signature) -> Figure:
    value = node.scalar("value")
    by = sign.of(node.scalar("by") if "by" in node else None, node, "this assumption")
    origin = Assumed(by=by, because=node.text("because"), span=value.span)
    name = node.text("id")
    return figure(value, parse_bytes, f"reserve.{name}", name, sign.faults, origin)


def _margin(node: Mapping, faults: Faults) -> Figure:
    value = node.scalar("value")
    origin = Stated(span=value.span, because=node.text("because"))
    name = node.text("id")
    return figure(value, parse_bytes, f"margin.{name}", name, faults, origin)
