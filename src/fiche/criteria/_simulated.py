"""A simulation against a question: of the same thing or not, and what it would be as a need (DESIGN 4).

It neither admits nor excludes. In the second reading its peak may stand as the most that is needed, with the
fiche's reserve and what it leaves uncovered: an item that nobody bounds keeps it open. Its peak is the reserved
one; where a phase has none, the larger of what is known, with what the allocator keeps uncovered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from fiche.criteria._scope import Question, question, scope_of
from fiche.criteria._simulated_load import less_than, more_than
from fiche.criteria._stale import reasons
from fiche.estimators import phase_totals, together
from fiche.kernel.comparison import Inquiry, LoadItem, PhaseTotal
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Node, Number, Unknown, larger, total
from fiche.kernel.piece import Piece
from fiche.kernel.record import field, record, replace
from fiche.kernel.requirement import Candidate, Policy
from fiche.kernel.said import listed, tell, tell_count
from fiche.kernel.simulation import (
    ALLOCATED,
    RESERVED,
    SimulatedPhase,
    Simulation,
    bound_of,
    peak_of,
)
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case

_CRITERION = "simulation"
# What only a device has: a simulation runs on none, so it need not tell them.
_OF_A_DEVICE = frozenset({"gpu", "process_protocol", "allocator.backend", "allocator.settings"})
_SETTINGS = "allocator.settings"
# Items of a load that no simulation sees: the author's guesses, and what lies outside the allocator.
UNSEEN = frozenset({"reserve", "workspace"})
# This reserve item stands for contexts, library workspaces and scratch alike (`estimators.workspace`).
_ALL = "workspace"
_PLAIN = frozenset({"cuda", "gpu", "memory", "the"})
_LOAD = "model_load"
# Where a phase has no reserved bytes; these words of a reserve item name it.
_KEPT = tell("what the allocator keeps beyond live bytes")
_OF_IT = ("allocator", "fragmentation")


@record
class Standing:
    """How one simulation stands to one question, on one device or on the most loaded one.

    `short` says why it does not speak of it; `beyond` where it executed more than is asked: a need then, and
    nothing to set beside the formulas. `covered` leads from an uncovered item to the reserve item that stands
    for it; `open` names what nobody bounds.
    """

    piece: str
    short: tuple[str, ...]
    beyond: tuple[str, ...] = ()
    counter: str = ALLOCATED
    peak: Figure | None = None
    need: Figure | None = None
    covered: Mapping[str, str] = field(default_factory=dict)
    bounded: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


def standings(
    candidate: Candidate, case: Case | None, index: int, ground: Inquiry, floor: Figure | None
) -> tuple[Standing, ...]:
    """Every simulation against one case on one device."""
    return tuple(
        standing(piece, candidate, case, index, ground, floor) for piece in ground.simulations
    )


def strongest(found: tuple[Standing, ...], envelope: Figure | None) -> Standing | None:
    """The one that needs most of those that speak of it; None where the envelope stands in its place.

    An open need settles nothing, so a closed envelope stands instead, unless the peak is above it already:
    then the envelope is refuted.
    """
    speaking = [one for one in found if one.need is not None]
    most = max(speaking, key=_most, default=None)
    if most is None or most.need is None or most.need.high is not None or envelope is None:
        return most
    refuted = envelope.high is not None and most.peak is not None and most.peak.low > envelope.high
    return most if refuted else None


def _most(one: Standing) -> tuple[bool, Number, str]:
    high = None if one.need is None else one.need.high
    return high is None, high or 0, one.piece


def said_of(one: Standing) -> str:
    """The condition that a second reading hangs on: the simulation holds, and what it does not cover."""
    assert one.peak is not None
    counter = "reserved" if one.counter == RESERVED else "allocated"
    held = tell(
        "the simulation {piece} holds ({counter} peak {peak} B)",
        piece=one.piece,
        counter=counter,
        peak=one.peak.low,
    )
    items = [tell("{name} ({by})", name=name, by=by) for name, by in one.covered.items()]
    items += [tell("{name} (as documented)", name=name) for name in one.bounded]
    items += list(one.open)
    left = tell_count("{count} uncovered item", "{count} uncovered items", len(items))
    if not items:
        return tell("{held}, with {left}", held=held, left=left)
    return tell("{held}, with {left}: {items}", held=held, left=left, items=listed(items))


def standing(
    piece: Piece,
    candidate: Candidate,
    case: Case | None,
    index: int | None,
    ground: Inquiry,
    floor: Figure | None,
) -> Standing:
    """One of them; `index` None asks for the most loaded device."""
    told = piece.reading.simulation
    if told is None:
        return Standing(piece=piece.id, short=(tell("it was not read"),))
    ask = question(candidate, case)
    short = tuple(
        dict.fromkeys((*_of_another(ask, piece, candidate, ground), *less_than(ask, told)))
    )
    here = phases_on(told, index)
    if short or not here:
        return Standing(
            piece=piece.id,
            short=short or (tell("device {index} was not simulated", index=str(index)),),
        )
    # The first of equal ones: bytes that are reserved leave nothing of the allocator's own open.
    counters = (RESERVED, ALLOCATED) if _same_settings(ask, piece) else (ALLOCATED,)
    tops = {name: max(here, key=lambda phase: _level(phase, name)) for name in counters}
    counter = max(counters, key=lambda name: _level(tops[name], name))
    peak, live = peak_of(tops[counter], counter, told.by), tops[ALLOCATED].allocated.peak
    if floor is not None and live < floor.low:
        why = tell(
            "it peaks at {live} B, below the computed floor of {floor} B: it is of something else",
            live=live,
            floor=floor.low,
        )
        return Standing(piece=piece.id, short=(why,))
    assert peak is not None
    whole = counter == RESERVED and all(phase.reserved is not None for phase in here)
    made = _Need(candidate, case, told, ground, counter, whole)
    return made.standing(piece.id, peak, tuple(more_than(ask, told)))


def phases_on(told: Simulation, index: int | None) -> tuple[SimulatedPhase, ...]:
    """The phases on one device; what was simulated of one alone is the most loaded of them."""
    alone = len({phase.device_index for phase in told.phases}) == 1
    if index is None or alone:
        return told.phases
    return tuple(phase for phase in told.phases if phase.device_index == index)


def _level(phase: SimulatedPhase, counter: str) -> int:
    levels = phase.reserved if counter == RESERVED else phase.allocated
    return 0 if levels is None else levels.peak


# --- Is it of the same thing? ---------------------------------------------------------------------


def _of_another(
    ask: Question, piece: Piece, candidate: Candidate, ground: Inquiry
) -> Iterator[str]:
    """Every strict fact of memory but those of a device, and what is out of date."""
    facts = scope_of(ask, piece, None, _CRITERION, replace(ground, policy=_of_code(ground.policy)))
    yield from (*facts.short, *facts.contradicted)
    yield from (
        tell("out of date: {why}", why=why) for why in reasons(piece, "memory", candidate, ground)
    )


def _of_code(policy: Policy) -> Policy:
    """The policy's lists for memory, without what only a device tells."""
    strict = {
        _CRITERION + name.removeprefix("memory"): tuple(e for e in facts if e not in _OF_A_DEVICE)
        for name, facts in policy.strict.items()
        if name.partition(".")[0] == "memory"
    }
    return replace(policy, strict=strict)


def _same_settings(ask: Question, piece: Piece) -> bool:
    """Reserved bytes hang on the allocator's settings."""
    told, asked = piece.reading.facts.get(_SETTINGS), ask.facts.get(_SETTINGS)
    return asked is None or told is None or asked.casefold() == told.value.casefold()


# --- What it would be as a need -------------------------------------------------------------------


@record(kw_only=False)
class _Need:
    candidate: Candidate
    case: Case | None
    told: Simulation
    ground: Inquiry
    counter: str
    whole: bool

    def standing(self, piece: str, peak: Figure, beyond: tuple[str, ...]) -> Standing:
        """The peak, what the formulas say of phases that did not run, the reserve, and the documented rest."""
        name = f"{self.case.id}.simulated" if self.case else "simulated"
        covered, bounded, left = self._uncovered()
        formulas, untold = self._not_simulated()
        left += untold
        counter = (
            tell("largest reserved") if self.counter == RESERVED else tell("largest allocated")
        )
        peak = peak.named(
            f"{name}.{self.counter}", tell("{counter} peak by simulation", counter=counter)
        )
        most: Node = peak
        for part in formulas:
            most = larger(most, part)
        parts: list[Node] = [most, *self.candidate.workload.reserve, *bounded.values()]
        if left:
            parts.append(_open(left, f"{name}.uncovered"))
        label = tell(
            "need by simulation (its peak, the reserve, and what is documented of the rest)"
        )
        return Standing(
            piece=piece,
            short=(),
            beyond=beyond,
            counter=self.counter,
            peak=peak,
            need=total(parts, BYTE).named(f"{name}.need", label),
            covered=covered,
            bounded=tuple(bounded),
            open=tuple(left),
        )

    def _uncovered(self) -> tuple[dict[str, str], dict[str, Figure], list[str]]:
        """Items that the reserve stands for, those with a documented bound, and those with neither."""
        covered: dict[str, str] = {}
        bounded: dict[str, Figure] = {}
        left: list[str] = []
        for item in self.told.uncovered:
            by = _named_by(item.name, self.candidate)
            if by:
                covered[item.name] = by
            elif item.high is not None:
                bounded[item.name] = bound_of(item, self.told.by)
            else:
                left.append(item.name)
        if not self.whole:
            by = next((by for word in _OF_IT if (by := _named_by(word, self.candidate))), "")
            left += [] if by else [_KEPT]
            covered |= {_KEPT: by} if by else {}
        return covered, bounded, left

    def _not_simulated(self) -> tuple[list[Figure], list[str]]:
        """Phases of the case that it did not run: the formulas stand for them, as far as they are closed."""
        ran = {phase.name for phase in self.told.phases}
        found: list[Figure] = []
        left: list[str] = []
        for each in self._totals():
            if each.phase in ran:
                continue
            summed = together([item for item in each.items if _counts(item, each.phase)])
            if summed.high is None or not self._on_one_device(each.items):
                left.append(tell("phase {phase}, which was not simulated", phase=each.phase))
            else:
                found.append(summed)
        return found, left

    def _totals(self) -> tuple[PhaseTotal, ...]:
        items = self.ground.loads.get(self.case.id if self.case else "", ())
        return phase_totals(self.candidate.workload, self.case, items)

    def _on_one_device(self, items: tuple[LoadItem, ...]) -> bool:
        devices = self.candidate.workload.figures.get("placement.devices")
        return devices is None or devices.low == 1 or any(item.per_device for item in items)


def _counts(item: LoadItem, phase: str) -> bool:
    """What a phase surely holds: a load, unlike a step, has none of what comes and goes in any phase."""
    passing = not item.resident and not item.phases
    return item.name not in UNSEEN and not (passing and phase == _LOAD)


def _open(names: list[str], name: str) -> Unknown:
    text = tell(
        "say what it takes, as items of the reserve that name it: {names}", names=listed(names)
    )
    condition = Condition(
        topic="need", text=text, supplier=tell("author of the fiche"), piece_kind=tell("fiche")
    )
    return Unknown(
        condition=condition, unit=BYTE, id=name, label=tell("what the simulation leaves open")
    )


def _named_by(item: str, candidate: Candidate) -> str:
    """The reserve item whose id has every word of the item's name; `workspace` stands for all. Else empty."""
    wanted = _words(item)
    for kept in candidate.workload.reserve:
        words = _words(kept.id.rpartition(".")[2])
        if words == {_ALL} or (wanted and wanted <= words):
            return kept.id
    return ""


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z0-9]+", text.casefold())) - _PLAIN
