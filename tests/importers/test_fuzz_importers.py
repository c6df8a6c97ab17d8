"""Whatever the bytes: a reading or a refusal, well-formed, in time; nothing becomes a need (law 7, C2, C11)."""

import hashlib
import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from importers.mutations import damaged, samples

from fiche.importers import _detect
from fiche.importers._opened import opened
from fiche.importers._vocabulary import piece_json
from fiche.kernel.diagnostic import Refused
from fiche.kernel.doors import Importer
from fiche.registry import members

CODES = Path(__file__).parents[2] / "src" / "fiche" / "codes"
IMPORTERS = {one.name: one for one in members("fiche.importers", Importer)}
SAMPLES = samples()
SECONDS = 2  # of the processor
SAID = re.compile(r"[a-z][a-z0-9_]*: \S")
STATS = {
    *(
        "current",
        "peak",
        "start",
        "sampled_max",
        "delta",
        "peak_delta",
        "free",
        "total",
        "reserved",
    ),
    "capacity",
}
SCOPES = {"process_allocator", "process", "device", "component", "host_process", "host"}
MEASURED = {"measured", "runtime_reported"}
PLANNED = {"estimated", "budget"}
CHECKED = settings(
    max_examples=20, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def text_of(content):
    """What an importer is handed: the text inside, or the bytes where nothing opens."""
    try:
        return opened(content, "0" * 64)
    except Refused:
        return content


def contents_for(kind):
    """The samples of a kind as often as all the others together."""
    own = [content for (name, _), content in SAMPLES.items() if name == kind]
    others = [text_of(content) for content in SAMPLES.values()]
    return [text_of(content) for content in own] * max(1, len(others) // max(1, len(own))) + others


def in_time(act):
    """What an act returns, or its refusal; it may take so much of the processor and no more."""
    start = time.process_time()
    try:
        done = act()
    except Refused as refusal:
        done = refusal
    assert time.process_time() - start < SECONDS
    return done


def well_placed(pointer, lines):
    assert pointer.line is not None or pointer.path is not None
    assert pointer.line is None or 1 <= pointer.line <= lines


def well_formed(done, content):
    # Of a text that opens once more (a mark in front), importers count as they find it.
    lines = max(content.count(b"\n"), text_of(content).count(b"\n")) + 1
    if isinstance(done, Refused):
        for told in done.diagnostics:
            assert (CODES / f"{told.code}.md").is_file()
            assert told.message
            well_placed(told.address, lines)
        return
    assert all(map(SAID.match, done.warnings)), done.warnings
    for seen in (*done.observations, *(o for run in done.runs for o in run.observations)):
        assert seen.kind_of_origin in MEASURED
        well_seen(seen, lines)
    for seen in done.planned:
        assert seen.kind_of_origin in PLANNED
        well_seen(seen, lines, "need")
    for told in (*done.failures, *done.not_observed, *done.results, *done.capacities):
        well_placed(told.pointer, lines)
    for fact in done.facts.values():
        well_placed(fact.address, lines)
        assert isinstance(fact.value, str)
    # What is shown and kept is JSON, whatever stood in the file.
    piece = piece_json("file", hashlib.sha256(content).hexdigest(), len(content), done)
    json.dumps(piece, allow_nan=False).encode()


def well_seen(seen, lines, *more):
    well_placed(seen.pointer, lines)
    assert seen.stat in {*STATS, *more}
    assert seen.scope in SCOPES
    if seen.value is None:
        assert seen.number is None or seen.unit
    elif not seen.value.unavailable:
        assert seen.value.low is not None
        assert seen.value.high is None or seen.value.low <= seen.value.high


@pytest.mark.parametrize("kind", IMPORTERS)
@CHECKED
@given(data=st.data())
def test_an_importer_reads_or_refuses_whatever_it_is_given(kind, data):
    content = data.draw(damaged(contents_for(kind)))
    importer = IMPORTERS[kind]
    score = in_time(lambda: importer.accepts(content, data.draw(st.sampled_from(["", "x.json"]))))
    assert isinstance(score, int)
    assert 0 <= score <= 100
    well_formed(in_time(lambda: importer.read(content, "ab" * 32)), content)


@settings(CHECKED, max_examples=300)
@given(content=damaged(list(SAMPLES.values())))
def test_a_file_is_read_or_refused_whatever_is_in_it(content):
    done = in_time(lambda: _detect.read(content, "ab" * 32, "file"))
    well_formed(done, text_of(content))


@pytest.mark.parametrize("name", [name for _, name in SAMPLES])
def test_every_sample_is_asked_of_every_importer(name):
    content = next(text_of(content) for (_, one), content in SAMPLES.items() if one == name)
    for importer in IMPORTERS.values():
        assert 0 <= in_time(lambda one=importer: one.accepts(content, name)) <= 100
        well_formed(in_time(lambda one=importer: one.read(content, "ab" * 32)), content)
