"""Labels that a program put beside its trace, as stretches of the recorded window: its words, never phases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fiche.importers._snapshot_columns import NO_TIME, Columns

_START, _END = "START", "END"
_MOST = 60


def labelled(
    trace: Columns, device: int, annotations: Sequence[Mapping[str, object]]
) -> list[dict[str, object]]:
    """Each label with its two instants in microseconds since the first entry, as far as they lie in the window.

    A label without its start or its end, or without times, is no stretch; they come in the order of starts.
    """
    if not len(trace) or trace.times[0] == NO_TIME or trace.times[-1] == NO_TIME:
        return []
    first, last = trace.times[0], trace.times[-1]
    began: dict[str, list[int]] = {}
    found: list[tuple[int, int, str]] = []
    for one in annotations:
        name, stage, at = one.get("name"), one.get("stage"), one.get("time_us")
        if one.get("device", device) != device or not isinstance(name, str) or type(at) is not int:
            continue
        if stage == _START:
            began.setdefault(name, []).append(at)
        elif stage == _END and began.get(name):
            start = max(began[name].pop(), first)
            if start < min(at, last):
                found.append((start - first, min(at, last) - first, name))
    return [
        {"name": name, "from_us": start, "to_us": end}
        for start, end, name in sorted(found, key=lambda one: (one[0], -one[1]))[:_MOST]
    ]
