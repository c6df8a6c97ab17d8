"""Which algorithm is replayed, and after what source: named wherever a reserved figure stands."""

from __future__ import annotations

from fiche.kernel.record import record
from fiche.kernel.said import tell


@record
class Algorithm:
    """A name, the files that it follows, and of which version they are."""

    algorithm: str
    source: str
    version: str


ALGORITHM = Algorithm(
    algorithm=tell("PyTorch's CUDA caching allocator, backend native"),
    source="pytorch/pytorch: c10/cuda/CUDACachingAllocator.cpp, c10/core/AllocatorConfig.cpp",
    version=tell(
        "2.13: settings by its headers; algorithm by main of early 2026, after #172056, with #179473"
    ),
)
