"""Snapshots of torch: replayed against an allocator that kept its own books."""

import pytest
from importers.snapshots import busy, dumped, read, snapshot, told


def peaks(machine):
    return [max(level[place] for level in machine.levels) for place in range(3)]


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_replayed_levels_are_those_that_the_allocator_had(protocol):
    machine = busy()
    reading = read(dumped(snapshot(machine.held(), [machine.entries]), protocol))
    reserved, requested, allocated = peaks(machine)
    assert told(reading, "reserved_bytes", "peak") == reserved
    assert told(reading, "reserved_bytes", "current") == machine.now()[0]
    assert told(reading, "reserved_bytes", "start") == 0
    assert told(reading, "requested_bytes", "peak") == requested
    assert told(reading, "requested_bytes", "current") == machine.now()[1]
    assert told(reading, "allocated_bytes", "peak") == (allocated, reserved)
