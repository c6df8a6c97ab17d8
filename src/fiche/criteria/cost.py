"""Cost of the whole package against a budget (D2, D9): lots, tax basis, validity, a quote."""

from __future__ import annotations

from fiche.criteria import _conditions
from fiche.criteria._cost_against import against
from fiche.criteria._package import Package, package
from fiche.criteria._words import figure_text
from fiche.kernel.comparison import Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.record import replace
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import tell, tell_asking


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: the package's cost against the budget, in one currency and on one tax basis."""
    budget = requirement.figures["at_most"]
    basis = requirement.facts.get("tax")
    asked = basis.value if basis else ""
    bought = package(candidate, asked, ground, str(budget.unit))
    most = _most(budget, basis)
    if bought is None:
        return (_no_offer(candidate, budget, most),)
    if not bought.comparable:
        return (_in_another_currency(bought, budget, most),)
    known = bought.cost if not bought.open else None
    return (
        Comparison(
            need_low=bought.at_least,
            need_high=known,
            have_low=budget,
            have_high=budget,
            need_shown=bought.cost,
            have_shown=budget,
            useful_margin=budget - bought.cost if bought.known else None,
            conflicts=(*bought.conflicts, *_contradictions(bought, budget)),
            conditions=_conditions_of(bought, most),
            against=_against(bought, budget, most),
            pieces=bought.pieces,
            attested_by=bought.by,
        ),
    )


def _contradictions(bought: Package, budget: Figure) -> tuple[str, ...]:
    """What says otherwise of the hours, where the verdict turns on it: not above the budget in any case."""
    least, cost = bought.at_least, bought.cost
    if least is not None and least.low > budget.low:
        return ()
    if cost.high is not None and cost.high <= budget.low:
        return bought.short
    return (*bought.short, *bought.apart)


def _conditions_of(bought: Package, most: str) -> tuple[Condition, ...]:
    """What is open, then what is only guessed: a second reading takes guesses as they stand."""
    return tuple(_turning(condition, most) for condition in (*bought.open, *bought.guesses))


def _against(bought: Package, budget: Figure, most: str) -> tuple[tuple[Condition, ...], ...]:
    """Which of them exclude, in the same words."""
    return tuple(
        tuple(_turning(condition, most) for condition in one) for one in against(bought, budget)
    )


def _most(budget: Figure, basis: Fact | None) -> str:
    """Where the verdict turns, in words."""
    most = figure_text(budget)
    if basis is None:
        return tell("<= {budget}", budget=most)
    if basis.value == "excluded":
        return tell("<= {budget}, tax excluded", budget=most)
    return tell("<= {budget}, tax included", budget=most)


def _turning(condition: Condition, threshold: str) -> Condition:
    return condition if condition.threshold else replace(condition, threshold=threshold)


def _no_offer(candidate: Candidate, budget: Figure, threshold: str) -> Comparison:
    lacking = _conditions.document(
        "cost",
        tell_asking(
            "get an offer for {gpu}: price, tax, validity",
            "Send an offer for {gpu}: price, tax, validity",
            gpu=candidate.gpu,
        ),
        threshold=threshold,
    )
    return Comparison(have_shown=budget, conditions=(lacking,))


def _in_another_currency(bought: Package, budget: Figure, most: str) -> Comparison:
    """Both amounts as they are: without a rate that counts they are not compared."""
    return Comparison(
        need_shown=bought.cost,
        have_shown=budget,
        conflicts=bought.conflicts,
        conditions=_conditions_of(bought, most),
        against=_against(bought, budget, most),
        pieces=bought.pieces,
        attested_by=bought.by,
    )


MEMBER = Criterion(
    name="cost",
    title=tell("Cost of the package"),
    compare=compare,
    expects=tell("quote with its validity and tax basis"),
    settles=tell(
        "The cost of the whole package within the budget admits, above it excludes; whatever the quote leaves "
        "untold opens the upper end."
    ),
    needs=(("at_most",),),
)
