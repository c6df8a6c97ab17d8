"""A stated capacity per device, by what its own machine printed, or by its label (D4, B1).

The figures of the oracles are real prints: reference/catalog.md, sections 4 and 10.
"""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    GIB,
    MACHINE,
    MIB,
    STRICT,
    TO_CONFIRM,
    attest,
    candidate,
    capacity,
    capacity_words,
    catalog_cards,
    document,
    finding,
    findings,
    of_catalog,
    offer,
    piece,
    run,
    says,
    topics,
    total,
    used,
    verdict,
)

from fiche.kernel.record import replace

L4, RTX4090, A40 = "nvidia-l4-24g", "nvidia-rtx-4090-24g", "nvidia-a40-48g"
LABELS_24 = [c.id for c in catalog_cards() if c.figures["nominal"].low == 24 * 10**9]


def printed(value, id="print", machine=MACHINE, **changes):
    return piece(id, machine=machine, totals=[total(value, **changes)])


# --- Oracles of the catalog --------------------------------------------------------------------


@pytest.mark.parametrize("gpu", LABELS_24)
def test_need_23_9e9_is_to_confirm_on_any_label_of_24_gb(gpu):
    """B1: the label never stands for what the device declares; 24e9 is no floor either."""
    found = finding(capacity(23_900_000_000), [], of_catalog(gpu))
    assert found.verdict is TO_CONFIRM
    assert topics(found) == {"memory_available"}


def test_there_are_labels_of_24_gb_to_try():
    assert len(LABELS_24) >= 8
    assert {L4, RTX4090} <= set(LABELS_24)


def test_need_23_9e9_excludes_the_l4_whose_machine_printed_22693_mib():
    found = finding(capacity(23_900_000_000), [printed("22693 MiB")], of_catalog(L4))
    assert (found.verdict, found.reason) == (EXCLUDE, "above_capacity")


def test_need_23_9e9_is_admissible_on_the_4090_whose_machine_printed_24081_mib():
    found = finding(capacity(23_900_000_000), [printed("24081 MiB")], of_catalog(RTX4090))
    assert found.verdict is ADMISSIBLE
    assert found.margin.low == 24081 * MIB - 23_900_000_000


@pytest.mark.parametrize(
    ("pieces", "expected"), [([], TO_CONFIRM), ([printed("24081 MiB")], ADMISSIBLE)]
)
def test_need_25e9_is_where_the_decimal_reading_of_the_label_would_exclude(pieces, expected):
    assert verdict(capacity(25_000_000_000), pieces, of_catalog(RTX4090)) is expected


def test_need_25_8e9_is_above_24_times_2_to_the_30():
    """The label can exclude, and only at its reading in powers of two."""
    assert verdict(capacity(25_800_000_000), [], of_catalog(RTX4090)) is EXCLUDE
    assert verdict(capacity(24 * GIB), [], of_catalog(RTX4090)) is TO_CONFIRM
    assert verdict(capacity(24 * GIB + 1), [], of_catalog(RTX4090)) is EXCLUDE


@pytest.mark.parametrize(
    ("gpu", "need", "cards"),
    [("amd-mi250x-gcd-64g", 100_000_000_000, 2), ("nvidia-a16-16g", 40_000_000_000, 4)],
)
def test_the_devices_of_a_module_are_no_pool(gpu, need, cards):
    """D4: the module sold as 128 GB shows two devices of 64, the board of four shows 16 each."""
    found = findings(capacity(need), [], of_catalog(gpu, cards=cards))
    assert [f.verdict for f in found] == [EXCLUDE] * cards
    assert {f.device for f in found} == {f"cuda:{index}" for index in range(cards)}


def test_need_23_64_gib_against_an_oom_print_of_23_64_gib_is_inside_the_rounding():
    """Law 2: a rounded print is an interval."""
    seen = printed("23.64 GiB", counter="oom_total_capacity")
    found = finding(capacity("23.64 GiB"), [seen], of_catalog(RTX4090))
    assert (found.verdict, found.reason) == (TO_CONFIRM, "overlap")
    assert topics(found) == {"precision_of_reading"}
    assert verdict(capacity("23.63 GiB"), [seen], of_catalog(RTX4090)) is ADMISSIBLE
    assert verdict(capacity("23.65 GiB"), [seen], of_catalog(RTX4090)) is EXCLUDE


def test_two_a40_by_nvidia_smi_need_49e9_excludes_one_and_leaves_the_other_open():
    """NVML's total bounds from above and never from below."""
    seen = [
        printed("46068 MiB", "ecc-on", "host-1", counter="nvidia_smi_total"),
        printed("49140 MiB", "ecc-off", "host-2", counter="nvidia_smi_total"),
    ]
    need = capacity(49_000_000_000)
    assert verdict(need, seen, of_catalog(A40, machine="host-1")) is EXCLUDE
    found = finding(need, seen, of_catalog(A40, machine="host-2"))
    assert found.verdict is TO_CONFIRM
    assert topics(found) == {"memory_available"}


@pytest.mark.parametrize("counter", ["nvidia_smi_total", "rocm_smi_total", "provider_declared"])
def test_what_no_framework_printed_never_admits(counter):
    assert verdict(capacity(10**9), [printed("24081 MiB", counter=counter)]) is TO_CONFIRM


@pytest.mark.parametrize(
    "counter", ["torch_total_memory", "cuda_total_other", "oom_total_capacity"]
)
def test_what_a_framework_printed_admits(counter):
    assert verdict(capacity(10**9), [printed("24081 MiB", counter=counter)]) is ADMISSIBLE


# --- Whose print -------------------------------------------------------------------------------


def test_the_print_of_another_machine_says_nothing_here():
    seen = printed("22693 MiB", machine="elsewhere")
    found = finding(capacity(23_900_000_000), [seen], of_catalog(L4))
    assert (found.verdict, found.pieces) == (TO_CONFIRM, ())


def test_the_oom_print_of_another_machine_says_nothing_here():
    seen = printed("20.00 GiB", machine="elsewhere", counter="oom_total_capacity")
    assert verdict(capacity(23_900_000_000), [seen], of_catalog(L4)) is TO_CONFIRM


def test_a_candidate_without_a_machine_has_no_print():
    assert verdict(capacity(10**9), [printed("24081 MiB")], candidate(machine="")) is TO_CONFIRM


def test_a_machine_typed_by_the_author_is_on_the_author_s_word():
    seen = piece("print", totals=[total("24081 MiB", others=0)])
    from evaluate.build import typed

    mine = replace(seen, typed={"machine": typed(MACHINE, "C. Ito")})
    found = finding(capacity(10**9), [mine], candidate(other_users=None))
    assert (found.verdict, found.attested_by) == (ADMISSIBLE, ("C. Ito",))
    assert verdict(capacity(10**9), [mine], candidate(other_users=None), policy=STRICT) is (
        TO_CONFIRM
    )


def test_a_machine_that_the_file_contradicts_is_a_conflict():
    from evaluate.build import typed

    seen = replace(printed("24081 MiB", machine="node-8"), typed={"machine": typed(MACHINE)})
    for machine in (MACHINE, "node-8"):
        found = finding(capacity(10**9), [seen], candidate(machine=machine))
        assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")


def test_a_reading_of_one_device_describes_no_other():
    """C9: evidence of cuda:0 only."""
    found = findings(capacity(10**9), [printed("24081 MiB")], candidate(cards=2))
    assert [f.verdict for f in found] == [ADMISSIBLE, TO_CONFIRM]
    unnamed = printed("24081 MiB", device=None)
    found = findings(capacity(10**9), [unnamed], candidate(cards=2))
    assert [f.verdict for f in found] == [TO_CONFIRM, TO_CONFIRM]


# --- Other users -------------------------------------------------------------------------------


def test_other_users_must_be_told():
    """DESIGN 4: observed, or guaranteed absent."""
    need, seen = capacity(23_900_000_000), printed("24081 MiB")
    found = finding(need, [seen], candidate(other_users=None))
    assert found.verdict is TO_CONFIRM
    assert says(found, "nothing else uses")
    assert verdict(need, [seen], candidate(other_users="some")) is TO_CONFIRM


def test_what_others_hold_is_taken_off_the_capacity_and_not_off_what_bounds_it():
    need = capacity(23_900_000_000)
    free = candidate(other_users=None)
    assert verdict(need, [printed("24081 MiB", others=10**9)], free) is ADMISSIBLE
    assert verdict(need, [printed("24081 MiB", others=2 * 10**9)], free) is TO_CONFIRM


def test_a_guarantee_that_a_reading_belies_is_a_conflict():
    found = finding(capacity(10**9), [printed("24081 MiB", others=10**9)], candidate())
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")


def test_the_author_s_guarantee_does_not_count_under_the_strict_policy():
    assert verdict(capacity(10**9), [printed("24081 MiB")], policy=STRICT) is TO_CONFIRM


@pytest.mark.parametrize(("value", "expected"), [("none", ADMISSIBLE), ("some", TO_CONFIRM)])
def test_a_seller_may_guarantee_that_nobody_else_is_there(value, expected):
    rented = candidate(other_users=None, offer=offer())
    terms = document("terms", attest("other_users", value=value), offer="offer-01")
    found = finding(capacity(10**9), [printed("24081 MiB"), terms], rented)
    assert found.verdict is expected
    assert expected is TO_CONFIRM or "terms" in found.pieces


def test_a_seller_who_says_some_against_an_author_who_says_none_is_a_conflict():
    terms = document("terms", attest("other_users", value="some"), offer="offer-01")
    on = candidate(offer=offer())
    found = finding(capacity(10**9), [printed("24081 MiB"), terms], on)
    assert found.reason == "conflict"


def test_two_readings_of_others_that_differ_are_a_conflict():
    seen = [
        printed("24081 MiB", "morning", others=0),
        printed("24081 MiB", "evening", others=3 * 10**9),
    ]
    found = finding(capacity(10**9), seen, candidate(other_users=None))
    assert found.reason == "conflict"


# --- Two capacities that exclude each other ----------------------------------------------------


def test_two_prints_that_cannot_both_hold_are_a_conflict():
    seen = [printed("24081 MiB", "a"), printed("24217 MiB", "b")]
    found = finding(capacity(10**9), seen)
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")


def test_a_framework_cannot_see_more_than_the_system_tool():
    seen = [
        printed("24081 MiB", "torch"),
        printed("23028 MiB", "smi", counter="nvidia_smi_total"),
    ]
    assert finding(capacity(10**9), seen).reason == "conflict"
    fine = [printed("24081 MiB", "torch"), printed("24564 MiB", "s", counter="nvidia_smi_total")]
    assert verdict(capacity(10**9), fine) is ADMISSIBLE


def test_a_system_tool_that_changed_its_mind_is_a_conflict():
    """One host with ECC on and then off: which is offered?"""
    seen = [
        printed("46068 MiB", "on", counter="nvidia_smi_total"),
        printed("49140 MiB", "off", counter="nvidia_smi_total"),
    ]
    found = finding(capacity(49_000_000_000), seen, of_catalog(A40))
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")


@pytest.mark.parametrize("counter", ["torch_total_memory", "provider_declared"])
def test_a_print_above_the_label_is_a_conflict(counter):
    """A modified board, another card, or the total of several: 49140 MiB on a 4090 of 24 GB."""
    found = finding(capacity(30 * 10**9), [printed("49140 MiB", counter=counter)])
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")
    assert says(found, "above the 25769803776 B")


# --- Documents that state a capacity -----------------------------------------------------------


def stating(*attests, id="quote", **scope):
    return document(id, *attests, **scope)


def test_a_provider_s_declared_total_excludes_and_never_admits():
    """DESIGN 3: Declared may exclude on memory, and never admits on it."""
    on = candidate(offer=offer())
    for value, need, expected in (
        (22 * 10**9, 23 * 10**9, EXCLUDE),
        (24 * 10**9, 23 * 10**9, TO_CONFIRM),
    ):
        told = stating(capacity_words(value, "provider_declared"), offer="offer-01")
        assert verdict(capacity(need), [told], on) is expected


def test_a_seller_s_document_of_a_framework_total_does_not_admit():
    """It is not the print of this machine, whatever counter it names."""
    on = candidate(offer=offer())
    told = stating(capacity_words(25 * 10**9), offer="offer-01")
    assert verdict(capacity(10**9), [told], on) is TO_CONFIRM


def test_a_text_file_with_this_machine_s_print_admits():
    """The words stand in the file, and the machine is the candidate's."""
    told = stating(capacity_words(25 * 10**9), machine=None)
    from evaluate.build import typed

    mine = replace(told, typed={"machine": typed(MACHINE)})
    found = finding(capacity(10**9), [mine])
    assert found.verdict is ADMISSIBLE
    assert found.have.origin.counter == "torch_total_memory"
    unquoted = replace(mine, attested=(capacity_words(25 * 10**9, quoted=False),))
    assert verdict(capacity(10**9), [unquoted]) is TO_CONFIRM


def test_a_stated_total_without_a_device_speaks_of_none_of_two():
    from evaluate.build import typed

    here = {"machine": typed(MACHINE)}
    told = replace(stating(capacity_words(25 * 10**9)), typed=here)
    found = findings(capacity(10**9), [told], candidate(cards=2))
    assert {f.verdict for f in found} == {TO_CONFIRM}
    named = replace(stating(capacity_words(25 * 10**9, device="cuda:1")), typed=here)
    found = findings(capacity(10**9), [named], candidate(cards=2))
    assert [f.verdict for f in found] == [TO_CONFIRM, ADMISSIBLE]


def test_a_card_s_sheet_states_no_capacity_of_a_machine():
    """D3: nominal memory is the label's business."""
    sheet = stating(capacity_words(20 * 10**9, "provider_declared"), gpu=RTX4090)
    assert verdict(capacity(23 * 10**9), [sheet]) is TO_CONFIRM


def test_without_a_card_in_the_catalog_nothing_excludes_but_the_machine_s_own_print():
    bare = replace(candidate(), card=None)
    assert verdict(capacity(10**15), [], bare) is TO_CONFIRM
    assert verdict(capacity(10**15), [printed("24081 MiB")], bare) is EXCLUDE


# --- Corners that only a changed line showed ---------------------------------------------------


def test_a_print_without_a_device_is_that_of_the_only_card():
    assert verdict(capacity(10**9), [printed("24081 MiB", device=None)]) is ADMISSIBLE
    assert verdict(capacity(10**9), [printed("24081 MiB", device=1)]) is TO_CONFIRM


def test_of_prints_that_agree_the_sharper_bounds_count():
    """An OOM message rounds to hundredths of a GiB; the framework prints bytes."""
    rough = printed("23.52 GiB", "rough", counter="oom_total_capacity")
    sharp = printed(25_251_000_000, "sharp")
    for pieces in ([rough, sharp], [sharp, rough]):
        assert verdict(capacity(25_251_000_000), pieces) is ADMISSIBLE
        assert verdict(capacity(25_251_000_001), pieces) is EXCLUDE
    assert verdict(capacity(25_251_000_000), [rough]) is TO_CONFIRM


def test_a_denial_that_nobody_vouches_for_is_no_conflict():
    silent = attest("other_users", value="some", quoted=False, by="")
    terms = document("terms", silent, offer="offer-01")
    on = candidate(offer=offer())
    assert verdict(capacity(10**9), [printed("24081 MiB"), terms], on) is ADMISSIBLE
    agreed = document("terms", attest("other_users", value="none"), offer="offer-01")
    assert verdict(capacity(10**9), [printed("24081 MiB"), agreed], on) is ADMISSIBLE


def test_a_print_of_the_very_label_is_no_conflict():
    assert verdict(capacity(24 * GIB), [printed(24 * GIB)]) is ADMISSIBLE


def test_an_exclusion_takes_no_word_about_other_users_and_an_admission_does():
    seen = printed(24 * 10**9)
    assert finding(capacity(24 * 10**9 + 1), [seen]).attested_by == ()
    assert finding(capacity(24 * 10**9), [seen]).attested_by == ("A. Martin",)


def test_the_only_device_needs_no_name():
    assert finding(capacity(10**9), [printed("24081 MiB")]).device == ""


def test_of_prints_that_say_the_same_the_verdict_rests_on_one():
    """A run of the whole loop first, since it can answer for the need too; a contradiction names all."""
    bare = printed("24081 MiB", id="a", others=0)
    loop = piece("b", machine=MACHINE, totals=[total("24081 MiB", others=0)], runs=[run(used(1))])
    found = finding(capacity(10**9), [bare, loop])
    assert (found.verdict, found.pieces) == (ADMISSIBLE, ("b",))
    assert found.have.label == "total less other users"
    apart = finding(capacity(10**9), [bare, loop, printed("23000 MiB", id="c")])
    assert (apart.reason, set(apart.pieces)) == ("conflict", {"a", "b", "c"})
