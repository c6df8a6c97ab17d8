"""How long the headers of the largest models take to read, and how much memory, as whole processes.

    python tests/bench_models.py [rounds]

Two files are made in a temporary folder, sparse: 700 shards of safetensors with 100 000 tensors under an
index, and one GGUF of 400 GB with 1 100 tensors, 150 000 tokens and 300 000 merges.
"""

from __future__ import annotations

import json
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SHARDS, TENSORS = 700, 100_000
LAYERS, TOKENS, MERGES = 110, 150_000, 300_000
MOST_SECONDS, MOST_MIB = 1.0, 200
NOTHING = "import sys, pathlib"
READ = f"{NOTHING}, fiche.checkpoints as c; c.read_checkpoint(pathlib.Path(sys.argv[1]))"
# What the process itself held: usage told to its parent counts what the parent held at the fork.
PEAK = """
import time
print(time.process_time())
status = pathlib.Path("/proc/self/status")
if status.exists():
    told = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    print(int(told.split()[1]) / 1024)
else:
    import resource
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


def bench_models(rounds: int = 5) -> list[str]:
    """Print a line a case; the names of those beyond their bound."""
    with tempfile.TemporaryDirectory() as folder:
        cases = {
            "shards": sharded(Path(folder) / "shards"),
            "gguf": gguf(Path(folder) / "model.gguf"),
        }
        return [name for name, path in cases.items() if not within(name, path, rounds)]


def within(name: str, path: Path, rounds: int) -> bool:
    process(READ, path)  # the first run fills the caches of the system
    runs = [process(READ, path) for _ in range(rounds)]
    floor = statistics.median(process(NOTHING, path)[0] for _ in range(rounds))
    seconds, busy = (statistics.median(run[place] for run in runs) for place in (0, 1))
    mebibytes = max(run[2] for run in runs)
    kept = busy <= MOST_SECONDS and mebibytes <= MOST_MIB
    print(
        f"{name:8} {seconds * 1000:7.1f} ms, {busy * 1000:7.1f} ms of processor   "
        f"python alone {floor * 1000:5.1f} ms   {mebibytes:6.1f} MiB RSS   "
        f"{'within' if kept else 'BEYOND'} {MOST_SECONDS} s, {MOST_MIB} MiB  ({rounds} rounds)",
        flush=True,
    )
    return kept


def process(code: str, path: Path) -> tuple[float, float, float]:
    """Wall and processor seconds of a whole process, and the most MiB that it held."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", code + PEAK, str(path)]
    start = time.perf_counter()
    ended = subprocess.run(command, check=True, env=environment, capture_output=True, text=True)
    busy, mebibytes = map(float, ended.stdout.split())
    return time.perf_counter() - start, busy, mebibytes


def sharded(folder: Path) -> Path:
    """Experts of a mixture, as the largest models have them."""
    folder.mkdir()
    weight_map, total = {}, 0
    for shard in range(SHARDS):
        file = f"model-{shard + 1:05}-of-{SHARDS:05}.safetensors"
        header, at = {}, 0
        for place in range(shard * TENSORS // SHARDS, (shard + 1) * TENSORS // SHARDS):
            name = expert(place)
            header[name] = {"dtype": "BF16", "shape": [2048, 7168], "data_offsets": [at, at + SIDE]}
            weight_map[name] = file
            at += SIDE
        text = json.dumps(header, separators=(",", ":")).encode()
        sparse(folder / file, struct.pack("<Q", len(text)) + text, at)
        total += at
    index = {"metadata": {"total_size": total}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2))
    return folder


SIDE = 2048 * 7168 * 2


def expert(place: int) -> str:
    layer, rest = divmod(place, 3 * 384)
    one, projection = divmod(rest, 3)
    word = ("gate_proj", "up_proj", "down_proj")[projection]
    return f"model.layers.{layer}.mlp.experts.{one}.{word}.weight"


def gguf(path: Path) -> Path:
    """Version 3, little-endian, tensors of BF16 and 360 MB each."""
    rows, row = 24_576, 7_424
    num_bytes = rows * row * 2
    tensors = [f"blk.{layer}.ffn_{part}.weight" for layer in range(LAYERS) for part in range(10)]
    header = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), 4)
    header += text("general.architecture") + struct.pack("<I", 8) + text("llama")
    header += text("llama.block_count") + struct.pack("<II", 4, LAYERS)
    for key, words in (("tokens", vocabulary(TOKENS)), ("merges", vocabulary(MERGES))):
        header += text(f"tokenizer.ggml.{key}") + struct.pack("<IIQ", 9, 8, len(words))
        header += b"".join(map(text, words))
    for place, name in enumerate(tensors):
        header += text(name) + struct.pack("<IQQIQ", 2, row, rows, 30, place * num_bytes)
    header += bytes(-len(header) % 32)
    sparse(path, header, len(tensors) * num_bytes)
    return path


def vocabulary(count: int) -> list[str]:
    return [f"word {place}" for place in range(count)]


def text(word: str) -> bytes:
    return struct.pack("<Q", len(word)) + word.encode()


def sparse(path: Path, header: bytes, num_bytes: int) -> None:
    with path.open("wb") as file:
        file.write(header)
        file.truncate(len(header) + num_bytes)


if __name__ == "__main__":
    bench_models(int(sys.argv[1]) if sys.argv[1:] else 5)
