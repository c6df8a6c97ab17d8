"""Compute capability of NVIDIA, gfx target of AMD: what the maker states of a card, or its machine prints.

The two do not compare: neither is less than the other (B1). A card of the other kind is to confirm.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _claims, _conditions, _named
from fiche.criteria._told import CATALOG, Machine, card_fact, comparison, machines, people
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.fact import Fact
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import listed, tell

_GFX = "gfx"


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: every statement of the card's capability or target against what will do."""
    row = _row(candidate)
    claims = tuple(_claims_of(requirement, candidate, row, ground))
    lacking = _lacking(requirement, candidate, claims)
    return (comparison(_wanted(requirement), claims, (lacking,), row),)


def _row(candidate: Candidate) -> Fact | None:
    """What the catalog's row states; its source is the maker's document, or a list that repeats it."""
    capability = card_fact(candidate.card, "compute_capability")
    return capability if capability is not None else card_fact(candidate.card, _GFX)


def _claims_of(
    requirement: Requirement, candidate: Candidate, row: Fact | None, ground: Inquiry
) -> Iterator[Claim]:
    if row is not None:
        yield Claim(piece=CATALOG, answer=_meets(requirement, row.value), text=row.value)
    for piece, item in _claims.attested("compute_capability", candidate, ground):
        if _claims.vouched(item, ground):
            told = item.words["value"].value
            answer = _meets(requirement, told)
            yield Claim(piece=piece.id, answer=answer, text=told, by=_claims.people(item))
    yield from _printed(requirement, candidate, ground)


def _printed(requirement: Requirement, candidate: Candidate, ground: Inquiry) -> Iterator[Claim]:
    """What the machine's own devices print, where those that may be this card agree."""
    for machine in machines(candidate, ground):
        facts = tuple(_of_devices(machine, candidate))
        if len({fact.value for fact in facts}) == 1:
            answer, by = _meets(requirement, facts[0].value), people(machine, facts)
            yield Claim(piece=machine.piece, answer=answer, text=facts[0].value, by=by)


def _of_devices(machine: Machine, candidate: Candidate) -> Iterator[Fact]:
    """Devices that call themselves another card say nothing of this one."""
    for place, fact in machine.facts.items():
        device, _, word = place.rpartition(".")
        if device.startswith("devices.") and word == "compute_capability":
            name = machine.facts.get(f"{device}.name")
            if name is None or not _named.other_card(candidate.card, name.value):
                yield fact


def _meets(requirement: Requirement, told: str) -> str:
    """`yes` or `no`; empty where one side is a capability and the other a target."""
    target = _target(told)
    if target:
        wanted = [fact.value.casefold() for fact in requirement.choices.get(_GFX, ())]
        return "" if not wanted else "yes" if target in wanted else "no"
    least, have = _asked(requirement), _pair(told)
    return "" if least is None or have is None else "yes" if have >= least else "no"


def _target(told: str) -> str:
    """`gfx90a` of `gfx90a:sramecc+:xnack-`; empty where it is no target."""
    bare = told.casefold().partition(":")[0]
    return bare if bare.startswith(_GFX) else ""


def _asked(requirement: Requirement) -> tuple[int, int] | None:
    fact = requirement.facts.get("at_least")
    return None if fact is None else _pair(fact.value)


def _pair(told: str) -> tuple[int, int] | None:
    """Major and minor: 12.0 is above 8.9."""
    major, dot, minor = told.partition(".")
    digits = major + minor
    read = dot and major and minor and digits.isascii() and digits.isdigit()
    return (int(major), int(minor)) if read else None


def _wanted(requirement: Requirement) -> str:
    least, targets = requirement.facts.get("at_least"), requirement.choices.get(_GFX, ())
    told = [] if least is None else [tell("compute capability {least} or above", least=least.value)]
    told += [listed((fact.value for fact in targets), " or ")] if targets else []
    return listed(told, ", or ")


def _lacking(
    requirement: Requirement, candidate: Candidate, claims: tuple[Claim, ...]
) -> Condition:
    wanted = _wanted(requirement)
    if claims:
        told = listed(dict.fromkeys(claim.text for claim in claims))
        asked = tell("a gfx target") if _target(claims[0].text) else tell("a compute capability")
        return Condition(
            topic="compute_capability",
            text=tell(
                "{gpu} has {told}: a compute capability and a gfx target do not compare; name "
                "{asked} that will do as well",
                gpu=candidate.gpu,
                told=told,
                asked=asked,
            ),
            threshold=wanted,
            supplier=tell("author of the fiche"),
            piece_kind=_conditions.FICHE,
        )
    return _conditions.document(
        "compute_capability",
        tell(
            "state the compute capability or gfx target of {gpu} from its maker's document",
            gpu=candidate.gpu,
        ),
        threshold=wanted,
        supplier=tell("maker"),
    )


MEMBER = Criterion(
    name="compute_capability",
    title=tell("Compute capability"),
    compare=compare,
    expects=tell("maker's document, row of the catalog, or print of the machine"),
    settles=tell(
        "At or above the threshold, or one of the targets, admits; below it, or another target, excludes. A "
        "compute capability and a gfx target never compare: to confirm."
    ),
    needs=(("at_least", _GFX),),
)
