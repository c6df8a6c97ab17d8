"""Criteria whose value a document attests: each vouched value is one claim; two that disagree conflict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from fiche.criteria._words import figure_text
from fiche.kernel.comparison import Claim, Comparison
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Number, bounds, either
from fiche.kernel.record import record
from fiche.kernel.said import listed, tell


@record
class Value:
    """A value that one piece shows (none: a catalog's row), in the scope of the question.

    `text` is how a reader writes it, where that is not its number.
    """

    piece: str
    figure: Figure
    by: tuple[str, ...] = ()
    text: str = ""
    noted: tuple[str, ...] = ()


@record
class Threshold:
    """The requirement's side: `at_least` puts it in the need, `at_most` in what is had."""

    figure: Figure
    at_least: bool


def compared(
    threshold: Threshold,
    values: Sequence[Value],
    lacking: Callable[[], Condition],
    *,
    spread: bool = False,
) -> Comparison:
    """Compare the values that pieces show with the threshold: the worst of those that settle it.

    With `spread`, several that settle it alike stand as one interval from the least to the most of them.
    """
    ordered = sorted(values, key=lambda v: (_badness(threshold, v.figure), v.piece))
    decisive = [v for v in ordered if meets(threshold, v.figure) is not None]
    worst = (decisive or ordered)[-1].figure if ordered else None
    contradiction = len({meets(threshold, value.figure) for value in decisive}) > 1
    if spread and len(decisive) > 1 and not contradiction:
        worst = _spanned([v.figure for v in decisive])
    need, have = (threshold.figure, worst) if threshold.at_least else (worst, threshold.figure)
    texts = (
        tuple(
            tell("{who} says {it}", who=_who(v), it=v.text or figure_text(v.figure))
            for v in ordered
        )
        if contradiction
        else ()
    )
    return Comparison(
        need_low=need,
        need_high=need,
        have_low=have,
        have_high=have,
        need_shown=need,
        have_shown=have,
        useful_margin=_margin(need, have),
        claims=tuple(Claim(piece=v.piece, answer="", by=v.by) for v in ordered),
        conflicts=(listed(texts, "; "),) if texts else (),
        conditions=() if ordered else (lacking(),),
        pieces=tuple(dict.fromkeys(v.piece for v in ordered if v.piece)),
        attested_by=tuple(dict.fromkeys(name for v in ordered for name in v.by)),
        noted=tuple(dict.fromkeys(text for v in ordered for text in v.noted)),
    )


def best_of_each(values: Iterable[Value]) -> tuple[Value, ...]:
    """The greatest value of each piece: a document that lists several disks or links contradicts nothing."""
    best: dict[str, Value] = {}
    for value in values:
        if value.piece not in best or value.figure.low > best[value.piece].figure.low:
            best[value.piece] = value
    return tuple(best.values())


def meets(threshold: Threshold, value: Figure) -> bool | None:
    """Whether a value keeps the threshold; None where one of the two intervals reaches across the other."""
    low, high = bounds(value)
    least, most = bounds(threshold.figure)
    if threshold.at_least:
        kept = most is not None and low >= most
        return True if kept else False if high is not None and high < least else None
    kept = high is not None and high <= least
    return True if kept else False if most is not None and low > most else None


def _spanned(figures: Sequence[Figure]) -> Figure:
    """One interval over all of them: what was seen, from the least to the most."""
    whole = figures[0]
    for figure in figures[1:]:
        whole = either(whole, figure, tell("several measurements answer"))
    return whole


def _badness(threshold: Threshold, value: Figure) -> Number:
    """Greater is farther on the wrong side; an open high end is as bad as its low end."""
    if threshold.at_least:
        return -value.low
    return value.low if value.high is None else value.high


def _who(value: Value) -> str:
    return value.piece or tell("the catalog")


def _margin(need: Figure | None, have: Figure | None) -> Figure | None:
    if need is None or have is None or need.high is None or need.unit != have.unit:
        return None
    return have - need
