"""Budget line: the cost of the package against an amount that a document says is there (D2, catalog 7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.criteria import _claims, _conditions, cost
from fiche.criteria._attested_number import Value
from fiche.criteria._documented import with_claims
from fiche.criteria._words import figure_text
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.fact import Fact
from fiche.kernel.record import replace
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import listed, tell


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: the package's cost, on the requirement's tax basis, against what the line holds."""
    line = _line(requirement, ground)
    if not line:
        return (Comparison(required=False, conditions=(_unnamed(),)),)
    told_of = sorted(_amounts(line, requirement, ground), key=lambda told: told[0].piece)
    if not told_of:
        return (Comparison(conditions=(_lacking(line),)),)
    amounts = [value for value, _ in told_of]
    least, basis = min(told_of, key=lambda told: told[0].figure.low)
    facts = {**basis, **requirement.facts}
    asked = replace(requirement, figures={"at_most": least.figure}, facts=facts)
    (found,) = cost.compare(asked, candidate, ground)
    told = dict.fromkeys(
        tell("{piece} says {figure}", piece=v.piece, figure=figure_text(v.figure)) for v in amounts
    )
    apart = len({(v.figure.low, v.figure.unit) for v in amounts}) > 1
    conflicts = (
        (tell("budget line {line}: {told}", line=line, told=listed(told, "; ")),) if apart else ()
    )
    claims = tuple(Claim(piece=v.piece, answer="", by=v.by) for v in amounts)
    return (with_claims(replace(found, conflicts=(*found.conflicts, *conflicts)), claims),)


def _amounts(
    line: str, requirement: Requirement, ground: Inquiry
) -> Iterator[tuple[Value, dict[str, Fact]]]:
    """What documents say that the line holds, with its tax basis; one on another basis is another amount."""
    for piece in ground.pieces:
        for item in () if _claims.offered(piece) else piece.attested:  # nobody's who sells
            same = item.fact == "budget" and item.words["name"].value == line
            if same and _claims.vouched(item, ground) and _basis(requirement, item.words):
                basis = {"tax": item.words["tax"]} if "tax" in item.words else {}
                amount = item.terms["amount"]
                yield Value(piece=piece.id, figure=amount, by=_claims.people(item)), basis


def _basis(requirement: Requirement, words: Mapping[str, Fact]) -> bool:
    told, asked = words.get("tax"), requirement.facts.get("tax")
    return told is None or asked is None or told.value == asked.value


def _line(requirement: Requirement, ground: Inquiry) -> str:
    """The line that the requirement names, else the buyer's."""
    told = requirement.facts.get("line", ground.purchase.facts.get("budget_line"))
    return told.value if told is not None else ""


def _lacking(line: str) -> Condition:
    return _conditions.document(
        "budget_line",
        tell(
            "have the holder of budget line {line} attest that it exists and what it still holds, with its tax "
            "basis",
            line=line,
        ),
        threshold=tell("at least the cost of the package"),
        supplier=tell("budget holder"),
    )


def _unnamed() -> Condition:
    return _conditions.document(
        "budget_line",
        tell("name the budget line: line here, or budget_line under buyer"),
        supplier=tell("author of the fiche"),
    )


MEMBER = Criterion(
    name="budget_line",
    title=tell("Budget line"),
    compare=compare,
    expects=tell("document of the budget holder that names the line and its amount"),
    settles=tell(
        "the cost of the package within what the document says that the line (named here, or the buyer's) "
        "holds admits, above it excludes; two documents that differ are a conflict"
    ),
)
