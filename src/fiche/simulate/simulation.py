"""What a simulated run says: per phase and device the peak, when, where, and what was alive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fiche.simulate.allocator import Replay, replay
from fiche.simulate.ledger import kinds
from fiche.simulate.ledger.entries import EntryTable
from fiche.simulate.ledger.events import ALLOC, FREE, Events, rounded
from fiche.simulate.ledger.origins import Origin


@dataclass(frozen=True)
class Group:
    """Equal allocations alive at a peak: bytes of all of them, in blocks of 512.

    What their blocks have beyond that is one group of its own, `block_rest`, without an origin.
    """

    kind: str
    num_bytes: int
    count: int
    origin: Origin
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class PhasePeak:
    """One phase on one device, bytes as the allocator counts them: at its start, its peak and its end.

    `event` is the one that reached the peak, None where nothing was taken above the start.
    """

    name: str
    passed: str
    order: int
    ordering: str
    device: int
    declared: Mapping[str, int]
    executed: Mapping[str, int]
    begin: int
    end: int
    start_bytes: int
    peak_bytes: int
    end_bytes: int
    event: int | None
    origin: Origin | None
    groups: tuple[Group, ...]


class Simulation:
    """A run that is over. `ledger` keeps its events and entries; `spans` are its phases."""

    def __init__(
        self,
        *,
        rules: str,
        ledger: Any,
        spans: Sequence[Any],
        effects: Sequence[Mapping[str, Any]],
        answers: Sequence[Mapping[str, str]],
        notes: Sequence[str],
        capability: tuple[int, int],
    ) -> None:
        self.rules = rules
        self.events: list[Events] = ledger.events
        self.entries: EntryTable = ledger.entries
        self.spans = spans
        self.effects = tuple(effects)
        self.answers = tuple(answers)
        self.notes = tuple(notes)
        self.capability = capability
        self._replays: list[Replay] = []
        self._taken: dict[int, dict[int, int]] = {}

    def replayed(self, replays: Sequence[Replay]) -> None:
        """The allocator's own account, where its settings are not the usual ones."""
        self._replays = list(replays)
        self._taken.clear()

    def live(self, device: int = 0) -> Sequence[int]:
        """Bytes in use after each event, as the allocator counts them; `live[i]` follows event i.

        It counts whole blocks: what is asked for, rounded up, and what is left of a block that is not split.
        """
        if self.rules == "memtracker":
            return self._asked(device)
        if not self._replays:
            self._replays = [replay(events) for events in self.events]
        return self._replays[device].allocated

    def _asked(self, device: int) -> list[int]:
        table, total = self.entries.num_bytes, 0
        found = []
        for op, entry in zip(self.events[device].ops, self.events[device].ids, strict=True):
            total += table[entry] if op == ALLOC else -table[entry] if op == FREE else 0
            found.append(total)
        return found

    def peak_bytes(self, device: int = 0) -> int:
        """The most that was alive at any time."""
        return max(self.live(device), default=0)

    def phases(self) -> Iterator[PhasePeak]:
        """Every phase on every device, in the order they began."""
        lives = [self.live(device) for device in range(len(self.events))]
        for span in self.spans:
            if len(span.ends) == len(self.events):
                for device, live in enumerate(lives):
                    yield self._phase(span, device, live)

    def _phase(self, span: Any, device: int, live: Sequence[int]) -> PhasePeak:
        begin, end = span.begins[device], span.ends[device]
        start = live[begin - 1] if begin else 0
        event, peak = None, start
        for place in range(begin, end):
            if live[place] > peak:
                event, peak = place, live[place]
        events = self.events[device]
        at = begin - 1 if event is None else event
        return PhasePeak(
            name=span.name,
            passed=span.passed,
            order=span.order,
            ordering=span.ordering,
            device=device,
            declared=span.declared,
            executed=span.executed,
            begin=begin,
            end=end,
            start_bytes=start,
            peak_bytes=peak,
            end_bytes=live[end - 1] if end else 0,
            event=event,
            origin=None if event is None else self.entries.origins[events.ids[event]],
            groups=tuple(self._groups(device, at)),
        )

    def _groups(self, device: int, event: int) -> Iterator[Group]:
        """What is alive after an event, the largest first."""
        events = self.events[device]
        alive: dict[int, None] = {}
        for op, entry in zip(events.ops[: event + 1], events.ids[: event + 1], strict=True):
            if op == ALLOC:
                alive[entry] = None
            elif op == FREE:
                del alive[entry]
        table, taken, rest = self.entries, self._taken_by(device), 0
        found: dict[tuple[str, Origin, tuple[int, ...], str], tuple[int, int]] = {}
        for entry in alive:
            key = (
                self._kind(entry),
                table.origins[entry],
                tuple(table.shapes[entry]),
                str(table.dtypes[entry]).removeprefix("torch."),
            )
            total, count = found.get(key, (0, 0))
            asked = self._rounded(table.num_bytes[entry])
            found[key] = (total + asked, count + 1)
            rest += taken[entry] - asked
        ordered = sorted(found.items(), key=lambda each: (-each[1][0], str(each[0])))
        for (kind, origin, shape, dtype), (num_bytes, count) in ordered:
            yield Group(kind, num_bytes, count, origin, shape, dtype)
        if rest:
            yield Group(kinds.BLOCK_REST, rest, 1, Origin("", "", "", 0), (), "")

    def _kind(self, entry: int) -> str:
        return self.entries.kinds[entry] or kinds.TEMPORARY

    def _rounded(self, num_bytes: int) -> int:
        return num_bytes if self.rules == "memtracker" else rounded(num_bytes)

    def _taken_by(self, device: int) -> dict[int, int]:
        """Bytes of each allocation, as the allocator counts them."""
        found = self._taken.get(device)
        if found is None:
            live, events = self.live(device), self.events[device]
            found = self._taken[device] = {
                events.ids[place]: live[place] - (live[place - 1] if place else 0)
                for place, op in enumerate(events.ops)
                if op == ALLOC
            }
        return found
