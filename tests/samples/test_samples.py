"""Every sample compiles and says what its README says (D1, D2, D9, D10, A1, C7, D4)."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from fiche.cli.compile import compile_fiche, doors
from fiche.cli.reports import Asked, files
from fiche.evaluate.decide import decide
from fiche.kernel.decision import Decision, Outcome
from fiche.kernel.finding import Finding, Verdict
from fiche.kernel.piece import Reading, Run
from fiche.kernel.record import replace
from fiche.kernel.simulation import peak_phase

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
COMPLETE = (
    "guide", "serving", "one-change", "two-cards", "qlora", "long-context", "latent-cache",
    "scores", "incident", "dense", "second-opinion", "committee", "throughput", "buy-or-rent",
    "package-cost", "server",
)  # fmt: skip
MIB = 2**20


@cache
def decided(name: str) -> Decision:
    return compile_fiche(SAMPLES / name / "fiche.yaml").decision


def outcome(name: str, candidate: str) -> Outcome:
    return next(o for o in decided(name).outcomes if o.candidate.id == candidate)


def findings(name: str, candidate: str, requirement: str) -> list[Finding]:
    return [f for f in outcome(name, candidate).findings if f.requirement == requirement]


def topics(name: str, candidate: str) -> set[str]:
    return {condition.topic for condition in outcome(name, candidate).conditions}


def statuses(name: str) -> dict[str, str]:
    return {o.candidate.id: o.status for o in decided(name).outcomes}


def runs(name: str) -> list[Run]:
    return [run for piece in decided(name).fiche.pieces for run in piece.reading.runs]


# --- All of them ------------------------------------------------------------------------------


def test_every_folder_is_tested_and_described():
    folders = {path.name for path in SAMPLES.iterdir() if path.is_dir()}
    assert folders == {*COMPLETE, "mistakes", "policies"}
    listed = (SAMPLES / "README.md").read_text(encoding="utf-8")
    for folder in folders:
        assert f"]({folder})" in listed
        assert (SAMPLES / folder / "README.md").is_file()


@pytest.mark.parametrize("name", COMPLETE)
def test_a_sample_is_said_to_be_illustrative(name):
    """Nobody measured these figures: page one must say so (E2)."""
    assert decided(name).fiche.illustrative


@pytest.mark.parametrize(
    "path", sorted(SAMPLES.glob("*/*.yaml")), ids=lambda p: f"{p.parent.name}/{p.name}"
)
def test_an_editor_finds_the_schema(path):
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    found = re.fullmatch(
        r"# yaml-language-server: \$schema=(\.\./\.\./schemas/\w+\.schema\.json)", first
    )
    assert found is not None
    assert (path.parent / found[1]).resolve().is_file()


@pytest.mark.parametrize("name", COMPLETE)
def test_figures_of_a_record_agree_with_each_other(name):
    """Allocated is inside reserved, a peak is at least the levels around it, and all fits the device."""
    files = sorted((SAMPLES / name).glob("evidence/*.json"))
    for path in files:
        record = json.loads(path.read_text(encoding="utf-8"))
        if "environment" not in record or "phases" not in record:
            continue  # a file of another program, or an account of a machine
        totals = {f"cuda:{d['index']}": d for d in record["environment"]["devices"]}
        for device in totals.values():
            if "nvml_total_bytes" in device:
                assert device["total_memory_bytes"] < device["nvml_total_bytes"]
        for phase in record["phases"]:
            for read in phase["devices"]:
                _agrees(read, totals[read["device"]]["total_memory_bytes"])


def _agrees(read: dict, total: int) -> None:
    start, peak, end, whole = read["start"], read["peak"], read["end"], read["process_device_bytes"]
    for levels in (start, peak, end):
        assert levels["allocated_bytes"] <= levels["reserved_bytes"]
        assert levels["reserved_bytes"] % (2 * MIB) == 0
    for key in ("allocated_bytes", "reserved_bytes"):
        assert peak[key] >= max(start[key], end[key])
    # A lifetime's peak is a phase's where it rose during it; elsewhere the phase has none (C2).
    assert peak["reserved_bytes"] <= whole.get("peak", peak["reserved_bytes"]) <= total
    assert whole["end"] + read["other_processes_bytes"]["bytes"] <= total


# --- guide ------------------------------------------------------------------------------------


def test_guide_has_the_two_offers_each_with_exactly_five_conditions():
    """D9: both to confirm for 19.04 GiB, with these open conditions and no other."""
    wanted = {"context", "concurrency", "memory_available", "compatibility", "quality"}
    assert statuses("guide") == {"rtx-4090": "to_confirm", "rtx-6000-ada": "to_confirm"}
    for candidate in ("rtx-4090", "rtx-6000-ada"):
        assert topics("guide", candidate) == wanted
        assert len(outcome("guide", candidate).conditions) == len(wanted)


def test_guide_computes_the_envelope_of_its_source():
    """B2: 7e9 x 16 bits and 6 GiB of reserve; the cost is that of the package (D9)."""
    assert decided("guide").figures["weights"].low == 14_000_000_000
    assert decided("guide").figures["envelope"].low == 14_000_000_000 + 6 * 2**30
    costs = {c: outcome("guide", c).cost for c in ("rtx-4090", "rtx-6000-ada")}
    assert {c: str(float(cost.low)) for c, cost in costs.items() if cost is not None} == {
        "rtx-4090": "47.14",
        "rtx-6000-ada": "55.71",
    }


def test_guide_shows_the_envelope_of_its_source_to_a_reader():
    """D9: 19.04 GiB stands in the report, beside 13.04 GiB of weights, though it settles nothing."""
    page = files(compile_fiche(SAMPLES / "guide" / "fiche.yaml"), Asked(formats=("html",)))[
        "report.html"
    ]
    told = page.partition(b"</style>")[2].decode("utf-8")
    for amount in ("19.04", "13.04", "47.14", "55.71"):
        assert amount in told


def test_guide_asks_for_an_identity():
    """A1: a parameter count is no identity, for any candidate."""
    assert [c.topic for c in decided("guide").workload_conditions] == ["identity"]


# --- serving ----------------------------------------------------------------------------------


def test_serving_has_one_candidate_of_each_status():
    assert statuses("serving") == {
        "rent-4090": "retained",
        "rent-6000-ada": "to_confirm",
        "own-4080": "excluded",
    }
    assert outcome("serving", "rent-4090").rank == 1
    assert not decided("serving").conditional_choice


def test_serving_admits_on_the_whole_loop_and_this_machine():
    """The need is the process's observed peak, the capacity what this machine shows, margin held (D5)."""
    limit = next(f for f in findings("serving", "rent-4090", "memory") if f.case == "limit")
    assert limit.verdict is Verdict.ADMISSIBLE
    assert limit.pieces[0] == "run-limit"
    assert limit.need is not None
    assert limit.need.high == 22_772_973_568
    assert limit.have is not None
    assert limit.have.low == 24081 * MIB
    assert limit.margin is not None
    assert limit.margin.low > 2**30


def test_serving_excludes_on_a_proven_failure_and_says_on_whose_word():
    for found in findings("serving", "own-4080", "memory"):
        assert found.verdict is Verdict.EXCLUDE
        assert found.reason == "proven_failure"
        assert found.attested_by == ("J. Okafor",)


def test_serving_leaves_exactly_these_points_open_on_the_label_only_card():
    """D3: a label, a stock and no run prove neither memory, software nor a date."""
    wanted = {"need", "memory_available", "compatibility", "delivery"}
    assert topics("serving", "rent-6000-ada") == wanted


def test_serving_does_not_say_what_a_bare_log_leaves_out():
    """C2: a log tells neither its pass nor its ordering, so the report says neither."""
    page = files(compile_fiche(SAMPLES / "serving" / "fiche.yaml"), Asked(formats=("html",)))[
        "report.html"
    ]
    text = page.decode("utf-8")
    brief, _, annex = text.partition("<section id=observed")
    told = brief.partition("oom-4080/failure-1")[2].partition("</p>")[0]
    assert "in no named phase" in told
    row = annex.partition("oom-4080/failure-1")[2].partition("<tr")[0]
    assert "after warm-up" not in row
    assert "not recorded" in row


def test_serving_keeps_a_want_from_eliminating():
    (quiet,) = findings("serving", "rent-4090", "quiet")
    assert quiet.verdict is Verdict.EXCLUDE
    assert outcome("serving", "rent-4090").status == "retained"


def test_serving_shows_a_declared_and_an_executed_length():
    """A3: what was executed counts, and the difference is there to be shown."""
    padded = [r for r in runs("serving") if r.declared and r.executed["prompt_tokens"].low == 1216]
    assert padded
    assert all(run.declared["prompt_tokens"].low == 1200 for run in padded)


def test_serving_exercises_every_kind_of_piece_and_of_number():
    fiche = decided("serving").fiche
    assert {p.kind for p in fiche.pieces} >= {"quote", "result", "torch_oom"}
    assert {r.kind for r in fiche.requirements} >= {
        "memory", "quality", "software", "precision", "cost", "delivery", "host_memory", "document", "power",
    }  # fmt: skip
    assert fiche.invalidated_by
    assert fiche.choice is not None
    assert fiche.choice.chosen == "rent-4090"


# --- one-change -------------------------------------------------------------------------------


def test_one_change_keeps_the_requirements_and_changes_one_thing():
    """D10: the failed baseline is excluded, a covered change retained, the others to confirm."""
    assert statuses("one-change") == {
        "as-it-is": "excluded",
        "four-at-once": "retained",
        "larger-card": "to_confirm",
        "smaller-cache": "to_confirm",
        "smaller-weights": "to_confirm",
    }
    changes = [o.candidate.change for o in decided("one-change").outcomes]
    assert Counter(change is None for change in changes) == {False: 4, True: 1}


@pytest.mark.parametrize(
    ("candidate", "asked"),
    [("smaller-cache", True), ("smaller-weights", True), ("larger-card", False)],
)
def test_one_change_of_a_format_must_recover_the_quality(candidate, asked):
    """D7: a changed format must recover the minimum quality; another card need not."""
    assert ("quality" in topics("one-change", candidate)) is asked


def test_one_change_offers_a_second_reading_on_the_guess():
    readings = decided("one-change").second_readings
    assert {r.finding.candidate for r in readings} == {"smaller-cache", "smaller-weights"}
    assert all(r.would_be is Verdict.ADMISSIBLE for r in readings)
    assert all(any("reserve.workspace" in held for held in r.if_held) for r in readings)


# --- two-cards --------------------------------------------------------------------------------


def test_two_cards_are_judged_per_device():
    """D4, C9: one finding a case and device, each on its own readings."""
    found = findings("two-cards", "pair-6000-ada", "memory")
    assert {(f.case, f.device) for f in found} == {
        (case, device) for case in ("usual", "limit") for device in ("cuda:0", "cuda:1")
    }
    assert all(f.verdict is Verdict.ADMISSIBLE for f in found)
    needs = {f.device: f.need.high for f in found if f.need is not None}
    assert needs["cuda:0"] != needs["cuda:1"]


def test_two_cards_of_the_same_label_are_no_evidence():
    assert statuses("two-cards") == {
        "pair-6000-ada": "retained",
        "pair-a6000": "to_confirm",
        "one-h100": "to_confirm",
    }
    assert topics("two-cards", "pair-a6000") >= {"need", "memory_available", "compatibility"}
    assert topics("two-cards", "one-h100") >= {"need", "memory_available", "compatibility"}
    assert "placement" not in topics("two-cards", "one-h100")


# --- qlora ------------------------------------------------------------------------------------


def test_qlora_states_the_count_that_its_comment_works_out():
    """B6: rank x (inputs + outputs) over the seven targets of 32 layers."""
    one = 2 * 16 * (4096 + 4096) + 2 * 16 * (4096 + 1024) + 3 * 16 * (4096 + 14336)
    told = decided("qlora").fiche.workload.figures["method.trainable_parameters"]
    assert told.low == 32 * one == 41_943_040


def test_qlora_keeps_the_cold_failure_beside_the_warm_success():
    """C7, C11: later passes do not erase a failed first one, and the two are no conflict."""
    limit = next(f for f in findings("qlora", "lab-3090", "memory") if f.case == "limit")
    assert limit.verdict is Verdict.EXCLUDE
    assert limit.reason == "proven_failure"
    assert "cold" in limit.pieces
    warm = [
        r for r in runs("qlora") if r.whole_loop and not r.first_pass and r.outcome == "success"
    ]
    cold = [r for r in runs("qlora") if r.first_pass and r.outcome == "failure"]
    assert warm
    assert cold


def test_qlora_fits_with_a_smaller_microbatch_and_still_needs_its_quality():
    assert statuses("qlora") == {
        "lab-3090": "excluded",
        "microbatch-1": "to_confirm",
        "rent-a6000": "to_confirm",
    }
    assert topics("qlora", "microbatch-1") == {"quality"}


def test_qlora_names_what_its_estimate_leaves_out():
    """B6, B8: no multiplier; activations, temporaries, buffers and workspaces are questions."""
    left_out = " ".join(decided("qlora").figures["limit.envelope"].left_out)
    for word in (
        "activations",
        "temporaries",
        "buffers",
        "working memory",
        "quantisation metadata",
    ):
        assert word in left_out


def test_qlora_goes_through_its_extra_phases():
    seen = {phase for run in runs("qlora") for phase in run.phases}
    assert seen >= {
        "first_step",
        "forward",
        "loss",
        "backward",
        "optimizer_step",
        "evaluation",
        "export",
    }


# --- long-context -----------------------------------------------------------------------------


def ends(name: str, figure: str) -> tuple[int, int]:
    found = decided(name).figures[figure]
    return int(found.low), int(found.high)


def test_long_context_keeps_windows_and_whole_contexts_apart():
    """B5: bytes a card, by hand: 8 of 16 KV heads, 128 wide, keys and values in 2 bytes, pages of 16."""
    layer = 2 * 8 * 128 * 2
    assert layer == 4096
    full = 10 * layer * 131_072 * 6
    assert full == 30 * 2**30
    assert ends("long-context", "limit.kv_cache.full") == (full, full)
    # Groups of ten: 52 sliding layers fill six, the last with eight layers of padding.
    window = 6 * 10 * layer * 1024
    assert window == 251_658_240
    low, high = ends("long-context", "limit.kv_cache.sliding")
    assert low == 6 * window
    # Two batches of 8192 tokens in flight, shared by all six, and up to two pages of 16 more for each.
    assert low < high <= 6 * window + 60 * layer * (2 * 8192 + 6 * 2 * 16)
    assert ends("long-context", "limit.kv_cache") == (full + low, full + high)


def test_long_context_puts_half_of_each_matrix_on_a_card():
    """D4: 27 432 406 640 values in 2 bytes; what is not cut is whole on each card."""
    low, high = ends("long-context", "weights.per_device")
    assert 27_432_406_640 < low <= high < 27_432_406_640 * 101 // 100


def test_long_context_excludes_by_a_floor_and_admits_nothing():
    """A floor from the model's own files may exclude; no sum admits (D1)."""
    assert statuses("long-context") == {
        "pair-6000-ada": "excluded",
        "pair-h100": "to_confirm",
        "one-h200": "to_confirm",
    }
    memory = {f.case: f for f in findings("long-context", "pair-6000-ada", "memory")}
    assert memory["limit"].verdict is Verdict.EXCLUDE
    assert memory["usual"].verdict is Verdict.TO_CONFIRM
    weights, _ = ends("long-context", "weights.per_device")
    cache, _ = ends("long-context", "limit.kv_cache")
    assert memory["limit"].need.low == weights + cache > 48 * 2**30


# --- latent-cache -----------------------------------------------------------------------------


def test_latent_cache_spans_the_vector_and_every_head():
    """B5: (512 + 64) values a token and layer, or 16 heads of keys 192 and values 128."""
    tokens = 8 * 32_768
    vector, heads = 27 * (512 + 64) * 2, 27 * 16 * (192 + 128) * 2
    assert (vector, heads) == (31_104, 276_480)
    assert ends("latent-cache", "limit.kv_cache") == (vector * tokens, heads * tokens)
    assert ends("latent-cache", "on-vllm/limit.kv_cache") == (vector * tokens, vector * tokens)
    assert ends("latent-cache", "weights") == (2 * 15_706_484_224, 2 * 15_706_484_224)


def test_latent_cache_excludes_whatever_the_program():
    """The least of a cache and the weights are more than 32 GiB; the rest takes a run."""
    assert statuses("latent-cache") == {
        "rtx-5090": "excluded",
        "rtx-6000-ada": "to_confirm",
        "h200": "to_confirm",
        "on-vllm": "to_confirm",
    }
    need = 2 * 15_706_484_224 + 31_104 * 8 * 32_768
    assert findings("latent-cache", "rtx-5090", "memory")[-1].need.low == need > 32 * 2**30


def test_latent_cache_says_that_the_program_was_not_told():
    """D10: a change of what nobody had said is told as that."""
    page = files(compile_fiche(SAMPLES / "latent-cache" / "fiche.yaml"), Asked(formats=("html",)))[
        "report.html"
    ]
    told = re.sub(rb"<[^>]+>", b"", page.partition(b"</style>")[2]).decode("utf-8")
    assert "rtx-6000-ada with engine.name: not told → vllm" in told


# --- mistakes ---------------------------------------------------------------------------------


def checked(name: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fiche", "check", f"{name}.yaml"]
    plain = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}
    return subprocess.run(
        command,
        cwd=SAMPLES / "mistakes",
        env=plain,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("name", ["fiche", "meaning"])
def test_mistakes_are_said_as_kept_beside_them(name):
    """Law 4: all of a stage at once, sorted by address, each with its line, caret and hint."""
    result = checked(name)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr == (SAMPLES / "mistakes" / f"{name}.expected.txt").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("name", ["fiche", "meaning"])
def test_mistakes_are_a_dozen_distinct_ones(name):
    told = (SAMPLES / "mistakes" / f"{name}.expected.txt").read_text(encoding="utf-8")
    heads = re.findall(rf"^{name}\.yaml:(\d+):(\d+): (F\d{{3}}) ", told, flags=re.MULTILINE)
    places = [(int(line), int(column)) for line, column, _ in heads]
    assert places == sorted(places)
    assert len({code for _, _, code in heads}) >= 12


# --- scores: files of a harness, a PDF, and what is out of date -------------------------------


def only(candidate: str, requirement: str) -> Finding:
    (found,) = findings("scores", candidate, requirement)
    return found


def test_a_score_that_is_clear_of_the_threshold_admits_on_what_the_file_prints():
    found = only("as-published", "reasoning")
    assert (found.verdict, found.pieces) == (Verdict.ADMISSIBLE, ("eval-bf16",))
    assert found.attested_by == ("N. Berg",), "storage, cache and operation are a person's word"


def test_a_score_within_its_standard_error_is_to_confirm():
    found = only("as-published", "arithmetic")
    assert (found.verdict, found.reason) == (Verdict.TO_CONFIRM, "overlap")
    assert "0.7551 ± 0.0118 (standard error)" in found.conditions[0].text


def test_changed_weights_need_scores_of_the_whole_set():
    found = only("int8-weights", "reasoning")
    assert found.verdict is Verdict.TO_CONFIRM
    assert "it is of 200 of the 1172 samples" in found.conditions[0].text


def test_the_quote_is_a_pdf_whose_words_lie_on_its_pages():
    (quote,) = (p for p in decided("scores").fiche.pieces if p.id == "quote-77")
    places = [item.pointer.path for item in quote.attested if item.pointer is not None]
    assert places == ["page 1", "page 1", "page 2", "page 1", "page 2"]
    assert only("as-published", "budget").verdict is Verdict.ADMISSIBLE
    assert only("as-published", "start").verdict is Verdict.ADMISSIBLE


def test_a_sheet_that_ran_out_is_left_aside():
    found = only("as-published", "quiet")
    assert found.verdict is Verdict.EXCLUDE
    assert "left aside: house-power: valid until 2026-10-31" in found.text


# --- incident: logs, tables and snapshots of other programs ------------------------------------


def readings(piece: str) -> Reading:
    (found,) = (p for p in decided("incident").fiche.pieces if p.id == piece)
    return found.reading


def test_a_log_of_two_programs_is_one_reading():
    log = readings("server-log")
    assert [f.message_kind for f in log.failures] == ["allocator_oom"]
    assert {o.counter for o in log.observations} == {"vllm.model_weights", "vllm.cuda_graphs"}
    assert {o.kind_of_origin for o in log.planned} == {"budget"}
    assert log.facts["engine.version"].value == "0.8.5"


def test_a_snapshot_tells_its_two_peaks_apart():
    """C4: 8 GiB with 10 reserved, then 6 GiB with 12 reserved."""
    peaks = {
        o.counter: o.value.value
        for o in readings("snapshot").observations
        if o.stat == "peak" and o.value is not None and o.value.rounding == "exact"
    }
    assert peaks == {"reserved_bytes": 12 * 1024 * MIB, "requested_bytes": 8 * 1024 * MIB}


def test_the_report_says_that_two_peaks_are_two_instants():
    page = files(compile_fiche(SAMPLES / "incident" / "fiche.yaml"), Asked(formats=("html",)))[
        "report.html"
    ].decode()
    assert "Their peaks are two instants: the difference of both is at neither." in page
    assert "8.00\N{NO-BREAK SPACE}GiB at 2.150\N{NO-BREAK SPACE}s" in page
    assert "12.00\N{NO-BREAK SPACE}GiB at 3.000\N{NO-BREAK SPACE}s" in page


def test_no_file_of_the_incident_settles_anything():
    assert set(statuses("incident").values()) == {"to_confirm"}


# --- dense: the form of a measurement -----------------------------------------------------------


def test_dense_admits_nothing_about_another_model():
    """F3, D6: not even on the machine that was measured; the report names what differs."""
    assert statuses("dense") == {"measured": "to_confirm", "looked-at": "to_confirm"}
    for found in findings("dense", "measured", "memory"):
        assert found.verdict is Verdict.TO_CONFIRM
        (need,) = (c for c in found.conditions if c.topic == "need")
        for difference in ("the piece fiche-dense-network", "the piece forward", "the piece fp32"):
            assert difference in need.text


def test_dense_bounds_the_capacity_by_what_machines_print():
    """DESIGN 4: by a record on the machine that ran, by an account of the machine where nothing did."""
    for candidate, piece in (("measured", "dense-loop"), ("looked-at", "second-machine")):
        (found, _) = findings("dense", candidate, "memory")
        assert found.have is not None
        assert found.have.low == found.have.high == 24 * 1024 * MIB
        assert piece in found.pieces
        assert "memory_available" not in topics("dense", candidate)


def test_dense_says_that_nothing_was_measured():
    """C10: no figure of it may ever look like a reading of a card."""
    for path in sorted((SAMPLES / "dense" / "evidence").glob("*.json")):
        devices = json.loads(path.read_text(encoding="utf-8"))["environment"]["devices"]
        assert {device["name"] for device in devices} == {"Simulated device (no GPU was measured)"}
    readme = (SAMPLES / "dense" / "README.md").read_text(encoding="utf-8")
    assert "**No GPU was measured here.**" in readme
    page = files(compile_fiche(SAMPLES / "dense" / "fiche.yaml"), Asked(formats=("html",)))[
        "report.html"
    ]
    assert b"no GPU was measured" in page


def test_dense_has_both_orderings_of_one_run():
    """C7, C8: first and later passes apart, phases and the whole loop apart, one run."""
    found = {(run.whole_loop, run.first_pass, run.phases) for run in runs("dense")}
    assert found == {
        (False, True, ("model_load",)),
        (False, True, ("inputs",)),
        (False, True, ("cold_forward",)),
        (False, False, ("warmup",)),
        (False, False, ("warm_forward",)),
        (True, True, ("model_load", "inputs", "cold_forward")),
        (True, False, ("warmup",)),
        (True, False, ("warm_forward",)),
    }
    assert {run.facts["run"].value for run in runs("dense")} == {"run-dense"}


def test_dense_is_what_the_recorder_writes_today():
    """Renew it with tests/samples/make_dense.py where the record's format has changed."""
    made = {}
    program = Path(__file__).with_name("make_dense.py")
    with tempfile.TemporaryDirectory() as folder:
        ended = subprocess.run(
            [sys.executable, program, folder],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert ended.returncode == 0, ended.stderr
        made = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
    evidence = (SAMPLES / "dense" / "evidence").iterdir()
    assert made == {path.name: path.read_bytes() for path in evidence}


# --- second-opinion ---------------------------------------------------------------------------


def test_second_opinion_says_exactly_where_both_agree():
    (limit,) = [one for one in decided("second-opinion").simulations if one.phases]
    assert limit.case == "limit"
    backward = next(phase for phase in limit.phases if phase.phase == "backward")
    groups = {group.name: group for group in backward.groups}
    assert groups["parameters"].distance == 0
    assert groups["optimizer states"].distance == 0
    passing = groups["activations and temporaries"]
    assert passing.formulas.low < passing.simulated.low < (passing.formulas.high or 0)


def test_second_opinion_peaks_in_the_gradient_of_the_loss():
    (told,) = [p.reading.simulation for p in decided("second-opinion").fiche.pieces[:1]]
    assert told is not None
    top = peak_phase(told)
    assert (top.name, top.at_peak.operator) == (
        "backward",
        "aten._log_softmax_backward_data.default",
    )
    assert any(one.shape[-1:] == (128_256,) for one in top.at_peak.largest)


def test_second_opinion_settles_nothing_by_its_simulation():
    """What it adds stands in the second reading alone."""
    loaded = decided("second-opinion")
    fewer = replace(loaded.fiche, pieces=loaded.fiche.pieces[1:])
    without = decide(fewer, doors(), "0")
    assert [(f.verdict, f.reason, f.conditions) for f in loaded.findings] == [
        (f.verdict, f.reason, f.conditions) for f in without.findings
    ]
    assert statuses("second-opinion") == {"rent-24": "to_confirm"}
    assert not [one for one in without.second_readings if one.finding.kind == "memory"]
    would = {one.finding.case: one for one in loaded.second_readings}
    assert {one.would_be for one in would.values()} == {Verdict.ADMISSIBLE}
    assert set(would) == {"usual", "limit"}
    held = would["limit"].if_held[0]
    assert held.startswith("the simulation simulated holds")
    assert "with 1 uncovered item" in held
    assert "(reserve.workspace)" in held


def test_second_opinion_is_no_observation():
    told = decided("second-opinion").fiche.pieces[0].reading
    assert (told.observations, told.runs) == ((), ())


# --- throughput -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("candidate", "requirement", "verdict"),
    [
        ("as-published", "rate", Verdict.ADMISSIBLE),
        ("as-published", "first-token", Verdict.ADMISSIBLE),  # a p99 within the limit of a p95
        ("as-published", "each-token", Verdict.EXCLUDE),
        ("as-published", "campaign", Verdict.ADMISSIBLE),
        ("as-published", "arithmetic", Verdict.ADMISSIBLE),
        ("as-published", "line", Verdict.ADMISSIBLE),
        ("as-published", "two-sellers", Verdict.ADMISSIBLE),
        ("as-published", "start", Verdict.ADMISSIBLE),
        ("as-published", "answers", Verdict.ADMISSIBLE),
        ("as-published", "where", Verdict.ADMISSIBLE),
        ("as-published", "driver", Verdict.TO_CONFIRM),
        ("as-published", "terms", Verdict.ADMISSIBLE),
        ("as-published", "three-years", Verdict.TO_CONFIRM),
        ("fp8-weights", "arithmetic", Verdict.TO_CONFIRM),
        ("larger-card", "rate", Verdict.TO_CONFIRM),
        ("larger-card", "campaign", Verdict.TO_CONFIRM),
    ],
)
def test_what_is_fast_enough_and_what_is_on_paper(
    candidate: str, requirement: str, verdict: Verdict
) -> None:
    """D8: what one card did says nothing of another; D7: a changed format must recover the quality."""
    (found,) = findings("throughput", candidate, requirement)
    assert found.verdict is verdict
    assert bool(found.pieces) or verdict is Verdict.TO_CONFIRM


# --- package-cost -----------------------------------------------------------------------------


def test_package_cost_comes_to_what_its_readme_says():
    """D9, worked by hand: 612 + 40 + 25; 418.32 + 11.51 + 4.80 over 1.0513; 364.44 h at 0.98."""
    costs = {o.candidate.id: o.cost for o in decided("package-cost").outcomes}
    shown = {
        name: f"{float(cost.low):.2f} {cost.unit}"
        for name, cost in costs.items()
        if cost is not None
    }
    assert shown == {
        "month": "677.00 EUR",
        "hours": "413.42 EUR",
        "pounds": "357.16 GBP",
        "eight": "30.36 EUR",
    }
    payable = {o.candidate.id: o.bill.payable for o in decided("package-cost").outcomes if o.bill}
    assert payable["month"] is not None
    assert f"{float(payable['month'].low):.2f}" == "728.45"
    assert payable["eight"] is None
    (found,) = findings("package-cost", "pounds", "budget")
    assert found.verdict is Verdict.TO_CONFIRM
    assert "availability" in topics("package-cost", "eight")


def test_package_cost_without_its_printed_rate_settles_nothing(tmp_path: Path) -> None:
    """A typed rate is assumed: it never admits, and the second reading says what it would do."""
    folder = tmp_path / "sample"
    shutil.copytree(SAMPLES / "package-cost", folder)
    fiche = folder / "fiche.yaml"
    text = fiche.read_text(encoding="utf-8")
    assert text.count(',\n     piece: rates, quote: "USD  1.0513"') == 1
    fiche.write_text(
        text.replace(',\n     piece: rates, quote: "USD  1.0513"', ""), encoding="utf-8"
    )
    made = compile_fiche(fiche).decision
    (found,) = [f for f in made.findings if (f.candidate, f.requirement) == ("hours", "budget")]
    assert found.verdict is Verdict.TO_CONFIRM
    (second,) = [s for s in made.second_readings if s.finding is found]
    assert second.would_be is Verdict.ADMISSIBLE
    assert "exchange.EUR.USD = 1.0513" in second.if_held[0]


@pytest.mark.parametrize(
    ("candidate", "open_musts", "excluded"),
    [
        ("bridged", {"placed", "torch"}, set()),
        (
            "page-only",
            {"placed", "link", "ram", "scratch", "driver", "torch", "ecc", "database"},
            set(),
        ),
        (
            "too-old",
            {"placed", "link", "ram", "scratch", "driver", "torch", "ecc", "database"},
            {"generation", "slots"},
        ),
        (
            "other-maker",
            {"placed", "link", "ram", "scratch", "driver", "torch", "ecc", "database"},
            set(),
        ),
    ],
)
def test_a_card_s_name_does_not_describe_the_rest_of_the_server(candidate, open_musts, excluded):
    """D3: each line of an order counts for itself, and a page about a card attests no machine."""
    found = outcome("server", candidate).findings
    own = [f for f in found if f.level == "must" and f.kind not in ("memory", "quality")]
    assert {f.requirement for f in own if f.verdict is Verdict.TO_CONFIRM} == open_musts
    assert {f.requirement for f in own if f.verdict is Verdict.EXCLUDE} == excluded
    assert all(f.expects for f in own if f.verdict is Verdict.TO_CONFIRM)
    assert all(f.sources or f.pieces for f in own if f.verdict is not Verdict.TO_CONFIRM)
