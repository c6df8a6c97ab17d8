"""What a phase costs beside the work in it, on a simulated device: steps, journal and sync to disk.

    python tests/bench_recorder.py [rounds]

The floor is what the disk asks for the same two lines, appended and synced, in the same run; the
device's own synchronizations are not in it, since nothing is queued there.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from measure.simulated import simulated

from fiche.measure.protocol.recorder import recorder

PHASES = 300
# Microseconds of its own that a phase may take above its two synced lines; a loop's inner phase: in all.
MOST_ABOVE_US = 250
MOST_PASSIVE_US = 20


def bench_recorder(rounds: int = 5) -> list[str]:
    """Print a line a case; the names of those beyond their bound."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        floor, phased, passive = (
            statistics.median(
                each(folder / f"{number}-{each.__name__}") for number in range(rounds)
            )
            for each in (synced_lines, phases, inner_phases)
        )
    print(
        f"recorder   phase         {phased:8.0f} µs, two synced lines {floor:8.0f} µs,"
        f" above {phased - floor:+6.0f} µs (at most {MOST_ABOVE_US})"
    )
    print(f"recorder   inside a loop {passive:8.1f} µs (at most {MOST_PASSIVE_US})")
    missed = ["recorder"] if phased - floor > MOST_ABOVE_US else []
    return missed + (["recorder in a loop"] if passive > MOST_PASSIVE_US else [])


def phases(folder: Path) -> float:
    """Phases one after the other, each with dimensions of its own."""
    with recorder(folder / "m.json", device=simulated(), sample_ms=0) as rec:

        def one(number: int) -> None:
            with rec.phase("decode", new_tokens=number) as phase:
                phase.executed(new_tokens=number)

        return microseconds(one)


def inner_phases(folder: Path) -> float:
    """Phases inside a whole loop: they only give it their names (C8)."""
    with recorder(folder / "m.json", device=simulated(), sample_ms=0) as rec, rec.whole_loop():

        def one(number: int) -> None:
            with rec.phase("decode", new_tokens=number) as phase:
                phase.executed(new_tokens=number)

        return microseconds(one)


def synced_lines(folder: Path) -> float:
    """The bytes that a phase leaves in the journal, written and synced without the recorder."""
    folder.mkdir()
    with recorder(folder / "m.json", device=simulated(), sample_ms=0) as rec:
        with rec.phase("decode", new_tokens=1) as phase:
            phase.executed(new_tokens=1)
        (told,) = rec.document()["phases"]
    start = {key: told[key] for key in ("index", "name", "pass", "ordering", "declared")}
    lines = [
        (json.dumps({"event": "phase", "phase": each}) + "\n").encode() for each in (start, told)
    ]
    file = os.open(folder / "lines", os.O_WRONLY | os.O_CREAT)

    def one(_: int) -> None:
        for line in lines:
            os.write(file, line)
            os.fsync(file)

    try:
        return microseconds(one)
    finally:
        os.close(file)


def microseconds(one: Callable[[int], None]) -> float:
    """The mean of one call: phases differ little, and a mean hides no slow one."""
    began = time.perf_counter()
    for number in range(PHASES):
        one(number)
    return (time.perf_counter() - began) / PHASES * 1e6


if __name__ == "__main__":
    sys.exit(bool(bench_recorder(*map(int, sys.argv[1:]))))
