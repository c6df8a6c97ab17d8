"""How fast many measurement records are read and put together, in this process.

    python tests/bench_records.py [rounds]

10 000 records of a dense measurement with four phases (2 to 3 KB each, four ranks a run): strict JSON, schema
and order of each, and the ranks of each run put together. Beside it the full reading of some, as a fiche that
cites them reads them, and one row of a folder's table each.
"""

from __future__ import annotations

import gc
import hashlib
import json
import statistics
import sys
import time

from fiche.importers._record_merge import RankRecord, merged
from fiche.importers._record_rows import row_of
from fiche.importers.fiche_record import MEMBER, record_form

RECORDS, RANKS, READ = 10_000, 4, 500
MOST_S = 2.0
MIB = 1 << 20


def bench_records(rounds: int = 3) -> list[str]:
    """Print a line a case; the names of those beyond their bound."""
    contents = [one(number) for number in range(RECORDS)]
    together(contents[: 40 * RANKS])  # schema and decoders are made once
    seconds = statistics.median(timed(lambda: together(contents)) for _ in range(rounds))
    kept = seconds <= MOST_S
    length = sum(map(len, contents)) / len(contents)
    print(
        f"records  {seconds:7.2f} s for {RECORDS} of {length:.0f} B read and put together by {RANKS}   "
        f"{'within' if kept else 'BEYOND'} {MOST_S} s  ({rounds} rounds)",
        flush=True,
    )
    each = statistics.median(timed(lambda: cited(contents[:READ])) for _ in range(rounds)) / READ
    row = statistics.median(timed(lambda: listed(contents[:READ])) for _ in range(rounds)) / READ
    print(
        f"records  {each * 1e6:7.0f} us for the full reading of one, {row * 1e6:.0f} us for its row",
        flush=True,
    )
    return [] if kept else ["records"]


def timed(work) -> float:
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def together(contents: list[bytes]) -> None:
    """What `fiche import --merge` does, but for the disk."""
    for place in range(0, len(contents), RANKS):
        ranks = []
        for content in contents[place : place + RANKS]:
            sha256 = hashlib.sha256(content).hexdigest()
            found = record_form(content, sha256)
            ranks.append(
                RankRecord(document=found.document, unfinished=(), sha256=sha256, name="m.json")
            )
        assert len(merged(ranks)["phases"]) == RANKS


def listed(contents: list[bytes]) -> None:
    """What `fiche import FOLDER` does, but for the disk."""
    for content in contents:
        found = record_form(content, hashlib.sha256(content).hexdigest())
        assert row_of(found, "m.json").outcome == "success"


def cited(contents: list[bytes]) -> None:
    for content in contents:
        assert len(MEMBER.read(content, "00" * 32).runs) == 4


def one(number: int) -> bytes:
    run, rank = divmod(number, RANKS)
    document = {
        "format": "fiche-measurement/1",
        "tool": {"name": "fiche", "version": "0.1.0"},
        "series": {
            "id": f"run-{run}-rank{rank}",
            "run": f"run-{run}",
            "started_at": "2026-11-20T09:00:00+01:00",
            "process": {"protocol": "one fresh process per series", "pid": 4000 + number},
            "warmups": 1,
            "repeats": 1,
            "empty_cache": "never",
            "seed": 0,
            "rank": {"rank": rank, "world": RANKS, "local_rank": rank, "node": "0"},
        },
        "environment": environment(number, rank),
        "workload": {
            "model": {"name": "dense-512-2048"},
            "operation": "training",
            "engine": {"name": "torch", "version": "2.11.0"},
            "formats": {"storage": "fp32", "compute": "fp32"},
            "placement": {"devices": RANKS, "resident": "all"},
        },
        "phases": [phase(place, name, rank) for place, name in enumerate(PHASES)],
    }
    return json.dumps(document, separators=(",", ":")).encode()


PHASES = ("model_load", "inputs", "cold_forward", "warm_forward")


def environment(number: int, rank: int) -> dict[str, object]:
    card = {"name": "NVIDIA H200", "total_memory_bytes": 150_000_000_000, "ecc": "on"}
    return {
        "python": "3.12.9",
        "framework": {"name": "torch", "version": "2.11.0+cu128"},
        "backend": "cuda",
        "runtime": "12.8",
        "driver": "590.44.01",
        "os": "Linux 6.8",
        "allocator": {"backend": "native", "settings": "default"},
        "devices": [{"index": rank, **card, "uuid": f"GPU-{number}"}],
    }


def phase(place: int, name: str, rank: int) -> dict[str, object]:
    levels = {"allocated_bytes": 8 * MIB + place, "reserved_bytes": 20 * MIB}
    used = {"counter": "nvml_process_used", "start": 500 * MIB, "sampled_max": 520 * MIB}
    return {
        "index": place,
        "name": name,
        "pass": "later" if name == "warm_forward" else "first",
        "ordering": "phased",
        "declared": {"microbatch": 64},
        "executed": {"microbatch": 64},
        "outcome": "success",
        "devices": [
            {
                "device": f"cuda:{rank}",
                "start": levels,
                "peak": levels,
                "end": levels,
                "process_device_bytes": used,
                "other_processes_bytes": {"bytes": 0, "counter": "nvml_process_used"},
            }
        ],
        "duration_ns": 123_456_789,
    }


if __name__ == "__main__":
    bench_records(int(sys.argv[1]) if sys.argv[1:] else 3)
