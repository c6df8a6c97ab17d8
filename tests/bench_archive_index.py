"""What the index of an archive costs: made from all bags, then searched and listed, against a no-op.

python tests/bench_archive.py --entries 100000 --folder /tmp/archive
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

FICHE = str(Path(sys.executable).with_name("fiche"))
# Of 100 000 entries, on two processors.
REBUILD_S = 60.0
SEARCH_S = 0.200
QUESTIONS = {
    "a model on a card": ("search", "--model", "model-17b", "--card", "nvidia-l40s-48g"),
    "an outcome that all have": ("search", "--outcome", "passed"),
    "two words": ("search", "model-17b", "l40s"),
    "amounts of a quantity": ("search", "--quantity", "reserved", "--min", "10 GB"),
    "a digest": ("search", "--digest", "00000000"),
    "a list": ("list",),
}


def bench_index(where: Path, rounds: int) -> list[str]:
    """Print what was measured; return the names of what missed its bound."""
    started = time.perf_counter()
    spent = _spent([FICHE, "archive", "index", "--rebuild", "--archive", str(where)])
    wall = time.perf_counter() - started
    size = (where / "index.sqlite3").stat().st_size / 1e6
    print(
        f"archive index --rebuild: {wall:.1f} s, {spent:.1f} s of {os.cpu_count()} processors"
        f" (bound {REBUILD_S:.0f} s), {size:.0f} MB"
    )
    missed = ["archive index --rebuild"] if wall > REBUILD_S else []
    commands = {name: [FICHE, "archive", *told] for name, told in QUESTIONS.items()}
    found: dict[str, list[float]] = {"no-op": [], **{name: [] for name in commands}}
    for _ in range(rounds):  # by turns: what else the machine does falls on all alike
        found["no-op"].append(_spent([FICHE, "--version"]))
        for name, command in commands.items():
            found[name].append(_spent([*command, "--archive", str(where)]))
    noop = statistics.median(found.pop("no-op"))
    for name, times in found.items():
        above = statistics.median(times) - noop
        print(f"{name}: {above * 1000:+.0f} ms above a no-op (bound {SEARCH_S * 1000:+.0f} ms)")
        missed += [name] * (above > SEARCH_S)
    return missed


def _spent(command: list[str]) -> float:
    """Processor time of a command and its children, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
