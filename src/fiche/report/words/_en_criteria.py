"""English sentences of criteria."""

from __future__ import annotations

CRITERIA: dict[str, str] = {
    "expected_piece": "Expected: {piece}",
    "by_catalog": "catalog: {sources}",
}

# Topics of conditions and kinds of requirements, by code.
TOPICS: dict[str, str] = {
    "availability": "availability",
    "budget_line": "budget line",
    "compute_capability": "compute capability",
    "disk": "disk",
    "ecc": "ECC as delivered",
    "form_factor": "form factor",
    "host_memory": "host memory",
    "interconnect": "interconnect",
    "power": "power",
    "service": "managed service",
    "document": "documents",
    "delivery": "delivery",
    "duration": "duration of the work",
    "latency": "latency",
    "licence": "licence",
    "location": "location",
    "quotes": "quotes",
    "support": "support",
    "throughput": "throughput",
    "warranty": "warranty",
}
KINDS: dict[str, str] = {
    "budget_line": "Budget line",
    "compute_capability": "Compute capability",
    "disk": "Disk",
    "ecc": "ECC as delivered",
    "form_factor": "Form factor",
    "placement": "Placement",
    "service": "Managed service",
    "duration": "Duration",
    "latency": "Latency",
    "licence": "Licence",
    "location": "Location",
    "quotes": "Quotes",
    "support": "Support",
    "throughput": "Throughput",
    "warranty": "Warranty",
}
