"""Memory on each case and device: what admits, what excludes, what only asks (D1, D4, DESIGN 4)."""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    GIB,
    GPU,
    MACHINE,
    MIB,
    STRICT,
    TO_CONFIRM,
    allocated,
    assumed,
    bytes_of,
    candidate,
    case,
    document,
    exact,
    failing,
    failure,
    finding,
    findings,
    memory,
    oom_log,
    outside,
    piece,
    pinned,
    pointer,
    reserved,
    run,
    says,
    second,
    sighting,
    stated,
    texts,
    topics,
    total,
    used,
    verdict,
    workload,
)
from evaluate.build import card as a_card

from fiche.kernel.fact import Fact, written
from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE

PEAK = 21 * 10**9
ROOM = "24081 MiB"


def record(*seen, id="run", machine=MACHINE, room=ROOM, **changes):
    """A run of the limit case on the candidate's own machine, which printed its total."""
    totals = () if room is None else (total(room),)
    told = seen or (used(PEAK),)
    return piece(id, machine=machine, totals=totals, runs=[run(*told, piece=id, **changes)])


def proven(id="oom", **changes):
    """A failure that tells every strict fact and leaves no other cause open."""
    return piece(id, runs=[failing(piece=id, **changes)])


# --- Ceiling and capacity ----------------------------------------------------------------------


def test_a_run_of_the_whole_case_on_the_machine_that_printed_its_total_admits():
    """D0, D1: a piece confirms it in its scope."""
    found = finding(memory(), [record()])
    assert found.verdict is ADMISSIBLE
    assert found.pieces == ("run",)
    assert found.conditions == ()
    assert found.margin.low == 24081 * MIB - PEAK


def test_the_need_of_the_very_capacity_is_enough_and_one_byte_more_is_not():
    room = total(25_000_000_000)
    for peak, expected in ((25_000_000_000, ADMISSIBLE), (25_000_000_001, TO_CONFIRM)):
        seen = piece(machine=MACHINE, totals=[room], runs=[run(used(peak))])
        assert verdict(memory(), [seen]) is expected


def test_a_run_elsewhere_may_say_the_need_and_the_machine_its_capacity():
    """DESIGN 4: capacity is of a machine, need of a load: two pieces, whoever ran them there."""
    need = record(machine="another", room=None)
    room = piece("print", machine=MACHINE, totals=[total(ROOM)])
    assert verdict(memory(), [need, room]) is ADMISSIBLE
    assert verdict(memory(), [need]) is TO_CONFIRM
    assert verdict(memory(), [room]) is TO_CONFIRM


def test_another_machine_s_print_is_no_capacity_of_this_one():
    found = finding(memory(), [record(machine="node-8")])
    assert found.verdict is TO_CONFIRM
    assert topics(found) == {"memory_available"}
    assert says(found, MACHINE)


def test_reserved_alone_leaves_the_process_s_use_open_and_allocated_says_nothing():
    """C3, C5: the allocator does not see contexts; live blocks are less than what it holds."""
    outside_it = outside(450 * MIB)
    for seen, expected in (
        ([reserved(PEAK)], TO_CONFIRM),
        ([allocated(PEAK), outside_it], TO_CONFIRM),
        ([reserved(PEAK), outside_it], ADMISSIBLE),
    ):
        assert verdict(memory(), [record(*seen)]) is expected


def test_a_gigabyte_of_allocated_and_a_context_do_not_admit_on_a_4090():
    """24.85e9 allocated and 450 MiB outside, against 24081 MiB: nobody read what was reserved."""
    found = finding(memory(), [record(allocated(24_850_000_000), outside(450 * MIB))])
    assert found.verdict is TO_CONFIRM
    assert topics(found) == {"need"}
    assert says(found, "reserved peak with the part outside the allocator")


def test_the_device_use_of_the_process_goes_before_the_sum():
    """DESIGN 4: the sum of two independent maxima is only used where the use itself is untold."""
    both = [used(PEAK), reserved(PEAK - GIB), outside(6 * GIB)]
    assert verdict(memory(), [record(*both)]) is ADMISSIBLE


def test_a_sampled_maximum_is_no_ceiling():
    """C2: it is at most the true peak."""
    found = finding(memory(), [record(used(PEAK, stat="sampled_max"))])
    assert found.verdict is TO_CONFIRM
    assert topics(found) == {"need"}


@pytest.mark.parametrize("seen", [used(None), used(PEAK, stat="current"), used(PEAK, stat="delta")])
def test_what_is_no_peak_is_no_ceiling(seen):
    assert verdict(memory(), [record(seen)]) is TO_CONFIRM


def test_the_largest_of_several_peaks_counts():
    assert verdict(memory(), [record(used(PEAK), used(26 * 10**9))]) is TO_CONFIRM


def test_two_processes_that_share_a_counter_have_no_peak_in_common():
    """C5: each rank's peak is its own; which instant they share nobody says."""
    both = [used(PEAK, rank=0), used(2 * 10**9, rank=1)]
    found = finding(memory(), [record(*both)])
    assert found.verdict is TO_CONFIRM
    assert topics(found) == {"need"}


def test_a_placement_of_one_device_may_have_run_on_the_second_of_a_machine():
    assert verdict(memory(), [record(used(PEAK, device=1))]) is ADMISSIBLE
    assert verdict(memory(), [record(used(PEAK, device=None))]) is ADMISSIBLE


def test_a_success_on_a_roomier_machine_is_no_floor_here():
    """48.9e9 reserved on one A40; another printed 45416 MiB (47.6e9): pools shrink with the room."""
    a40 = {"gpu": "nvidia-a40-48g", "gb": 48}
    seen = piece(runs=[run(reserved(48_400_000_000), outside(500_000_000), gpu="nvidia-a40-48g")])
    room = piece("print", machine=MACHINE, totals=[total("45416 MiB")])
    found = finding(memory(), [seen, room], candidate(**a40))
    assert found.verdict is TO_CONFIRM
    assert topics(found) == {"need"}
    assert says(found, f"on machine {MACHINE}.*pools may shrink")


# --- Scope -------------------------------------------------------------------------------------

STRICT_FACTS = [
    "model.name",
    "model.revision",
    "operation",
    "formats.storage",
    "formats.compute",
    "formats.cache",
    "engine.name",
    "engine.version",
    "attention",
    "allocator.backend",
    "allocator.settings",
    "backend",
    "gpu",
    "placement.devices",
    "process_protocol",
]


@pytest.mark.parametrize("path", STRICT_FACTS)
@pytest.mark.parametrize("told", ["otherwise", None])
def test_a_strict_fact_that_differs_or_is_untold_leaves_it_open(path, told):
    """DESIGN 4: every strict fact must be told and agree; the condition names the key to write."""
    found = finding(memory(), [record(facts={path: told})])
    assert found.verdict is TO_CONFIRM
    assert says(found, written(path))
    assert not says(found, "process_protocol")


@pytest.mark.parametrize("path", sorted(set(STRICT_FACTS) - {"gpu", "operation"}))
def test_a_strict_fact_that_the_fiche_does_not_tell_leaves_it_open(path):
    load = workload(**{path.replace(".", "__"): None})
    seen = piece(
        machine=MACHINE,
        totals=[total(ROOM)],
        runs=[run(used(PEAK), facts={path: "whatever"}, load=load)],
    )
    found = finding(memory(), [seen], candidate(load=load))
    assert found.verdict is TO_CONFIRM
    assert says(found, "the fiche does not say")


def test_a_digest_may_stand_for_a_revision_but_not_against_it():
    """A1: of two names of one identity one is enough, and one that disagrees is enough too."""
    load = workload(model__digest="sha256:aa")
    told = {"model.revision": None, "model.digest": "sha256:aa"}
    for changes, expected in (
        (told, ADMISSIBLE),
        ({"model.digest": "sha256:bb"}, TO_CONFIRM),
    ):
        seen = record(facts=changes, load=load)
        assert verdict(memory(), [seen], candidate(load=load)) is expected


def test_a_noted_fact_changes_nothing():
    assert verdict(memory(), [record(facts={"driver": "999", "os": "windows"})]) is ADMISSIBLE


@pytest.mark.parametrize("name", ["prompt_tokens", "new_tokens", "resident_sequences"])
def test_a_success_must_have_reached_every_dimension(name):
    """D6: what was executed counts; one token less validates no maximum."""
    asked = case().dimensions[name].low
    for ran, expected in (
        (asked + 1, ADMISSIBLE),
        (asked - 1, TO_CONFIRM),
        (None, TO_CONFIRM),
    ):
        found = finding(memory(), [record(executed={name: ran})])
        assert found.verdict is expected
        assert expected is ADMISSIBLE or says(found, name)


def test_requests_that_wait_need_not_have_run():
    """A4: what merely waits holds no memory."""
    limit = case(prompt_tokens=7900, new_tokens=292, resident_sequences=4, concurrent_requests=16)
    load = workload([limit])
    seen = record(load=load, executed={"concurrent_requests": 4})
    assert verdict(memory(), [seen], candidate(load=load)) is ADMISSIBLE


def test_a_phase_that_the_loop_left_out_leaves_it_open():
    """D6: a skipped part does not validate the announced whole."""
    found = finding(memory(), [record(phases=("prefill",))])
    assert found.verdict is TO_CONFIRM
    assert says(found, "phase decode")


def test_a_phased_run_admits_nothing():
    """C8: instrumentation changes overlap; only the loop with its real ordering counts."""
    assert verdict(memory(), [record(whole_loop=False)]) is TO_CONFIRM


def test_a_want_s_case_does_not_stand_for_a_must_s():
    usual = case("usual", prompt_tokens=1200, new_tokens=300, resident_sequences=4)
    load = workload([usual, case()])
    seen = record(load=load, of=usual)
    both = findings(memory(), [seen], candidate(load=load))
    assert [(f.case, f.verdict) for f in both] == [
        ("usual", ADMISSIBLE),
        ("limit", TO_CONFIRM),
    ]
    only = findings(memory(cases=["usual"]), [seen], candidate(load=load))
    assert [f.case for f in only] == ["usual"]


def typed_record(id="run", **scope):
    """A log of a whole loop that prints counters and no scope; a person types it."""
    log = run(used(PEAK), piece=id, printed={}, executed=dict.fromkeys(case().dimensions))
    told = {"case": "limit", "gpu": GPU, **scope}
    return piece(id, machine=MACHINE, totals=[total(ROOM)], runs=[log], **told)


def test_a_typed_scope_counts_and_the_verdict_says_on_whose_word():
    """DESIGN 4: facts typed by the author are attested by a named person."""
    found = finding(memory(), [typed_record()])
    assert found.verdict is ADMISSIBLE
    assert found.attested_by == ("A. Martin",)
    assert found.text.endswith("on the word of A. Martin")


def test_under_the_strict_policy_a_typed_scope_alone_does_not_count():
    guest = replace(candidate(), other_users=None)
    alone = total(ROOM, others=0)
    seen = replace(typed_record(), reading=replace(typed_record().reading, capacities=(alone,)))
    assert verdict(memory(), [seen], guest) is ADMISSIBLE
    found = finding(memory(), [seen], guest, policy=STRICT)
    assert found.verdict is TO_CONFIRM
    assert says(found, "on the word of A. Martin alone")


def test_a_printed_scope_counts_under_the_strict_policy():
    seen = piece(machine=MACHINE, totals=[total(ROOM, others=0)], runs=[run(used(PEAK))])
    found = finding(memory(), [seen], replace(candidate(), other_users=None), policy=STRICT)
    assert found.verdict is ADMISSIBLE
    assert found.attested_by == ()


def test_typed_dimensions_are_somebody_s_word_too():
    """A3: executed dimensions that the file does not print are attested by whoever typed them."""
    silent = {"prompt_tokens": None}
    log = run(used(PEAK), executed=silent)
    typed = piece(
        machine=MACHINE,
        totals=[total(ROOM, others=0)],
        runs=[log],
        executed={"prompt_tokens": 7900},
        by="B. Lopez",
    )
    guest = replace(candidate(), other_users=None)
    found = finding(memory(), [typed], guest)
    assert found.verdict is ADMISSIBLE
    assert found.attested_by == ("B. Lopez",)
    assert verdict(memory(), [typed], guest, policy=STRICT) is TO_CONFIRM
    assert verdict(memory(), [replace(typed, typed_by="")], guest) is TO_CONFIRM


def test_nobody_s_word_counts_for_nothing():
    assert verdict(memory(), [typed_record(by="")]) is TO_CONFIRM


def test_a_typed_case_attests_the_fiche_s_own_workload_only():
    """D10: a candidate that changed the cache is not what the author says was run."""
    base = workload()
    changed = workload(formats__cache="fp8_e4m3")
    seen = typed_record()
    assert verdict(memory(), [seen], candidate(load=base), base=base) is ADMISSIBLE
    found = finding(memory(), [seen], candidate(load=changed), base=base)
    assert found.verdict is TO_CONFIRM
    assert says(found, "formats.cache: the question says fp8_e4m3, the piece bf16")


def test_a_record_of_the_changed_workload_serves_the_changed_candidate():
    base, changed = workload(), workload(formats__cache="fp8_e4m3")
    seen = record(load=changed)
    assert verdict(memory(), [seen], candidate(load=changed), base=base) is ADMISSIBLE
    assert verdict(memory(), [seen], candidate(load=base), base=base) is TO_CONFIRM


@pytest.mark.parametrize("printed", ["0.28.0", "0.27.1"])
def test_a_typed_fact_that_the_file_contradicts_is_a_conflict(printed):
    """DESIGN 4: shown side by side, never averaged; whichever of the two agrees with the question."""
    asked, other = "0.28.0", "0.27.1" if printed == "0.28.0" else "0.28.0"
    load = workload(engine__version=asked)
    log = run(used(PEAK), load=load, facts={"engine.version": printed})
    seen = piece(machine=MACHINE, totals=[total(ROOM)], runs=[log], engine__version=other)
    found = finding(memory(), [seen], candidate(load=load))
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")
    assert printed in found.text
    assert other in found.text


def test_a_contradiction_in_a_piece_of_another_case_is_no_conflict_here():
    """A piece that would not cover anyway cannot undo what covers."""
    short = case("short", prompt_tokens=16, new_tokens=4, resident_sequences=1)
    log = run(used(18 * 10**9), of=short, facts={"driver": "610.62"}, piece="short")
    astray = piece("short", runs=[log], driver="580.11")
    assert verdict(memory(), [record(), astray]) is ADMISSIBLE


def test_typed_dimensions_that_the_file_contradicts_are_a_conflict():
    log = run(used(PEAK), executed={"prompt_tokens": 8000})
    seen = piece(
        machine=MACHINE, totals=[total(ROOM)], runs=[log], executed={"prompt_tokens": 7900}
    )
    found = finding(memory(), [seen])
    assert found.reason == "conflict"
    assert says(found, "8000.*7900")


# --- Failures ----------------------------------------------------------------------------------


def test_a_proven_failure_of_the_case_excludes():
    """C11, D1: device memory, no limit, nobody else, less free than was asked."""
    found = finding(memory(), [proven()])
    assert (found.verdict, found.reason) == (EXCLUDE, "proven_failure")
    assert found.pieces == ("oom",)


def test_an_author_typed_scope_excludes_and_names_the_author():
    """DESIGN 4, neutral policy; a bare log prints no scope at all."""
    found = finding(memory(), [oom_log(case="limit", gpu=GPU, by="C. Ito")])
    assert found.verdict is EXCLUDE
    assert found.attested_by == ("C. Ito",)
    assert "on the word of C. Ito" in found.text


def test_an_author_typed_scope_does_not_exclude_under_the_strict_policy():
    found = finding(memory(), [oom_log(case="limit", gpu=GPU)], policy=STRICT)
    assert found.verdict is TO_CONFIRM
    assert "failure" in topics(found)


@pytest.mark.parametrize(
    ("why", "said"),
    [
        (failure(others=(4711,)), "another process is listed"),
        (failure(quantities={"process_in_use": None}), "does not list the card's processes"),
        (failure(quantities={"allowed": "20.00 GiB"}), "a limit was set"),
        (failure(quantities={"free": "2.00 GiB"}), "free memory was left"),
        (failure(quantities={"free": "2.01 GiB"}), "free memory was left"),
        (failure(quantities={"free": None}), "not both printed"),
        (failure(quantities={"requested": None}), "not both printed"),
        (failure(memory="host"), "does not say that device memory"),
        (failure(memory="on_chip", message_kind="kernel_resource_limit"), "does not say"),
        (failure(memory="unified"), "does not say that device memory"),
        (failure(memory=None, message_kind="workload_error"), "does not say"),
        (failure(message_kind="admission_check"), "admission_check"),
        (failure(message_kind="allocation_size_limit"), "allocation_size_limit"),
        (failure(message_kind="library_alloc_failed"), "library_alloc_failed"),
        (failure(message_kind="oom_counter"), "oom_counter"),
        (failure(message_kind="process_killed"), "process_killed"),
        (failure(recovered=True), "went on afterwards"),
        (failure(truncated=True), "breaks off"),
    ],
)
def test_a_failure_with_another_cause_open_excludes_nothing_and_says_which(why, said):
    """DESIGN 4: otherwise to confirm, cause named."""
    found = finding(memory(), [proven(why=why)])
    assert found.verdict is TO_CONFIRM
    assert says(found, said)


def test_free_within_the_rounding_of_the_request_proves_nothing():
    """Law 2: 2.00 GiB free and 2.00 GiB asked may be either way round."""
    near = failure(quantities={"free": "1.99 GiB", "requested": "1.99 GiB"})
    assert verdict(memory(), [proven(why=near)]) is TO_CONFIRM
    less = failure(quantities={"free": "1.97 GiB", "requested": "1.99 GiB"})
    assert verdict(memory(), [proven(why=less)]) is EXCLUDE


def test_a_bound_on_the_request_is_enough():
    asked = failure(quantities={"requested": None, "requested_at_least": "2.00 GiB"})
    assert verdict(memory(), [proven(why=asked)]) is EXCLUDE


def test_a_person_or_the_file_may_say_that_nobody_else_was_there():
    silent = failure(quantities={"process_in_use": None})
    typed = oom_log(why=silent, case="limit", gpu=GPU, other_users="none", by="C. Ito")
    found = finding(memory(), [typed])
    assert (found.verdict, found.attested_by) == (EXCLUDE, ("C. Ito",))
    told = piece("oom", runs=[failing(why=silent, facts={"other_users": "none"})])
    assert verdict(memory(), [told]) is EXCLUDE
    assert verdict(memory(), [told], policy=STRICT) is EXCLUDE


@pytest.mark.parametrize("name", ["prompt_tokens", "new_tokens", "resident_sequences"])
def test_a_failure_covers_what_is_larger_or_equal(name):
    """DESIGN 4: a failure with more than was asked says nothing about what was asked."""
    asked = case().dimensions[name].low
    for ran, expected in ((asked - 1, EXCLUDE), (asked + 1, TO_CONFIRM), (None, TO_CONFIRM)):
        found = finding(memory(), [proven(executed={name: ran})])
        assert found.verdict is expected
        assert expected is EXCLUDE or says(found, name)


def test_a_failure_on_another_card_excludes_nothing():
    assert verdict(memory(), [proven(gpu="nvidia-rtx-3090-24g")]) is TO_CONFIRM


def test_a_failure_beside_the_loop_speaks_only_to_a_case_that_has_it():
    """D7: failing in evaluation points to the evaluation."""
    phases = ("prefill", "decode", "evaluation")
    seen = proven(phases=phases)
    found = finding(memory(), [seen])
    assert found.verdict is TO_CONFIRM
    assert says(found, "it happened in evaluation")
    load = workload([case(phases=phases)])
    assert verdict(memory(), [proven(phases=phases, load=load)], candidate(load=load)) is EXCLUDE


def test_a_failure_while_preparing_speaks_to_every_case():
    assert verdict(memory(), [proven(phases=("model_load",))]) is EXCLUDE


def test_a_success_and_a_failure_in_one_scope_are_a_conflict():
    """DESIGN 4, first row; shown side by side."""
    found = finding(memory(), [record(), proven()])
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")
    assert "run succeeded and oom failed in one scope" in found.text
    assert set(found.pieces) == {"run", "oom"}


def test_a_cold_failure_stands_beside_a_warm_success():
    """C7: a failed first pass is never erased by later successes."""
    cold = piece("cold", runs=[failing(first_pass=True)])
    warm = record(id="warm", first_pass=False)
    found = finding(memory(), [warm, cold])
    assert (found.verdict, found.reason) == (EXCLUDE, "proven_failure")
    both = piece("both", runs=[failing(first_pass=True), run(used(PEAK), first_pass=False)])
    assert verdict(memory(), [warm, both]) is EXCLUDE


def test_a_warm_success_alone_leaves_the_first_pass_open():
    """C7: first and later passes are different phases; a warm loop answers for the later ones only."""
    warm = record(id="warm", first_pass=False)
    found = finding(memory(), [warm])
    assert found.verdict is TO_CONFIRM
    assert says(found, "began after warm-up")


def test_a_failure_on_a_card_that_showed_less_is_a_conflict_with_this_machine_s_print():
    """DESIGN 4: capacity is of a machine, not of a name: an A40 with ECC shows 3 GB less."""
    a40 = candidate(gpu="nvidia-a40-48g", gb=48)
    why = failure(quantities={"total_capacity": "44.35 GiB", "process_in_use": "43.23 GiB"})
    fail = proven(why=why, gpu="nvidia-a40-48g")
    room = piece("print", machine=MACHINE, totals=[total("48688 MiB")])
    assert verdict(memory(), [fail], a40) is EXCLUDE
    found = finding(memory(), [fail, room], a40)
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")
    same = piece("print", machine=MACHINE, totals=[total("45416 MiB")])
    assert verdict(memory(), [fail, same], a40) is EXCLUDE


def test_a_contradicted_scope_turns_an_exclusion_into_a_conflict():
    fail = piece("oom", runs=[failing()], engine__version="0.27.1")
    found = finding(memory(), [fail])
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")


# --- Floor -------------------------------------------------------------------------------------

HUGE = {"model__parameters": 13_000_000_000}


def test_a_pinned_floor_above_the_label_excludes():
    """B2, DESIGN 4: 26e9 bytes of weights resident on a label of 24 GiB."""
    load = pinned(workload(**HUGE))
    found = finding(memory(), [], candidate(load=load))
    assert (found.verdict, found.reason) == (EXCLUDE, "above_capacity")
    assert found.need.low > found.have.high
    assert found.have.high == 24 * GIB


def test_a_floor_of_a_merely_stated_count_excludes_only_if_the_count_holds():
    """A1: "a 13B model" is no identity; the arithmetic still runs."""
    load = workload(**HUGE)
    on = candidate(load=load)
    assert verdict(memory(), [], on) is TO_CONFIRM
    (would,) = second(memory(), [], on)
    assert would.would_be is EXCLUDE
    assert would.if_held == ("the stated parameter count and dimensions of the model hold",)


def test_a_stated_count_of_learned_parameters_pins_no_floor():
    """B6: the number of LoRA parameters alone is not enough."""
    load = pinned(
        workload(
            [case(phases=(), microbatch=1, sequence_tokens=512)],
            operation="adaptation",
            optimizer__name="adamw",
            method__kind="lora",
            method__trainable_parameters=3_000_000_000,
        )
    )
    on = candidate(load=load)
    assert verdict(memory(), [], on) is TO_CONFIRM


@pytest.mark.parametrize("resident", ["partial", None])
def test_without_a_declared_all_resident_placement_there_is_no_floor(resident):
    """DESIGN 4: what may be offloaded need not be there together."""
    load = pinned(workload(placement__resident=resident, **HUGE))
    assert verdict(memory(), [], candidate(load=load)) is TO_CONFIRM


def test_a_peak_below_the_floor_admits_nothing_until_explained():
    """DESIGN 4, `below_floor`: something else ran."""
    found = finding(memory(), [record(used(20 * 10**9))])
    assert (found.verdict, found.reason) == (TO_CONFIRM, "below_floor")
    assert says(found, "20000000000 B.*20355489792 B")


def test_a_peak_of_the_very_floor_is_not_below_it():
    assert verdict(memory(), [record(used(20_355_489_792))]) is ADMISSIBLE


def test_waiting_requests_are_in_no_floor():
    """A4, B5: the cache of the resident sequences only."""
    few = case(prompt_tokens=7900, new_tokens=292, resident_sequences=1, concurrent_requests=64)
    load = workload([few])
    seen = record(used(18 * 10**9), load=load)
    assert verdict(memory(), [seen], candidate(load=load)) is ADMISSIBLE


# --- Margin and reserve ------------------------------------------------------------------------


def margin(text):
    return replace(bytes_of(text), id="margin.window", label="window")


def test_a_margin_is_covered_or_it_is_to_confirm():
    """D5: useful margin must reach the stated margin."""
    for text, expected in (("3 GiB", ADMISSIBLE), ("4 GiB", TO_CONFIRM)):
        load = workload(margin=[margin(text)])
        found = finding(memory(), [record(load=load)], candidate(load=load))
        assert found.verdict is expected
        assert found.margin.low == 24081 * MIB - PEAK
    assert topics(found) == {"need"}


def test_several_margins_add_up():
    load = workload(margin=[margin("2 GiB"), margin("2 GiB")])
    assert verdict(memory(), [record(load=load)], candidate(load=load)) is TO_CONFIRM


def test_a_reserve_is_never_added_to_an_observed_need():
    """DESIGN 4: its scope already contains it."""
    load = workload(reserve=[assumed(6 * GIB)])
    assert verdict(memory(), [record(load=load)], candidate(load=load)) is ADMISSIBLE


# --- Second reading ----------------------------------------------------------------------------


def test_the_envelope_would_admit_once_the_machine_is_known_and_every_item_has_a_figure():
    """B7, DESIGN 4: an assumption is let in for a second reading only."""
    reserve = [assumed(2 * GIB, id="reserve.workspace")]
    load = pinned(workload(reserve=reserve))
    room = piece("print", machine=MACHINE, totals=[total(ROOM)])
    on = candidate(load=load)
    assert verdict(memory(), [room], on) is TO_CONFIRM
    (would,) = second(memory(), [room], on)
    assert would.would_be is ADMISSIBLE
    assert would.if_held == (
        "the conservative envelope is not exceeded",
        f"reserve.workspace = {2 * GIB} B, assumed by A. Martin: seen on the workstation",
    )


def test_an_envelope_of_stated_counts_holds_only_if_they_do():
    reserve = [assumed(2 * GIB, id="reserve.workspace")]
    room = piece("print", machine=MACHINE, totals=[total(ROOM)])
    (would,) = second(memory(), [room], candidate(load=workload(reserve=reserve)))
    assert would.would_be is ADMISSIBLE
    assert "the stated parameter count and dimensions of the model hold" in would.if_held


def test_an_item_without_a_figure_keeps_the_envelope_open():
    load = pinned(workload(reserve=[assumed(2 * GIB, id="reserve.context")]))
    room = piece("print", machine=MACHINE, totals=[total(ROOM)])
    assert second(memory(), [room], candidate(load=load)) == ()


def test_the_second_reading_adds_the_margin_too():
    reserve = [assumed(2 * GIB, id="reserve.workspace")]
    load = pinned(workload(reserve=reserve, margin=[margin("3 GiB")]))
    room = piece("print", machine=MACHINE, totals=[total(ROOM)])
    assert second(memory(), [room], candidate(load=load)) == ()


def test_an_assumed_figure_alone_never_admits_or_excludes():
    """DESIGN 3: never firm; however much or little is guessed."""
    for guess in (0, 40 * 10**9):
        load = pinned(workload(reserve=[assumed(guess, id="reserve.workspace")]))
        room = piece("print", machine=MACHINE, totals=[total(ROOM)])
        assert verdict(memory(), [room], candidate(load=load)) is TO_CONFIRM


# --- Placement ---------------------------------------------------------------------------------


def test_two_cards_without_a_stated_placement_are_to_confirm():
    """D4: several cards are not one pool, and not one card either."""
    load = workload(placement__devices=None)
    on = candidate(cards=2, load=load)
    found = finding(memory(), [record(load=load)], on)
    assert found.verdict is TO_CONFIRM
    assert "placement" in topics(found)


def test_two_devices_on_one_card_are_to_confirm():
    load = workload(placement__devices=2, placement__split="tensor_parallel")
    found = findings(memory(), [], candidate(cards=1, load=load))
    assert [(f.verdict, f.reason) for f in found] == [(TO_CONFIRM, "open")] * 2
    assert all("placement" in topics(f) for f in found)


def two_devices(**changes):
    return workload(placement__devices=2, placement__split="tensor_parallel", **changes)


def test_each_device_of_the_placement_is_judged_by_its_own_readings():
    """C9, D4: a reading of cuda:0 describes no other card."""
    load = two_devices()
    on = candidate(cards=2, load=load)
    first = piece(machine=MACHINE, totals=[total(ROOM)], runs=[run(used(PEAK), load=load)])
    found = findings(memory(), [first], on)
    assert [(f.device, f.verdict) for f in found] == [
        ("cuda:0", ADMISSIBLE),
        ("cuda:1", TO_CONFIRM),
    ]
    both = piece(
        machine=MACHINE,
        totals=[total(ROOM), total(ROOM, device=1)],
        runs=[run(used(PEAK), used(PEAK, device=1), load=load)],
    )
    assert {f.verdict for f in findings(memory(), [both], on)} == {ADMISSIBLE}


def test_a_reading_without_a_device_describes_none_of_two():
    load = two_devices()
    seen = piece(
        machine=MACHINE,
        totals=[total(ROOM, device=None)],
        runs=[run(used(PEAK, device=None), load=load)],
    )
    found = findings(memory(), [seen], candidate(cards=2, load=load))
    assert {f.verdict for f in found} == {TO_CONFIRM}


def test_a_failure_on_one_device_can_persist_while_the_other_has_room():
    """D4: the failing device excludes; the other one says where it happened."""
    load = two_devices()
    fail = proven(why=failure(device_index=1), load=load)
    found = findings(memory(), [fail], candidate(cards=2, load=load))
    assert [f.verdict for f in found] == [TO_CONFIRM, EXCLUDE]
    assert says(found[0], "it happened on device 1")


def test_a_failure_that_names_no_device_excludes_on_each():
    load = two_devices()
    fail = proven(why=failure(device_index=None), load=load)
    found = findings(memory(), [fail], candidate(cards=2, load=load))
    assert {f.verdict for f in found} == {EXCLUDE}


def test_a_run_on_one_device_does_not_cover_a_placement_of_two():
    load = two_devices()
    found = findings(memory(), [record()], candidate(cards=2, load=load))
    assert {f.verdict for f in found} == {TO_CONFIRM}


def test_spread_over_two_devices_the_most_loaded_one_holds_at_least_half():
    load = pinned(two_devices(model__parameters=26_000_000_000))
    found = findings(memory(), [], candidate(cards=2, load=load))
    assert {f.verdict for f in found} == {EXCLUDE}


def test_an_uneven_split_is_not_below_the_floor():
    """Half of the load is the least of the *most* loaded device, not of each."""
    load = two_devices()
    on = candidate(cards=2, load=load)
    uneven = piece(
        machine=MACHINE,
        totals=[total(ROOM), total(ROOM, device=1)],
        runs=[run(used(15 * 10**9), used(8 * 10**9, device=1), load=load)],
    )
    assert {f.verdict for f in findings(memory(), [uneven], on)} == {ADMISSIBLE}
    idle = piece(
        machine=MACHINE,
        totals=[total(ROOM), total(ROOM, device=1)],
        runs=[run(used(10**9), used(10**9, device=1), load=load)],
    )
    assert {f.reason for f in findings(memory(), [idle], on)} == {"below_floor"}


def test_a_small_device_beside_a_large_one_is_not_excluded_by_half_of_the_load():
    """Nobody says which device is the most loaded: the larger one may be."""
    load = pinned(two_devices(model__parameters=20_000_000_000))  # 22.1e9 on the most loaded one
    prints = piece(machine=MACHINE, totals=[total("20000 MiB"), total(ROOM, device=1)])
    found = findings(memory(), [prints], candidate(cards=2, load=load))
    assert {f.verdict for f in found} == {TO_CONFIRM}
    both = piece(machine=MACHINE, totals=[total("20000 MiB"), total("20000 MiB", device=1)])
    found = findings(memory(), [both], candidate(cards=2, load=load))
    assert {f.verdict for f in found} == {EXCLUDE}


# --- Conditions --------------------------------------------------------------------------------


def test_what_the_author_did_not_state_is_asked_before_anything_is_run():
    """D9: context and concurrency first; a run of no case cannot be asked for."""
    found = finding(memory(), [], candidate(load=workload([]), machine=""))
    assert topics(found) == {"context", "concurrency", "memory_available"}


def test_images_are_a_shape_too():
    """A2: a vision workload has no tokens to state."""
    load = workload([case(images=1, image_width=1024, image_height=1024, batch=2)])
    found = finding(memory(), [], candidate(load=load, machine=""))
    assert topics(found) == {"need", "memory_available"}


def test_a_training_asks_for_its_microbatch():
    load = workload([], operation="training", optimizer__name="adamw")
    assert "microbatch" in topics(finding(memory(), [], candidate(load=load)))


def test_the_condition_says_at_which_bytes_the_verdict_turns():
    """D1: the exact condition written out, with the margin in it."""
    load = workload(margin=[margin("1 GiB")])
    found = finding(memory(), [record(load=load, room=None)], candidate(load=load))
    (asked,) = found.conditions
    assert asked.topic == "memory_available"
    assert asked.threshold == f">= {PEAK + GIB} B free for this process"


def test_sightings_elsewhere_inform_the_condition_and_no_more():
    seen = a_card(sightings=[sighting(25_250_000_000, 25_251_000_000)])
    found = finding(memory(), [record(room=None)], candidate(card=seen))
    assert found.verdict is TO_CONFIRM
    assert says(found, "25250000000 to 25251000000 B")


def test_a_policy_s_spread_between_machines_is_named_and_admits_nothing():
    from evaluate.build import NEUTRAL

    wide = replace(NEUTRAL, machine_spread=stated(300 * MIB, BYTE, "policy.machine_spread"))
    found = finding(memory(), [record(room=None)], policy=wide)
    assert found.verdict is TO_CONFIRM
    assert says(found, f"allows {300 * MIB} B between machines")


def test_the_nearest_piece_tells_how_it_falls_short():
    short = record(id="near", executed={"prompt_tokens": 4000})
    far = record(id="far", gpu="nvidia-l4-24g", executed={"prompt_tokens": 100})
    found = finding(memory(), [far, short])
    assert "nearest piece: near; prompt_tokens: executed 4000, the question is 7900" in texts(found)


def test_a_policy_that_lists_no_strict_fact_covers_nothing():
    """A missing list is no permission."""
    from evaluate.build import NEUTRAL

    empty = replace(NEUTRAL, strict={})
    assert verdict(memory(), [record()], policy=empty) is TO_CONFIRM


def test_who_shares_the_card_is_asked_once_the_total_is_known():
    guest = replace(candidate(), other_users=None)
    found = finding(memory(), [record()], guest)
    assert found.verdict is TO_CONFIRM
    assert topics(found) == {"memory_available"}
    assert says(found, "nothing else uses")


def test_the_document_of_a_card_is_no_record():
    """D3: a commercial sheet attests what is offered; the protocol establishes what works."""
    sheet = document("sheet", kind="datasheet", gpu=GPU)
    assert verdict(memory(), [sheet]) is TO_CONFIRM


def test_a_machine_that_only_the_author_names_is_on_the_author_s_word():
    seen = piece(totals=[total(ROOM)], runs=[run(used(PEAK))], machine=None)
    typed = replace(seen, typed={"machine": Fact(value=MACHINE, address=pointer("x"), by="")})
    assert verdict(memory(), [typed]) is ADMISSIBLE  # a Pointer: the file prints it
    mine = piece("run", totals=[total(ROOM)], runs=[run(used(PEAK))])
    assert verdict(memory(), [mine]) is TO_CONFIRM
    assert exact(1).low == 1


# --- Noted, and more than was asked ------------------------------------------------------------


def test_a_noted_difference_is_shown_and_has_no_weight():
    """DESIGN 4: driver, system, torch's patch version: noted, by the policy's own list."""
    load = workload(driver="610.62", os="linux")
    seen = record(load=load, facts={"driver": "580.11"})
    found = finding(memory(), [seen], candidate(load=load))
    assert found.verdict is ADMISSIBLE
    assert found.text.endswith("(noted: driver: the question says 610.62, run 580.11)")
    fail = piece("oom", runs=[failing(load=load, facts={"os": "windows"})])
    found = finding(memory(), [fail], candidate(load=load))
    assert found.verdict is EXCLUDE
    assert found.text.endswith("(noted: os: the question says linux, oom windows)")


def test_a_failure_with_more_than_the_case_states_excludes_nothing():
    """A failure covers what is larger or equal; in a dimension that is untold the case may be smaller."""
    text = case(prompt_tokens=7900, new_tokens=292, resident_sequences=4)
    load = workload([text])
    for extra, expected in (({"images": 4}, TO_CONFIRM), ({"images": 1}, EXCLUDE)):
        fail = piece("oom", runs=[failing(load=load, executed=extra)])
        found = finding(memory(), [fail], candidate(load=load))
        assert found.verdict is expected
    waiting = piece("oom", runs=[failing(load=load, executed={"concurrent_requests": 64})])
    assert verdict(memory(), [waiting], candidate(load=load)) is EXCLUDE


def test_a_success_with_more_than_the_case_states_covers_it():
    assert verdict(memory(), [record(executed={"images": 4})]) is ADMISSIBLE


# --- Corners that only a changed line showed ---------------------------------------------------


def test_of_several_covering_runs_the_least_peak_counts():
    """A peak on a roomier card is no floor: pools grow with the room."""
    large = record(used(25 * 10**9), id="a-large", machine="roomy", room=None)
    small = record(id="b-small")
    for pieces in ([large, small], [small, large]):
        found = finding(memory(), pieces)
        assert (found.verdict, found.need.low) == (ADMISSIBLE, PEAK)
        assert found.pieces == ("b-small",)


def test_of_equal_peaks_the_first_id_is_named():
    both = [record(id="b"), record(id="a")]
    assert finding(memory(), both).pieces[0] == finding(memory(), both[::-1]).pieces[0] == "a"


def test_an_unproven_failure_contradicts_no_success():
    """Another process on the card explains it; the success stands, and the failure is not hidden."""
    shared = proven(why=failure(others=(4711,)))
    found = finding(memory(), [record(), shared])
    assert (found.verdict, found.reason) == (ADMISSIBLE, "within_capacity")
    assert set(found.pieces) == {"run", "oom"}


def test_a_failure_of_another_card_is_no_condition_here():
    other = proven(gpu="nvidia-l4-24g")
    assert "failure" not in topics(finding(memory(), [other]))
    assert "failure" in topics(finding(memory(), [proven(why=failure(memory="host"))]))


def test_what_keeps_a_failure_from_excluding_is_told_once_and_a_case_that_differs_is_named():
    cases = [
        case("usual", role="usual", prompt_tokens=100, new_tokens=10),
        case("limit", prompt_tokens=7900, new_tokens=292),
    ]
    load = workload(cases)
    fail = piece(
        "oom",
        runs=[failing(why=failure(memory="host"), load=load, executed={"prompt_tokens": 500})],
    )
    told = [
        [c.text for c in found.conditions if c.topic == "failure"]
        for found in findings(memory(), [fail], candidate(load=load))
    ]
    own = "oom failed, which excludes nothing yet for case 'usual': "
    usual, limit = sorted(told, key=len, reverse=True)
    assert [len(usual), len(limit)] == [2, 1]
    assert usual[0] == limit[0]
    assert usual[0].startswith("oom failed, which excludes nothing yet: ")
    assert "(allocator_oom) does not say" in usual[0]
    assert usual[1].startswith(own)
    assert "prompt_tokens: executed 500" in usual[1]


def test_the_very_free_bytes_are_not_less_than_the_request():
    for free, expected in ((2**31, TO_CONFIRM), (2**31 - 1, EXCLUDE)):
        why = failure(quantities={"free": free, "requested": 2**31})
        assert verdict(memory(), [proven(why=why)]) is expected


def test_the_word_that_nobody_else_was_there_counts_under_the_neutral_policy_only():
    silent = failure(quantities={"process_in_use": None})
    typed = piece("oom", runs=[failing(why=silent)], other_users="none")
    assert verdict(memory(), [typed]) is EXCLUDE
    assert verdict(memory(), [typed], policy=STRICT) is TO_CONFIRM
    nobody = piece("oom", runs=[failing(why=silent)], other_users="none", by="")
    assert verdict(memory(), [nobody]) is TO_CONFIRM


def test_a_disputed_failure_with_another_cause_is_no_conflict():
    why = failure(memory="host")
    fail = piece("oom", runs=[failing(why=why)], engine__version="0.27.1")
    assert finding(memory(), [record(), fail]).verdict is ADMISSIBLE


def test_a_failing_run_whose_failure_is_untold_excludes_nothing():
    lost = piece("lost", runs=[replace(failing(), failure=None)])
    assert verdict(memory(), [lost]) is TO_CONFIRM
    happy = piece("odd", runs=[replace(failing(), outcome="success", whole_loop=False)])
    assert verdict(memory(), [happy]) is TO_CONFIRM


def test_a_typed_case_attests_its_phases_where_the_log_names_none():
    log = run(used(PEAK), printed={}, executed=dict.fromkeys(case().dimensions), phases=())
    told = {"machine": MACHINE, "totals": [total(ROOM, others=0)], "gpu": GPU}
    guest = replace(candidate(), other_users=None)
    assert verdict(memory(), [piece(runs=[log], case="limit", **told)], guest) is ADMISSIBLE
    part = replace(log, phases=("prefill",))
    assert verdict(memory(), [piece(runs=[part], case="limit", **told)], guest) is TO_CONFIRM
    printed_ = piece(machine=MACHINE, totals=[total(ROOM)], runs=[run(used(PEAK), phases=())])
    assert verdict(memory(), [printed_]) is TO_CONFIRM


def test_readings_of_two_devices_are_not_one_of_a_placement_of_one():
    """C9: which of the two it was is told by its index alone."""
    both = [used(26 * 10**9, device=1), used(PEAK, device=0)]
    assert verdict(memory(), [record(*both)]) is ADMISSIBLE
    neither = [used(PEAK, device=1), used(PEAK, device=2)]
    assert verdict(memory(), [record(*neither)]) is TO_CONFIRM


def test_one_card_needs_no_stated_placement_for_its_floor_and_two_do():
    load = pinned(workload(placement__devices=None, **HUGE))
    assert verdict(memory(), [], candidate(load=load)) is EXCLUDE
    assert verdict(memory(), [], candidate(load=load, cards=2)) is TO_CONFIRM


def test_an_unknown_item_does_not_hide_the_rest_of_the_floor():
    """C2: what is missing is left out of a floor, never zero and never everything."""
    load = pinned(workload(model__layers=None, **HUGE))
    found = finding(memory(), [], candidate(load=load))
    assert found.verdict is EXCLUDE
    assert found.need.low == 26 * 10**9


def test_spread_over_several_devices_the_envelope_stays_open():
    """D4: how the items spread is the software's doing, not arithmetic."""
    load = pinned(two_devices(reserve=[assumed(2 * GIB, id="reserve.workspace")]))
    prints = piece("print", machine=MACHINE, totals=[total(ROOM), total(ROOM, device=1)])
    assert second(memory(), [prints], candidate(cards=2, load=load)) == ()


def test_a_floor_that_excludes_is_shown_against_the_most_there_can_be():
    """Law 2: the printed figures beside the verdict are those that decide it."""
    load = pinned(workload(reserve=[assumed(2 * GIB, id="reserve.workspace")], **HUGE))
    seen = piece("print", machine=MACHINE, totals=[total("22693 MiB", others=10**9)])
    found = finding(memory(), [seen], replace(candidate(load=load), other_users=None))
    assert found.verdict is EXCLUDE
    assert found.need.id == "limit.floor"
    assert found.have.low == 22693 * MIB


def test_an_exclusion_by_the_floor_takes_no_word_about_other_users():
    load = pinned(workload(**HUGE))
    seen = piece("print", machine=MACHINE, totals=[total("22693 MiB")])
    assert finding(memory(), [seen], candidate(load=load)).attested_by == ()


def test_a_floor_of_the_very_capacity_excludes_nothing():
    load = pinned(workload([], model__parameters=12 * 2**30))  # 24 GiB in 16 bits
    assert verdict(memory(), [], candidate(load=load)) is TO_CONFIRM
    more = pinned(workload([], model__parameters=12 * 2**30 + 1))
    assert verdict(memory(), [], candidate(load=more)) is EXCLUDE


def test_training_asks_for_what_is_missing_of_its_shape():
    for told, asks in (
        ({"microbatch": 1}, True),
        ({"sequence_tokens": 512}, True),
        ({"microbatch": 1, "sequence_tokens": 512}, False),
    ):
        load = workload([case(phases=(), **told)], operation="training", optimizer__name="adamw")
        found = finding(memory(), [], candidate(load=load))
        assert ("microbatch" in topics(found)) is asks


def test_the_tight_condition_takes_the_margin_off_what_there_is():
    load = workload(margin=[margin("5 GiB")])
    found = finding(memory(), [record(load=load)], candidate(load=load))
    (asked,) = found.conditions
    assert asked.threshold == f"peak of the process's device use <= {24081 * MIB - 5 * GIB} B"
    load = workload(margin=[margin("30 GiB")])
    (asked,) = finding(memory(), [record(load=load)], candidate(load=load)).conditions
    assert asked.threshold.endswith("<= 0 B")


def test_several_sightings_are_told_from_the_least_to_the_most():
    from evaluate.build import NEUTRAL

    seen = a_card(
        sightings=[sighting(25, 27), sighting(23, 24), sighting(1, 99, "nvidia_smi_total")]
    )
    found = finding(memory(), [], candidate(card=seen))
    assert says(found, "elsewhere: 23 to 27 B$")
    wide = replace(NEUTRAL, machine_spread=stated(300, BYTE, "policy.machine_spread"))
    found = finding(memory(), [], candidate(card=seen), policy=wide)
    assert says(found, "elsewhere: 23 to 27 B; policy 'neutral' allows 300 B")


def test_a_failure_on_a_card_that_showed_just_as_much_excludes():
    why = failure(quantities={"total_capacity": 25_000_000_000})
    room = piece("print", machine=MACHINE, totals=[total(25_000_000_000)])
    found = finding(memory(), [proven(why=why), room])
    assert (found.verdict, found.pieces) == (EXCLUDE, ("oom",))


def test_one_device_needs_no_name_in_a_finding():
    assert finding(memory(), [record()]).device == ""


def test_a_below_floor_run_on_two_devices_is_told_by_its_larger_peak():
    load = two_devices()
    idle = piece(
        machine=MACHINE,
        totals=[total(ROOM), total(ROOM, device=1)],
        runs=[run(used(10**9), used(2 * 10**9, device=1), load=load)],
    )
    found = findings(memory(), [idle], candidate(cards=2, load=load))
    assert all("peaked at most at 2000000000 B" in f.text for f in found)


def test_a_checklist_that_is_all_computed_is_no_ceiling_yet():
    """DESIGN 4: only what was observed admits; the envelope stands in the second reading alone."""
    from evaluate.build import NEUTRAL, ground

    from fiche.evaluate.rule import judge
    from fiche.kernel.comparison import LoadItem

    load = pinned(workload())
    on = candidate(load=load)
    room = piece("print", machine=MACHINE, totals=[total(ROOM)])
    firm = ground([room], on=on, policy=NEUTRAL)
    items = tuple(i for i in firm.loads["limit"] if i.node.high is not None)
    firm = replace(firm, loads={"limit": items})
    assert all(isinstance(item, LoadItem) for item in items)
    from fiche.criteria.memory import compare

    (firmly,) = compare(memory(), on, firm)
    assert judge(firmly).verdict is TO_CONFIRM
    (guessing,) = compare(memory(), on, replace(firm, assume=True))
    assert judge(guessing, assume=True).verdict is ADMISSIBLE
    untold = replace(on, workload=replace(load, cases=(replace(load.cases[0], dimensions={}),)))
    (guessing,) = compare(memory(), untold, replace(firm, assume=True))
    assert judge(guessing, assume=True).verdict is TO_CONFIRM
