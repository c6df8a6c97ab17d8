"""Findings that would lean on what is out of date: they say on what, why, and what would renew it (D1, D3).

The verdict is the one without the stale pieces. Where they would have settled it, it is open for their sake;
where it is open anyway, its own reasons stay and the stale pieces stand beside them.
"""

from __future__ import annotations

from fiche.criteria import _conditions
from fiche.criteria._stale import CATALOG, Left
from fiche.kernel.comparison import Comparison
from fiche.kernel.finding import Finding, Verdict
from fiche.kernel.record import replace
from fiche.kernel.said import listed, tell

REASON = "stale"
# Reasons of the finding with every piece that its own conditions explain better than age does.
_OPEN = frozenset({"open", "overlap", "nothing_required"})
# What is left contradicts itself: whatever its age, a contradiction is told first.
_CONTRADICTED = frozenset({"conflict", "below_floor"})


def leaned_on(left: tuple[Left, ...], before: Comparison, now: Comparison) -> tuple[Left, ...]:
    """Of what was left aside, that which the finding with every piece would have leaned on."""
    cited = {*before.pieces, *(claim.piece for claim in before.claims)}
    rows = any(claim.piece == "" for claim in before.claims if claim not in now.claims)
    catalog = rows or _ends(before) != _ends(now)
    return tuple(one for one in left if (one.piece in cited if one.piece else catalog))


def _ends(comparison: Comparison) -> tuple[object, ...]:
    sides = (comparison.need_low, comparison.need_high, comparison.have_low, comparison.have_high)
    return tuple(None if side is None else (side.low, side.high) for side in sides)


def with_stale(now: Finding, before: Finding, left: tuple[Left, ...]) -> Finding:
    """The finding without what is stale, in the words that tell most; `before` is the one with all of it."""
    if now.verdict is not Verdict.TO_CONFIRM:
        if not left:
            return now
        return replace(now, text=_with_aside(now.text, left), aside=_told(left))
    renewed = tuple(_conditions.stale(one.piece, one.why) for one in left)
    if before.reason in _OPEN:
        return replace(before, conditions=tuple(dict.fromkeys((*before.conditions, *renewed))))
    if not left:
        return now
    pieces = (*now.pieces, *(one.piece for one in left if one.piece))
    aged = replace(now, conditions=(*renewed, *now.conditions), pieces=tuple(dict.fromkeys(pieces)))
    if now.reason in _CONTRADICTED:
        return aged
    text = tell("what it leans on is out of date: {what}", what=_told(left))
    return replace(aged, reason=REASON, text=text)


def _with_aside(text: str, left: tuple[Left, ...]) -> str:
    return tell("{verdict} (left aside: {what})", verdict=text, what=_told(left))


def _told(left: tuple[Left, ...]) -> str:
    return listed((_one(each) for each in left), "; ")


def _one(left: Left) -> str:
    return tell("{what}: {reasons}", what=left.piece or CATALOG, reasons=listed(left.why))
