"""Which pieces speak of the question: every strict fact, every dimension, and on whose word (DESIGN 4)."""

import copy

import pytest
from scenarios.story import (
    AUTHOR,
    GPU,
    LIMIT,
    MACHINE,
    WORKLOAD,
    asked,
    device,
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

from fiche.kernel.fact import written

STRICT = {
    "model.name": "another/model",
    "model.revision": "ffffffff",
    "operation": "adaptation",
    "formats.storage": "fp16",
    "formats.compute": "fp16",
    "formats.cache": "fp8_e4m3",
    "engine.name": "vllm",
    "engine.version": "5.17.1",
    "attention": "eager",
    "placement.devices": 2,
    "placement.resident": "offload",
    "backend": "hip",
    "allocator.backend": "cudaMallocAsync",
    "allocator.settings": "expandable_segments:True",
    "gpu": "nvidia-rtx-3090-24g",
    "process_protocol": "five loops in one process",
}
PLACES = {
    "backend": ("environment", "backend"),
    "allocator.backend": ("environment", "allocator", "backend"),
    "allocator.settings": ("environment", "allocator", "settings"),
    "gpu": ("gpu",),
    "process_protocol": ("series", "process", "protocol"),
}
# A record without these is none.
NEVER_ABSENT = ("backend", "process_protocol", "allocator.backend")


def altered(path, value):
    """The record with one fact changed, or removed where the value is None."""
    made = record()
    steps = PLACES.get(path, ("workload", *path.split(".")))
    holder = made
    for step in steps[:-1]:
        holder = holder[step]
    if value is None:
        del holder[steps[-1]]
    else:
        holder[steps[-1]] = value
    return made


@pytest.mark.parametrize("path", STRICT)
def test_one_strict_fact_that_differs_turns_admissible_into_to_confirm(tmp_path, path):
    told = judged(tmp_path, None, files(run_json=altered(path, STRICT[path])))
    assert verdict(told) == "to_confirm"
    assert f"{written(path)}: the question says" in found(told)["condition"]
    assert f"the piece {STRICT[path]}" in found(told)["condition"]


@pytest.mark.parametrize("path", [p for p in STRICT if p not in NEVER_ABSENT])
def test_one_strict_fact_that_nobody_tells_does_too(tmp_path, path):
    told = judged(tmp_path, None, files(run_json=altered(path, None)))
    assert verdict(told) == "to_confirm"
    assert f"{path}" in found(told)["condition"]
    assert "the piece does not say" in found(told)["condition"]


@pytest.mark.parametrize(
    "path", [p for p in STRICT if p not in ("gpu", "operation", "process_protocol")]
)
def test_a_strict_fact_that_the_fiche_leaves_out_does_too(tmp_path, path):
    fiche = asked()
    *steps, last = path.split(".")
    holder = fiche["workload"]
    for step in steps:
        holder = holder[step]
    del holder[last]
    told = judged(tmp_path, fiche)
    assert verdict(told) == "to_confirm"
    assert "the fiche does not say; the piece ran with" in found(told)["condition"]


def test_a_format_that_was_really_loaded_otherwise_is_another_load(tmp_path):
    """A1: declared bf16, loaded int8."""
    other = {**WORKLOAD["formats"], "loaded": "int8"}
    told = judged(tmp_path, None, files(run_json=record(workload={"formats": other})))
    assert verdict(told) == "to_confirm"
    assert "formats.loaded: the question says bf16, the piece int8" in found(told)["condition"]
    same = {**WORKLOAD["formats"], "loaded": "bf16"}
    told = judged(tmp_path, None, files(run_json=record(workload={"formats": same})))
    assert verdict(told) == "admissible"


def test_noted_facts_are_shown_without_weight(tmp_path):
    fiche = asked()
    fiche["workload"]["driver"] = "610.62"
    ran = record()
    ran["environment"]["driver"] = "590.44"
    told = judged(tmp_path, fiche, files(run_json=ran))
    assert verdict(told) == "admissible"
    assert "driver: the question says 610.62, run 590.44" in found(told)["reason"]


@pytest.mark.parametrize("name", LIMIT)
def test_one_dimension_less_than_asked_does_not_validate_it(tmp_path, name):
    """D6: executed dimensions count, component by component."""
    for size, expected in ((LIMIT[name] - 1, "to_confirm"), (LIMIT[name] + 1, "admissible")):
        ran = phase(executed={**LIMIT, name: size}, declared=LIMIT)
        told = judged(tmp_path, None, files(run_json=record(ran)))
        assert verdict(told) == expected
        told_why = f"{name}: executed {size}, the question is {LIMIT[name]}"
        assert expected == "admissible" or told_why in found(told)["condition"]
    ran = phase(executed={k: v for k, v in LIMIT.items() if k != name}, declared=LIMIT)
    told = judged(tmp_path, None, files(run_json=record(ran)))
    assert verdict(told) == "to_confirm"
    assert f"{name}: the piece does not say what was executed" in found(told)["condition"]


def test_requests_that_wait_need_not_be_executed(tmp_path):
    """A4: they are not resident."""
    fiche = asked()
    fiche["workload"]["cases"][0]["concurrent_requests"] = 16
    assert verdict(judged(tmp_path, fiche)) == "admissible"


@pytest.mark.parametrize("missing", ["model_load", "prefill", "decode"])
def test_a_phase_of_the_case_that_was_not_part_of_the_loop(tmp_path, missing):
    covers = [name for name in ("model_load", "prefill", "decode") if name != missing]
    told = judged(tmp_path, None, files(run_json=record(phase(covers=covers))))
    assert verdict(told) == "to_confirm"
    assert f"phase {missing} was not part of the loop" in found(told)["condition"]


# --- On whose word --------------------------------------------------------------------------------


def attested(by=None, **scope):
    """A bare log, and the scope that a person types about it."""
    fiche = asked()
    told = {"gpu": GPU, "case": "limit", **({"by": by} if by else {}), **scope}
    fiche["pieces"][0] = {"id": "oom", "file": "oom.log", "scope": told}
    return fiche


def test_a_typed_scope_excludes_under_the_neutral_policy_on_somebodys_word(tmp_path):
    contents = {**files(run_json=None), "oom.log": oom()}
    told = judged(tmp_path, attested(), contents)
    assert (verdict(told), found(told)["attested_by"]) == ("exclude", [AUTHOR])
    assert found(told)["reason"].endswith(f"on the word of {AUTHOR}")
    told = judged(tmp_path, attested(by="C. Ito"), contents)
    assert (verdict(told), found(told)["attested_by"]) == ("exclude", ["C. Ito"])
    fiche = attested()
    fiche["policy"] = "strict"
    told = judged(tmp_path, fiche, contents)
    assert (verdict(told), found(told)["attested_by"]) == ("to_confirm", [])
    assert (
        f"on the word of {AUTHOR} alone, which policy 'strict' does not count"
        in (found(told)["condition"])
    )


def test_a_log_without_a_scope_excludes_nothing(tmp_path):
    fiche = attested()
    del fiche["pieces"][0]["scope"]
    told = judged(tmp_path, fiche, {**files(run_json=None), "oom.log": oom()})
    assert verdict(told) == "to_confirm"


def test_what_the_file_prints_contradicts_what_the_author_typed(tmp_path):
    fiche = asked()
    fiche["pieces"][0]["scope"] = {"attention": "eager"}
    told = judged(tmp_path, fiche)
    assert (verdict(told), found(told)["reason_code"]) == ("to_confirm", "conflict")
    assert "attention: the file prints sdpa, the scope typed eager" in found(told)["reason"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("NVIDIA GeForce RTX 4090", "admissible"),
        ("NVIDIA GeForce RTX 3090", "to_confirm"),
        ("NVIDIA A100-SXM4-80GB", "to_confirm"),
        ("NVIDIA Graphics Device", "admissible"),
    ],
)
def test_a_device_that_prints_another_name_is_a_contradiction(tmp_path, name, expected):
    """A file says which card it is of; its device may say otherwise."""
    told = judged(tmp_path, None, files(run_json=record(devices=[visible(name=name)])))
    assert verdict(told) == expected
    if expected == "to_confirm":
        assert found(told)["reason_code"] == "conflict"
        assert f"the device calls itself {name}" in found(told)["reason"]


def test_typed_dimensions_count_on_a_word_too(tmp_path):
    fiche = attested(executed=LIMIT)
    del fiche["pieces"][0]["scope"]["case"]
    load = {k: copy.deepcopy(v) for k, v in WORKLOAD.items() if k not in ("cases", "duration")}
    fiche["pieces"][0]["scope"] |= load
    told = judged(tmp_path, fiche, {**files(run_json=None), "oom.log": oom()})
    assert (verdict(told), found(told)["attested_by"]) == ("exclude", [AUTHOR])
    fiche["pieces"][0]["scope"]["executed"] = {**LIMIT, "prompt_tokens": 7901}
    told = judged(tmp_path, fiche, {**files(run_json=None), "oom.log": oom()})
    assert verdict(told) == "to_confirm"


# --- Several devices ------------------------------------------------------------------------------


def pair(**placement):
    """Two cards, each holding its share, as a stated placement has it."""
    fiche = asked()
    fiche["workload"]["placement"] = {
        "devices": 2,
        "resident": "all",
        "split": "tensor_parallel",
        "software": "transformers 5.17.0",
        **placement,
    }
    fiche["candidates"] = [{"id": "rent", "gpu": GPU, "cards": 2, "machine": MACHINE}]
    fiche["requirements"] = fiche["requirements"][:2]
    return fiche


def pair_run(fiche, *devices):
    return record(
        phase(devices=list(devices)),
        devices=[visible(0), visible(1)],
        workload={"placement": fiche["workload"]["placement"]},
    )


def test_each_device_of_a_placement_is_judged_by_its_own_readings(tmp_path):
    fiche = pair()
    both = pair_run(fiche, device(0), device(1))
    told = judged(tmp_path, fiche, files(run_json=both))
    assert [f["device"] for f in told["findings"] if f["kind"] == "memory"] == ["cuda:0", "cuda:1"]
    assert status(told) == "retained"


def test_a_reading_of_cuda_0_describes_no_other_card(tmp_path):
    """C9."""
    fiche = pair()
    told = judged(tmp_path, fiche, files(run_json=pair_run(fiche, device(0))))
    assert verdict(told, device="cuda:0") == "admissible"
    assert verdict(told, device="cuda:1") == "to_confirm"
    assert status(told) == "to_confirm"


def test_two_cards_without_a_stated_placement_are_to_confirm(tmp_path):
    """D4: two 24 GB cards are no 48 GB card; nothing excludes or admits them."""
    fiche = pair()
    del fiche["workload"]["placement"]
    told = judged(tmp_path, fiche, files(run_json=pair_run(pair(), device(0), device(1))))
    assert verdict(told) == "to_confirm"
    assert "2 cards are not one pool" in found(told)["condition"]


def test_one_card_is_no_placement_of_two(tmp_path):
    fiche = pair()
    fiche["candidates"][0]["cards"] = 1
    ran = pair_run(fiche, device(0), device(1))
    told = judged(tmp_path, fiche, files(run_json=ran))
    assert status(told) == "to_confirm"
    assert (
        "the placement uses 2 devices, the candidate has 1"
        in (found(told, device="cuda:0")["condition"])
    )


# --- One change (D10) -----------------------------------------------------------------------------


def test_a_changed_candidate_is_another_question(tmp_path):
    fiche = asked()
    fiche["candidates"] += [
        {"id": "cache", "baseline": "rent", "change": {"formats.cache": "fp8_e4m3"}},
        {"id": "fewer", "baseline": "rent", "change": {"cases.limit.resident_sequences": 2}},
        {"id": "more", "baseline": "rent", "change": {"cases.limit.resident_sequences": 8}},
    ]
    told = judged(tmp_path, fiche)
    assert verdict(told, candidate="rent") == "admissible"
    assert verdict(told, candidate="cache") == "to_confirm"
    assert verdict(told, candidate="fewer") == "admissible"
    assert verdict(told, candidate="more") == "to_confirm"
    assert verdict(told, "quality", candidate="cache") == "to_confirm"
    assert verdict(told, "quality", candidate="fewer") == "admissible"
    change = next(c["change"] for c in told["candidates"] if c["id"] == "cache")
    assert change == {"path": "formats.cache", "from": "bf16", "to": "fp8_e4m3"}


def test_a_typed_case_attests_the_base_and_not_the_change(tmp_path):
    fiche = attested()
    fiche["candidates"].append(
        {"id": "cache", "baseline": "rent", "change": {"formats.cache": "fp8_e4m3"}}
    )
    told = judged(tmp_path, fiche, {**files(run_json=None), "oom.log": oom()})
    assert verdict(told, candidate="rent") == "exclude"
    assert verdict(told, candidate="cache") == "to_confirm"


def test_gaps_stand_beside_the_estimate_of_the_load_that_ran(tmp_path):
    """E6, D10: a run with a bf16 cache says nothing of an estimate with another."""
    fiche = asked()
    fiche["candidates"] += [
        {"id": "cache", "baseline": "rent", "change": {"formats.cache": "fp8_e4m3"}},
        {"id": "fewer", "baseline": "rent", "change": {"cases.limit.resident_sequences": 2}},
    ]
    fiche["reserve"] = [{"id": "workspace", "value": "1 GiB", "because": "a guess"}]
    told = judged(tmp_path, fiche)
    gaps = {f["id"]: f["inputs"][1] for f in told["figures"] if ".gap." in f["id"]}
    assert set(gaps.values()) == {"limit.envelope", "fewer/limit.envelope"}
    assert len(gaps) == 4
