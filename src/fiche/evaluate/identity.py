"""A1: a workload without a name and a revision is no identity; nothing is retained on it."""

from __future__ import annotations

from fiche.kernel.condition import Condition
from fiche.kernel.said import tell
from fiche.kernel.workload import Workload


def conditions(workload: Workload) -> tuple[Condition, ...]:
    """What keeps the workload from being identified; it holds for every candidate alike."""
    facts = workload.facts
    named = "model.name" in facts or "code.name" in facts
    pinned = any(
        path in facts for path in ("model.revision", "model.digest", "code.revision", "code.digest")
    )
    if named and pinned:
        return ()
    return (
        Condition(
            topic="identity",
            text=tell(
                "name the model (or code) and its revision or digest: a parameter count is no "
                "identity"
            ),
            supplier=tell("author of the fiche"),
            piece_kind="fiche",
        ),
    )
