"""Software: does the engine run on the card, and in the version required (D3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from fiche.criteria import _claims, _conditions
from fiche.criteria._capacity import machine_of
from fiche.criteria._scope import question, scope_of, told_facts
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.fact import Fact
from fiche.kernel.number import Misread
from fiche.kernel.piece import Piece
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.version import Version, parse_version

# Where a record prints the version of a component, by the component's name.
_PATHS = {"driver": "driver", "python": "python", "torch": "framework.version", "cuda": "runtime"}


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: the versions that pieces show against the constraint, or compatibility itself."""
    claims = tuple(
        _versions(requirement, candidate, ground)
        if "component" in requirement.facts
        else _compatible(candidate, ground)
    )
    settled = any(claim.answer for claim in claims)
    decisive = _claims.deciding(claims)
    return (
        Comparison(
            need_words=_wanted(requirement, candidate),
            have_words=", ".join(dict.fromkeys(claim.text for claim in decisive)),
            claims=claims,
            conditions=() if settled else (_lacking(requirement, candidate),),
            pieces=tuple(dict.fromkeys(claim.piece for claim in decisive)),
            attested_by=tuple(dict.fromkeys(name for claim in decisive for name in claim.by)),
        ),
    )


def _compatible(candidate: Candidate, ground: Inquiry) -> Iterator[Claim]:
    """The engine at its version has run on this card, or its document says that it refuses it."""
    ask = question(candidate)
    for piece, run in _claims.succeeded(ground):
        scope = scope_of(ask, piece, run, "software", ground)
        if scope.covers:
            yield Claim(piece=piece.id, answer="yes", text="ran", by=scope.by)
    for piece, item in _claims.attested("software", candidate, ground):
        answer = item.words.get("answer")
        if (
            answer is not None
            and _claims.vouched(item, ground)
            and _of_engine(candidate, item.words)
        ):
            word = "yes" if answer.value == "supported" else "no"
            yield Claim(piece=piece.id, answer=word, text=answer.value, by=_claims.people(item))


def _of_engine(candidate: Candidate, told: Mapping[str, Fact]) -> bool:
    facts = candidate.workload.facts
    named = facts.get("engine.name"), facts.get("engine.version")
    return all(
        fact is not None and key in told and told[key].value == fact.value
        for key, fact in zip(("component", "version"), named, strict=True)
    )


def _versions(requirement: Requirement, candidate: Candidate, ground: Inquiry) -> Iterator[Claim]:
    component = requirement.facts["component"].value
    for piece, item in _claims.attested("software", candidate, ground):
        if item.words["component"].value == component and _claims.vouched(item, ground):
            version = item.words["version"].value
            yield Claim(
                piece=piece.id,
                answer=_meets(requirement, version),
                text=version,
                by=_claims.people(item),
            )
    for piece in ground.pieces:
        yield from _printed(requirement, component, candidate, piece, ground)


def _printed(
    requirement: Requirement, component: str, candidate: Candidate, piece: Piece, ground: Inquiry
) -> Iterator[Claim]:
    """A record of the candidate's own machine prints its versions; another machine's say nothing."""
    facts = told_facts(piece, piece.reading.runs[0] if piece.reading.runs else None, ground)
    by = machine_of(piece, candidate, ground)
    if by is None:
        return
    engine = facts.get("engine.name")
    path = _PATHS.get(component, "engine.version" if engine and engine.value == component else "")
    if path in facts and facts[path].printed:
        version = facts[path].value
        yield Claim(piece=piece.id, answer=_meets(requirement, version), text=version, by=by)


def _meets(requirement: Requirement, told: str) -> str:
    """`yes` or `no`; empty where either version cannot be ordered."""
    version = parse_version(told)
    if isinstance(version, Misread):
        return ""
    answers = []
    for name, holds in _HOLDS.items():
        if name in requirement.facts:
            limit = parse_version(requirement.facts[name].value)
            if isinstance(limit, Misread) or limit.scheme != version.scheme:
                answers.append("")
            else:
                answers.append("yes" if holds(version, limit) else "no")
    return "no" if "no" in answers else "" if "" in answers else "yes"


_HOLDS: dict[str, Callable[[Version, Version], bool]] = {
    "at_least": lambda version, limit: version >= limit,
    "at_most": lambda version, limit: version <= limit,
    "version": lambda version, limit: version == limit,
}


def _wanted(requirement: Requirement, candidate: Candidate) -> str:
    if "component" not in requirement.facts:
        facts = candidate.workload.facts
        told = [facts[p].value for p in ("engine.name", "engine.version") if p in facts]
        return " ".join(told) or "the workload's software"
    signs = {"at_least": ">=", "at_most": "<=", "version": "=="}
    bounds = [
        f"{s} {requirement.facts[n].value}" for n, s in signs.items() if n in requirement.facts
    ]
    return " ".join([requirement.facts["component"].value, *bounds])


def _lacking(requirement: Requirement, candidate: Candidate) -> Condition:
    wanted = _wanted(requirement, candidate)
    where = candidate.machine or "the machine offered"
    return _conditions.compatibility(
        f"show that {wanted} works on {candidate.gpu}: a run on {where}, or the software's own document",
        supplier="operator or seller",
        threshold=wanted,
    )


MEMBER = Criterion(name="software", title="Software and versions", compare=compare)
