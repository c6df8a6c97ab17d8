"""A simulation's document: computed figures with their places, and nothing of it taken for an observation."""

import gzip
import json

import pytest
from importers.simulations import GIB, document, phase, phases, read, timeline

from fiche.importers import fiche_simulation
from fiche.importers._vocabulary import piece_json
from fiche.kernel.diagnostic import Refused
from fiche.kernel.simulation import peak_of
from fiche.kernel.trace import basis, firm


def refused(made):
    with pytest.raises(Refused) as caught:
        read(made)
    return [(one.code, one.address.path) for one in caught.value.diagnostics]


def changed(path, value):
    made = document()
    here = made
    *way, last = path
    for step in way:
        here = here[step]
    here[last] = value
    return made


def test_nothing_is_observed_and_no_run_is_told():
    reading = read(document())
    assert (reading.kind, reading.version) == ("fiche_simulation", "fiche-simulation/1")
    assert (reading.observations, reading.runs, reading.capacities, reading.failures) == ((),) * 4
    assert {seen.kind_of_origin for seen in reading.planned} == {"computed"}
    assert "neither admits nor excludes" in reading.warnings[0]


def test_each_figure_has_its_place_in_the_document():
    made = document()
    for seen in read(made).planned:
        here = made
        for step in seen.pointer.path.split("/")[1:]:
            here = here[int(step)] if isinstance(here, list) else here[step]
        assert here == seen.value.value


def test_a_peak_is_computed_and_never_firm():
    told = read(document()).simulation
    peak = peak_of(told.phases[1], "allocated", told.by)
    assert (peak.low, peak.high) == (told.phases[1].allocated.peak,) * 2
    assert (basis(peak), firm(peak)) == ("computed", False)
    assert peak.origin.pointer.path == "/phases/1/allocated_bytes/peak"
    assert "torch 2.13.0+cpu" in peak.origin.by


def test_facts_are_those_of_the_workload_and_of_what_computed_them():
    facts = {path: fact.value for path, fact in read(document()).facts.items()}
    assert facts["model.revision"] == "0e9e39f2"
    assert facts["placement.devices"] == "1"
    assert facts["backend"] == "cuda"
    assert facts["framework.version"] == "2.13.0+cpu"
    assert facts["allocator.settings"] == "default"
    assert "gpu" not in facts


def test_settings_are_told_in_the_words_of_the_allocator():
    made = document()
    made["allocator"]["settings"] = {"expandable_segments": True, "max_split_size_mb": 128}
    told = read(made).facts["allocator.settings"].value
    assert told == "expandable_segments:True,max_split_size_mb:128"


def test_what_the_whole_executed_is_the_largest_of_each_dimension():
    told = phases()
    told[1]["executed"]["new_tokens"] = 0
    sizes = read(document(told)).simulation.dimensions
    assert {name: size.low for name, size in sizes.items()} == {
        "prompt_tokens": 7900,
        "new_tokens": 292,
        "resident_sequences": 4,
    }


@pytest.mark.parametrize(
    ("path", "value", "code", "at"),
    [
        (("format",), "fiche-simulation/2", "F431", "/format"),
        (("peak", "allocated_bytes"), 2.5, "F434", "/peak/allocated_bytes"),
        (
            ("phases", 0, "allocated_bytes", "start"),
            -1,
            "F435",
            "/phases/0/allocated_bytes/start",
        ),
        (("phases", 0, "unit"), "KiB", "F432", "/phases/0"),
        (("simulator", "rules"), "memtracker", "F432", "/simulator/rules"),
        (("uncovered", 1, "low_bytes"), 9 * GIB, "F585", "/uncovered/1/low_bytes"),
        (
            ("phases", 1, "allocated_bytes", "end"),
            90 * GIB,
            "F585",
            "/phases/1/allocated_bytes/end",
        ),
        (("phases", 1, "reserved_bytes", "peak"), 1, "F585", "/phases/1/reserved_bytes/peak"),
        (("phases", 2, "at_peak", "live", 0, "bytes"), 15_684_000, "F586", None),
        (("phases", 2, "at_peak", "largest", 0, "bytes"), 90 * GIB, "F586", None),
        (("phases", 2, "order"), 1, "F587", "/phases/2/order"),
        (("peak", "allocated_bytes"), 7, "F587", "/peak/allocated_bytes"),
        (("peak", "phase"), "evaluation", "F587", "/peak/phase"),
        (("timeline", "allocated", 3), [2, 1], "F588", "/timeline/allocated/3"),
        (("timeline", "allocated", 3), [120, 90 * GIB], "F588", "/timeline/allocated/3"),
        (("timeline", "phases", 1, "to_event"), 3, "F588", "/timeline/phases/1/to_event"),
    ],
)
def test_what_cannot_be_is_refused_at_its_place(path, value, code, at):
    found = refused(changed(path, value))
    assert code in {one for one, _ in found}
    if at is not None:
        assert (code, at) in found


def test_a_missing_reserved_peak_needs_its_reason():
    told = phases()
    told[1]["reserved_bytes"] = None
    assert refused(document(told))[0][0] == "F432"
    told[1]["reserved_why"] = "no allocator was asked for"
    assert read(document(told)).simulation.phases[1].reserved is None


def test_amounts_in_another_unit_are_refused():
    """A document whose every amount of one phase is in KiB adds up in itself, and not with the rest."""
    told = phases()
    small = phase("decode", 2, {"parameter": 15_684_107}, start=0, end=0)
    assert refused(document([*told[:2], small])) == [("F585", "/phases/2/allocated_bytes/peak")]


def test_a_cut_document_is_refused_and_not_half_read():
    content = json.dumps(document()).encode()
    for length in (40, len(content) // 2, len(content) - 1):
        with pytest.raises(Refused) as caught:
            read(content[:length], "fiche_simulation")
        assert caught.value.diagnostics[0].code == "F430"


def test_a_key_that_stands_twice_is_refused():
    content = json.dumps(document()).replace('"case"', '"gpu": "x", "case"', 1).encode()
    with pytest.raises(Refused) as caught:
        read(content)
    assert [one.code for one in caught.value.diagnostics] == ["F433"]


def test_hostile_depth_and_numbers_are_refused():
    deep = b'{"format": "fiche-simulation/1", "notes": ' + b"[" * 100_000
    with pytest.raises(Refused):
        read(deep, "fiche_simulation")
    assert "F434" in {code for code, _ in refused(changed(("peak", "order"), 10**40))}


def test_it_is_found_by_its_format_packed_or_not():
    content = json.dumps(document()).encode()
    assert read(gzip.compress(content)).kind == "fiche_simulation"
    assert fiche_simulation.accepts(content, "x") == 100
    assert fiche_simulation.accepts(b'{"format": "fiche-measurement/1"}', "x") == 0
    assert fiche_simulation.MEMBER.name == "fiche_simulation"


def test_as_json_the_figures_are_plans():
    content = json.dumps(document())
    told = piece_json("sim.json", "a" * 64, len(content), read(document()))
    assert not told["observations"]
    assert {one["origin"] for one in told["planned"]} == {"computed"}
    assert told["planned"][0]["pass"] == "first"


def test_a_timeline_may_be_without_reserved_levels():
    told = phases()
    made = document(told, timeline={**timeline(told), "reserved": []})
    assert read(made).simulation.window.reserved == ()
