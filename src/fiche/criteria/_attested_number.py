"""Criteria whose value a document attests: each vouched value is one claim; two that disagree conflict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fiche.kernel.comparison import Claim, Comparison
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, bounds


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value that one piece shows, in the scope of the question, and on whose word."""

    piece: str
    figure: Figure
    by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """The requirement's side: `at_least` puts it in the need, `at_most` in what is had."""

    figure: Figure
    at_least: bool


def compared(
    threshold: Threshold, values: Sequence[Value], lacking: Callable[[], Condition]
) -> Comparison:
    """Compare the values that pieces show with the threshold."""
    ordered = sorted(values, key=lambda v: (v.figure.low, v.piece))
    first = ordered[0].figure if ordered else None
    sides = {_meets(threshold, value.figure) for value in ordered}
    contradiction = sides >= {True, False}
    need, have = (threshold.figure, first) if threshold.at_least else (first, threshold.figure)
    texts = tuple(f"{v.piece} says {_text(v.figure)}" for v in ordered) if contradiction else ()
    return Comparison(
        need_low=need,
        need_high=need,
        have_low=have,
        have_high=have,
        need_shown=need,
        have_shown=have,
        useful_margin=_margin(need, have),
        claims=tuple(Claim(piece=v.piece, answer="", by=v.by) for v in ordered),
        conflicts=("; ".join(texts),) if texts else (),
        conditions=() if ordered else (lacking(),),
        pieces=tuple(dict.fromkeys(v.piece for v in ordered)),
        attested_by=tuple(dict.fromkeys(name for v in ordered for name in v.by)),
    )


def _meets(threshold: Threshold, value: Figure) -> bool | None:
    low, high = bounds(value)
    limit = threshold.figure.low
    if threshold.at_least:
        return True if low >= limit else False if high is not None and high < limit else None
    return True if high is not None and high <= limit else False if low > limit else None


def _text(figure: Figure) -> str:
    return f"{figure.low} {figure.unit}".strip()


def _margin(need: Figure | None, have: Figure | None) -> Figure | None:
    if need is None or have is None or need.high is None or need.unit != have.unit:
        return None
    return have - need
