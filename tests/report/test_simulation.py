"""The section of simulations: both sides with their marks, where they differ, and what neither knows."""

import json
import re

import pytest
from criteria.test_simulated import CONTEXT, simulation
from evaluate.build import candidate, decision, memory, typed, workload
from importers.simulations import CASE, GIB, document, phase, phases
from render.decisions import ATTACK
from render.test_json import SCHEMA
from report.test_view import inside, rows, table, words

from fiche.kernel.record import replace
from fiche.render.attachment import attachments_of
from fiche.render.html import html_bytes
from fiche.render.json import decision_bytes
from fiche.report.parts import Amount, Paragraph, Timeline
from fiche.report.view import brief, view


def decided(*pieces, load=None, others=()):
    load = load or workload(reserve=[CONTEXT])
    people = [candidate(load=load), *others]
    return decision(people, pieces or [simulation()], [memory()], load=load)


def section(made):
    return next(one for one in view(made).sections if one.id == "simulation")


def page(made):
    found = attachments_of(made, decision_bytes(made), {})
    return html_bytes(view(made), made, found).decode("utf-8")


def test_there_is_no_section_without_a_simulation():
    plain = decision([candidate()], [], [memory()])
    assert "simulation" not in [one.id for one in view(plain).sections]
    assert 'id="simulation"' not in page(plain)


def test_the_brief_form_is_as_before():
    assert [one.id for one in brief(decided()).sections] == ["candidates", "missing", "criteria"]


def test_every_number_of_both_sides_is_marked_as_computed():
    for place in range(2):
        for column in range(1, 4):
            told = table(section(decided()), "beside").rows[place].cells[column]
            amounts = [part for line in told.lines for part in line if isinstance(part, Amount)]
            assert amounts
            assert {one.mark for one in amounts} == {"computed"}


def test_a_row_says_how_much_where_and_who_sees_it():
    (prefill, decode) = rows(section(decided()), "beside")
    assert prefill[0].startswith("limit, prefill")
    assert "activations and temporaries" in decode[4]
    assert "the simulation runs the real operators" in decode[5]
    assert re.search(r"\d %", decode[3].replace("\xa0", " "))


def test_within_the_bounds_it_lies_in_none():
    told = phases()
    kinds = {one["kind"]: one["bytes"] for one in told[2]["at_peak"]["live"]}
    kinds.pop("temporary")
    made = decided(simulation(document([*told[:2], exactly(kinds)])))
    (_, decode) = rows(section(made), "beside")
    assert decode[4] == "none"


def exactly(kinds):
    """A decode that holds what the formulas say: weights of 8030261248 parameters, and the cache."""
    kinds = {**kinds, "parameter": 8_030_261_248 * 2}
    return phase("decode", 2, kinds, start=0, end=0, reserved=23 * GIB, **CASE)


def test_peaks_say_operator_module_and_line():
    told = rows(section(decided()), "peaks-sim")
    assert told[1][0].startswith("prefill")
    assert "aten.mm.default" in told[1][3]
    assert "model.layers.31.mlp.down_proj, modeling_llama.py:174" in told[1][3]


def test_a_peak_at_the_start_was_reached_by_nothing():
    made = document()
    made["phases"][0]["at_peak"] |= {"operator": "", "module": "", "source": None}
    told = rows(section(decided(simulation(made))), "peaks-sim")
    assert told[0][3] == "the level at its start"


def test_reserved_bytes_that_nobody_computed_are_not_zero():
    told = phases()
    for one in told:
        one["reserved_bytes"], one["reserved_why"] = None, "no allocator was asked for"
    shown = rows(section(decided(simulation(document(told)))), "peaks-sim")
    assert {row[2] for row in shown} == {"not computed"}


def test_live_bytes_are_told_by_kind_largest_first():
    told = rows(section(decided()), "live-sim")
    assert [row[0] for row in told] == ["parameter", "cache", "activation", "temporary"]
    assert "4 × 7900 × 14336 bfloat16" in told[0][3]


def test_uncovered_items_say_who_stands_for_them():
    (context, workspace) = rows(section(decided()), "uncovered-sim")
    assert context[1] == "not known"
    assert "reserve.cuda-context" in context[2]
    assert "documented bound" in workspace[2]
    (opened, _) = rows(section(decided(load=workload())), "uncovered-sim")
    assert opened[2] == "keeps it open"


def test_the_need_of_the_second_reading_is_told_or_open():
    def said(made):
        return " ".join(words(one) for one in inside(section(made), Paragraph))

    assert "As a need of the second reading, in case limit: 23.50 to 23.51" in said(
        decided()
    ).replace("\xa0", " ")
    assert "open, for want of cuda_context" in said(decided(load=workload()))


def test_effects_and_notes_are_told():
    made = section(decided())
    (effect,) = rows(made, "effects-sim")
    assert effect[0].startswith("flash_attention")
    assert "attention.cu" in effect[3]
    assert "weights are random" in words(made)


def test_one_of_another_thing_is_told_once_with_its_reason():
    load = workload(model__revision="deadbeef")
    told = words(section(decided(load=load)))
    assert "not set beside the formulas: model.revision: the question says deadbeef" in told
    assert told.count("not set beside") == 1


def test_a_candidate_with_a_changed_load_says_why_it_stands_beside_none():
    load = workload(reserve=[CONTEXT])
    changed = replace(load, facts={**load.facts, "formats.cache": typed("fp8_e4m3", "")})
    told = words(section(decided(load=load, others=[candidate("fp8", load=changed)])))
    assert "fp8, limit not set beside the formulas: formats.cache" in told


def test_several_devices_are_told_apart():
    two = [
        phase("prefill", place, {"parameter": GIB}, start=0, end=0, device=place, reserved=2 * GIB)
        for place in range(2)
    ]
    told = rows(section(decided(simulation(document(two)))), "peaks-sim")
    assert ["device 0" in told[0][0], "device 1" in told[1][0]] == [True, True]


def test_the_window_is_drawn():
    (drawn,) = inside(section(decided()), Timeline)
    assert [band.name for band in drawn.bands] == ["model init", "prefill", "decode"]
    assert [curve.kind for curve in drawn.curves] == ["reserved", "allocated"]
    assert drawn.up == "GiB"
    assert "peak allocated: 22.46 GiB at event 160" in drawn.said.replace("\xa0", " ")


def test_its_figures_stand_in_no_table_of_observations():
    others = [one for one in view(decided()).sections if one.id == "observed"]
    assert "simulated" not in words(others[0])


@pytest.mark.parametrize("key", ["notes", "uncovered", "effects", "answers", "at_peak", "case"])
def test_hostile_words_act_on_no_reader(key):
    made = document()
    if key == "notes":
        made["notes"] = [ATTACK]
    elif key == "case":
        made["case"] = ATTACK
    elif key == "answers":
        made["simulator"]["answers"][0]["told"] = ATTACK
    elif key == "at_peak":
        made["phases"][1]["at_peak"] |= {"operator": ATTACK, "module": ATTACK}
        made["phases"][1]["at_peak"]["largest"][0] |= {"dtype": ATTACK, "operator": ATTACK}
    else:
        made[key][0]["name"] = made[key][0]["source"] = ATTACK
    text = page(decided(simulation(made)))
    assert "<img" not in text.lower()
    assert "\x1b" not in text


def test_decision_json_fits_its_schema_and_names_listed_figures():

    made = decided(simulation(), simulation(id="again"))
    told = json.loads(decision_bytes(made))
    assert [error.message for error in SCHEMA.iter_errors(told)] == []
    known = {one["id"] for one in told["figures"]}
    for one in told["simulations"]:
        assert one["need"] in known
        for each in one["phases"]:
            named = [each[key] for key in ("formulas", "simulated", "reserved", "difference")]
            named += [g[side] for g in each["groups"] for side in ("formulas", "simulated")]
            assert set(named) <= known
    piece = next(one for one in told["pieces"] if one["id"] == "sim")
    assert {one["kind_of_origin"] for one in piece["planned"]} == {"computed"}
    ids = {one["id"] for one in piece["planned"]}
    assert {one["allocated"] for one in piece["simulation"]["phases"]} <= ids
    assert {one["figure"] for one in piece["simulation"]["peak"]["live"]} <= known


def test_a_decision_without_one_has_no_key_for_it():
    assert b'"simulations"' not in decision_bytes(decision([candidate()], [], [memory()]))
