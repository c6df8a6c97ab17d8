"""Documents of simulations made by hand: the figures of a small story, each of which a test may change.

`document()` is a generation of Llama 3.1 8B in bf16: four sequences of 7900 tokens and 292 new ones.
"""

import copy
import hashlib
import json

from fiche.importers import _detect

GIB = 2**30
WEIGHTS = 16_060_522_496
CACHE = 4 * 8192 * 131_072
ROOM = 512


def up(count):
    return -(-count // ROOM) * ROOM


def live(**kinds):
    return [{"kind": kind, "bytes": count, "count": 3} for kind, count in kinds.items() if count]


def place(file, line):
    return {"file": file, "line": line}


def at_peak(kinds, operator="aten.mm.default", module="model.layers.31.mlp.down_proj"):
    told = live(**kinds)
    largest = max(told, key=lambda one: one["bytes"])
    return {
        "operator": operator,
        "module": module,
        "source": place("modeling_llama.py", 174),
        "live": told,
        "largest": [
            {
                **largest,
                "operator": operator,
                "module": module,
                "shape": [4, 7900, 14336],
                "dtype": "bfloat16",
                "source": None,
            }
        ],
    }


def phase(name, order, kinds, *, start, end, pass_="first", reserved=None, device=0, **executed):
    """A phase whose allocated peak is what its kinds add up to; `reserved` is its reserved peak."""
    peak = sum(kinds.values())
    told = {
        "name": name,
        "pass": pass_,
        "order": order,
        "ordering": "phased",
        "declared": executed,
        "executed": executed,
        "device_index": device,
        "allocated_bytes": {"start": start, "peak": peak, "end": end},
        "reserved_bytes": None
        if reserved is None
        else {"start": start, "peak": reserved, "end": reserved},
        "at_peak": at_peak(kinds),
    }
    if reserved is None:
        told["reserved_why"] = "no allocator was asked for"
    return told


CASE = {"prompt_tokens": 7900, "new_tokens": 292, "resident_sequences": 4}
FACTS = {
    "model": {"name": "meta-llama/Llama-3.1-8B-Instruct", "revision": "0e9e39f2"},
    "operation": "generation",
    "engine": {"name": "vllm", "version": "0.28.0"},
    "formats": {"storage": "bf16", "compute": "bf16", "cache": "bf16"},
    "attention": "flash",
    "placement": {"resident": "all", "devices": 1},
}
UNCOVERED = [
    {
        "name": "cuda_context",
        "why": "the driver makes it, outside the allocator",
        "low_bytes": None,
        "high_bytes": None,
        "source": "CUDA C++ programming guide",
    },
    {
        "name": "cublas_workspace",
        "why": "the library asks for it on its own",
        "low_bytes": 0,
        "high_bytes": 8_519_680,
        "source": "PyTorch notes on CUDA semantics",
    },
]


def phases():
    weights, cache = up(WEIGHTS), up(CACHE)
    prefill = {"parameter": weights, "cache": cache, "activation": 3 * GIB, "temporary": GIB // 2}
    decode = {"parameter": weights, "cache": cache, "temporary": GIB // 4}
    return [
        phase("model_init", 0, {"parameter": weights}, start=0, end=weights, reserved=weights + GIB),
        phase(
            "prefill", 1, prefill, start=weights, end=weights + cache, reserved=23 * GIB, **CASE
        ),
        phase("decode", 2, decode, start=weights + cache, end=weights + cache, reserved=23 * GIB, **CASE),
    ]  # fmt: skip


def peak(told):
    most = max(told, key=lambda one: one["allocated_bytes"]["peak"])
    reserved = [p["reserved_bytes"]["peak"] for p in told if p["reserved_bytes"] is not None]
    return {
        "allocated_bytes": most["allocated_bytes"]["peak"],
        "reserved_bytes": max(reserved, default=None),
        "phase": most["name"],
        **{key: most[key] for key in ("pass", "order", "device_index")},
    }


def timeline(told):
    allocated, reserved, spans, event = [], [], [], 0
    for one in (p for p in told if p["device_index"] == 0):
        first = event
        for key in ("start", "peak", "end"):
            allocated.append([event, one["allocated_bytes"][key]])
            if one["reserved_bytes"] is not None:
                reserved.append([event, one["reserved_bytes"][key]])
            event += 40
        spans.append(
            {"name": one["name"], "pass": one["pass"], "from_event": first, "to_event": event - 1}
        )
    return {"device_index": 0, "allocated": allocated, "reserved": reserved, "phases": spans}


def document(told=None, **changes):
    """A whole document; `told` are its phases, of which peak and timeline follow."""
    told = phases() if told is None else told
    made = {
        "format": "fiche-simulation/1",
        "tool": {"name": "fiche", "version": "0.1.0"},
        "simulator": {
            "python": "3.11.9",
            "torch": "2.13.0+cpu",
            "rules": "cuda",
            "answers": [
                {"asked": "torch.cuda.get_device_capability", "told": "8.0", "by": "assumed"}
            ],
        },
        "workload": FACTS,
        "case": "limit",
        "gpu": "",
        "machine": "",
        "phases": told,
        "peak": peak(told),
        "allocator": {
            "algorithm": "caching allocator",
            "source": "c10/cuda/CUDACachingAllocator.cpp",
            "version": "2.13",
            "settings": {},
        },
        "effects": [
            {
                "name": "flash_attention",
                "says": "the softmax statistics of each row are kept",
                "source": "aten/src/ATen/native/transformers/cuda/attention.cu",
                "count": 64,
                "peak_bytes": 4_044_800,
            }
        ],
        "uncovered": UNCOVERED,
        "notes": ["weights are random: their values change no amount"],
        "timeline": timeline(told),
    }
    return copy.deepcopy({**made, **changes})


def read(made, kind=None):
    content = made if isinstance(made, bytes) else json.dumps(made).encode()
    return _detect.read(content, hashlib.sha256(content).hexdigest(), "sim.json", kind)
