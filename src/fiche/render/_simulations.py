"""Simulations as decision.json writes them: what each says, and each beside the formulas, figures by id.

Levels over time, and allocations of phases below the largest peak, stay in the piece, which travels with the
decision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fiche.kernel.beside import CaseBeside, GroupBeside, PhaseBeside
from fiche.kernel.ledger import Ledger
from fiche.kernel.piece import Piece
from fiche.kernel.readings import planned_ids
from fiche.kernel.simulation import Alike, SimulatedPhase, Simulation, peak_phase


def simulation(cited: Piece, book: Ledger) -> dict[str, Any]:
    """What a simulation says beside its figures; nothing for any other piece."""
    told = cited.reading.simulation
    if told is None:
        return {}
    top, ids = peak_phase(told), planned_ids(cited)
    return {
        "by": told.by,
        "case": told.case,
        "allocator": told.allocator,
        "answers": [{"asked": a.asked, "told": a.told, "by": a.by} for a in told.answers],
        "phases": [_phase(phase, ids, whole=phase is top) for phase in told.phases],
        "peak": {"phase": top.name, **_pass(top), "live": _live(told, cited, book)},
        "effects": [
            {
                "name": effect.name,
                "says": effect.says,
                "source": effect.source,
                "count": effect.count,
                "figure": book.figures[f"{cited.id}/effect.{place}"].id,
            }
            for place, effect in enumerate(told.effects, 1)
        ],
        "uncovered": [
            {
                "name": item.name,
                "why": item.why,
                "source": item.source,
                "figure": _known(f"{cited.id}/uncovered.{place}", book),
            }
            for place, item in enumerate(told.uncovered, 1)
        ],
        "notes": list(told.notes),
        "window": {
            "device_index": told.window.device_index,
            "reserved": _highest(told.window.reserved),
            "allocated": _highest(told.window.allocated),
        },
    }


def _highest(points: Sequence[tuple[int, int]]) -> dict[str, int] | None:
    """The first of the highest points of a level, as pictures mark it."""
    if not points:
        return None
    event, level = max(points, key=lambda point: point[1])
    return {"event": event, "bytes": level}


def _known(name: str, book: Ledger) -> str | None:
    return name if name in book.figures else None


def _pass(phase: SimulatedPhase | PhaseBeside) -> dict[str, Any]:
    return {
        "pass": "first" if phase.is_first else "later",
        "order": phase.order,
        "device_index": phase.device_index,
    }


def _live(told: Simulation, cited: Piece, book: Ledger) -> list[dict[str, Any]]:
    return [
        {
            "kind": one.kind,
            "count": one.count,
            "figure": book.figures[f"{cited.id}/live.{one.kind}"].id,
        }
        for one in peak_phase(told).at_peak.live
    ]


def _phase(phase: SimulatedPhase, ids: Mapping[str, str], *, whole: bool) -> dict[str, Any]:
    """Allocations one by one are told of the largest peak; those of other phases stay in the piece."""
    peak = phase.at_peak
    return {
        "name": phase.name,
        **_pass(phase),
        "allocated": ids.get(f"{phase.pointer.path}/allocated_bytes/peak"),
        "reserved": ids.get(f"{phase.pointer.path}/reserved_bytes/peak"),
        "reserved_why": phase.reserved_why,
        "operator": peak.operator,
        "module": peak.module,
        "line": peak.line,
        **({"largest": [_alike(one) for one in peak.largest]} if whole else {}),
    }


def _alike(one: Alike) -> dict[str, Any]:
    return {
        "bytes": one.num_bytes,
        "count": one.count,
        "kind": one.kind,
        "operator": one.operator,
        "module": one.module,
        "shape": list(one.shape),
        "dtype": one.dtype,
        "line": one.line,
    }


def beside(one: CaseBeside, book: Ledger) -> dict[str, Any]:
    """One simulation and one case."""
    return {
        "piece": one.piece,
        "owner": one.owner,
        "case": one.case,
        "differs": list(one.differs),
        "short": list(one.short),
        "need": None if one.need is None else book.of(one.need).id,
        "covered": dict(one.covered),
        "open": list(one.open),
        "phases": [_compared(phase, book) for phase in one.phases],
    }


def _compared(phase: PhaseBeside, book: Ledger) -> dict[str, Any]:
    sides = {
        "formulas": phase.formulas,
        "simulated": phase.simulated,
        "reserved": phase.reserved,
        "difference": phase.difference,
        "ratio": phase.ratio,
    }
    return {
        "phase": phase.phase,
        **_pass(phase),
        **{name: None if node is None else book.of(node).id for name, node in sides.items()},
        "item": phase.item,
        "sees": phase.sees,
        "text": phase.text,
        "groups": [_group(group, book) for group in phase.groups],
    }


def _group(group: GroupBeside, book: Ledger) -> dict[str, Any]:
    return {
        "name": group.name,
        "items": list(group.items),
        "open": list(group.open),
        "formulas": book.of(group.formulas).id,
        "simulated": book.of(group.simulated).id,
        "distance_bytes": group.distance,
    }
