"""English sentences of criteria."""

from __future__ import annotations

CRITERIA: dict[str, str] = {}

# Topics of conditions and kinds of requirements, by code.
TOPICS: dict[str, str] = {
    "availability": "availability",
    "budget_line": "budget line",
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
    "duration": "Duration",
    "latency": "Latency",
    "licence": "Licence",
    "location": "Location",
    "quotes": "Quotes",
    "support": "Support",
    "throughput": "Throughput",
    "warranty": "Warranty",
}
