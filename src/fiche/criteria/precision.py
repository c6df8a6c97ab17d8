"""Precision: does this card, with this engine, run this format? A maker's "no" is to confirm (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _claims, _conditions
from fiche.criteria._scope import question, scope_of
from fiche.criteria._told import comparison, with_noted
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.piece import Attested, Piece
from fiche.kernel.record import replace
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import tell, tell_asking

# What a document answers, in words.
ANSWERS = {"supported": tell("supported"), "refused": tell("refused")}
_SAYS = {"yes": tell("yes"), "no": tell("no"), "unknown": tell("unknown")}


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: runs that computed in this format on this card, and the engine's own document."""
    wanted = requirement.facts["format"].value
    claims = (*_runs(wanted, candidate, ground), *_documents(wanted, candidate, ground))
    makers = _maker(wanted, candidate, ground)
    found = comparison(wanted, claims, (_lacking(wanted, makers, candidate),))
    if not claims:
        found = replace(found, have_words=tell("maker: {makers}", makers=_SAYS.get(makers, makers)))
    return (with_noted(found, question(candidate), "precision", ground),)


def _runs(wanted: str, candidate: Candidate, ground: Inquiry) -> Iterator[Claim]:
    ask = question(candidate)
    if not _same(ask.facts.get("formats.compute"), wanted):
        return
    for piece, run in _claims.succeeded(ground):
        scope = scope_of(ask, piece, run, "precision", ground, also=("formats.compute",))
        if scope.covers:
            yield Claim(piece=piece.id, answer="yes", text=tell("ran"), by=scope.by)


def _documents(wanted: str, candidate: Candidate, ground: Inquiry) -> Iterator[Claim]:
    for piece in ground.pieces:
        for item in () if _claims.offered(piece) else piece.attested:
            if item.fact == "precision" and _speaks(wanted, candidate, piece, item, ground):
                word = item.words["answer"].value
                answer = "yes" if word == "supported" else "no"
                yield Claim(
                    piece=piece.id,
                    answer=answer,
                    text=ANSWERS.get(word, word),
                    by=_claims.people(item),
                )


def _speaks(
    wanted: str, candidate: Candidate, piece: Piece, item: Attested, ground: Inquiry
) -> bool:
    """The engine's document at that version, about that format, on that capability or card."""
    facts = candidate.workload.facts
    engine = [facts.get("engine.name"), facts.get("engine.version")]
    told = [item.words.get("component"), item.words.get("version")]
    same_engine = all(
        e is not None and t is not None and _same(e.value, t.value)
        for e, t in zip(engine, told, strict=True)
    )
    capability = item.words.get("capability")
    on_card = (
        _capability(candidate) == capability.value
        if capability is not None
        else _claims.about(piece, candidate)
    )
    right = _same(item.words["format"].value, wanted) and same_engine and on_card
    return bool(right and _claims.vouched(item, ground))


def _same(told: str | None, wanted: str) -> bool:
    return told is not None and told.casefold() == wanted.casefold()


def _capability(candidate: Candidate) -> str:
    facts = candidate.card.facts if candidate.card else {}
    fact = facts.get("compute_capability") or facts.get("gfx")
    return fact.value if fact else ""


def _maker(wanted: str, candidate: Candidate, ground: Inquiry) -> str:
    card = candidate.card
    vendor = ground.vendors.get(card.vendor) if card else None
    return vendor.supports(card.facts, wanted) if card and vendor else "unknown"


def _lacking(wanted: str, maker: str, candidate: Candidate) -> Condition:
    says = {
        "yes": tell("the maker says yes; no run confirms it"),
        "no": tell("the maker says no, which software may emulate"),
    }.get(maker, tell("no source says whether the card supports it"))
    return _conditions.compatibility(
        tell_asking(
            "show {wanted} on {gpu} with this engine and version ({says}): a run, or the engine's "
            "own document",
            (
                "Show {wanted} on {gpu} with this engine and version ({says}): a run, "
                "or the engine's own document"
            ),
            wanted=wanted,
            gpu=candidate.gpu,
            says=says,
        ),
        supplier=tell("whoever can run it"),
        threshold=wanted,
    )


MEMBER = Criterion(
    name="precision",
    title=tell("Precision support"),
    compare=compare,
    expects=tell("record of a run in this format, or the engine's document"),
    settles=tell(
        "Such a run, or the document of the engine at that version, admits; its refusal on that capability "
        "excludes. A sheet or a quote does neither, and a maker's no is to confirm: software may emulate."
    ),
    needs=(("format",),),
)
