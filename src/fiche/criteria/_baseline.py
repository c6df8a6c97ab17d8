"""A threshold that is computed from a baseline: its score less (or more) a stated tolerance (D7, D10).

The baseline's score is observed in its own scope: of the same model, revision and operation, by the same metric
on the same data set. A candidate named as the baseline answers with all its strict facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.criteria import _claims
from fiche.criteria._scope import Question, question, scope_of
from fiche.criteria._scores import Blur, doubts_of, error_of, is_asked, several
from fiche.kernel.comparison import Inquiry
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.origin import Stated
from fiche.kernel.piece import Piece
from fiche.kernel.readings import results
from fiche.kernel.record import record, replace
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import listed, tell

# What makes two scores answer one question, whatever the formats: a changed format is what is compared.
_SHARED = ("model.name", "model.revision|model.digest", "operation")
_KEYS = ("baseline.piece", "baseline.candidate")


@record
class Limit:
    """One threshold: the requirement with it, the piece of its baseline, what it carries over, whose word."""

    asked: Requirement
    figure: Figure
    piece: str = ""
    blur: Blur = Blur()
    by: tuple[str, ...] = ()


@record
class Limits:
    """Every threshold that the baseline gives, and why pieces that should give one do not."""

    found: tuple[Limit, ...] = ()
    short: tuple[str, ...] = ()


def has_baseline(requirement: Requirement) -> bool:
    """True where the threshold is computed, and not stated."""
    return "baseline.value" in requirement.figures or any(k in requirement.facts for k in _KEYS)


def limits(requirement: Requirement, candidate: Candidate, ground: Inquiry) -> Limits:
    """The thresholds of one candidate."""
    stated = requirement.figures.get("baseline.value")
    if stated is not None:
        return Limits(found=(_limit(requirement, stated, percent=False),))
    asked = _directed(requirement, None)
    found: list[Limit] = []
    short: list[str] = []
    for piece, ask, within in _sources(requirement, candidate, ground):
        for one in _of_piece(requirement, asked, piece, ask, within):
            if isinstance(one, str):
                short.append(one)
            else:
                found.append(one)
    return Limits(found=tuple(found), short=tuple(short))


def _sources(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> Iterator[tuple[Piece, Question, Inquiry]]:
    """The pieces to look at, the question put to them, and by which strict facts."""
    name = requirement.facts.get("baseline.piece")
    if name is not None:
        shared = replace(ground, policy=replace(ground.policy, strict={"quality": _SHARED}))
        ask = question(candidate)
        yield from ((piece, ask, shared) for piece in ground.pieces if piece.id == name.value)
        return
    other = requirement.facts["baseline.candidate"].value
    for one in ground.candidates:
        if one.id == other:
            yield from ((piece, question(one), ground) for piece in ground.pieces)


def _of_piece(
    requirement: Requirement, asked: Requirement, piece: Piece, ask: Question, ground: Inquiry
) -> Iterator[Limit | str]:
    named = [told for told in results(piece) if is_asked(requirement, told[1])]
    attested = [
        item
        for item in piece.attested
        if item.fact == "quality"
        and not _claims.offered(piece)
        and _same(requirement, item.words)
        and _claims.vouched(item, ground)
    ]
    if not named and not attested:
        return
    scope = scope_of(ask, piece, None, "quality", ground)
    why = [*scope.short, *scope.contradicted, *filter(None, [several(named)])]
    why += [text for _, result, _ in named for text in doubts_of(asked, result)]
    if why:
        yield tell(
            "{piece} gives no baseline: {told}",
            piece=piece.id,
            told=listed(dict.fromkeys(why[:3]), "; "),
        )
        return
    for name, result, figure in named:
        percent = str(result.marks.get("scale", "")) == "percent"
        limit = _limit(requirement, figure, percent=percent)
        blur = Blur(error=error_of(result), itself=name)
        yield replace(limit, piece=piece.id, blur=blur, by=scope.by)
    for item in attested:
        limit = _limit(requirement, item.terms["value"], percent=False)
        by = tuple(dict.fromkeys((*scope.by, *_claims.people(item))))
        yield replace(limit, piece=piece.id, by=by)


def _same(requirement: Requirement, words: Mapping[str, Fact]) -> bool:
    return all(
        key in words
        and key in requirement.facts
        and words[key].value == requirement.facts[key].value
        for key in ("metric", "dataset")
    )


def _limit(requirement: Requirement, base: Figure, *, percent: bool) -> Limit:
    relative = requirement.figures.get("tolerance.relative")
    less = requirement.facts["direction"].value == "at_least"
    if relative is not None:
        figure = base * (1 - relative if less else 1 + relative)
    else:
        points = requirement.figures["tolerance.points"]
        if percent and isinstance(points.origin, Stated) and "%" in _written(points.origin):
            points = points * 100  # points of a score that its file gives in percent
        figure = base - points if less else base + points
    told = figure.named(f"{base.id or requirement.id}.threshold", _LABEL)
    return Limit(asked=_directed(requirement, told), figure=told)


_LABEL = tell("threshold: the baseline with its tolerance")


def _written(origin: Stated) -> str:
    return "" if origin.span is None else origin.span.text


def _directed(requirement: Requirement, figure: Figure | None) -> Requirement:
    """The requirement as one with a threshold of its own."""
    direction = requirement.facts["direction"].value
    stand_in = figure if figure is not None else next(iter(requirement.figures.values()))
    return replace(requirement, figures={direction: stand_in})
