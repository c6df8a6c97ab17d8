"""What the recorder writes, read and put together again: ranks, nested phases, cuts at every byte (C9, C11)."""

import hashlib
import json

import pytest
from measure.simulated import MIB, SimulatedDevice, SimulatedDevices

from fiche.importers._record_merge import RankRecord, merged
from fiche.importers.fiche_record import MEMBER, record_form
from fiche.kernel.diagnostic import Refused
from fiche.measure.protocol.recorder import recorder

WORDS = {"model": {"name": "x"}, "placement": {"devices": 2, "resident": "all"}}


def launched(monkeypatch, number):
    told = {"RANK": number, "WORLD_SIZE": 2, "LOCAL_RANK": number, "GROUP_RANK": 0}
    for name, value in told.items():
        monkeypatch.setenv(name, str(value))


def ran(monkeypatch, folder, number, fails=False):
    """One rank's whole loop on the device of its own; the bytes of its record."""
    launched(monkeypatch, number)
    machine = SimulatedDevices([SimulatedDevice(number)])
    rec = recorder(folder / "m.json", device=machine, workload=WORDS, run="run-1")
    try:
        with rec, rec.whole_loop("loop") as loop:
            with rec.phase("prefill") as phase:
                machine.all[0].allocate((3 + number) * MIB)
                phase.executed(prompt_tokens=100 + number)
            loop.executed(prompt_tokens=100 + number)
            if fails:
                raise RuntimeError("CUDA error: device lost")
    except RuntimeError:
        assert fails
    return rec.path.read_bytes()


def put_together(*contents):
    ranks = []
    for content in contents:
        sha256 = hashlib.sha256(content).hexdigest()
        found = record_form(content, sha256)
        open_phases = [phase for phase, _ in found.unfinished]
        name = f"rank {found.document['series']['rank']['rank']}"
        ranks.append(
            RankRecord(document=found.document, unfinished=open_phases, sha256=sha256, name=name)
        )
    return MEMBER.read(json.dumps(merged(ranks)).encode(), "00" * 32)


def test_ranks_as_the_recorder_writes_them_are_put_together(monkeypatch, tmp_path):
    reading = put_together(*(ran(monkeypatch, tmp_path, number) for number in (1, 0)))
    (loop,) = [run for run in reading.runs if run.whole_loop]
    assert (loop.outcome, loop.phases) == ("success", ("prefill",))
    assert loop.executed["prompt_tokens"].low == 100  # the smallest that every rank ran
    peaks = {
        seen.device_index: seen.value.value
        for seen in loop.observations
        if (seen.counter, seen.stat) == ("max_memory_allocated", "peak")
    }
    assert peaks == {0: 3 * MIB, 1: 4 * MIB}


def test_a_rank_that_failed_fails_the_run(monkeypatch, tmp_path):
    contents = [ran(monkeypatch, tmp_path, 0), ran(monkeypatch, tmp_path, 1, fails=True)]
    (loop,) = [run for run in put_together(*contents).runs if run.whole_loop]
    assert (loop.outcome, loop.failure.rank, loop.failure.device_index) == ("failure", 1, 1)
    assert loop.executed["prompt_tokens"].low == 101


@pytest.fixture
def nested(tmp_path):
    """A record of phases in phases, and its journal as it stood before the document took its place."""
    machine = SimulatedDevices()
    rec = recorder(tmp_path / "m.json", device=machine, workload=WORDS)
    lines = b""
    with rec:
        for _ in range(2):
            with rec.phase("first_step", microbatch=2) as step:
                for name in ("forward", "backward"):
                    with rec.phase(name) as phase:
                        machine.all[0].allocate(MIB)
                        phase.executed(microbatch=2)
                step.executed(microbatch=2)
        lines = (tmp_path / "m.json.journal").read_bytes()
    return rec.path.read_bytes(), lines


def test_the_recorders_document_cut_at_every_byte_yields_its_finished_phases(nested):
    content, _ = nested
    document = json.loads(content)
    assert [phase.get("parent") for phase in document["phases"]] == [None, 0, 0, None, 3, 3]
    counts = []
    refusals = set()
    for cut in range(len(content)):
        try:
            counts.append(len(MEMBER.read(content[:cut], "00" * 32).runs))
        except Refused as refused:
            refusals.add((bool(counts), *(told.code for told in refused.diagnostics)))
    assert refusals == {(False, "F430"), (False, "F438")}
    assert counts == sorted(counts)
    assert counts[-1] == 6
    assert set(counts) == set(range(7))


def test_the_recorders_journal_cut_at_every_byte_yields_its_finished_phases(nested):
    _, lines = nested
    header = lines.index(b"\n") + 1
    for cut in range(header, len(lines)):
        reading = MEMBER.read(lines[:cut], "00" * 32)
        whole = [json.loads(line) for line in lines[:cut].split(b"\n")[:-1]]
        ended = sum(event["event"] == "phase_end" for event in whole)
        started = sum(event["event"] == "phase_start" for event in whole)
        known = [run for run in reading.runs if run.outcome != "unknown"]
        assert len(known) - ended in (0, 1), cut  # the last line may be whole but for its end
        assert len(reading.runs) - started in (0, 1), cut
