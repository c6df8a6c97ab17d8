"""Precision: a run or the engine's own document; a maker's no is to confirm (DESIGN 4, Support)."""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    GPU,
    TO_CONFIRM,
    attest,
    candidate,
    document,
    finding,
    of_catalog,
    piece,
    requirement,
    run,
    says,
    topics,
    used,
    verdict,
    workload,
)
from evaluate.build import card as a_card

BF16 = requirement("precision", format="bf16")
T4, A100 = "nvidia-t4-16g", "nvidia-a100-sxm-80g"


@pytest.mark.parametrize(
    ("vendor", "facts", "wanted", "said"),
    [
        ("nvidia", {"compute_capability": "7.5"}, "bf16", "the maker says no"),
        ("nvidia", {"compute_capability": "8.0"}, "fp8_e4m3", "the maker says no"),
        ("nvidia", {"compute_capability": "8.9"}, "bf16", "the maker says yes"),
        ("nvidia", {}, "bf16", "no source says"),
        ("unheard-of", {}, "bf16", "no source says"),
    ],
)
def test_what_the_maker_says_settles_nothing(vendor, facts, wanted, said):
    """T4 and bf16, A100 and fp8: software may emulate; a yes is no run either (D3)."""
    on = candidate(card=a_card(vendor=vendor, **facts))
    found = finding(requirement("precision", format=wanted), [], on)
    assert found.verdict is TO_CONFIRM
    assert topics(found) == {"compatibility"}
    assert says(found, said)


def test_the_t4_of_the_catalog_is_to_confirm_for_bf16():
    assert finding(BF16, [], of_catalog(T4)).have_words == "maker: no"
    assert verdict(BF16, [], of_catalog(T4)) is TO_CONFIRM


def test_a_run_in_that_format_on_that_card_confirms():
    assert verdict(BF16, [piece(runs=[run(used(1))])]) is ADMISSIBLE


@pytest.mark.parametrize("path", ["engine.version", "backend", "formats.compute"])
def test_a_run_that_differs_confirms_nothing(path):
    """The compute format is what is asked, whatever a policy lists as strict."""
    for told in ("other", None):
        assert verdict(BF16, [piece(runs=[run(used(1), facts={path: told})])]) is TO_CONFIRM


def test_a_run_on_another_card_confirms_nothing():
    assert verdict(BF16, [piece(runs=[run(used(1), gpu="nvidia-l4-24g")])]) is TO_CONFIRM


def test_a_workload_that_computes_in_another_format_confirms_nothing():
    """B4: storage format and compute format are separate fields."""
    load = workload(formats__compute="fp16")
    seen = piece(runs=[run(used(1), load=load)])
    assert verdict(BF16, [seen], candidate(load=load)) is TO_CONFIRM


ENGINE = {"component": "vllm", "version": "0.28.0", "format": "bf16"}


@pytest.mark.parametrize(("answer", "expected"), [("supported", ADMISSIBLE), ("refused", EXCLUDE)])
def test_the_engine_s_document_about_that_capability_settles_it(answer, expected):
    """What excludes is the document of the engine at that version on that capability."""
    told = attest("precision", answer=answer, capability="7.5", **ENGINE)
    notes = document("notes", told, kind="document")
    assert verdict(BF16, [notes], candidate(card=a_card(compute_capability="7.5"))) is expected
    assert verdict(BF16, [notes], candidate(card=a_card(compute_capability="8.9"))) is TO_CONFIRM
    assert verdict(BF16, [notes], candidate(card=a_card())) is TO_CONFIRM


@pytest.mark.parametrize("path", ["component", "version", "format"])
def test_a_document_of_another_engine_version_or_format_settles_nothing(path):
    for other in ({path: "other"}, {path: None}):
        words = {k: v for k, v in {**ENGINE, **other}.items() if v is not None}
        if "format" not in words:
            continue  # a precision is always of a format
        told = attest("precision", answer="refused", **words)
        assert verdict(BF16, [document("notes", told, kind="document", gpu=GPU)]) is TO_CONFIRM


def test_a_document_about_the_card_speaks_of_it():
    told = attest("precision", answer="refused", **ENGINE)
    assert verdict(BF16, [document("notes", told, kind="document", gpu=GPU)]) is EXCLUDE
    assert (
        verdict(BF16, [document("notes", told, kind="document", gpu="nvidia-l4-24g")]) is TO_CONFIRM
    )
    assert verdict(BF16, [document("notes", told, kind="document")]) is TO_CONFIRM


@pytest.mark.parametrize("kind", ["quote", "datasheet"])
@pytest.mark.parametrize("answer", ["supported", "refused"])
def test_who_sells_a_card_establishes_nothing_of_what_runs_on_it(kind, answer):
    """D3: a commercial sheet attests what is offered; the protocol establishes what works."""
    told = attest("precision", answer=answer, **ENGINE)
    assert verdict(BF16, [document("sheet", told, kind=kind, gpu=GPU)]) is TO_CONFIRM


def test_a_run_against_a_document_is_a_conflict():
    told = attest("precision", answer="refused", **ENGINE)
    both = [piece(runs=[run(used(1))]), document("notes", told, kind="document", gpu=GPU)]
    assert finding(BF16, both).reason == "conflict"


def test_names_are_compared_without_their_case():
    words = {"component": "vLLM", "version": "0.28.0", "format": "BF16"}
    told = attest("precision", answer="supported", **words)
    assert verdict(BF16, [document("notes", told, kind="document", gpu=GPU)]) is ADMISSIBLE


def test_a_cache_in_that_format_is_no_compute_in_it():
    """B4: fp8 in the cache says nothing of fp8 in the arithmetic."""
    load = workload(formats__cache="fp8_e4m3")
    seen = piece(runs=[run(used(1), load=load)])
    asked = requirement("precision", format="fp8_e4m3")
    assert verdict(asked, [seen], candidate(load=load)) is TO_CONFIRM
