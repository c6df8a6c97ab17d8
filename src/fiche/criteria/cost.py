"""Cost of the whole package against a budget (D2, D9): lots, tax basis, validity, a quote."""

from __future__ import annotations

from fiche.criteria import _conditions
from fiche.criteria._package import Package, package
from fiche.kernel.comparison import Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.requirement import Candidate, Requirement


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: the package's cost against the budget, in one currency and on one tax basis."""
    budget = requirement.figures["at_most"]
    basis = requirement.facts.get("tax")
    bought = package(candidate, basis.value if basis else "", ground)
    if bought is None:
        return (_no_offer(candidate),)
    if bought.cost.unit != budget.unit:
        return (_currency(bought, budget.unit),)
    known = bought.cost if not bought.open else None
    return (
        Comparison(
            need_low=bought.at_least,
            need_high=known,
            have_low=budget,
            have_high=budget,
            need_shown=bought.cost,
            have_shown=budget,
            useful_margin=budget - known if known is not None and known.high is not None else None,
            conflicts=bought.conflicts,
            conditions=bought.open,
            pieces=bought.pieces,
            attested_by=bought.by,
        ),
    )


def _no_offer(candidate: Candidate) -> Comparison:
    lacking = _conditions.document(
        "cost", f"get an offer for {candidate.gpu}: price, tax, validity"
    )
    return Comparison(conditions=(lacking,))


def _currency(bought: Package, wanted: object) -> Comparison:
    lacking = Condition(
        topic="cost",
        text=f"the price is in {bought.cost.unit}, the budget in {wanted}: state a rate with date and source",
        supplier="author of the fiche",
    )
    return Comparison(
        need_shown=bought.cost,
        conflicts=bought.conflicts,
        conditions=(lacking, *bought.open),
        pieces=bought.pieces,
        attested_by=bought.by,
    )


MEMBER = Criterion(name="cost", title="Cost of the package", compare=compare)
