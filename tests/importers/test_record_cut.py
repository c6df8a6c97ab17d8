"""Records cut at any byte, and records as earlier versions of fiche wrote them."""

import json
from pathlib import Path

import pytest
from importers.records import RECORD, document_bytes, journal_bytes, record
from importers.test_record_nesting import NESTED, SEEN, lines

from fiche.importers._room import Room
from fiche.importers.fiche_record import MEMBER
from fiche.kernel.diagnostic import Refused

KEPT = Path(__file__).parent / "records_kept"
DIGEST = "12" * 32


def tried(content):
    """The reading, or the codes of its refusal."""
    try:
        return MEMBER.read(content, DIGEST), ()
    except Refused as refused:
        return None, tuple(told.code for told in refused.diagnostics)


def finished(reading):
    return [run.id for run in reading.runs if run.outcome != "unknown" or run.observations]


def ends_of_phases(content, document):
    """Behind which byte each phase of a document is whole; objects end where their text parses."""
    text, at, found = content.decode(), content.decode().index('"phases"'), []
    at = text.index("[", at) + 1
    decoder = json.JSONDecoder()
    for _ in document["phases"]:
        at = text.index("{", at)
        _, at = decoder.raw_decode(text, at)
        found.append(len(text[:at].encode()))
    return found


def rich(document):
    """A record with everything that a cut may fall into."""
    document["phases"][0]["tensors"] = SEEN
    document["phases"][0]["extra"] = {"note": 'a "quoted" \\ é word', "flags": [True, None, -1]}
    document["phases"] += [{**document["phases"][1], "index": 2}]
    document["unfinished"] = [{"index": 3, "name": "decode", "pass": "later", "ordering": "phased"}]


@pytest.mark.slow
@pytest.mark.parametrize(("indent", "ascii_only"), [(None, False), (2, True)])
def test_a_document_cut_at_every_byte_yields_its_finished_phases(indent, ascii_only):
    document = record(rich)
    content = json.dumps(document, indent=indent, ensure_ascii=ascii_only).encode()
    ends = ends_of_phases(content, document)
    head = content.index(b'"gpu"') - (2 if indent is None else 4)  # behind the workload
    for cut in range(len(content)):
        reading, codes = tried(content[:cut])
        if cut < head:
            assert codes == (("F430",) if cut == 0 else ("F438",)), (cut, codes)
        else:
            assert len(finished(reading)) == sum(end <= cut for end in ends), cut
            assert any(told.startswith("cut_document") for told in reading.warnings), cut
    whole, _ = tried(content)
    assert len(finished(whole)) == 3
    assert not any(told.startswith("cut_document") for told in whole.warnings)


def test_the_order_of_keys_matters_no_more_than_needed():
    """Phases in the middle: what stands behind the cut is absent, never a default (C2)."""
    document = record(rich)
    moved = {key: document[key] for key in document if key not in ("gpu", "unfinished")}
    moved["gpu"] = document["gpu"]
    content = json.dumps(moved).encode()
    reading, _ = tried(content[: content.rindex(b'"gpu"') - 2])
    assert len(finished(reading)) == 3
    assert "gpu" not in reading.facts
    first = {"phases": document["phases"], **{k: v for k, v in document.items() if k != "phases"}}
    content = json.dumps(first).encode()
    _, codes = tried(content[: content.index(b'"series"')])
    assert codes == ("F438",)


@pytest.mark.parametrize("content", [journal_bytes(record(rich)), lines(NESTED)])
def test_a_journal_cut_at_every_byte_yields_its_finished_phases(content):
    header = content.index(b"\n")
    for cut in range(len(content)):
        reading, codes = tried(content[:cut])
        if cut < header:
            assert codes in (("F430",), ("F438",)), (cut, codes)
            continue
        ended = sum(
            b'"phase_end"' in line and line.endswith(b"}") and _whole(line)
            for line in content[:cut].split(b"\n")
        )
        assert len(finished(reading)) == ended, cut


def _whole(line):
    try:
        return bool(json.loads(line))
    except ValueError:
        return False


def test_a_cut_that_lost_its_end_to_zeros_is_a_cut_as_well():
    """After a loss of power a file may end in zero bytes."""
    content = document_bytes(RECORD)
    reading, _ = tried(content[:-40] + b"\0" * 512)
    assert len(reading.runs) == 1
    whole, _ = tried(content + b"\0" * 512)
    assert len(whole.runs) == 2


def test_what_no_end_mends_is_broken_and_refused():
    content = document_bytes(RECORD)
    middle = content.index(b'"phases"')
    for wrong in (b"}", b"]", b"x", b",,", b"\x01"):
        broken = content[:middle] + wrong + content[middle:-30]
        _, codes = tried(broken)
        assert codes == ("F430",), (wrong, codes)


def test_strictness_holds_before_the_cut():
    """A fraction, a key that stands twice, a CPU: a cut excuses none of them (C10)."""
    content = document_bytes(RECORD)
    fraction = content.replace(b'"warmups": 1', b'"warmups": 1.5')[:-40]
    assert tried(fraction)[1] == ("F434",)
    twice = content.replace(b'"gpu":', b'"machine": "x", "gpu":')[:-40]
    assert tried(twice)[1] == ("F433",)
    cpu = content.replace(b'"backend": "cuda"', b'"backend": "cpu"')[:-40]
    assert tried(cpu)[1][0] == "F436"


def test_the_head_is_named_where_it_is_not_whole():
    content = document_bytes(RECORD)
    with pytest.raises(Refused) as refused:
        MEMBER.read(content[: content.index(b'"workload"')], DIGEST)
    (told,) = refused.value.diagnostics
    assert told.code == "F438"
    assert "workload" in told.message
    assert "environment" not in told.message


@pytest.mark.parametrize(("cut", "code"), [(15, "F420"), (60, "F438"), (400, "F438")])
def test_a_cut_head_is_refused_once(cut, code):
    with pytest.raises(Refused) as refused:
        Room().read(document_bytes(RECORD)[:cut], DIGEST, "m.json", "")
    assert [told.code for told in refused.value.diagnostics] == [code]


def test_a_cut_record_is_found_by_its_content_too():
    reading = Room().read(document_bytes(RECORD)[:-100], DIGEST, "m.json", "")
    assert (reading.kind, len(reading.runs)) == ("fiche_record", 1)


# --- Earlier formats ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["first.json", "first.journal.jsonl"])
def test_records_of_the_first_format_still_load(name):
    """Written before ranks, plans, nesting and tensors had their keys."""
    reading = Room().read((KEPT / name).read_bytes(), DIGEST, name, "")
    assert [(run.outcome, run.whole_loop, run.first_pass) for run in reading.runs] == [
        ("success", False, True),
        ("success", True, False),
        ("failure", False, True),
    ]
    assert reading.failures[0].quantities["requested"].text == "2.00 GiB"
    assert len(reading.runs[1].observations) == 11
    assert reading.runs[1].executed["prompt_tokens"].low == 7912
    assert {w.partition(":")[0] for w in reading.warnings} == {"executed_differs"}
    assert len(reading.facts) == 36


def test_a_record_of_two_devices_in_one_process_still_loads():
    reading = Room().read((KEPT / "pair.json").read_bytes(), DIGEST, "pair.json", "")
    run = next(run for run in reading.runs if run.whole_loop)
    assert {seen.device_index for seen in run.observations} == {0, 1}
    assert {seen.rank for seen in run.observations} == {None}
    assert run.outcome == "success"
