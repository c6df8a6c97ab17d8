"""Software: what ran, what a document says, and versions that order (D3)."""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    GPU,
    MACHINE,
    STRICT,
    TO_CONFIRM,
    attest,
    candidate,
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

from fiche.kernel.record import replace

ENGINE = requirement("software")


def driver(**limits):
    return requirement("software", component="driver", **limits)


def printing(version, path="driver", machine=MACHINE, **changes):
    return piece(machine=machine, runs=[run(used(1), facts={path: version})], **changes)


# --- The engine of the workload ----------------------------------------------------------------


def test_without_a_piece_compatibility_is_to_confirm():
    """D9: one of the five open conditions."""
    found = finding(ENGINE, [])
    assert found.verdict is TO_CONFIRM
    assert topics(found) == {"compatibility"}
    assert says(found, "vllm 0.28.0 works on nvidia-rtx-4090-24g")


def test_a_run_of_that_engine_on_that_card_confirms_wherever_it_was():
    seen = piece(machine="elsewhere", runs=[run(used(1))])
    assert verdict(ENGINE, [seen]) is ADMISSIBLE


@pytest.mark.parametrize("path", ["engine.name", "engine.version", "backend"])
def test_a_run_of_another_engine_confirms_nothing(path):
    assert verdict(ENGINE, [piece(runs=[run(used(1), facts={path: "other"})])]) is TO_CONFIRM


def test_a_run_on_another_card_confirms_nothing():
    assert verdict(ENGINE, [piece(runs=[run(used(1), gpu="nvidia-l4-24g")])]) is TO_CONFIRM


def test_a_failure_is_no_refusal():
    """D3: it failed for a reason that another criterion judges."""
    assert verdict(ENGINE, [piece(runs=[failing()])]) is TO_CONFIRM


@pytest.mark.parametrize(("answer", "expected"), [("supported", ADMISSIBLE), ("refused", EXCLUDE)])
def test_the_engine_s_own_document_at_that_version_speaks_of_the_card(answer, expected):
    told = attest("software", component="vllm", version="0.28.0", answer=answer)
    assert verdict(ENGINE, [document("notes", told, kind="document", gpu=GPU)]) is expected
    assert (
        verdict(ENGINE, [document("notes", told, kind="document", gpu="nvidia-l4-24g")])
        is TO_CONFIRM
    )
    other = attest("software", component="vllm", version="0.27.1", answer=answer)
    assert verdict(ENGINE, [document("notes", other, kind="document", gpu=GPU)]) is TO_CONFIRM


@pytest.mark.parametrize("kind", ["quote", "datasheet"])
@pytest.mark.parametrize("answer", ["supported", "refused"])
def test_who_sells_a_card_establishes_nothing_of_what_runs_on_it(kind, answer):
    """D3: a commercial sheet attests what is offered; the protocol establishes what works."""
    told = attest("software", component="vllm", version="0.28.0", answer=answer)
    assert verdict(ENGINE, [document("sheet", told, kind=kind, gpu=GPU)]) is TO_CONFIRM


def test_a_run_against_a_document_that_refuses_is_a_conflict():
    told = attest("software", component="vllm", version="0.28.0", answer="refused")
    both = [piece(runs=[run(used(1))]), document("notes", told, kind="document", gpu=GPU)]
    found = finding(ENGINE, both)
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")
    assert says(found, "run confirms and notes refuses")


def test_an_engine_that_the_fiche_does_not_name_cannot_be_confirmed():
    """A1: a requested environment is a preference; an untold one is not even that."""
    load = workload(engine__name=None, engine__version=None)
    seen = piece(runs=[run(used(1), load=load, facts={"engine.name": "vllm"})])
    assert verdict(ENGINE, [seen], candidate(load=load)) is TO_CONFIRM


# --- Versions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "told", "expected"),
    [
        ({"at_least": "570.86"}, "570.86", ADMISSIBLE),
        ({"at_least": "570.86"}, "570.9", EXCLUDE),
        ({"at_least": "570.86"}, "610.62", ADMISSIBLE),
        ({"at_most": "570.86"}, "610.62", EXCLUDE),
        ({"at_least": "2.9"}, "2.10", ADMISSIBLE),
        ({"at_least": "2.10"}, "2.9", EXCLUDE),
        ({"version": "2.10"}, "2.1", EXCLUDE),
        ({"version": "2.11.0"}, "2.11.0+cu128", ADMISSIBLE),
        ({"at_least": "1.0"}, "1.0rc1", EXCLUDE),
        ({"at_least": "550", "at_most": "600"}, "570.86", ADMISSIBLE),
        ({"at_least": "550", "at_most": "560"}, "570.86", EXCLUDE),
        ({"at_least": "550"}, "current", TO_CONFIRM),
        ({"at_least": "latest"}, "610.62", TO_CONFIRM),
        ({"at_least": "b6123"}, "0.3", TO_CONFIRM),
        ({"at_least": "0.3"}, "b6123", TO_CONFIRM),
        ({"at_least": "b6123"}, "b6200", ADMISSIBLE),
        ({"at_least": "550", "at_most": "latest"}, "540", EXCLUDE),
    ],
)
def test_versions_compare_as_versions_and_what_has_no_order_is_to_confirm(limits, told, expected):
    """`2.10` is not 2.1; a build number and a release have no order between them."""
    found = finding(driver(**limits), [printing(told)])
    assert found.verdict is expected
    assert found.have_words == told
    if expected is TO_CONFIRM:
        assert topics(found) == {"compatibility"}


def test_the_version_of_another_machine_says_nothing():
    assert verdict(driver(at_least="550"), [printing("610.62", machine="else")]) is TO_CONFIRM


def test_a_version_counts_on_the_word_that_names_the_machine():
    seen = piece(runs=[run(used(1), facts={"driver": "610.62"})])
    mine = replace(seen, typed={"machine": typed(MACHINE, "C. Ito")})
    found = finding(driver(at_least="550"), [mine])
    assert (found.verdict, found.attested_by) == (ADMISSIBLE, ("C. Ito",))
    assert verdict(driver(at_least="550"), [mine], policy=STRICT) is TO_CONFIRM


def test_a_verdict_rests_on_the_one_piece_that_takes_nobody_s_word():
    """Of pieces that say the same, one is enough; a contradiction names both sides."""
    typed_one = piece(id="a", runs=[run(used(1), facts={"driver": "610.62"})])
    typed_one = replace(typed_one, typed={"machine": typed(MACHINE, "C. Ito")})
    printed = printing("610.62", id="b")
    found = finding(driver(at_least="550"), [typed_one, printed, printing("610.63", id="c")])
    assert (found.pieces, found.attested_by) == (("b",), ())
    old = finding(driver(at_least="550"), [typed_one, printing("540.1", id="b")])
    assert (old.reason, set(old.pieces)) == ("conflict", {"a", "b"})


def test_the_engine_s_version_is_found_by_its_name():
    asked = requirement("software", component="vllm", at_least="0.28.0")
    assert verdict(asked, [printing("610.62")]) is ADMISSIBLE
    other = requirement("software", component="llama.cpp", at_least="1")
    assert verdict(other, [printing("610.62")]) is TO_CONFIRM


def test_a_seller_may_attest_a_version():
    told = attest("software", component="driver", version="610.62")
    for scope, expected in (({"machine": MACHINE}, ADMISSIBLE), ({"machine": "x"}, TO_CONFIRM)):
        quote = document("quote", told)
        mine = replace(quote, typed={k: typed(v) for k, v in scope.items()})
        assert verdict(driver(at_least="550"), [mine]) is expected


def test_two_versions_that_disagree_are_a_conflict():
    told = attest("software", component="driver", version="540")
    quote = replace(document("quote", told), typed={"machine": typed(MACHINE)})
    found = finding(driver(at_least="550"), [printing("610.62"), quote])
    assert found.reason == "conflict"


# --- Specifiers, components and whose version ---------------------------------------------------


def component(name, specifier=">=2.4,<3,!=2.5.0", **limits):
    return requirement("software", component=name, specifier=specifier, **limits)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("2.11.0+cu128", ADMISSIBLE),
        ("2.5.0+cu124", EXCLUDE),
        ("2.3.1", EXCLUDE),
        ("3.0rc1", EXCLUDE),
        ("2.12.0.dev20260101", ADMISSIBLE),
        ("nightly", TO_CONFIRM),
    ],
)
def test_a_specifier_is_read_as_pep_440_has_it(told, expected):
    assert verdict(component("torch"), [printing(told, "framework.version")]) is expected


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("610.62", ADMISSIBLE),
        ("550.54.15", ADMISSIBLE),
        ("535.1", EXCLUDE),
        ("610.62-open", TO_CONFIRM),
    ],
)
def test_a_driver_without_a_place_in_the_order_is_to_confirm_and_said(told, expected):
    found = finding(component("driver", ">=550.54"), [printing(told)])
    assert found.verdict is expected
    assert found.have_words == told
    if expected is TO_CONFIRM:
        assert says(found, "run says 610.62-open, which has no order with it")


def test_specifier_and_bounds_hold_together():
    asked = component("torch", at_least="2.10")
    assert verdict(asked, [printing("2.11", "framework.version")]) is ADMISSIBLE
    assert verdict(asked, [printing("2.9", "framework.version")]) is EXCLUDE
    assert finding(asked, []).need_words == "torch >=2.4, <3, !=2.5.0 >= 2.10"


@pytest.mark.parametrize(
    ("name", "path", "backend", "expected"),
    [
        ("torch", "framework.version", "cuda", ADMISSIBLE),
        ("PyTorch", "framework.version", "cuda", ADMISSIBLE),
        ("python", "python", "cuda", ADMISSIBLE),
        ("cuda", "runtime", "cuda", ADMISSIBLE),
        ("cuda", "runtime", None, ADMISSIBLE),
        ("cuda", "runtime", "hip", TO_CONFIRM),
        ("rocm", "runtime", "hip", ADMISSIBLE),
        ("hip", "runtime", "rocm", ADMISSIBLE),
        ("rocm", "runtime", "cuda", TO_CONFIRM),
        ("rocm", "runtime", None, TO_CONFIRM),
        ("nccl", "libraries.nccl", "cuda", ADMISSIBLE),
        ("flash_attn", "extensions.flash-attn", "cuda", ADMISSIBLE),
        ("vllm", "engine.version", "cuda", ADMISSIBLE),
        ("engine", "engine.version", "cuda", ADMISSIBLE),
        ("nccl", "driver", "cuda", TO_CONFIRM),
    ],
)
def test_a_component_is_found_where_records_print_it(name, path, backend, expected):
    """D8: CUDA and HIP share names, not versions."""
    seen = piece(machine=MACHINE, runs=[run(used(1), facts={path: "2.6", "backend": backend})])
    assert verdict(component(name, ">=2,<3"), [seen]) is expected


def test_another_framework_s_version_is_not_torch_s():
    facts = {"framework.name": "jax", "framework.version": "2.6"}
    seen = piece(machine=MACHINE, runs=[run(used(1), facts=facts)])
    assert verdict(component("torch"), [seen]) is TO_CONFIRM
    named = {**facts, "framework.name": "PyTorch"}
    assert verdict(
        component("torch"), [piece(machine=MACHINE, runs=[run(used(1), facts=named)])]
    ) is (ADMISSIBLE)


def test_a_sheet_of_the_card_attests_no_version_of_a_machine():
    """D3: a card's name does not describe the rest of the server."""
    told = attest("software", component="driver", version="610.62")
    assert verdict(driver(at_least="550"), [document("sheet", told, gpu=GPU)]) is TO_CONFIRM


def test_what_a_document_says_of_support_installs_nothing():
    for answer in ("supported", "refused"):
        told = attest("software", component="vllm", version="0.28.0", answer=answer)
        notes = replace(document("notes", told, kind="document"), typed={"machine": typed(MACHINE)})
        assert verdict(component("vllm", ">=0.28"), [notes]) is TO_CONFIRM


def test_a_requested_environment_is_a_preference():
    """D3: what the fiche asks for is not what is installed."""
    load = replace(workload(), facts={**workload().facts, "driver": typed("610.62", "")})
    assert verdict(driver(at_least="550"), [], candidate(load=load)) is TO_CONFIRM


def test_a_want_of_a_component_without_versions_states_nothing():
    found = finding(
        requirement("software", "want", component="torch"), [printing("2.6", "framework.version")]
    )
    assert (found.verdict, found.reason, topics(found)) == (
        TO_CONFIRM,
        "nothing_required",
        {"compatibility"},
    )


def test_what_the_policy_only_notes_is_said_beside_a_run():
    load = replace(workload(), facts={**workload().facts, "driver": typed("610.62", "")})
    seen = piece(runs=[run(used(1), load=load, facts={"driver": "550.54"})])
    assert says(finding(ENGINE, [seen], candidate(load=load)), "noted: driver")
