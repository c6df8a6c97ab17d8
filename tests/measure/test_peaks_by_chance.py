"""Whatever a program does, a peak that is told is the true one, and the record can be read (C2, C3, C11)."""

import contextlib
import json
import random

import pytest
from measure.simulated import MIB, simulated

from fiche.importers.fiche_record import read
from fiche.measure.protocol.recorder import recorder
from fiche.measure.protocol.resets import ResetWatch

FAULTS = ("allocated", "reserved", "peak_allocated", "peak_reserved", "reset_peaks", "synchronize")


class Native:
    """PyTorch's native module, whose reset this device's goes through."""

    def __init__(self, machine):
        self._machine = machine

    def _cuda_resetPeakMemoryStats(self, index):  # noqa: N802 - PyTorch's name
        device = self._machine.all[index]
        device.peaks = list(device.levels)


class Program:
    """Random phases inside each other, loops, work, failures, interruptions, resets of its own."""

    def __init__(self, seed, faulty):
        self.chance = random.Random(seed)
        self.machine = simulated(num_devices=2)
        self.faulty = faulty
        native = Native(self.machine)
        for device in self.machine.all:
            reset = device.reset_peaks
            device.reset_peaks = self._through(native, device, reset)
        self.machine.watch_resets = lambda before: ResetWatch(native, before)
        self.native = native
        self.running = []
        self.truth = {}

    def _through(self, native, device, reset):
        def reset_peaks():
            reset.__self__._call("reset_peaks")  # may fail, and then resets nothing
            native._cuda_resetPeakMemoryStats(device.index)

        return reset_peaks

    def run(self, rec, depth=0):
        for _ in range(self.chance.randrange(1, 5)):
            step = self.chance.choice(("work", "work", "phase", "phase", "loop", "reset", "raise"))
            if step == "work":
                self.work()
            elif step == "reset":
                self.native._cuda_resetPeakMemoryStats(self.chance.randrange(2))
            elif step == "raise" and depth:
                raise self.chance.choice((RuntimeError("no"), KeyboardInterrupt()))
            elif step in ("phase", "loop") and depth < 4:
                self.nested(rec, step, depth)

    def nested(self, rec, step, depth):
        make = rec.phase if step == "phase" else rec.whole_loop
        name = self.chance.choice(("one", "two", "three"))
        try:
            with make(name) as phase:
                mine = [list(device.levels) for device in self.machine.all]
                self.running.append(mine)
                try:
                    self.run(rec, depth + 1)
                finally:
                    self.running.pop()
                    self.truth[id(phase)] = (phase, mine)
        except (RuntimeError, KeyboardInterrupt):
            if self.chance.random() < 0.3:
                raise

    def work(self):
        device = self.chance.choice(self.machine.all)
        amount = self.chance.randrange(1, 300) * MIB
        device.allocate(amount)
        for mine in self.running:
            most = mine[device.index]
            mine[device.index] = [max(pair) for pair in zip(most, device.levels, strict=True)]
        device.release(min(amount, self.chance.randrange(0, 400) * MIB))
        if self.chance.random() < 0.2:
            device.levels[1] = -(-device.levels[0] // (2 * MIB)) * 2 * MIB  # empty_cache

    def spoil(self):
        for _ in range(self.faulty and self.chance.randrange(6)):
            device = self.chance.choice(self.machine.all)
            error = self.chance.choice((RuntimeError("lost"), KeyboardInterrupt()))
            device.fail(self.chance.choice(FAULTS), self.chance.randrange(12), error)


@pytest.mark.parametrize("faulty", [False, True])
def test_a_peak_that_is_told_is_the_true_one(tmp_path, faulty):
    counted = told_peaks = 0
    for seed in range(150):
        path = tmp_path / f"{seed}.json"
        program = Program(seed, faulty)
        program.spoil()
        begun = {}
        with recorder(path, device=program.machine, sample_ms=0) as rec:
            opened = rec._opened

            def noted(phase, opened=opened, begun=begun):
                made = opened(phase)
                begun[id(phase)] = made.start["index"]
                return made

            rec._opened = noted
            with contextlib.suppress(RuntimeError, KeyboardInterrupt):
                program.run(rec)
        read(path.read_bytes(), "0" * 64)
        true = {begun[key]: mine for key, (_, mine) in program.truth.items() if key in begun}
        for phase in json.loads(path.read_text("utf-8"))["phases"]:
            for device in phase["devices"]:
                mine = true.get(phase["index"])
                place = int(device["device"][-1])
                for column, counter in enumerate(("allocated_bytes", "reserved_bytes")):
                    counted += 1
                    if counter in device.get("peak", {}):
                        told_peaks += 1
                        assert device["peak"][counter] == mine[place][column], (seed, phase)
    assert told_peaks == counted if not faulty else told_peaks > counted / 4
    assert counted > 300
