"""Words that speak of a candidate, gathered into a comparison: of its machine, its documents, its card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fiche.criteria import _claims
from fiche.criteria._capacity import machine_of, of_another_card
from fiche.criteria._scope import Question, noted, told_facts
from fiche.kernel.catalog import Card
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.fact import Fact
from fiche.kernel.record import record, replace
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import listed

# A claim of the catalog's own row names no piece: its source stands in `Comparison.sources`.
CATALOG = ""


@record
class Machine:
    """What one piece of the candidate's own machine says of it, and on whose word it is of that machine."""

    piece: str
    facts: dict[str, Fact]
    by: tuple[str, ...]


def machines(candidate: Candidate, ground: Inquiry) -> Iterator[Machine]:
    """What the candidate's own machine printed, or a named person typed of it where that counts."""
    for piece in ground.pieces:
        by = machine_of(piece, candidate, ground)
        if by is None or of_another_card(piece, candidate):
            continue
        run = piece.reading.runs[0] if piece.reading.runs else None
        told = told_facts(piece, run, ground)
        counted = {path: fact for path, fact in told.items() if _counts(fact, ground)}
        yield Machine(piece=piece.id, facts=counted, by=by)


def _counts(fact: Fact, ground: Inquiry) -> bool:
    return fact.printed or (bool(fact.by) and ground.policy.typed_scope == "counts")


def people(machine: Machine, facts: Iterable[Fact]) -> tuple[str, ...]:
    """Whose word it takes: who names the machine, and who typed one of these facts."""
    typed = (fact.by for fact in facts if not fact.printed)
    return tuple(dict.fromkeys((*machine.by, *typed)))


def card_fact(card: Card | None, path: str) -> Fact | None:
    """What the row of a card states; a row that says nothing says neither yes nor no."""
    return card.facts.get(path) if card is not None else None


def comparison(
    wanted: str,
    claims: tuple[Claim, ...],
    lacking: Iterable[Condition],
    row: Fact | None = None,
) -> Comparison:
    """Claims in words, with what would settle them where none does; `row` is the catalog's, where it speaks."""
    settled = any(claim.answer for claim in claims)
    decisive = _claims.deciding(claims)
    spoke = row is not None and any(claim.piece == CATALOG for claim in decisive)
    return Comparison(
        need_words=wanted,
        have_words=listed(dict.fromkeys(claim.text for claim in decisive)),
        claims=claims,
        conditions=() if settled else tuple(lacking),
        pieces=tuple(dict.fromkeys(claim.piece for claim in decisive if claim.piece)),
        attested_by=tuple(dict.fromkeys(name for claim in decisive for name in claim.by)),
        sources=(row.by,) if spoke and row is not None and row.by else (),
    )


def with_noted(found: Comparison, ask: Question, criterion: str, ground: Inquiry) -> Comparison:
    """The same, with the differences that the policy only notes in the runs of the pieces that decide."""
    told = (
        text
        for piece, run in _claims.succeeded(ground)
        if piece.id in found.pieces
        for text in noted(ask, piece, run, criterion, ground)
    )
    return replace(found, noted=tuple(dict.fromkeys(told)))
