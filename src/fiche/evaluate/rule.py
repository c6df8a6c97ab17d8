"""The one rule (DESIGN 4): rows of data over firm bounds; the first that holds wins.

| on firm bounds | verdict |
| --- | --- |
| a contradiction | to confirm, `conflict` |
| a proven failure, a refusal, or need.low > have.high | exclude |
| an approval, or need.high <= have.low | admissible |
| the same but for the guard band | to confirm, `near_limit` |
| anything else | to confirm, with the condition that would settle it |
"""

from __future__ import annotations

from collections.abc import Callable

from fiche.kernel import trace
from fiche.kernel.comparison import Comparison
from fiche.kernel.figure import Figure, Number
from fiche.kernel.finding import Verdict
from fiche.kernel.record import record
from fiche.kernel.said import tell


@record(kw_only=False)
class Bounds:
    """The four ends that count in one reading; None is open. Guesses count only when let in.

    `below` is the guard band that an admission keeps from the limit, `above` the one that an exclusion keeps.
    """

    need_low: Number | None
    need_high: Number | None
    have_low: Number | None
    have_high: Number | None
    above: Number = 0
    below: Number = 0


@record(kw_only=False)
class Row:
    """One row: its reason code, its verdict, when it holds, and how a reader is told."""

    reason: str
    verdict: Verdict
    holds: Callable[[Comparison, Bounds], bool]
    text: str


ROWS: tuple[Row, ...] = (
    Row(
        "conflict",
        Verdict.TO_CONFIRM,
        lambda c, b: bool(c.conflicts),
        tell("pieces contradict each other"),
    ),
    Row(
        "proven_failure",
        Verdict.EXCLUDE,
        lambda c, b: _answers(c, "failure"),
        tell("a proven failure covers the question"),
    ),
    Row(
        "refused",
        Verdict.EXCLUDE,
        lambda c, b: _answers(c, "no"),
        tell("a piece in scope refuses it"),
    ),
    Row(
        "above_capacity",
        Verdict.EXCLUDE,
        lambda c, b: c.required and _greater(b.need_low, b.have_high, b.above),
        tell("the least that is needed is above the most there can be"),
    ),
    Row(
        "confirmed",
        Verdict.ADMISSIBLE,
        lambda c, b: _answers(c, "yes"),
        tell("a piece in scope confirms it"),
    ),
    Row(
        "within_capacity",
        Verdict.ADMISSIBLE,
        lambda c, b: c.required and _within(b.need_high, b.have_low, b.below),
        tell("the most that is needed is within what there is"),
    ),
    Row(
        "near_limit",
        Verdict.TO_CONFIRM,
        lambda c, b: (
            c.required and (_greater(b.need_low, b.have_high) or _within(b.need_high, b.have_low))
        ),
        tell("what was measured lies within the guard band of the limit"),
    ),
    Row(
        "nothing_required",
        Verdict.TO_CONFIRM,
        lambda c, b: not c.required,
        tell("what is required is not stated"),
    ),
    Row(
        "overlap",
        Verdict.TO_CONFIRM,
        lambda c, b: None not in (b.need_high, b.have_low),
        tell("the intervals overlap: neither side settles it"),
    ),
    Row("open", Verdict.TO_CONFIRM, lambda c, b: True, tell("no piece in scope settles it")),
)


def judge(comparison: Comparison, *, assume: bool = False) -> Row:
    """The first row that holds on firm bounds; with `assume`, on all bounds (the second reading)."""
    ends = bounds_of(comparison, assume=assume)
    return next(row for row in ROWS if row.holds(comparison, ends))


def bounds_of(comparison: Comparison, *, assume: bool) -> Bounds:
    """Ends that a guess stands under are open, unless assumptions are let in."""
    return Bounds(
        need_low=_end(comparison.need_low, "low", assume),
        need_high=_end(comparison.need_high, "high", assume),
        have_low=_end(comparison.have_low, "low", assume),
        have_high=_end(comparison.have_high, "high", assume),
        above=_band(comparison) if comparison.guard_excludes else 0,
        below=_band(comparison),
    )


def _band(comparison: Comparison) -> Number:
    """The guard band at its widest: it is a figure of the policy, or of measurements."""
    guard = comparison.guard
    return 0 if guard is None or guard.high is None else guard.high


def _end(figure: Figure | None, side: str, assume: bool) -> Number | None:
    if figure is None or not (assume or trace.firm(figure)):
        return None
    return figure.low if side == "low" else figure.high


def _answers(comparison: Comparison, answer: str) -> bool:
    return any(claim.answer == answer for claim in comparison.claims)


def _greater(need: Number | None, have: Number | None, band: Number = 0) -> bool:
    return need is not None and have is not None and need - band > have


def _within(need: Number | None, have: Number | None, band: Number = 0) -> bool:
    return need is not None and have is not None and need + band <= have
