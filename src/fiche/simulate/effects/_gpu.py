"""The numbers of a GPU that decide how much an operator takes beside its results."""

from __future__ import annotations

from dataclasses import dataclass

# Most threads of a multiprocessor, and most shared memory of a block in KiB: "CUDA C++ Programming Guide",
# technical specifications per compute capability. Multiprocessors: of the usual card of that capability.
_BY_CAPABILITY = {
    (7, 0): (2048, 96, 80),  # V100
    (7, 5): (1024, 64, 40),  # T4
    (8, 0): (2048, 163, 108),  # A100
    (8, 6): (1536, 99, 84),  # RTX A6000
    (8, 7): (1536, 163, 16),  # Orin
    (8, 9): (1536, 99, 128),  # RTX 4090
    (9, 0): (2048, 227, 132),  # H100
    (10, 0): (2048, 227, 148),  # B200
    (10, 3): (2048, 227, 148),  # B300
    (12, 0): (1536, 99, 170),  # RTX 5090
    (12, 1): (1536, 99, 48),  # GB10
}
_USUAL = (2048, 163, 108)


@dataclass(frozen=True)
class Gpu:
    """A card: `shared_bytes` is the most shared memory a block may ask for."""

    capability: tuple[int, int]
    processors: int
    threads: int
    shared_bytes: int

    @property
    def number(self) -> int:
        """The capability as one number, as kernels are chosen by: 86 for 8.6."""
        return 10 * self.capability[0] + self.capability[1]


def gpu_of(capability: tuple[int, int], processors: int | None = None) -> Gpu:
    """The card of a compute capability; `processors` where its multiprocessors are known."""
    threads, kib, usual = _BY_CAPABILITY.get(capability, _USUAL)
    return Gpu(capability, processors or usual, threads, kib * 1024)
