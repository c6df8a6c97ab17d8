"""decision.json: alternatives, remedies and what would void the conclusion."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fiche.kernel.alternative import Alternative, Cover, Shift, Turned
from fiche.kernel.decision import Decision
from fiche.kernel.figure import Node
from fiche.kernel.finding import Verdict
from fiche.kernel.invalidation import Invalidation
from fiche.kernel.ledger import Ledger
from fiche.kernel.places import Places
from fiche.kernel.remedy import Remedy


def alternatives(decision: Decision, book: Ledger, places: Places) -> dict[str, Any]:
    """The keys of this part; none where the decision has nothing of it."""
    told: dict[str, list[dict[str, Any]]] = {
        "alternatives": [_alternative(one, book) for one in decision.alternatives],
        "remedies": [_remedy(one, book) for one in decision.remedies],
        "invalidations": [_invalidation(one, book) for one in decision.invalidations],
    }
    return {key: rows for key, rows in told.items() if rows}


def _alternative(one: Alternative, book: Ledger) -> dict[str, Any]:
    return {
        "candidate": one.candidate,
        "baseline": one.baseline,
        "change": {"path": one.path, "from": one.before, "to": one.after},
        "status": {"from": one.status[0], "to": one.status[1]},
        "items": [_shift(each, book) for each in one.items],
        "phases": [_shift(each, book) for each in one.phases],
        "useful_margin": None if one.useful_margin is None else _shift(one.useful_margin, book),
        "cost": None if one.cost is None else _shift(one.cost, book),
        **({"totals": [_shift(each, book) for each in one.totals]} if one.totals else {}),
        "verdicts": [_turned(each) for each in one.turned],
        "verdicts_kept": one.kept,
        "covering": _covers(one.covering),
        "not_covering": _covers(one.not_covering),
        "anew": [{"what": a.what, "done": a.done, "requirement": a.asked} for a in one.anew],
    }


def _shift(each: Shift, book: Ledger) -> dict[str, Any]:
    told = {
        "from": _id(each.before, book),
        "to": _id(each.after, book),
        "difference": _id(each.difference, book),
    }
    words = {"name": each.name, "case": each.case, "phase": each.phase}
    return {**{key: word for key, word in words.items() if word}, **told}


def _id(node: Node | None, book: Ledger) -> str | None:
    return None if node is None else book.of(node).id


def _turned(each: Turned) -> dict[str, Any]:
    return {
        "requirement": each.requirement,
        "case": each.case,
        "device": each.device,
        "from": _verdict(each.before),
        "to": _verdict(each.after),
        "reason_code": each.reason,
        "reason": each.text,
        "topics": list(each.topics),
    }


def _verdict(verdict: Verdict | None) -> str | None:
    return None if verdict is None else verdict.code


def _covers(covers: Iterable[Cover]) -> list[dict[str, Any]]:
    return [{"piece": each.piece, "requirements": list(each.requirements)} for each in covers]


def _remedy(one: Remedy, book: Ledger) -> dict[str, Any]:
    return {
        "piece": one.piece,
        "failure": one.failure,
        "proven": one.proven,
        "candidates": list(one.candidates),
        "case": one.case,
        "stage": one.stage,
        "phase": one.phase,
        "phase_told": one.phase_told,
        "dominant": one.dominant,
        "figure": _id(one.item, book),
        "known": _id(one.known, book),
        "share": _id(one.share, book),
        "open_items": list(one.open_items),
        "levers": [
            {"lever": each.name, "keeps": list(each.keeps), "candidates": list(each.candidates)}
            for each in one.levers
        ],
        "useless": list(one.useless),
    }


def _invalidation(one: Invalidation, book: Ledger) -> dict[str, Any]:
    words = {"subject": one.subject, "day": one.day, "case": one.case, "text": one.text}
    return {
        "kind": one.kind,
        **{key: word for key, word in words.items() if word},
        **({"values": dict(one.values)} if one.values else {}),
        **({} if one.figure is None else {"figure": book.of(one.figure).id}),
        **(
            {"figures": {name: book.of(node).id for name, node in one.figures}}
            if one.figures
            else {}
        ),
        "candidates": list(one.candidates),
        "because": list(one.because),
    }
