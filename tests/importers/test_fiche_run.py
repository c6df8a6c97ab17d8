"""The index of a run: how the command ended; it measures no device (C11, C13)."""

import copy
import gzip
import hashlib
import json

import pytest

from fiche.importers import _detect, fiche_run
from fiche.kernel.diagnostic import Refused

SHA = "a" * 64
RUN = {
    "format": "fiche-run/1",
    "tool": {"name": "fiche", "version": "0.1.0"},
    "run": "nightly",
    "started_at": "2026-11-29T08:00:00+00:00",
    "duration_ns": 61_000_000_000,
    "command": {"line": "python train.py --hf-token <secret>", "redacted": 1, "pid": 4711},
    "exit": {"status": 0},
    "records": [
        {"file": "program-4711.json", "kind": "program", "sha256": SHA, "outcome": "success"}
    ],
    "host": {
        "peak_rss_bytes": {"bytes": 9_000_000_000, "counter": "ru_maxrss"},
        "oom_kills": {"count": 0, "counter": "oom_kill"},
    },
}


def changed(**keys):
    made = copy.deepcopy(RUN)
    made.update(keys)
    return {key: value for key, value in made.items() if value is not None}


def read(document, kind=""):
    content = document if isinstance(document, bytes) else json.dumps(document).encode()
    return _detect.read(content, hashlib.sha256(content).hexdigest(), "run.json", kind)


def codes(document):
    with pytest.raises(Refused) as refused:
        read(document)
    return [one.code for one in refused.value.diagnostics]


def test_the_index_is_read_as_one():
    reading = read(RUN)
    assert (reading.kind, reading.shape, reading.version) == ("fiche_run", "index", "fiche-run/1")
    assert {key: fact.value for key, fact in reading.facts.items()} == {
        "run": "nightly",
        "started_at": "2026-11-29T08:00:00+00:00",
        "command": "python train.py --hf-token <secret>",
        "tool.name": "fiche",
        "tool.version": "0.1.0",
    }
    assert reading.facts["command"].address.path == "/command/line"
    assert reading.further == {"records": ["program-4711.json"]}


def test_it_holds_no_run_and_no_capacity_so_it_admits_nothing():
    """Host memory of one process is no fact about a device."""
    reading = read(RUN)
    assert (reading.runs, reading.capacities, reading.failures) == ((), (), ())
    (one,) = reading.observations
    assert (one.counter, one.scope, one.stat) == ("ru_maxrss", "host_process", "peak")
    assert (one.value.value, one.pointer.path) == (9_000_000_000, "/host/peak_rss_bytes/bytes")
    (warning,) = reading.warnings
    assert warning.startswith("index_only: ")
    assert warning.endswith(": program-4711.json")


@pytest.mark.parametrize(
    ("exit_", "kills", "outcome", "kind", "memory"),
    [
        ({"signal": "SIGKILL"}, 1, "unknown", "process_killed", "host"),
        ({"status": 137}, 2, "unknown", "process_killed", "host"),
        ({"status": 0}, 1, "success", "process_killed", "host"),
        ({"signal": "SIGKILL"}, None, "unknown", "process_killed", "host"),
        # The kernel was asked and killed none: somebody else did.
        ({"signal": "SIGKILL"}, 0, "unknown", "process_killed", None),
        ({"signal": "SIGSEGV"}, 0, "unknown", "workload_error", None),
        ({"status": 3}, 0, "success", "workload_error", None),
    ],
)
def test_an_end_that_no_record_tells_of_is_a_failure(exit_, kills, outcome, kind, memory):
    host = {} if kills is None else {"oom_kills": {"count": kills, "counter": "oom_kill"}}
    record = {**RUN["records"][0], "outcome": outcome}
    reading = read(changed(exit=exit_, host=host, records=[record]))
    (failure,) = reading.failures
    assert (failure.message_kind, failure.memory) == (kind, memory)
    uncertain = any(w.startswith("cause_uncertain") for w in reading.warnings)
    assert uncertain == (exit_ == {"signal": "SIGKILL"} and kills is None)


def test_a_failure_that_a_record_holds_is_not_told_twice():
    record = {**RUN["records"][0], "outcome": "failure"}
    assert read(changed(exit={"status": 1}, records=[record])).failures == ()


def test_what_was_not_watched_is_said():
    reading = read(changed(records=[], unwatched=["KeyError: 'FICHE_RUN_ID'"]))
    assert [w.split(":")[0] for w in reading.warnings] == ["index_only", "not_watched"]
    assert reading.warnings[0].endswith("and it names none")
    many = [{**RUN["records"][0], "file": f"program-{n}.json"} for n in range(20)]
    assert read(changed(records=many)).warnings[0].endswith("program-7.json and 12 more")


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (b'{"format": "fiche-run/1",', "F430"),
        (changed(format="fiche-run/2"), "F431"),
        (changed(exit=None), "F432"),
        (changed(exit={}), "F432"),
        (changed(exit={"status": 1, "signal": "SIGHUP"}), "F432"),
        (changed(sizes=1), "F432"),
        (json.dumps(RUN).replace('"run"', '"run": "b", "run"', 1).encode(), "F433"),
        (changed(duration_ns=1.5), "F434"),
        (changed(duration_ns=-1), "F435"),
    ],
)
def test_a_damaged_index_is_refused(document, code):
    assert set(codes(document)) == {code}


def test_it_is_found_by_its_content():
    assert fiche_run.MEMBER.name == "fiche_run"
    assert read(gzip.compress(json.dumps(RUN).encode())).kind == "fiche_run"
    assert read(b"\xef\xbb\xbf" + json.dumps(RUN).encode()).kind == "fiche_run"
    assert fiche_run.accepts(b'{"format": "fiche-measurement/1"}', "run.json") == 0
    assert fiche_run.accepts(b"fiche-run/1 is the format", "notes.txt") == 0
