"""Power: the card's or the document's declared power, in the term it is declared in (TDP, TGP, TBP)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _claims, _conditions
from fiche.criteria._attested_number import Threshold, Value, compared
from fiche.criteria._words import asked_text, figure_text
from fiche.kernel.comparison import Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import tell


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: declared watts against the limit; terms of different meaning do not compare."""
    threshold = Threshold(figure=requirement.figures["at_most"], at_least=False)
    values = tuple(_values(requirement, candidate, ground))
    return (compared(threshold, values, lambda: _lacking(requirement, candidate)),)


def _values(requirement: Requirement, candidate: Candidate, ground: Inquiry) -> Iterator[Value]:
    wanted = requirement.facts.get("term")
    for piece, item in _claims.attested("power", candidate, ground):
        if _claims.vouched(item, ground) and _term(wanted, item.words.get("term")):
            value, by = item.terms["value"], _claims.people(item)
            yield _value(piece.id, value, item.words.get("term"), by)
    card = candidate.card
    if card is not None and "power" in card.figures and _term(wanted, card.facts.get("power.term")):
        yield _value("", card.figures["power"], card.facts.get("power.term"))


def _value(piece: str, figure: Figure, term: Fact | None, by: tuple[str, ...] = ()) -> Value:
    """The term stays beside the watts: two that differ in it may both be true."""
    if term is None:
        return Value(piece=piece, figure=figure, by=by)
    who = piece or tell("the catalog")
    text = tell("{figure} {term}", figure=figure_text(figure), term=term.value)
    return Value(
        piece=piece,
        figure=figure,
        by=by,
        text=text,
        noted=(tell("{who} says {text}", who=who, text=text),),
    )


def _term(wanted: Fact | None, told: Fact | None) -> bool:
    return wanted is None or (told is not None and told.value.casefold() == wanted.value.casefold())


def _lacking(requirement: Requirement, candidate: Candidate) -> Condition:
    limit, term = requirement.figures["at_most"], requirement.facts.get("term")
    asked = (
        tell("(TDP, TGP or TBP)")
        if term is None
        else tell("{term}: watts of another do not compare", term=term.value)
    )
    return _conditions.document(
        "power",
        tell(
            "state the power of {gpu} from a document, with its term {asked}",
            gpu=candidate.gpu,
            asked=asked,
        ),
        threshold=tell(
            "<= {limit}{other}",
            limit=asked_text(limit),
            other="" if term is None else tell(" {term}", term=term.value),
        ),
        supplier=tell("maker"),
    )


MEMBER = Criterion(
    name="power",
    title="Power",
    compare=compare,
    expects=tell("row of the catalog or maker's document, with its term"),
    settles=tell(
        "At most the limit admits, more excludes. Where the limit names a term, watts of another term (TDP, "
        "TGP, TBP) do not compare: to confirm."
    ),
    needs=(("at_most",),),
)
