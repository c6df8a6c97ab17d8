"""The allocator's counters as a program reads them: from the events so far, replayed."""

from __future__ import annotations

from typing import Any

from fiche.simulate.allocator import AllocatorSettings, Replay, replay
from fiche.simulate.fake.devices import index_of
from fiche.simulate.ledger.events import Events


class Levels:
    """Bytes allocated and reserved on each device, now and at their peaks since the last reset."""

    def __init__(self, events: list[Events], settings: AllocatorSettings) -> None:
        self._events = events
        self._settings = settings
        self._since = [0] * len(events)
        self._replayed: dict[int, tuple[int, Replay]] = {}

    def memory_allocated(self, device: object = None) -> int:
        """Bytes in blocks that are in use now."""
        return self._of(index_of(device)).allocated_bytes

    def memory_reserved(self, device: object = None) -> int:
        """Bytes held from the driver now."""
        return self._of(index_of(device)).reserved_bytes

    def max_memory_allocated(self, device: object = None) -> int:
        """The most in use since the last reset."""
        index = index_of(device)
        return self._of(index).peak_allocated(self._since[index]).num_bytes

    def max_memory_reserved(self, device: object = None) -> int:
        """The most held since the last reset."""
        index = index_of(device)
        return self._of(index).peak_reserved(self._since[index]).num_bytes

    def reset_peak_memory_stats(self, device: object = None) -> None:
        """Peaks begin anew, at the level of now."""
        index = index_of(device)
        self._since[index] = len(self._events[index])

    def memory_stats(self, device: object = None) -> dict[str, Any]:
        """The four figures under the names of PyTorch's own dictionary; it has many more."""
        return {
            "allocated_bytes.all.current": self.memory_allocated(device),
            "allocated_bytes.all.peak": self.max_memory_allocated(device),
            "reserved_bytes.all.current": self.memory_reserved(device),
            "reserved_bytes.all.peak": self.max_memory_reserved(device),
        }

    def memory_summary(self, device: object = None, abbreviated: bool = False) -> str:
        """The four figures as text, a line each; PyTorch's own table has many more."""
        return "\n".join(f"{name}: {value}" for name, value in self.memory_stats(device).items())

    def _of(self, index: int) -> Replay:
        events = self._events[index]
        count, found = self._replayed.get(index, (-1, None))
        if found is None or count != len(events):
            found = replay(events, self._settings)
            self._replayed[index] = (len(events), found)
        return found
