"""Readings of the system beside the allocator's, of a process as a whole (C2, C5, C6)."""

import json

from measure.simulated import MIB, SimulatedDevice, SimulatedDevices

from fiche.importers import _detect
from fiche.measure.wrapped.program import Program
from fiche.measure.wrapped.settings import Settings

USED, OTHERS = "process_device_bytes", "other_processes_bytes"


def program(tmp_path, devices):
    made = Program(Settings(str(tmp_path), "run", period_ms=60_000), devices)
    made.begin()
    return made


def phase_of(tmp_path):
    (journal,) = tmp_path.glob("program-*.json.journal")
    lines = journal.read_text().splitlines()
    return journal, json.loads(lines[-1])["phase"]


def test_the_largest_sample_is_no_peak_and_says_its_period(tmp_path):
    """C5: every counter keeps its name; at most the true peak."""
    told = iter([500, 900, 700, 700])
    device = SimulatedDevice()
    uses = {
        "cuda:0": lambda: {
            USED: (next(told) * MIB, "nvml_process_used"),
            OTHERS: (0, "nvml_others"),
        }
    }
    made = program(tmp_path, SimulatedDevices([device], uses=uses))
    device.allocate(300 * MIB)
    for _ in range(2):
        made._samples.take()
    made.end()
    journal, phase = phase_of(tmp_path)
    (entry,) = phase["devices"]
    assert entry[USED] == {
        "counter": "nvml_process_used",
        "sampled_max": 900 * MIB,
        "period_ms": 60_000,
        "end": 700 * MIB,
    }
    assert entry[OTHERS] == {"bytes": 0, "counter": "nvml_others"}
    assert "peak" not in entry[USED]
    assert (
        _detect.read(journal.read_bytes(), "0" * 64, "p.json.journal").runs[0].outcome == "success"
    )


def test_a_true_peak_of_the_process_is_one_where_the_machine_keeps_accounts(tmp_path):
    uses = {
        "cuda:0": {
            USED: (700 * MIB, "nvml_process_used"),
            "process_device_peak": (950 * MIB, "nvml_max"),
        }
    }
    device = SimulatedDevice()
    made = program(tmp_path, SimulatedDevices([device], uses=uses))
    device.allocate(300 * MIB)
    made.end()
    assert phase_of(tmp_path)[1]["devices"][0][USED]["peak"] == 950 * MIB


def test_what_cannot_be_read_is_absent(tmp_path):
    """C2: a counter that raises, a system without a tool."""
    device = SimulatedDevice()
    made = program(tmp_path, SimulatedDevices([device]))
    device.allocate(300 * MIB)
    for nth in range(20):
        device.fail("peak_reserved", nth, RuntimeError("not kept"))
    made.end()
    (entry,) = phase_of(tmp_path)[1]["devices"]
    assert "reserved_bytes" not in entry["peak"]
    assert USED not in entry
    assert "outside_allocator_bytes" not in entry


def test_a_device_that_only_holds_a_context_was_used(tmp_path):
    """The allocator says nothing of it; the system's tool does."""
    devices = SimulatedDevices([SimulatedDevice(0), SimulatedDevice(1), SimulatedDevice(2)])
    held = {"cuda:1": {USED: (400 * MIB, "nvml_process_used")}}
    devices.tool_use = lambda device: dict(held.get(device.name, {}))
    devices.uses = held
    made = program(tmp_path, devices)
    devices.all[0].allocate(MIB)
    made.end()
    entries = phase_of(tmp_path)[1]["devices"]
    assert [entry["device"] for entry in entries] == ["cuda:0", "cuda:1"]
    assert entries[1][USED]["end"] == 400 * MIB


def test_an_end_is_told_once(tmp_path):
    made = program(tmp_path, SimulatedDevices())
    made.end(RuntimeError("CUDA out of memory"))
    made.end()
    journal, phase = phase_of(tmp_path)
    assert phase["outcome"] == "failure"
    assert len(journal.read_text().splitlines()) == 3
