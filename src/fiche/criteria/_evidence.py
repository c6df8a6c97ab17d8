"""All that speaks about one case on one device: runs, failures, the floor, the envelope (DESIGN 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fiche.criteria import _failures
from fiche.criteria._capacity import DeviceCapacity, device_capacity
from fiche.criteria._failures import Failed, Fallen
from fiche.criteria._runs import Loop, Success, loops, on_device, successes
from fiche.criteria._scope import question
from fiche.estimators import firm_floor
from fiche.kernel import trace
from fiche.kernel.comparison import Inquiry, LoadItem
from fiche.kernel.figure import Figure, Number, ceil, total
from fiche.kernel.origin import Stated
from fiche.kernel.record import record
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case

if TYPE_CHECKING:
    from fiche.criteria._simulated import Standing

# Counts that no file pins: a floor made of them holds only if they do.
_COUNTS = ("model.", "method.trainable_parameters")


@record
class Evidence:
    """What the pieces say about one case on one device, and what the arithmetic says.

    `floor` is the least that the most loaded device must hold; `excludes` is the same where it may
    exclude on this very device. `margin` is what named variations add to a need (D5). `simulated` are looked
    at in a second reading only.
    """

    candidate: Candidate
    case: Case | None
    index: int
    capacity: DeviceCapacity
    runs: tuple[Success, ...]
    failures: tuple[Failed, ...]
    floor: Figure | None
    excludes: Figure | None
    envelope: Figure | None
    margin: Figure
    simulated: tuple[Standing, ...] = ()

    @property
    def case_id(self) -> str:
        """The id of the case, empty where the fiche states none."""
        return self.case.id if self.case else ""

    @property
    def covering(self) -> tuple[Success, ...]:
        """Runs that cover the question."""
        return tuple(run for run in self.runs if run.covers)


@record
class Devices:
    """The devices of a placement: what each offers, every run of the whole loop on them, every failure.

    `most` is the largest upper bound of what one offers, None where one is open.
    """

    rooms: tuple[DeviceCapacity, ...]
    most: Number | None
    ran: tuple[Loop, ...]
    fell: tuple[Fallen, ...]


def devices_of(candidate: Candidate, ground: Inquiry) -> Devices:
    """All that does not depend on the case, gathered once."""
    count, ask = num_devices(candidate), question(candidate)
    rooms = tuple(device_capacity(candidate, index, ground) for index in range(count))
    highs = [room.high.high if room.high is not None else None for room in rooms]
    known = [high for high in highs if high is not None]
    return Devices(
        rooms=rooms,
        most=max(known) if known and len(known) == count else None,
        ran=loops(count, ask, ground),
        fell=_failures.fallen(ask, ground),
    )


@record
class Asked:
    """One case, and what is said of it on all devices alike."""

    candidate: Candidate
    case: Case | None
    alone: bool
    runs: tuple[Success, ...]
    failures: tuple[Failed, ...]
    floor: Figure | None
    envelope: Figure | None


def asked(candidate: Candidate, case: Case | None, devices: Devices, ground: Inquiry) -> Asked:
    """All that does not depend on the device, gathered once."""
    ask = question(candidate, case)
    return Asked(
        candidate=candidate,
        case=case,
        alone=ask.alone,
        runs=successes(devices.ran, ask, ground),
        failures=_failures.failures(devices.fell, ask, ground),
        floor=floor_of(candidate, case, ground),
        envelope=_envelope(candidate, case, ground),
    )


def gather(ask: Asked, index: int, devices: Devices, ground: Inquiry) -> Evidence:
    """Everything about one case on device `index` of a placement."""
    return Evidence(
        candidate=ask.candidate,
        case=ask.case,
        index=index,
        capacity=devices.rooms[index],
        runs=tuple(
            on_device(told, loop, index, alone=ask.alone)
            for told, loop in zip(ask.runs, devices.ran, strict=True)
        ),
        failures=tuple(_failures.on_device(told, index, alone=ask.alone) for told in ask.failures),
        floor=ask.floor,
        excludes=ask.floor if _roomiest(index, devices) else None,
        envelope=ask.envelope,
        margin=total(ask.candidate.workload.margin, BYTE),
        simulated=_simulated(ask, index, ground),
    )


def _simulated(ask: Asked, index: int, ground: Inquiry) -> tuple[Standing, ...]:
    """A first reading has no eyes for them."""
    if not ground.assume or not ground.simulations or not placed(ask.candidate):
        return ()
    from fiche.criteria._simulated import standings

    return standings(ask.candidate, ask.case, index, ground, ask.floor)


def num_devices(candidate: Candidate) -> int:
    """Devices of the stated placement; unstated on several cards, one device stands for each."""
    stated = candidate.workload.figures.get("placement.devices")
    return 1 if stated is None else int(stated.low)


def placed(candidate: Candidate) -> bool:
    """A placement is told, or there is one card and so only one place."""
    stated = candidate.workload.figures.get("placement.devices")
    return candidate.cards.low == 1 if stated is None else bool(stated.low <= candidate.cards.low)


def fact(candidate: Candidate, path: str) -> str:
    """The value of a fact of the candidate's workload, empty where the fiche does not say it."""
    told = candidate.workload.facts.get(path)
    return told.value if told else ""


def pinned(floor: Figure) -> bool:
    """A floor excludes only from tensors or a pinned config, not from a count somebody stated."""
    return not any(
        leaf.id.rpartition("/")[2].startswith(_COUNTS) and isinstance(leaf.origin, Stated)
        for leaf in trace.leaves(floor)
    )


def _items(case: Case | None, ground: Inquiry) -> tuple[LoadItem, ...]:
    return ground.loads.get(case.id if case else "", ())


def floor_of(candidate: Candidate, case: Case | None, ground: Inquiry) -> Figure | None:
    """Resident items that are computed and firm, under a declared all-resident placement.

    A placement told by kind has its items on the most loaded device already; otherwise, spread over n
    devices, that one holds at least the n-th part, whatever the split.
    """
    if fact(candidate, "placement.resident") != "all" or not placed(candidate):
        return None
    items = _items(case, ground)
    whole = firm_floor(items)
    if whole is None:
        return None
    devices = candidate.workload.figures.get("placement.devices")
    name = f"{case.id}.floor" if case else "floor"
    told = devices is None or any(item.per_device for item in items)
    least = whole if devices is None or told else ceil(whole / devices)
    return least.named(
        name, tell("floor: what must be resident together on the most loaded device")
    )


def _roomiest(index: int, devices: Devices) -> bool:
    """Which device is the most loaded nobody says: only the one with most room can be judged by it."""
    here = devices.rooms[index].high
    most = devices.most
    return len(devices.rooms) == 1 or (most is not None and here is not None and here.high == most)


def _envelope(candidate: Candidate, case: Case | None, ground: Inquiry) -> Figure | None:
    """The conservative envelope as need.high, only if each item of the checklist has a figure (B7)."""
    most = most_of(candidate, case, ground)
    return None if most is None or most.high is None else most


def most_of(candidate: Candidate, case: Case | None, ground: Inquiry) -> Figure | None:
    """The sum of every item's maximum on one device, open where one has no end.

    None where there is no item, or where arithmetic does not say how they spread over the devices.
    """
    items = [i.node for i in _items(case, ground)]
    if not items or not placed(candidate):
        return None
    devices = candidate.workload.figures.get("placement.devices")
    per_device = any(item.per_device for item in _items(case, ground))
    if devices is not None and devices.low > 1 and not per_device:
        return None  # how the items spread over the devices is the software's doing, not arithmetic
    name = f"{case.id}.envelope" if case else "envelope"
    label = tell("conservative envelope (a sum of independent maxima, never an observed peak)")
    return total(items, BYTE).named(name, label)
