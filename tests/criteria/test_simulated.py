"""A simulation in the second reading: of the same thing, with the reserve, its uncovered items named."""

import pytest
from evaluate.build import (
    GIB,
    NEUTRAL,
    STRICT,
    assumed,
    candidate,
    case,
    ground,
    piece,
    stated,
    workload,
)
from importers.simulations import UNCOVERED, document, phase, phases, read, up

from fiche.criteria._simulated import said_of, standing, strongest
from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE

CONTEXT = assumed(GIB // 2, id="reserve.cuda-context")
ALL = assumed(2 * GIB, id="reserve.workspace")


def simulation(made=None, id="sim", **scope):
    """A piece that holds a document of a simulation."""
    reading = read(document() if made is None else made)
    return replace(piece(id, kind=reading.kind, **scope), reading=reading)


def stands(one=None, *, load=None, on=None, of=-1, index=0, floor=None, policy=NEUTRAL):
    load = load or workload()
    who = on or candidate(load=load)
    asked = ground((), on=who, base=load, policy=policy)
    return standing(one or simulation(), who, load.cases[of], index, asked, floor)


def test_its_reserved_peak_is_the_need_with_what_is_documented_and_assumed():
    found = stands(load=workload(reserve=[CONTEXT]))
    assert (found.short, found.beyond, found.open) == ((), (), ())
    assert found.peak.low == 23 * GIB
    assert (found.need.low, found.need.high) == (
        23 * GIB + GIB // 2,
        23 * GIB + GIB // 2 + 8_519_680,
    )
    assert found.covered == {"cuda_context": "reserve.cuda-context"}
    assert found.bounded == ("cublas_workspace",)


def test_an_item_that_nobody_bounds_is_named_and_keeps_it_open():
    found = stands()
    assert found.need.high is None
    assert found.open == ("cuda_context",)


def test_a_reserve_called_workspace_stands_for_every_uncovered_item():
    found = stands(load=workload(reserve=[ALL]))
    assert found.open == found.bounded == ()
    assert set(found.covered) == {"cuda_context", "cublas_workspace"}
    assert found.need.high == 25 * GIB


def test_a_reserve_of_something_else_covers_nothing():
    found = stands(load=workload(reserve=[assumed(GIB, id="reserve.fragmentation")]))
    assert found.open == ("cuda_context",)


def test_a_reserve_of_one_workspace_stands_for_no_other_item():
    found = stands(load=workload(reserve=[assumed(GIB, id="reserve.cublas-workspace")]))
    assert found.covered == {"cublas_workspace": "reserve.cublas-workspace"}
    assert found.open == ("cuda_context",)


def test_where_every_reserved_byte_is_allocated_nothing_of_the_allocator_is_open():
    """As with segments that grow by pages: both counters have one peak."""
    told = phases()
    for one in told:
        one["reserved_bytes"] = dict(one["allocated_bytes"])
    found = stands(simulation(document(told)), load=workload(reserve=[CONTEXT]))
    assert (found.counter, found.open) == ("reserved", ())


def test_without_reserved_bytes_the_allocator_s_own_part_is_uncovered_too():
    told = phases()
    for one in told:
        one["reserved_bytes"], one["reserved_why"] = None, "no allocator was asked for"
    found = stands(simulation(document(told)), load=workload(reserve=[CONTEXT]))
    assert found.peak.low == max(one["allocated_bytes"]["peak"] for one in told)
    assert "what the allocator keeps beyond live bytes" in found.open


def test_a_phase_without_reserved_bytes_leaves_the_allocator_s_own_part_open():
    """A long decode is shortened: what the allocator keeps by its end is not known."""
    told = phases()
    told[2] |= {"reserved_bytes": None, "reserved_why": "an earlier phase was shortened"}
    one = simulation(document(told))
    found = stands(one, load=workload(reserve=[CONTEXT]))
    assert (found.counter, found.peak.low) == ("reserved", 23 * GIB)
    assert found.open == ("what the allocator keeps beyond live bytes",)
    kept = assumed(GIB, id="reserve.fragmentation")
    closed = stands(one, load=workload(reserve=[CONTEXT, kept]))
    assert closed.open == ()
    assert closed.covered["what the allocator keeps beyond live bytes"] == kept.id
    assert closed.need.high == 24 * GIB + GIB // 2 + 8_519_680


def test_reserved_bytes_under_other_settings_are_not_taken():
    load = workload(reserve=[CONTEXT], allocator__settings="expandable_segments:True")
    assert stands(load=load).counter == "allocated"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"model__revision": "deadbeef"}, "model.revision: the question says deadbeef"),
        ({"formats__cache": "fp8_e4m3"}, "formats.cache: the question says fp8_e4m3"),
        ({"engine__name": "transformers"}, "engine.name"),
        ({"engine__version": "0.29.0"}, "engine.version"),
        ({"placement__devices": 2, "placement__split": "tensor_parallel"}, "placement.devices"),
        ({"backend": "hip"}, "backend: the question says hip"),
        ({"model__revision": None}, "the fiche does not say"),
    ],
)
def test_a_simulation_of_another_thing_is_no_need_and_says_why(changes, why):
    found = stands(load=workload(**changes))
    assert found.need is None
    assert any(why in text for text in found.short), found.short


def test_what_only_a_device_tells_is_not_asked_of_it():
    assert stands(load=workload(process_protocol="five loops in one process")).short == ()


def test_fewer_tokens_than_the_case_asks_are_another_thing():
    load = workload([case(prompt_tokens=8000, new_tokens=292, resident_sequences=4)])
    assert stands(load=load).short == ("prompt_tokens: executed 7900, the question is 8000",)


def test_more_tokens_than_the_case_asks_are_a_need_all_the_same():
    load = workload([case(prompt_tokens=1200, new_tokens=292, resident_sequences=4)])
    found = stands(load=load)
    assert (found.short, found.beyond) == (
        (),
        ("prompt_tokens: executed 7900, the question is 1200",),
    )
    assert found.need is not None


def test_a_dimension_that_it_does_not_tell_leaves_it_short():
    load = workload([case(prompt_tokens=7900, new_tokens=292, resident_sequences=4, images=1)])
    assert any("images: the piece does not say" in text for text in stands(load=load).short)


def test_a_typed_scope_speaks_for_what_the_document_does_not_say():
    made = document()
    del made["workload"]["engine"]
    assert any("engine.name" in text for text in stands(simulation(made)).short)
    told = simulation(made, engine__name="vllm", engine__version="0.28.0")
    assert stands(told).short == ()
    assert any("does not count" in text for text in stands(told, policy=STRICT).short)


def test_one_below_the_floor_is_of_something_else():
    floor = stated(30 * GIB, BYTE, "limit.floor")
    found = stands(floor=floor)
    assert found.need is None
    assert "below the computed floor" in found.short[0]


def test_one_that_is_out_of_date_does_not_stand():
    old = replace(simulation(), valid_until="2026-11-01")
    assert stands(old).short[0].startswith("out of date: valid until 2026-11-01")


def test_a_device_that_was_not_simulated_has_no_need():
    weights = up(8 * GIB)
    two = [
        phase("prefill", 0, {"parameter": weights}, start=0, end=0, device=0, reserved=9 * GIB),
        phase("prefill", 1, {"parameter": weights}, start=0, end=0, device=1, reserved=10 * GIB),
    ]
    sizes = {"prompt_tokens": 7900, "new_tokens": 292, "resident_sequences": 4}
    for one in two:
        one["executed"] = sizes
    told = simulation(document(two))
    load = workload([case(phases=("prefill",), **sizes)])
    assert stands(told, load=load, index=1).peak.low == 10 * GIB
    assert stands(told, load=load, index=0).peak.low == 9 * GIB
    assert stands(told, load=load, index=2).short == ("device 2 was not simulated",)
    assert stands(told, load=load, index=None).peak.low == 10 * GIB


def test_one_rank_that_was_simulated_alone_is_the_most_loaded_one():
    assert stands(index=5).peak.low == 23 * GIB


def asking_for(*phases, **changes):
    sizes = {"prompt_tokens": 7900, "new_tokens": 292, "resident_sequences": 4}
    return workload([case(phases=phases, **sizes)], reserve=[CONTEXT], **changes)


def test_the_formulas_stand_for_a_phase_that_did_not_run():
    """The load of stored weights is none of it: the weights themselves are, by the formulas."""
    found = stands(load=asking_for("model_load", "prefill", "decode"))
    assert found.open == ()
    many = asking_for("model_load", "prefill", "decode", model__parameters=16_000_000_000)
    assert stands(load=many).need.high >= 32_000_000_000 + GIB // 2


def test_a_phase_that_nobody_knows_keeps_it_open():
    unknown = asking_for("model_load", "prefill", "decode", model__parameters=None)
    assert stands(load=unknown).open == ("phase model_load, which was not simulated",)


def test_of_several_the_one_that_needs_most_stands():
    load = workload(reserve=[ALL])
    small = phases()
    for told in small:
        told["reserved_bytes"] = {"start": 0, "peak": 23 * GIB - 2**20, "end": 0}
    one = stands(load=load)
    other = stands(simulation(document(small), id="other"), load=load)
    assert strongest((other, one), None) is one
    assert strongest((one, other), None) is one


def test_an_open_one_gives_way_to_the_envelope_unless_it_refutes_it():
    opened = stands()
    high = stated(40 * GIB, BYTE, "limit.envelope")
    low = stated(20 * GIB, BYTE, "limit.envelope")
    assert strongest((opened,), high) is None
    assert strongest((opened,), low) is opened
    closed = stands(load=workload(reserve=[ALL]))
    assert strongest((closed,), high) is closed


def test_the_words_count_the_uncovered_items():
    words = said_of(stands(load=workload(reserve=[CONTEXT])))
    assert words == (
        "the simulation sim holds (reserved peak 24696061952 B), with 2 uncovered items: cuda_context "
        "(reserve.cuda-context), cublas_workspace (as documented)"
    )
    alone = simulation(document(uncovered=UNCOVERED[:1]))
    assert "with 1 uncovered item: cuda_context" in said_of(stands(alone))
