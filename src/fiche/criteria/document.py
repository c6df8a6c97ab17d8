"""A required document: among the pieces, about this candidate, by its title, issuer, day and words (D3)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _claims, _conditions
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.piece import Attested, Piece
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import listed, tell, tell_asking


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: is this document among the pieces, vouched for, with all that must be true of it?"""
    title = requirement.facts["document"].value
    found = [
        (piece, item, tuple(_short(requirement, piece, item)))
        for piece, item in _claims.attested("document", candidate, ground)
        if _evened(item.words["title"].value) == _evened(title) and _claims.vouched(item, ground)
    ]
    claims = tuple(
        Claim(piece=piece.id, answer="yes", text=title, by=_claims.people(item))
        for piece, item, short in found
        if not short
    )
    lacking = _lacking(requirement, title, [(piece.id, short) for piece, _, short in found])
    return (
        Comparison(
            need_words=title,
            have_words=title if claims else "",
            claims=claims,
            conditions=() if claims else (lacking,),
            pieces=tuple(dict.fromkeys(claim.piece for claim in claims)),
            attested_by=tuple(dict.fromkeys(name for claim in claims for name in claim.by)),
        ),
    )


def _short(requirement: Requirement, piece: Piece, item: Attested) -> Iterator[str]:
    """What keeps a document of the right title from being the one that is asked for."""
    issuer, since = requirement.facts.get("issuer"), requirement.facts.get("since")
    words = requirement.facts.get("contains")
    told = item.words.get("issuer")
    if issuer is not None and (told is None or told.value.casefold() != issuer.value.casefold()):
        yield (
            tell("its issuer is not said")
            if told is None
            else tell("it is of {told}", told=told.value)
        )
    day = item.words["date"].value if "date" in item.words else piece.date
    if since is not None and day < since.value:
        yield tell("it is of {day}", day=day) if day else tell("it bears no date")
    if words is not None and not any(_evened(words.value) in quote for quote in _quotes(piece)):
        yield tell("'{words}' is not quoted from it", words=words.value)


def _quotes(piece: Piece) -> Iterator[str]:
    """Words that were found in the file itself: what somebody says of it is none of them."""
    for item in piece.attested:
        if item.pointer is not None and item.pointer.text:
            yield _evened(item.pointer.text)


def _evened(text: str) -> str:
    return " ".join(text.split()).casefold()


def _particulars(requirement: Requirement) -> Iterator[str]:
    """What is asked of the document beside its title."""
    facts = requirement.facts
    if "issuer" in facts:
        yield tell("issued by {issuer}", issuer=facts["issuer"].value)
    if "since" in facts:
        yield tell("of {date} or later", date=facts["since"].value)
    if "contains" in facts:
        yield tell("with the words '{words}' quoted from it", words=facts["contains"].value)


def _lacking(
    requirement: Requirement, title: str, found: list[tuple[str, tuple[str, ...]]]
) -> Condition:
    told = list(_particulars(requirement))
    beside = tell(", {told}", told=listed(told)) if told else ""
    apart = listed(
        (tell("{piece}: {why}", piece=piece, why=listed(why)) for piece, why in found[:3]), "; "
    )
    near = tell(" ({apart})", apart=apart) if apart else ""
    supplier = (
        requirement.facts["issuer"].value if "issuer" in requirement.facts else tell("seller")
    )
    text = tell_asking(
        "provide the document '{title}'{beside}{near}",
        "Provide the document '{title}'{beside}{near}",
        title=title,
        beside=beside,
        near=near,
    )
    return _conditions.document("document", text, threshold=title, supplier=supplier)


MEMBER = Criterion(
    name="document",
    title=tell("Required document"),
    compare=compare,
    expects=tell("document of that title"),
    settles=tell(
        "a piece that attests the title, and the issuer, day and words that are asked, for this offer, machine "
        "or card admits; a missing one is to confirm, and excludes nothing"
    ),
    needs=(("document",),),
)
