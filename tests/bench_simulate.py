"""How long a simulated run takes: against torch's own MemTracker, and for the largest shapes, with its memory.

    python tests/bench_simulate.py [name ...]

Needs PyTorch and transformers. `tracked` is two training steps of the shape of an 8B model on fake tensors of
the host: under MemTracker, under the ledger by MemTracker's rules, and under the ledger as a GPU. The others
are a ready workload each, as a process of its own: 70 thousand million parameters, and 512 experts in 48
layers. Times are of the processor, so that a busy machine says the same.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LEAST_RATIO = 6.0
MOST_SECONDS, MOST_MIB = 60.0, 4096
TOKENS = 2048
LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "vocab_size": 128256,
    "tie_word_embeddings": False,
    "max_position_embeddings": 131072,
    "torch_dtype": "bfloat16",
}
SMALL = {
    **LLAMA,
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
}
LARGE = {
    **LLAMA,
    "hidden_size": 8192,
    "intermediate_size": 28672,
    "num_hidden_layers": 80,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
}
EXPERTS = {
    "architectures": ["Qwen3MoeForCausalLM"],
    "model_type": "qwen3_moe",
    "vocab_size": 151936,
    "tie_word_embeddings": False,
    "max_position_embeddings": 131072,
    "torch_dtype": "bfloat16",
    "hidden_size": 2048,
    "num_hidden_layers": 48,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "head_dim": 128,
    "num_experts": 512,
    "num_experts_per_tok": 10,
    "moe_intermediate_size": 512,
    "intermediate_size": 5120,
}
HYBRID = {
    **EXPERTS,
    "architectures": ["Qwen3NextForCausalLM"],
    "model_type": "qwen3_next",
    "num_attention_heads": 16,
    "num_key_value_heads": 2,
    "head_dim": 256,
    "shared_expert_intermediate_size": 512,
}
TRAINING = ("training", {"sequence_tokens": TOKENS})
PREFILL = ("generation", {"prompt_tokens": TOKENS, "new_tokens": 1})
SHAPES = {
    "70b train": (LARGE, *TRAINING),
    "70b prefill": (LARGE, *PREFILL),
    "512 train": (EXPERTS, *TRAINING),
    "512 prefill": (EXPERTS, *PREFILL),
    "next train": (HYBRID, *TRAINING),
    "next prefill": (HYBRID, *PREFILL),
}

# Two steps, whose processor seconds and peak in bytes are written; `argv`: what watches, the configuration.
TRACKED = """
import json, sys, time
import torch
from transformers import AutoConfig, AutoModelForCausalLM

def built(device):
    told = json.loads(sys.argv[2])
    config = AutoConfig.for_model(told.pop("model_type"), **told)
    with torch.device(device):
        model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16).train()
    tokens = torch.zeros(1, TOKENS, dtype=torch.long, device=device)
    return model, torch.optim.AdamW(model.parameters(), foreach=True), tokens

def steps(model, optimizer, tokens, between):
    begun = time.process_time()
    for _ in range(2):
        model(input_ids=tokens, labels=tokens, use_cache=False).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        between()
    return time.process_time() - begun

if sys.argv[1] == "memtracker":
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.distributed._tools.mem_tracker import MemTracker

    with FakeTensorMode(allow_non_fake_inputs=True):
        made, tracker = built("cpu"), MemTracker()
        tracker.track_external(*made)
        with tracker:
            seconds = steps(*made, tracker.reset_mod_stats)
        peak = sum(each["Total"] for each in tracker.get_tracker_snapshot("peak").values())
else:
    from fiche.simulate.simulated import run

    def program(rec):
        global seconds
        seconds = steps(*built("cuda" if sys.argv[1] == "cuda" else "cpu"), lambda: None)

    peak = run(program, rules="cuda" if sys.argv[1] == "cuda" else "memtracker").peak_bytes()
print(json.dumps([seconds, peak]))
""".replace("TOKENS", str(TOKENS))

# The whole process; `argv`: folder of the model, workload, its options.
WHOLE = """
import json, sys, time
from pathlib import Path
from fiche.measure.workloads import ready
from fiche.simulate.simulated import simulated

one = ready(sys.argv[2])
workload = one.build(one.checked({"model": sys.argv[1], **json.loads(sys.argv[3])}))
simulation = simulated(workload, turns=("first",))
peak, events = simulation.peak_bytes(), len(simulation.events[0])
status = Path("/proc/self/status")
if status.exists():
    told = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    mebibytes = int(told.split()[1]) / 1024
else:
    import resource
    mebibytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(json.dumps([time.process_time(), peak, mebibytes, events]))
"""


def bench_simulate(wanted: set[str] | None = None) -> list[str]:
    """Print a line a case; the names of those beyond their bound."""
    missed = [] if (wanted and "tracked" not in wanted) or tracked() else ["tracked"]
    return missed + [
        name
        for name, shape in SHAPES.items()
        if not wanted or name in wanted
        if not whole(name, *shape)
    ]


def tracked() -> bool:
    """The ledger by MemTracker's rules must find its peak too, and in so much less time."""
    theirs_s, theirs = told(TRACKED, "memtracker", json.dumps(SMALL))
    ours_s, ours = told(TRACKED, "ledger", json.dumps(SMALL))
    cuda_s, _ = told(TRACKED, "cuda", json.dumps(SMALL))
    ratio = theirs_s / ours_s
    kept = ratio >= LEAST_RATIO and ours == theirs
    print(
        f"tracked      MemTracker {theirs_s:6.2f} s   ledger {ours_s:6.2f} s   as a GPU {cuda_s:6.2f} s   "
        f"ratio {ratio:5.1f}   {'the same peak' if ours == theirs else f'{ours} B for {theirs} B'}   "
        f"{'within' if kept else 'BEYOND'} {LEAST_RATIO}",
        flush=True,
    )
    return kept


def whole(name: str, config: dict, workload: str, options: dict) -> bool:
    """A ready workload from nothing to its peak."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "config.json").write_text(json.dumps(config), encoding="utf-8")
        begun = time.perf_counter()
        busy_s, peak, mebibytes, events = told(WHOLE, folder, workload, json.dumps(options))
        wall_s = time.perf_counter() - begun
    kept = busy_s <= MOST_SECONDS and mebibytes <= MOST_MIB
    print(
        f"{name:12} {busy_s:6.1f} s of processor, {wall_s:6.1f} s in all   {mebibytes:7.1f} MiB RSS   "
        f"{int(events):7} events, peak {peak / 1e9:7.1f} GB   "
        f"{'within' if kept else 'BEYOND'} {MOST_SECONDS} s, {MOST_MIB} MiB",
        flush=True,
    )
    return kept


def told(program: str, *words: str) -> list[float]:
    command = [sys.executable, "-W", "ignore", "-c", program, *words]
    ended = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(ended.stdout.splitlines()[-1])


if __name__ == "__main__":
    bench_simulate(set(sys.argv[1:]))
