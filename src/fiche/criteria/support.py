"""Support: the hours until the seller answers, or a level by its name, as a document grants it."""

from __future__ import annotations

from fiche.criteria import _claims, _conditions
from fiche.criteria._attested_number import Threshold
from fiche.criteria._documented import Granted, against, granted, refusal, seller_of, with_claims
from fiche.criteria._words import figure_text
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.requirement import Candidate, Requirement

# Names of levels cannot be put in order: another name is another question, another service time a refusal.
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
        if not one.differs and not one.untold
    )
    no = tuple(refusal(one) for one in found if one.differs)
    claims = (*_claims.deciding(yes), *no) if yes else no
    asked = Comparison(need_words=level, conditions=() if claims else (lacking,))
    return with_claims(asked, claims)


def _lacking(requirement: Requirement, candidate: Candidate, ground: Inquiry) -> Condition:
    facts, most = requirement.facts, requirement.figures.get("at_most")
    what = [f"the level '{facts[_NAME].value}'"] if _NAME in facts else []
    what += ["the hours until an answer"] if most is not None else []
    what += [f"its service time {facts['hours'].value}"] if "hours" in facts else []
    others = dict.fromkeys(
        f"{piece.id} names {item.words['name'].value}"
        for piece, item in _claims.attested("support", candidate, ground)
        if "name" in item.words and _NAME in facts
        if item.words["name"].value.casefold() != facts[_NAME].value.casefold()
    )
    apart = f" ({'; '.join(others)})" if others else ""
    return _conditions.document(
        "support",
        f"have the support put in writing: {' and '.join(what)}{apart}",
        threshold=f"<= {figure_text(most)}" if most is not None else facts[_NAME].value,
        supplier=seller_of(candidate),
    )


MEMBER = Criterion(
    name="support",
    title="Support",
    compare=compare,
    expects="quote, contract or service description of the seller",
    settles=(
        "hours until an answer, or the level by its name, granted for this offer or machine, admits; a longer "
        "time or another service time excludes, a level of another name leaves it to confirm"
    ),
    needs=(("at_most", "support"),),
)
