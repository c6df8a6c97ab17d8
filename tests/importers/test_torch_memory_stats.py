"""Statistics of the allocator in every form in which people keep them (evidence_formats 2.1)."""

import json
import pprint
from collections import OrderedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.allocator import asynchronous, nested, stats

from fiche.importers.torch_memory_stats import MEMBER
from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32
FLAT = stats(retries=2)
POOL = {
    "reserved_bytes_by_private_pools.0_1.current": 7,
    "reserved_bytes_by_private_pools.0_1.peak": 9,
}
TRUE_POOLS = {"reserved_bytes_by_private_pools": {(0, 1): {"all": {"current": 7, "peak": 9}}}}


def read(text):
    return MEMBER.read(text.encode() if isinstance(text, str) else text, DIGEST)


def levels(reading, device=None):
    return {
        f"{o.counter}.{o.stat}": o.value.value
        for o in reading.observations
        if o.device_index == device
    }


def expected(flat):
    return {k: v for k, v in flat.items() if "_bytes" in k and k.endswith(("current", "peak"))}


def printed(flat):
    return repr(flat)


def items(flat):
    return f"OrderedDict([{', '.join(repr(pair) for pair in flat.items())}])"


FORMS = {
    "flat": lambda flat: json.dumps(flat, indent=1),
    "nested": lambda flat: json.dumps(nested(flat)),
    "json in a log": lambda flat: f"2026-01-01 INFO stats {json.dumps(flat)}\ndone\n",
    "text in a structured log": lambda flat: json.dumps({"level": "INFO", "message": repr(flat)}),
    "texts in a structured log": lambda flat: "\n".join(
        json.dumps({"n": n, "message": text})
        for n, text in enumerate(["start", items(flat), "end"])
    ),
    "dict": printed,
    "OrderedDict until Python 3.11": items,
    "OrderedDict from Python 3.12": lambda flat: f"OrderedDict({flat!r})",
    "nested dict": lambda flat: repr(nested(flat)),
    "in a log": lambda flat: f"2026-01-01 10:00:00,123 INFO [train.py:3] {flat!r}\nloss 3.1\n",
    "behind a word": lambda flat: f"step 3: memory {items(flat)}\n",
    "pprint": lambda flat: f"stats:\n{pprint.pformat(flat)}\nloss 3.1\n",
    "pprint nested": lambda flat: pprint.pformat(nested(flat)),
    "pprint of an OrderedDict": lambda flat: pprint.pformat(OrderedDict(flat)),
    "compose": lambda flat: "".join(f"web-1  | {x}\n" for x in pprint.pformat(flat).split("\n")),
    "crlf": lambda flat: json.dumps(flat, indent=1).replace("\n", "\r\n"),
    "wrapped": lambda flat: "\n".join(
        f"step 1 {flat!r}"[at : at + 80] for at in range(0, len(repr(flat)) + 7, 80)
    ),
}


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=20)
@given(drawn=st.lists(st.integers(0, 1 << 50), min_size=40, max_size=40))
def test_every_form_says_the_same(form, drawn):
    flat = stats(drawn.__getitem__, retries=2)
    reading = read(FORMS[form](flat))
    assert levels(reading) == expected(flat)
    assert reading.counters["num_alloc_retries"] == 2
    assert {o.value.rounding for o in reading.observations} == {"exact"}


def test_private_pools_keep_their_ids():
    assert levels(read(json.dumps(FLAT | POOL))).items() >= POOL.items()
    true = levels(read(repr(nested(FLAT) | TRUE_POOLS)))
    assert true["reserved_bytes_by_private_pools.0_1.all.peak"] == 9


def test_places():
    flat = read(FORMS["flat"](FLAT)).observations[0].pointer
    assert (flat.path, flat.line) == ("/active_bytes.all.current", None)
    assert read(FORMS["nested"](FLAT)).observations[0].pointer.path == "/active_bytes/all/current"
    assert read("one\ntwo\n" + FORMS["pprint"](FLAT)).observations[0].pointer.line == 4


@pytest.mark.parametrize("keys", [("0", "1"), ("cuda:0", "cuda:1"), ("GPU 0", "GPU 1"), (0, 1)])
@pytest.mark.parametrize("form", [json.dumps, repr])
def test_several_devices(keys, form):
    other = stats(lambda n: n << 21)
    reading = read(form({keys[0]: FLAT, keys[1]: nested(other)}))
    assert levels(reading, 0) == expected(FLAT)
    assert levels(reading, 1) == expected(other)
    assert not any(text.startswith("device_not_named") for text in reading.warnings)


def test_words_beside_the_statistics():
    text = json.dumps({"rank": 3, "device": "cuda:2", "step": 40, "memory": FLAT})
    (seen,) = {(o.rank, o.device_index, o.marks["step"]) for o in read(text).observations}
    assert seen == (3, 2, 40)


def test_a_rank_in_front_of_a_line():
    assert {o.rank for o in read(f"[rank5]: {FLAT!r}\n").observations} == {5}


def test_the_place_in_a_list_is_no_device():
    reading = read(json.dumps([FLAT, FLAT]))
    assert {(o.device_index, o.label) for o in reading.observations} == {
        (None, "entry 0"),
        (None, "entry 1"),
    }


def series(count, **more):
    return "".join(json.dumps({"step": n, **FLAT, **more}) + "\n" for n in range(count))


def test_one_object_a_step():
    reading = read(series(3))
    peaks = [
        o for o in reading.observations if (o.counter, o.stat) == ("reserved_bytes.all", "peak")
    ]
    assert [(o.marks["step"], o.pointer.line) for o in peaks] == [(0, 1), (1, 2), (2, 3)]


def test_a_long_series_is_shortened():
    reading = read(series(300))
    assert reading.further["series"]["reserved_bytes.all"] == 600
    assert len(reading.observations) < 210 * len(expected(FLAT))


def test_the_last_line_of_a_journal_may_break_off_and_no_other():
    reading = read(series(3) + series(1)[:500])
    assert any(text.startswith("truncated:") for text in reading.warnings)
    with pytest.raises(Refused, match="F428") as error:
        read(series(1) + series(1)[:500] + "\n" + series(1))
    assert error.value.diagnostics[0].address.line == 2


def test_failures_are_counted_per_device():
    reading = read(
        json.dumps({"0": FLAT | {"num_ooms": 2}, "1": FLAT, "2": FLAT | {"num_ooms": 1}})
    )
    assert [(f.count, f.device_index, f.message_kind) for f in reading.failures] == [
        (2, 0, "oom_counter"),
        (1, 2, "oom_counter"),
    ]
    assert reading.counters["num_ooms"] == 3


@pytest.mark.parametrize("form", ["flat", "nested", "pprint", "in a log", "json in a log"])
def test_a_failure_stands_on_its_line(form):
    text = FORMS[form](FLAT | {"num_ooms": 2})
    (failure,) = read(text).failures
    assert "num_ooms" in text.split("\n")[failure.pointer.line - 1]


def test_a_count_that_runs_on_is_one_failure():
    text = series(2) + series(2, num_ooms=1) + series(2, num_ooms=3)
    (failure,) = read(text).failures
    assert (failure.count, failure.pointer.line) == (3, 5)


def test_zeros_of_cudamallocasync_are_no_measurements():
    flat = asynchronous(FLAT)
    reading = read(json.dumps(flat))
    assert set(levels(reading)) == {k for k, v in flat.items() if v}
    assert len(reading.not_observed) == 1
    assert any(text.startswith("zero_may_be_unmeasured:") for text in reading.warnings)


def test_zeros_all_over_are_doubted():
    reading = read(json.dumps(dict.fromkeys(FLAT, 0)))
    assert any(text.startswith("zero_may_be_unmeasured:") for text in reading.warnings)


def test_an_empty_value_is_missing():
    reading = read(json.dumps(FLAT | {"allocated_bytes.all.peak": None}))
    assert "allocated_bytes.all.peak" not in levels(reading)
    assert any(text.startswith("missing_value:") for text in reading.warnings)


@pytest.mark.parametrize("value", [-1, 7.5, "7 GiB", True])
def test_what_is_no_count_is_refused(value):
    with pytest.raises(Refused, match="F429") as error:
        read(json.dumps(FLAT | {"allocated_bytes.all.peak": value}))
    assert error.value.diagnostics[0].address.path == "/allocated_bytes.all.peak"


@pytest.mark.parametrize("form", ["flat", "nested", "dict", "pprint", "in a log"])
def test_what_breaks_off_is_refused(form):
    text = FORMS[form](FLAT)
    with pytest.raises(Refused, match="F428"):
        read(text[: len(text) // 2])


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[1, 2]",
        "stats = {'allocated_bytes.all.peak': stats['peak']}",
        json.dumps({"DeviceStatsMonitor.on_train_batch_start/allocated_bytes.all.peak": 7}),
        json.dumps({"allocated_bytes.peak": 7, "num_host_alloc": 3}),
    ],
)
def test_what_holds_no_statistics_is_refused(text):
    with pytest.raises(Refused, match=r"F42[14]"):
        read(text)
    assert MEMBER.accepts(text.encode(), "") == 0


@pytest.mark.parametrize(("form", "score"), [("flat", 92), ("nested", 92), ("in a log", 80)])
def test_how_sure_it_is(form, score):
    assert MEMBER.accepts(FORMS[form](FLAT).encode(), "") == score


@given(st.sampled_from(sorted(FORMS)), st.data())
def test_damage_never_breaks_the_reader(form, data):
    text = bytearray(FORMS[form](FLAT).encode())
    for _ in range(data.draw(st.integers(1, 9))):
        at = data.draw(st.integers(0, len(text)))
        text[at : at + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=5))
    try:
        reading = read(bytes(text))
    except Refused:
        return
    assert all(o.value.value >= 0 for o in reading.observations)


def test_brackets_that_never_close_take_no_longer_than_their_bytes():
    with pytest.raises(Refused):
        read("{'active': {'all':\n" * 20_000)
