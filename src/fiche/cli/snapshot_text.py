"""A memory snapshot for a terminal: what each device held, when it peaked, and what was live then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from fiche.cli.terminal import paragraph, table
from fiche.kernel.piece import Reading
from fiche.report import numbers
from fiche.report.timeline import seconds

_SHOWN = 5
_MOST_POOLS = 4
_MOST_STREAMS = 8
_MOST_FAILURES = 3
_Told = Mapping[str, Any]


def snapshot_lines(reading: Reading) -> Iterator[str]:
    """About ten lines a device; the two peaks stand apart, each with its own instant (C4)."""
    levels = {
        (seen.device_index, seen.counter): seen.value.value
        for seen in reading.observations
        if seen.stat == "current" and seen.value is not None
    }
    largest = {told["device"]: told for told in _listed(reading, "largest_at_peak")}
    for device in _listed(reading, "devices"):
        index = device["device"]
        now = {counter: value for (which, counter), value in levels.items() if which == index}
        yield "\n"
        yield from _device(device, now)
        if index in largest:
            yield from _largest(largest[index])
    yield from _pools(_listed(reading, "private_pools"))
    yield from _failures(reading)
    yield from _labels(reading)


def _listed(reading: Reading, key: str) -> Sequence[_Told]:
    return cast("Sequence[_Told]", reading.further.get(key, ()))


def _device(device: _Told, now: Mapping[str, int | None]) -> Iterator[str]:
    window = device["window_us"]
    over = f" over {seconds(window)}" if window is not None else ""
    entries = numbers.exact(device["entries"])
    recorded = f", {entries} entries{over}" if device["entries"] else ", no history recorded"
    yield paragraph(f"Device {device['device']}{recorded}", indent="  ")
    peak = device["reserved_peak"]["bytes"] if "reserved_peak" in device else 0
    # One unit for all rows: they are compared by eye.
    unit = "GiB" if max(peak, now.get("reserved_bytes") or 0) >= 1 << 30 else "MiB"
    rows = [("now", "reserved", _memory(now.get("reserved_bytes"), unit), "")]
    rows.append(("", "allocated", _memory(now.get("allocated_bytes"), unit), ""))
    if "reserved_peak" in device:
        rows += _peaks(device, unit)
    yield table(rows, right=(2,), indent="    ")
    yield from _streams(device["streams"], unit)


def _streams(streams: Sequence[_Told], unit: str) -> Iterator[str]:
    """A line a stream, only where there are several."""
    for told in streams[:_MOST_STREAMS] if len(streams) > 1 else ():
        peak = told.get("reserved_peak")
        most = f", {_memory(peak['bytes'], unit)} at most {_when(peak)}" if peak else ""
        yield (
            f"    stream {told['stream']}  reserved {_memory(told['reserved'], unit)} now{most}\n"
        )
    if streams[_MOST_STREAMS:]:
        yield f"    {len(streams) - _MOST_STREAMS} further streams: see --json\n"


def _peaks(device: _Told, unit: str) -> Iterator[tuple[str, str, str, str]]:
    reserved, requested = device["reserved_peak"], device["requested_peak"]
    then = f"requested then {_memory(device['requested_then'], unit)}"
    yield ("peak", "reserved", _memory(reserved["bytes"], unit), f"{_when(reserved)}; {then}")
    if requested["bytes"] is None:
        return
    then = f"reserved then {_memory(device['reserved_then'], unit)}"
    yield ("peak", "requested", _memory(requested["bytes"], unit), f"{_when(requested)}; {then}")
    low, high = device["allocated_peak_at_least"], reserved["bytes"]
    yield (
        "peak",
        "allocated",
        f"{_memory(min(low, high), unit)} to {_memory(high, unit)}",
        "not recorded exactly",
    )


def _when(peak: _Told) -> str:
    if peak["entry"] < 0:
        return "when the window began"
    return f"at entry {peak['entry']}" if peak["us"] is None else f"at {seconds(peak['us'])}"


def _memory(value: int | None, unit: str = "GiB") -> str:
    return "not known" if value is None else numbers.memory(value, unit)


def _largest(told: _Told) -> Iterator[str]:
    if not told["groups"]:
        return
    yield "    Largest live allocations at the peak of requested bytes:\n"
    rows = [
        (_memory(g["bytes"]), numbers.exact(g["count"]), place(g)) for g in told["groups"][:_SHOWN]
    ]
    rest = [*told["groups"][_SHOWN:], *([told["others"]] if told["others"]["count"] else [])]
    if rest:
        held, count = (sum(group[key] for group in rest) for key in ("bytes", "count"))
        rows.append((_memory(held), numbers.exact(count), "elsewhere"))
    if told["not_told"]:
        rows.append((_memory(told["not_told"]), "", "not told by the trace"))
    yield table(rows, header=("bytes", "count", "allocated at"), right=(0, 1), indent="      ")


def place(group: _Told) -> str:
    """Where a group was allocated: the last two parts of the path, the line, the function."""
    if not group["line"] and not group["function"]:
        return str(group["file"])
    return f"{'/'.join(group['file'].split('/')[-2:])}:{group['line']} {group['function']}"


def _pools(pools: Sequence[_Told]) -> Iterator[str]:
    for pool in pools[:_MOST_POOLS]:
        one, other = pool["pool"]
        yield paragraph(
            f"Private pool ({one}, {other}) of device {pool['device']}: {_memory(pool['reserved'])} reserved "
            f"in {pool['segments']} segment(s), {_memory(pool['allocated'])} of it allocated",
            indent="  ",
        )
    if pools[_MOST_POOLS:]:
        yield f"  {len(pools) - _MOST_POOLS} further private pools: see --json\n"


def _failures(reading: Reading) -> Iterator[str]:
    for failure in reading.failures[:_MOST_FAILURES]:
        asked, free = (failure.quantities.get(key) for key in ("requested", "free"))
        told = f"asked the driver for {_memory(asked.value)}" if asked else "asked for more"
        told += f", {_memory(free.value)} free on the device" if free else ""
        yield paragraph(
            f"Out of memory on device {failure.device_index} ({failure.message}): {told}",
            indent="  ",
        )
    if reading.failures[_MOST_FAILURES:]:
        yield f"  {len(reading.failures) - _MOST_FAILURES} further failures: see --json\n"


def _labels(reading: Reading) -> Iterator[str]:
    names = [str(one["name"]) for one in _listed(reading, "annotations") if "name" in one]
    labels = [*dict.fromkeys([*names, *(str(w) for w in _listed(reading, "labels"))])]
    if labels:
        more = f" and {len(labels) - _SHOWN} more" if labels[_SHOWN:] else ""
        yield paragraph(f"Labels of the program: {', '.join(labels[:_SHOWN])}{more}", indent="  ")
