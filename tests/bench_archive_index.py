"""What the index of an archive costs: made from all bags, then searched and listed, against a no-op.

python tests/bench_archive.py --entries 100000 --folder /tmp/archive
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from bench_archive_noop import noop_command, spent, verdict

FICHE = str(Path(sys.executable).with_name("fiche"))
# Of 100 000 entries, on two processors.
REBUILD_S = 60.0
SEARCH_S = 0.200
QUESTIONS = {
    "a model on a card": ("search", "--model", "model-17b", "--card", "nvidia-l40s-48g"),
    "an outcome that all have": ("search", "--outcome", "passed"),
    "a word": ("search", "model-17b"),
    "a word that all have": ("search", "generation"),
    "two words": ("search", "model-17b", "l40s"),
    "amounts of a quantity": ("search", "--quantity", "reserved", "--min", "10 GB"),
    "all by amount": ("search", "--sort", "amount"),
    "all by model": ("search", "--sort=-model"),
    "a digest": ("search", "--digest", "00000000"),
    "a list": ("list",),
}


def bench_index(where: Path, rounds: int) -> list[str]:
    """Print what was measured; return the names of what missed its bound."""
    rebuild = [FICHE, "archive", "index", "--rebuild", "--archive", str(where)]
    processor, wall = spent(rebuild)
    size = (where / "index.sqlite3").stat().st_size / 1e6
    is_held = wall <= REBUILD_S
    print(
        f"archive index --rebuild: {wall:.1f} s, {processor:.1f} s of processor time, {size:.0f} MB"
        f" (bound {REBUILD_S:.0f} s: {verdict(is_held)})",
        flush=True,
    )
    missed = [] if is_held else ["archive index --rebuild"]
    commands = {
        name: [FICHE, "archive", *told, "--archive", str(where)] for name, told in QUESTIONS.items()
    }
    found: dict[str, list[float]] = {"no-op": [], **{name: [] for name in commands}}
    with tempfile.TemporaryDirectory() as folder:
        noop = noop_command(Path(folder))
        for _ in range(rounds):  # by turns: what else the machine does falls on all alike
            found["no-op"].append(spent(noop)[0])
            for name, command in commands.items():
                found[name].append(spent(command)[0])
    floor = statistics.median(found.pop("no-op"))
    for name, times in found.items():
        above = statistics.median(times) - floor
        print(
            f"{name}: {above * 1000:+.0f} ms of processor time above a no-op of {floor * 1000:.0f} ms"
            f" (bound {SEARCH_S * 1000:+.0f} ms: {verdict(above <= SEARCH_S)})"
        )
        missed += [name] * (above > SEARCH_S)
    return missed
