"""Kinds of requirement as a selection table: made of what the criteria say of themselves (F8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fiche.cli.terminal import paragraph, table
from fiche.cli.usage import unknown
from fiche.kernel.diagnostic import Refused
from fiche.kernel.doors import Criterion
from fiche.kernel.record import record
from fiche.load.schema import document
from fiche.registry import members

_SHARED = ("id", "kind", "level", "cases", "piece")


@record
class Kind:
    """One kind of requirement: its criterion, and what the schema says of each of its own keys."""

    criterion: Criterion
    keys: Mapping[str, str]


def chosen(kind: str | None) -> tuple[Kind, ...]:
    """All kinds in the schema's order, or the one named.

    Raises:
        Refused: F701 there is no such kind.
    """
    asked = document("fiche")["$defs"]["requirement"]
    names = asked["properties"]["kind"]["enum"]
    if kind is not None and kind not in names:
        raise Refused([unknown("kind of requirement", kind, names)])
    found = {one.name: one for one in members("fiche.criteria", Criterion)}
    keys = {rule["if"]["properties"]["kind"]["const"]: rule["then"] for rule in asked["allOf"]}
    return tuple(
        Kind(criterion=found[name], keys=_own(keys[name]["properties"]))
        for name in names
        if kind in (None, name)
    )


def _own(properties: Mapping[str, Any]) -> dict[str, str]:
    return {key: told["description"] for key, told in properties.items() if key not in _SHARED}


def threshold(criterion: Criterion) -> str:
    """The keys of which a must has one each: `metric, dataset, at_least or at_most`."""
    return ", ".join(" or ".join(group) for group in criterion.needs)


def sentence(text: str) -> str:
    """With a capital and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def list_text(found: Sequence[Kind]) -> str:
    """One row a kind: criterion, expected piece, decision."""
    header = ("kind", "a must states", "expected piece", "decision")
    rows = [_row(kind.criterion) for kind in found]
    return (
        table(rows, header=header, whole=(0,)) + "\nfiche criteria KIND prints the keys of one.\n"
    )


def _row(one: Criterion) -> tuple[str, str, str, str]:
    return one.name, threshold(one) or "-", one.expects, sentence(one.settles)


def criterion_text(kind: Kind) -> str:
    """One kind: what settles it, then its keys."""
    one = kind.criterion
    text = f"{one.name}  ({one.title})\n\n"
    text += paragraph(f"A must states: {threshold(one) or 'nothing beside the workload'}.")
    text += paragraph(
        f"Expected piece: {one.expects}; `piece` names another in the author's words."
    )
    text += paragraph(f"Decision: {sentence(one.settles)}")
    rows = list(kind.keys.items())
    return text + ("\n" + table(rows, header=("key", "what it says"), whole=(0,)) if rows else "")


def criteria_json(found: Sequence[Kind]) -> dict[str, Any]:
    """The same for programs."""
    return {
        "format": "fiche-criteria/1",
        "criteria": [
            {
                "kind": kind.criterion.name,
                "title": kind.criterion.title,
                "must_state": [list(group) for group in kind.criterion.needs],
                "expected_piece": kind.criterion.expects,
                "decision": sentence(kind.criterion.settles),
                "keys": dict(kind.keys),
            }
            for kind in found
        ],
    }
