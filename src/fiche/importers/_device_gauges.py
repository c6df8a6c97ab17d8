"""Samples of a device tool, gathered per device: one reading of each, or the largest of a series (C2, C5).

What a tool shows of a device is of the whole device, every process on it: never the need of a
workload. The largest of several samples is at most the true peak.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fiche.importers._device_tracks import MAX_TRACKS, Device, Key, Names, Track, whole_name
from fiche.importers._sheet import Sheet
from fiche.kernel.address import Pointer
from fiche.kernel.fact import Fact
from fiche.kernel.piece import Capacity, Printed
from fiche.kernel.rounding import bounds_only
from fiche.kernel.said import tell

_STATS = {"used": "current", "total": "total", "free": "free", "reserved": "reserved"}
_DETAILS = ("name", "bus_id", "uuid", "driver_model", "persistence", "ecc", "mig_mode")
_SHARED = (("device", "name"), ("ecc", "ecc"), ("mig", "mig_mode"), ("persistence", "persistence"))


@dataclass(slots=True)
class Gauges:
    """Gathers samples; `close` writes them into the sheet."""

    sheet: Sheet
    names: Names
    devices: dict[Key, Device] = field(default_factory=dict)
    times: list[tuple[Key, int]] = field(default_factory=list)
    left_out: int = 0

    def device(self, key: Key, index: int | None = None, **marks: object) -> Device:
        """The device of a key; beyond `MAX_TRACKS` of them the samples go to one that is not listed."""
        known = self.devices.get(key)
        if known is None:
            known = Device(index=index, marks=dict(marks))
            if len(self.devices) < MAX_TRACKS:
                self.devices[key] = known
            else:
                self.left_out += 1
        return known

    def sample(self, device: Device, what: str, place: Pointer, value: Printed) -> None:
        """Count one figure of a device."""
        device.tracks.setdefault(what, Track()).add(place, value)

    def process(
        self, device: Device, key: Key, place: Pointer, value: Printed, **marks: object
    ) -> None:
        """Count the figure of a process on a device."""
        device.listed = True
        if key not in device.processes and len(device.processes) >= MAX_TRACKS:
            self.left_out += 1
            return
        device.processes.setdefault(key, (dict(marks), Track()))[1].add(place, value)

    def time(self, key: Key, milliseconds: int | None) -> None:
        """Note when a device was sampled; enough of them to tell the period."""
        if milliseconds is not None and len(self.times) < MAX_TRACKS:
            self.times.append((key, milliseconds))

    @property
    def samples(self) -> int:
        """How often the device that was sampled most was sampled."""
        counts = [t.count for device in self.devices.values() for t in device.tracks.values()]
        counts += [t.count for d in self.devices.values() for _, t in d.processes.values()]
        return max(counts, default=0)

    @property
    def empty(self) -> bool:
        """True where no figure was met, not even a missing one."""
        return self.samples == 0

    def number(self, attached: int | None) -> None:
        """Count the devices of a report that lists all that are attached, in its order."""
        whole = [device for device in self.devices.values() if device.slice_of is None]
        if attached != len(whole):
            return
        for order, device in enumerate(whole):
            device.order = order
        if len(whole) > 1:
            self.sheet.warn(
                tell(
                    "index_by_order: devices are named by bus; totals are counted in the report's order, "
                    "as the tool counts them elsewhere"
                )
            )

    def close(self) -> None:
        """Write everything into the sheet: figures, totals, facts, doubts."""
        series = self.samples > 1
        for device in self.devices.values():
            self._figures(device, series=series)
        for device in self.devices.values():
            self._processes(device, series=series)
        for device in self.devices.values():
            self._total(device)
        if any("used" in device.tracks for device in self.devices.values()):
            self.sheet.warn(
                tell(
                    "whole_device: what is used on a device is used by all processes on it, and is the "
                    "need of none"
                )
            )
        self._facts()
        if series:
            self._series()
        if self.left_out:
            self.sheet.warn(
                tell(
                    "left_out: {left_out} samples beyond {max_tracks} devices or processes are left out",
                    left_out=self.left_out,
                    max_tracks=MAX_TRACKS,
                )
            )

    def _figures(self, device: Device, *, series: bool) -> None:
        for what, counter in self.names.counters.items():
            track = device.tracks.get(what)
            if track is None or what == "process":
                continue
            stat = _STATS[what]
            chosen = track.first
            if what == "used" and series:
                stat, chosen = "sampled_max", track.largest
            if what == "free" and series:
                chosen = track.smallest
            chosen = chosen or track.absent
            if chosen is not None:
                self._see(device, counter, chosen, stat, "device", {})
            if what in ("total", "reserved") and track.differs:
                self.sheet.warn(
                    f"{what}_differs: {counter} of {_called(device)} is not the same in all samples; the "
                    "first is listed"
                )

    def _processes(self, device: Device, *, series: bool) -> None:
        for marks, track in device.processes.values():
            chosen = track.largest or track.absent
            if chosen is None:
                continue
            stat = "sampled_max" if series else "current"
            self._see(device, self.names.counters["process"], chosen, stat, "process", marks)
            if track.largest is None:
                self.sheet.warn(
                    tell(
                        "process_memory_unavailable: the driver does not tell the memory of each process: "
                        "missing, not zero"
                    )
                )

    def _see(
        self,
        device: Device,
        counter: str,
        chosen: tuple[Pointer, Printed],
        stat: str,
        scope: str,
        marks: dict[str, object],
    ) -> None:
        place, value = chosen
        self.sheet.see(
            place,
            counter,
            value,
            scope=scope,
            stat=stat,
            device_index=device.index,
            marks={**device.marks, **marks},
        )

    def _total(self, device: Device) -> None:
        """The total of a device, with what others can have held while nothing computed on it.

        One that changes between samples is that of several devices, or of one that was set up anew.
        """
        track = device.tracks.get("total")
        if not self.names.capacity or track is None or track.first is None or device.slice_of:
            return
        if track.differs:
            return
        place, value = track.first
        self.sheet.capacities.append(
            Capacity(
                counter=self.names.capacity,
                value=value,
                device_index=device.counted,
                pointer=place,
                device_name=whole_name(device.details["name"][0])
                if "name" in device.details
                else "",
                others=self._others(device),
                others_pointer=device.tracks["used"].largest[0]
                if "used" in device.tracks and device.tracks["used"].largest
                else None,
            )
        )

    def _others(self, device: Device) -> Printed | None:
        """What others held: told only where the list shows that no process computed.

        With processes that compute the tool does not say which of them is the workload's own.
        """
        used = device.tracks.get("used")
        if device.listed is None or used is None or used.largest is None:
            return None
        computing = [m for m, _ in device.processes.values() if m.get("type", "C") != "G"]
        if computing:
            self.sheet.warn(
                tell(
                    "processes_present: processes computed on the device while it was read; the tool "
                    "does not say which of them belong to the workload"
                )
            )
            return None
        low = sum((t.first[1].low or 0) for _, t in device.processes.values() if t.first)
        high = used.largest[1].high
        low = min(low, high) if high is not None else low
        return bounds_only("in use on the device while no process was computing", low, high)

    def _facts(self) -> None:
        whole = [device for device in self.devices.values() if device.slice_of is None]
        for device in whole:
            for word in ("name", "ecc", "uuid") if device.counted is not None else ():
                if word in device.details:
                    value, place = device.details[word]
                    value = whole_name(value) if word == "name" else value
                    self.sheet.facts[f"devices.{device.counted}.{word}"] = Fact(
                        value=value, address=place
                    )
        for path, word in _SHARED:
            told = [device.details.get(word) for device in whole]
            values = {whole_name(t[0]) if word == "name" else t[0] for t in told if t}
            if len(values) == 1 and all(told) and told[0]:
                self.sheet.facts[path] = Fact(value=values.pop(), address=told[0][1])
        described = [_described(device) for device in whole if device.details]
        if described:
            self.sheet.further.setdefault("devices", described)
        if len({d["name"] for d in described if "name" in d}) > 1:
            self.sheet.warn(
                tell(
                    "index_order: the devices differ, and the tool counts them by bus; a program may "
                    "count them otherwise (CUDA_DEVICE_ORDER)"
                )
            )

    def _series(self) -> None:
        self.sheet.further["samples"] = self.samples
        period = self._period()
        if period is not None:
            self.sheet.further["sample_period_s"] = period / 1000
        self.sheet.warn(
            tell(
                "sampled: of all samples the largest use and the least free memory are listed; the "
                "largest is at most the true peak"
            )
        )
        for device in self.devices.values():
            used = device.tracks.get("used")
            if used is not None and used.missing:
                self.sheet.warn(
                    tell(
                        "samples_missing: {missing} of {count} samples of {called} have no value: missing, "
                        "not zero",
                        missing=used.missing,
                        count=used.count,
                        called=_called(device),
                    )
                )

    def _period(self) -> int | None:
        """The usual time between two samples of one device, in milliseconds."""
        gaps, last = [], dict[Key, int]()
        for key, now in self.times:
            if key in last and now > last[key]:
                gaps.append(now - last[key])
            last[key] = now
        return sorted(gaps)[len(gaps) // 2] if gaps else None


def _described(device: Device) -> dict[str, object]:
    told: dict[str, object] = {"index": device.index, **device.marks}
    told.update((word, device.details[word][0]) for word in _DETAILS if word in device.details)
    return told


def _called(device: Device) -> str:
    if device.index is not None:
        return f"device {device.index}"
    return next((str(mark) for mark in device.marks.values()), "the device")
