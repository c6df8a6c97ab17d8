"""Bounds of the process of a simulation, and how want of host memory is told from other errors."""

import subprocess
import sys

import pytest

from fiche.simulate import limits

PROGRAM = """
import resource
from fiche.simulate.limits import bound
bound({bytes})
print(resource.getrlimit(resource.RLIMIT_AS)[0], resource.getrlimit(resource.RLIMIT_CORE)[0])
"""


def bounds(memory_bytes):
    words = [sys.executable, "-c", PROGRAM.format(bytes=memory_bytes)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()


def test_the_address_space_is_bounded_and_no_core_is_dumped():
    assert bounds(2**33) == [str(2**33), "0"]


def test_more_than_any_machine_has_is_no_bound():
    assert bounds(10**40)[1] == "0"


def test_without_a_limit_only_the_dump_is_bounded():
    assert bounds(None)[1] == "0"
    assert bounds(None)[0] != "0"


def chained():
    try:
        raise MemoryError
    except MemoryError as error:
        raise RuntimeError("the worker failed") from error


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError(), True),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"), True),
        (RuntimeError("std::bad_alloc"), True),
        (ImportError("libtorch_cpu.so: failed to map segment from shared object"), True),
        (RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"), False),
        (ValueError("no"), False),
    ],
)
def test_want_of_host_memory_is_told_from_other_errors(error, expected):
    assert limits.is_without_memory(error) is expected


def test_a_cause_counts():
    with pytest.raises(RuntimeError) as raised:
        chained()
    assert limits.is_without_memory(raised.value)
