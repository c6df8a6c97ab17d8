"""Records of nested phases, of one rank among several, of plans, tensors and late errors (C9, C11, A1, A3)."""

import copy
import json

import pytest
from importers.records import FAILED, RECORD, document_bytes, journal, record

from fiche.importers.fiche_record import MEMBER
from fiche.kernel.diagnostic import Refused

DIGEST = "12" * 32


def read(document):
    content = document if isinstance(document, bytes) else document_bytes(document)
    return MEMBER.read(content, DIGEST)


def codes(document):
    with pytest.raises(Refused) as refused:
        read(document)
    return [(told.code, str(told.address).partition("#")[2]) for told in refused.value.diagnostics]


def lines(events):
    return "".join(json.dumps(event) + "\n" for event in events).encode()


def start(index, name, parent=None):
    phase = {"index": index, "name": name, "pass": "first", "ordering": "phased"}
    inside = {} if parent is None else {"parent": parent}
    return {"event": "phase_start", "phase": {**phase, **inside}}


def end(index, name, parent=None):
    told = start(index, name, parent)["phase"]
    return {"event": "phase_end", "phase": {**told, "outcome": "success"}}


HEADER = {"event": "header", **{key: each for key, each in RECORD.items() if key != "phases"}}
NESTED = [
    HEADER,
    start(0, "step"),
    start(1, "forward", 0),
    end(1, "forward", 0),
    start(2, "backward", 0),
    start(3, "recompute", 2),
    end(3, "recompute", 2),
    end(2, "backward", 0),
    end(0, "step"),
    {"event": "footer", "phases": 4},
]


# --- Nesting --------------------------------------------------------------------------------------


def test_phases_inside_phases_stand_in_the_order_in_which_they_started():
    reading = read(lines(NESTED))
    assert [run.phases for run in reading.runs] == [
        ("step",),
        ("forward",),
        ("backward",),
        ("recompute",),
    ]
    assert [run.pointer.line for run in reading.runs] == [9, 4, 8, 7]
    assert {run.outcome for run in reading.runs} == {"success"}
    assert reading.warnings == ()


def test_what_was_open_when_the_journal_ended_has_no_known_outcome():
    """A kill inside the innermost phase leaves every phase around it open as well."""
    reading = read(lines(NESTED[:6]))
    assert [(run.phases[0], run.outcome) for run in reading.runs] == [
        ("forward", "success"),
        ("step", "unknown"),
        ("backward", "unknown"),
        ("recompute", "unknown"),
    ]
    told = [each for each in reading.warnings if each.startswith("outcome_unknown")]
    assert len(told) == 3


def test_an_inner_phase_without_an_end_is_left_open_by_the_end_of_the_outer():
    events = [HEADER, start(0, "step"), start(1, "forward", 0), end(0, "step")]
    reading = read(lines([*events, {"event": "footer", "phases": 1}]))
    assert [(run.phases[0], run.outcome) for run in reading.runs] == [
        ("step", "success"),
        ("forward", "unknown"),
    ]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([start(0, "step"), start(1, "forward", 7)], [("F439", "line 3")]),
        ([start(0, "step"), start(1, "next"), end(0, "step")], [("F437", "line 4")]),
        ([start(0, "step"), end(0, "step"), end(0, "step")], [("F437", "line 4")]),
        ([start(0, "forward", 3)], [("F439", "line 2")]),
    ],
)
def test_a_phase_that_does_not_stand_in_another_is_refused(events, expected):
    assert codes(lines([HEADER, *events])) == expected


def test_an_enclosing_phase_started_before():
    document = record(lambda d: d["phases"][1].update(parent=0))
    assert len(read(document).runs) == 2
    wrong = record(lambda d: d["phases"][0].update(parent=1))
    assert codes(wrong) == [("F439", "/phases/0/parent")]
    unknown = record(lambda d: d["phases"][1].update(parent=9))
    assert codes(unknown) == [("F439", "/phases/1/parent")]


def test_phases_that_a_document_calls_unfinished_are_unknown():
    open_phase = {**start(2, "decode")["phase"], "parent": 1}
    reading = read(record(lambda d: d.update(unfinished=[open_phase])))
    last = reading.runs[-1]
    assert (last.outcome, last.phases, last.pointer.path) == (
        "unknown",
        ("decode",),
        "/unfinished/0",
    )
    assert any(w.startswith("outcome_unknown: decode") for w in reading.warnings)
    twice = record(lambda d: d.update(unfinished=[start(1, "serve")["phase"]]))
    assert codes(twice) == [("F437", "/unfinished/0/index")]


# --- Ranks, runs, plans ---------------------------------------------------------------------------


def rank(number, world=2):
    return lambda d: d["series"].update(
        run="run-1", rank={"rank": number, "world": world, "local_rank": number, "node": "0"}
    )


def test_one_rank_of_several_names_no_device_of_the_run_and_admits_nothing():
    """C9: its cuda:0 may be any card of the run; its success is not the run's."""
    reading = read(record(rank(1)))
    serve = reading.runs[1]
    assert {seen.device_index for seen in serve.observations} == {None}
    assert {seen.rank for seen in serve.observations} == {1}
    assert {seen.marks["device"] for seen in serve.observations} == {"cuda:0"}
    assert (serve.whole_loop, serve.outcome) == (True, "unknown")
    assert any(w.startswith("one_rank: this is rank 1 of 2") for w in reading.warnings)
    assert [reading.facts[key].value for key in ("run", "rank", "world")] == ["run-1", "1", "2"]


def test_a_world_of_one_is_no_part_of_anything():
    reading = read(record(rank(0, world=1)))
    assert reading.runs[1].outcome == "success"
    assert {seen.device_index for seen in reading.runs[1].observations} == {0}
    assert not any(w.startswith("one_rank") for w in reading.warnings)


def test_a_failure_of_one_rank_is_a_failure_on_no_named_device():
    document = record(rank(1))
    document["phases"].append(FAILED)
    failure = read(document).failures[0]
    assert (failure.rank, failure.device_index) == (1, None)
    assert failure.message_kind == "allocator_oom"


def test_the_place_among_planned_trials_is_told():
    plan = {"kind": "frontier", "variable": "context", "value": "4096", "index": 3, "digest": "ab"}
    facts = read(record(lambda d: d["series"].update(plan=plan))).facts
    assert (facts["plan.kind"].value, facts["plan.value"].value) == ("frontier", "4096")
    assert facts["plan.index"].address.path == "/series/plan/index"


# --- Tensors and errors ---------------------------------------------------------------------------

SEEN = [
    {"name": "weights", "shape": [4096, 4096], "dtype": "torch.float32", "place": "cuda"},
    {"name": "scale", "shape": [], "dtype": "torch.float32"},
]


def test_tensors_as_executed_are_facts_of_their_phase_alone():
    """A1, A3."""
    load, serve = read(record(lambda d: d["phases"][0].update(tensors=SEEN))).runs
    assert load.facts["tensors.weights"].value == "4096 x 4096 float32, cuda"
    assert load.facts["tensors.weights"].address.path == "/phases/0/tensors/0"
    assert load.facts["tensors.scale"].value == "one value float32"
    assert not any(key.startswith("tensors.") for key in serve.facts)


def test_weights_seen_in_another_format_than_the_one_loaded_are_told():
    """A1: a file in bf16 may be loaded in fp32."""
    told = read(record(lambda d: d["phases"][0].update(tensors=SEEN))).warnings
    assert any(w.startswith("loaded_differs: bf16") and "float32" in w for w in told)
    right = [{**SEEN[0], "dtype": "torch.bfloat16"}]
    told = read(record(lambda d: d["phases"][0].update(tensors=right))).warnings
    assert not any(w.startswith("loaded_differs") for w in told)


def test_an_error_that_surfaces_before_its_phase_is_earlier_work():
    """C11: the phase that is named did not run, so its dimensions prove nothing."""
    failed = copy.deepcopy(FAILED)
    failed["error"]["surfaced"] = "at_start"
    run = read(record(lambda d: d["phases"].append(failed))).runs[2]
    assert "surfaced at the synchronization before the phase: earlier work failed" in (
        run.failure.message
    )
    assert run.executed == {}
    assert run.failure.is_earlier
    failed["error"].update(surfaced="at_end", type="RuntimeError", message="device lost")
    run = read(record(lambda d: d["phases"].append(failed))).runs[2]
    assert run.failure.message == (
        "RuntimeError: device lost (surfaced at the synchronization after the phase)"
    )
    assert run.executed["resident_sequences"].low == 64
    assert not run.failure.is_earlier


def test_a_journal_and_its_document_say_the_same_of_new_keys():
    def change(document):
        rank(0)(document)
        document["phases"][0]["tensors"] = SEEN

    document = record(change)
    whole, lined = read(document), read(lines(journal(document)))
    assert [run.facts.keys() for run in whole.runs] == [run.facts.keys() for run in lined.runs]
    assert whole.warnings == lined.warnings
