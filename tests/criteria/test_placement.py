"""Placement: several cards are no pool; software that places a load on them is itself verified (D4)."""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    NEUTRAL,
    STRICT,
    TO_CONFIRM,
    allocated,
    attest,
    candidate,
    declared,
    document,
    failing,
    finding,
    piece,
    requirement,
    run,
    says,
    topics,
    typed,
    used,
    verdict,
    workload,
)
from evaluate.build import card as a_card

from fiche.kernel.record import replace
from fiche.kernel.unit import ONE

PLACED = requirement("placement")
TWO = workload(
    placement__devices=2, placement__split="tensor_parallel", placement__tensor_parallel=2
)
ON_TWO = candidate(cards=2, load=TWO)


def ran(load=TWO, **changes):
    seen = changes.pop("seen", (used(1), used(1, device=1)))
    facts = {"placement.tensor_parallel": "2", **changes.pop("facts", {})}
    return piece("run", runs=[run(*seen, load=load, facts=facts, **changes)])


@pytest.mark.parametrize("on", [candidate(), candidate(cards=2)])
def test_one_device_needs_no_placement(on):
    found = finding(PLACED, [], on)
    assert (found.verdict, found.pieces, found.need.low) == (ADMISSIBLE, (), 1)


def test_one_card_without_a_stated_placement_is_one_place():
    assert verdict(PLACED, [], candidate(load=workload(placement__devices=None))) is ADMISSIBLE


def test_several_cards_without_a_stated_placement_are_to_confirm():
    found = finding(PLACED, [ran()], candidate(cards=2, load=workload(placement__devices=None)))
    assert (found.verdict, topics(found)) == (TO_CONFIRM, {"placement"})
    assert says(found, "several cards are not one pool")


def test_more_devices_than_cards_have_no_place():
    found = finding(PLACED, [ran()], candidate(cards=1, load=TWO))
    assert (found.verdict, found.need.low, found.have.low) == (EXCLUDE, 2, 1)
    module = a_card()
    module = replace(module, figures={**module.figures, "devices": declared(2, ONE)})
    assert verdict(PLACED, [], candidate(cards=1, load=TWO, card=module)) is TO_CONFIRM


def test_a_covering_run_on_that_many_devices_admits():
    found = finding(PLACED, [ran()], ON_TWO)
    assert (found.verdict, found.pieces, found.have_words) == (
        ADMISSIBLE,
        ("run",),
        "ran on 2 devices",
    )
    assert found.need_words == "2 devices, tensor parallel by vllm 0.28.0"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("placement.devices", "4"),
        ("placement.devices", None),
        ("placement.split", "pipeline_parallel"),
        ("placement.tensor_parallel", "1"),
        ("engine.version", "0.27.1"),
        ("engine.name", "transformers"),
        ("model.name", "another"),
        ("backend", "hip"),
        ("gpu", "nvidia-l4-24g"),
    ],
)
def test_a_run_that_differs_verifies_nothing(path, value):
    found = finding(PLACED, [ran(facts={path: value})], ON_TWO)
    assert found.verdict is TO_CONFIRM
    assert says(found, "run does not cover")


def test_a_run_that_left_a_device_alone_verifies_nothing():
    seen = (allocated(10**9), allocated(0, device=1))
    found = finding(PLACED, [ran(seen=seen)], ON_TWO)
    assert found.verdict is TO_CONFIRM
    assert says(found, "memory was held on 1 of 2 devices")
    both = ran(seen=(allocated(10**9), allocated(10**9, device=1)))
    assert verdict(PLACED, [both], ON_TWO) is ADMISSIBLE


def test_a_run_of_one_device_and_a_failure_settle_nothing():
    assert verdict(PLACED, [piece("run", runs=[run(used(1))])], ON_TWO) is TO_CONFIRM
    assert verdict(PLACED, [piece("run", runs=[failing(load=TWO)])], ON_TWO) is TO_CONFIRM


def test_a_document_admits_nothing():
    """DESIGN 4: a placement by software that is itself verified."""
    told = attest("software", component="vllm", version="0.28.0", answer="supported")
    assert verdict(PLACED, [document("notes", told, gpu=ON_TWO.gpu)], ON_TWO) is TO_CONFIRM


def test_a_typed_scope_counts_on_the_word_of_a_person():
    bare = ran(printed={})
    told = {path: fact.value for path, fact in run(load=TWO).facts.items()}
    told["placement.tensor_parallel"] = "2"
    mine = replace(bare, typed={path: typed(value) for path, value in told.items()})
    found = finding(PLACED, [mine], ON_TWO)
    assert (found.verdict, found.attested_by) == (ADMISSIBLE, ("A. Martin",))
    assert verdict(PLACED, [mine], ON_TWO, policy=STRICT) is TO_CONFIRM


def test_a_policy_without_a_list_verifies_nothing():
    strict = {kind: paths for kind, paths in NEUTRAL.strict.items() if kind != "placement"}
    found = finding(PLACED, [ran()], ON_TWO, policy=replace(NEUTRAL, strict=strict))
    assert found.verdict is TO_CONFIRM
    assert says(found, "lists no strict fact for placement")


def test_what_the_policy_only_notes_is_said():
    found = finding(
        PLACED,
        [ran(facts={"driver": "610"})],
        candidate(cards=2, load=replace(TWO, facts={**TWO.facts, "driver": typed("580")})),
    )
    assert found.verdict is ADMISSIBLE
    assert says(found, "noted: driver")
