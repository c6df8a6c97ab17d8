"""How long a memory snapshot of 200 MB takes to read against torch's own tool, and how much memory.

    python tests/bench_snapshot.py [rounds]

The floor is `pickle.load` and `torch.cuda._memory_viz.trace` of the same file, in the same run; importing
torch is not timed, and not counted as memory. Two files, written as torch 2.13 writes them: one in which
entries share their lists of frames, one in which each allocation has a list of its own, as in real dumps.
"""

from __future__ import annotations

import importlib.util
import os
import pickle
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

NUM_BYTES = 200_000_000
BOUNDS = {"snapshot": (2.5, 0.6), "snapshot, own frames": (2.5, 0.6)}
SEGMENTS, SLOTS, SLOT = 40, 256, 4 << 20
FRAMES, STACKS, DEPTH = 400, 300, 12
OURS = """
import hashlib, sys, time
from fiche.importers.torch_snapshot import MEMBER
start = time.process_time()
content = open(sys.argv[1], "rb").read()
reading = MEMBER.read(content, "0" * 64)
seconds, before = time.process_time() - start, 0
"""
THEIRS = """
import pickle, sys, time
from torch.cuda._memory_viz import trace
status = open("/proc/self/status").read()
before = int(status[status.index("VmHWM"):].split()[1])
start = time.process_time()
with open(sys.argv[1], "rb") as file:
    snapshot = pickle.load(file)
text = trace(snapshot)
seconds = time.process_time() - start
"""
TOLD = """
status = open("/proc/self/status").read()
print(seconds, (int(status[status.index("VmHWM"):].split()[1]) - before) / 1024)
"""


def bench_snapshot(rounds: int = 3) -> list[str]:
    """Print a line a file; the names of those beyond their bound."""
    if importlib.util.find_spec("torch") is None or not Path("/proc/self/status").exists():
        print("snapshot: torch is not installed here (or this is no Linux), so there is no floor")
        return []
    with tempfile.TemporaryDirectory() as folder:
        missed = []
        for name, own in zip(BOUNDS, (False, True), strict=True):
            path = Path(folder) / "snapshot.pickle"
            # In a process of its own: what it builds takes ten times the file.
            subprocess.run([sys.executable, __file__, "write", str(path), str(own)], check=True)
            missed += [] if within(name, path, rounds) else [name]
        return missed


def within(name: str, path: Path, rounds: int) -> bool:
    measured(OURS, path)  # the first run fills the caches of the system
    ours, theirs = ([measured(code, path) for _ in range(rounds)] for code in (OURS, THEIRS))
    (seconds, mebibytes), (floor_s, floor_mib) = (
        [statistics.median(run[place] for run in runs) for place in (0, 1)]
        for runs in (ours, theirs)
    )
    faster, leaner = floor_s / seconds, mebibytes / floor_mib
    least, most = BOUNDS[name]
    kept = faster >= least and leaner <= most
    print(
        f"{name:20} {path.stat().st_size / 1e6:5.0f} MB   {seconds:5.2f} s, {mebibytes:5.0f} MiB   "
        f"pickle.load and trace {floor_s:5.2f} s, {floor_mib:5.0f} MiB   {faster:.2f} times as fast, "
        f"{leaner:.2f} of the memory   {'within' if kept else 'BEYOND'} {least}, {most}  "
        f"({rounds} rounds)",
        flush=True,
    )
    return kept


def measured(code: str, path: Path) -> list[float]:
    """Processor seconds of a process (on a busy machine wall time says little), and its most MiB."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", code + TOLD, str(path)]
    ended = subprocess.run(command, check=True, env=environment, capture_output=True, text=True)
    return [float(part) for part in ended.stdout.split()]


def write(path: Path, *, own: bool, num_bytes: int = NUM_BYTES) -> None:
    """A process that allocates and frees, in the keys and with the sharing of torch's own writer."""
    entries = num_bytes // (133 if own else 80)
    choose = random.Random(7)
    frames = [
        {"filename": f"/srv/job/{n % 40:02}.py", "line": 10 + n, "name": f"fn_{n}"}
        for n in range(FRAMES)
    ]
    stacks = [choose.choices(frames, k=DEPTH) for _ in range(STACKS)]
    trace: list[dict[str, object]] = []

    def note(action: str, address: int, size: int, stack: list[object]) -> None:
        trace.append(
            {
                "action": action,
                "addr": address,
                "size": size,
                "stream": 0,
                "time_us": 1_770_000_000_000_000 + 17 * len(trace),
                "compile_context": "".join(("N", "/A")),  # a text of its own in every entry
                "user_metadata": "",
                "frames": stack,
            }
        )

    bases = [0x7F2000000000 + n * SLOTS * SLOT for n in range(SEGMENTS)]
    for base in bases:
        note("segment_alloc", base, SLOTS * SLOT, stacks[0])
    free = [base + n * SLOT for base in bases for n in range(SLOTS)]
    choose.shuffle(free)
    live: dict[int, tuple[int, list[object]]] = {}
    wanted = 2000
    while len(trace) < entries:
        wanted = max(100, min(9000, wanted + choose.randrange(-30, 31)))
        stack = [*choose.choice(stacks)] if own else choose.choice(stacks)
        if len(live) < wanted:
            address, size = free.pop(), choose.randrange(512, SLOT)
            live[address] = (size, stack)
            note("alloc", address, size, stack)
        else:
            address = next(iter(live)) if choose.random() < 0.3 else next(reversed(live))
            size, _ = live.pop(address)
            note("free_requested", address, size, stack)
            note("free_completed", address, size, stack)
            free.append(address)
    with path.open("wb") as file:
        pickle.dump(dump([segment(base, live, stacks[0]) for base in bases], trace), file)


def dump(segments: list[object], trace: list[dict[str, object]]) -> dict[str, object]:
    return {
        "segments": segments,
        "device_traces": [trace],
        "allocator_settings": {
            "PYTORCH_CUDA_ALLOC_CONF": "",
            "max_split_size": -1,
            "garbage_collection_threshold": 0.0,
            "expandable_segments": False,
            "roundup_power2_divisions": {"1": 0},
        },
        "external_annotations": [],
    }


def segment(
    base: int, live: dict[int, tuple[int, list[object]]], stack: list[object]
) -> dict[str, object]:
    blocks: list[dict[str, object]] = []
    asked = used = 0
    for address in range(base, base + SLOTS * SLOT, SLOT):
        size, frames = live.get(address, (0, []))
        block = -(-size // 512) * 512
        asked, used = asked + size, used + block
        if size:
            blocks.append(
                {
                    "address": address,
                    "size": block,
                    "requested_size": size,
                    "state": "active_allocated",
                    "frames": frames,
                }
            )
        if block < SLOT:
            blocks.append(
                {
                    "address": address + block,
                    "size": SLOT - block,
                    "requested_size": 0,
                    "state": "inactive",
                    "frames": [],
                }
            )
    return {
        "device": 0,
        "address": base,
        "total_size": SLOTS * SLOT,
        "allocated_size": used,
        "active_size": used,
        "requested_size": asked,
        "stream": 0,
        "segment_type": "large",
        "segment_pool_id": (0, 0),
        "is_expandable": False,
        "frames": stack,
        "blocks": blocks,
    }


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"]:
        write(Path(sys.argv[2]), own=sys.argv[3] == "True")
    else:
        bench_snapshot(int(sys.argv[1]) if sys.argv[1:] else 3)
