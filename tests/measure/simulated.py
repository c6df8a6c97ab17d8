"""A device that only exists for the protocol's order of calls: every call is logged, counters are a script.

Nothing here measures anything. Its tensors lie on the CPU, its counters are what a test allots, and no
code of the package can make one.
"""

from __future__ import annotations

MIB = 1 << 20
NAME = "Simulated device (no GPU was measured)"
TOTAL = 24 * 1024 * MIB


class SimulatedDevice:
    """Counters of a caching allocator that a test drives by `allocate` and `release`.

    `fail(method, nth, error)` makes the nth call (from 0) of a method raise; `calls` is the log.
    `script` is a list of (allocated, reserved): each synchronization moves to the next.
    """

    def __init__(self, index=0, calls=None, script=(), place="cpu", kind="cuda"):
        self.index = index
        self.name = f"{kind}:{index}"
        self.place = place
        self.calls = [] if calls is None else calls
        self.levels = [0, 0]
        self.peaks = [0, 0]
        self.script = list(script)
        self.faults = {}
        self.counts = {}

    def allocate(self, amount):
        self.levels[0] += amount
        self.levels[1] = max(self.levels[1], -(-self.levels[0] // (2 * MIB)) * 2 * MIB)
        self._raise_peaks()

    def release(self, amount):
        self.levels[0] -= amount

    def fail(self, method, nth, error):
        self.faults[method, nth] = error

    def synchronize(self):
        self._call("synchronize")
        if self.script:
            self.levels = list(self.script.pop(0))
            self._raise_peaks()

    def allocated(self):
        self._call("allocated")
        return self.levels[0]

    def reserved(self):
        self._call("reserved")
        return self.levels[1]

    def peak_allocated(self):
        self._call("peak_allocated")
        return self.peaks[0]

    def peak_reserved(self):
        self._call("peak_reserved")
        return self.peaks[1]

    def reset_peaks(self):
        self._call("reset_peaks")
        self.peaks = list(self.levels)

    def empty_cache(self):
        self._call("empty_cache")
        self.levels[1] = -(-self.levels[0] // (2 * MIB)) * 2 * MIB

    def _raise_peaks(self):
        self.peaks = [max(pair) for pair in zip(self.peaks, self.levels, strict=True)]

    def _call(self, method):
        nth = self.counts.get(method, 0)
        self.counts[method] = nth + 1
        self.calls.append((self.name, method))
        if (method, nth) in self.faults:
            raise self.faults[method, nth]


class SimulatedDevices:
    """What `find_devices` would return; `use` answers with `uses[device name]` where a test sets it."""

    def __init__(self, devices=None, fresh=True, uses=None, backend="cuda"):
        self.all = tuple(devices or [SimulatedDevice()])
        self.fresh = fresh
        self.uses = uses or {}
        self.backend = backend

    @property
    def calls(self):
        return self.all[0].calls

    def environment(self):
        return {
            "python": "3.12.9",
            "framework": {"name": "torch", "version": "2.13.0"},
            "backend": self.backend,
            "allocator": {"backend": "native", "settings": "default"},
            "devices": [
                {"index": device.index, "name": NAME, "total_memory_bytes": TOTAL}
                for device in self.all
            ],
        }

    def use(self, device):
        told = self.uses.get(device.name, {})
        return dict(told() if callable(told) else told)


def simulated(num_devices=1, **told):
    """Devices that share one log of calls, so that the order across devices shows."""
    calls = []
    return SimulatedDevices([SimulatedDevice(index, calls) for index in range(num_devices)], **told)
