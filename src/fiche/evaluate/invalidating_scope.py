"""Scope that the conclusion holds in: strict facts, the machine that printed its total, who else is on it."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel import trace
from fiche.kernel.address import Pointer
from fiche.kernel.decision import Decision, Outcome
from fiche.kernel.figure import Figure
from fiche.kernel.finding import Finding, Verdict
from fiche.kernel.invalidation import Invalidation
from fiche.kernel.origin import Observed
from fiche.kernel.requirement import Policy

# Strict facts by the start of their path; what is asked for (operation) is the question itself.
_GROUPS = (
    ("model", ("model.", "code.")),
    ("formats", ("formats.",)),
    ("engine", ("engine.",)),
    ("software", ("attention", "backend", "allocator.", "framework.", "process_protocol")),
    ("driver", ("driver", "runtime", "os")),
    ("method", ("method.", "optimizer.", "training.")),
    ("placement", ("placement.",)),
)


def scope(decision: Decision, outcome: Outcome) -> Iterator[Invalidation]:
    """What was strict for a verdict that pieces settle, then the machine."""
    settled = [f for f in outcome.findings if f.pieces and f.verdict is not Verdict.TO_CONFIRM]
    yield from _facts(decision.fiche.policy, outcome, settled)
    for found in settled:
        if found.kind == "memory" and found.verdict is Verdict.ADMISSIBLE:
            yield from _machine(decision, outcome, found)


def _facts(policy: Policy, outcome: Outcome, settled: list[Finding]) -> Iterator[Invalidation]:
    """One event for each group of facts: any other value of one of them."""
    facts = outcome.candidate.workload.facts
    operation = facts["operation"].value if "operation" in facts else ""
    by_path: dict[str, dict[str, None]] = {}
    for found in settled:
        for path in _strict(policy, found.kind, operation, tuple(facts)):
            by_path.setdefault(path, {}).update(dict.fromkeys(found.pieces))
    for kind, starts in _GROUPS:
        paths = [path for path in by_path if path.startswith(starts)]
        if paths:
            yield Invalidation(
                kind=kind,
                values=tuple((path, facts[path].value) for path in sorted(paths, key=_order)),
                candidates=(outcome.candidate.id,),
                because=tuple(dict.fromkeys(p for path in paths for p in by_path[path])),
            )


def _order(path: str) -> tuple[bool, str]:
    return not path.endswith(".name"), path


def _strict(policy: Policy, kind: str, operation: str, told: tuple[str, ...]) -> Iterator[str]:
    entries = (*policy.strict.get(kind, ()), *policy.strict.get(f"{kind}.{operation}", ()))
    for entry in entries:
        if entry.endswith(".*"):
            yield from (path for path in told if path.startswith(entry[:-1]))
        else:
            yield from (path for path in entry.split("|") if path in told)


def _machine(decision: Decision, outcome: Outcome, found: Finding) -> Iterator[Invalidation]:
    """The machine whose own print is the capacity, and that nothing else is on its card."""
    leaves = trace.leaves(found.have) if found.have is not None else ()
    printed = tuple(dict.fromkeys(_piece(decision, leaf) for leaf in leaves))
    pieces = tuple(name for name in printed if name)
    who = outcome.candidate
    spread = decision.fiche.policy.machine_spread
    if spread is not None and any(leaf is spread for leaf in leaves):
        yield Invalidation(kind="spread", figure=spread, candidates=(who.id,), because=pieces)
    elif pieces:
        yield Invalidation(
            kind="machine", subject=who.machine, candidates=(who.id,), because=pieces
        )
    yield Invalidation(
        kind="shared",
        subject=who.machine,
        candidates=(who.id,),
        because=pieces or (found.requirement,),
    )


def _piece(decision: Decision, leaf: object) -> str:
    """The piece that a leaf was read from; empty for any other."""
    origin = leaf.origin if isinstance(leaf, Figure) else None
    if not isinstance(origin, Observed) or not isinstance(origin.pointer, Pointer):
        return ""
    digests = {piece.sha256: piece.id for piece in reversed(decision.fiche.pieces)}
    return digests.get(origin.pointer.sha256, "")
