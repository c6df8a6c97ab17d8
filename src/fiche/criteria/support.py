"""Support: the hours until the seller answers, or a level by its name, as a document grants it."""

from __future__ import annotations

from fiche.criteria import _claims, _conditions
from fiche.criteria._attested_number import Threshold
from fiche.criteria._documented import Granted, against, granted, nearest, seller_of, with_claims
from fiche.criteria._words import figure_text
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import listed, tell, tell_asking

# Levels and service times are words that cannot be put in order: other words are another question.
_NAME, _HOURS = "support", ("hours",)


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: hours until an answer where they are asked, else the level by its name."""
    found = [
        one
        for one in granted("support", _HOURS, requirement, candidate, ground)
        if _named(requirement, one)
    ]
    lacking = _lacking(requirement, candidate, ground)
    most = requirement.figures.get("at_most")
    if most is not None:
        return (against(Threshold(figure=most, at_least=False), "response", found, lacking),)
    return (_level(requirement, found, lacking),)


def _named(requirement: Requirement, one: Granted) -> bool:
    asked, told = requirement.facts.get(_NAME), one.item.words.get("name")
    same = (
        told is not None and asked is not None and told.value.casefold() == asked.value.casefold()
    )
    return asked is None or same


def _level(requirement: Requirement, found: list[Granted], lacking: Condition) -> Comparison:
    level = requirement.facts[_NAME].value
    yes = tuple(
        Claim(piece=one.piece.id, answer="yes", text=level, by=_claims.people(one.item))
        for one in found
        if not one.untold
    )
    claims = _claims.deciding(yes)
    short = [
        tell("{piece}: {untold}", piece=one.piece.id, untold=listed(one.untold, "; "))
        for one in found
        if one.untold
    ]
    asked = Comparison(need_words=level, conditions=() if claims else (nearest(lacking, short),))
    return with_claims(asked, claims)


def _lacking(requirement: Requirement, candidate: Candidate, ground: Inquiry) -> Condition:
    facts, most = requirement.facts, requirement.figures.get("at_most")
    what = [tell("the level '{facts}'", facts=facts[_NAME].value)] if _NAME in facts else []
    what += [tell("the hours until an answer")] if most is not None else []
    what += (
        [tell("its service time {hours}", hours=facts["hours"].value)] if "hours" in facts else []
    )
    others = dict.fromkeys(
        tell("{piece} names {name}", piece=piece.id, name=item.words["name"].value)
        for piece, item in _claims.attested("support", candidate, ground)
        if "name" in item.words and _NAME in facts
        if item.words["name"].value.casefold() != facts[_NAME].value.casefold()
    )
    apart = tell(" ({others})", others=listed(others, "; ")) if others else ""
    return _conditions.document(
        "support",
        tell_asking(
            "have the support put in writing: {what}{apart}",
            "Have the support put in writing: {what}{apart}",
            what=listed(what, " and "),
            apart=apart,
        ),
        threshold=tell("<= {most}", most=figure_text(most))
        if most is not None
        else facts[_NAME].value,
        supplier=seller_of(candidate),
    )


MEMBER = Criterion(
    name="support",
    title="Support",
    compare=compare,
    expects=tell("quote, contract or service description of the seller"),
    settles=tell(
        "hours until an answer, or the level by its name, granted for this offer or machine, admits; a longer "
        "time excludes, a level of another name or a service time in other words leaves it to confirm"
    ),
    needs=(("at_most", "support"),),
)
