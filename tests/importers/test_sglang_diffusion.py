"""The performance dump of SGLang's diffusion server (evidence_formats 4)."""

import json

from importers.training import MIB, bounds, read, refusal

from fiche.importers.sglang_diffusion import MEMBER

POINT = {
    "allocated_mb": 34838.05,
    "reserved_mb": 62406.0,
    "peak_allocated_mb": 53044.04,
    "peak_reserved_mb": 62406.0,
}


def dump(**points):
    return json.dumps({"request_id": "a", "memory_checkpoints": points}, indent=2)


def test_a_checkpoint_has_levels_and_peaks_under_its_name():
    reading = read(MEMBER, dump(after_forward=POINT))
    assert [(o.counter, o.stat, o.label) for o in reading.observations] == [
        ("allocated_bytes", "current", "after_forward"),
        ("reserved_bytes", "current", "after_forward"),
        ("allocated_bytes", "peak", "after_forward"),
        ("reserved_bytes", "peak", "after_forward"),
    ]
    assert (
        reading.observations[2].pointer.path
        == "/memory_checkpoints/after_forward/peak_allocated_mb"
    )
    low, high = bounds(reading.observations[0])
    assert low < 34838.05 * MIB < high
    assert high - low < 0.011 * MIB


def test_the_allocator_reserves_whole_mebibytes_or_the_unit_is_another():
    reading = read(MEMBER, dump(odd={**POINT, "reserved_mb": 65437.41}, even=POINT))
    assert {o.label for o in reading.observations} == {"even"}
    assert [n.text for n in reading.not_observed] == ["memory_checkpoints.odd"]


def test_other_documents():
    assert MEMBER.accepts(b'{"memory_checkpoints": "enabled"}', "x") == 0
    assert refusal(MEMBER, '{"memory_checkpoints": "enabled"}') == "F424"
    assert refusal(MEMBER, dump(a=POINT)[:-9]) == "F428"
