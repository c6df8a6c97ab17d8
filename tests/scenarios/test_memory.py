"""What admits and what excludes on memory, from files to decision.json (DESIGN 4)."""

import pytest
from scenarios.story import (
    GIB,
    LIMIT,
    MIB,
    PEAK,
    VISIBLE,
    asked,
    conditions,
    device,
    figure,
    files,
    found,
    judged,
    oom,
    phase,
    record,
    status,
    verdict,
    visible,
)


def with_run(*phases, **changes):
    return files(run_json=record(*phases, **changes))


def used(peak, **changes):
    return phase(devices=[device(peak=peak, **changes)])


def stated(fiche, **dimensions):
    """The limit case with other dimensions; `None` leaves one out."""
    case = {**fiche["workload"]["cases"][0], **dimensions}
    fiche["workload"]["cases"] = [{k: v for k, v in case.items() if v is not None}]
    return fiche


def test_the_story_is_admissible(tmp_path):
    told = judged(tmp_path)
    assert status(told) == "retained"
    need, have = found(told)["need"], found(told)["have"]
    assert (need["bytes"], have["bytes"], need["basis"]) == (PEAK, VISIBLE, "observed")
    assert figure(told, need["id"])["at"] == ("run#/phases/0/devices/0/process_device_bytes/peak")


# --- A load of no stated size ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lacking", "topic"),
    [
        (["resident_sequences"], ["concurrency"]),
        (["prompt_tokens", "new_tokens"], ["context"]),
        (["prompt_tokens"], ["context"]),
        (["new_tokens"], ["context"]),
        (list(LIMIT), ["context", "concurrency"]),
    ],
)
def test_a_case_without_its_dimensions_is_no_question(tmp_path, lacking, topic):
    """A2, D9: any run would cover it, and so would any failure."""
    fiche = stated(asked(), **dict.fromkeys(lacking))
    told = judged(tmp_path / "run", fiche)
    assert (status(told), conditions(told)) == ("to_confirm", topic)
    failed = phase(outcome="failure", error={"type": "OutOfMemoryError", "message": oom()})
    assert verdict(judged(tmp_path / "oom", fiche, with_run(failed))) == "to_confirm"


def test_a_fiche_without_a_case_retains_nothing(tmp_path):
    fiche = asked()
    del fiche["workload"]["cases"]
    told = judged(tmp_path, fiche)
    assert (status(told), conditions(told)) == ("to_confirm", ["context", "concurrency"])


def test_a_context_told_as_one_number_is_told(tmp_path):
    whole = {"prompt_tokens": None, "new_tokens": None, "context_tokens": 8192}
    fiche = stated(asked(), **whole)
    ran = {"context_tokens": 8192, "resident_sequences": 4}
    assert verdict(judged(tmp_path, fiche, with_run(phase(executed=ran)))) == "admissible"


# --- Ceilings -------------------------------------------------------------------------------------


def test_24_85_gb_allocated_and_450_mib_outside_do_not_fit_a_4090_of_24081_mib(tmp_path):
    """B1: reserved and outside count together; 24.85e9 alone would have fitted."""
    levels = {"allocated_bytes": 24_850_000_000, "reserved_bytes": 24_850_000_000}
    outside = {"bytes": 450 * MIB, "stat": "peak", "how": "nvidia-smi less reserved"}
    seen = device(
        start=None,
        end=None,
        process_device_bytes=None,
        outside_allocator_bytes=outside,
    )
    seen["peak"] = levels
    told = judged(tmp_path, None, with_run(phase(devices=[seen])))
    assert verdict(told) == "to_confirm"
    assert found(told)["need"]["bytes"] == 24_850_000_000 + 450 * MIB
    del seen["outside_allocator_bytes"]
    told = judged(tmp_path, None, with_run(phase(devices=[seen])))
    assert verdict(told) == "to_confirm"
    assert "outside the allocator" in found(told)["condition"]


def test_reserved_and_outside_admit_where_their_sum_fits(tmp_path):
    outside = {"bytes": 450 * MIB, "stat": "peak", "how": "nvidia-smi less reserved"}
    seen = device(process_device_bytes=None, outside_allocator_bytes=outside)
    told = judged(tmp_path, None, with_run(phase(devices=[seen])))
    assert verdict(told) == "admissible"
    assert found(told)["need"]["bytes"] == 21_000_000_000 + 450 * MIB
    for stat in ("current", "start", "sampled_max"):
        seen["outside_allocator_bytes"] = {**outside, "stat": stat}
        assert verdict(judged(tmp_path, None, with_run(phase(devices=[seen])))) == "to_confirm"


def test_a_sampled_maximum_is_no_peak(tmp_path):
    sampled = {"counter": "nvidia-smi", "sampled_max": PEAK, "period_ms": 100}
    told = judged(tmp_path, None, with_run(phase(devices=[device(process_device_bytes=sampled)])))
    assert verdict(told) == "to_confirm"


def test_phases_admit_nothing(tmp_path):
    """C8: the boundaries change the overlap."""
    phased = [phase(n, name=name, ordering="phased", covers=None) for n, name in enumerate("abc")]
    assert verdict(judged(tmp_path, None, with_run(*phased))) == "to_confirm"


def test_a_success_with_48_9_gb_reserved_does_not_exclude_an_a40_of_45416_mib(tmp_path):
    """A peak seen on a roomier card is no floor: caches and pools shrink and grow."""
    roomy = phase(devices=[device(peak=49_400_000_000)])
    roomy["devices"][0]["peak"] = {
        "allocated_bytes": 48_000_000_000,
        "reserved_bytes": 48_900_000_000,
    }
    a40 = "nvidia-a40-48g"
    fiche = asked()
    fiche["candidates"] = [
        {"id": "rent", "gpu": a40, "cards": 1, "machine": "node-9", "other_users": "none"}
    ]
    fiche["pieces"].append({"id": "print", "file": "print.json"})
    shown = record(
        phase(executed={**LIMIT, "prompt_tokens": 1}),
        gpu=a40,
        machine="node-9",
        devices=[visible(total=45416 * MIB, name="NVIDIA A40")],
    )
    ran = record(
        roomy, gpu=a40, machine="node-8", devices=[visible(total=48688 * MIB, name="NVIDIA A40")]
    )
    told = judged(tmp_path, fiche, {**files(run_json=ran), "print.json": shown})
    assert verdict(told) == "to_confirm"
    assert "caches and pools may shrink" in found(told)["condition"]


def test_the_exact_capacity_is_enough_and_one_byte_more_is_not(tmp_path):
    assert verdict(judged(tmp_path, None, with_run(used(VISIBLE)))) == "admissible"
    assert verdict(judged(tmp_path, None, with_run(used(VISIBLE + 1)))) == "to_confirm"


def test_counters_that_cannot_all_be_true_admit_nothing(tmp_path):
    """C3: the process holds at least what its allocator reserved."""
    told = judged(tmp_path, None, with_run(used(20_900_000_000)))
    assert (verdict(told), found(told)["reason_code"]) == ("to_confirm", "conflict")
    assert "memory_reserved (current) was at least 21000000000 B" in found(told)["reason"]


def test_under_cudamallocasync_a_reserved_peak_may_lie_above_the_process(tmp_path):
    """C6: it is an upper bound there, and contradicts nothing."""
    fiche = asked()
    fiche["workload"]["allocator"] = {"backend": "cudaMallocAsync", "settings": "default"}
    lower = used(
        20_900_000_000, end={"allocated_bytes": 16_000_000_000, "reserved_bytes": 20_600_000_000}
    )
    ran = record(lower, workload={"allocator": fiche["workload"]["allocator"]})
    told = judged(tmp_path, fiche, files(run_json=ran))
    assert verdict(told) == "admissible"
    assert found(told)["need"]["bytes"] == 20_900_000_000
    assert any("reserved_peak_is_upper_bound" in w for p in told["pieces"] for w in p["warnings"])


def test_a_run_whose_output_did_not_pass_admits_nothing(tmp_path):
    """C14: memory can be bought with another result."""
    for passed, expected in ((False, "to_confirm"), (True, "admissible")):
        check = {"status": "checked", "passed": passed, "method": "exact match of 20 outputs"}
        told = judged(tmp_path, None, with_run(phase(output_check=check)))
        assert verdict(told) == expected
    unchecked = with_run(phase(output_check={"status": "not_checked"}))
    assert verdict(judged(tmp_path, None, unchecked)) == "admissible"


def test_a_peak_below_the_floor_admits_nothing(tmp_path):
    """Weights and cache alone are 20 355 489 792 B: something else ran."""
    low = device(peak=20_000_000_000)
    low["peak"] = {"allocated_bytes": 18_000_000_000, "reserved_bytes": 19_000_000_000}
    low["end"] = {"allocated_bytes": 16_000_000_000, "reserved_bytes": 19_000_000_000}
    told = judged(tmp_path, None, with_run(phase(devices=[low])))
    assert (verdict(told), found(told)["reason_code"]) == ("to_confirm", "below_floor")
    assert "20355489792 B" in found(told)["reason"]


def test_a_training_loop_without_a_step_of_the_optimizer_trained_nothing(tmp_path):
    fiche, size = asked(), {"microbatch": 1, "sequence_tokens": 2048}
    load = fiche["workload"]
    load |= {"operation": "training", "optimizer": {"name": "adamw", "states_per_parameter": 2}}
    del load["formats"]["cache"]
    del load["model"]["parameters"]
    load["cases"] = [{"id": "limit", "role": "limit", **size}]
    own = {key: load[key] for key in ("operation", "optimizer", "formats")}
    step = ["forward", "loss", "backward", "optimizer_step"]
    for covers, expected in ((["forward"], "to_confirm"), (step, "admissible")):
        ran = record(phase(covers=["model_load", *covers], executed=size), workload=own)
        assert verdict(judged(tmp_path, fiche, files(run_json=ran))) == expected


# --- Capacity -------------------------------------------------------------------------------------


def test_other_users_must_be_looked_for(tmp_path):
    """C2: nobody looked is not nobody there."""
    blind = phase(devices=[device(other_processes_bytes=None)])
    told = judged(tmp_path, None, with_run(blind))
    assert (verdict(told), conditions(told)) == ("to_confirm", ["memory_available"])
    fiche = asked()
    fiche["candidates"][0]["other_users"] = "none"
    told = judged(tmp_path, fiche, with_run(blind))
    assert (verdict(told), found(told)["attested_by"]) == ("admissible", ["A. Martin"])
    assert "on the word of A. Martin" in found(told)["reason"]
    fiche["policy"] = "strict"
    assert verdict(judged(tmp_path, fiche, with_run(blind))) == "to_confirm"


def test_what_others_hold_is_not_there(tmp_path):
    held = {"bytes": VISIBLE - PEAK, "counter": "nvml_compute_processes"}
    told = judged(tmp_path, None, with_run(phase(devices=[device(other_processes_bytes=held)])))
    assert verdict(told) == "admissible"
    assert found(told)["margin"]["bytes"] == 0
    held["bytes"] += 1
    told = judged(tmp_path, None, with_run(phase(devices=[device(other_processes_bytes=held)])))
    assert verdict(told) == "to_confirm"


def test_a_guarantee_that_a_reading_belies_is_a_conflict(tmp_path):
    fiche = asked()
    fiche["candidates"][0]["other_users"] = "none"
    held = {"bytes": 1 * GIB, "counter": "nvml_compute_processes"}
    told = judged(tmp_path, fiche, with_run(phase(devices=[device(other_processes_bytes=held)])))
    assert (verdict(told), found(told)["reason_code"]) == ("to_confirm", "conflict")


def test_another_machine_of_the_card_informs_and_admits_nothing(tmp_path):
    fiche = asked()
    fiche["candidates"][0]["machine"] = "node-8"
    told = judged(tmp_path, fiche)
    assert (verdict(told), conditions(told)) == ("to_confirm", ["memory_available"])
    assert "the same card elsewhere" in found(told)["condition"]
    del fiche["candidates"][0]["machine"]
    assert verdict(judged(tmp_path, fiche)) == "to_confirm"


def test_two_totals_of_one_machine_exclude_each_other(tmp_path):
    fiche = asked()
    fiche["pieces"].append({"id": "again", "file": "again.json"})
    again = record(phase(executed=None), devices=[visible(total=VISIBLE - 300 * MIB)])
    told = judged(tmp_path, fiche, {**files(), "again.json": again})
    assert (verdict(told), found(told)["reason_code"]) == ("to_confirm", "conflict")


def test_a_print_above_the_label_is_another_card(tmp_path):
    told = judged(tmp_path, None, with_run(devices=[visible(total=49140 * MIB)]))
    assert (verdict(told), found(told)["reason_code"]) == ("to_confirm", "conflict")


def test_declared_numbers_never_admit(tmp_path):
    """A seller's total, a system tool's total and the label bound from above only."""
    fiche = asked()
    fiche["candidates"][0]["machine"] = "node-8"
    attests = [
        {
            "fact": "capacity",
            "counter": counter,
            "value": "24564 MiB",
            "rounding": "exact",
            "quote": "24564 MiB",
        }
        for counter in ("provider_declared", "nvidia_smi_total", "torch_total_memory")
    ]
    for item in attests:
        fiche["pieces"][3:] = [
            {
                "id": "sheet",
                "file": "sheet.txt",
                "kind": "quote",
                "scope": {"offer": "offer-1"},
                "attests": [item, {"fact": "other_users", "value": "none", "quote": "dedicated"}],
            }
        ]
        sheet = "node-8: 24564 MiB of GPU memory, dedicated\n"
        told = judged(tmp_path, fiche, {**files(), "sheet.txt": sheet})
        assert verdict(told) == "to_confirm", item["counter"]


# --- Margin ---------------------------------------------------------------------------------------


def test_a_stated_margin_is_kept_free_on_top_of_the_observed_need(tmp_path):
    room = VISIBLE - PEAK
    for extra, expected in ((0, "admissible"), (1, "to_confirm")):
        fiche = asked()
        fiche["margin"] = [
            {"id": "longer", "value": "1 GiB", "because": "prompts grew"},
            {
                "id": "export",
                "value": f"{room - GIB + extra} B",
                "because": "an export runs beside",
            },
        ]
        told = judged(tmp_path, fiche)
        assert verdict(told) == expected
        assert found(told)["margin"]["bytes"] == room


def test_a_reserve_is_not_added_to_what_was_observed(tmp_path):
    fiche = asked()
    fiche["reserve"] = [{"id": "workspace", "value": "8 GiB", "because": "a guess"}]
    told = judged(tmp_path, fiche)
    assert (verdict(told), found(told)["need"]["bytes"]) == ("admissible", PEAK)
    assert figure(told, "limit.envelope")["rests_on"] == ["assumed", "stated"]


# --- Failures -------------------------------------------------------------------------------------


def failed(message, **changes):
    """A fiche and files whose only run is a failure of the limit case on the candidate's machine."""
    error = {"type": "torch.OutOfMemoryError", "message": message}
    made = phase(outcome="failure", error=error, **changes)
    return with_run(made)


def test_an_exhausted_card_excludes(tmp_path):
    told = judged(tmp_path, None, failed(oom()))
    assert (verdict(told), found(told)["reason_code"]) == ("exclude", "proven_failure")
    assert (status(told), found(told)["pieces"]) == ("excluded", ["run"])


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (oom(extra=" Process 4711 has 3.00 GiB memory in use."), "another process is listed"),
        (oom(extra=" 11.76 GiB allowed;"), "a limit was set for the process"),
        (oom(free="3.00 GiB", own="20.40 GiB"), "free memory was left for the request"),
        (oom(own=""), "does not list the card's processes"),
        (oom(own="20.00 GiB"), "B of the card are held by no process that the message lists"),
        (oom(requested="512.00 MiB"), "free memory was left for the request"),
        ("CUDA error: out of memory", "the free and the requested bytes are not both printed"),
        ("ValueError: wrong shape", "does not say that device memory ran out"),
        (
            "out of resource: shared memory, Required: 131072, Hardware limit: 101376.",
            "does not say that device memory ran out",
        ),
    ],
)
def test_a_failure_with_another_cause_excludes_nothing(tmp_path, message, why):
    told = judged(tmp_path, None, failed(message))
    assert (verdict(told), status(told)) == ("to_confirm", "to_confirm")
    assert why in found(told)["condition"]


@pytest.mark.parametrize(
    ("other", "unaccounted"),
    [("3.00 GiB", False), ("16.00 MiB", True), ("17179869184.00 GiB", False)],
)
def test_what_listed_processes_hold_is_accounted_for(tmp_path, other, unaccounted):
    message = oom(own="20.00 GiB", extra=f" Process 3121 has {other} memory in use.")
    told = found(judged(tmp_path, None, failed(message)))["condition"]
    assert "another process is listed" in told
    assert ("held by no process that the message lists" in told) is unaccounted


def test_a_failure_covers_what_is_larger_and_not_what_is_smaller(tmp_path):
    for name, size in LIMIT.items():
        for ran, expected in ((size - 1, "exclude"), (size + 1, "to_confirm")):
            told = judged(tmp_path, None, failed(oom(), executed={**LIMIT, name: ran}))
            assert verdict(told) == expected, (name, ran)
            assert expected == "exclude" or f"{name}: executed {ran}" in found(told)["condition"]


def test_a_cold_failure_is_not_erased_by_a_warm_success(tmp_path):
    """C7: and without the failure, a warm success alone leaves the first pass open."""
    cold = phase(0, outcome="failure", error={"type": "OutOfMemoryError", "message": oom()})
    warm = phase(1, **{"pass": "later"})
    told = judged(tmp_path, None, with_run(cold, warm))
    assert (verdict(told), found(told)["reason_code"]) == ("exclude", "proven_failure")
    assert {r["outcome"] for r in told["pieces"][0]["runs"]} == {"success", "failure"}
    told = judged(tmp_path, None, with_run(warm))
    assert verdict(told) == "to_confirm"
    assert "first pass" in found(told)["condition"]


def test_success_and_failure_in_one_scope_are_a_conflict_shown_side_by_side(tmp_path):
    again = phase(1, outcome="failure", error={"type": "OutOfMemoryError", "message": oom()})
    told = judged(tmp_path, None, with_run(phase(0), again))
    assert (verdict(told), found(told)["reason_code"]) == ("to_confirm", "conflict")
    fiche = asked()
    fiche["pieces"].append({"id": "oom", "file": "oom.json"})
    told = judged(tmp_path, fiche, {**files(), "oom.json": record(again)})
    assert found(told)["reason"] == (
        "pieces contradict each other: run succeeded and oom failed in one scope"
    )
    assert found(told)["pieces"] == ["run", "oom"]


def test_a_failure_on_a_card_that_showed_less_is_a_conflict(tmp_path):
    """Another driver, or ECC: this machine has more room than the one that failed."""
    fiche = asked()
    fiche["candidates"][0]["machine"] = "node-8"
    fiche["pieces"].append({"id": "oom", "file": "oom.json"})
    why = {"type": "OutOfMemoryError", "message": oom(total="22.00 GiB", own="21.50 GiB")}
    small = record(
        phase(outcome="failure", error=why), machine="node-9", devices=[visible(total=22 * GIB)]
    )
    own = record(phase(executed={**LIMIT, "prompt_tokens": 1}), machine="node-8")
    told = judged(tmp_path, fiche, {**files(run_json=own), "oom.json": small})
    assert (verdict(told), found(told)["reason_code"]) == ("to_confirm", "conflict")
