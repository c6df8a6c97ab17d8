"""Each simulation beside the formulas, case by case and phase by phase (DESIGN 4: it settles nothing).

Compared are allocated bytes, of the items that a simulation sees too. The formulas leave an item open where
nobody has a formula for it; the simulation leaves out what its document lists as uncovered. The formulas' side
is a plain sum: that its items need not be alive at one time is what a simulation sees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from fiche.criteria._evidence import floor_of
from fiche.criteria._simulated import UNSEEN, phases_on, standing
from fiche.kernel.beside import CaseBeside, GroupBeside, PhaseBeside
from fiche.kernel.comparison import CaseLoad, Inquiry, LoadItem, PhaseTotal
from fiche.kernel.decision import Fiche
from fiche.kernel.figure import Figure, Number, total
from fiche.kernel.piece import Piece
from fiche.kernel.record import replace
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import listed, tell
from fiche.kernel.simulation import (
    ALLOCATED,
    RESERVED,
    SIMULATION,
    SimulatedPhase,
    Simulation,
    peak_of,
    simulated,
)
from fiche.kernel.spoken import spoken
from fiche.kernel.trace import conditions
from fiche.kernel.unit import BYTE

_Ground = Callable[[Mapping[str, tuple[LoadItem, ...]]], Inquiry]

PASSING = spoken("activations and temporaries")
# Which items of the formulas are of which kinds of live bytes; every other item is of those that come and go.
_KINDS = {
    "parameters": ("parameter",),
    "gradients": ("gradient",),
    "optimizer states": ("optimizer_state",),
    "cache": ("cache",),
    "buffers": ("buffer",),
    PASSING: ("activation", "input", "temporary", "workspace", "block_rest"),
}
_ITEMS = {
    **dict.fromkeys(("weights", "learned_parameters", "upcasts", "master_weights"), "parameters"),
    "gathered_parameters": "parameters",
    **dict.fromkeys(("gradients", "kept_gradients"), "gradients"),
    "optimizer_state": "optimizer states",
    **dict.fromkeys(("kv_cache", "prefill_retention"), "cache"),
    "buffers": "buffers",
}
# What the one sees and the other does not, where the simulation lies above (True) or below the formulas.
_SEES = {
    "parameters": (
        tell(
            "the simulation holds parameters that no formula counts: casts, gathered or untied ones"
        ),
        tell(
            "the formulas count parameters as the fiche states them; the code that was run holds "
            "fewer"
        ),
    ),
    "gradients": (
        tell("the simulation keeps gradients that the formulas let go"),
        tell("the formulas keep each gradient to the end of the step; the code lets go of some"),
    ),
    "optimizer states": (
        tell("the simulation sees each tensor that the optimizer itself keeps"),
        tell("the formulas count states that the optimizer of the code does not keep"),
    ),
    "cache": (
        tell("the simulation sees what the code itself keeps while a cache grows"),
        tell(
            "the formulas count what the engine makes room for: its pools, or the whole sequence "
            "at once"
        ),
    ),
    "buffers": (
        tell("the simulation sees the model's buffers, which no formula counts"),
        tell("the formulas count buffers that the code does not hold"),
    ),
    PASSING: (
        tell("the simulation runs the real operators, the loss and the copies of casts"),
        tell("the formulas add largest values that the code never holds at one time"),
    ),
}
_WITHIN = tell("the simulation lies within the formulas' bounds")


def besides(fiche: Fiche, loads: tuple[CaseLoad, ...], ground: _Ground) -> tuple[CaseBeside, ...]:
    """Every simulation of a fiche and every case of its loads; `ground` makes an inquiry of checklists."""
    pieces = sorted((p for p in fiche.pieces if p.reading.kind == SIMULATION), key=lambda p: p.id)
    return tuple(
        _beside(piece, load, _owner(fiche, load), ground({load.case: load.items}))
        for piece in pieces
        for load in loads
    )


def _owner(fiche: Fiche, load: CaseLoad) -> Candidate:
    """The candidate whose workload it is; the fiche's own workload is asked of by any."""
    found = next((c for c in fiche.candidates if c.id == load.owner), None)
    return found or replace(fiche.candidates[0], workload=fiche.workload)


def _beside(piece: Piece, load: CaseLoad, candidate: Candidate, ground: Inquiry) -> CaseBeside:
    case = next((c for c in candidate.workload.cases if c.id == load.case), None)
    floor = floor_of(candidate, case, ground)
    found = standing(piece, candidate, case, None, ground, floor)
    told = piece.reading.simulation
    differs = (*found.short, *found.beyond, *_spread(candidate, load))
    compared = () if differs or told is None else tuple(_phases(told, load))
    return CaseBeside(
        owner=load.owner,
        case=load.case,
        piece=piece.id,
        differs=differs,
        short=found.short,
        phases=compared,
        need=found.need,
        covered=found.covered,
        open=found.open,
    )


def _spread(candidate: Candidate, load: CaseLoad) -> tuple[str, ...]:
    """Formulas of a whole load stand beside no single device (D4)."""
    devices = candidate.workload.figures.get("placement.devices")
    if devices is None or devices.low == 1 or any(item.per_device for item in load.items):
        return ()
    return (
        tell(
            "the formulas are of the whole load, which is spread over {count} devices",
            count=str(devices.low),
        ),
    )


# --- One phase ------------------------------------------------------------------------------------


def _phases(told: Simulation, load: CaseLoad) -> Iterator[PhaseBeside]:
    """Phases that both know, in the order of the formulas; of several passes the one that holds most."""
    for each in load.phases:
        ran = [phase for phase in phases_on(told, None) if phase.name == each.phase]
        if ran:
            yield _phase(max(ran, key=lambda phase: phase.allocated.peak), each, told.by, load.case)


def _phase(phase: SimulatedPhase, by_formula: PhaseTotal, by: str, case: str) -> PhaseBeside:
    name = ".".join(part for part in (case, phase.name) if part)
    label = spoken(phase.name)
    seen = [item for item in by_formula.items if item.name not in UNSEEN]
    known = [item for item in seen if not conditions(item.node)]
    formulas = total([item.node for item in known], BYTE).named(
        f"{name}.formulas.allocated",
        tell("{phase}: what a simulation sees too, by formula", phase=label),
    )
    peak = _peak(phase, ALLOCATED, by, name)
    assert peak is not None
    difference = (peak - formulas).named(
        f"{name}.difference", tell("{phase}: simulation less formulas", phase=label)
    )
    groups = tuple(_groups(phase, seen, by, name))
    item, above = _where(groups, _distance(peak.low, formulas))
    return PhaseBeside(
        phase=phase.name,
        is_first=phase.is_first,
        order=phase.order,
        device_index=phase.device_index,
        formulas=formulas,
        simulated=peak,
        reserved=_peak(phase, RESERVED, by, name),
        difference=difference,
        ratio=_ratio(peak, formulas, name),
        groups=groups,
        item=item,
        sees=("simulation" if above else "formulas") if item else "both",
        text=_text(groups, item, above=above),
    )  # fmt: skip


def _peak(phase: SimulatedPhase, counter: str, by: str, name: str) -> Figure | None:
    peak = peak_of(phase, counter, by)
    label = tell("{phase}: {counter} peak by simulation", phase=spoken(phase.name), counter=counter)
    return None if peak is None else peak.named(f"{name}.simulated.{counter}", label)


def _ratio(peak: Figure, formulas: Figure, name: str) -> Figure | None:
    """The difference as a part of the formulas."""
    if not formulas.low:
        return None
    return (peak / formulas - 1).named(f"{name}.difference.ratio", tell("difference / formulas"))


def _groups(
    phase: SimulatedPhase, seen: list[LoadItem], by: str, name: str
) -> Iterator[GroupBeside]:
    """Every group that one of the two sides has something in."""
    for group, kinds in _KINDS.items():
        items = [item for item in seen if _ITEMS.get(item.name, PASSING) == group]
        live = [one for one in phase.at_peak.live if one.kind in kinds]
        if not items and not live:
            continue
        word = group.replace(" ", "_")
        known = [item for item in items if not conditions(item.node)]
        formulas = total([item.node for item in known], BYTE).named(
            f"{name}.formulas.{word}", tell("{group}, by formula", group=spoken(group))
        )
        held = total(
            [
                simulated(
                    one.num_bytes,
                    phase.pointer,
                    f"at_peak/live/{one.place}/bytes",
                    tell("live {kind}", kind=spoken(one.kind)),
                    by,
                )
                for one in live
            ],
            BYTE,
        ).named(
            f"{name}.simulated.{word}",
            tell("{group} live at the peak, by simulation", group=spoken(group)),
        )
        yield GroupBeside(
            name=spoken(group),
            items=tuple(dict.fromkeys(item.name for item in known)),
            formulas=formulas,
            simulated=held,
            distance=int(_distance(held.low, formulas)),
            open=tuple(dict.fromkeys(item.name for item in items if conditions(item.node))),
        )  # fmt: skip


def _distance(value: Number, formulas: Figure) -> Number:
    """How far a value lies above an interval, or below it, in bytes; 0 inside."""
    if formulas.high is not None and value > formulas.high:
        return value - formulas.high
    return min(value - formulas.low, 0)


def _where(groups: tuple[GroupBeside, ...], distance: Number) -> tuple[str, bool]:
    """The group that goes furthest in the direction of the whole, and whether that is upwards."""
    if not distance:
        return "", False
    above = distance > 0
    sign = 1 if above else -1
    most = max(groups, key=lambda one: sign * one.distance, default=None)
    return ("" if most is None else most.name), above


def _text(groups: tuple[GroupBeside, ...], item: str, *, above: bool) -> str:
    """Which of the two sees what the other does not, in a sentence."""
    if not item:
        return _WITHIN
    more, less = _SEES[item]
    said = more if above else less
    left = dict.fromkeys(spoken(name) for group in groups for name in group.open)
    if not above or not left:
        return said
    return tell("{said}; the formulas leave open: {items}", said=said, items=listed(left))
