"""On-chip memory of a kernel is no device memory (evidence_formats 1.3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.importers.kernel_resource_limit import MEMBER
from fiche.kernel.diagnostic import Refused

DIGEST = "ef" * 32
TRITON = (
    "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 98304, Hardware "
    "limit: 65536. Reducing block sizes or `num_stages` may help."
)


def read(text):
    return MEMBER.read(text.encode(), DIGEST)


def amounts(failure):
    return {name: value.value for name, value in failure.quantities.items()}


@pytest.mark.parametrize(
    "text",
    [
        TRITON,
        "(EngineCore pid=1) ERROR 01-28 03:21:01 [core.py:387] " + TRITON,
        TRITON.replace(", Required", "Required").replace(", Hardware", "Hardware"),
        TRITON.replace("limit:", "limitation:").replace("Reducing", "reducing"),
        TRITON[:60] + "\n" + TRITON[60:84] + "\n" + TRITON[84:],
    ],
)
def test_triton_prints_bytes_of_shared_memory(text):
    (failure,) = read(text).failures
    assert (failure.message_kind, failure.memory) == ("kernel_resource_limit", "on_chip")
    assert amounts(failure) == {"requested": 98304, "total_capacity": 65536}
    assert not failure.truncated


def test_other_resources_are_counts_and_no_bytes():
    text = TRITON.replace("shared memory", "threads")
    assert amounts(read(text).failures[0]) == {}


def test_ptxas_prints_hexadecimal():
    text = "ptxas error   : Entry function '_Z3foov' uses too much shared data (0x18000 bytes, 0xc000 max)"
    (failure,) = read(text).failures
    assert amounts(failure) == {"requested": 98304, "total_capacity": 49152}
    assert failure.quantities["requested"].text == "0x18000"


def test_the_backend_follows_the_log():
    assert read(TRITON).backend == "cuda"
    assert read(f"HIP version 6.2 on gfx942\n{TRITON}").backend == "rocm"


def test_the_limit_of_a_kernel_is_no_capacity_of_a_device():
    reading = read(TRITON)
    assert reading.capacities == ()
    assert reading.runs[0].failure.memory == "on_chip"


def test_the_same_message_of_one_process_is_one_event():
    assert read(f"{TRITON}\nTraceback\n{TRITON}\n").duplicate_messages == 1


def test_other_texts_are_refused():
    with pytest.raises(Refused, match="F424"):
        read("out of resources: patience")
    assert MEMBER.accepts(b"ready", "a.log") == 0
    assert MEMBER.accepts(TRITON.encode(), "a.log") == 80


@given(st.integers(0, len(TRITON)), st.sampled_from(["", "\n", "...", " 7", "7", "\n7"]))
def test_a_cut_message_never_shows_a_wrong_amount(length, rest):
    text = TRITON[:length] + rest
    if rest.strip() == "7" and TRITON[:length].rstrip().endswith(":"):
        text = TRITON[:length]  # there it is the figure that the text has
    try:
        reading = read(text)
    except Refused:
        return
    for failure in reading.failures:
        assert amounts(failure).items() <= {"requested": 98304, "total_capacity": 65536}.items()
