"""Checklists by case, and every named figure of a fiche under one id (B6, B7, law 1)."""

from evaluate.build import DOORS, GIB, assumed, candidate, case, fiche, workload

from fiche.evaluate.loads import figures_of, loads_of

USUAL = case("usual", prompt_tokens=1200, new_tokens=300, resident_sequences=4)


def loads(load, prefix="", base=None):
    return loads_of(load, DOORS.estimators, prefix, base or {})


def test_each_case_has_its_checklist_and_a_load_without_cases_has_one():
    assert set(loads(workload([USUAL, case()]))) == {"usual", "limit"}
    assert set(loads(workload([]))) == {""}


def test_the_reserve_is_on_the_checklist_and_not_resident():
    """B7: an assumption, and never part of a floor."""
    items = loads(workload(reserve=[assumed(GIB)]))["limit"]
    assert [(i.name, i.resident) for i in items if i.name == "reserve"] == [("reserve", False)]
    assert {"weights", "kv_cache"} <= {i.name for i in items if i.resident}


def test_figures_of_a_changed_candidate_are_prefixed_and_the_rest_is_shared():
    base, fp8 = workload(), workload(formats__cache="fp8_e4m3")
    asked = fiche([candidate("rent", load=base), candidate("fp8", load=fp8)], load=base)
    found = figures_of(asked, DOORS.estimators)
    assert found["limit.kv_cache"].low == 2 * found["fp8/limit.kv_cache"].low
    assert "fp8/weights" not in found
    (cache,) = [i.node for i in loads(fp8, "fp8/", found)["limit"] if i.name == "kv_cache"]
    assert cache.id == "fp8/limit.kv_cache"
