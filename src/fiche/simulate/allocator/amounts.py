"""How many bytes a request takes, and how many a segment for it: `round_size` and `get_allocation_size`.

Constants of `c10/core/AllocatorConfig.h` (torch 2.13).
"""

from __future__ import annotations

from collections.abc import Sequence

MIB = 1 << 20
LEAST_BLOCK = 512
MOST_SMALL = MIB
SMALL_SEGMENT = 2 * MIB
LARGE_SEGMENT = 20 * MIB
LEAST_OWN_SEGMENT = 10 * MIB
OWN_SEGMENT_STEP = 2 * MIB
# Divisions are told for [1 MiB, 2 MiB), [2 MiB, 4 MiB) ... [32 GiB, and more).
INTERVALS = 16


def block_bytes(asked: int, divisions: Sequence[int]) -> int:
    """The bytes of a block for a request of `asked` bytes, one at least.

    Whole multiples of 512; or, where `roundup_power2_divisions` has 2 or more for the request's
    interval, the next of so many equal steps between two powers of two.
    """
    if asked < LEAST_BLOCK:
        return LEAST_BLOCK
    steps = divisions[min(max(asked.bit_length() - MIB.bit_length(), 0), INTERVALS - 1)]
    if steps > 1 and asked > LEAST_BLOCK * steps:
        return _next_step(asked, steps)
    return -(-asked // LEAST_BLOCK) * LEAST_BLOCK


def _next_step(asked: int, steps: int) -> int:
    """The first of `steps` (a power of two) equal parts above the power of two below that covers `asked`."""
    floor = 1 << (asked.bit_length() - 1)
    step = floor // steps
    return -(-asked // step) * step


def segment_bytes(block: int, large_segment: int) -> int:
    """The bytes that are asked of the driver for a block of so many, where no free one fits."""
    if block <= MOST_SMALL:
        return SMALL_SEGMENT
    if block < LEAST_OWN_SEGMENT:
        return large_segment
    return -(-block // OWN_SEGMENT_STEP) * OWN_SEGMENT_STEP
