"""What takes more memory than it may is stopped, and the bound ends with the block."""

import resource

import pytest

from fiche.load.memory import within


def test_what_takes_more_is_stopped_and_the_bound_ends():
    before = resource.getrlimit(resource.RLIMIT_AS)
    with within(2**30):
        assert len(bytearray(2**26)) == 2**26
        with pytest.raises(MemoryError):
            bytearray(2**31)
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    assert len(bytearray(2**31)) == 2**31


def test_a_bound_within_another_one_is_the_smaller_one():
    with within(2**28), within(2**33), pytest.raises(MemoryError):
        bytearray(2**30)
