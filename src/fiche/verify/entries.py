"""Every entry of two decisions set beside each other, by its path; whatever they are of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fiche.verify.step import Sheet

# What names a version, and cannot be the same in another one.
_OF_A_VERSION = ("schema", "schema_version", "tool.version")
_MOST = 3


def anywhere(told: Any, here: Any, path: str = "") -> Iterator[str]:  # noqa: ANN401 - any JSON
    """Whatever differs, by its path."""
    for where, one, other in _apart(told, here, path):
        yield f"{where}: {short(one)} is told, {short(other)} comes out"


def remaining(
    sheet: Sheet, told: Mapping[str, Any], here: Mapping[str, Any], version: str, *, rules: bool
) -> None:
    """Note what no verdict and no value is, and reads otherwise: another version, or somebody's hand.

    `rules` says that rows of the rule differ, which is told elsewhere.
    """
    skipped = (*_OF_A_VERSION, *(("rules.decision_rule", "rules.sha256") if rules else ()))
    found = [
        f"{where}: {short(one)} is told, {short(other)} comes out"
        for where, one, other in _apart(told, here, "")
        if not where.startswith(skipped)
    ]
    if not found:
        sheet.say("beside its version it says the same, to the letter")
        return
    count = "1 entry reads" if len(found) == 1 else f"{len(found)} entries read"
    sheet.unproven(
        f"beside verdicts and values, {count} otherwise than fiche {version} has it: another version wrote "
        "that so, or somebody changed it since"
    )
    for text in found[:_MOST]:
        sheet.unproven(text)


def _apart(told: Any, here: Any, path: str) -> Iterator[tuple[str, Any, Any]]:  # noqa: ANN401 - any JSON
    if isinstance(told, dict) and isinstance(here, dict):
        for key in sorted({*told, *here}):
            yield from _apart(told.get(key), here.get(key), f"{path}.{key}" if path else key)
    elif isinstance(told, list) and isinstance(here, list) and len(told) == len(here):
        for at, (one, other) in enumerate(zip(told, here, strict=True)):
            yield from _apart(one, other, f"{path}[{at}]")
    elif told != here or type(told) is not type(here):
        yield path, told, here


def short(part: Any) -> str:  # noqa: ANN401 - any JSON
    """A part of a decision in so few letters that a line holds it."""
    text = "nothing" if part is None else part if isinstance(part, str) else repr(part)
    return text if len(text) <= 80 else f"{text[:80]}…"
