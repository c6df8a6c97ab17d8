"""Days after which the conclusion holds no more: offers and pieces that end, pieces that grow too old."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from fiche.criteria._claims import attested, vouched
from fiche.criteria._days import day_of
from fiche.evaluate._ground import ground_of
from fiche.kernel import trace
from fiche.kernel.comparison import Inquiry
from fiche.kernel.decision import Decision, Outcome
from fiche.kernel.figure import Figure
from fiche.kernel.finding import Verdict
from fiche.kernel.invalidation import Invalidation
from fiche.kernel.origin import Declared, Stated
from fiche.kernel.piece import Piece
from fiche.kernel.said import tell
from fiche.kernel.unit import count_of

_DATE = count_of("date")
_CARD = "card."


def days(decision: Decision, outcome: Outcome) -> Iterator[Invalidation]:
    """Of the pieces and the offer that a verdict, a cost or a date of this candidate leans on."""
    ground = ground_of(decision.fiche)
    documents: list[Invalidation] = []
    for piece, because in _leaned(decision, outcome).items():
        one = next(each for each in decision.fiche.pieces if each.id == piece)
        documents += _piece(decision, outcome, one, because, ground)
    for offered in _offer(decision, outcome):
        if not any(_same_end(each, offered) for each in documents):
            yield offered
    yield from documents
    yield from _catalog(decision, outcome)
    yield from _rate(outcome)


def _same_end(document: Invalidation, offered: Invalidation) -> bool:
    """The last day of an offer is told once, with the document of the offer that prints it."""
    told = document.kind == "piece_ends" and document.day == offered.day
    return told and offered.subject in document.because


def _rate(outcome: Outcome) -> Iterator[Invalidation]:
    """The exchange rate of its day, where the cost was converted at one."""
    rate = outcome.bill.rate if outcome.bill is not None else None
    if rate is not None:
        yield Invalidation(
            kind="rate",
            subject=f"{rate.source} -> {rate.target}",
            figure=rate.figure,
            day=rate.date,
            candidates=(outcome.candidate.id,),
            because=(rate.piece or rate.told_by,),
        )


def _leaned(decision: Decision, outcome: Outcome) -> dict[str, tuple[str, ...]]:
    """Pieces with the requirements that they settle, and the offer's document with the offer."""
    known = {piece.id for piece in decision.fiche.pieces}
    found: dict[str, dict[str, None]] = {}
    for one in outcome.findings:
        if one.verdict is not Verdict.TO_CONFIRM:
            for piece in one.pieces:
                found.setdefault(piece, {})[one.requirement] = None
    offer = outcome.candidate.offer
    if offer is not None and "quote" in offer.facts:
        found.setdefault(offer.facts["quote"].value, {})[offer.id] = None
    return {piece: tuple(because) for piece, because in found.items() if piece in known}


def _offer(decision: Decision, outcome: Outcome) -> Iterator[Invalidation]:
    """Its last day, as its documents or its catalog say."""
    offer, bill = outcome.candidate.offer, outcome.bill
    if offer is None:
        return
    told = offer.facts.get("valid_until")
    until = bill.valid_until if bill is not None else ""
    until = until or (told.value if told is not None else "")
    if until < decision.fiche.date:
        return
    yield Invalidation(
        kind="offer_ends",
        subject=offer.id,
        day=until,
        candidates=(outcome.candidate.id,),
        because=(offer.id,),
    )


def _piece(
    decision: Decision,
    outcome: Outcome,
    piece: Piece,
    because: tuple[str, ...],
    ground: Inquiry,
) -> Iterator[Invalidation]:
    who = (outcome.candidate.id,)
    printed = _ends(piece, outcome, ground)
    last = min((day for day in (piece.valid_until, printed) if day), default="")
    if last and last >= decision.fiche.date:
        yield Invalidation(
            kind="piece_ends", subject=piece.id, day=last, candidates=who, because=because
        )
    turns = None if printed else _too_old(decision, piece)
    if turns is not None:
        yield Invalidation(
            kind="piece_ages",
            subject=piece.id,
            day=date.fromordinal(int(turns.low)).isoformat(),
            figure=turns,
            candidates=who,
            because=because,
        )


def _ends(piece: Piece, outcome: Outcome, ground: Inquiry) -> str:
    """The last day that the document itself states, for this candidate."""
    found = attested("validity", outcome.candidate, ground)
    ends = [
        item.words["until"].value
        for one, item in found
        if one.id == piece.id and "until" in item.words and vouched(item, ground)
    ]
    return max(ends, default="")


def _too_old(decision: Decision, piece: Piece) -> Figure | None:
    """The first day on which the policy counts it no more, as days from its own."""
    ages = decision.fiche.policy.max_age
    most, made = ages.get(piece.kind, ages.get("others")), day_of(piece)
    if most is None or not made:
        return None
    origin = Declared(address=piece.span, by=piece.id, printed=made)
    told = _day(made, origin).named(f"{piece.id}/made", tell("the day of the piece"))
    label = tell("the first day on which the policy counts it no more")
    return (told + most + 1).named(f"{piece.id}/too_old", label)


def _day(iso: str, origin: Declared | Stated) -> Figure:
    ordinal = date.fromisoformat(iso).toordinal()
    return Figure(low=ordinal, high=ordinal, unit=_DATE, origin=origin)


def _catalog(decision: Decision, outcome: Outcome) -> Iterator[Invalidation]:
    """The card's own facts, where a verdict compares them."""
    most, card = decision.fiche.policy.max_age.get("catalog"), outcome.candidate.card
    if most is None or card is None or not card.gathered:
        return
    asked = [
        found.requirement
        for found in outcome.findings
        for side in (found.need, found.have)
        if side is not None and any(leaf.id.startswith(_CARD) for leaf in trace.leaves(side))
    ]
    if not asked:
        return
    origin = Declared(address=card.span, by=card.id, printed=card.gathered)
    told = _day(card.gathered, origin).named(
        f"{card.id}/gathered", tell("the day of the catalog's facts")
    )
    label = tell("the first day on which the policy counts them no more")
    turns = (told + most + 1).named(f"{card.id}/too_old", label)
    yield Invalidation(
        kind="catalog_ages",
        subject=card.id,
        day=date.fromordinal(int(turns.low)).isoformat(),
        figure=turns,
        candidates=(outcome.candidate.id,),
        because=tuple(dict.fromkeys(asked)),
    )
