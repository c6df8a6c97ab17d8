"""`fiche diff --json`: `fiche-diff/1`, described by schemas/diff.schema.json."""

from __future__ import annotations

from typing import Any

from fiche.kernel.difference import Change, Difference, Move, Side, Standing

# 1: first form.
FORMAT = "fiche-diff/1"
HOW = ("alone", "any", "together", "named", "unattributed")


def diff_json(found: Difference) -> dict[str, Any]:
    """The whole difference; its counts add up."""
    return {
        "format": FORMAT,
        "before": _side(found.before),
        "after": _side(found.after),
        "empty": found.empty,
        "rejudged": found.rejudged,
        "tried_by_kind": found.grouped,
        "changes": [_change(one, found) for one in found.changes],
        "verdicts": [_move(one) for one in found.moves],
        "candidates": [_standing(one) for one in found.standings],
        "counts": counts(found),
    }


def counts(found: Difference) -> dict[str, int]:
    """Changes by what they are, verdicts by what moved them; each adds up to its total."""
    whats = ("added", "removed", "changed", "renamed")
    return {
        "changes": len(found.changes),
        **{what: sum(one.what == what for one in found.changes) for what in whats},
        "verdicts": found.asked,
        "moved": len(found.moves),
        **{f"moved_{how}": sum(one.how == how for one in found.moves) for how in HOW},
        "stayed": found.asked - len(found.moves),
        "reworded": found.reworded,
    }


def _side(side: Side) -> dict[str, str]:
    return {
        "file": side.name,
        "kind": side.kind,
        "title": side.title,
        "date": side.date,
        "tool": side.tool,
    }


def _change(one: Change, found: Difference) -> dict[str, Any]:
    moved = [m for m in found.moves if one.id in m.by]
    return {
        "id": one.id,
        "kind": one.kind,
        "name": one.name,
        "what": one.what,
        "details": [{"name": d.name, "before": d.before, "after": d.after} for d in one.details],
        "moves": [_asked(move) for move in moved],
    }


def _asked(move: Move) -> dict[str, str]:
    return {
        "candidate": move.candidate,
        "requirement": move.requirement,
        "case": move.case,
        "device": move.device,
    }


def _move(move: Move) -> dict[str, Any]:
    return {
        **_asked(move),
        "before": move.before,
        "after": move.after,
        "reason_before": move.reason_before,
        "reason": move.reason,
        "how": move.how,
        "by": list(move.by),
    }


def _standing(one: Standing) -> dict[str, Any]:
    return {
        "candidate": one.candidate,
        "before": one.before,
        "after": one.after,
        "rank_before": one.rank_before,
        "rank": one.rank,
    }
