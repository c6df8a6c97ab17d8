"""A recorded trace against the replay of its requests: where both agree, and where they first do not."""

from __future__ import annotations

from fiche.kernel.record import record
from fiche.simulate.allocator.before import adopt
from fiche.simulate.allocator.blocks import Block
from fiche.simulate.allocator.caching import CachingAllocator
from fiche.simulate.allocator.recorded import Recorded
from fiche.simulate.ledger.events import ALLOC, FREE

# Above all addresses of real devices: for segments that only the replay asks for.
_APART = 1 << 62
_WORDS = ("an allocation", "a free", "a mark", "a release of the cache")


@record
class Divergence:
    """The first event after which the replay reserves another amount than was recorded."""

    event: int
    entry: int
    what: str
    recorded_bytes: int
    replayed_bytes: int

    @property
    def words(self) -> str:
        """Where, and by how much."""
        return (
            f"after entry {self.entry} ({self.what}) {self.recorded_bytes} bytes were reserved, and "
            f"{self.replayed_bytes} in the replay"
        )


@record
class Comparison:
    """How far a trace and its replay agree.

    After `agreed` of `events` the reserved bytes are the recorded ones, and `placed` of `allocations` lie at
    the recorded address. `unseen` blocks are from before the trace.
    """

    device: int
    events: int
    agreed: int
    allocations: int
    placed: int
    first: Divergence | None
    unseen: int
    recorded_end_bytes: int
    replayed_end_bytes: int
    remarks: tuple[str, ...]

    @property
    def words(self) -> str:
        """All of it in sentences."""
        said = [
            f"after {self.agreed} of {self.events} events the reserved bytes are the recorded ones",
            f"{self.placed} of {self.allocations} allocations lie where they lay",
            *([self.first.words] if self.first is not None else ()),
            f"at the end {self.recorded_end_bytes} bytes were reserved, and {self.replayed_end_bytes} in the "
            "replay",
            *self.remarks,
        ]
        return "; ".join(said) + "."


def compared(trace: Recorded) -> Comparison:
    """Replay what a trace asked for, from what was held before it, and compare level by level.

    New segments lie where the driver had put them, as long as both agree: what is compared is the
    allocator, not the driver.

    Raises:
        ValueError: what was held before does not fit together.
    """
    run = _Run(trace)
    for event in range(trace.before, len(trace.events)):
        run.step(event)
    allocations = trace.events.ops[trace.before :].count(ALLOC)
    return Comparison(
        device=trace.device,
        events=len(trace.events) - trace.before,
        agreed=run.agreed,
        allocations=allocations,
        placed=run.placed,
        first=run.first,
        unseen=trace.before,
        recorded_end_bytes=trace.end_bytes,
        replayed_end_bytes=run.allocator.reserved,
        remarks=trace.remarks,
    )


class _Run:
    def __init__(self, trace: Recorded) -> None:
        self.allocator = CachingAllocator(trace.settings)
        self.agreed = self.placed = 0
        self.first: Divergence | None = None
        self._trace = trace
        self._live: dict[int, Block] = {}
        self._apart = _APART
        for old in trace.old:
            self._live |= adopt(self.allocator, old)

    def step(self, event: int) -> None:
        """Do one event, and compare."""
        events, allocator = self._trace.events, self.allocator
        op, name = events.ops[event], events.ids[event]
        if op == ALLOC:
            block = self._malloc(event)
            self._live[name] = block
            self.placed += block.at == self._trace.addresses[event]
        elif op == FREE:
            allocator.free(self._live.pop(name))
        else:
            allocator.empty_cache()
        if allocator.reserved == self._trace.reserved[event]:
            self.agreed += 1
        elif self.first is None:
            self.first = Divergence(
                event=event,
                entry=self._trace.entries[event],
                what=_WORDS[op],
                recorded_bytes=self._trace.reserved[event],
                replayed_bytes=allocator.reserved,
            )

    def _malloc(self, event: int) -> Block:
        backing, events = self.allocator.backing, self._trace.events
        given = self._trace.grown[event] if self.first is None else 0
        backing.next_at = given or self._apart
        block = self.allocator.malloc(events.num_bytes[event], events.streams[event])
        assert block is not None, "nothing bounds a replay of what did fit"
        if not given:
            self._apart = backing.next_at
        return block
