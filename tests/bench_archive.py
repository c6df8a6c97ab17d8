"""What an archive costs: adding to a large one, checking it against `sha256sum` on the same files.

    python tests/bench_archive.py --entries 100000 --folder /tmp/archive
    make bench                  the same with 10 000 entries

`make_archive` is the generator: entries as `fiche archive add` writes them, without waiting for the disk.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing import Process
from pathlib import Path

from bench_archive_index import bench_index
from bench_archive_noop import noop_command, spent, verdict

from fiche.archive.entry import Entry, Kept, Row
from fiche.archive.identity import id_of
from fiche.archive.store import Store

FICHE = str(Path(sys.executable).with_name("fiche"))
ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "samples" / "serving" / "evidence" / "run-limit.json"
ENTRIES = 10_000
# The bounds that these are held to.
ADD_S = 0.050
FIXITY = 1.5

MODELS = tuple(f"org-{n // 10}/model-{n}b" for n in range(1, 200))
CARDS = ("nvidia-rtx-4090-24g", "nvidia-h100-pcie-80g", "nvidia-l40s-48g", "amd-mi300x-192g")


def entry_number(n: int) -> tuple[Entry, dict[str, bytes]]:
    """A record of its own: one file of about a kilobyte, and the rows that one phase has."""
    model, card = MODELS[n % len(MODELS)], CARDS[n % len(CARDS)]
    peak = str(10_000_000_000 + 7919 * n)
    content = json.dumps({"format": "made-up/1", "n": n, "peak": peak, "pad": "x" * 900}).encode()
    name = f"run-{n}.json"
    sha256 = hashlib.sha256(content).hexdigest()
    files = (Kept(path=name, num_bytes=len(content), sha256=sha256, media_type="application/json"),)
    about = {"model": model, "card": card, "engine": "vllm", "engine_version": "0.28.0"}
    rows = tuple(
        Row(
            **about,
            operation="generation",
            phase="whole_loop",
            quantity=quantity,
            amount=peak,
            unit="B",
            origin="observed",
            outcome="passed",
            place=f"/phases/0/{quantity}",
        )
        for quantity in ("max_memory_allocated.peak", "max_memory_reserved.peak")
    )
    entry = Entry(
        id=id_of("record", files),
        kind="record",
        title=f"{model}, generation, {card}",
        date=f"20{20 + n % 7}-{1 + n % 12:02}-{1 + n % 28:02}",
        added="2026-12-01T10:00:00Z",
        main=name,
        files=files,
        rows=rows,
        format="fiche-measurement/1",
    )
    return entry, {name: content}


def make_archive(where: Path, count: int, start: int = 0) -> None:
    """Put so many entries into an archive, by every processor; those that are there stay."""
    Store.made(str(where))
    workers = os.cpu_count() or 1
    spans = [range(start + worker, start + count, workers) for worker in range(workers)]
    running = [Process(target=_put, args=(where, span)) for span in spans]
    for each in running:
        each.start()
    for each in running:
        each.join()
        assert each.exitcode == 0


def _put(where: Path, numbers: range) -> None:
    store = Store.opened(str(where))
    store.durable = False
    for n in numbers:
        store.put(*entry_number(n))


def bench_archive(rounds: int, entries: int = ENTRIES, folder: Path | None = None) -> list[str]:
    """Print what was measured; return the names of what missed its bound."""
    with tempfile.TemporaryDirectory() as made:
        where = (folder or Path(made)) / f"archive-{entries}"
        started = time.perf_counter()
        make_archive(where, entries)
        print(f"archive: {entries} entries made in {time.perf_counter() - started:.1f} s")
        missed = [*_add(where, rounds), *_fixity(where)]
        missed += [name for further in FURTHER for name in further(where, rounds)]
        if folder is None:
            shutil.rmtree(where)
    return missed


def _add(where: Path, rounds: int) -> Iterator[str]:
    """One record more, against a command that does nothing; processor time, and the wall."""
    told = json.loads(RECORD.read_text(encoding="utf-8"))
    found: dict[str, list[tuple[float, float]]] = {"noop": [], "add": []}
    with tempfile.TemporaryDirectory() as folder:
        command = noop_command(Path(folder))
        for n in range(rounds):
            told["series"]["id"] = f"bench-{os.getpid()}-{n}"
            record = Path(folder) / f"{n}.json"
            record.write_text(json.dumps(told), encoding="utf-8")
            found["noop"].append(spent(command))
            found["add"].append(
                spent([FICHE, "archive", "add", str(record), "--archive", str(where)])
            )
    for name, place in (("processor", 0), ("wall", 1)):
        noop, add = (statistics.median(one[place] for one in found[k]) for k in ("noop", "add"))
        told_of = f"archive add, {name}: {add * 1000:.0f} ms, a no-op {noop * 1000:.0f} ms"
        is_held = add - noop <= ADD_S
        bound = f"(bound {ADD_S * 1000:+.0f} ms: {verdict(is_held)})"
        print(f"{told_of}, {(add - noop) * 1000:+.0f} ms {bound}", flush=True)
        if not is_held:
            yield f"archive add, {name}"


def _fixity(where: Path) -> Iterator[str]:
    """A full check, against `sha256sum` over every file of every bag, by turns; once before, for the cache."""
    bags = str(where / "bags")
    floor = ["sh", "-c", f"find '{bags}' -type f -print0 | xargs -0 sha256sum"]
    check = [FICHE, "archive", "check", "--archive", str(where)]
    spent(floor)
    turns = [(spent(floor), spent(check)) for _ in range(3)]
    sums, own = (
        [statistics.median(turn[which][place] for turn in turns) for place in (0, 1)]
        for which in (0, 1)
    )
    ratio = statistics.median(check[1] / floor[1] for floor, check in turns)
    print(
        f"archive check: {own[1]:.2f} s ({own[0]:.1f} s of processor time), sha256sum {sums[1]:.2f} s"
        f" ({sums[0]:.1f} s), {ratio:.2f}x (bound {FIXITY}x: {verdict(ratio <= FIXITY)})",
        flush=True,
    )
    if ratio > FIXITY:
        yield "archive check"


# Further measurements of an archive, each given its folder and how many rounds: what missed its bound.
FURTHER: list[Callable[[Path, int], list[str]]] = [bench_index]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entries", type=int, default=ENTRIES)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--folder", type=Path, default=None, help="keep the archive in this folder")
    options = parser.parse_args()
    missed = bench_archive(options.rounds, options.entries, options.folder)
    print("all within their bounds" if not missed else f"beyond its bound: {', '.join(missed)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
