"""From the recorder to the verdict: what a program did, as its record tells it, and what must follow (C, D).

Each record is written by `fiche.recorder` itself; its device is simulated, and nothing is measured.
"""

import contextlib
import json

import pytest
from importers.ranks import put_together
from scenarios.loops import (
    CONTEXT,
    GB,
    PEAK,
    RANDOM,
    Machine,
    decided,
    loop,
    memory_of,
    oom,
    phased,
    run_of,
    serve,
    words,
)
from scenarios.story import AUTHOR, GPU, LIMIT, MACHINE, PHASES, VISIBLE, asked, bounds, found

FITS, OPEN, NOT = "admissible", "to_confirm", "exclude"


def less(name):
    return {**LIMIT, name: LIMIT[name] - 1}


def without(name):
    return {key: value for key, value in LIMIT.items() if key != name}


def told(tmp_path, program, fiche=None, **record):
    document = run_of(tmp_path / "made", program, **record)
    return memory_of(decided(tmp_path, document, fiche=fiche or asked()))


# --- One record -----------------------------------------------------------------------------------


def after_phases(rec, machine):
    serve(rec, machine.used)
    with rec.whole_loop("loop"):
        serve(rec, machine.used)


def before_phases(rec, machine):
    with rec.whole_loop("loop"):
        serve(rec, machine.used)
    serve(rec, machine.used, names=PHASES[1:], kept=0, peak=1)


def later_alone(rec, machine):
    with rec.whole_loop("loop", pass_="later"):
        serve(rec, machine.used)


def asked_only(rec, machine):
    with rec.whole_loop("loop", **LIMIT):
        serve(rec, machine.used, executed=None)


def interrupted(rec, machine):
    with rec.whole_loop("loop"):
        serve(rec, machine.used, error=KeyboardInterrupt())


def left_open(rec, machine):
    with rec.whole_loop("loop"):
        serve(rec, machine.used)
    rec.phase("decode").begin()


def wrong_output(rec, machine):
    with rec.whole_loop("loop"):
        serve(rec, machine.used, each=lambda phase: phase.output(phase.name != "decode", "finite"))


def part_caught(rec, machine):
    """A part that failed, where the program went on, is not covered."""
    with rec.whole_loop("loop"), contextlib.suppress(ValueError):
        serve(rec, machine.used, error=ValueError("boom"), at="decode")


def never_together(rec, machine):
    """The longest prompt ran alone, the four sequences with a short one."""
    with rec.whole_loop("loop"):
        serve(rec, machine.used, executed={**LIMIT, "prompt_tokens": 100})
        serve(rec, machine.used, PHASES[1:], {**LIMIT, "resident_sequences": 1}, kept=0, peak=1)


def whole_program(rec, machine):
    """As `fiche run` sees one: a single phase."""
    with rec.whole_loop("program", covers=["program"]):
        machine.used[0].allocate(PEAK)


ASYNC = {"backend": "cudaMallocAsync", "settings": "default"}
EXPANDABLE = {"backend": "native", "settings": "expandable_segments:True"}
RECORDS = [
    # What admits, and what keeps it from admitting (C1, C5, C7, C8).
    ("a whole loop from the load on", loop(), {}, FITS, ""),
    ("phases", phased(), {}, OPEN, "phase by phase, which locates a peak and admits nothing"),
    ("a loop after phases", after_phases, {}, OPEN, "the loop began after warm-up"),
    ("a loop before phases", before_phases, {}, FITS, ""),
    ("a later pass alone", later_alone, {}, OPEN, "the first pass was not part of it"),
    ("no true peak", loop(), {"machine": {"reading": "now"}}, OPEN, "shows no peak of"),
    ("no reading outside", loop(), {"machine": {"reading": "none"}}, OPEN, "shows no peak of"),
    ("nobody looked for others", loop(), {"machine": {"others": None}}, OPEN, "nothing else"),
    ("others leave enough", loop(), {"machine": {"others": GB}}, FITS, ""),
    ("others leave less", loop(peak=24 * GB), {"machine": {"others": 2 * GB}}, OPEN, "overlap"),
    ("an output that is wrong", wrong_output, {}, OPEN, "did not pass"),
    ("below the floor", loop(kept=5 * GB, peak=9 * GB), {}, OPEN, "something else ran"),
    # What executed counts (A3, D6).
    ("twice the load", loop(executed={k: 2 * v for k, v in LIMIT.items()}), {}, FITS, ""),
    *((f"less {n}", loop(executed=less(n)), {}, OPEN, f"{n}: executed") for n in LIMIT),
    *((f"no {n}", loop(executed=without(n)), {}, OPEN, f"{n}: the piece does") for n in LIMIT),
    ("asked for, and not told what ran", asked_only, {}, OPEN, "does not say what was executed"),
    ("never together", never_together, {}, OPEN, "executed"),
    ("a part is missing", loop(names=PHASES[:2]), {}, OPEN, "phase decode was not part"),
    ("parts beside", loop(names=["inputs", *PHASES, "export"]), {}, FITS, ""),
    ("a part that failed", part_caught, {}, OPEN, "phase decode was not part"),
    ("random weights", loop(names=RANDOM), {}, OPEN, "which is no load of a checkpoint"),
    ("a program from outside", whole_program, {}, OPEN, "which of its phases ran nobody tells"),
    # What has no end (C2).
    ("interrupted", interrupted, {}, OPEN, "has no end: neither a success nor a failure"),
    ("a phase left open behind the loop", left_open, {}, FITS, ""),
    # Whose run it is (DESIGN 4).
    ("another policy of the cache", loop(), {"empty_cache": "between_phases"}, FITS, ""),
    ("warm-ups", loop(), {"warmups": 3, "repeats": 5}, FITS, ""),
    ("another machine", loop(), {"where": "node-9"}, OPEN, "have machine node-7 print"),
    ("no machine", loop(), {"where": ""}, OPEN, "have machine node-7 print"),
    ("no card told", loop(), {"gpu": ""}, OPEN, "gpu: the piece does not say"),
    (
        "the name of another card",
        loop(),
        {"machine": {"card": "NVIDIA GeForce RTX 3090"}},
        OPEN,
        "contradict",
    ),
    (
        "five loops",
        loop(),
        {"protocol": "five loops in one process"},
        OPEN,
        "five loops in one process",
    ),
    ("settings", loop(), {"machine": {"allocator": EXPANDABLE}}, OPEN, "allocator.settings: "),
    ("allocator", loop(), {"machine": {"allocator": ASYNC}}, OPEN, "allocator.backend: "),
    ("really loaded", loop(), {"said": words(formats__loaded="fp32")}, OPEN, "fp32"),
    ("its engine", loop(), {"said": words(engine__version="5.17.1")}, OPEN, "5.17.1"),
    ("no engine", loop(), {"said": words(engine=None)}, OPEN, "engine.name: "),
    ("offloaded", loop(), {"said": words(placement__resident="offload")}, OPEN, "offload"),
]


def ids(rows):
    return [row[0] for row in rows]


@pytest.mark.parametrize(
    ("program", "record", "expected", "text"), [r[1:] for r in RECORDS], ids=ids(RECORDS)
)
def test_what_a_record_settles_and_what_it_leaves_open(tmp_path, program, record, expected, text):
    verdict, _, why = told(tmp_path, program, **record)
    assert (verdict, text in why) == (expected, True), why


# --- Failures -------------------------------------------------------------------------------------

HOST = RuntimeError(
    "[enforce fail at alloc_cpu.cpp:114] err == 0. DefaultCPUAllocator: can't allocate memory: you "
    "tried to allocate 4000000000 bytes. Error code 12 (Cannot allocate memory)"
)
LIMITED = {"backend": "native", "settings": "default", "process_fraction": "0.5"}


def stuck_before(rec, machine):
    """The synchronization before the loop raises what earlier work did."""
    machine.all[0].fail("synchronize", 0, oom())
    loop()(rec, machine)


def stuck_behind(rec, machine):
    machine.all[0].fail("synchronize", 1, oom())
    loop()(rec, machine)


def second_load(rec, machine):
    machine.used[0].allocate(10 * GB)
    phased(error=oom(), at="model_load", executed=None)(rec, machine)


def cold_then_warm(rec, machine):
    with contextlib.suppress(RuntimeError):
        loop(error=oom())(rec, machine)
    machine.used[0].release(machine.used[0].levels[0])
    loop()(rec, machine)


def then_ran_out(rec, machine):
    loop()(rec, machine)
    with rec.whole_loop("loop"):
        serve(rec, machine.used, PHASES[1:], kept=0, peak=1, error=oom())


def after_evaluation(rec, machine):
    with rec.whole_loop("loop"):
        serve(rec, machine.used, ["model_load", "prefill", "evaluation"], kept=9, peak=10)
        serve(rec, machine.used, ["decode"], kept=0, peak=1, error=oom(), at="decode")


def second_evaluation(rec, machine):
    with rec.whole_loop("loop"):
        serve(rec, machine.used, ["model_load", "evaluation", "prefill", "decode"], kept=9, peak=10)
        serve(rec, machine.used, ["evaluation"], kept=0, peak=1, error=oom(), at="evaluation")


def caught_before(rec, machine):
    """An evaluation that failed was caught, and the loop ended in its decode."""
    with rec.whole_loop("loop"):
        serve(rec, machine.used, PHASES[:2], kept=9, peak=10)
        with contextlib.suppress(RuntimeError):
            first = oom(requested="9.00 GiB")
            serve(rec, machine.used, ["evaluation"], kept=0, peak=1, error=first, at="evaluation")
        serve(rec, machine.used, ["decode"], kept=0, peak=1, error=oom(), at="decode")


def fails(**told_):
    return loop(error=oom(**told_))


FAILURES = [
    ("in the loop", fails(), {}, NOT, ""),
    ("in a phase", phased(error=oom()), {}, NOT, ""),
    ("behind the loop", stuck_behind, {}, NOT, ""),
    ("of less than the case", loop(error=oom(), executed=less("prompt_tokens")), {}, NOT, ""),
    ("of more", loop(error=oom(), executed={**LIMIT, "prompt_tokens": 9000}), {}, OPEN, "9000"),
    ("of what nobody tells", loop(error=oom(), executed=None), {}, OPEN, "does not say what was"),
    ("enough was free", fails(requested="100.00 MiB"), {}, OPEN, "free memory was left"),
    ("another process", fails(extra=" Process 9 has 1.00 GiB memory in use."), {}, OPEN, "another"),
    ("others were read", fails(), {"machine": {"others": 3 * GB}}, OPEN, f"hold {3 * GB} B"),
    ("processes untold", fails(own=None), {}, OPEN, "whether another one used it is untold"),
    ("a limit", fails(), {"machine": {"allocator": LIMITED}}, OPEN, "a limit of 0.5"),
    ("on a card that was not read", fails(index=1), {}, OPEN, "which the record did not read"),
    ("before the loop", stuck_before, {}, OPEN, "earlier work failed"),
    ("host memory", loop(error=HOST), {}, OPEN, "device memory ran out: it was the host's"),
    ("host memory in Python", loop(error=MemoryError()), {}, OPEN, "it was the host's"),
    ("another error", loop(error=RuntimeError("shapes differ")), {}, OPEN, "does not say that"),
    ("another allocator", fails(), {"machine": {"allocator": ASYNC}}, OPEN, "run the whole"),
    ("cold, then warm", cold_then_warm, {}, NOT, ""),
    ("well, then out of memory", then_ran_out, {}, OPEN, "succeeded and run failed in one scope"),
    # While loading nothing can have been executed (D7).
    ("in the load", phased(error=oom(), at="model_load", executed=None), {}, NOT, ""),
    ("in the loop's load", loop(error=oom(), at="model_load", executed=None), {}, NOT, ""),
    ("in a second load", second_load, {}, OPEN, "does not say what was executed"),
    (
        "while making random weights",
        loop(error=oom(), at="model_init", executed=None, names=RANDOM),
        {},
        OPEN,
        "it happened in model_init, which the case does not ask for",
    ),
    ("with random weights", loop(error=oom(), names=RANDOM), {}, NOT, ""),
    ("behind an evaluation", after_evaluation, {}, NOT, ""),
    ("behind one that was caught", caught_before, {}, NOT, ""),
    ("in a second evaluation", second_evaluation, {}, OPEN, "it happened in evaluation"),
]


@pytest.mark.parametrize(
    ("program", "record", "expected", "text"), [r[1:] for r in FAILURES], ids=ids(FAILURES)
)
def test_what_a_failure_excludes_and_what_it_leaves_open(tmp_path, program, record, expected, text):
    """C11, DESIGN 4: a proven lack of device memory, or to confirm with the cause named."""
    verdict, _, why = told(tmp_path, program, **record)
    assert (verdict, text in why) == (expected, True), why


# --- Several passes, several devices, several records ------------------------------------------------


def need_of(decision):
    return bounds(found(decision)["need"])[1]


def again(peak, **more):
    def run(rec, machine):
        loop()(rec, machine)
        with rec.whole_loop("loop"):
            serve(rec, machine.used, PHASES[1:], kept=0, peak=peak, **more)

    return run


def test_a_later_pass_of_the_same_load_that_held_more_raises_the_need(tmp_path):
    """D0: the most demanding step; what leaks or fragments shows only later."""
    first = run_of(tmp_path / "a", loop())
    need = need_of(decided(tmp_path / "a", first, fiche=asked()))
    more = run_of(tmp_path / "b", again(8 * GB))
    raised = need_of(decided(tmp_path / "b", more, fiche=asked()))
    assert raised > need > PEAK
    assert raised == max(
        each["devices"][0]["process_device_bytes"]["peak"] for each in more["phases"]
    )


def test_a_later_pass_of_more_than_the_first_raises_nothing(tmp_path):
    """Its peak is the need of another load."""
    longer = run_of(tmp_path, again(8 * GB, executed={**LIMIT, "prompt_tokens": 9000}))
    first = longer["phases"][0]["devices"][0]["process_device_bytes"]["peak"]
    assert need_of(decided(tmp_path, longer, fiche=asked())) == first


@pytest.mark.parametrize("used", [0, 1])
def test_one_card_of_two_is_read_where_the_program_was(tmp_path, used):
    """C9: a process sees two cards and uses one; the other's zero is no need."""
    for place, machine in enumerate((Machine(2, used=used), Machine(2, used=used).only(used))):
        document = run_of(tmp_path / str(place), loop(), machine=machine)
        decision = decided(tmp_path / str(place), document, fiche=asked())
        assert memory_of(decision)[0] == FITS
        assert need_of(decision) > PEAK


def test_a_load_that_lay_on_two_cards_is_no_load_of_one(tmp_path):
    """D4: whatever the words say."""
    verdict, _, why = told(tmp_path, loop(), machine=Machine(2))
    assert (verdict, "placement.devices: the question says 1, the piece 2" in why) == (OPEN, True)


SPLIT = {"devices": 2, "resident": "all", "split": "layers"}


def pair():
    fiche = asked()
    fiche["workload"]["placement"] = SPLIT
    fiche["candidates"][0]["cards"] = 2
    return fiche


def test_two_devices_of_one_process_are_judged_one_by_one(tmp_path):
    """C9, D4."""
    document = run_of(tmp_path, loop(), machine=Machine(2), said=words(placement=SPLIT))
    decision = decided(tmp_path, document, fiche=pair())
    assert [memory_of(decision, f"cuda:{n}")[0] for n in (0, 1)] == [FITS, FITS]
    del document["phases"][0]["devices"][1]["process_device_bytes"]
    del document["phases"][0]["devices"][1]["outside_allocator_bytes"]
    decision = decided(tmp_path / "one", document, fiche=pair())
    assert [memory_of(decision, f"cuda:{n}")[0] for n in (0, 1)] == [FITS, OPEN]


def records_of_ranks(tmp_path, monkeypatch, programs):
    """What each process of a run of two leaves; each sees a card of its own."""
    made = []
    for rank, program in enumerate(programs):
        for name, value in (("RANK", rank), ("LOCAL_RANK", rank), ("WORLD_SIZE", len(programs))):
            monkeypatch.setenv(name, str(value))
        machine = Machine(2).only(rank)
        machine.used = machine.seen = machine.all
        said = words(placement=SPLIT)
        document = run_of(tmp_path / str(rank), program, machine=machine, said=said, run="run-1")
        document["environment"]["devices"][0]["uuid"] = f"GPU-{rank}"
        made.append(document)
    return made


def test_one_rank_of_two_settles_nothing_and_says_so(tmp_path, monkeypatch):
    """C9: a reading of one device describes no other."""
    one, _ = records_of_ranks(tmp_path / "ranks", monkeypatch, [loop(), loop()])
    verdict, _, why = memory_of(decided(tmp_path, one, fiche=pair()), "cuda:0")
    assert (verdict, "it is one rank of several" in why) == (OPEN, True), why


@pytest.mark.parametrize(
    ("second", "expected", "text"),
    [
        (loop(), FITS, ""),
        (loop(executed=less("prompt_tokens")), OPEN, "prompt_tokens: executed 7899"),
        (loop(error=oom()), NOT, ""),
        (loop(error=KeyboardInterrupt()), OPEN, "has no end"),
    ],
)
def test_what_two_ranks_together_settle(tmp_path, monkeypatch, second, expected, text):
    """C9: no rank is credited with what another did."""
    made = records_of_ranks(tmp_path / "ranks", monkeypatch, [loop(), second])
    document = put_together(*made)
    verdict, _, why = memory_of(decided(tmp_path, document, fiche=pair()), "cuda:1")
    assert (verdict, text in why) == (expected, True), why


def with_environment(machine, total=VISIBLE):
    fiche = asked()
    fiche["pieces"].append(
        {"id": "account", "file": "env.json", "scope": {"gpu": GPU, "by": AUTHOR}}
    )
    made = Machine()
    account = {
        "format": "fiche-environment/1",
        "tool": {"name": "fiche", "version": "0"},
        "observed_at": "2026-11-20T09:00:00+00:00",
        "machine": machine,
        "environment": made.environment(),
        "readings": [
            {"device": "cuda:0", "other_processes_bytes": {"bytes": 0, "counter": "nvml_processes"}}
        ],
    }
    account["environment"]["devices"][0]["total_memory_bytes"] = total
    return fiche, account


@pytest.mark.parametrize(
    ("machine", "total", "expected"),
    [(MACHINE, VISIBLE, FITS), (MACHINE, PEAK, OPEN), ("node-8", VISIBLE, OPEN)],
)
def test_a_run_elsewhere_fits_where_this_machine_told_its_total(tmp_path, machine, total, expected):
    """D4: capacity is of a machine; a run on another one of the card is compared with this one's total."""
    fiche, account = with_environment(machine, total)
    document = run_of(tmp_path, loop(), where="node-9")
    decision = decided(tmp_path, document, fiche=fiche, **{"env.json": account})
    assert memory_of(decision)[0] == expected


LONGER, LONGEST = {**LIMIT, "prompt_tokens": 8000}, {**LIMIT, "prompt_tokens": 12000}


@pytest.mark.parametrize(
    ("first", "second", "expected", "reason"),
    [
        (loop(executed=LONGER), loop(executed=LONGEST, error=oom()), FITS, "within_capacity"),
        (loop(executed=less("prompt_tokens")), loop(executed=LONGEST, error=oom()), OPEN, "open"),
        (loop(executed=LONGER), loop(error=oom()), OPEN, "conflict"),
        (loop(), loop(error=oom()), OPEN, "conflict"),
        (loop(), loop(), FITS, "within_capacity"),
        (phased(), loop(), FITS, "within_capacity"),
    ],
)
def test_trials_beside_each_other(tmp_path, first, second, expected, reason):
    """C11, C8: a frontier's two sides, repeated processes, phases beside the whole loop."""
    made = [run_of(tmp_path / "made", program) for program in (first, second)]
    assert memory_of(decided(tmp_path, *made, fiche=asked()))[:2] == (expected, reason)


# --- What a person adds, and what cannot be ------------------------------------------------------------


@pytest.mark.parametrize(("policy", "expected"), [("neutral", FITS), ("strict", OPEN)])
def test_a_program_seen_from_outside_counts_on_a_persons_word(tmp_path, policy, expected):
    """A6: `fiche run` knows one phase; which case it was somebody attests."""
    fiche = {**asked(), "policy": policy}
    fiche["pieces"][0]["scope"] = {"case": "limit", "by": AUTHOR}
    assert told(tmp_path, whole_program, fiche=fiche)[0] == expected


@pytest.mark.parametrize("names", [RANDOM, PHASES[1:]])
def test_a_case_that_names_no_phase_has_its_load_too(tmp_path, names):
    """D0, A6: loading is part of it unless somebody says otherwise, and may be its most demanding step."""
    fiche = asked()
    del fiche["workload"]["cases"][0]["phases"]
    verdict, _, why = told(tmp_path, loop(names=names), fiche=fiche)
    assert verdict == OPEN
    assert "or name the phases of the case, if loading is none of them" in why


def test_random_weights_admit_a_case_that_does_not_ask_for_the_load(tmp_path):
    """C7: and the verdict says what was not measured."""
    fiche = asked()
    fiche["workload"]["cases"][0]["phases"] = PHASES[1:]
    verdict, _, why = told(tmp_path, loop(names=RANDOM), fiche=fiche)
    assert verdict == FITS
    assert "noted: run made random weights, so the load of a checkpoint was not measured" in why


def test_requests_that_wait_need_not_run(tmp_path):
    """A4."""
    fiche = asked()
    fiche["workload"]["cases"][0]["concurrent_requests"] = 16
    assert told(tmp_path, loop(), fiche=fiche)[0] == FITS


@pytest.mark.parametrize(
    "change",
    [
        lambda read: read["process_device_bytes"].update(peak=18 * GB),
        lambda read: read["process_device_bytes"].update(peak=VISIBLE + GB),
        lambda read: read["peak"].update(allocated_bytes=read["peak"]["reserved_bytes"] + 1),
        lambda read: read["peak"].update(reserved_bytes=read["end"]["reserved_bytes"] - 1),
        lambda read: read["peak"].update(allocated_bytes=read["end"]["allocated_bytes"] - 1),
    ],
)
def test_counters_that_cannot_all_be_true_admit_nothing(tmp_path, change):
    """C3, B1."""
    document = run_of(tmp_path, loop())
    change(document["phases"][0]["devices"][0])
    assert memory_of(decided(tmp_path, document, fiche=asked()))[0] == OPEN


def test_a_reserved_peak_and_the_part_outside_it_are_a_ceiling_where_both_are_peaks(tmp_path):
    """C5: a part seen at one checkpoint is no peak."""
    document = run_of(tmp_path, loop(), machine=Machine(reading="now"))
    read = document["phases"][0]["devices"][0]
    assert read["outside_allocator_bytes"]["stat"] == "current"
    assert memory_of(decided(tmp_path / "now", document, fiche=asked()))[0] == OPEN
    read["outside_allocator_bytes"]["stat"] = "peak"
    decision = decided(tmp_path / "peak", document, fiche=asked())
    assert memory_of(decision)[0] == FITS
    assert need_of(decision) == read["peak"]["reserved_bytes"] + CONTEXT


def journal_of(document):
    (phase,) = document["phases"]
    start = {key: phase[key] for key in ("index", "name", "pass", "ordering")}
    head = {key: value for key, value in document.items() if key != "phases"}
    lines = (
        {"event": "header", **head},
        {"event": "phase_start", "phase": start},
        {"event": "phase_end", "phase": phase},
    )
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def test_a_journal_admits_what_ended_before_it_was_cut(tmp_path):
    """C1: no finished phase is lost, and none is made up."""
    text = journal_of(run_of(tmp_path, loop()))
    assert memory_of(decided(tmp_path / "whole", text, fiche=asked()))[0] == FITS
    verdict, _, why = memory_of(decided(tmp_path / "cut", text[:-40], fiche=asked()))
    assert (verdict, "neither a success nor a failure" in why) == (OPEN, True)
