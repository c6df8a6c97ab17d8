"""How many bytes a request takes."""

import pytest

from fiche.simulate.allocator.amounts import INTERVALS, MIB, block_bytes, segment_bytes
from fiche.simulate.allocator.settings import AllocatorSettings

PLAIN = (0,) * INTERVALS
GIB = 1 << 30


@pytest.mark.parametrize(
    ("asked", "taken"),
    [(1, 512), (511, 512), (512, 512), (513, 1024), (67108764, 67108864), (5 * GIB, 5 * GIB)],
)
def test_requests_are_rounded_to_512(asked, taken):
    assert block_bytes(asked, PLAIN) == taken
    assert block_bytes(asked, (1,) * INTERVALS) == taken


@pytest.mark.parametrize(
    ("text", "asked", "taken"),
    [
        # torch's own test_allocator_settings: 21 Mi and 100 Mi elements of 4 bytes.
        ("4", 84 * MIB, 96 * MIB),
        ("[64:8,128:2,256:2,512:2,1024:1,>:1]", 84 * MIB, 88 * MIB),
        ("[64:8,128:2,256:2,512:2,1024:1,>:1]", 400 * MIB, 512 * MIB),
        # The comment at roundup_power2_next_division, in MiB: 1200 of 4 steps is 1280.
        ("4", 1200 * MIB, 1280 * MIB),
        ("4", 1024 * MIB, 1024 * MIB),
        # No more than 512 * 8 bytes: rounded to 512.
        ("8", 4096, 4096),
        ("8", 4097, 4608),
        ("8", 3000, 3072),
        # Below the first bound its divisions hold too, above the last those of ">".
        ("[256:1,512:2,1024:4,>:8]", 100 * MIB + 1, 100 * MIB + 512),
        ("[256:1,512:2,1024:4,>:8]", 600 * MIB, 768 * MIB),
        ("[256:1,512:2,1024:4,>:8]", 1100 * MIB, 1280 * MIB),
        ("[256:1,512:2,1024:4,>:8]", 2100 * MIB, 2304 * MIB),
        ("[256:1,512:2,1024:4,>:8]", 100 * GIB, 104 * GIB),
    ],
)
def test_requests_are_rounded_between_powers_of_two(text, asked, taken):
    read = AllocatorSettings.of(f"roundup_power2_divisions:{text}")
    assert block_bytes(asked, read.roundup_power2_divisions) == taken


@pytest.mark.parametrize(
    ("block", "segment"),
    [
        (512, 2 * MIB),
        (MIB, 2 * MIB),
        (MIB + 512, 20 * MIB),
        (10 * MIB - 512, 20 * MIB),
        (10 * MIB, 10 * MIB),
        (10 * MIB + 512, 12 * MIB),
        (5 * GIB, 5 * GIB),
    ],
)
def test_a_segment_has_room_for_its_block(block, segment):
    assert segment_bytes(block, 20 * MIB) == segment


def test_the_large_segment_can_be_set():
    assert segment_bytes(5 * MIB, 12 * MIB) == 12 * MIB
