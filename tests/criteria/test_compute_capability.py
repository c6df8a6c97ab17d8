"""Compute capability and gfx target: what the maker states of the card; the two do not compare (B1, D8)."""

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
    finding,
    of_catalog,
    printing,
    requirement,
    says,
    topics,
    typed,
    verdict,
)
from evaluate.build import card as a_card

from fiche.kernel.record import replace

AMPERE = requirement("compute_capability", at_least="8.0")
CDNA = requirement("compute_capability", gfx=["gfx90a", "gfx942"])
EITHER = requirement("compute_capability", at_least="8.0", gfx=["gfx90a", "gfx942"])
T4, L4, B200, MI300X, MI250X = (
    "nvidia-t4-16g",
    "nvidia-l4-24g",
    "nvidia-b200-180g",
    "amd-mi300x-192g",
    "amd-mi250x-gcd-64g",
)


def on(**facts):
    return candidate(card=a_card(**facts))


def sheet(value, id="sheet", **scope):
    return document(id, attest("compute_capability", id=id, value=value), **(scope or {"gpu": GPU}))


@pytest.mark.parametrize(
    ("gpu", "expected"), [(T4, EXCLUDE), (L4, ADMISSIBLE), (B200, ADMISSIBLE), (MI300X, TO_CONFIRM)]
)
def test_the_catalog_s_row_settles_it_and_rests_on_no_piece(gpu, expected):
    """10.0 is above 8.9: major and minor are two numbers."""
    found = finding(AMPERE, [], of_catalog(gpu))
    assert (found.verdict, found.pieces) == (expected, ())


def test_the_source_of_the_row_is_named():
    found = finding(AMPERE, [], of_catalog(L4))
    assert found.sources
    assert says(found, "the catalog confirms it .*cuda-gpus")
    assert (found.need_words, found.have_words) == ("compute capability 8.0 or above", "8.9")
    assert says(finding(AMPERE, [], of_catalog(T4)), "the catalog refuses it")


@pytest.mark.parametrize(
    ("asked", "gpu", "expected"),
    [
        (CDNA, MI300X, ADMISSIBLE),
        (CDNA, MI250X, ADMISSIBLE),
        (requirement("compute_capability", gfx=["gfx950"]), MI300X, EXCLUDE),
        (CDNA, L4, TO_CONFIRM),
        (EITHER, L4, ADMISSIBLE),
        (EITHER, MI300X, ADMISSIBLE),
        (EITHER, T4, EXCLUDE),
    ],
)
def test_a_target_is_one_of_a_list(asked, gpu, expected):
    assert verdict(asked, [], of_catalog(gpu)) is expected


def test_a_capability_never_compares_with_a_target():
    for asked, gpu, wanted in (
        (AMPERE, MI300X, "a gfx target"),
        (CDNA, L4, "a compute capability"),
    ):
        found = finding(asked, [], of_catalog(gpu))
        assert (found.verdict, topics(found)) == (TO_CONFIRM, {"compute_capability"})
        assert says(found, f"do not compare; name {wanted} that will do as well")
        assert found.expects == ""  # no piece settles it
        row = of_catalog(gpu).card.facts
        assert found.sources == (row.get("gfx", row.get("compute_capability")).by,)


def test_what_no_source_states_is_to_confirm():
    found = finding(AMPERE, [], on())
    assert found.verdict is TO_CONFIRM
    assert found.conditions[0].supplier == "maker"
    assert verdict(AMPERE, [], replace(candidate(), card=None)) is TO_CONFIRM
    assert verdict(AMPERE, [], on(compute_capability="unknown")) is TO_CONFIRM


@pytest.mark.parametrize(("value", "expected"), [("8.9", ADMISSIBLE), ("7.5", EXCLUDE)])
def test_a_document_about_the_card_speaks_of_it(value, expected):
    assert verdict(AMPERE, [sheet(value)], on()) is expected
    assert verdict(AMPERE, [sheet(value, gpu=T4)], on()) is TO_CONFIRM
    assert verdict(CDNA, [sheet("gfx942")], on()) is ADMISSIBLE


def test_a_document_against_the_catalog_is_a_conflict():
    found = finding(AMPERE, [sheet("7.5")], on(compute_capability="8.9"))
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")
    assert says(found, "the catalog confirms and sheet refuses it")


def test_the_machine_s_own_print_settles_it():
    seen = printing(devices__0__compute_capability="8.9", devices__0__name=GPU)
    found = finding(AMPERE, [seen], on())
    assert (found.verdict, found.pieces, found.sources) == (ADMISSIBLE, ("print",), ())
    assert verdict(
        AMPERE, [printing(machine="else", **{"devices.0.compute_capability": "8.9"})], on()
    ) is (TO_CONFIRM)


def test_a_target_is_read_without_its_features():
    seen = printing(devices__0__compute_capability="gfx90a:sramecc+:xnack-")
    assert verdict(CDNA, [seen], on()) is ADMISSIBLE


def test_a_device_of_another_name_on_that_machine_says_nothing():
    seen = printing(devices__0__compute_capability="7.5", devices__0__name="Tesla T4")
    assert verdict(AMPERE, [seen], of_catalog(L4)) is ADMISSIBLE


def test_the_word_that_names_the_machine_is_named():
    bare = printing(machine="x", devices__0__compute_capability="8.9")
    facts = {k: v for k, v in bare.reading.facts.items() if k != "machine"}
    mine = replace(
        bare,
        reading=replace(bare.reading, facts=facts),
        typed={"machine": typed(MACHINE, "C. Ito")},
    )
    assert finding(AMPERE, [mine], on()).attested_by == ("C. Ito",)
    assert verdict(AMPERE, [mine], on(), policy=STRICT) is TO_CONFIRM


def test_devices_that_differ_and_have_no_name_tell_nothing():
    """A machine of two cards: which of them is offered?"""
    told = {"devices.0.compute_capability": "7.5", "devices.1.compute_capability": "8.9"}
    assert verdict(AMPERE, [printing(**told)], on()) is TO_CONFIRM
    both = {**told, "devices.0.compute_capability": "8.9"}
    assert verdict(AMPERE, [printing(**both)], on()) is ADMISSIBLE
    named = {**told, "devices.0.name": "Tesla T4", "devices.1.name": "NVIDIA L4"}
    bare = of_catalog(L4)
    bare = replace(bare, card=replace(bare.card, facts={}))
    found = finding(AMPERE, [printing(**named)], bare)
    assert (found.verdict, found.have_words) == (ADMISSIBLE, "8.9")
