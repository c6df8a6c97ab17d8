"""What a machine with one card says of itself, as `fiche environment --output FILE` writes it."""

GIB = 1 << 30
VISIBLE, PHYSICAL = 25250627584, 25757220864

ENVIRONMENT = {
    "format": "fiche-environment/1",
    "tool": {"name": "fiche", "version": "0.1.0"},
    "observed_at": "2026-11-30T17:00:00+00:00",
    "machine": "node-7",
    "environment": {
        "python": "3.12.9",
        "framework": {"name": "torch", "version": "2.11.0+cu128"},
        "backend": "cuda",
        "runtime": "12.8",
        "driver": "570.86.15",
        "os": "Ubuntu 24.04.2 LTS, Linux 6.8.0",
        "allocator": {"backend": "native", "settings": "expandable_segments:True"},
        "libraries": {"nccl": "2.26.2"},
        "variables": {"CUDA_VISIBLE_DEVICES": "0"},
        "container": {"signs": ["/.dockerenv"], "memory_limit_bytes": 8 * GIB},
        "host_memory_bytes": 64 * GIB,
        "devices": [
            {
                "index": 0,
                "name": "NVIDIA GeForce RTX 4090",
                "total_memory_bytes": VISIBLE,
                "nvml_total_bytes": PHYSICAL,
                "ecc": "off",
                "mig": "off",
                "uuid": "GPU-1",
            }
        ],
    },
    "readings": [
        {
            "device": "cuda:0",
            "process_device_bytes": {"bytes": 400, "counter": "nvml_process_used"},
            "other_processes_bytes": {"bytes": 3 * GIB, "counter": "nvml_other_processes_used"},
            "free_bytes": {"bytes": 20 * GIB, "counter": "nvml_free"},
        }
    ],
}
