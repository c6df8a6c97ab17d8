"""Interconnect: an attested link and rate of the machine; a card's sheet leaves it to confirm (D3).

A topology that the machine itself printed names the link of each pair of devices, and no rate. Rates of both
directions together and of one do not compare, and a link of one pair says nothing of another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from fiche.criteria import _claims, _conditions
from fiche.criteria._attested_number import Threshold, Value, best_of_each, compared, meets
from fiche.criteria._told import Machine, comparison, machines, people
from fiche.criteria._words import asked_text, figure_text
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.fact import Fact
from fiche.kernel.piece import Attested
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import listed, tell, tell_asking

_NVLINK = "nvlink"
_WAY = re.compile(r"NV[0-9]+")
_PAIR = re.compile(r"([0-9]+)-([0-9]+)")
_ALL = "all"

Pair = tuple[int, int]


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: the attested rate of the link, or the link itself where no rate is required."""
    least = requirement.figures.get("at_least")
    if least is not None:
        threshold = Threshold(figure=least, at_least=True)
        rated = best_of_each(
            v for v in _values(requirement, candidate, ground) if v.figure.unit == least.unit
        )
        named = "link" in requirement.facts  # a slow link is no lack of another, faster one
        kept = [value for value in rated if named or meets(threshold, value.figure)]
        slow = sorted(
            tell("{piece} says {figure}", piece=v.piece, figure=figure_text(v.figure))
            for v in rated
            if v not in kept
        )
        return (compared(threshold, kept, lambda: _lacking(requirement, candidate, slow)),)
    claims = (*_printed(requirement, candidate, ground), *_named(requirement, candidate, ground))
    return (comparison(_wanted(requirement), claims, (_lacking(requirement, candidate),)),)


def _values(requirement: Requirement, candidate: Candidate, ground: Inquiry) -> Iterator[Value]:
    for piece, item in _claims.attested("interconnect", candidate, ground):
        told = "value" in item.terms and _claims.vouched(item, ground)
        if told and _speaks(requirement, item) and _same_directions(requirement, item):
            yield Value(piece=piece.id, figure=item.terms["value"], by=_claims.people(item))


def _named(requirement: Requirement, candidate: Candidate, ground: Inquiry) -> Iterator[Claim]:
    for piece, item in _claims.attested("interconnect", candidate, ground):
        if _claims.vouched(item, ground) and _speaks(requirement, item):
            text, by = item.words["link"].value, _claims.people(item)
            yield Claim(piece=piece.id, answer="yes", text=text, by=by)


def _speaks(requirement: Requirement, item: Attested) -> bool:
    """A document of another link, or of other devices, says nothing of this one: a machine has several."""
    same = "link" not in requirement.facts or _is_link(requirement, item.words["link"].value)
    return same and _joins(requirement.facts.get("between"), item.words.get("between"))


def _is_link(requirement: Requirement, told: str) -> bool:
    return told.casefold() == _link(requirement).casefold()


def _same_directions(requirement: Requirement, item: Attested) -> bool:
    wanted, told = requirement.facts.get("directions"), item.words.get("directions")
    return wanted is None or (told is not None and told.value == wanted.value)


def _joins(wanted: Fact | None, told: Fact | None) -> bool:
    """Whether the devices that are told hold all that are asked for."""
    if wanted is None:
        return True
    if told is None:
        return False
    return told.value == _ALL or (wanted.value != _ALL and _pairs(wanted) <= _pairs(told))


def _pairs(fact: Fact) -> frozenset[Pair]:
    return frozenset(
        (min(int(one), int(two)), max(int(one), int(two))) for one, two in _PAIR.findall(fact.value)
    )


def _printed(requirement: Requirement, candidate: Candidate, ground: Inquiry) -> Iterator[Claim]:
    """The link by which this machine's own topology joins its pairs; another link of all refuses nothing."""
    if "link" not in requirement.facts:
        return
    for machine in machines(candidate, ground):
        between = requirement.facts.get("between")
        if between is not None:
            yield from _of_pairs(requirement, between, machine)
            continue
        link = machine.facts.get("interconnect")
        if link is not None and _is_link(requirement, link.value):
            yield Claim(
                piece=machine.piece, answer="yes", text=link.value, by=people(machine, [link])
            )


def _of_pairs(requirement: Requirement, between: Fact, machine: Machine) -> Iterator[Claim]:
    """A topology prints NV and a count wherever NVLink joins a pair: another way there is no NVLink."""
    ways = _ways(machine.facts)
    asked = frozenset(ways) if between.value == _ALL else _pairs(between)
    if _link(requirement).casefold() != _NVLINK or not asked or not asked <= ways.keys():
        return
    facts = [ways[pair] for pair in sorted(asked)]
    apart = [fact.value for fact in facts if not _WAY.fullmatch(fact.value)]
    yield Claim(
        piece=machine.piece,
        answer="no" if apart else "yes",
        text=apart[0] if apart else "NVLink",
        by=people(machine, facts),
    )


def _ways(facts: Mapping[str, Fact]) -> dict[Pair, Fact]:
    """`links.0-1` of a topology: the way between two devices."""
    found = {}
    for path, fact in facts.items():
        pair = _PAIR.fullmatch(path.removeprefix("links."))
        if path.startswith("links.") and pair is not None:
            found[min(int(pair[1]), int(pair[2])), max(int(pair[1]), int(pair[2]))] = fact
    return found


def _link(requirement: Requirement) -> str:
    fact = requirement.facts.get("link")
    return fact.value if fact else "interconnect"


def _wanted(requirement: Requirement) -> str:
    between = requirement.facts.get("between")
    if between is None:
        return _link(requirement)
    where = tell("all devices") if between.value == _ALL else between.value
    return tell("{link} between {where}", link=_link(requirement), where=where)


def _lacking(requirement: Requirement, candidate: Candidate, slow: Sequence[str] = ()) -> Condition:
    least = requirement.figures.get("at_least")
    told = requirement.facts.get("directions")
    directions = tell(" ({told} directions)", told=told.value) if told is not None else ""
    apart = (
        tell(" ({slow}, of one link; name the link that is meant)", slow=listed(slow[:3], "; "))
        if slow
        else ""
    )
    return _conditions.document(
        "interconnect",
        tell_asking(
            "have the seller attest the {wanted} of the machine as delivered: the sheet of "
            "{gpu} alone does not{apart}",
            (
                "Attest the {wanted} of the machine as delivered: the sheet of {gpu} "
                "alone does not{apart}"
            ),
            wanted=_wanted(requirement),
            gpu=candidate.gpu,
            apart=apart,
        ),
        threshold=tell(">= {least}{directions}", least=asked_text(least), directions=directions)
        if least is not None
        else "",
    )


MEMBER = Criterion(
    name="interconnect",
    title="Interconnect",
    compare=compare,
    expects=tell("document of the offer or machine, or its topology"),
    settles=tell(
        "The link, between the devices asked for, admits, and so does a rate at or above the threshold; a "
        "lower rate of the link that is named, or a topology that joins them otherwise, excludes. A card's "
        "sheet says nothing of it."
    ),
    needs=(("link", "at_least"),),
)
