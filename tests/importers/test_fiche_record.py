"""fiche's own record, as a document and as a journal that may be cut anywhere (C1 to C14)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.records import FAILED, GIB, RECORD, document_bytes, journal, journal_bytes, record

from fiche.importers.fiche_record import MEMBER
from fiche.kernel.diagnostic import Refused

DIGEST = "12" * 32


def read(document):
    return MEMBER.read(
        document if isinstance(document, bytes) else document_bytes(document), DIGEST
    )


def codes(document):
    with pytest.raises(Refused) as refused:
        read(document)
    return [(told.code, str(told.address).partition("#")[2]) for told in refused.value.diagnostics]


def seen(run):
    return {(o.counter, o.stat): o.value.value for o in run.observations}


# --- Reading --------------------------------------------------------------------------------------


def test_each_reading_keeps_its_counter_scope_statistic_and_place():
    """C3, C5: two columns, never added; a wider scope keeps its own name."""
    load, serve = read(RECORD).runs
    assert seen(load) == {
        ("memory_allocated", "start"): 0,
        ("memory_reserved", "start"): 0,
        ("max_memory_allocated", "peak"): 8 * GIB,
        ("max_memory_reserved", "peak"): 10 * GIB,
        ("memory_allocated", "current"): 6 * GIB,
        ("memory_reserved", "current"): 10 * GIB,
    }
    scopes = {o.counter: o.scope for o in serve.observations}
    assert scopes["max_memory_reserved"] == "process_allocator"
    assert scopes["process_device_used"] == scopes["outside_allocator"] == "process"
    assert scopes["other_processes_used"] == scopes["device_free"] == "device"
    used = next(
        o for o in serve.observations if (o.counter, o.stat) == ("process_device_used", "peak")
    )
    assert used.pointer.path == "/phases/1/devices/0/process_device_bytes/peak"
    assert (used.value.value, used.label, used.device_index) == (15 * GIB, "nvml_process_used", 0)
    assert used.value.low == used.value.high
    assert seen(serve)["process_device_used", "sampled_max"] == 15 * GIB - 1


def test_only_the_unphased_loop_is_whole():
    """C8."""
    load, serve = read(RECORD).runs
    assert (load.whole_loop, load.phases, load.first_pass) == (False, ("model_load",), True)
    assert (serve.whole_loop, serve.phases, serve.first_pass) == (
        True,
        ("prefill", "decode"),
        False,
    )
    assert (serve.outcome, serve.duration_ns) == ("success", 40_000_000_000)
    assert serve.output_check == "checked, passed: exact match of 20 outputs"


def test_executed_and_declared_dimensions_are_two_and_a_difference_is_said():
    """A3."""
    reading = read(RECORD)
    serve = reading.runs[1]
    assert serve.executed["prompt_tokens"].low == serve.executed["prompt_tokens"].high == 7912
    assert serve.declared["prompt_tokens"].low == 7900
    assert str(serve.executed["resident_sequences"].unit) == "sequences"
    assert any(w.startswith("executed_differs") and "prompt_tokens" in w for w in reading.warnings)


def test_a_whole_loop_that_does_not_say_what_it_executed_is_told():
    """D6: the executed dimensions are what counts; loading has none."""
    document = record(lambda d: d["phases"][1].pop("executed"))
    warnings = read(document).warnings
    assert any(w.startswith("executed_unknown") and "serve" in w for w in warnings)
    document = record(lambda d: d["phases"][0].pop("executed"))
    assert not any(w.startswith("executed_unknown") for w in read(document).warnings)


def test_facts_use_the_words_of_a_fiche_and_are_printed():
    facts = read(RECORD).runs[1].facts
    said = {key: fact.value for key, fact in facts.items()}
    assert said["model.name"] == "example-1b"
    assert said["engine.settings.max_num_batched_tokens"] == "8192"
    assert (said["backend"], said["allocator.backend"], said["allocator.settings"]) == (
        "cuda",
        "native",
        "default",
    )
    assert (said["gpu"], said["machine"], said["placement.devices"]) == (
        "nvidia-rtx-4090-24g",
        "node-7",
        "1",
    )
    assert said["process_protocol"] == "one fresh process per series"
    assert (said["warmups"], said["empty_cache"], said["ecc"]) == ("1", "never", "off")
    assert said["framework.version"] == "2.11.0+cu128"
    assert all(fact.printed for fact in facts.values())
    assert facts["driver"].address.path == "/environment/driver"
    assert facts["engine.version"].address.path == "/workload/engine/version"


def test_the_measured_environment_wins_over_what_the_workload_repeats():
    document = record(lambda d: d["workload"].update(backend="hip"))
    assert read(document).facts["backend"].value == "cuda"


def test_capacities_are_what_the_machine_declared():
    """B1: the framework-visible total; the system tool's total bounds from above."""
    torch, tool = read(RECORD).capacities
    assert (torch.counter, torch.value.value, torch.device_index) == (
        "torch_total_memory",
        25250627584,
        0,
    )
    assert (tool.counter, tool.value.value) == ("nvidia_smi_total", 25757220864)
    assert torch.others.value == 0
    assert torch.pointer.path == "/environment/devices/0/total_memory_bytes"


def test_what_others_held_is_walked_to_where_it_was_most():
    """Law 1: not to the total that it is taken from."""
    torch, _ = read(RECORD).capacities
    assert torch.others_pointer.path == "/phases/1/devices/0/other_processes_bytes/bytes"
    assert torch.others_pointer.text == "0"


def test_others_nobody_looked_for_are_unknown():
    """C2: never zero."""
    document = record(lambda d: d["phases"][1]["devices"][0].pop("other_processes_bytes"))
    assert read(document).capacities[0].others is None


def test_what_is_missing_stays_missing():
    """C2."""
    document = record(lambda d: d["phases"][1].pop("devices"))
    run = read(document).runs[1]
    assert run.observations == ()
    assert run.outcome == "success"


def test_a_failed_phase_keeps_its_message_its_device_and_its_last_values():
    """C11."""
    reading = read(record(lambda d: d["phases"].append(FAILED)))
    run = reading.runs[2]
    assert (run.outcome, run.failure.message_kind, run.failure.device_index) == (
        "failure",
        "allocator_oom",
        0,
    )
    assert run.failure.quantities["requested"].text == "2.00 GiB"
    assert run.failure.pointer.path == "/phases/2/error/message"
    assert seen(run)["max_memory_reserved", "peak"] == 21 * GIB
    assert reading.failures == (run.failure,)


def test_a_failure_of_another_kind_is_no_lack_of_memory():
    failed = {**FAILED, "error": {"type": "ValueError", "message": "shapes differ"}}
    failure = read(record(lambda d: d["phases"].append(failed))).runs[2].failure
    assert (failure.message_kind, failure.memory, dict(failure.quantities)) == (
        "workload_error",
        None,
        {},
    )


@pytest.mark.parametrize(
    "error",
    [
        {"type": "MemoryError", "message": ""},
        {"type": "numpy._core._exceptions.MemoryError", "message": "Unable to allocate 9.00 GiB"},
        {
            "type": "RuntimeError",
            "message": "DefaultCPUAllocator: can't allocate memory: you tried to allocate 4096 bytes.",
        },
    ],
)
def test_host_memory_that_ran_out_is_told_as_the_hosts(error):
    """DESIGN 4: it says nothing of a card."""
    failure = read(record(lambda d: d["phases"].append({**FAILED, "error": error}))).runs[2].failure
    assert (failure.message_kind, failure.memory, failure.backend) == (
        "allocator_oom",
        "host",
        "cpu",
    )


@pytest.mark.parametrize(
    ("extra", "ended"),
    [
        ({"phase": "prefill"}, "prefill"),
        ({"phase": "evaluation"}, "decode"),
        ({"phase": 7}, "decode"),
        ({}, "decode"),
    ],
)
def test_a_loop_failed_in_the_part_that_its_error_names(extra, ended):
    """D7: else the last one that it went through; a name that the loop does not know is none."""
    error = {**FAILED["error"], "extra": extra}
    failed = {**FAILED, "ordering": "whole_loop", "covers": ["prefill", "decode"], "error": error}
    run = read(record(lambda d: d["phases"].append(failed))).runs[2]
    assert run.ended_in == ended


def test_a_first_failure_and_a_later_success_are_both_kept():
    """C7: a failed first pass is never erased."""
    again = {**RECORD["phases"][1], "index": 3}
    outcomes = [
        run.outcome for run in read(record(lambda d: d["phases"].extend([FAILED, again]))).runs
    ]
    assert outcomes == ["success", "success", "failure", "success"]


def test_the_reserved_peak_of_cuda_malloc_async_may_be_an_upper_bound():
    """C6: naming the version whose documentation says so, and the one installed."""
    document = record(lambda d: d["environment"]["allocator"].update(backend="cudaMallocAsync"))
    (warning,) = [
        w for w in read(document).warnings if w.startswith("reserved_peak_is_upper_bound")
    ]
    assert "2.14" in warning
    assert "2.11.0+cu128" in warning


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["phases"][0]["devices"][0]["peak"].update(allocated_bytes=11 * GIB),
        lambda d: d["phases"][0]["devices"][0]["end"].update(reserved_bytes=11 * GIB),
        lambda d: d["phases"][0]["devices"][0]["start"].update(
            allocated_bytes=9 * GIB, reserved_bytes=9 * GIB
        ),
        lambda d: d["phases"][1]["devices"][0]["process_device_bytes"].update(peak=GIB),
        lambda d: d["phases"][0]["devices"][0]["peak"].update(reserved_bytes=30 * GIB),
        lambda d: d["phases"][0]["devices"][0].update(device="cuda:3"),
    ],
)
def test_counters_that_cannot_be_are_said_and_not_mended(change):
    warnings = read(record(change)).warnings
    assert any(w.startswith("inconsistent") for w in warnings), warnings
    assert not any(w.startswith("inconsistent") for w in read(RECORD).warnings)


def test_halves_of_characters_are_no_text_neither_as_key_nor_as_value():
    half = "\udc00"
    named = json.dumps(record(lambda d: d.update({half: half}))).encode()
    with pytest.raises(Refused) as refused:
        read(named)
    (told,) = refused.value.diagnostics
    assert told.code == "F432"
    assert told.message.encode()
    kept = json.dumps(record(lambda d: d.update(extra={half: {half: half}}))).encode()
    assert read(kept).facts == read(RECORD).facts


def test_unknown_keys_live_under_extra():
    document = record(lambda d: d.update(extra={"note": [1.5, {"x": None}]}))
    assert read(document).facts == read(RECORD).facts
    assert read(document).warnings == read(RECORD).warnings
    assert codes(record(lambda d: d.update(note="x"))) == [("F432", "")]


# --- Refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda d: d.update(format="fiche-measurement/2"), [("F431", "/format")]),
        (lambda d: d.pop("format"), [("F431", "/format")]),
        (lambda d: d["series"].update(warmups="one"), [("F432", "/series/warmups")]),
        (lambda d: d["phases"][0].pop("outcome"), [("F432", "/phases/0")]),
        (lambda d: d["phases"][1].pop("covers"), [("F432", "/phases/1")]),
        (lambda d: d["phases"].append({**FAILED, "error": None}), [("F432", "/phases/2/error")]),
        (
            lambda d: d["phases"][0]["devices"][0]["peak"].update(allocated_bytes=-1),
            [("F435", "/phases/0/devices/0/peak/allocated_bytes")],
        ),
        (
            lambda d: d["phases"][0]["devices"][0]["peak"].update(reserved_bytes=1.0),
            [("F434", "/phases/0/devices/0/peak/reserved_bytes")],
        ),
        (
            lambda d: d["phases"][0]["devices"][0]["peak"].update(reserved_bytes=float("nan")),
            [("F434", "/phases/0/devices/0/peak/reserved_bytes")],
        ),
        (lambda d: d["environment"].update(backend="cpu"), [("F436", "/environment/backend")]),
        (
            lambda d: d["phases"][0]["devices"][0].update(device="cpu"),
            [("F436", "/phases/0/devices/0/device")],
        ),
        (lambda d: d["phases"][1].update(index=0), [("F437", "/phases/1/index")]),
        (
            lambda d: d["phases"][0]["devices"].append({"device": "cuda:0"}),
            [("F437", "/phases/0/devices")],
        ),
    ],
)
def test_wrong_structure_is_refused_at_its_place(change, expected):
    assert codes(record(change)) == expected


def test_all_faults_are_told_at_once():
    def change(document):
        document["series"]["warmups"] = "one"
        document["phases"][0]["outcome"] = "fine"
        document["phases"][1]["duration_ns"] = -5

    assert sorted(code for code, _ in codes(record(change))) == ["F432", "F432", "F435"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'{"format": "fiche-measurement/1",\n "tool": }', [("F430", "line 2")]),
        (b'["fiche-measurement/1"]', [("F430", "")]),
        (b"{" + b'"a":{' * 30_000, [("F430", "line 1")]),
        (b'{"format": "fiche-measurement/1", "format": "x"}', [("F433", "/format")]),
        (b'{"format": "fiche-measurement/1", "a": 1e9}', [("F434", "/a")]),
        (b'{"format": "fiche-measurement/1", "a": ' + b"9" * 5_000 + b"}", [("F434", "/a")]),
    ],
)
def test_what_is_no_strict_json_is_refused(content, expected):
    assert codes(content) == expected


# --- Journals -------------------------------------------------------------------------------------


def test_a_journal_says_what_the_document_says():
    reading, whole = read(journal_bytes(RECORD)), read(RECORD)
    assert reading.shape == "journal"
    assert [seen(run) for run in reading.runs] == [seen(run) for run in whole.runs]
    assert {k: f.value for k, f in reading.facts.items()} == {
        k: f.value for k, f in whole.facts.items()
    }
    assert reading.warnings == whole.warnings
    assert reading.runs[1].observations[0].pointer.line == 5
    assert reading.facts["driver"].address.line == 1


@given(st.data())
def test_a_journal_cut_anywhere_keeps_every_finished_phase(data):
    """A series that dies leaves what was written; a phase without an end has no known outcome."""
    content = journal_bytes(record(lambda d: d["phases"].append(FAILED)))
    header = content.index(b"\n")
    cut = data.draw(st.integers(header, len(content)))
    reading = read(content[:cut])
    finished = sum(
        b'"phase_end"' in line
        for line in content[:cut].split(b"\n")
        if line in content.split(b"\n")
    )
    told = [run for run in reading.runs if run.outcome != "unknown"]
    assert len(told) == finished
    assert [run.outcome for run in told] == ["success", "success", "failure"][:finished]
    if cut < len(content) - 1:
        assert any(
            w.startswith(("no_footer", "cut_line", "outcome_unknown")) for w in reading.warnings
        )


def test_a_phase_that_never_ended_is_neither_success_nor_failure():
    lines = [json.dumps(line) for line in journal(RECORD)[:4]]
    reading = read(("\n".join(lines) + "\n").encode())
    last = reading.runs[-1]
    assert (last.outcome, last.phases, last.observations) == ("unknown", ("serve",), ())
    assert any(w.startswith("outcome_unknown") for w in reading.warnings)
    assert reading.failures == ()


def test_zeros_behind_the_end_are_a_cut():
    """After a loss of power a file may end in zero bytes."""
    assert (
        read(journal_bytes(RECORD) + b"\0" * 100).warnings == read(journal_bytes(RECORD)).warnings
    )


def changed(place, line):
    lines = journal(RECORD)
    lines[place:place] = [line]
    return "\n".join(json.dumps(one) if isinstance(one, dict) else one for one in lines).encode()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (changed(3, "not json"), [("F430", "line 4")]),
        (changed(3, '{"event": "nap"}'), [("F437", "line 4")]),
        (changed(1, {"event": "phase_end", "phase": {"index": 9}}), [("F437", "line 2")]),
        (changed(6, {"event": "phase_start", "phase": {"index": 9}}), [("F437", "line 7")]),
        (changed(1, {"event": "footer", "phases": 0}), [("F437", "line 3")]),
        (changed(0, {"event": "footer", "phases": 0}), [("F437", "line 1")]),
        (changed(1, '{"event": "phase_start", "phase": {"index": 1.5}}'), [("F434", "line 2")]),
        (changed(1, "[1]"), [("F430", "line 2")]),
    ],
)
def test_a_journal_out_of_order_is_refused_at_its_line(content, expected):
    assert codes(content) == expected


def test_a_fault_inside_a_phase_is_told_at_its_line():
    document = record(lambda d: d["phases"][1].update(duration_ns=-1))
    assert codes(journal_bytes(document)) == [("F435", "line 5")]


# --- Detection and hostile bytes ------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [document_bytes(RECORD), journal_bytes(RECORD), b"\xef\xbb\xbf" + journal_bytes(RECORD)],
)
def test_a_record_is_recognised(content):
    assert MEMBER.accepts(content, "m.json") == 100
    assert read(content).kind == "fiche_record"


def test_other_json_is_not():
    assert MEMBER.accepts(b'{"traceEvents": []}', "t.json") == 0
    assert MEMBER.accepts(b'say "fiche-measurement/1"', "t.txt") == 0


@given(st.binary(max_size=200), st.integers(0, 2_000))
def test_any_bytes_are_read_or_refused(noise, at):
    content = bytearray(document_bytes(RECORD))
    content[at : at + len(noise)] = noise
    refusals = []
    try:
        MEMBER.read(bytes(content), DIGEST)
    except Refused as refused:
        refusals = refused.diagnostics
    assert all(told.code.startswith("F4") for told in refusals)


def test_devices_that_held_something_are_the_placement():
    """D6: a process that filled two devices ran on two; one that only looked at another ran on one."""

    def beside(levels):
        document = record()
        only = document["environment"]["devices"][0]
        document["environment"]["devices"].append({**only, "index": 1, "uuid": "GPU-2"})
        for phase in document["phases"]:
            phase["devices"].append({"device": "cuda:1", "peak": levels})
        return read(document)

    both = beside({"allocated_bytes": GIB, "reserved_bytes": GIB})
    assert both.facts["placement.devices"].value == "2"
    assert any(told.startswith("placement_differs: ") for told in both.warnings)
    idle = beside({"allocated_bytes": 0, "reserved_bytes": 0})
    assert idle.facts["placement.devices"].value == "1"


def test_two_devices_of_one_index_are_refused():
    document = record()
    only = document["environment"]["devices"][0]
    document["environment"]["devices"].append({**only, "total_memory_bytes": 10**12})
    assert codes(document) == [("F437", "/environment/devices/1/index")]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.data(), JSON)
def test_any_value_at_any_place_is_read_or_refused(data, value):
    document = record()
    node = document
    for _ in range(data.draw(st.integers(0, 5))):
        if not node or not isinstance(node, (dict, list)):
            break
        keys = list(node) if isinstance(node, dict) else range(len(node))
        key = data.draw(st.sampled_from(list(keys)))
        if data.draw(st.booleans()) or not isinstance(node[key], (dict, list)):
            node[key] = value
            break
        node = node[key]
    refusals = []
    try:
        read(json.dumps(document).encode())
    except Refused as refused:
        refusals = refused.diagnostics
    assert all(told.code.startswith("F4") for told in refusals)
