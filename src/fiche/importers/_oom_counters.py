"""`num_ooms` above zero: a failure without amount or time, once per device and process (C11).

A count runs on over the life of a process: of a series the largest count says it all.
"""

from __future__ import annotations

from fiche.importers._sheet import Sheet
from fiche.kernel.address import Pointer
from fiche.kernel.piece import Failure
from fiche.kernel.record import field, record

Device = int | None
Rank = int | str | None


@record(frozen=False, kw_only=False)
class OomCounts:
    """The largest count per device and process, and the sums of the other counts."""

    _failures: dict[tuple[Device, Rank], Failure] = field(default_factory=dict)
    _counts: dict[str, dict[object, int]] = field(default_factory=dict)
    _shown: int = 0

    def count(self, name: str, value: int, device: Device, rank: Rank) -> None:
        """Note a plain count; the largest of a device and process stays."""
        known = self._counts.setdefault(name, {})
        known[device, rank] = max(value, known.get((device, rank), 0))

    def ooms(
        self, at: Pointer, value: int, device: Device, rank: Rank, backend: str | None
    ) -> None:
        """Note how many allocations failed, as the allocator of one process counts them."""
        self.count("num_ooms", value, device, rank)
        if value <= 0:
            return
        self._shown += 1
        known = self._failures.get((device, rank))
        if known is None or (known.count or 0) < value:
            self._failures[device, rank] = Failure(
                pointer=at,
                message_kind="oom_counter",
                memory="device",
                backend=backend,
                device_index=device,
                rank=rank,
                count=value,
                message=at.text,
            )

    def close(self, sheet: Sheet) -> None:
        """Put failures and counts on the sheet."""
        sheet.failures.extend(self._failures.values())
        sheet.duplicate_messages += self._shown - len(self._failures)
        for name, known in self._counts.items():
            sheet.counters[name] = sum(known.values())
