"""decision.json: what to settle next."""

from __future__ import annotations

from typing import Any

from fiche.kernel.decision import Decision
from fiche.kernel.figure import Figure
from fiche.kernel.ledger import Ledger
from fiche.kernel.places import Places
from fiche.kernel.settling import Flips, Letter, Sensitivity, Step, Turn


def settling(decision: Decision, book: Ledger, places: Places) -> dict[str, Any]:
    """The keys of this part; none where the decision has nothing of it."""
    found = decision.settling
    if found is None:
        return {}
    told = {
        "next_steps": [
            {**_step(step, book), "number": place} for place, step in enumerate(found.steps, 1)
        ],
        "flip_sets": [_flips(one) for one in found.flips],
        "letters": [letter(one) for one in found.letters],
        "sensitivities": [_sensitivity(one, book) for one in found.sensitivities],
    }
    first = {"next_step": found.next} if found.next else {}
    return first | {key: value for key, value in told.items() if value}


def _step(step: Step, book: Ledger) -> dict[str, Any]:
    return {
        "id": step.id,
        "kind": step.kind,
        "text": step.text,
        "supplier": step.supplier,
        "seller": step.seller,
        "machine": step.machine,
        "commands": list(step.commands),
        "is_ready": step.is_ready,
        "why": list(step.why),
        "notes": list(step.notes),
        "lines": list(step.lines),
        "after": list(step.after),
        "cost": _id(step.cost, book),
        "hours": _id(step.hours, book),
        "because": step.because,
        "settles": [
            {
                "candidate": one.candidate,
                "requirement": one.requirement,
                "topic": one.topic,
                "case": one.case,
                "level": one.level,
                "threshold": one.threshold,
                "decides": one.decides,
            }
            for one in step.settles
        ],
    }


def _id(figure: Figure | None, book: Ledger) -> str | None:
    return None if figure is None else book.of(figure).id


def _flips(one: Flips) -> dict[str, Any]:
    return {
        "candidate": one.candidate,
        "status": one.status,
        "retained_by_all_of": [list(names) for names in one.retain],
        "excluded_by_any_of": [list(names) for names in one.exclude],
        "excluded_by": [
            {"requirement": name, "pieces": list(pieces)} for name, pieces in one.excluded_by
        ],
        "is_cut": one.is_cut,
    }


def letter(told: Letter) -> dict[str, Any]:
    """What is asked of one seller."""
    return {
        "seller": told.seller,
        "offers": list(told.offers),
        "date": told.date,
        "requests": [
            {
                "step": one.step,
                "offer": one.offer,
                "text": one.text,
                "threshold": one.threshold,
                "level": one.level,
            }
            for one in told.requests
        ],
    }


def _sensitivity(one: Sensitivity, book: Ledger) -> dict[str, Any]:
    return {
        "figure": book.of(one.value).id,
        "kind": one.kind,
        "resolution": book.of(one.step).id,
        "below": _turn(one.below, book),
        "above": _turn(one.above, book),
    }


def _turn(turn: Turn, book: Ledger) -> dict[str, Any]:
    return {
        "looked_to": book.of(turn.bound).id,
        "at": _id(turn.at, book),
        "changes": [
            {"what": c.what, "of": c.candidate, "before": c.before, "after": c.after}
            for c in turn.changes
        ],
    }
