"""The policy by which pieces are read: built in by name, or a file of the fiche's folder."""

from __future__ import annotations

from typing import NamedTuple

from fiche.kernel.decision import Input
from fiche.kernel.diagnostic import Refused
from fiche.kernel.figure import Figure
from fiche.kernel.origin import Stated
from fiche.kernel.quantity import parse_bytes, parse_duration, parse_ratio, parse_score
from fiche.kernel.requirement import Policy
from fiche.kernel.said import tell
from fiche.load.builtin import POLICIES, PREFIX, Shipped, installed
from fiche.load.fault import Faults
from fiche.load.folder import YAML_LIMIT, Folder, UnreadableError
from fiche.load.inputs import yaml_input
from fiche.load.node import Mapping, Scalar
from fiche.load.references import Known
from fiche.load.schema import check
from fiche.load.source import source
from fiche.load.thresholds import thresholds
from fiche.load.tree import parse
from fiche.load.values import figure, quantity

DEFAULT = "neutral"


class Chosen(NamedTuple):
    """A policy with the file it was read from."""

    policy: Policy
    input: Input
    content: bytes


def built_in_policies() -> tuple[str, ...]:
    """The names of the policies that travel with fiche."""
    return installed().policies


def chosen(
    name: Scalar | None, folder: Folder, faults: Faults, shipped: Shipped | None = None
) -> Chosen | None:
    """Read the policy that a fiche names, or the neutral one; None where a fault was noted."""
    known = shipped or installed()
    if name is None:
        return built_in(DEFAULT, known)
    if name.text in known.policies:
        return built_in(name.text, known)
    if "." not in name.text and "/" not in name.text:
        Known("policy", known.policies, "F505", "or name a policy file").check(name, faults)
        return None
    try:
        return policy(name.text, folder.read(name.text, YAML_LIMIT))
    except UnreadableError as problem:
        faults.add(problem.code, problem.message, name.span, problem.hint)
    except Refused as refused:
        faults.found.extend(refused.diagnostics)
    return None


def built_in(name: str, shipped: Shipped | None = None) -> Chosen:
    """Read a policy of the package, to which the tests have applied its schema, or one in its place.

    Raises:
        FileNotFoundError: there is none of that name.
        Refused: one that was brought is no policy.
    """
    content, checked = (shipped or installed()).policy(name)
    return policy(f"{PREFIX}{POLICIES}/{name}.yaml", content, checked=checked)


def policy(file: str, content: bytes, *, checked: bool = False) -> Chosen:
    """Read a policy file.

    Raises:
        Refused: it is no YAML, or not what `schemas/policy.schema.json` says.
    """
    root, faults = parse(source(file, content)), Faults()
    if not checked:
        check(root, "policy", faults)
        faults.stop()
    assert isinstance(root, Mapping)
    found = yaml_input(file, "policy", content)
    built = _policy(root, found.sha256, faults)
    faults.stop()
    return Chosen(built, found, content)


def _policy(node: Mapping, sha256: str, faults: Faults) -> Policy:
    tolerance = node.scalar("tie_tolerance")
    label = tell("costs this near to the cheapest are ties")
    return Policy(
        name=node.text("name"),
        version=node.text("version"),
        sha256=sha256,
        strict=_lists(node.mapping("strict")),
        noted=_lists(node.mapping("noted")),
        typed_scope=node.text("typed_scope"),
        tie_tolerance=figure(tolerance, parse_ratio, "policy.tie_tolerance", label, faults),
        max_age={kind: _days(node.mapping("max_age").scalar(kind), faults) for kind in _ages(node)},
        changed=_lists(node.mapping("changed")),
        machine_spread=_spread(node, faults) if "machine_spread" in node else None,
        guard_bands=_bands(node.mapping("guard_band"), faults),
        thresholds=thresholds(node, faults),
    )


def _ages(node: Mapping) -> tuple[str, ...]:
    return tuple(node.mapping("max_age").entries)


def _days(told: Scalar, faults: Faults) -> int:
    """Whole days: an age is counted from date to date."""
    return int(quantity(told, parse_duration, faults).value / _HOURS)


_HOURS = 24


def _spread(node: Mapping, faults: Faults) -> Figure:
    told = node.mapping("machine_spread")
    value = told.scalar("value")
    origin = Stated(span=value.span, because=told.text("because"))
    label = tell("memory by which two machines of one card may differ")
    return figure(value, parse_bytes, "policy.machine_spread", label, faults, origin)


def _bands(node: Mapping, faults: Faults) -> dict[str, Figure]:
    """How near to its limit a measured value settles nothing, by criterion (ILAC-G8)."""
    return {
        criterion: _band(criterion, node.mapping(criterion), faults) for criterion in node.entries
    }


def _band(criterion: str, told: Mapping, faults: Faults) -> Figure:
    value = told.scalar("value")
    origin = Stated(span=value.span, because=told.text("because"))
    parser = _BAND_PARSERS.get(criterion, parse_ratio)
    label = tell("guard band of {criterion}", criterion=criterion)
    return figure(value, parser, f"policy.guard_band.{criterion}", label, faults, origin)


# What is no amount in a unit of its own is a ratio of the limit.
_BAND_PARSERS = {"memory": parse_bytes, "quality": parse_score}


def _lists(node: Mapping) -> dict[str, tuple[str, ...]]:
    return {key: tuple(path.text for path in node.scalars(key)) for key in node.entries}
