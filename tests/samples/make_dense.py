"""Writes the evidence of samples/dense: the form of a measurement, on a device that does not exist.

No GPU was at hand when this sample was made, so nothing in it is a reading of a card. The recorder, the
turns and the dense network are fiche's own; the device, its counters and the tensors are the simulated
ones of the tests, and every name in the files says so. Run it after a change of the record's format:

    python tests/samples/make_dense.py [FOLDER]
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from measure.lab import tiny_torch  # noqa: E402 - the tests' own
from measure.simulated import MIB, TOTAL, SimulatedDevice, SimulatedDevices  # noqa: E402

from fiche.measure.lab.command import series_path  # noqa: E402
from fiche.measure.protocol.dense import DenseNetwork  # noqa: E402
from fiche.measure.protocol.recorder import recorder  # noqa: E402
from fiche.measure.protocol.tool import NAME, VERSION  # noqa: E402
from fiche.measure.protocol.turns import ORDERINGS, measured  # noqa: E402

EVIDENCE = ROOT / "samples" / "dense" / "evidence"
MEASURED, LOOKED_AT = "simulated-machine-1", "simulated-machine-2"
CARD, DAY = "simulated-device-24g", "2026-11-30T00:00:00+00:00"
CONTEXT = 400 * MIB  # what the simulated process holds beside its allocator's reserve
OPTIONS = {"batch": 2, "context": 128, "width": 1024, "dtype": "float32"}
COUNTS = {"warmups": 3, "repeats": 5, "empty_cache": "never"}


def main(folder: Path = EVIDENCE) -> None:
    """Write three files, over those that are there."""
    for name, document in documents().items():
        text = json.dumps(document, indent=1) + "\n"
        (folder / name).write_text(text, encoding="utf-8")


def documents() -> dict[str, dict[str, Any]]:
    """The record by phases, the one of the whole loop, and the account of the machine, by file name."""
    found = {}
    for ordering in ORDERINGS:
        name = series_path(Path("run-dense.json"), ordering).name
        found[name] = series(ordering)
    found["environment.json"] = account()
    return found


def series(ordering: str) -> dict[str, Any]:
    """One record, without what would differ each time: process id and durations."""
    machine = simulated_machine()
    before = sys.modules.get("torch")
    tiny_torch.install(machine.all[0])
    try:
        with tempfile.TemporaryDirectory() as folder:
            network = DenseNetwork(OPTIONS)
            told = {"gpu": CARD, "machine": MEASURED, "run": "run-dense", **COUNTS}
            path = series_path(Path(folder) / "run-dense.json", ordering)
            rec = recorder(path, device=machine, workload=network.words, sample_ms=0, **told)
            with rec:
                measured(rec, network, ordering=ordering, **COUNTS)
            document = json.loads(path.read_text(encoding="utf-8"))
    finally:
        sys.modules.pop("torch")
        if before is not None:
            sys.modules["torch"] = before
    del document["series"]["process"]["pid"]
    document["series"]["started_at"] = DAY
    for phase in document["phases"]:
        phase.pop("duration_ns", None)
    return document


def account() -> dict[str, Any]:
    """As `fiche environment --json` writes it."""
    machine = simulated_machine()
    use = {key: told for key, told in machine.use(machine.all[0]).items() if "peak" not in key}
    readings = {key: {"bytes": count, "counter": name} for key, (count, name) in use.items()}
    return {
        "format": "fiche-environment/1",
        "tool": {"name": NAME, "version": VERSION},
        "observed_at": DAY,
        "machine": LOOKED_AT,
        "environment": machine.environment(),
        "readings": [{"device": machine.all[0].name, **readings}],
    }


def simulated_machine() -> SimulatedDevices:
    """One device, with the readings that a system's tool would add."""
    device = SimulatedDevice()
    largest = [0]

    def use() -> dict[str, tuple[int, str]]:
        held = device.levels[1] + CONTEXT
        largest[0] = max(largest[0], device.peaks[1] + CONTEXT)
        return {
            "process_device_bytes": (held, "simulated_process_used"),
            "process_device_peak": (largest[0], "simulated_process_peak"),
            "other_processes_bytes": (0, "simulated_other_processes"),
            "free_bytes": (TOTAL - held, "simulated_free"),
        }

    return SimulatedDevices([device], uses={"cuda:0": use})


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
