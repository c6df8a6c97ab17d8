"""Quality: what output quality must hold, the same for every candidate (A7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.criteria import _claims, _conditions
from fiche.criteria._attested_number import Threshold, Value, compared, meets
from fiche.criteria._baseline import Limit, has_baseline, limits
from fiche.criteria._documented import with_claims
from fiche.criteria._scope import noted, question, scope_of
from fiche.criteria._scores import Score, scores
from fiche.criteria._words import figure_text, number_text
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.fact import Fact
from fiche.kernel.piece import Piece
from fiche.kernel.record import replace
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import listed, tell


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: the results of this metric and dataset, in scope, against the threshold.

    A threshold that is computed from a baseline is what its observed score and the stated tolerance make it.
    """
    if has_baseline(requirement):
        return (_recovered(requirement, candidate, ground),)
    limit = _claims.first(requirement.figures.get("at_least"), requirement.figures.get("at_most"))
    if limit is None:
        return (Comparison(required=False, conditions=(_untold(),)),)
    return (_against(Limit(asked=requirement, figure=limit), candidate, ground)[0],)


def _against(
    limit: Limit, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, frozenset[bool | None]]:
    """The comparison with one threshold, and on which sides of it the values lie."""
    requirement = limit.asked
    threshold = Threshold(figure=limit.figure, at_least="at_least" in requirement.figures)
    read = scores(requirement, limit.figure, question(candidate), ground, limit.blur)
    values = (
        *_values(requirement, candidate, ground),
        *(s.value for s in read if s.value is not None),
    )
    found = compared(threshold, values, lambda: _lacking(requirement, candidate, ground, read))
    near = tuple(_unsure(requirement, score) for score in read if score.near)
    sides = frozenset(meets(threshold, value.figure) for value in values)
    return replace(found, conditions=(*found.conditions, *near)), sides


def _recovered(requirement: Requirement, candidate: Candidate, ground: Inquiry) -> Comparison:
    """Against a baseline; several that put the candidate on different sides contradict each other."""
    told = limits(requirement, candidate, ground)
    if not told.found:
        return Comparison(conditions=(_no_baseline(requirement, told.short),))
    if any("at_least" in one.asked.figures and one.figure.low <= 0 for one in told.found):
        return Comparison(required=False, conditions=(_met_by_all(requirement),))
    read = [(limit, *_against(limit, candidate, ground)) for limit in told.found]
    best = max if "at_least" in told.found[0].asked.figures else min
    _, found, _ = best(read, key=lambda one: (one[0].figure.low, one[0].piece))
    apart = len({sides for _, _, sides in read}) > 1
    texts = dict.fromkeys(
        tell("{piece} gives {figure}", piece=one.piece, figure=figure_text(one.figure))
        for one in told.found
    )
    conflicts = (
        (tell("thresholds of the baseline: {texts}", texts=listed(texts, "; ")),) if apart else ()
    )
    sources = tuple(Claim(piece=one.piece, answer="", by=one.by) for one in told.found if one.piece)
    with_source = with_claims(found, sources) if found.claims else found
    return replace(with_source, conflicts=(*with_source.conflicts, *conflicts))


def _no_baseline(requirement: Requirement, short: tuple[str, ...]) -> Condition:
    where = next(
        (
            tell(
                "{partition} {facts}",
                partition=key.partition(".")[2],
                facts=requirement.facts[key].value,
            )
            for key in ("baseline.piece", "baseline.candidate")
            if key in requirement.facts
        ),
        "",
    )
    apart = tell(" ({short})", short=listed(short[:3], "; ")) if short else ""
    metric, dataset = (_word(requirement, key) for key in ("metric", "dataset"))
    return _conditions.document(
        "quality",
        tell(
            "measure the baseline: {metric} on {dataset} of {where}, and import the result{apart}",
            metric=metric,
            dataset=dataset,
            where=where,
            apart=apart,
        ),
        threshold=tell("{metric} within the tolerance of the baseline", metric=metric),
        supplier=tell("whoever can run the evaluation"),
    )


def _met_by_all(requirement: Requirement) -> Condition:
    """A tolerance that takes the whole of its baseline: every score meets what is left, so nothing is asked."""
    metric, dataset = (_word(requirement, key) for key in ("metric", "dataset"))
    return _conditions.document(
        "quality",
        tell(
            "state a tolerance that leaves something of the baseline of {metric} on {dataset}",
            metric=metric,
            dataset=dataset,
        ),
        supplier=tell("author of the fiche"),
    )


def _unsure(requirement: Requirement, score: Score) -> Condition:
    """A score whose standard error reaches over the threshold settles nothing."""
    return _conditions.document(
        "quality",
        tell("{piece}: {doubt}", piece=score.piece, doubt=score.doubt),
        threshold=tell(
            "{word} {limit}", word=_word(requirement, "metric"), limit=_limit(requirement)
        ),
        supplier=tell("whoever can run the evaluation"),
    )


def _values(requirement: Requirement, candidate: Candidate, ground: Inquiry) -> Iterator[Value]:
    ask = question(candidate)
    for piece in ground.pieces:
        for item in () if _claims.offered(piece) else piece.attested:
            if item.fact != "quality" or not _same(requirement, item.words):
                continue
            scope = scope_of(ask, piece, None, "quality", ground)
            if scope.covers and _claims.vouched(item, ground):
                by = (*scope.by, *_claims.people(item))
                yield Value(
                    piece=piece.id,
                    figure=item.terms["value"],
                    by=tuple(dict.fromkeys(by)),
                    noted=noted(ask, piece, None, "quality", ground),
                )


def _same(requirement: Requirement, words: Mapping[str, Fact]) -> bool:
    """Metric and data set must be named alike; the shots too, where they are asked."""
    names = ("metric", "dataset", *(("few_shot",) if "few_shot" in requirement.facts else ()))
    return all(
        name in words
        and name in requirement.facts
        and words[name].value == requirement.facts[name].value
        for name in names
    )


def _lacking(
    requirement: Requirement, candidate: Candidate, ground: Inquiry, read: list[Score]
) -> Condition:
    metric = _word(requirement, "metric")
    shots = (
        tell(" with {few_shot} shots", few_shot=requirement.facts["few_shot"].value)
        if "few_shot" in requirement.facts
        else ""
    )
    dataset = tell("{dataset}{shots}", dataset=_word(requirement, "dataset"), shots=shots)
    apart = _apart(requirement, candidate, ground)
    doubted = [
        tell("{piece}: {doubt}", piece=score.piece, doubt=score.doubt)
        for score in read
        if score.value is None
    ]
    if doubted:
        told = listed(doubted[:3], "; ")
        apart = tell("{apart} ({doubted})", apart=apart, doubted=told)
    return _conditions.document(
        "quality",
        tell(
            "measure {metric} on {dataset} with the formats and the engine of this workload, and import "
            "the result{apart}",
            metric=metric,
            dataset=dataset,
            apart=apart,
        ),
        threshold=tell("{metric} {limit}", metric=metric, limit=_limit(requirement)),
        supplier=tell("whoever can run the evaluation"),
    )


def _limit(requirement: Requirement) -> str:
    signs = {"at_least": ">=", "at_most": "<="}
    return listed(
        (
            tell(
                "{sign} {figures}",
                sign=sign,
                figures=number_text(requirement.figures[name].low),
            )
            for name, sign in signs.items()
            if name in requirement.figures
        ),
        " and ",
    )


def _apart(requirement: Requirement, candidate: Candidate, ground: Inquiry) -> str:
    for piece in ground.pieces:
        for item in piece.attested:
            if item.fact == "quality" and _same(requirement, item.words):
                scope = scope_of(question(candidate), piece, None, "quality", ground)
                why = (*_sold(piece), *scope.short, *scope.contradicted)
                return (
                    tell(
                        " ({piece} does not cover: {why})",
                        piece=piece.id,
                        why=listed(why[:3], "; "),
                    )
                    if why
                    else ""
                )
    return ""


def _sold(piece: Piece) -> tuple[str, ...]:
    text = tell("a {kind} says what is offered, and measures nothing", kind=piece.kind)
    return (text,) if _claims.offered(piece) else ()


def _word(requirement: Requirement, name: str) -> str:
    fact = requirement.facts.get(name)
    return fact.value if fact else tell("a {name} to be named", name=name)


def _untold() -> Condition:
    return _conditions.document(
        "quality",
        tell("name the quality that must hold: metric, dataset and threshold, and import a result"),
        supplier=tell("author of the fiche"),
    )


MEMBER = Criterion(
    name="quality",
    title=tell("Output quality"),
    compare=compare,
    expects=tell("result of an evaluation, or a document that reports one with its scope"),
    settles=tell(
        "the metric on the data set, of this model, its formats and engine: on the right side of the "
        "threshold, or of a baseline with its tolerance, admits, on the other excludes; within a standard "
        "error neither is shown"
    ),
    needs=(("metric",), ("dataset",), ("at_least", "at_most", "baseline")),
)
