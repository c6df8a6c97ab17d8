"""From a fiche to a decision: what is always required, how verdicts fold, D9's own example."""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    GIB,
    MACHINE,
    TO_CONFIRM,
    assumed,
    budget,
    candidate,
    capacity,
    case,
    choice,
    decision,
    failing,
    memory,
    of_catalog,
    offer,
    oom_log,
    outcome,
    piece,
    policy,
    quality,
    quote,
    requirement,
    result,
    run,
    stated,
    topics,
    total,
    used,
    workload,
)

from fiche.evaluate.decide import completed
from fiche.kernel.record import replace
from fiche.kernel.unit import WATT

PEAK = 21 * 10**9


def evidence(**changes):
    """A run of the limit case on the candidate's machine, its total, and a result."""
    seen = piece(machine=MACHINE, totals=[total("24081 MiB")], runs=[run(used(PEAK), **changes)])
    return [seen, result()]


MUSTS = [memory(), quality()]


# --- D9 ----------------------------------------------------------------------------------------


def seven_billion():
    """A 7B of which only the count and 16 bits are known, and a reserve of 6 GiB: 19.04 GiB."""
    return workload(
        [],
        reserve=[assumed(6 * GIB)],
        duration=None,
        **dict.fromkeys(["model__name", "model__revision", "model__layers", "model__kv_heads"]),
        **dict.fromkeys(["model__head_dim", "formats__storage", "formats__compute"]),
        **dict.fromkeys(["formats__cache", "attention", "backend", "engine__name"]),
        **dict.fromkeys(["engine__version", "allocator__backend", "allocator__settings"]),
        **dict.fromkeys(["process_protocol", "placement__devices"]),
        model__parameters=7_000_000_000,
        formats__storage_bits=16,
    )


OFFERS = [
    ("rent-4090", "nvidia-rtx-4090-24g", "47.14 USD"),
    ("rent-6000ada", "nvidia-rtx-6000-ada-48g", "55.71 USD"),
]


@pytest.mark.parametrize("resident", ["all", None])
@pytest.mark.parametrize("duration", [None, "72 h"])
def test_d9_two_offers_both_to_confirm_with_exactly_five_open_conditions(resident, duration):
    load = seven_billion()
    facts = {k: v for k, v in load.facts.items() if resident or k != "placement.resident"}
    from evaluate.build import hours

    figures = {**load.figures, **({"duration": hours(duration)} if duration else {})}
    load = replace(load, facts=facts, figures=figures)
    both = [
        of_catalog(
            gpu,
            id,
            load=load,
            machine="",
            other_users=None,
            offer=offer(price, gpu=gpu, valid_until=None, tax=None, extension=None),
        )
        for id, gpu, price in OFFERS
    ]
    asked = [memory(), quality(), requirement("software")]
    made = decision(both, [], asked, load=load)
    assert [o.status for o in made.outcomes] == ["to_confirm", "to_confirm"]
    five = {"context", "concurrency", "memory_available", "compatibility", "quality"}
    for one in made.outcomes:
        assert len(one.conditions) == 5
        assert {c.topic for c in one.conditions} == five
        assert one.rank is None
    assert [str(float(o.cost.low)) for o in made.outcomes] == ["47.14", "55.71"]
    if duration:
        assert all(o.cost.exact for o in made.outcomes)


def test_d9_the_arithmetic_still_runs():
    """B2: 14 000 000 000 bytes, and 19.04 GiB with the assumed reserve."""
    load = seven_billion()
    made = decision([candidate(load=load)], [], MUSTS, load=load)
    assert made.figures["weights"].low == 14_000_000_000
    whole = made.figures["weights"].low + made.figures["reserve.guess"].low
    assert round(whole / GIB * 100) == 1904


# --- Always required ---------------------------------------------------------------------------


def test_memory_and_quality_are_musts_even_when_the_fiche_omits_them():
    found = completed((budget(),))
    assert [(r.kind, r.level, r.implied) for r in found] == [
        ("memory", "must", True),
        ("quality", "must", True),
        ("cost", "must", False),
    ]


def test_a_mere_want_does_not_stand_for_what_is_always_required():
    found = completed((memory(level="want"), quality(level="want")))
    assert [(r.id, r.level) for r in found] == [
        ("memory-always-required", "must"),
        ("quality-always-required", "must"),
        ("memory", "want"),
        ("quality", "want"),
    ]
    assert completed(tuple(MUSTS)) == tuple(MUSTS)


def test_a_fiche_with_only_a_budget_retains_nothing():
    on = candidate(offer=offer())
    made = decision([on], [quote()], [budget()])
    assert made.outcomes[0].status == "to_confirm"
    by_kind = {f.kind: f.verdict for f in made.findings}
    assert by_kind == {"cost": ADMISSIBLE, "memory": TO_CONFIRM, "quality": TO_CONFIRM}
    assert {r.kind for r in made.fiche.requirements} == {"cost", "memory", "quality"}


def test_a_fiche_without_any_requirement_retains_nothing():
    assert decision([candidate()]).outcomes[0].status == "to_confirm"


# --- Folding -----------------------------------------------------------------------------------


def test_all_musts_admissible_is_retained():
    made = decision(None, evidence(), MUSTS)
    assert made.outcomes[0].status == "retained"
    assert made.outcomes[0].conditions == ()


def test_a_candidate_takes_its_worst_must():
    """D1; exclude wins over to confirm, and the open conditions are still listed."""
    worse = [*MUSTS, capacity("100 GiB"), requirement("delivery", by="2026-12-15")]
    made = decision(None, evidence(), worse)
    assert made.outcomes[0].status == "excluded"
    assert topics(made.outcomes[0]) == {"delivery"}
    assert len(made.findings) == 4


def test_a_failing_want_excludes_nothing():
    on = candidate(card=replace(of_catalog("nvidia-rtx-4090-24g").card))
    quiet = requirement("power", "want", at_most=stated(1, WATT))
    made = decision([on], evidence(), [*MUSTS, quiet])
    want = next(f for f in made.findings if f.level == "want")
    assert want.verdict is EXCLUDE
    assert made.outcomes[0].status == "retained"


def test_each_must_case_is_judged():
    """D6: a test with one small input validates no maximum."""
    short = case("short", prompt_tokens=16, new_tokens=4, resident_sequences=1, role="short")
    load = workload([short, case()])
    seen = piece(
        machine=MACHINE,
        totals=[total("24081 MiB")],
        runs=[run(used(18 * 10**9), load=load, of=short)],
    )
    made = decision([candidate(load=load)], [seen, result()], MUSTS, load=load)
    assert {f.case: f.verdict for f in made.findings if f.kind == "memory"} == {
        "short": ADMISSIBLE,
        "limit": TO_CONFIRM,
    }
    assert made.outcomes[0].status == "to_confirm"


def test_the_useful_margin_is_that_of_the_worst_case_or_none():
    usual = case("usual", prompt_tokens=1200, new_tokens=300, resident_sequences=4)
    load = workload([usual, case()])
    runs = [run(used(19 * 10**9), load=load, of=usual), run(used(PEAK), load=load, id="limit")]
    seen = piece(machine=MACHINE, totals=[total("24081 MiB")], runs=runs)
    made = decision([candidate(load=load)], [seen, result()], MUSTS, load=load)
    # The larger run covers the usual case too, and the least peak of those that cover counts.
    assert made.outcomes[0].useful_margin.low == 24081 * 2**20 - PEAK
    open_ = replace(seen, reading=replace(seen.reading, runs=(runs[0],)))
    made = decision([candidate(load=load)], [open_, result()], MUSTS, load=load)
    assert made.outcomes[0].useful_margin is None


def test_conditions_of_one_topic_are_one_point():
    usual = case("usual", prompt_tokens=1200, new_tokens=300, resident_sequences=4)
    load = workload([usual, case()])
    made = decision([candidate(load=load)], [], MUSTS, load=load)
    (need,) = [c for c in made.outcomes[0].conditions if c.topic == "need"]
    assert "case 'usual'" in need.text
    assert "case 'limit'" in need.text


def test_a_want_s_conditions_are_not_the_candidate_s():
    made = decision(None, evidence(), [*MUSTS, requirement("delivery", "want", by="2027-01-01")])
    assert made.outcomes[0].conditions == ()
    assert any(f.conditions for f in made.findings)


# --- Changed candidates ------------------------------------------------------------------------


def test_a_candidate_that_changed_one_thing_is_judged_by_its_own_load():
    """D10: the baseline's record does not cover it, the requirements stay."""
    base = workload()
    fp8 = workload(formats__cache="fp8_e4m3")
    both = [
        candidate("rent", load=base),
        candidate("fp8", load=fp8, baseline="rent", change=("formats.cache", "bf16", "fp8_e4m3")),
    ]
    made = decision(both, evidence(), MUSTS, load=base)
    assert outcome(made, "rent").status == "retained"
    assert outcome(made, "fp8").status == "to_confirm"
    assert made.figures["limit.kv_cache"].low == 2 * made.figures["fp8/limit.kv_cache"].low
    assert "fp8/weights" not in made.figures


def test_a_typed_case_attests_the_base_workload_only():
    base, fp8 = workload(), workload(formats__cache="fp8_e4m3")
    both = [candidate("rent", load=base), candidate("fp8", load=fp8, baseline="rent")]
    log = oom_log(case="limit", gpu="nvidia-rtx-4090-24g")
    made = decision(both, [log], MUSTS, load=base)
    assert outcome(made, "rent").status == "excluded"
    assert outcome(made, "fp8").status == "to_confirm"


def test_a_smaller_microbatch_is_another_question():
    """D7: the failure of four sequences says nothing of one; a success of four covers one."""
    base = workload([case(prompt_tokens=7900, new_tokens=292, resident_sequences=4)])
    one = workload([case(prompt_tokens=7900, new_tokens=292, resident_sequences=1)])
    both = [candidate("four", load=base), candidate("one", load=one, baseline="four")]
    fail = piece("oom", runs=[failing(load=base)])
    made = decision(both, [fail], MUSTS, load=base)
    assert (outcome(made, "four").status, outcome(made, "one").status) == (
        "excluded",
        "to_confirm",
    )
    made = decision(both, evidence(load=base), MUSTS, load=base)
    assert outcome(made, "one").status == "retained"


# --- Choice ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("chosen", "conditional"), [("rent", True), ("none", False)])
def test_a_choice_that_is_not_retained_is_conditional(chosen, conditional):
    assert decision(choice=choice(chosen)).conditional_choice is conditional


def test_a_retained_choice_is_not_conditional():
    made = decision(None, evidence(), MUSTS, choice=choice("rent"))
    assert made.conditional_choice is False
    assert decision(None, evidence(), MUSTS).conditional_choice is False


# --- Second reading ----------------------------------------------------------------------------


def test_what_assumptions_would_change_is_listed_and_changes_no_verdict():
    load = workload(model__parameters=13_000_000_000)
    made = decision([candidate(load=load)], [], MUSTS, load=load)
    (would,) = made.second_readings
    assert (would.finding.verdict, would.would_be) == (TO_CONFIRM, EXCLUDE)
    assert would.finding in made.findings
    assert made.outcomes[0].status == "to_confirm"


def test_an_assumed_need_of_hours_names_who_assumed_it():
    load = workload()
    guess = assumed(40)
    guess = replace(guess, unit=load.figures["duration"].unit, id="duration")
    load = replace(load, figures={**load.figures, "duration": guess})
    on = candidate(load=load, offer=offer())
    made = decision([on], [quote()], [*MUSTS, budget()], load=load)
    cost = next(f for f in made.findings if f.kind == "cost")
    assert cost.verdict is TO_CONFIRM
    (would,) = [s for s in made.second_readings if s.finding is cost]
    assert would.would_be is ADMISSIBLE
    assert would.if_held == ("duration = 40 h, assumed by A. Martin: seen on the workstation",)


# --- Strict policy -----------------------------------------------------------------------------


def test_the_strict_policy_lets_no_typed_scope_decide():
    typed = [oom_log(case="limit", gpu="nvidia-rtx-4090-24g")]
    assert decision(None, typed, MUSTS).outcomes[0].status == "excluded"
    strict = decision(None, typed, MUSTS, policy=policy("never_alone"))
    assert strict.outcomes[0].status == "to_confirm"


def test_the_envelope_of_a_changed_candidate_bears_its_name():
    """Law 1: ids are unique and qualified, and a finding's numbers are those of the list."""
    base, fp8 = workload(), workload(formats__cache="fp8_e4m3")
    both = [candidate("rent", load=base), candidate("fp8", load=fp8, baseline="rent")]
    made = decision(both, [], MUSTS, load=base)
    shown = {f.candidate: f.need for f in made.findings if f.kind == "memory"}
    assert {"fp8/limit.kv_cache", "weights"} <= _named(shown["fp8"])
    assert {"limit.kv_cache", "weights"} <= _named(shown["rent"])


def _named(node):
    from fiche.kernel.trace import walk

    return {n.id for n in walk(node) if n.id}


def test_a_proven_failure_quotes_its_message():
    from evaluate.build import CRITERIA, ground

    (compared,) = CRITERIA["memory"].compare(
        memory(), candidate(), ground([piece("oom", runs=[failing()])])
    )
    assert [c.text for c in compared.claims] == ["CUDA out of memory."]
