"""Scores that a harness's file states, as evidence of quality: which one is asked, what keeps it apart.

A score counts by its own interval. Where the threshold lies within its standard error neither side is shown;
a part of a data set, another scale or another direction stands for no answer (A7, D6).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from fiche.criteria._attested_number import Value
from fiche.criteria._scope import Question, noted, scope_of
from fiche.criteria._words import number_text
from fiche.kernel.comparison import Inquiry
from fiche.kernel.figure import Figure
from fiche.kernel.lazy import lazy
from fiche.kernel.origin import Observed, Stated
from fiche.kernel.piece import Piece, Result
from fiche.kernel.readings import results
from fiche.kernel.record import record
from fiche.kernel.requirement import Requirement
from fiche.kernel.said import listed, tell
from fiche.kernel.unit import ONE

_SEVERAL = {
    "filter": "it has the score of several filters ({told})",
    "model": "it has the score of several models ({told})",
}
_DECIMAL = lazy(r"[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?")


@record
class Score:
    """One score that is asked for: its value where it counts, what keeps it from settling where not.

    `near` is True where it counts, and the threshold is within its standard error.
    """

    piece: str
    value: Value | None = None
    doubt: str = ""
    near: bool = False


@record
class Blur:
    """What a threshold that was computed from a score carries over: its error, and the score's own name.

    A score is compared with itself without an error: nothing was measured twice.
    """

    error: Fraction | None = None
    itself: str = ""


SHARP = Blur()


def scores(
    requirement: Requirement, limit: Figure, ask: Question, ground: Inquiry, blur: Blur = SHARP
) -> list[Score]:
    """Every score of the pieces that the requirement names, by metric, data set and shots."""
    found: list[Score] = []
    for piece in ground.pieces:
        named = [told for told in results(piece) if is_asked(requirement, told[1])]
        apart = several(named)
        if apart:
            found.append(Score(piece=piece.id, doubt=apart))
            continue
        for name, result, figure in named:
            found.append(_score(requirement, limit, piece, name, result, figure, ask, ground, blur))
    return found


def is_asked(requirement: Requirement, result: Result) -> bool:
    """By the harness's own names; a filter follows the metric behind a comma, as the file writes it."""
    facts = requirement.facts
    if result.unit != "score" or "metric" not in facts or "dataset" not in facts:
        return False
    chosen = result.marks.get("filter")
    names = {result.metric, f"{result.metric},{chosen}"} if chosen else {result.metric}
    return facts["dataset"].value == result.label and facts["metric"].value in names


def several(named: list[tuple[str, Result, Figure]]) -> str:
    """One file may hold several scores of the name: which is meant, nobody says."""
    for mark, hint in (
        ("filter", tell("write the metric as the file does, 'metric,filter'")),
        ("model", ""),
    ):
        told = dict.fromkeys(str(result.marks.get(mark, "")) for _, result, _ in named)
        if len(told) > 1:
            several = tell(_SEVERAL[mark], told=listed(told))
            return tell("{several}: {hint}", several=several, hint=hint) if hint else several
    return ""


def _score(
    requirement: Requirement,
    limit: Figure,
    piece: Piece,
    name: str,
    result: Result,
    figure: Figure,
    ask: Question,
    ground: Inquiry,
    blur: Blur,
) -> Score:
    scope = scope_of(ask, piece, None, "quality", ground)
    why = (*scope.short, *scope.contradicted)
    scaled = _scaled(result, figure, limit)
    doubts = [
        *([tell("it does not cover: {why}", why=listed(why[:3], "; "))] if why else []),
        *doubts_of(requirement, result),
        *([scaled] if isinstance(scaled, str) else []),
    ]
    if doubts or isinstance(scaled, str):
        return Score(piece=piece.id, doubt=listed(doubts, "; "))
    own = error_of(result, scaled is not figure)
    error = None if name == blur.itself else _both(own, blur.error)
    wide = None if error is None else _widened(scaled, error, name, result)
    near = wide is not None and wide.high is not None and wide.low < limit.low < wide.high
    counted = wide if near and wide is not None else scaled
    bare = (
        ()
        if own is not None
        else (
            tell(
                "{piece} states no standard error of {metric}", piece=piece.id, metric=result.metric
            ),
        )
    )
    return Score(
        piece=piece.id,
        value=Value(
            piece=piece.id,
            figure=counted,
            by=scope.by,
            text=_with_error(result) if near else "",
            noted=(*noted(ask, piece, None, "quality", ground), *bare),
        ),
        doubt=_near(result, limit, blur) if near else "",
        near=near,
    )


def doubts_of(requirement: Requirement, result: Result) -> Iterator[str]:
    """Why a score of the right name answers another question."""
    marks, facts = result.marks, requirement.facts
    if "few_shot" in facts:
        shots = marks.get("num_fewshot")
        if shots is None:
            yield tell(
                "it does not say the shots, and {few_shot} are asked",
                few_shot=facts["few_shot"].value,
            )
        elif str(shots) != facts["few_shot"].value:
            yield tell(
                "it was taken with {shots} shots, and {few_shot} are asked",
                shots=str(shots),
                few_shot=facts["few_shot"].value,
            )
    samples, of = marks.get("samples"), marks.get("of_samples")
    if isinstance(samples, int) and isinstance(of, int) and samples < of:
        yield tell(
            "it is of {samples} of the {of} samples, and a part validates no whole",
            samples=samples,
            of=of,
        )
    elif "limit" in marks:
        yield tell(
            "its run was limited to {limit} samples, and a part validates no whole",
            limit=str(marks["limit"]),
        )
    better, wanted = marks.get("higher_is_better"), "at_least" in requirement.figures
    if isinstance(better, bool) and better is not wanted:
        direction = "more" if better else "less"
        yield tell(
            "the file says that {direction} is better, and the threshold asks the other way",
            direction=direction,
        )


def _scaled(result: Result, figure: Figure, limit: Figure) -> Figure | str:
    """The score on the threshold's scale, or why nobody can tell that the two are on one.

    62.0 is not 0.62, unless the format says that its scores are percentages.
    """
    percent = isinstance(limit.origin, Stated) and "%" in (
        limit.origin.span.text if limit.origin.span is not None else ""
    )
    scale = str(result.marks.get("scale", ""))
    shown, asked = number_text(figure.low), number_text(limit.low)
    if scale == "percent":
        if percent:
            return (figure / 100).named(
                f"{figure.id}.share", tell("{label}, as a share", label=figure.label)
            )
        return (
            figure
            if limit.low > 1
            else tell("it is in percent, and the threshold is {asked}", asked=asked)
        )
    if percent and scale != "fraction":
        return tell(
            "its scale is not stated, and the threshold is a percentage: write it as the file would"
        )
    if (figure.low > 1) != (limit.low > 1) and 1 not in (figure.low, limit.low):
        return tell(
            "its value {shown} and the threshold {asked} may be on two scales",
            shown=shown,
            asked=asked,
        )
    return figure


def error_of(result: Result, rescaled: bool = False) -> Fraction | None:
    """The standard error that the file states, on the scale of what is compared; None where it states none."""
    told = str(result.marks.get("stderr", ""))
    if not _DECIMAL.fullmatch(told):
        return None
    return Fraction(told) / (100 if rescaled else 1)


def _both(own: Fraction | None, other: Fraction | None) -> Fraction | None:
    """The errors of score and threshold together: their sum, which is never less than what they make of it."""
    told = [error for error in (own, other) if error is not None]
    return sum(told, Fraction(0)) if told else None


def _stderr(result: Result) -> str:
    told = result.marks.get("stderr")
    return tell("an error that it does not state") if told is None else str(told)


def _numeral(printed: str) -> str:
    """A printed number, for each language to write; other words, and digits to spare, as they stand."""
    if not _DECIMAL.fullmatch(printed):
        return printed
    told = number_text(Fraction(printed))
    return told if told == printed else printed


def _with_error(result: Result) -> str:
    return tell(
        "{result} ± {stderr}", result=_numeral(result.text), stderr=_numeral(_stderr(result))
    )


def _widened(figure: Figure, error: Fraction, name: str, result: Result) -> Figure:
    """The score with one standard error to either side."""
    origin = Observed(
        pointer=result.pointer,
        counter=tell("standard error of {metric}", metric=result.metric),
        scope=result.label,
        stat="stderr",
        printed=_stderr(result),
    )
    spread = Figure(
        low=-error, high=error, unit=ONE, origin=origin, id=f"{name}.stderr",
        label=tell("{metric} {label}, standard error to either side", metric=result.metric, label=result.label),
    )  # fmt: skip
    label = tell("{label}, one standard error to either side", label=figure.label)
    return (figure + spread).named(f"{name}.with_stderr", label)


def _near(result: Result, limit: Figure, blur: Blur) -> str:
    also = (
        ""
        if blur.error is None
        else tell(", with that of the baseline, {error}", error=number_text(blur.error))
    )
    return tell(
        "{result} ± {stderr} (standard error{also}) does not tell apart from the threshold "
        "{limit}: evaluate more samples",
        result=_numeral(result.text),
        stderr=_numeral(_stderr(result)),
        also=also,
        limit=number_text(limit.low),
    )
