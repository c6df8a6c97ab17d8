"""A measurement record as a recorder writes it, as a document and as a journal."""

import copy
import json

GIB = 1 << 30

RECORD = {
    "format": "fiche-measurement/1",
    "tool": {"name": "fiche", "version": "0.1.0"},
    "series": {
        "id": "series-7",
        "started_at": "2026-11-20T09:00:00+01:00",
        "process": {"protocol": "one fresh process per series", "pid": 4242},
        "order": "as listed",
        "warmups": 1,
        "repeats": 2,
        "empty_cache": "never",
        "seed": 0,
    },
    "environment": {
        "python": "3.14.6",
        "framework": {"name": "torch", "version": "2.11.0+cu128"},
        "backend": "cuda",
        "runtime": "12.8",
        "driver": "610.62",
        "os": "Linux 6.8",
        "allocator": {"backend": "native", "settings": "default"},
        "devices": [
            {
                "index": 0,
                "name": "NVIDIA GeForce RTX 4090",
                "total_memory_bytes": 25250627584,
                "nvml_total_bytes": 25757220864,
                "ecc": "off",
                "uuid": "GPU-1",
            }
        ],
    },
    "workload": {
        "model": {"name": "example-1b", "revision": "r1"},
        "operation": "generation",
        "engine": {
            "name": "vllm",
            "version": "0.28.0",
            "settings": {"max_num_batched_tokens": 8192},
        },
        "formats": {"storage": "bf16", "compute": "bf16", "cache": "bf16"},
        "placement": {"devices": 1, "resident": "all"},
    },
    "gpu": "nvidia-rtx-4090-24g",
    "machine": "node-7",
    "phases": [
        {
            "index": 0,
            "name": "model_load",
            "pass": "first",
            "ordering": "phased",
            "outcome": "success",
            "executed": {},
            "devices": [
                {
                    "device": "cuda:0",
                    "start": {"allocated_bytes": 0, "reserved_bytes": 0},
                    "peak": {"allocated_bytes": 8 * GIB, "reserved_bytes": 10 * GIB},
                    "end": {"allocated_bytes": 6 * GIB, "reserved_bytes": 10 * GIB},
                }
            ],
            "duration_ns": 2000000000,
        },
        {
            "index": 1,
            "name": "serve",
            "pass": "later",
            "ordering": "whole_loop",
            "covers": ["prefill", "decode"],
            "case": "limit",
            "declared": {"prompt_tokens": 7900, "new_tokens": 292, "resident_sequences": 4},
            "executed": {"prompt_tokens": 7912, "new_tokens": 292, "resident_sequences": 4},
            "outcome": "success",
            "devices": [
                {
                    "device": "cuda:0",
                    "start": {"allocated_bytes": 6 * GIB, "reserved_bytes": 10 * GIB},
                    "peak": {"allocated_bytes": 12 * GIB, "reserved_bytes": 14 * GIB},
                    "end": {"allocated_bytes": 6 * GIB, "reserved_bytes": 14 * GIB},
                    "process_device_bytes": {
                        "counter": "nvml_process_used",
                        "peak": 15 * GIB,
                        "sampled_max": 15 * GIB - 1,
                        "period_ms": 10,
                    },
                    "outside_allocator_bytes": {
                        "bytes": 600000000,
                        "stat": "peak",
                        "how": "nvml_process_used - memory_reserved",
                    },
                    "other_processes_bytes": {"bytes": 0, "counter": "nvml_process_used"},
                    "free_bytes": {"bytes": 9 * GIB, "counter": "mem_get_info"},
                }
            ],
            "duration_ns": 40000000000,
            "output_check": {
                "status": "checked",
                "passed": True,
                "method": "exact match of 20 outputs",
            },
        },
    ],
}

FAILED = {
    "index": 2,
    "name": "decode",
    "pass": "first",
    "ordering": "phased",
    "executed": {"resident_sequences": 64},
    "outcome": "failure",
    "devices": [
        {"device": "cuda:0", "peak": {"allocated_bytes": 20 * GIB, "reserved_bytes": 21 * GIB}}
    ],
    "error": {
        "type": "torch.OutOfMemoryError",
        "message": (
            "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.52 GiB of "
            "which 1.02 GiB is free. Including non-PyTorch memory, this process has 22.40 GiB memory in "
            "use. Of the allocated memory 20.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by "
            "PyTorch but unallocated."
        ),
    },
}


def record(change=None):
    """A copy of the record, changed by a function."""
    document = copy.deepcopy(RECORD)
    if change is not None:
        change(document)
    return document


def document_bytes(document):
    return json.dumps(document, indent=2).encode()


def journal(document):
    """The same record as the lines of a journal."""
    head = {key: value for key, value in document.items() if key != "phases"}
    lines = [{"event": "header", **head}]
    for phase in document["phases"]:
        start = {k: phase[k] for k in ("index", "name", "pass", "ordering") if k in phase}
        lines += [{"event": "phase_start", "phase": start}, {"event": "phase_end", "phase": phase}]
    lines.append({"event": "footer", "phases": len(document["phases"])})
    return lines


def journal_bytes(document):
    return "".join(json.dumps(line) + "\n" for line in journal(document)).encode()
