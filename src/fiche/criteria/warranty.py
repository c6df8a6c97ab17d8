"""Warranty: how many months a document grants, whether on site, and who pays the way back."""

from __future__ import annotations

from fiche.criteria import _conditions
from fiche.criteria._attested_number import Threshold
from fiche.criteria._documented import against, granted, seller_of
from fiche.criteria._words import figure_text
from fiche.kernel.comparison import Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import listed, tell, tell_asking

_WORDS = ("service", "returns")


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison, in months of the calendar (unit `month`: no fixed number of days)."""
    threshold = Threshold(figure=requirement.figures["at_least"], at_least=True)
    found = list(granted("warranty", _WORDS, requirement, candidate, ground))
    return (against(threshold, "value", found, _lacking(requirement, candidate)),)


def _lacking(requirement: Requirement, candidate: Candidate) -> Condition:
    least = figure_text(requirement.figures["at_least"])
    told = [
        tell("{name} {facts}", name=name, facts=requirement.facts[key].value)
        for key, name in (("service", "service"), ("returns", tell("the way back paid by")))
        if key in requirement.facts
    ]
    beside = tell(" ({told})", told=listed(told)) if told else ""
    return _conditions.document(
        "warranty",
        tell_asking(
            "have the warranty of {gpu} put in writing: how many months from delivery{beside}",
            ("Have the warranty of {gpu} put in writing: how many months from delivery{beside}"),
            gpu=candidate.gpu,
            beside=beside,
        ),
        threshold=tell(">= {least}", least=least),
        supplier=seller_of(candidate),
    )


MEMBER = Criterion(
    name="warranty",
    title="Warranty",
    compare=compare,
    expects=tell("quote, contract or warranty terms of the seller"),
    settles=tell(
        "months that the document grants for this offer or machine, with the service and the payer of the way "
        "back where they are asked; as many admit, fewer or another payer exclude, a "
        "service in other words leaves it to confirm"
    ),
    needs=(("at_least",),),
)
