"""decision.json: findings and candidates in short, and what a piece is evidence of, and of what not."""

from __future__ import annotations

from typing import Any

from fiche.kernel.decision import Decision, Outcome
from fiche.kernel.figure import Figure
from fiche.kernel.finding import Finding
from fiche.kernel.piece import Piece
from fiche.kernel.places import Places
from fiche.kernel.record import replace
from fiche.kernel.scope_told import Uncovered, not_covered, told_scope
from fiche.kernel.spread import Spread, spreads
from fiche.kernel.standing import CANT_TELL, UNTESTED, settles_if, short, standing
from fiche.render._figures import amounts, condition

# The two unknowns in words: what is there does not settle it, or nobody has looked.
_UNKNOWN = {CANT_TELL: "evidence_does_not_settle_it", UNTESTED: "no_evidence"}


def outcome(found: Finding) -> dict[str, Any]:
    """What EARL calls it, which of the two unknowns it is (null for none), and where it turns."""
    word = standing(found)
    return {
        "outcome": word,
        "unknown": _UNKNOWN.get(word),
        "settles_if": list(settles_if(found)),
    }


def summary(told: Outcome, decision: Decision) -> dict[str, Any]:
    """A candidate's verdict, what failed first, what is open, and the steps that would retain it."""
    said = short(told, decision)
    return {
        "code": said.code,
        "first_failed": _named(said.failed[0]) if said.failed else None,
        "open": [{**_named(one), "outcome": standing(one)} for one in said.unsettled],
        "flip_sets": [list(names) for names in said.flips],
    }


def _named(found: Finding) -> dict[str, str]:
    return {"requirement": found.requirement, "case": found.case, "device": found.device}


def points(decision: Decision) -> list[dict[str, Any]]:
    """The open points under the numbers that reports give them."""
    from fiche.report.desk import Desk
    from fiche.report.points import numbered

    return [
        {
            "id": f"D{point.number}",
            "topic": point.topic,
            "candidates": list(point.candidates),
            "conditions": [condition(one) for one in point.conditions],
        }
        for point in numbered(Desk.of(decision))
    ]


def commented(decision: Decision, places: Places) -> dict[str, Any]:
    """What people said of a report; no key, and nothing loaded, where there is no file of it."""
    if decision.review is None:
        return {}
    from fiche.render._review import comments

    return {"comments": comments(decision.review, places)}


def evidence(piece: Piece, decision: Decision, ends: str | None) -> dict[str, Any]:
    """When it was collected and until when it counts, what it says of its scope, and what it leaves out."""
    load = decision.fiche.workload
    return {
        "collected": _collected(piece),
        "expires": ends or piece.valid_until or None,
        "scope_counts": [
            {
                "by": one.by or None,
                "agree": len(one.agreed),
                "shown": list(one.shown),
                "more": one.more,
            }
            for one in told_scope(piece, load)
        ],
        "not_covered": [_uncovered(one) for one in not_covered(piece, load)],
        "spreads": [_spread(one) for one in spreads(piece)],
    }


def _collected(piece: Piece) -> str | None:
    """The day of the piece, else when its program says that it looked; as written."""
    facts = {**piece.typed, **piece.reading.facts}
    printed = [facts[key].value for key in ("observed_at", "started_at") if key in facts]
    further = piece.reading.further.get("observed_at")
    told = [piece.date, *printed, further if isinstance(further, str) else ""]
    return next((each for each in told if each), None)


def _uncovered(one: Uncovered) -> dict[str, str]:
    if one.case:
        return {"case": one.case}
    return {"fact": one.fact, "asked": one.asked, "told": one.told}


def _spread(one: Spread) -> dict[str, Any]:
    return {
        "counter": one.counter,
        "stat": one.stat,
        "readings": list(one.readings),
        "unit": str(one.least.unit),
        **amounts(_hull(one)),
    }


def _hull(one: Spread) -> Figure:
    return replace(one.least, high=one.most.high)
