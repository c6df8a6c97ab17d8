"""The document of a simulation: its form, its levels, and what it leaves out. A stub stands for the core."""

import json
import sys
from dataclasses import dataclass, field
from types import SimpleNamespace

import jsonschema_rs
import pytest

from fiche.assets import schema_text
from fiche.simulate import document as writing
from fiche.simulate.job import Job
from fiche.simulate.ledger.events import Events

MIB = 2**20
SCHEMA = json.loads(schema_text("simulation.schema.json"))


@dataclass
class Span:
    name: str
    order: int
    begins: list
    ends: list
    passed: str = "first"
    ordering: str = "phased"
    notes: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Origin:
    operator: str
    module: str
    file: str
    line: int


@dataclass(frozen=True)
class Group:
    kind: str
    num_bytes: int
    count: int
    origin: Origin
    shape: tuple = (2, 3)
    dtype: str = "bfloat16"


ORIGIN = Origin("aten.mm.default", "layers.0", "/home/me/model.py", 7)
NOWHERE = Origin("aten.empty.memory_format", "", "", 0)


def group(kind, num_bytes, count=1, origin=ORIGIN):
    return Group(kind, num_bytes, count, origin)


def simulation(**notes_of_the_second):
    """Two phases: 4 MiB are made and stay, 2 more come and go; then 3 more."""
    events = Events()
    events.mark("begin model_init")
    events.alloc(0, 4 * MIB)
    events.alloc(1, 2 * MIB)
    events.free(1)
    events.mark("end model_init")
    events.mark("begin decode")
    events.alloc(2, 3 * MIB)
    events.mark("end decode")
    spans = [
        Span("model_init", 0, [1], [4]),
        Span("decode", 1, [6], [7], notes=dict(notes_of_the_second)),
    ]
    peaks = [
        peak(spans[0], 0, 6 * MIB, 4 * MIB, [group("parameter", 6 * MIB, 2)]),
        peak(
            spans[1],
            4 * MIB,
            7 * MIB,
            7 * MIB,
            [
                group("parameter", 4 * MIB),
                group("cache", 2 * MIB),
                group("cache", MIB, origin=NOWHERE),
            ],
        ),
    ]
    entries = SimpleNamespace(
        origins=[ORIGIN] * 3,
        kinds=["parameter", "", "cache"],
        num_bytes=[4 * MIB, 2 * MIB, 3 * MIB],
    )
    return SimpleNamespace(
        rules="cuda",
        events=[events],
        spans=spans,
        entries=entries,
        effects=[],
        answers=[],
        notes=["said by the core"],
        capability=(8, 0),
        phases=lambda: iter(peaks),
        replayed=lambda levels: None,
        live=lambda device: [0, 4 * MIB, 6 * MIB, 4 * MIB, 4 * MIB, 4 * MIB, 7 * MIB, 7 * MIB],
    )


def peak(span, start, most, end, groups):
    return SimpleNamespace(
        name=span.name,
        passed=span.passed,
        order=span.order,
        ordering=span.ordering,
        device=0,
        declared={"batch": 2},
        executed={},
        begin=span.begins[0],
        end=span.ends[0],
        start_bytes=start,
        peak_bytes=most,
        end_bytes=end,
        origin=ORIGIN,
        groups=tuple(groups),
    )


@pytest.fixture(autouse=True)
def some_torch(monkeypatch):
    """The document names the PyTorch that ran; these tests run none."""
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(__version__="2.13.0+cpu"))
    monkeypatch.setattr(writing, "_uncovered", lambda job, simulation: [])


def made(job=None, workload=None, of=None):
    workload = workload or SimpleNamespace(words={"operation": "generation"}, declared={})
    return writing.document(job or Job(workload="generation"), workload, of or simulation())


def test_it_keeps_to_its_schema():
    told = json.loads(writing.encoded(made()))
    assert list(jsonschema_rs.validator_for(SCHEMA).iter_errors(told)) == []
    assert told["format"] == "fiche-simulation/1"
    assert writing.encoded(made()) == writing.encoded(made())


def test_each_phase_has_both_levels_and_what_is_alive():
    """C3: two counters, never added; a peak counts what was there at the start."""
    first, second = made()["phases"]
    assert first["allocated_bytes"] == {"start": 0, "peak": 6 * MIB, "end": 4 * MIB}
    assert first["reserved_bytes"]["peak"] >= first["allocated_bytes"]["peak"]
    assert second["reserved_bytes"]["start"] == first["reserved_bytes"]["end"]
    assert second["at_peak"]["live"] == [
        {"kind": "parameter", "bytes": 4 * MIB, "count": 1},
        {"kind": "cache", "bytes": 3 * MIB, "count": 2},
    ]


def test_a_place_is_a_file_by_its_name_never_a_folder_of_this_machine():
    at_peak = made()["phases"][1]["at_peak"]
    assert at_peak["source"] == {"file": "model.py", "line": 7}
    assert at_peak["largest"][2]["source"] is None
    assert "/home/me" not in json.dumps(made())


def test_a_shortened_phase_has_no_reserved_bytes_and_says_why():
    told = made(of=simulation(reserved_why="only some steps were run"))
    first, second = told["phases"]
    assert first["reserved_bytes"]["peak"] > 0
    assert (second["reserved_bytes"], second["reserved_why"]) == (None, "only some steps were run")
    # It may have the largest reserved peak, which is unknown then too.
    assert (told["peak"]["phase"], told["peak"]["reserved_bytes"]) == ("decode", None)
    assert [event for event, _ in told["timeline"]["reserved"]] == list(range(6))
    assert list(jsonschema_rs.validator_for(SCHEMA).iter_errors(told)) == []


def test_what_comes_after_a_shortened_phase_has_none_either():
    of = simulation()
    of.spans[0].notes["reserved_why"] = "shortened"
    first, second = made(of=of)["phases"]
    assert (first["reserved_why"], second["reserved_why"]) == ("shortened", writing.SHORTENED)


def test_words_of_a_fiche_stand_beside_those_of_what_ran():
    """A1; a layout over devices is the job's, for the workload knows of one."""
    own = SimpleNamespace(
        words={"operation": "training", "placement": {"devices": 1, "resident": "all"}}, declared={}
    )
    job = Job(
        workload="training",
        words={"operation": "other", "formats": {"master": "none"}},
        placement={"devices": 4, "sharding": "fsdp", "rank": "0"},
    )
    assert made(job, own)["workload"] == {
        "operation": "training",
        "formats": {"master": "none"},
        "placement": {"devices": 4, "resident": "all", "sharding": "fsdp"},
    }


def test_notes_are_those_of_all_who_have_something_to_say():
    workload = SimpleNamespace(words={}, declared={}, notes=["decode was shortened"])
    job = Job(workload="generation", notes=("weights are not read",))
    assert made(job, workload)["notes"] == [
        "weights are not read",
        "decode was shortened",
        "said by the core",
    ]


def test_a_device_that_is_too_small_is_said_and_the_levels_are_those_of_need():
    """What is computed excludes nothing: the load's own need stays the question."""
    job = Job(workload="generation", capacity_bytes=11 * MIB, capacity_by="--capacity")
    small, free = made(job), made()
    assert small["phases"] == free["phases"]
    assert any(
        "has no room for the" in note and "model_init (first pass)" in note
        for note in small["notes"]
    )
    told = {answer["asked"]: answer for answer in small["simulator"]["answers"]}
    assert told["torch.cuda.mem_get_info"]["by"] == "--capacity"


def test_without_a_phase_there_is_no_document():
    of = simulation()
    of.phases = lambda: iter(())
    with pytest.raises(ValueError, match="has no phase"):
        made(of=of)


def test_every_event_is_a_row():
    rows = writing.events_csv(simulation()).decode().splitlines()
    assert rows[0].startswith("device,event,operation,id,bytes,stream,kind,operator")
    assert rows[1] == "0,0,mark,0,0,0,,begin model_init,,"
    assert rows[2] == f"0,1,alloc,0,{4 * MIB},0,parameter,aten.mm.default,layers.0,model.py:7"
    assert rows[3].split(",")[6] == "temporary"
    assert len(rows) == 1 + 8
